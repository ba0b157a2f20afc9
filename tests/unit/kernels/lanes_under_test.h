#pragma once

#include <cstddef>

namespace meteor {

/// Functions of kernels/lanes.h for arrays of a multiple of 16 numbers; compiled for each instruction set.
namespace baseline {
void square_roots(const float* numbers, std::size_t count, float* roots);
void rough_inverse_roots(const float* numbers, std::size_t count, float* roots);
}  // namespace baseline
namespace avx2 {
void square_roots(const float* numbers, std::size_t count, float* roots);
void rough_inverse_roots(const float* numbers, std::size_t count, float* roots);
}  // namespace avx2
namespace avx512 {
void square_roots(const float* numbers, std::size_t count, float* roots);
void rough_inverse_roots(const float* numbers, std::size_t count, float* roots);
void refined_roots(const float* numbers, const float* inverse_roots, std::size_t count, float* roots);
}  // namespace avx512

}  // namespace meteor
