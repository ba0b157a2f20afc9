#include "kernels/quantise.h"

#include "kernels/instruction_set.h"

namespace meteor {

void quantisation_errors(const Quantisation& quantisation, const float* scales, std::size_t count, float* errors) {
  switch (best_instruction_set()) {
#ifdef METEOR_X86_KERNELS
    case InstructionSet::avx512:
      return avx512::quantisation_errors(quantisation, scales, count, errors);
    case InstructionSet::avx2:
      return avx2::quantisation_errors(quantisation, scales, count, errors);
#endif
    default:
      return baseline::quantisation_errors(quantisation, scales, count, errors);
  }
}

float squared_norm(const float* values, const float* factors, std::size_t width) {
  switch (best_instruction_set()) {
#ifdef METEOR_X86_KERNELS
    case InstructionSet::avx512:
      return avx512::squared_norm(values, factors, width);
    case InstructionSet::avx2:
      return avx2::squared_norm(values, factors, width);
#endif
    default:
      return baseline::squared_norm(values, factors, width);
  }
}

void quantise_pairs(const Quantisation& quantisation, float scale, const std::uint64_t* first_bits,
                    std::int32_t* numbers, std::uint64_t* pairs) {
  switch (best_instruction_set()) {
#ifdef METEOR_X86_KERNELS
    case InstructionSet::avx512:
      return avx512::quantise_pairs(quantisation, scale, first_bits, numbers, pairs);
    case InstructionSet::avx2:
      return avx2::quantise_pairs(quantisation, scale, first_bits, numbers, pairs);
#endif
    default:
      return baseline::quantise_pairs(quantisation, scale, first_bits, numbers, pairs);
  }
}

}  // namespace meteor
