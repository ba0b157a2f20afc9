#include "compression/baselines/shared_vectors.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "compression/gather_rows.h"
#include "compression/kmeans.h"
#include "model/drop_units.h"
#include "model/unit_blocks.h"
#include "model/valid_numbers.h"

namespace meteor {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// The places of each attribute's units in the update.
std::vector<std::vector<std::size_t>> places_by_attribute(const WindowUpdate& update, std::size_t attributes) {
  std::vector<std::vector<std::size_t>> places(attributes);
  for (std::size_t i = 0; i < update.units.size(); ++i) places[index(update.attributes[i])].push_back(i);
  return places;
}

std::vector<std::uint32_t> wide(const Array& numbers) {
  if (numbers.type == ElementType::u16) {
    const auto narrow = numbers.as<std::uint16_t>();
    return {narrow.begin(), narrow.end()};
  }
  const auto all = numbers.as<std::uint32_t>();
  return {all.begin(), all.end()};
}

}  // namespace

SharedVectors::SharedVectors(VectorChoice choice, RowMatrix vectors, std::vector<std::uint32_t> ends,
                             std::vector<std::uint32_t> vector_of)
    : choice_(choice), vectors_(std::move(vectors)), ends_(std::move(ends)), vector_of_(std::move(vector_of)) {}

SharedVectors::SharedVectors(VectorChoice choice, std::span<const Array> arrays)
    : SharedVectors(choice, matrix_of(find_array(arrays, "embeddings/vectors")),
                    wide(find_array(arrays, "embeddings/vector_end")),
                    wide(find_array(arrays, "embeddings/vector_of"))) {
  require_valid_numbers({vectors_.data(), static_cast<std::size_t>(vectors_.size())}, "embeddings/vectors");
  const auto count = static_cast<std::size_t>(vectors_.rows());
  const bool ascend = std::adjacent_find(ends_.begin(), ends_.end(), std::greater_equal<>()) == ends_.end();
  if (ends_.empty() || ends_.front() == 0 || !ascend || ends_.back() != count) {
    throw StorageError("array embeddings/vector_end does not share out the vectors among the attributes");
  }
  if (std::any_of(vector_of_.begin(), vector_of_.end(), [&](std::uint32_t vector) { return vector >= count; })) {
    throw StorageError("array embeddings/vector_of names a vector that does not exist");
  }
  require_hashed(first_units(units()));
}

AttributeId SharedVectors::attribute_of(std::uint32_t vector) const {
  return static_cast<AttributeId>(std::upper_bound(ends_.begin(), ends_.end(), vector) - ends_.begin());
}

void SharedVectors::require_hashed(std::span<const UnitId> units) const {
  for (const UnitId unit : units) {
    const std::size_t attribute = index(attribute_of(vector_of(unit)));
    if (choice_ == VectorChoice::hashed &&
        vector_of(unit) != hashed_vector(unit, begin_of(attribute), ends_[attribute]))
      throw StorageError("a unit has another vector than that which its number says");
  }
}

void SharedVectors::decode(std::span<const UnitId> units, AlignedRows& rows) const {
  for (std::size_t i = 0; i < units.size(); ++i) {
    const float* const from = vectors_.row(vector_of(units[i])).data();
    std::copy(from, from + vectors_.cols(), rows.row(i).begin());
  }
}

CompressionOutcome SharedVectors::absorb(const WindowUpdate& update, const UnitFacts& facts, BlockWorkers& workers) {
  refuse_broken(update.window, update.units, update.rows);
  const std::size_t known = units();
  vector_of_.resize(facts.attributes.size(), kNone);
  const std::vector<std::uint32_t> moved =
      choice_ == VectorChoice::hashed ? move_hashed(update, known) : move_nearest(update, known, workers);

  CompressionOutcome outcome;
  const ConstRows rows = rows_of(update.rows);
  std::vector<std::uint32_t> chosen;
  for (std::size_t i = 0; i < update.units.size(); ++i) {
    chosen.push_back(vector_of(update.units[i]));
    const auto row = rows.row(static_cast<Eigen::Index>(i));
    outcome.squared_error += (row - vectors_.row(chosen.back())).squaredNorm();
    outcome.squared_norm += row.squaredNorm();
  }
  RowMatrix moved_rows(static_cast<Eigen::Index>(moved.size()), vectors_.cols());
  for (std::size_t i = 0; i < moved.size(); ++i) moved_rows.row(static_cast<Eigen::Index>(i)) = vectors_.row(moved[i]);
  outcome.changes = {own_array("changed/vector_of", std::move(chosen)), own_array("moved/vector", moved),
                     own_rows("moved/row", std::move(moved_rows))};
  return outcome;
}

std::vector<std::uint32_t> SharedVectors::move_hashed(const WindowUpdate& update, std::size_t known) {
  struct Step {
    double weight = 0;         // Σc
    double square_weight = 0;  // Σc²
    Eigen::RowVectorXd sum;
  };
  std::vector<Step> steps(static_cast<std::size_t>(vectors_.rows()));
  const ConstRows rows = rows_of(update.rows);
  for (std::size_t i = 0; i < update.units.size(); ++i) {
    const std::size_t attribute = index(update.attributes[i]);
    const bool fresh = index(update.units[i]) >= known;
    std::uint32_t& vector = vector_of_[index(update.units[i])];
    if (fresh) vector = hashed_vector(update.units[i], begin_of(attribute), ends_[attribute]);
    Step& step = steps[vector];
    if (step.weight == 0) step.sum.setZero(vectors_.cols());
    const double weight = std::max(1U, update.counts[i]);
    step.weight += weight;
    step.square_weight += weight * weight;
    step.sum += weight * rows.row(static_cast<Eigen::Index>(i)).cast<double>();
    if (!fresh) step.sum -= weight * vectors_.row(vector).cast<double>();  // new units came from next to zero
  }
  std::vector<std::uint32_t> moved;
  for (std::uint32_t v = 0; v < steps.size(); ++v) {
    const Step& step = steps[v];
    if (step.weight == 0) continue;
    moved.push_back(v);
    const double sharers = step.weight * step.weight / step.square_weight;
    vectors_.row(v) += (step.sum * (std::sqrt(sharers) / step.weight)).cast<float>();
  }
  return moved;
}

std::vector<std::uint32_t> SharedVectors::move_nearest(const WindowUpdate& update, std::size_t known,
                                                       BlockWorkers& workers) {
  std::vector<std::uint32_t> staying(static_cast<std::size_t>(vectors_.rows()));  // units that sit at the centroid
  for (std::size_t i = 0; i < known; ++i) ++staying[vector_of_[i]];
  for (const UnitId unit : update.units) {
    if (index(unit) < known) --staying[vector_of(unit)];
  }
  std::vector<std::vector<std::size_t>> joining(staying.size());  // places in the update
  const auto by_attribute = places_by_attribute(update, attributes());
  for (std::size_t a = 0; a < by_attribute.size(); ++a) {
    if (by_attribute[a].empty()) continue;
    const RowMatrix rows = gather_rows(update.rows, by_attribute[a]);
    const NearestCentroids nearest =
        nearest_centroids(rows, vectors_.middleRows(begin_of(a), ends_[a] - begin_of(a)), workers);
    const auto size_of = [&](std::uint32_t v) { return staying[v] + joining[v].size(); };
    for (std::size_t k = 0; k < by_attribute[a].size(); ++k) {
      joining[begin_of(a) + nearest.cluster_of[k]].push_back(by_attribute[a][k]);
    }
    std::vector<std::size_t> farthest(by_attribute[a].size());
    std::iota(farthest.begin(), farthest.end(), std::size_t{0});
    std::stable_sort(farthest.begin(), farthest.end(),
                     [&](std::size_t x, std::size_t y) { return nearest.distance[x] > nearest.distance[y]; });
    auto candidate = farthest.begin();
    for (std::uint32_t v = begin_of(a); v < ends_[a]; ++v) {
      if (size_of(v) > 0) continue;
      while (candidate != farthest.end() && size_of(begin_of(a) + nearest.cluster_of[*candidate]) < 2) ++candidate;
      if (candidate == farthest.end()) break;
      std::erase(joining[begin_of(a) + nearest.cluster_of[*candidate]], by_attribute[a][*candidate]);
      joining[v].push_back(by_attribute[a][*candidate++]);
    }
  }
  const ConstRows rows = rows_of(update.rows);
  std::vector<std::uint32_t> moved;
  for (std::uint32_t v = 0; v < joining.size(); ++v) {
    if (joining[v].empty()) continue;
    moved.push_back(v);
    Eigen::RowVectorXd sum = static_cast<double>(staying[v]) * vectors_.row(v).cast<double>();
    for (const std::size_t place : joining[v]) {
      sum += rows.row(static_cast<Eigen::Index>(place)).cast<double>();
      vector_of_[index(update.units[place])] = v;
    }
    vectors_.row(v) = (sum / static_cast<double>(staying[v] + joining[v].size())).cast<float>();
  }
  return moved;
}

void SharedVectors::follow(std::span<const UnitId> units, std::span<const Array> changes) {
  const auto chosen = find_array(changes, "changed/vector_of").as<std::uint32_t>();
  const auto moved = find_array(changes, "moved/vector").as<std::uint32_t>();
  const auto rows = matrix_of(find_array(changes, "moved/row"));
  const auto exists = [&](std::uint32_t vector) { return vector < static_cast<std::size_t>(vectors_.rows()); };
  if (chosen.size() != units.size() || !std::all_of(chosen.begin(), chosen.end(), exists)) {
    throw StorageError("array changed/vector_of does not name a vector for every unit");
  }
  if (static_cast<std::size_t>(rows.rows()) != moved.size() || rows.cols() != vectors_.cols() ||
      !std::all_of(moved.begin(), moved.end(), exists)) {
    throw StorageError("array moved/row does not have a row for every vector that moved");
  }
  require_valid_numbers({rows.data(), static_cast<std::size_t>(rows.size())}, "moved/row");
  const std::size_t known = vector_of_.size();
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (index(units[i]) >= vector_of_.size()) vector_of_.resize(index(units[i]) + 1, kNone);
    vector_of_[index(units[i])] = chosen[i];
  }
  if (std::find(vector_of_.begin() + static_cast<std::ptrdiff_t>(known), vector_of_.end(), kNone) != vector_of_.end()) {
    throw StorageError("a new unit has no vector");
  }
  require_hashed(units);
  for (std::size_t i = 0; i < moved.size(); ++i) vectors_.row(moved[i]) = rows.row(static_cast<Eigen::Index>(i));
}

bool SharedVectors::forget(std::span<const UnitId> units, const UnitFacts& /*left*/, BlockWorkers& /*workers*/) {
  if (choice_ == VectorChoice::hashed) throw std::logic_error("hashed units cannot be forgotten");
  drop_units(vector_of_, units);
  return false;
}

std::size_t SharedVectors::choice_bytes() const {
  if (choice_ == VectorChoice::hashed) return 0;
  return vectors_.rows() <= std::numeric_limits<std::uint16_t>::max() ? sizeof(std::uint16_t) : sizeof(std::uint32_t);
}

std::uint64_t SharedVectors::bytes() const {
  return static_cast<std::uint64_t>(vectors_.size()) * sizeof(float) + ends_.size() * sizeof(std::uint32_t) +
         units() * choice_bytes();
}

std::vector<Array> SharedVectors::arrays() const {
  const Purpose purpose = choice_ == VectorChoice::hashed ? Purpose::description : Purpose::decoding;
  Array chosen =
      choice_bytes() == sizeof(std::uint16_t)
          ? own_array("embeddings/vector_of", std::vector<std::uint16_t>(vector_of_.begin(), vector_of_.end()), purpose)
          : view_array<std::uint32_t>("embeddings/vector_of", vector_of_, purpose);
  return {view_array<std::uint32_t>("embeddings/vector_end", ends_), std::move(chosen),
          view_rows("embeddings/vectors", vectors_)};
}

}  // namespace meteor
