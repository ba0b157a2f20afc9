#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "config/settings.h"
#include "learning/shard.h"
#include "learning/window_start.h"
#include "model/model.h"

namespace meteor {

/// Where the true unit stands among its candidates, summed over queries.
struct RetrievalScore {
  std::uint64_t queries = 0;
  double reciprocal_ranks = 0;
  double hits_at_1 = 0;
  double hits_at_5 = 0;
  std::uint64_t rare_queries = 0;  ///< about units that had hardly been seen
  double rare_reciprocal_ranks = 0;

  void add_rank(double rank, bool rare = false);
  RetrievalScore& operator+=(const RetrievalScore& other);
  double mrr() const { return mean(reciprocal_ranks); }
  double mrr_rare() const { return rare_queries > 0 ? rare_reciprocal_ranks / static_cast<double>(rare_queries) : 0; }
  double recall_at_1() const { return mean(hits_at_1); }
  double recall_at_5() const { return mean(hits_at_5); }

 private:
  double mean(double sum) const { return queries > 0 ? sum / static_cast<double>(queries) : 0; }
};

/// The rank of the first score among all of them; equal scores share the mean of their ranks.
double rank_of_first(std::span<const double> scores);

/// A unit that a query is about: a slot of the window or, from there on, a unit of the vocabulary.
using Place = std::uint64_t;

/// Says how well units fit a record.
class CandidateScorer {
 public:
  virtual ~CandidateScorer() = default;
  /// The queries that follow are about units of this record, its slots.
  virtual void look_at(std::span<const std::uint32_t> record) = 0;
  /// Scores a unit of the record, then the others, each given the record without that unit.
  virtual void score(std::uint32_t slot, std::span<const Place> others, std::span<double> scores) = 0;
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
  std::span<const std::uint8_t> rare = {};  ///< of each slot whether its unit had hardly been seen; empty: of none
  std::optional<std::span<const AttributeId>> vocabulary = {};
};
RetrievalScore retrieve(const RetrievalTask& task, const Shard& records, CandidateScorer& scorer);

/// Tests a part of a window that is not yet learnt by embeddings: a candidate's score is its cosine with the mean of
/// each attribute in the rest of the record, averaged over these attributes. Units of which nothing is known score
/// zero. Candidates are those of the window or, where `vocabulary` is given, of all units that this model knows.
RetrievalScore retrieve(const Shard& records, const WindowUnits& units, const WindowStart& start,
                        const Model* vocabulary, std::span<const AttributeSettings> attributes, std::size_t candidates,
                        std::uint64_t seed, std::span<const std::uint8_t> rare = {});

/// A unit seen in fewer records is rare.
inline constexpr std::uint32_t kRareBelow = 10;

}  // namespace meteor
