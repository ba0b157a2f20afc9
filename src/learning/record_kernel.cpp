#include "learning/record_kernel.h"

namespace meteor {

RecordKernel best_record_kernel() {
#ifdef METEOR_X86_KERNELS
  __builtin_cpu_init();
  const bool fused = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (fused && __builtin_cpu_supports("avx512f")) return {"avx512", avx512::learn_record};
  if (fused) return {"avx2", avx2::learn_record};
#endif
  return {"baseline", baseline::learn_record};
}

}  // namespace meteor
