#include "learning/negative_sampler.h"

namespace meteor {

AliasTable::AliasTable(std::span<const std::uint32_t> weights) : entries_(weights.size()) {
  // Whole numbers, so that rounding cannot leave a share over: place i has weight·n shares, and `total` of them fill a place.
  const std::uint64_t n = weights.size();
  std::uint64_t total = 0;
  for (std::uint32_t weight : weights) total += weight;
  std::vector<std::uint64_t> mass(weights.size());
  std::vector<std::uint32_t> small;
  std::vector<std::uint32_t> large;
  for (std::uint32_t i = 0; i < weights.size(); ++i) {
    mass[i] = weights[i] * n;
    (mass[i] < total ? small : large).push_back(i);
  }
  while (!small.empty() && !large.empty()) {
    const std::uint32_t low = small.back();
    const std::uint32_t high = large.back();
    small.pop_back();
    const double filled = static_cast<double>(mass[low]) / static_cast<double>(total);
    entries_[low] = {static_cast<std::uint32_t>(filled * 0x1p32), high};
    mass[high] -= total - mass[low];
    if (mass[high] < total) {
      large.pop_back();
      small.push_back(high);
    }
  }
  for (std::uint32_t i : large) entries_[i] = {0, i};
}

NegativeSampler::NegativeSampler(std::span<const std::uint32_t> counts, std::span<const std::uint32_t> attribute_ends) {
  std::uint32_t begin = 0;
  for (std::uint32_t end : attribute_ends) {
    tables_.emplace_back(end > begin ? AliasTable(counts.subspan(begin, end - begin)) : AliasTable());
    begins_.push_back(begin);
    begin = end;
  }
}

std::uint32_t NegativeSampler::draw(std::size_t attribute, std::uint32_t excluded, Random& random) const {
  const AliasTable& table = tables_[attribute];
  const std::uint32_t begin = begins_[attribute];
  for (int attempt = 0; attempt < 32; ++attempt) {
    const std::uint32_t slot = begin + table.draw(random);
    if (slot != excluded) return slot;
  }
  // The excluded unit is nearly all of the attribute: any other one will do.
  const auto others = static_cast<std::uint32_t>(table.size() - 1);
  const std::uint32_t slot = begin + random.below(others);
  return slot >= excluded ? slot + 1 : slot;
}

}  // namespace meteor
