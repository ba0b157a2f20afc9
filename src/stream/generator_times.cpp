#include "stream/generator_times.h"

#include <algorithm>

#include "support/random.h"

namespace meteor {
namespace {

constexpr std::uint64_t busyness_of_hour[24] = {6,  4,  3,  3,  4,  8,  18, 34, 48, 58, 64, 70,
                                                76, 70, 64, 62, 68, 80, 92, 86, 64, 44, 26, 12};
constexpr std::uint64_t busyness_of_weekday[7] = {9, 8, 8, 9, 11, 15, 12};

std::uint64_t busyness(std::uint64_t seed, std::uint64_t hour) {
  const std::uint64_t day = hour / 24;
  Random random{seed, static_cast<std::uint64_t>(DrawPurpose::day), day};
  return busyness_of_hour[hour % 24] * busyness_of_weekday[day % 7] * (80 + random.below(40));
}

}  // namespace

GeneratedTimes::GeneratedTimes(std::uint64_t seed, std::uint64_t records, std::int64_t seconds)
    : seed_(seed), seconds_(seconds) {
  std::uint64_t total = 0;
  for (std::int64_t begin = 0; begin < seconds; begin += 3600) {
    const auto length = static_cast<std::uint64_t>(std::min<std::int64_t>(3600, seconds - begin));
    hour_ends_.push_back(total += busyness(seed, static_cast<std::uint64_t>(begin / 3600)) * length);
  }
  // Scaled up to 62 bits, so that the rounding of the step does not add up.
  const std::uint64_t scale = (std::uint64_t{1} << 62) / total;
  for (std::uint64_t& end : hour_ends_) end *= scale;
  step_ = hour_ends_.back() / records;
}

std::int64_t GeneratedTimes::time(std::uint64_t record) const {
  Random random{seed_, static_cast<std::uint64_t>(DrawPurpose::day), record, 1};
  const std::uint64_t position = record * step_ + random.next() % step_;
  const auto end = std::upper_bound(hour_ends_.begin(), hour_ends_.end(), position);
  const std::uint64_t begin = end == hour_ends_.begin() ? 0 : *std::prev(end);
  const std::int64_t hour = end - hour_ends_.begin();
  const std::int64_t length = std::min<std::int64_t>(3600, seconds_ - hour * 3600);
  const std::uint64_t second_share = (*end - begin) / static_cast<std::uint64_t>(length);
  const auto second = static_cast<std::int64_t>((position - begin) / second_share);
  return start_ + hour * 3600 + std::min(second, length - 1);
}

Moment GeneratedTimes::moment(std::int64_t time) const {
  return static_cast<Moment>((static_cast<std::uint64_t>(time - start_) << 32) / static_cast<std::uint64_t>(seconds_));
}

}  // namespace meteor
