#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "support/ids.h"

namespace meteor {

/// Records whose units have ids, one after another. Units of a record are distinct, and there are at least two.
struct Window {
  std::uint64_t number = 0;  ///< 0, 1, 2… ; windows without records do not count
  std::int64_t begin = 0;    ///< Unix seconds; for windows of N records, the time of the first
  std::vector<UnitId> units;
  std::vector<std::uint64_t> ends;            ///< where each record ends in `units`
  std::vector<std::uint64_t> record_numbers;  ///< of each record in the input, for messages

  std::size_t records() const { return ends.size(); }
  std::span<const UnitId> record(std::size_t i) const {
    const std::uint64_t first = i == 0 ? 0 : ends[i - 1];
    return std::span(units).subspan(first, ends[i] - first);
  }
};

}  // namespace meteor
