#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "evaluation/retrieval.h"
#include "model/array.h"
#include "model/window.h"

namespace meteor {

/// How many records held each unit and, if asked for, each pair of units: what can be known of a stream without
/// learning.
class RecordCounts {
 public:
  explicit RecordCounts(bool of_pairs) : of_pairs_(of_pairs) {}

  void add(const Window& window);

  std::uint64_t records() const { return records_; }
  std::size_t units() const { return counts_.size(); }
  /// 0 for units that have not been seen.
  std::uint32_t of(UnitId unit) const { return index(unit) < counts_.size() ? counts_[index(unit)] : 0; }
  std::uint32_t of(UnitId a, UnitId b) const;
  /// How much more often the two come together than chance would have it: P(a, b)/(P(a)·P(b)). 0 for units not seen.
  double lift(UnitId a, UnitId b) const;

  /// The content; pairs in ascending order.
  std::vector<Array> arrays() const;
  std::uint64_t bytes() const;
  /// What one more unit would add: its count, and as many pairs as units have on average.
  double bytes_per_new_unit() const;

 private:
  static std::uint64_t key(UnitId a, UnitId b);

  bool of_pairs_;
  std::uint64_t records_ = 0;
  std::vector<std::uint32_t> counts_;
  std::unordered_map<std::uint64_t, std::uint32_t> pairs_;  // by the lower unit in the upper half, the higher one below
};

/// Scores a candidate by how often it was seen, whatever the record.
class PopularityScorer final : public CandidateScorer {
 public:
  PopularityScorer(const WindowUnits& units, const RecordCounts& counts) : units_(units), counts_(counts) {}
  void look_at(std::span<const std::uint32_t> /*record*/) override {}
  void score(std::uint32_t slot, std::span<const Place> others, std::span<double> scores) override;

 private:
  const WindowUnits& units_;
  const RecordCounts& counts_;
};

/// Scores a candidate by its mean lift with the units of the rest of the record: of each attribute, then over these.
class LiftScorer final : public CandidateScorer {
 public:
  LiftScorer(const WindowUnits& units, const RecordCounts& counts) : units_(units), counts_(counts) {}
  void look_at(std::span<const std::uint32_t> record) override { record_ = record; }
  void score(std::uint32_t slot, std::span<const Place> others, std::span<double> scores) override;

 private:
  double fit(UnitId candidate, std::uint32_t left_out) const;

  const WindowUnits& units_;
  const RecordCounts& counts_;
  std::span<const std::uint32_t> record_;
};

}  // namespace meteor
