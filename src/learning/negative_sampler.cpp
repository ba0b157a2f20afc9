#include "learning/negative_sampler.h"

namespace meteor {

NegativeSampler::NegativeSampler(std::span<const std::uint32_t> counts, std::span<const std::uint32_t> attribute_ends) {
  std::uint32_t begin = 0;
  for (std::uint32_t end : attribute_ends) {
    tables_.emplace_back(end > begin ? AliasTable(counts.subspan(begin, end - begin)) : AliasTable());
    begins_.push_back(begin);
    begin = end;
  }
}

std::uint32_t NegativeSampler::draw_again(std::size_t attribute, std::uint32_t excluded, Random& random) const {
  const AliasTable& table = tables_[attribute];
  const std::uint32_t begin = begins_[attribute];
  for (int attempt = 0; attempt < 31; ++attempt) {
    const std::uint32_t slot = begin + table.draw(random);
    if (slot != excluded) return slot;
  }
  // The excluded unit is nearly all of the attribute: any other one will do.
  const auto others = static_cast<std::uint32_t>(table.size() - 1);
  const std::uint32_t slot = begin + random.below(others);
  return slot >= excluded ? slot + 1 : slot;
}

}  // namespace meteor
