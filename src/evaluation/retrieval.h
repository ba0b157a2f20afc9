#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "config/settings.h"
#include "learning/shard.h"
#include "model/model.h"

namespace meteor {

/// Where the true unit stands among its candidates, summed over queries.
struct RetrievalScore {
  std::uint64_t queries = 0;
  double reciprocal_ranks = 0;
  double hits_at_1 = 0;
  double hits_at_5 = 0;

  void add_rank(double rank);
  RetrievalScore& operator+=(const RetrievalScore& other);
  double mrr() const { return mean(reciprocal_ranks); }
  double recall_at_1() const { return mean(hits_at_1); }
  double recall_at_5() const { return mean(hits_at_5); }

 private:
  double mean(double sum) const { return queries > 0 ? sum / static_cast<double>(queries) : 0; }
};

/// The rank of the first score among all of them; equal scores share the mean of their ranks.
double rank_of_first(std::span<const double> scores);

/// Tests a window that the model has not learnt. Every unit of a target attribute is a query: among `candidates` units
/// of its attribute that the record does not hold, scored by their cosine with the mean of each attribute in the rest
/// of the record, averaged over these attributes. Units that the model has not seen score zero. Candidates are drawn by
/// how often they occur in the window, or evenly from all units that the model knows.
RetrievalScore retrieve(const Window& window, const WindowUnits& units, const Model& model,
                        std::span<const AttributeSettings> attributes, const EvaluationSettings& settings,
                        std::uint64_t seed);

}  // namespace meteor
