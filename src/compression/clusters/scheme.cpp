#include <algorithm>
#include <limits>

#include "compression/clusters/fit_clusters.h"
#include "compression/clusters/subspace.h"
#include "compression/kmeans.h"
#include "compression/schemes.h"
#include "compression/uncompressed/uncompressed.h"
#include "model/valid_numbers.h"

namespace meteor {
namespace {

std::unique_ptr<Embeddings> fit(const FitTask& task) {
  const Settings& settings = task.settings;
  return fit_clusters(task.pretrained, space_of(task.pretrained), task.categories, settings.attributes,
                      settings.compression, settings.learning.seed, task.workers);
}

/// Where new units of every attribute can go.
void require_clusters(std::span<const std::uint16_t> attribute_of_cluster, std::size_t attributes) {
  std::vector<bool> has_cluster(attributes);
  for (const std::uint16_t attribute : attribute_of_cluster) {
    require_valid(attribute < attributes, "a cluster belongs to an attribute that does not exist");
    has_cluster[attribute] = true;
  }
  require_valid(std::ranges::find(has_cluster, false) == has_cluster.end(), "an attribute has no cluster");
}

std::unique_ptr<Embeddings> rebuild(const StoredEmbeddings& stored) {
  const auto sizes = find_array(stored.arrays, "embeddings/clusters/basis_vectors").as<std::uint32_t>();
  const std::uint64_t vectors = find_array(stored.arrays, "embeddings/basis_accumulator").elements();
  require_valid(find_array(stored.arrays, "embeddings/basis").is_matrix(vectors, stored.dimension),
                "array embeddings/basis does not have a row of floats for every basis vector");
  for (const std::uint32_t size : sizes) {
    require_valid(size >= 1, "a cluster has no basis vector");
    require_valid(size <= std::min<std::uint64_t>(stored.dimension, std::numeric_limits<std::uint16_t>::max()),
                  "a cluster has more basis vectors than dimensions");
  }
  require_clusters(find_array(stored.arrays, "embeddings/clusters/attribute").as<std::uint16_t>(),
                   stored.settings.attributes.size());
  const auto lambda = static_cast<float>(stored.settings.compression.lambda);
  return std::make_unique<Clustered>(stored.dimension, lambda, stored.arrays);
}

}  // namespace

const Scheme& clusters_scheme() {
  static const Scheme scheme{
      fit, rebuild, {&kNearestCentroids, &kNearestSubspaces, &kFitSubspace, &kFitCluster, &kRefitCluster}};
  return scheme;
}

}  // namespace meteor
