#include "compression/baselines/fit_shared_vectors.h"

#include <algorithm>
#include <cmath>

#include "compression/gather_rows.h"
#include "compression/kmeans.h"
#include "model/unit_blocks.h"

namespace meteor {
namespace {

constexpr std::uint64_t kSharedVectors = 0x736861726564;  // keeps this stream apart from all others
constexpr int kIterations = 10;                           // of k-means: clusters are a few units each

/// The vectors of one attribute, and which one each of its units has.
Clustering hashed_means(const Model& model, const RowMatrix& rows, std::span<const UnitId> units, std::uint32_t count) {
  Clustering shared{RowMatrix::Zero(count, rows.cols()), {}};
  std::vector<double> weights(count);
  RowMatrix& means = shared.centroids;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::uint32_t vector = hashed_vector(units[i], 0, count);
    const double weight = std::max(1U, model.counts[index(units[i])]);
    weights[vector] += weight;
    means.row(vector) += static_cast<float>(weight) * rows.row(static_cast<Eigen::Index>(i));
    shared.cluster_of.push_back(vector);
  }
  for (std::uint32_t v = 0; v < count; ++v) {
    if (weights[v] > 0) means.row(v) /= static_cast<float>(weights[v]);
  }
  return shared;
}

}  // namespace

std::unique_ptr<SharedVectors> fit_shared_vectors(VectorChoice choice, const Model& pretrained,
                                                  const Uncompressed& space, std::size_t attributes, double share,
                                                  std::uint64_t seed, BlockWorkers& workers) {
  std::vector<std::uint32_t> ends;
  std::vector<std::uint32_t> vector_of(pretrained.units());
  std::vector<RowMatrix> parts;
  std::uint32_t begin = 0;
  for (std::size_t a = 0; a < attributes; ++a) {
    const std::vector<UnitId> units = units_of(pretrained, static_cast<AttributeId>(a));
    const auto count = static_cast<std::uint32_t>(std::max(1.0, std::ceil(share * static_cast<double>(units.size()))));
    Clustering shared{RowMatrix::Zero(count, pretrained.dimension), {}};
    if (!units.empty()) {
      const RowMatrix rows = gather_rows(space, units);
      Random random{seed, kSharedVectors, a};
      shared = choice == VectorChoice::hashed ? hashed_means(pretrained, rows, units, count)
                                              : kmeans(rows, count, random, workers, kIterations);
    }
    for (std::size_t i = 0; i < units.size(); ++i) vector_of[index(units[i])] = begin + shared.cluster_of[i];
    parts.push_back(std::move(shared.centroids));
    ends.push_back(begin += count);
  }
  RowMatrix vectors(begin, pretrained.dimension);
  for (std::size_t a = 0; a < attributes; ++a)
    vectors.middleRows(ends[a] - parts[a].rows(), parts[a].rows()) = parts[a];
  return std::make_unique<SharedVectors>(choice, std::move(vectors), std::move(ends), std::move(vector_of));
}

}  // namespace meteor
