#pragma once

#include <cstddef>

namespace meteor {

/// Floats that a kernel handles together. Embedding rows are padded with zeros to a multiple of it.
inline constexpr std::size_t kLaneCount = 16;

constexpr std::size_t padded_width(std::size_t dimension) {
  return (dimension + kLaneCount - 1) / kLaneCount * kLaneCount;
}

/// Rows that start `stride` floats apart at multiples of 64 bytes, padded with zeros to `width`, a multiple of 16.
struct PaddedRows {
  const float* data;
  std::size_t rows;
  std::size_t stride;
};

namespace baseline {
void row_products(PaddedRows left, PaddedRows right, std::size_t width, float* out);
void multiply_rows(PaddedRows weights, PaddedRows rows, std::size_t width, float* out);
}  // namespace baseline
namespace avx2 {
void row_products(PaddedRows left, PaddedRows right, std::size_t width, float* out);
void multiply_rows(PaddedRows weights, PaddedRows rows, std::size_t width, float* out);
}  // namespace avx2
namespace avx512 {
void row_products(PaddedRows left, PaddedRows right, std::size_t width, float* out);
void multiply_rows(PaddedRows weights, PaddedRows rows, std::size_t width, float* out);
}  // namespace avx512

}  // namespace meteor
