#include "kernels/instruction_set.h"

namespace meteor {

InstructionSet best_instruction_set() {
#ifdef METEOR_X86_KERNELS
  __builtin_cpu_init();
  const bool fused = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (fused && __builtin_cpu_supports("avx512f")) return InstructionSet::avx512;
  if (fused) return InstructionSet::avx2;
#endif
  return InstructionSet::baseline;
}

std::string_view name_of(InstructionSet set) {
  switch (set) {
    case InstructionSet::avx512:
      return "avx512";
    case InstructionSet::avx2:
      return "avx2";
    case InstructionSet::baseline:
      break;
  }
  return "baseline";
}

}  // namespace meteor
