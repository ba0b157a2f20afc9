#include "learning/costly_embeddings.h"

#include <algorithm>
#include <cmath>

#include "support/random.h"

namespace meteor {
namespace {

constexpr std::size_t kRowsPerBlock = 256;
constexpr std::size_t kDecodedTogether = 1024;
constexpr float kSmallestAccumulator = 1e-12F;  // in place of AdaGrad's ε
constexpr std::uint64_t kNewUnits = 0x6e6577;   // keeps the streams of initial values apart from all others

}  // namespace

CostlyEmbeddings::CostlyEmbeddings(const WindowUnits& window, const Shard& shard, const Model& model,
                                   std::uint64_t seed)
    : window_(window),
      model_(model),
      seed_(seed),
      width_(padded_width(model.dimension)),
      rows_(window.size()),
      own_(count_slots(shard, window.size())),
      own_rows_(own_.slots.size(), 2 * width_) {
  const std::span<const std::uint32_t> slots = own_.slots;
  for (std::size_t i = 0; i < slots.size(); ++i) rows_[slots[i]] = own_rows_.row(i).data();
  for (std::size_t first = 0; first < slots.size(); first += kDecodedTogether) {
    rebuild(slots.subspan(first, std::min(kDecodedTogether, slots.size() - first)));
  }
}

void CostlyEmbeddings::rebuild_foreign(std::uint32_t slot) {
  if (foreign_blocks_.empty() || foreign_used_ == kRowsPerBlock) {
    foreign_blocks_.emplace_back(kRowsPerBlock, 2 * width_);
    foreign_used_ = 0;
  }
  rows_[slot] = foreign_blocks_.back().row(foreign_used_++).data();
  rebuild({&slot, 1});
}

void CostlyEmbeddings::rebuild(std::span<const std::uint32_t> slots) {
  std::vector<UnitId> known;
  std::vector<float*> known_rows;
  for (std::uint32_t slot : slots) {
    const UnitId unit = window_.units[slot];
    float* const row = rows_[slot];
    float accumulator = kSmallestAccumulator;
    if (index(unit) < model_.units()) {
      known.push_back(unit);
      known_rows.push_back(row);
      accumulator = std::max(accumulator, model_.accumulators[index(unit)]);
    } else {
      Random random{seed_, kNewUnits, index(unit)};
      const float scale = 1.0F / static_cast<float>(model_.dimension);
      for (std::size_t i = 0; i < model_.dimension; ++i) {
        row[i] = (static_cast<float>(random.uniform()) - 0.5F) * scale;
      }
    }
    std::fill(row + width_, row + 2 * width_, accumulator);
  }
  AlignedRows decoded(known.size(), model_.dimension);
  model_.embeddings->decode(known, decoded);
  for (std::size_t i = 0; i < known.size(); ++i) {
    std::copy(decoded.row(i).begin(), decoded.row(i).end(), known_rows[i]);
  }
}

AlignedRows CostlyEmbeddings::take_own_rows() {
  own_rows_.narrow(model_.dimension);
  return std::move(own_rows_);
}

float CostlyEmbeddings::collapsed_accumulator(std::uint32_t slot) const {
  double sum = 0;
  for (std::size_t i = 0; i < model_.dimension; ++i) sum += std::sqrt(rows_[slot][width_ + i]);
  const double mean = sum / model_.dimension;
  return static_cast<float>(mean * mean);
}

}  // namespace meteor
