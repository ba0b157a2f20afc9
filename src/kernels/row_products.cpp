#include "kernels/row_products.h"

#include <cassert>

#include "kernels/instruction_set.h"
#include "kernels/padded_rows.h"

namespace meteor {

void row_products(const AlignedRows& left, const AlignedRows& right, float* out) {
  assert(left.width() == right.width());
  const PaddedRows a{left.data(), left.rows(), left.stride()};
  const PaddedRows b{right.data(), right.rows(), right.stride()};
  switch (best_instruction_set()) {
#ifdef METEOR_X86_KERNELS
    case InstructionSet::avx512:
      return avx512::row_products(a, b, left.stride(), out);
    case InstructionSet::avx2:
      return avx2::row_products(a, b, left.stride(), out);
#endif
    default:
      return baseline::row_products(a, b, left.stride(), out);
  }
}

}  // namespace meteor
