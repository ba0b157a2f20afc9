// Compiled once for each instruction set (see cmake/MeteorTargets.cmake).
#include "kernels/lanes.h"
#include "lanes_under_test.h"

namespace meteor::METEOR_KERNEL_VARIANT {

void square_roots(const float* numbers, std::size_t count, float* roots) {
  for (std::size_t i = 0; i < count; i += kLaneCount)
    store_anywhere(roots + i, square_root(load_anywhere(numbers + i)));
}

void rough_inverse_roots(const float* numbers, std::size_t count, float* roots) {
  for (std::size_t i = 0; i < count; i += kLaneCount) {
    store_anywhere(roots + i, rough_inverse_root(load_anywhere(numbers + i)));
  }
}

#ifdef __AVX512F__
void refined_roots(const float* numbers, const float* inverse_roots, std::size_t count, float* roots) {
  for (std::size_t i = 0; i < count; i += kLaneCount) {
    store_anywhere(roots + i, refined_root(load_anywhere(numbers + i), load_anywhere(inverse_roots + i)));
  }
}
#endif

}  // namespace meteor::METEOR_KERNEL_VARIANT
