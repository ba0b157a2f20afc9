#include "kernels/combine_rows.h"

#include "kernels/instruction_set.h"

namespace meteor {

void combine_rows(const RowCombination& combination) {
  switch (best_instruction_set()) {
#ifdef METEOR_X86_KERNELS
    case InstructionSet::avx512:
      return avx512::combine_rows(combination);
    case InstructionSet::avx2:
      return avx2::combine_rows(combination);
#endif
    default:
      return baseline::combine_rows(combination);
  }
}

}  // namespace meteor
