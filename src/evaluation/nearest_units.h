#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/model.h"

namespace meteor {

struct ScoredUnit {
  UnitId unit{};
  double score = 0;
};

/// A direction for each attribute that the units belong to: the sum of the embeddings of its units. (A mean has the
/// same cosines.)
AlignedRows context_directions(const Model& model, std::span<const UnitId> context);

/// The `count` best units of an attribute, best first, by their cosine with each direction, averaged over the
/// directions: the scores that retrieval is evaluated with. Of equal scores the lower id stands first. `excluded` units
/// are left out.
std::vector<ScoredUnit> nearest_units(const Model& model, AttributeId attribute, const AlignedRows& directions,
                                      std::span<const UnitId> excluded, std::size_t count);

}  // namespace meteor
