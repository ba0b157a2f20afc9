#pragma once

#include "support/aligned_rows.h"

namespace meteor {

/// The dot products of every row of `left` with every row of `right`, which are of the same width: entry (i, j) goes to
/// out[i * right.rows() + j]. Runs on the best instruction set that this machine has.
void row_products(const AlignedRows& left, const AlignedRows& right, float* out);

}  // namespace meteor
