#include "learning/record_kernel.h"

namespace meteor {

RecordKernel best_record_kernel() {
  const InstructionSet set = best_instruction_set();
  switch (set) {
#ifdef METEOR_X86_KERNELS
    case InstructionSet::avx512:
      return {name_of(set), avx512::learn_record, avx512::learn_record_fast, avx512::learn_record_plainly};
    case InstructionSet::avx2:
      return {name_of(set), avx2::learn_record, avx2::learn_record_fast, avx2::learn_record_plainly};
#endif
    default:
      return {name_of(InstructionSet::baseline), baseline::learn_record, baseline::learn_record_fast,
              baseline::learn_record_plainly};
  }
}

}  // namespace meteor
