#include "stream/window_cutter.h"

#include <cassert>
#include <limits>

namespace meteor {
namespace {

std::int64_t floor_divide(std::int64_t dividend, std::int64_t positive) {
  return dividend / positive - (dividend % positive < 0 ? 1 : 0);
}

/// The product, or the smallest number where it would be below: the first window of all time begins late.
std::int64_t saturated_product(std::int64_t period, std::int64_t length) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(period, length, &product) ? std::numeric_limits<std::int64_t>::min() : product;
}

}  // namespace

Placement WindowCutter::place(std::int64_t time) {
  if (const auto* duration = std::get_if<Duration>(&length_)) return place_by_time(time, duration->seconds);
  return place_by_count(time, std::get<RecordCount>(length_).records);
}

Placement WindowCutter::place_by_time(std::int64_t time, std::int64_t length) {
  assert(length > 0);
  const std::int64_t period = floor_divide(time, length);
  if (open_ && period == period_) return Placement::current;
  if (open_ && period < period_) {
    ++late_;
    return policy_ == LatePolicy::keep ? Placement::current : Placement::dropped;
  }
  open_ = true;
  period_ = period;
  begin_ = saturated_product(period, length);
  return Placement::next;
}

Placement WindowCutter::place_by_count(std::int64_t time, std::uint64_t length) {
  assert(length > 0);
  if (open_ && records_ < length) {
    ++records_;
    return Placement::current;
  }
  open_ = true;
  records_ = 1;
  begin_ = time;
  return Placement::next;
}

}  // namespace meteor
