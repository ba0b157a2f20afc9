#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/stream_learner.h"
#include "evaluation/record_counts.h"

namespace meteor {

/// How counts rank candidates, and what is added to those of pairs.
struct CountedBy {
  enum class Kind { popularity, lift, bayes };
  Kind kind = Kind::popularity;
  double kappa = 0;
};

/// Counts instead of learning, in this process alone: what a learner must beat to be worth its time.
class Counting final : public StreamLearner {
 public:
  /// `settings` must outlive it.
  Counting(CountedBy by, const Settings& settings)
      : by_(by), settings_(settings), counts_(by.kind != CountedBy::Kind::popularity) {}

  WindowReport learn(const ReadWindow& read, bool asks, const std::function<bool()>& abandon) override;
  void compress() override {}
  void catch_up() override {}
  std::vector<UnitId> forget_unseen(std::uint64_t /*first_window*/, WindowReport& /*report*/) override {
    throw std::logic_error("counts are not forgotten");
  }
  std::size_t units() const override { return counts_.units(); }
  ModelSize size() const override;

  const RecordCounts& counts() const { return counts_; }

 private:
  std::unique_ptr<CandidateScorer> scorer(const WindowUnits& units) const;
  RetrievalScore test(const ReadWindow& read) const;

  CountedBy by_;
  const Settings& settings_;
  RecordCounts counts_;
  std::vector<AttributeId> attributes_;  // of each unit
};

}  // namespace meteor
