#include "kernels/multiply_rows.h"

#include <cassert>

#include "kernels/instruction_set.h"
#include "kernels/padded_rows.h"

namespace meteor {

void multiply_rows(const AlignedRows& weights, RowRange range, const AlignedRows& rows, AlignedRows& out,
                   std::size_t to, std::size_t columns) {
  assert(weights.width() == rows.rows() && rows.width() == out.width() && to + range.count <= out.rows());
  assert(columns <= rows.width());
  const std::size_t width = padded_width(columns);
  const PaddedRows left{weights.data() + range.first * weights.stride(), range.count, weights.stride()};
  const PaddedRows right{rows.data(), rows.rows(), rows.stride()};
  float* const first = out.data() + to * out.stride();
  switch (best_instruction_set()) {
#ifdef METEOR_X86_KERNELS
    case InstructionSet::avx512:
      return avx512::multiply_rows(left, right, width, first);
    case InstructionSet::avx2:
      return avx2::multiply_rows(left, right, width, first);
#endif
    default:
      return baseline::multiply_rows(left, right, width, first);
  }
}

}  // namespace meteor
