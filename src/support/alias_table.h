#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "support/random.h"

namespace meteor {

/// Draws an index in proportion to its weight in constant time (Vose's alias method). Only integers are used, so that
/// equal random streams draw equal indices on every machine.
class AliasTable {
 public:
  /// Draws nothing.
  AliasTable() = default;
  /// At least one weight is positive; there are fewer than 2²⁸ of them.
  explicit AliasTable(std::span<const std::uint32_t> weights);

  std::size_t size() const { return columns_.size(); }

  std::uint32_t draw(Random& random) const {
    const std::uint64_t bits = random.next();
    const auto place = static_cast<std::uint32_t>(((bits >> 32) * columns_.size()) >> 32);
    const Column column = columns_[place];
    // No branch, which could only be guessed.
    const std::uint32_t keeps = static_cast<std::uint32_t>(bits) < column.keep ? ~std::uint32_t{0} : 0;
    return column.alias ^ ((column.alias ^ place) & keeps);
  }

 private:
  struct Column {
    std::uint32_t keep;  ///< how often, in 2⁻³², the column's own index is drawn instead of its alias
    std::uint32_t alias;
  };
  std::vector<Column> columns_;
};

}  // namespace meteor
