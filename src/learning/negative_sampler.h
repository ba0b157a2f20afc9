#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "support/random.h"

namespace meteor {

/// Draws numbers in proportion to their weights in constant time (Walker's alias method).
class AliasTable {
 public:
  AliasTable() = default;
  /// At least one weight is positive.
  explicit AliasTable(std::span<const std::uint32_t> weights);

  std::size_t size() const { return entries_.size(); }
  std::uint32_t draw(Random& random) const {
    const std::uint64_t bits = random.next();
    const auto place = static_cast<std::uint32_t>(((bits >> 32) * entries_.size()) >> 32);
    const Entry& entry = entries_[place];
    return static_cast<std::uint32_t>(bits) < entry.threshold ? place : entry.alias;
  }

 private:
  struct Entry {
    std::uint32_t threshold;  // of 2³²; an entry that is always itself has itself as alias
    std::uint32_t alias;
  };
  std::vector<Entry> entries_;
};

/// Draws negatives among the slots of an attribute in proportion to how often they occur in the window.
class NegativeSampler {
 public:
  NegativeSampler(std::span<const std::uint32_t> counts, std::span<const std::uint32_t> attribute_ends);

  /// True if the attribute has another unit than the excluded one.
  bool can_draw(std::size_t attribute) const { return tables_[attribute].size() > 1; }

  /// A slot of the attribute other than `excluded`; can_draw() holds.
  std::uint32_t draw(std::size_t attribute, std::uint32_t excluded, Random& random) const;

 private:
  std::vector<AliasTable> tables_;
  std::vector<std::uint32_t> begins_;
};

}  // namespace meteor
