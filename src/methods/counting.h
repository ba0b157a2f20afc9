#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "evaluation/record_counts.h"
#include "methods/stream_learner.h"

namespace meteor {

enum class CountedBy { popularity, lift };

/// Counts instead of learning, in this process alone: what a learner must beat to be worth its time.
class Counting final : public StreamLearner {
 public:
  /// `settings` must outlive it.
  Counting(CountedBy kind, const Settings& settings)
      : kind_(kind), settings_(settings), counts_(kind == CountedBy::lift) {}

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
  RetrievalScore test(const ReadWindow& read) const;

  CountedBy kind_;
  const Settings& settings_;
  RecordCounts counts_;
  std::vector<AttributeId> attributes_;  // of each unit
};

}  // namespace meteor
