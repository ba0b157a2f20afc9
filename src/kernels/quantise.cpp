#include "kernels/quantise.h"

#include "kernels/best_set.h"

namespace meteor {

void quantisation_errors(const Quantisation& quantisation, const float* scales, std::size_t count, float* errors) {
  METEOR_BEST(quantisation_errors)(quantisation, scales, count, errors);
}

float squared_norm(const float* values, const float* factors, std::size_t width) {
  return METEOR_BEST(squared_norm)(values, factors, width);
}

void quantise_pairs(const Quantisation& quantisation, float scale, const std::uint64_t* first_bits,
                    std::int32_t* numbers, std::uint64_t* pairs) {
  METEOR_BEST(quantise_pairs)(quantisation, scale, first_bits, numbers, pairs);
}

}  // namespace meteor
