#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "compression/matrix.h"
#include "config/settings.h"
#include "model/block_work.h"
#include "support/ids.h"

namespace meteor {

/// Units that share a basis.
struct Cluster {
  AttributeId attribute{};
  CategoryKey category = CategoryKey::none;  ///< units of this category belong here
  RowMatrix basis;                           ///< a vector a row
  Eigen::VectorXf accumulators;              ///< AdaGrad's state of each basis vector, one number
};

/// Steps of basis vectors, each coordinate in eight bits with a scale a vector: a quarter of the bytes to send. The
/// basis itself takes the very same steps. A basis that is kept in bytes has to stay on them: of its vectors not the
/// step is told but what they became.
struct BasisMoves {
  std::vector<std::uint32_t> vectors;
  std::vector<float> scales;
  std::vector<std::uint8_t> steps;  ///< signed, a row a vector
};

/// Gives a basis vector such a step.
void move_vector(Eigen::Ref<Eigen::RowVectorXf> vector, float scale, std::span<const std::uint8_t> step,
                 Precision precision = Precision::float32);

/// What new rows of a cluster's units come to.
struct ClusterRefit {
  RowMatrix codes;  ///< a row a unit
  BasisMoves moves;
  double squared_error = 0;
  double squared_norm = 0;
};

enum class BasisStep { stay, move };

/// Some of the rows that a cluster is refitted to, `count` from `begin` on.
using RowsOfUnits = std::function<RowMatrix(std::size_t begin, std::size_t count)>;

/// Solves the codes of `units` rows (Eq. 9), first giving the basis a step towards them if it may move, and rounds both
/// to the precision in which they are kept. A step that is infinite or not a number has a scale that is, for the caller
/// to find.
ClusterRefit refit_cluster(Cluster& cluster, std::size_t units, const RowsOfUnits& rows, float lambda,
                           BasisStep basis_step, Precision precision = Precision::float32);

/// What all blocks of clusters share: λ and the precision of what is kept.
std::vector<Array> shared_refit_settings(float lambda, Precision precision);
float shared_lambda(std::span<const Array> shared);
Precision shared_precision(std::span<const Array> shared);

/// Rounds each row to what bytes can say, if that is the precision.
void round_rows(RowMatrix& rows, Precision precision);

/// What that costs, in multiplications more or less.
double refit_cost(std::size_t units, std::size_t vectors, std::size_t dimension);

/// The same as a computation on a block: from the cluster's `basis` and `accumulator` and its units' new `rows` the
/// `codes`, the `accumulator`, the basis' moves (`vector`, `scale`, `step`) and the `error` and norm, squared. A basis
/// vector that is not finite has a scale that is not.
extern const BlockJob kRefitCluster;

/// What shared_refit_settings() gave; it may come from a message.
void require_refit_settings(std::span<const Array> shared);

}  // namespace meteor
