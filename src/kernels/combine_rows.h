#pragma once

#include <cstddef>

namespace meteor {

/// A weighted sum of rows that lie `stride` floats apart: out[i] = Σ weights[k]·rows[k·stride + i] for i below `width`,
/// in the order of k. Nothing needs to be aligned.
struct RowCombination {
  const float* weights;
  std::size_t count;
  const float* rows;
  std::size_t stride;
  std::size_t width;
  float* out;
};

/// Runs on the best instruction set that this machine has. avx2 and avx512 give the same bits.
void combine_rows(const RowCombination& combination);

namespace baseline {
void combine_rows(const RowCombination& combination);
}
namespace avx2 {
void combine_rows(const RowCombination& combination);
}
namespace avx512 {
void combine_rows(const RowCombination& combination);
}

}  // namespace meteor
