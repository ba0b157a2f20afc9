#include "engine/expiry.h"

#include <algorithm>

namespace meteor {
namespace {

constexpr std::int64_t kLooks = 8;

}  // namespace

std::optional<std::uint64_t> Expiry::after(std::optional<Duration> expire, std::uint64_t window, std::int64_t begin) {
  if (!expire) return std::nullopt;
  if (!begins.empty()) begin = std::max(begin, begins.back().time);  // windows of so many records may go back in time
  begins.push_back({window, begin});
  const std::int64_t oldest = begin - expire->seconds;  // that stays
  while (begins.size() > 1 && begins[1].time < oldest) begins.pop_front();
  if (!last_look) last_look = begin;
  if (begin - *last_look < std::max<std::int64_t>(1, expire->seconds / kLooks)) return std::nullopt;
  last_look = begin;
  if (begins.front().time >= oldest) return std::nullopt;
  begins.pop_front();
  return begins.front().window;
}

}  // namespace meteor
