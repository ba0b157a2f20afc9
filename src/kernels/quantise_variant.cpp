// Compiled once for each instruction set; includes nothing with inline functions that other sources share (see
// cmake/MeteorTargets.cmake).
#include "kernels/lanes.h"
#include "kernels/quantise.h"

namespace meteor::METEOR_KERNEL_VARIANT {
namespace {

/// The nearest odd multiple of ½ within ±highest.
Lanes nearest_level(Lanes x, Lanes highest) {
  const Lanes rounding = broadcast(12582912.0F);  // adding 1.5·2²³ rounds to a whole number
  const Lanes half = broadcast(0.5F);
  const Lanes within = minimum(maximum(x, subtract(broadcast(0.0F), highest)), highest);
  const Lanes below = subtract(add(subtract(within, half), rounding), rounding);
  return minimum(add(below, half), highest);
}

constexpr int kTogether = 4;  // scales

/// The errors at N scales. Levels are shifted by ½ here: whole numbers.
template <int N>
void errors_at(const Quantisation& q, const float* scales, float* errors) {
  const Lanes rounding = broadcast(12582912.0F);
  const Lanes half = broadcast(0.5F);
  Lanes grow[N];
  Lanes sums[N];
  for (int n = 0; n < N; ++n) {
    grow[n] = broadcast(1.0F / scales[n]);
    sums[n] = broadcast(0.0F);
  }
  for (std::size_t i = 0; i < q.width; i += kLaneCount) {
    const Lanes value = multiply(load(q.values + i), load(q.inverse_steps + i));
    const Lanes step = load(q.steps + i);
    const Lanes highest = subtract(load(q.highest + i), half);
    const Lanes lowest = subtract(broadcast(-1.0F), highest);
    for (int n = 0; n < N; ++n) {
      const Lanes x = subtract(multiply(value, grow[n]), half);
      const Lanes within = minimum(maximum(x, lowest), highest);
      const Lanes level = subtract(add(within, rounding), rounding);
      const Lanes error = multiply(subtract(x, level), step);
      sums[n] = multiply_add(error, error, sums[n]);
    }
  }
  for (int n = 0; n < N; ++n) errors[n] = horizontal_sum(sums[n]) * scales[n] * scales[n];
}

}  // namespace

void quantisation_errors(const Quantisation& q, const float* scales, std::size_t count, float* errors) {
  std::size_t n = 0;
  for (; n + kTogether <= count; n += kTogether) errors_at<kTogether>(q, scales + n, errors + n);
  for (; n < count; ++n) errors_at<1>(q, scales + n, errors + n);
}

float squared_norm(const float* values, const float* factors, std::size_t width) {
  Lanes sum = broadcast(0.0F);
  for (std::size_t i = 0; i < width; i += kLaneCount) {
    const Lanes x = factors != nullptr ? multiply(load(values + i), load(factors + i)) : load(values + i);
    sum = multiply_add(x, x, sum);
  }
  return horizontal_sum(sum);
}

void quantise(const Quantisation& q, float scale, float* levels) {
  const Lanes grow = broadcast(1.0F / scale);
  for (std::size_t i = 0; i < q.width; i += kLaneCount) {
    const Lanes x = multiply(multiply(load(q.values + i), load(q.inverse_steps + i)), grow);
    store(levels + i, nearest_level(x, load(q.highest + i)));
  }
}

}  // namespace meteor::METEOR_KERNEL_VARIANT
