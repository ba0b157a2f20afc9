#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "support/ids.h"

namespace meteor {

/// Whoever reads codes may read so many bytes past the end of one, so as to take several at once.
inline constexpr std::size_t kReadPastCode = 3;

/// The codes of all units, as bytes of a few different lengths. Room that a unit leaves is given to the next code of
/// its length.
class CodePool {
 public:
  std::size_t units() const { return begins_.size(); }
  /// New units have no code.
  void grow(std::size_t units) { begins_.resize(units, kNowhere); }
  bool has(UnitId unit) const { return begins_[index(unit)] != kNowhere; }

  /// Gives the unit a code, in the place of one of `before` bytes if it has one.
  void set(UnitId unit, std::size_t before, std::span<const std::uint8_t> code);
  /// The first byte of a code that was set.
  const std::uint8_t* get(UnitId unit) const { return bytes_.data() + begins_[index(unit)]; }

  /// Of all codes.
  std::uint64_t bytes() const { return used_; }

 private:
  static constexpr std::uint64_t kNowhere = std::numeric_limits<std::uint64_t>::max();

  std::vector<std::uint64_t> begins_;
  std::vector<std::uint8_t> bytes_ = std::vector<std::uint8_t>(kReadPastCode);  // codes, and what may be read past them
  std::map<std::size_t, std::vector<std::uint64_t>> left_;                      // places by length
  std::uint64_t used_ = 0;
};

}  // namespace meteor
