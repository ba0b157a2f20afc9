#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "config/settings.h"
#include "model/model.h"

namespace meteor {

struct ScoredUnit {
  UnitId unit{};
  double score = 0;
};

/// The `count` units of an attribute, best first, that have the highest cosine with a unit, which is left out itself.
/// Of equal scores the lower id stands first.
std::vector<ScoredUnit> nearest_units(const Model& model, AttributeId attribute, UnitId unit, std::size_t count);

/// The `count` units of an attribute that fit a context best, as ContextScores scores them; those of the context are
/// left out.
std::vector<ScoredUnit> fitting_units(const Model& model, AttributeId attribute, std::span<const UnitId> context,
                                      Scoring scoring, std::size_t count);

}  // namespace meteor
