#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compression/matrix.h"
#include "config/settings.h"

namespace meteor {

/// How many of K basis vectors each cluster gets: in proportion to its units (Eq. 8), or the same for all. At least
/// one, at most as many as the cluster has units, and at most the dimension.
std::vector<std::uint32_t> allocate_basis(std::span<const std::uint32_t> cluster_sizes, double total,
                                          BasisSharing sharing, std::size_t dimension);

/// The `count` leading right singular vectors of the points, one a row: the basis that loses least of them.
RowMatrix leading_directions(const RowMatrix& points, std::size_t count);
/// The same of points times their weights.
RowMatrix leading_directions(RowMatrix points, std::span<const float> weights, std::size_t count);

}  // namespace meteor
