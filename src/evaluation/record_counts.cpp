#include "evaluation/record_counts.h"

#include <algorithm>
#include <cmath>

namespace meteor {
namespace {

UnitId unit_at(const WindowUnits& units, Place place) {
  return place < units.size() ? units.units[place] : UnitId{static_cast<std::uint32_t>(place - units.size())};
}

/// Counts know one way of scoring.
FitScores either_way(double score) { return {score, score}; }

}  // namespace

std::uint64_t RecordCounts::key(UnitId a, UnitId b) {
  const UnitId low = std::min(a, b);
  const UnitId high = std::max(a, b);
  return (std::uint64_t{index(low)} << 32) | index(high);
}

void RecordCounts::add(const Window& window) {
  for (std::size_t r = 0; r < window.records(); ++r) {
    const auto record = window.record(r);
    ++records_;
    for (std::size_t i = 0; i < record.size(); ++i) {
      if (index(record[i]) >= counts_.size()) counts_.resize(index(record[i]) + 1);
      ++counts_[index(record[i])];
      for (std::size_t k = 0; of_pairs_ && k < i; ++k) ++pairs_[key(record[k], record[i])];
    }
  }
}

std::uint32_t RecordCounts::of(UnitId a, UnitId b) const {
  const auto found = pairs_.find(key(a, b));
  return found != pairs_.end() ? found->second : 0;
}

double RecordCounts::lift(UnitId a, UnitId b, double kappa) const {
  const double together = of(a, b) + kappa;
  if (together == 0) return 0;
  const double expected =
      static_cast<double>(of(a)) * of(b) / static_cast<double>(std::max<std::uint64_t>(1, records_));
  return together / (expected + kappa);
}

std::vector<Array> RecordCounts::arrays() const {
  std::vector<std::uint64_t> keys;
  keys.reserve(pairs_.size());
  for (const auto& pair : pairs_) keys.push_back(pair.first);
  std::sort(keys.begin(), keys.end());
  std::vector<std::uint32_t> together;
  together.reserve(keys.size());
  for (const std::uint64_t pair : keys) together.push_back(pairs_.at(pair));
  return {own_array("counts/pair", std::move(keys)), own_array("counts/together", std::move(together)),
          view_array<std::uint32_t>("counts/unit", counts_)};
}

std::uint64_t RecordCounts::bytes() const {
  return units() * sizeof(std::uint32_t) + pairs_.size() * (sizeof(std::uint64_t) + sizeof(std::uint32_t));
}

double RecordCounts::bytes_per_new_unit() const {
  return units() > 0 ? static_cast<double>(bytes()) / static_cast<double>(units()) : sizeof(std::uint32_t);
}

void PopularityScorer::score(std::uint32_t slot, std::span<const Place> others, std::span<FitScores> scores) {
  scores[0] = either_way(counts_.of(units_.units[slot]));
  for (std::size_t c = 0; c < others.size(); ++c) scores[c + 1] = either_way(counts_.of(unit_at(units_, others[c])));
}

double MeanLiftScorer::fit(UnitId candidate, std::uint32_t left_out) const {
  std::vector<double> sums(units_.attribute_ends.size());
  std::vector<double> sizes(sums.size());
  for (const std::uint32_t slot : record_) {
    if (slot == left_out) continue;
    const std::size_t attribute = index(units_.attribute_of(slot));
    sums[attribute] += counts_.lift(candidate, units_.units[slot], kappa_);
    sizes[attribute] += 1;
  }
  double total = 0;
  for (std::size_t a = 0; a < sums.size(); ++a) total += sizes[a] > 0 ? sums[a] / sizes[a] : 0;
  return total;
}

double BayesScorer::fit(UnitId candidate, std::uint32_t left_out) const {
  double sum = 0;
  for (const std::uint32_t slot : record_) {
    if (slot != left_out) sum += std::log(counts_.lift(candidate, units_.units[slot], kappa_));
  }
  return sum;
}

void LiftScorer::score(std::uint32_t slot, std::span<const Place> others, std::span<FitScores> scores) {
  scores[0] = either_way(fit(units_.units[slot], slot));
  for (std::size_t c = 0; c < others.size(); ++c) scores[c + 1] = either_way(fit(unit_at(units_, others[c]), slot));
}

}  // namespace meteor
