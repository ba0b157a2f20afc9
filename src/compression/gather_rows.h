#pragma once

#include <cstdint>
#include <span>

#include "compression/matrix.h"
#include "support/ids.h"

namespace meteor {

/// Some rows, in the order asked for.
RowMatrix gather_rows(const AlignedRows& rows, std::span<const std::size_t> places);
/// A matrix as rows that kernels take.
AlignedRows aligned_rows_of(const Eigen::Ref<const RowMatrix>& points);

/// Throws NumericError if a row of the window is not finite: what has been compressed cannot tell any more.
void refuse_broken(std::uint64_t window, std::span<const UnitId> units, const AlignedRows& rows);

}  // namespace meteor
