#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "support/alias_table.h"
#include "support/random.h"

namespace meteor {

/// Draws negatives among the slots of an attribute in proportion to how often they occur in the window.
class NegativeSampler {
 public:
  NegativeSampler(std::span<const std::uint32_t> counts, std::span<const std::uint32_t> attribute_ends);

  /// True if the attribute has another unit than the excluded one.
  bool can_draw(std::size_t attribute) const { return tables_[attribute].size() > 1; }

  /// A slot of the attribute other than `excluded`; can_draw() holds.
  std::uint32_t draw(std::size_t attribute, std::uint32_t excluded, Random& random) const {
    const std::uint32_t slot = begins_[attribute] + tables_[attribute].draw(random);
    return slot != excluded ? slot : draw_again(attribute, excluded, random);
  }

 private:
  std::uint32_t draw_again(std::size_t attribute, std::uint32_t excluded, Random& random) const;

  std::vector<AliasTable> tables_;
  std::vector<std::uint32_t> begins_;
};

}  // namespace meteor
