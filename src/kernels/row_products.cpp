#include "kernels/row_products.h"

#include <cassert>

#include "kernels/best_set.h"
#include "kernels/padded_rows.h"

namespace meteor {

void row_products(const AlignedRows& left, const AlignedRows& right, float* out) {
  assert(left.width() == right.width());
  const PaddedRows a{left.data(), left.rows(), left.stride()};
  const PaddedRows b{right.data(), right.rows(), right.stride()};
  METEOR_BEST(row_products)(a, b, left.stride(), out);
}

}  // namespace meteor
