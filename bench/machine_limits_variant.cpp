// Compiled once for each instruction set (see cmake/MeteorTargets.cmake).
#include "kernels/lanes.h"
#include "machine_limits.h"

namespace meteor::METEOR_KERNEL_VARIANT {
namespace {

template <class Operation>
float repeat(std::size_t times, Operation operation) {
  Lanes chains[kChains];
  for (int i = 0; i < kChains; ++i) chains[i] = broadcast(1.0F + 0.01F * static_cast<float>(i));
  for (std::size_t n = 0; n < times; ++n) {
    for (Lanes& chain : chains) chain = operation(chain);
  }
  float sum = 0;
  for (const Lanes& chain : chains) sum += horizontal_sum(chain);
  return sum;
}

}  // namespace

float multiply_adds(std::size_t times) {
  const Lanes factor = broadcast(0.9999F), added = broadcast(1e-4F);
  return repeat(times, [&](Lanes x) { return multiply_add(x, factor, added); });
}

float roots_and_divisions(std::size_t times) {
  const Lanes dividend = broadcast(1.0F);
  return repeat(times, [&](Lanes x) { return divide(dividend, square_root(x)); });
}

void read_and_write(float* const* rows, std::size_t count, std::size_t width, float factor) {
  const Lanes factors = broadcast(factor);
  for (std::size_t r = 0; r < count; ++r) {
    for (std::size_t i = 0; i < width; i += kLaneCount) store(rows[r] + i, multiply(load(rows[r] + i), factors));
  }
}

}  // namespace meteor::METEOR_KERNEL_VARIANT
