#include "compression/clusters/cluster_refit.h"

#include <algorithm>
#include <cmath>

#include "compression/block_checks.h"
#include "compression/clusters/lasso.h"
#include "compression/clusters/scaled_bytes.h"
#include "support/bfloat16.h"

namespace meteor {
namespace {

constexpr float kBasisRate = 0.03F;
constexpr float kBasisEpsilon = 1e-8F;  // a finite rate for vectors that have met no error yet
constexpr float kSmallestMove = 1e-3F;  // of a vector's largest coordinate
constexpr float kNoMove = 1e-30F;       // whatever the vector
constexpr std::size_t kSolvedTogether = 512;

/// The codes of all rows over a basis.
RowMatrix solve_codes(const RowMatrix& basis, const RowMatrix& rows, float lambda) {
  return lasso(row_products(basis, basis), row_products(rows, basis), lambda);
}

std::span<float> numbers_of(RowMatrix& rows, Eigen::Index row) {
  return {rows.row(row).data(), static_cast<std::size_t>(rows.cols())};
}

/// Subtracts a step from each vector of a basis and rounds it to bytes; tells which came to others.
BasisMoves move_basis_in_bytes(RowMatrix& basis, const RowMatrix& steps) {
  BasisMoves moves;
  RowMatrix next = basis - steps;
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(basis.cols()));
  for (Eigen::Index v = 0; v < basis.rows(); ++v) {
    const std::uint16_t scale = byte_scale(numbers_of(next, v));
    if (std::isfinite(from_bfloat16(scale))) {
      round_to_bytes(numbers_of(next, v));
      if (next.row(v) == basis.row(v)) continue;
      write_bytes(numbers_of(next, v), scale, bytes);
    }
    basis.row(v) = next.row(v);
    moves.vectors.push_back(static_cast<std::uint32_t>(v));
    moves.scales.push_back(from_bfloat16(scale));
    moves.steps.insert(moves.steps.end(), bytes.begin(), bytes.end());
  }
  return moves;
}

/// Subtracts a step from each vector of a basis, in eight bits, and tells which moved how. A vector whose step would be
/// lost in its last digits stays.
BasisMoves move_basis(RowMatrix& basis, const RowMatrix& steps) {
  BasisMoves moves;
  std::vector<std::uint8_t> step(static_cast<std::size_t>(basis.cols()));
  for (Eigen::Index v = 0; v < basis.rows(); ++v) {
    const float largest = steps.row(v).cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
    if (largest <= std::max(kNoMove, kSmallestMove * basis.row(v).cwiseAbs().maxCoeff())) continue;
    const float scale = largest / 127;
    for (Eigen::Index i = 0; i < basis.cols(); ++i) {
      const float exact = std::isfinite(scale) ? steps(v, i) / scale : 0;
      step[static_cast<std::size_t>(i)] =
          static_cast<std::uint8_t>(static_cast<int>(exact + (exact < 0 ? -0.5F : 0.5F)));
    }
    move_vector(basis.row(v), scale, step);
    moves.vectors.push_back(static_cast<std::uint32_t>(v));
    moves.scales.push_back(scale);
    moves.steps.insert(moves.steps.end(), step.begin(), step.end());
  }
  return moves;
}

}  // namespace

void move_vector(Eigen::Ref<Eigen::RowVectorXf> vector, float scale, std::span<const std::uint8_t> step,
                 Precision precision) {
  for (std::size_t i = 0; i < step.size(); ++i) {
    float& number = vector[static_cast<Eigen::Index>(i)];
    const float told = scale * static_cast<float>(static_cast<std::int8_t>(step[i]));
    number = precision == Precision::int8 ? told : number - told;
  }
}

void round_rows(RowMatrix& rows, Precision precision) {
  for (Eigen::Index i = 0; precision == Precision::int8 && i < rows.rows(); ++i) round_to_bytes(numbers_of(rows, i));
}

std::vector<Array> shared_refit_settings(float lambda, Precision precision) {
  return {own_array("lambda", std::vector<float>{lambda}),
          own_array("precision", std::vector<std::uint8_t>{static_cast<std::uint8_t>(precision)})};
}

float shared_lambda(std::span<const Array> shared) { return find_array(shared, "lambda").as<float>()[0]; }

Precision shared_precision(std::span<const Array> shared) {
  return static_cast<Precision>(find_array(shared, "precision").as<std::uint8_t>()[0]);
}

ClusterRefit refit_cluster(Cluster& cluster, std::size_t units, const RowsOfUnits& rows, float lambda,
                           BasisStep basis_step, Precision precision) {
  round_rows(cluster.basis, precision);
  // Solves the codes, some at a time so that little memory is needed, and hands them on with what they miss.
  const auto encode = [&](auto&& use) {
    for (std::size_t begin = 0; begin < units; begin += kSolvedTogether) {
      const RowMatrix targets = rows(begin, std::min(kSolvedTogether, units - begin));
      RowMatrix codes = solve_codes(cluster.basis, targets, lambda);
      round_rows(codes, precision);
      use(begin, targets, codes, row_combinations(codes, cluster.basis) - targets);
    }
  };
  ClusterRefit refit;
  // AdaGrad, a unit a step: the gradient that unit x gives basis vector j is 2·w_xj·e_x.
  RowMatrix gradient = RowMatrix::Zero(cluster.basis.rows(), cluster.basis.cols());
  const auto dimension = static_cast<float>(cluster.basis.cols());
  encode([&](auto, const RowMatrix&, const RowMatrix& codes, const RowMatrix& errors) {
    const Eigen::VectorXf mean_squares = errors.rowwise().squaredNorm() / dimension;
    cluster.accumulators += 4.0F * codes.cwiseAbs2().transpose() * mean_squares;
    if (basis_step == BasisStep::move) gradient += 2.0F * row_combinations(codes.transpose(), errors);
  });
  if (basis_step == BasisStep::move) {
    // Eigen's own rsqrt starts from an approximation that differs between makers of processors.
    const auto rate = [](float sum) { return kBasisRate / std::sqrt(sum + kBasisEpsilon); };
    const Eigen::VectorXf rates = cluster.accumulators.unaryExpr(rate);
    const RowMatrix steps = rates.asDiagonal() * gradient;
    refit.moves =
        precision == Precision::int8 ? move_basis_in_bytes(cluster.basis, steps) : move_basis(cluster.basis, steps);
  }
  refit.codes.resize(static_cast<Eigen::Index>(units), cluster.basis.rows());
  encode([&](std::size_t begin, const RowMatrix& targets, const RowMatrix& codes, const RowMatrix& errors) {
    refit.codes.middleRows(static_cast<Eigen::Index>(begin), codes.rows()) = codes;
    refit.squared_error += errors.squaredNorm();
    refit.squared_norm += targets.squaredNorm();
  });
  return refit;
}

double refit_cost(std::size_t units, std::size_t vectors, std::size_t dimension) {
  const auto n = static_cast<double>(units);
  const auto r = static_cast<double>(vectors);
  const auto d = static_cast<double>(dimension);
  return n * r * (4 * d + 8 * r) + r * r * (2 * d + r) + 1e5;  // a block as such costs some microseconds
}

void require_refit_settings(std::span<const Array> shared) {
  so_many<float>(1, shared, "lambda");
  require_of("precision",
             so_many<std::uint8_t>(1, shared, "precision")[0] <= static_cast<std::uint8_t>(Precision::int8),
             "names none");
}

namespace {

std::vector<Array> refit_cluster_block(std::span<const Array> block, std::span<const Array> shared) {
  const auto all = matrix_of(find_array(block, "rows"));
  Cluster cluster;
  cluster.basis = matrix_of(find_array(block, "basis"));
  cluster.accumulators = matrix_of(find_array(block, "accumulator"));
  const auto rows = [&](std::size_t begin, std::size_t count) -> RowMatrix {
    return all.middleRows(static_cast<Eigen::Index>(begin), static_cast<Eigen::Index>(count));
  };
  ClusterRefit refit = refit_cluster(cluster, static_cast<std::size_t>(all.rows()), rows, shared_lambda(shared),
                                     BasisStep::move, shared_precision(shared));
  return {own_rows("codes", std::move(refit.codes)),
          own_rows("accumulator", cluster.accumulators),
          own_array("vector", std::move(refit.moves.vectors)),
          own_array("scale", std::move(refit.moves.scales)),
          own_array("step", std::move(refit.moves.steps)),
          own_array("error", std::vector<float>{static_cast<float>(refit.squared_error),
                                                static_cast<float>(refit.squared_norm)})};
}

void require_cluster(std::span<const Array> block, std::span<const Array> shared, std::size_t dimension) {
  require_of("rows", count_rows(block, "rows", dimension) > 0, "has no row");
  const std::size_t vectors = count_rows(block, "basis", dimension);
  require_of("basis", vectors >= 1 && vectors <= dimension, "has no vector, or more than dimensions");
  require_matrix(block, "accumulator", vectors, 1);
  require_refit_settings(shared);
}

void require_refit(const BlockOutline& block, std::span<const Array> /*shared*/, std::span<const Array> result) {
  require_matrix(result, "accumulator", block.vectors, 1);
  require_matrix(result, "codes", block.rows, block.vectors);
  so_many<float>(2, result, "error");
  const auto moved = find_array(result, "vector").as<std::uint32_t>();
  require_below(moved, block.vectors, "vector");
  require_of("vector", std::ranges::adjacent_find(moved, std::greater_equal<>()) == moved.end(), "does not ascend");
  so_many<float>(moved.size(), result, "scale");
  so_many<std::uint8_t>(moved.size() * block.width, result, "step");
}

}  // namespace

const BlockJob kRefitCluster{"refit cluster", refit_cluster_block, require_cluster, require_refit};

}  // namespace meteor
