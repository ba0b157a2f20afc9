// Compiled once for each instruction set; includes nothing with inline functions that other sources share (see
// cmake/MeteorTargets.cmake).
#include "kernels/lanes.h"
#include "kernels/quantise.h"

namespace meteor::METEOR_KERNEL_VARIANT {
namespace {

/// Adding and subtracting it rounds to a whole number.
constexpr float kRounding = 12582912.0F;  // 1.5·2²³

constexpr int kTogether = 4;  // scales

/// The errors at N scales. Levels are shifted by ½ here: whole numbers.
template <int N>
void errors_at(const Quantisation& q, const float* scales, float* errors) {
  const Lanes rounding = broadcast(kRounding);
  const Lanes half = broadcast(0.5F);
  const Lanes minus_half = broadcast(-0.5F);
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
      const Lanes x = multiply_add(value, grow[n], minus_half);
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
  if (count % kTogether == 1 && count > 1) {  // one more is cheaper than one alone
    errors_at<kTogether + 1>(q, scales, errors);
    n = kTogether + 1;
  }
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

void quantise_pairs(const Quantisation& q, float scale, const std::uint64_t* first_bits, std::int32_t* numbers,
                    std::uint64_t* pairs) {
  const Lanes rounding = broadcast(kRounding);
  const Lanes zero = broadcast(0.0F);
  const Lanes grow = broadcast(1.0F / scale);
  for (std::size_t i = 0; i < q.width; i += kLaneCount) {
    const Lanes highest = load(q.highest + i);
    const Lanes last = add(highest, highest);
    const Lanes x = multiply(multiply(load(q.values + i), load(q.inverse_steps + i)), grow);
    const Lanes from_lowest = minimum(maximum(add(x, highest), zero), last);
    alignas(64) float whole[kLaneCount];
    store(whole, subtract(add(from_lowest, rounding), rounding));
    for (std::size_t k = 0; k < kLaneCount; ++k) numbers[i + k] = static_cast<std::int32_t>(whole[k]);
  }
  for (std::size_t k = 0; k < q.width / 2; ++k) {
    pairs[k] = static_cast<std::uint64_t>(numbers[2 * k]) | static_cast<std::uint64_t>(numbers[2 * k + 1])
                                                                << first_bits[k];
  }
}

}  // namespace meteor::METEOR_KERNEL_VARIANT
