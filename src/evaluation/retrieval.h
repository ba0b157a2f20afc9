#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "config/settings.h"
#include "evaluation/context_scores.h"
#include "evaluation/newcomers.h"
#include "learning/shard.h"
#include "learning/window_start.h"
#include "model/model.h"

namespace meteor {

/// Where the true unit stands among its candidates, summed over queries.
struct RankSums {
  double reciprocal_ranks = 0;
  double hits_at_1 = 0;
  double hits_at_5 = 0;
  double rare_reciprocal_ranks = 0;

  void add(double rank, bool rare);
  RankSums& operator+=(const RankSums& other);
  bool operator==(const RankSums& other) const = default;
};

/// What came of queries, by both ways of scoring.
struct RetrievalScore {
  std::uint64_t queries = 0;
  std::uint64_t rare_queries = 0;  ///< about units that had hardly been seen
  std::uint64_t left_out = 0;      ///< for want of candidates; not among the queries
  RankSums pooled;
  RankSums mean;

  /// One more query, with the rank of its true unit by either.
  void add_ranks(double by_pooled, double by_mean, bool rare = false);
  RetrievalScore& operator+=(const RetrievalScore& other);
  bool operator==(const RetrievalScore& other) const = default;

  const RankSums& by(Scoring scoring) const { return scoring == Scoring::pooled ? pooled : mean; }
  double mrr(Scoring scoring) const { return share(by(scoring).reciprocal_ranks, queries); }
  double mrr_rare(Scoring scoring) const { return share(by(scoring).rare_reciprocal_ranks, rare_queries); }
  double recall_at_1(Scoring scoring) const { return share(by(scoring).hits_at_1, queries); }
  double recall_at_5(Scoring scoring) const { return share(by(scoring).hits_at_5, queries); }

 private:
  static double share(double sum, std::uint64_t count) { return count > 0 ? sum / static_cast<double>(count) : 0; }
};

/// The rank of the first score among all of them; equal scores share the mean of their ranks.
double rank_of_first(std::span<const FitScores> scores, Scoring scoring);

/// A unit that a query is about: a slot of the window or, from there on, a unit of the vocabulary.
using Place = std::uint64_t;

/// Says how well units fit a record.
class CandidateScorer {
 public:
  virtual ~CandidateScorer() = default;
  /// The queries that follow are about units of this record, its slots.
  virtual void look_at(std::span<const std::uint32_t> record) = 0;
  /// Scores a unit of the record, then the others, each given the record without that unit.
  virtual void score(std::uint32_t slot, std::span<const Place> others, std::span<FitScores> scores) = 0;
};

/// What is asked in a window, whoever answers. Every unit of a target attribute is a query: it is ranked among
/// `candidates` units of its attribute that the record does not hold. They are drawn by how often they occur in the
/// window or, where `vocabulary` gives the attributes of all units that are known, evenly from these. A record's
/// queries are the same in whatever part of the window it is.
struct RetrievalTask {
  const WindowUnits& units;
  std::span<const AttributeSettings> attributes;
  std::size_t candidates = 10;
  std::uint64_t seed = 1;
  std::span<const std::uint32_t> seen = {};  ///< of each slot how many records held its unit before; empty: many
  std::optional<std::span<const AttributeId>> vocabulary = {};
};
RetrievalScore retrieve(const RetrievalTask& task, const Shard& records, CandidateScorer& scorer);

/// A query: a unit of a record, and others that the record does not hold.
struct Query {
  std::size_t record;  ///< of these records
  std::uint32_t slot;
  std::span<const Place> others;
};
/// Shows all queries, those of a record after each other, and returns how many were left out because there is no
/// candidate: their true unit could only be ranked first.
std::uint64_t for_each_query(const RetrievalTask& task, const Shard& records,
                             const std::function<void(const Query&)>& show);

/// Tests a part of a window that is not yet learnt by embeddings, as ContextScores scores them and, where they are
/// given, with what is known of newcomers. Candidates are those of the window or, where `vocabulary` is given, of all
/// units that this model knows.
RetrievalScore retrieve(const Shard& records, const WindowUnits& units, const WindowStart& start,
                        const Model* vocabulary, std::span<const AttributeSettings> attributes, std::size_t candidates,
                        std::uint64_t seed, std::span<const std::uint32_t> seen = {},
                        const Newcomers* newcomers = nullptr);

/// A unit seen in fewer records is rare.
inline constexpr std::uint32_t kRareBelow = 10;

}  // namespace meteor
