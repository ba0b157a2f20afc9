#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "config/settings.h"
#include "support/aligned_rows.h"
#include "support/ids.h"

namespace meteor {

/// How well a candidate fits a context, by both ways of scoring.
struct FitScores {
  double pooled = 0;
  double mean = 0;

  double by(Scoring scoring) const { return scoring == Scoring::pooled ? pooled : mean; }
};

/// Scores candidates given the units of a record: the one function behind everything that ranks units given a context.
///
/// mean, the paper's: the cosine with the mean of each attribute's units, averaged over the attributes.
///
/// pooled: a product of embeddings estimates a log lift, and what a context says of a candidate is the log of a mean of
/// lifts. A mean of vectors inside the product takes the geometric mean, in which units that say nothing drown the one
/// that says much; Σ e^{β·cos} takes the arithmetic one, in which that one is heard. Both are estimates with errors of
/// their own, so both are added, with β for the length that cosines leave out:
///   Σ_a [β·cos(c, mean_a) + log mean_{y in a} e^{β·cos(c, y)}] + log mean_y e^{β·cos(c, y)},
/// where the mean over an attribute's units weighs a unit seen in n records by 1/√n, because units that are everywhere
/// say little. Attributes are multiplied, as evidence of different kinds is; the last term, over all units, lets an
/// attribute with many units count for more than one with a single unit. Divided by β and the number of terms, which
/// changes no order, it is between -1 and 1, as a cosine is.
class ContextScores {
 public:
  static constexpr std::size_t kNobody = std::numeric_limits<std::size_t>::max();

  /// Rows of the context's units, the attribute of each, and in how many records it was seen. A row of zeros is a unit
  /// of which nothing is known, and says nothing.
  ContextScores(const AlignedRows& rows, std::span<const AttributeId> attributes, std::span<const std::uint32_t> seen,
                std::size_t attribute_count);

  /// Of a candidate of this length from its products with the context's rows. The bonus is added to the pooled score,
  /// if the context says anything. One unit of the context may be left out.
  FitScores score(std::span<const float> products, double length, double bonus = 0, std::size_t left_out = kNobody);

 private:
  struct Unit {
    std::size_t attribute;
    double length;
    double weight;
    double product_with_attribute;  ///< with the sum of its attribute's units
  };
  struct Pool {
    std::size_t units = 0;
    double square = 0;  ///< of the sum's length
    double product = 0;
    double lifts = 0;
    double weights = 0;
  };
  std::vector<Unit> units_;
  std::vector<double> squares_;  // of each attribute's sum
  std::vector<Pool> pools_;      // of the candidate that is being scored, by attribute
};

/// The lengths of rows.
std::vector<double> row_lengths(const AlignedRows& rows);

}  // namespace meteor
