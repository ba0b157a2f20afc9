#include "learning/merge.h"

#include <cmath>

#include "support/bfloat16.h"

namespace meteor {

ShardMerge::ShardMerge(std::size_t slots, std::size_t dimension, std::size_t shards, double exponent)
    : shards_(shards), exponent_(exponent), slots_(slots), dimension_(dimension) {
  if (shards == 1) return;
  weights_.resize(slots);
  square_weights_.resize(slots);
  merged_.growths.resize(slots);
  merged_.steps = AlignedRows(slots, dimension);
  as_negatives_ = AlignedRows(slots, dimension);
}

void ShardMerge::add(ShardUpdate update) {
  if (update.number != next_) {
    early_.emplace(update.number, std::move(update));
    return;
  }
  add_next(std::move(update));
  while (!early_.empty() && early_.begin()->first == next_) {
    add_next(std::move(early_.begin()->second));
    early_.erase(early_.begin());
  }
}

void ShardMerge::add_next(ShardUpdate update) {
  ++next_;
  merged_.loss += update.loss;
  merged_.losses += update.losses;
  merged_.unit_steps += update.unit_steps;
  if (shards_ == 1) {  // it holds every slot
    merged_.growths = std::move(update.growths);
    merged_.steps = std::move(update.steps);
    return;
  }
  for (std::size_t i = 0; i < update.slots.size(); ++i) {
    const std::uint32_t slot = update.slots[i];
    const auto weight = static_cast<float>(update.counts[i]);
    weights_[slot] += weight;
    square_weights_[slot] += static_cast<double>(weight) * weight;
    merged_.growths[slot] += weight * update.growths[i];
    const float* const from = update.steps.row(i).data();
    float* const to = merged_.steps.row(slot).data();
    for (std::size_t k = 0; k < dimension_; ++k) to[k] += weight * from[k];
  }
  for (std::size_t i = 0; i < update.other_slots.size(); ++i) {
    const std::uint16_t* const from = update.other_steps.data() + i * dimension_;
    float* const to = as_negatives_.row(update.other_slots[i]).data();
    for (std::size_t k = 0; k < dimension_; ++k) to[k] += from_bfloat16(from[k]);
  }
}

WindowSteps ShardMerge::take() {
  if (shards_ == 1) return std::move(merged_);
  const auto negative_scale = static_cast<float>(1 / std::sqrt(static_cast<double>(shards_)));
  for (std::size_t slot = 0; slot < slots_; ++slot) {
    if (weights_[slot] == 0) continue;
    const double shards = weights_[slot] * weights_[slot] / square_weights_[slot];
    const auto scale = static_cast<float>(std::pow(shards, exponent_) / weights_[slot]);
    merged_.growths[slot] /= static_cast<float>(weights_[slot]);
    const auto step = merged_.steps.row(slot);
    const auto as_negative = as_negatives_.row(slot);
    for (std::size_t k = 0; k < dimension_; ++k) step[k] = step[k] * scale + as_negative[k] * negative_scale;
  }
  return std::move(merged_);
}

}  // namespace meteor
