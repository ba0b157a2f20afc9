#pragma once

#include <cstdint>
#include <vector>

#include "config/settings.h"
#include "model/model.h"
#include "support/aligned_rows.h"

namespace meteor {

/// What a model tells of units that it does not know yet, or hardly: some attributes keep bringing new units, others do
/// not. Learnt from the units that were seen once so far. Candidates have to be drawn by how often they occur, as those
/// of a window are; an empty object knows nothing.
struct Newcomers {
  /// Of each attribute, a row whose products with units of length 1 stand for cosines: the direction in which units
  /// that were seen once differ from all. Zeros where nothing is known.
  AlignedRows leanings;
  /// Of each attribute, between 0 and 1: how surely it goes on bringing new units. s/(s + 1000) for s that were seen
  /// once.
  std::vector<float> shares;

  /// What is added to the score of a candidate that was seen in so many records. An embedding that few records have
  /// made is far from sure, and the mean lift over all that it could be is larger than the lift at its estimate.
  double bonus(AttributeId attribute, std::uint32_t seen) const;
  /// And to that of a candidate of which nothing is known, besides its leaning.
  double bonus_of_unknown(AttributeId attribute) const;
  /// The leaning of an attribute is copied to the row; zeros where there is none.
  void lean(AttributeId attribute, std::span<float> row) const;
};

/// Of the target attributes, but for those whose new units inherit from their category: these are known from the start.
/// Nothing is told where products are not log lifts (the paper's loss). A sample stands for many units.
Newcomers newcomers_to(const Model& model, const Settings& settings);

/// What holds of all that newcomers_to() makes; asked of what comes from elsewhere. Throws StorageError.
void require_valid(const Newcomers& newcomers, std::size_t attributes, std::size_t dimension);

}  // namespace meteor
