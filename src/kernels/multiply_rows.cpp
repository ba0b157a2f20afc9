#include "kernels/multiply_rows.h"

#include <cassert>

#include "kernels/best_set.h"
#include "kernels/padded_rows.h"

namespace meteor {

void multiply_rows(const AlignedRows& weights, RowRange range, const AlignedRows& rows, AlignedRows& out,
                   std::size_t to) {
  assert(weights.width() == rows.rows() && rows.width() == out.width() && to + range.count <= out.rows());
  const PaddedRows left{weights.data() + range.first * weights.stride(), range.count, weights.stride()};
  const PaddedRows right{rows.data(), rows.rows(), rows.stride()};
  float* const first = out.data() + to * out.stride();
  METEOR_BEST(multiply_rows)(left, right, rows.stride(), first);
}

}  // namespace meteor
