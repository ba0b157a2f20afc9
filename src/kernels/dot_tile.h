#pragma once

#include <cstddef>

#include "kernels/lanes.h"

namespace meteor::METEOR_KERNEL_VARIANT {

/// N sums of lanes.
template <int N>
inline void horizontal_sums_of(const Lanes* sums, float* out) {
  int done = 0;
  for (; done + 4 <= N; done += 4) horizontal_sums(sums + done, out + done);
  for (; done < N; ++done) out[done] = horizontal_sum(sums[done]);
}

/// The dot products of A rows with B rows, to out[a * B + b]. Each is summed in the same order whatever the tile.
template <int A, int B>
inline void dot_tile(const float* const* left, const float* const* right, std::size_t width, float* out) {
  Lanes sums[A * B];
  for (Lanes& sum : sums) sum = broadcast(0.0F);
  for (std::size_t i = 0; i < width; i += kLaneCount) {
    Lanes r[B];
    for (int b = 0; b < B; ++b) r[b] = load(right[b] + i);
    for (int a = 0; a < A; ++a) {
      const Lanes l = load(left[a] + i);
      for (int b = 0; b < B; ++b) sums[a * B + b] = multiply_add(l, r[b], sums[a * B + b]);
    }
  }
  horizontal_sums_of<A * B>(sums, out);
}

}  // namespace meteor::METEOR_KERNEL_VARIANT
