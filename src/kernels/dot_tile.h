#pragma once

#include <cstddef>

#include "kernels/lanes.h"

namespace meteor::METEOR_KERNEL_VARIANT {

/// The dot products of A rows with B rows, to out[a * B + b]. Each is summed in the same order whatever the tile.
template <int A, int B>
inline void dot_tile(const float* const* left, const float* const* right, std::size_t width, float* out) {
  Lanes sum[A][B];
  for (int a = 0; a < A; ++a) {
    for (int b = 0; b < B; ++b) sum[a][b] = broadcast(0.0F);
  }
  for (std::size_t i = 0; i < width; i += kLaneCount) {
    Lanes r[B];
    for (int b = 0; b < B; ++b) r[b] = load(right[b] + i);
    for (int a = 0; a < A; ++a) {
      const Lanes l = load(left[a] + i);
      for (int b = 0; b < B; ++b) sum[a][b] = multiply_add(l, r[b], sum[a][b]);
    }
  }
  for (int a = 0; a < A; ++a) {
    for (int b = 0; b < B; ++b) out[a * B + b] = horizontal_sum(sum[a][b]);
  }
}

}  // namespace meteor::METEOR_KERNEL_VARIANT
