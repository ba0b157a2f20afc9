// Compiled once for each instruction set; includes nothing with inline functions that other sources share (see
// cmake/MeteorTargets.cmake).
#include "kernels/combine_rows.h"
#include "kernels/lanes.h"

namespace meteor::METEOR_KERNEL_VARIANT {
namespace {

/// The sum of 16·N columns from `column` on, kept in registers.
template <int N>
void combine_columns(const RowCombination& c, std::size_t column) {
  Lanes sums[N];
  for (Lanes& sum : sums) sum = broadcast(0.0F);
  const float* row = c.rows + column;
  for (std::size_t k = 0; k < c.count; ++k, row += c.stride) {
    const Lanes weight = broadcast(c.weights[k]);
    for (int j = 0; j < N; ++j) sums[j] = multiply_add(weight, load_anywhere(row + 16 * j), sums[j]);
  }
  for (int j = 0; j < N; ++j) store_anywhere(c.out + column + 16 * j, sums[j]);
}

}  // namespace

void combine_rows(const RowCombination& combination) {
  std::size_t column = 0;
  for (; column + 64 <= combination.width; column += 64) combine_columns<4>(combination, column);
  for (; column + 16 <= combination.width; column += 16) combine_columns<1>(combination, column);
  for (; column < combination.width; ++column) {
    float sum = 0;
    for (std::size_t k = 0; k < combination.count; ++k) {
      sum += combination.weights[k] * combination.rows[k * combination.stride + column];
    }
    combination.out[column] = sum;
  }
}

}  // namespace meteor::METEOR_KERNEL_VARIANT
