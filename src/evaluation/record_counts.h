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
  /// How much more often the two come together than chance would have it: their records over those expected,
  /// n(a)·n(b)/N, with κ added to both; 0 without any sign of them. κ keeps few records from saying much.
  double lift(UnitId a, UnitId b, double kappa) const;

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
  void score(std::uint32_t slot, std::span<const Place> others, std::span<FitScores> scores) override;

 private:
  const WindowUnits& units_;
  const RecordCounts& counts_;
};

/// Scores a candidate by its lifts with the units of the rest of the record.
class LiftScorer : public CandidateScorer {
 public:
  LiftScorer(const WindowUnits& units, const RecordCounts& counts, double kappa)
      : units_(units), counts_(counts), kappa_(kappa) {}
  void look_at(std::span<const std::uint32_t> record) override { record_ = record; }
  void score(std::uint32_t slot, std::span<const Place> others, std::span<FitScores> scores) override;

 protected:
  /// How well a candidate fits the record without one of its units.
  virtual double fit(UnitId candidate, std::uint32_t left_out) const = 0;

  const WindowUnits& units_;
  const RecordCounts& counts_;
  double kappa_;
  std::span<const std::uint32_t> record_;
};

/// Their mean: over the units of each attribute, then over these.
class MeanLiftScorer final : public LiftScorer {
 public:
  using LiftScorer::LiftScorer;

 private:
  double fit(UnitId candidate, std::uint32_t left_out) const override;
};

/// Their product, as if each unit of the record had come for reasons of its own (naive Bayes). Candidates are drawn by
/// how often they are seen, so that how often that is says nothing about them.
class BayesScorer final : public LiftScorer {
 public:
  using LiftScorer::LiftScorer;

 private:
  double fit(UnitId candidate, std::uint32_t left_out) const override;
};

}  // namespace meteor
