#pragma once

#include <cstddef>

#include "support/aligned_rows.h"

namespace meteor {

struct RowRange {
  std::size_t first;
  std::size_t count;
};

/// Row to + i of `out` = Σ_k weights(first + i, k) · row k of `rows`, summed in the order of k, whatever is computed
/// together with it. `out` is as wide as `rows`. Runs on the best instruction set that this machine has; avx2 and
/// avx512 give the same bits.
void multiply_rows(const AlignedRows& weights, RowRange range, const AlignedRows& rows, AlignedRows& out,
                   std::size_t to);

}  // namespace meteor
