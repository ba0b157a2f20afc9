#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "config/settings.h"

namespace meteor {

/// Tells when units are to be forgotten that have not been seen for the time that model.expire says, from when windows
/// begin and from nothing else. Units are looked through eight times in that time, so that each look is worth its cost.
struct Expiry {
  struct Begin {
    std::uint64_t window;
    std::int64_t time;
  };
  std::deque<Begin> begins;               ///< of the last windows, and of one that is too old
  std::optional<std::int64_t> last_look;  ///< at the units

  /// Takes note of the next window. If units are to be forgotten after it, the first window whose units stay.
  std::optional<std::uint64_t> after(std::optional<Duration> expire, std::uint64_t window, std::int64_t begin);
};

}  // namespace meteor
