// Compiled once for each instruction set; includes nothing with inline functions that other sources share (see
// cmake/MeteorTargets.cmake).
#include "kernels/dot_tile.h"
#include "kernels/padded_rows.h"

namespace meteor::METEOR_KERNEL_VARIANT {
namespace {

constexpr int kTileRows = 2;
constexpr std::size_t kColumnBlock = 48;  // rows of `right` that stay in the cache while all of `left` passes

/// The products of one tile, which may be smaller than A × B at the edges.
template <int A, int B>
void tile(PaddedRows left, std::size_t i, PaddedRows right, std::size_t j, std::size_t width, float* out) {
  const float* a[A];
  const float* b[B];
  for (int k = 0; k < A; ++k) a[k] = left.data + (i + k) * left.stride;
  for (int k = 0; k < B; ++k) b[k] = right.data + (j + k) * right.stride;
  float products[A * B];
  dot_tile<A, B>(a, b, width, products);
  for (int row = 0; row < A; ++row) {
    for (int column = 0; column < B; ++column) out[(i + row) * right.rows + j + column] = products[row * B + column];
  }
}

template <int A>
void strip(PaddedRows left, std::size_t i, PaddedRows right, std::size_t begin, std::size_t end, std::size_t width,
           float* out) {
  std::size_t j = begin;
  for (; j + kTileColumns <= end; j += kTileColumns) tile<A, kTileColumns>(left, i, right, j, width, out);
  for (; j < end; ++j) tile<A, 1>(left, i, right, j, width, out);
}

}  // namespace

void row_products(PaddedRows left, PaddedRows right, std::size_t width, float* out) {
  for (std::size_t begin = 0; begin < right.rows; begin += kColumnBlock) {
    const std::size_t end = begin + kColumnBlock < right.rows ? begin + kColumnBlock : right.rows;
    std::size_t i = 0;
    for (; i + kTileRows <= left.rows; i += kTileRows) strip<kTileRows>(left, i, right, begin, end, width, out);
    for (; i < left.rows; ++i) strip<1>(left, i, right, begin, end, width, out);
  }
}

}  // namespace meteor::METEOR_KERNEL_VARIANT
