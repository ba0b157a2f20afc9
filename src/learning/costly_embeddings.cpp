#include "learning/costly_embeddings.h"

#include <algorithm>
#include <cmath>

#include "support/bfloat16.h"

namespace meteor {
namespace {

constexpr std::size_t kRowsPerBlock = 2048;  // large enough for huge pages

}  // namespace

CostlyEmbeddings::CostlyEmbeddings(const WindowUnits& window, const Shard& shard, const WindowStart& start)
    : start_(start),
      width_(padded_width(start.dimension())),
      rows_(window.size()),
      own_(count_slots(shard, window.size())),
      own_rows_(own_.slots.size(), 2 * width_) {
  for (std::size_t i = 0; i < own_.slots.size(); ++i) rows_[own_.slots[i]] = own_rows_.row(i).data();
  rebuild(own_.slots);
}

void CostlyEmbeddings::add_foreign(std::uint32_t slot) {
  if (foreign_blocks_.empty() || foreign_used_ == foreign_blocks_.back().rows()) {
    const std::size_t others = rows_.size() - own_.slots.size() - kRowsPerBlock * foreign_blocks_.size();
    foreign_blocks_.emplace_back(std::min(kRowsPerBlock, others), 2 * width_);
    foreign_used_ = 0;
  }
  rows_[slot] = foreign_blocks_.back().row(foreign_used_++).data();
  drawn_.push_back(slot);
  others_.push_back(slot);
}

void CostlyEmbeddings::rebuild(std::span<const std::uint32_t> slots) {
  std::vector<float*> places;
  places.reserve(slots.size());
  for (std::uint32_t slot : slots) {
    float* const row = rows_[slot];
    std::fill(row + width_, row + 2 * width_, start_.accumulator(slot));
    places.push_back(row);
  }
  start_.rebuild(slots, places);
}

void CostlyEmbeddings::restart_in_accumulators(std::span<const std::uint32_t> slots) {
  std::vector<float*> places;
  places.reserve(slots.size());
  for (const std::uint32_t slot : slots) places.push_back(rows_[slot] + width_);
  start_.rebuild(slots, places);
}

std::vector<std::uint16_t> CostlyEmbeddings::other_steps() {
  restart_in_accumulators(others_);
  const std::size_t dimension = start_.dimension();
  std::vector<std::uint16_t> steps(others_.size() * dimension);
  auto step = steps.begin();
  for (const std::uint32_t slot : others_) {
    const float* const row = rows_[slot];
    for (std::size_t i = 0; i < dimension; ++i) *step++ = bfloat16_of(row[i] - row[width_ + i]);
  }
  return steps;
}

AlignedRows CostlyEmbeddings::take_own_steps() {
  restart_in_accumulators(own_.slots);
  const std::size_t dimension = start_.dimension();
  for (const std::uint32_t slot : own_.slots) {
    float* const row = rows_[slot];
    for (std::size_t i = 0; i < dimension; ++i) row[i] -= row[width_ + i];
  }
  own_rows_.narrow(dimension);
  return std::move(own_rows_);
}

float CostlyEmbeddings::accumulator_growth(std::uint32_t slot) const {
  const std::size_t dimension = start_.dimension();
  const float* const values = rows_[slot] + width_;
  double sums[8] = {};  // several, so that the compiler can compute roots side by side
  std::size_t i = 0;
  for (; i + 8 <= dimension; i += 8) {
    for (std::size_t k = 0; k < 8; ++k) sums[k] += std::sqrt(values[i + k]);
  }
  for (; i < dimension; ++i) sums[0] += std::sqrt(values[i]);
  const double sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  const double mean = sum / static_cast<double>(dimension);
  return static_cast<float>(mean * mean - start_.accumulator(slot));
}

}  // namespace meteor
