#include <algorithm>
#include <cmath>
#include <numeric>

#include "compression/clusters/clustered.h"
#include "compression/clusters/scaled_bytes.h"
#include "model/unit_blocks.h"
#include "model/valid_numbers.h"
#include "support/bfloat16.h"

namespace meteor {
namespace {

/// The bases end to end, as the precision has it.
std::vector<Array> basis_arrays(std::span<const Cluster> clusters, std::size_t dimension, Precision precision) {
  std::vector<float> numbers;
  for (const Cluster& cluster : clusters) {
    numbers.insert(numbers.end(), cluster.basis.data(), cluster.basis.data() + cluster.basis.size());
  }
  const std::size_t vectors = numbers.size() / dimension;
  std::vector<Array> all;
  if (precision == Precision::int8) {
    std::vector<std::uint8_t> bytes(numbers.size());
    std::vector<std::uint16_t> scales;
    for (std::size_t v = 0; v < vectors; ++v) {
      const auto vector = std::span(numbers).subspan(v * dimension, dimension);
      scales.push_back(byte_scale(vector));
      write_bytes(vector, scales.back(), std::span(bytes).subspan(v * dimension, dimension));
    }
    all.push_back(own_array("embeddings/basis_scale", std::move(scales)));
    all.push_back(own_array("embeddings/basis", std::move(bytes)));
  } else {
    all.push_back(own_array("embeddings/basis", std::move(numbers)));
  }
  all.back().shape = {vectors, dimension};
  return all;
}

/// The numbers of such arrays.
std::vector<float> basis_numbers(std::span<const Array> arrays, std::size_t dimension, Precision precision) {
  const Array& basis = find_array(arrays, "embeddings/basis");
  if (precision == Precision::float32) {
    const auto numbers = basis.as<float>();
    return {numbers.begin(), numbers.end()};
  }
  const auto bytes = basis.as<std::uint8_t>();
  const auto scales = find_array(arrays, "embeddings/basis_scale").as<std::uint16_t>();
  if (bytes.size() != scales.size() * dimension) throw StorageError("there is not one scale for every basis vector");
  std::vector<float> numbers(bytes.size());
  for (std::size_t v = 0; v < scales.size(); ++v) {
    if (!std::isfinite(from_bfloat16(scales[v]))) throw StorageError("the scale of a basis vector is not finite");
    read_bytes(bytes.subspan(v * dimension, dimension), scales[v],
               std::span(numbers).subspan(v * dimension, dimension));
  }
  return numbers;
}

}  // namespace

std::vector<Array> Clustered::arrays() const {
  std::vector<std::uint16_t> attributes;
  std::vector<std::uint64_t> categories;
  std::vector<std::uint32_t> sizes;
  std::vector<float> accumulators;
  for (const Cluster& cluster : clusters_) {
    attributes.push_back(static_cast<std::uint16_t>(cluster.attribute));
    categories.push_back(static_cast<std::uint64_t>(cluster.category));
    sizes.push_back(static_cast<std::uint32_t>(cluster.basis.rows()));
    accumulators.insert(accumulators.end(), cluster.accumulators.data(),
                        cluster.accumulators.data() + cluster.accumulators.size());
  }
  static_assert(sizeof(ClusterId) == sizeof(std::uint32_t));
  std::vector<Array> all;
  all.push_back({"embeddings/cluster", ElementType::u32, {units()}, cluster_of_.data()});
  for (Array& array : codes_.arrays("embeddings/", first_units(units()))) all.push_back(std::move(array));
  all.push_back(own_array("embeddings/clusters/attribute", std::move(attributes)));
  all.push_back(own_array("embeddings/clusters/category", std::move(categories)));
  all.push_back(own_array("embeddings/clusters/basis_vectors", std::move(sizes)));
  for (Array& array : basis_arrays(clusters_, dimension_, precision_)) all.push_back(std::move(array));
  all.push_back(own_array("embeddings/basis_accumulator", std::move(accumulators)));
  return all;
}

Clustered::Clustered(std::size_t dimension, float lambda, std::span<const Array> arrays)
    : dimension_(dimension),
      lambda_(lambda),
      precision_(find_array(arrays, "embeddings/basis").type == ElementType::u8 ? Precision::int8 : Precision::float32),
      codes_(precision_) {
  const auto attributes = find_array(arrays, "embeddings/clusters/attribute").as<std::uint16_t>();
  const auto categories = find_array(arrays, "embeddings/clusters/category").as<std::uint64_t>();
  const auto sizes = find_array(arrays, "embeddings/clusters/basis_vectors").as<std::uint32_t>();
  const std::vector<float> bases = basis_numbers(arrays, dimension, precision_);
  const auto accumulators = find_array(arrays, "embeddings/basis_accumulator").as<float>();
  const std::uint64_t vectors = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  const std::size_t count = attributes.size();
  if (categories.size() != count || sizes.size() != count || bases.size() != vectors * dimension ||
      accumulators.size() != vectors) {
    throw StorageError("the arrays of clusters do not fit together");
  }
  require_valid_numbers(bases, "embeddings/basis");
  require_valid_numbers(accumulators, "embeddings/basis_accumulator");
  if (std::any_of(accumulators.begin(), accumulators.end(), [](float sum) { return sum < 0; }))
    throw StorageError("the accumulator of a basis vector is less than nothing");
  const auto d = static_cast<Eigen::Index>(dimension);
  std::size_t first = 0;
  for (std::size_t c = 0; c < count; ++c) {
    const auto rows = static_cast<Eigen::Index>(sizes[c]);
    clusters_.push_back({static_cast<AttributeId>(attributes[c]), static_cast<CategoryKey>(categories[c]),
                         Eigen::Map<const RowMatrix>(bases.data() + first * dimension, rows, d),
                         Eigen::Map<const Eigen::VectorXf>(accumulators.data() + first, rows)});
    first += sizes[c];
  }
  number_vectors();
  std::vector<std::uint32_t> code_sizes;
  for (std::uint32_t cluster : find_array(arrays, "embeddings/cluster").as<std::uint32_t>()) {
    if (cluster >= count) throw StorageError("a unit belongs to a cluster that does not exist");
    cluster_of_.push_back(static_cast<ClusterId>(cluster));
    code_sizes.push_back(sizes[cluster]);
  }
  codes_.grow(units());
  codes_.take_over("embeddings/", arrays, first_units(units()), code_sizes);
  require_small_products(first_units(units()));
}

void Clustered::require_small_products(std::span<const UnitId> units) const {
  std::vector<Eigen::VectorXd> largest;  // number of each basis vector, by cluster
  for (const Cluster& cluster : clusters_) {
    largest.emplace_back(cluster.basis.cwiseAbs().rowwise().maxCoeff().cast<double>());
  }
  Eigen::VectorXf code;
  for (const UnitId unit : units) {
    const Eigen::VectorXd& of_cluster = largest[index(cluster_of(unit))];
    code.resize(of_cluster.size());
    codes_.get(unit, {code.data(), static_cast<std::size_t>(code.size())});
    if (!(code.cwiseAbs().cast<double>().dot(of_cluster) <= kLargestNumber)) {
      throw StorageError("the code of a unit stands for numbers that are not finite, or too large");
    }
  }
}

void Clustered::follow(std::span<const UnitId> units, std::span<const Array> changes) {
  const auto newcomers = find_array(changes, "changed/new_cluster").as<std::uint32_t>();
  for (const std::uint32_t cluster : newcomers) {
    if (cluster >= clusters_.size()) throw StorageError("a new unit belongs to a cluster that does not exist");
    cluster_of_.push_back(static_cast<ClusterId>(cluster));
  }
  codes_.grow(cluster_of_.size());
  std::vector<std::uint32_t> code_sizes;
  for (UnitId unit : units) {
    if (index(unit) >= cluster_of_.size()) throw StorageError("a unit that changed does not exist");
    code_sizes.push_back(static_cast<std::uint32_t>(clusters_[index(cluster_of(unit))].basis.rows()));
  }
  codes_.take_over("changed/", changes, units, code_sizes);

  const auto vectors = find_array(changes, "moved/vector").as<std::uint32_t>();
  const auto scales = find_array(changes, "moved/scale").as<float>();
  const auto steps = find_array(changes, "moved/step").as<std::uint8_t>();
  if (scales.size() != vectors.size() || steps.size() != vectors.size() * dimension_) {
    throw StorageError("the arrays of basis vectors that moved do not fit together");
  }
  require_valid_numbers(scales, "moved/scale");
  std::size_t cluster = 0;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    if (vectors[i] >= vector_count() || (i > 0 && vectors[i] <= vectors[i - 1])) {
      throw StorageError("array moved/vector does not name basis vectors in their order");
    }
    while (cluster + 1 < clusters_.size() && vectors[i] >= first_vectors_[cluster + 1]) ++cluster;
    move_vector(clusters_[cluster].basis.row(vectors[i] - first_vectors_[cluster]), scales[i],
                steps.subspan(i * dimension_, dimension_), precision_);
  }
}

}  // namespace meteor
