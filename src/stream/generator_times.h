#pragma once

#include <cstdint>
#include <vector>

#include "stream/planted_topics.h"

namespace meteor {

/// When each record of a generated stream happens: more by day than by night, more at weekends, no two days alike.
/// Starts on a Monday, 2024-01-01 00:00 UTC.
class GeneratedTimes {
 public:
  GeneratedTimes(std::uint64_t seed, std::uint64_t records, std::int64_t seconds);

  /// Unix seconds of a record; never earlier than those of the record before.
  std::int64_t time(std::uint64_t record) const;
  Moment moment(std::int64_t time) const;

 private:
  static constexpr std::int64_t start_ = 1704067200;
  std::uint64_t seed_;
  std::int64_t seconds_;
  std::vector<std::uint64_t> hour_ends_;  ///< busyness summed up to the end of each hour
  std::uint64_t step_;                    ///< busyness that passes from one record to the next
};

}  // namespace meteor
