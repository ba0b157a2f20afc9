#include "support/alias_table.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>
#include <numeric>

namespace meteor {

AliasTable::AliasTable(std::span<const std::uint32_t> weights) : columns_(weights.size()) {
  const std::uint64_t total = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  assert(total > 0);
  std::vector<std::uint64_t> mass(weights.size());  // the mean mass is `total`
  std::vector<std::uint32_t> poor, rich;
  for (std::uint32_t i = 0; i < weights.size(); ++i) {
    mass[i] = weights[i] * static_cast<std::uint64_t>(weights.size());
    columns_[i] = {std::numeric_limits<std::uint32_t>::max(), i};
    (mass[i] < total ? poor : rich).push_back(i);
  }

  const int spare_bits = std::countl_zero(total);
  const std::uint64_t unit = (total << spare_bits) >> 32;
  while (!poor.empty() && !rich.empty()) {
    const std::uint32_t taker = poor.back(), giver = rich.back();
    poor.pop_back();
    const std::uint64_t keep = (mass[taker] << spare_bits) / unit;
    columns_[taker].keep = static_cast<std::uint32_t>(std::min<std::uint64_t>(keep, 0xffffffffu));
    columns_[taker].alias = giver;
    mass[giver] -= total - mass[taker];
    if (mass[giver] < total) {
      rich.pop_back();
      poor.push_back(giver);
    }
  }
}

}  // namespace meteor
