#include "kernels/quantise.h"

#include "kernels/instruction_set.h"

namespace meteor {

float quantisation_error(const Quantisation& quantisation, float scale) {
  switch (best_instruction_set()) {
#ifdef METEOR_X86_KERNELS
    case InstructionSet::avx512:
      return avx512::quantisation_error(quantisation, scale);
    case InstructionSet::avx2:
      return avx2::quantisation_error(quantisation, scale);
#endif
    default:
      return baseline::quantisation_error(quantisation, scale);
  }
}

void quantise(const Quantisation& quantisation, float scale, float* levels) {
  switch (best_instruction_set()) {
#ifdef METEOR_X86_KERNELS
    case InstructionSet::avx512:
      return avx512::quantise(quantisation, scale, levels);
    case InstructionSet::avx2:
      return avx2::quantise(quantisation, scale, levels);
#endif
    default:
      return baseline::quantise(quantisation, scale, levels);
  }
}

}  // namespace meteor
