#include "compression/principal_axes.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "compression/gather_rows.h"
#include "compression/matrix.h"
#include "kernels/multiply_rows.h"
#include "kernels/quantise.h"
#include "kernels/row_products.h"
#include "support/threads.h"

namespace meteor {
namespace {

constexpr std::size_t kBlockUnits = 16384;
constexpr std::size_t kColumns = 512;   // points whose transposed rows stay in the cache
constexpr std::size_t kTogether = 256;  // rows that are turned in one go

Eigen::MatrixXd moments_of(const Uncompressed& space, const UnitFacts& facts, BlockWorkers& workers) {
  std::vector<WorkBlock> blocks;
  for (std::size_t begin = 0; begin < space.units(); begin += kBlockUnits) {
    const std::size_t end = std::min(begin + kBlockUnits, space.units());
    const auto make = [&space, &facts, begin, end]() -> std::vector<Array> {
      std::vector<UnitId> units;
      std::vector<float> weights;
      for (std::size_t i = begin; i < end; ++i) {
        units.push_back(UnitId{static_cast<std::uint32_t>(i)});
        weights.push_back(static_cast<float>(weight_of(facts.counts[i])));
      }
      return {own_rows("points", gather_rows(space, units)), own_array("weight", std::move(weights))};
    };
    blocks.push_back({{}, static_cast<double>(end - begin), make});
  }
  const auto results = workers.share_out(std::move(blocks))->map(BlockJob::spectral_moments, {});
  const auto d = static_cast<Eigen::Index>(space.dimension());
  Eigen::MatrixXd moments = Eigen::MatrixXd::Zero(d, d);
  for (const auto& result : results) moments += matrix_of(find_array(result, "moments")).cast<double>();
  return moments;
}

}  // namespace

double weight_of(std::uint32_t count) { return std::sqrt(std::sqrt(static_cast<double>(std::max(count, 1U)))); }

RowMatrix weighed_moments(const AlignedRows& points, std::span<const float> weights) {
  const auto d = static_cast<Eigen::Index>(points.width());
  RowMatrix moments = RowMatrix::Zero(d, d);
  RowMatrix of_some(d, d);
  for (std::size_t begin = 0; begin < points.rows(); begin += kColumns) {
    const std::size_t count = std::min(kColumns, points.rows() - begin);
    AlignedRows columns(points.width(), count);
    for (std::size_t i = 0; i < count; ++i) {
      const float* const point = points.row(begin + i).data();
      const double energy = squared_norm(point, nullptr, points.stride());
      const auto scale = energy > 0 ? static_cast<float>(std::sqrt(weights[begin + i] / energy)) : 0.0F;
      for (std::size_t k = 0; k < points.width(); ++k) columns.row(k)[i] = point[k] * scale;
    }
    row_products(columns, columns, of_some.data());
    moments += of_some;
  }
  return moments;
}

AlignedRows turn_to_axes_of(const Eigen::MatrixXd& moments) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(moments);
  const RowMatrix axes = solver.eigenvectors().rowwise().reverse().cast<float>();  // a column each
  AlignedRows turn(static_cast<std::size_t>(axes.rows()), static_cast<std::size_t>(axes.cols()));
  for (std::size_t k = 0; k < turn.rows(); ++k) {
    std::copy_n(axes.row(static_cast<Eigen::Index>(k)).data(), turn.width(), turn.row(k).begin());
  }
  return turn;
}

void turn_rows(AlignedRows& rows, const AlignedRows& turn) {
  AlignedRows some(std::min(kTogether, rows.rows()), rows.width());  // all of them might take much memory
  for (std::size_t begin = 0; begin < rows.rows(); begin += kTogether) {
    const std::size_t count = std::min(kTogether, rows.rows() - begin);
    multiply_rows(rows, {begin, count}, turn, some, 0);
    std::copy_n(some.data(), count * some.stride(), rows.row(begin).data());
  }
}

AlignedRows turn_to_principal_axes(Uncompressed& space, const UnitFacts& facts, BlockWorkers& workers) {
  AlignedRows turn = turn_to_axes_of(moments_of(space, facts, workers));
  share_work(workers.threads(), (space.units() + kTogether - 1) / kTogether, [&](std::size_t block) {
    const std::size_t begin = block * kTogether;
    std::vector<UnitId> units;
    for (std::size_t i = begin; i < std::min(begin + kTogether, space.units()); ++i) {
      units.push_back(UnitId{static_cast<std::uint32_t>(i)});
    }
    AlignedRows rows(units.size(), space.dimension());
    space.decode(units, rows);
    turn_rows(rows, turn);
    for (std::size_t i = 0; i < units.size(); ++i) std::ranges::copy(rows.row(i), space.row(units[i]).begin());
  });
  return turn;
}

}  // namespace meteor
