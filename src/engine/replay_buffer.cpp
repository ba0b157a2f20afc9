#include "engine/replay_buffer.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "kernels/row_products.h"
#include "learning/record_kernel.h"
#include "support/aligned_rows.h"
#include "support/random.h"

namespace meteor {
namespace {

constexpr std::uint64_t kReplay = 0x7265706c6179;  // keeps this stream apart from all others

void append(std::span<const UnitId> record, std::uint64_t number, Window& window) {
  window.units.insert(window.units.end(), record.begin(), record.end());
  window.ends.push_back(window.units.size());
  window.record_numbers.push_back(number);
}

double agreement(std::span<const UnitId> record, const Model& model) {
  const std::size_t compared = std::min(record.size(), kAgreementUnits);
  AlignedRows rows(compared, model.dimension);
  AlignedRows row(1, model.dimension);
  for (std::size_t x = 0; x < compared; ++x) {
    const UnitId unit = record[x * record.size() / compared];
    if (index(unit) >= model.units()) continue;
    model.embeddings->decode({&unit, 1}, row);
    std::copy(row.row(0).begin(), row.row(0).end(), rows.row(x).begin());
  }
  std::vector<float> products(compared * compared);
  row_products(rows, rows, products.data());
  double sum = 0;
  for (std::size_t x = 0; x < compared; ++x) {
    for (std::size_t y = 0; y < x; ++y) sum += 1 / (1 + std::exp(-double{products[x * compared + y]}));
  }
  return sum / (static_cast<double>(compared * (compared - 1)) / 2);
}

}  // namespace

std::vector<double> agreements(const Window& records, const Model& model) {
  std::vector<double> all;
  for (std::size_t r = 0; r < records.records(); ++r) all.push_back(agreement(records.record(r), model));
  return all;
}

void ReplayBuffer::forget(std::uint64_t window, const Model& model) {
  std::vector<double> haste(kept_.records(), 1);
  if (settings_.replay == ReplayKind::info && !haste.empty()) {
    haste = agreements(kept_, model);
    const double mean = std::accumulate(haste.begin(), haste.end(), 0.0) / static_cast<double>(haste.size());
    for (double& a : haste) a /= mean;
  }
  Random random{settings_.seed, kReplay, window};
  Window left;
  for (std::size_t r = 0; r < kept_.records(); ++r) {
    if (random.uniform() >= std::exp(-settings_.replay_decay * haste[r])) continue;
    append(kept_.record(r), kept_.record_numbers[r], left);
  }
  kept_ = std::move(left);
}

Window ReplayBuffer::with_past(const Window& window) const {
  Window all = kept_;
  all.number = window.number;
  all.begin = window.begin;
  for (std::size_t r = 0; r < window.records(); ++r) append(window.record(r), window.record_numbers[r], all);
  return all;
}

ReplayBuffer::Joined ReplayBuffer::joined(const Window& window, const WindowUnits& units, const Model& model) const {
  Joined joined{with_past(window), {}};
  std::vector<AttributeId> attributes = model.attributes;
  for (std::uint32_t slot = 0; slot < units.size(); ++slot) {
    const std::size_t unit = index(units.units[slot]);
    if (unit >= attributes.size()) attributes.resize(unit + 1);
    attributes[unit] = units.attribute_of(slot);
  }
  joined.units = count_units(joined.window, attributes, units.attribute_ends.size());
  return joined;
}

void count_once(WindowUnits& joined, const WindowUnits& own) {
  std::unordered_map<UnitId, std::uint32_t> counts;
  for (std::size_t slot = 0; slot < own.size(); ++slot) counts[own.units[slot]] = own.counts[slot];
  for (std::size_t slot = 0; slot < joined.size(); ++slot) {
    const auto place = counts.find(joined.units[slot]);
    joined.counts[slot] = place == counts.end() ? 0 : place->second;
  }
}

std::uint64_t ReplayBuffer::bytes() const {
  return kept_.units.size() * sizeof(UnitId) +
         kept_.records() * (sizeof kept_.ends[0] + sizeof kept_.record_numbers[0]);
}

}  // namespace meteor
