// Compiled once for each instruction set; includes nothing with inline functions that other sources share (see
// cmake/MeteorTargets.cmake).
#include "kernels/lanes.h"
#include "kernels/padded_rows.h"

namespace meteor::METEOR_KERNEL_VARIANT {
namespace {

constexpr int kRows = 6;  // whose sums are in registers at once, for a strip of columns
#ifdef __AVX512F__
constexpr int kStrip = 4;  // columns of 16
#else
constexpr int kStrip = 1;
#endif

/// R rows of the result, 16·N columns from `column` on, kept in registers.
template <int R, int N>
void tile(PaddedRows weights, std::size_t i, PaddedRows rows, std::size_t column, float* out) {
  Lanes sums[R][N];
  for (auto& row : sums) {
    for (Lanes& sum : row) sum = broadcast(0.0F);
  }
  const float* weight = weights.data + i * weights.stride;
  const float* row = rows.data + column;
  for (std::size_t k = 0; k < rows.rows; ++k, row += rows.stride) {
    Lanes values[N];
    for (int n = 0; n < N; ++n) values[n] = load(row + 16 * n);
    for (int r = 0; r < R; ++r) {
      const Lanes w = broadcast(weight[r * weights.stride + k]);
      for (int n = 0; n < N; ++n) sums[r][n] = multiply_add(w, values[n], sums[r][n]);
    }
  }
  for (int r = 0; r < R; ++r) {
    for (int n = 0; n < N; ++n) store(out + (i + r) * rows.stride + column + 16 * n, sums[r][n]);
  }
}

/// All rows of a strip of columns, which stays in the cache meanwhile.
template <int N>
void strip(PaddedRows weights, PaddedRows rows, std::size_t column, float* out) {
  std::size_t i = 0;
  for (; i + kRows <= weights.rows; i += kRows) tile<kRows, N>(weights, i, rows, column, out);
  for (; i + 2 <= weights.rows; i += 2) tile<2, N>(weights, i, rows, column, out);
  for (; i < weights.rows; ++i) tile<1, N>(weights, i, rows, column, out);
}

}  // namespace

void multiply_rows(PaddedRows weights, PaddedRows rows, std::size_t width, float* out) {
  std::size_t column = 0;
  for (; column + 16 * kStrip <= width; column += 16 * kStrip) strip<kStrip>(weights, rows, column, out);
  switch ((width - column) / 16) {
    case 3:
      return strip<3>(weights, rows, column, out);
    case 2:
      return strip<2>(weights, rows, column, out);
    case 1:
      return strip<1>(weights, rows, column, out);
    default:
      return;
  }
}

}  // namespace meteor::METEOR_KERNEL_VARIANT
