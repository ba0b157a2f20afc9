#include "compression/gather_rows.h"

#include <fmt/format.h>

#include "support/finite.h"

namespace meteor {

RowMatrix gather_rows(const AlignedRows& rows, std::span<const std::size_t> places) {
  RowMatrix gathered(static_cast<Eigen::Index>(places.size()), static_cast<Eigen::Index>(rows.width()));
  const ConstRows all = rows_of(rows);
  for (std::size_t i = 0; i < places.size(); ++i) {
    gathered.row(static_cast<Eigen::Index>(i)) = all.row(static_cast<Eigen::Index>(places[i]));
  }
  return gathered;
}

AlignedRows aligned_rows_of(const Eigen::Ref<const RowMatrix>& points) {
  AlignedRows rows(static_cast<std::size_t>(points.rows()), static_cast<std::size_t>(points.cols()));
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    std::copy_n(points.row(static_cast<Eigen::Index>(i)).data(), rows.width(), rows.row(i).begin());
  }
  return rows;
}

void refuse_broken(std::uint64_t window, std::span<const UnitId> units, const AlignedRows& rows) {
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (all_finite(rows.row(i))) continue;
    throw NumericError(fmt::format("window {}: the embedding of unit {} is not finite", window, index(units[i])));
  }
}

}  // namespace meteor
