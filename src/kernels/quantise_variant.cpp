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

}  // namespace

float quantisation_error(const Quantisation& q, float scale) {
  const Lanes grow = broadcast(1.0F / scale);
  const Lanes shrink = broadcast(scale);
  Lanes sum = broadcast(0.0F);
  for (std::size_t i = 0; i < q.width; i += kLaneCount) {
    const Lanes x = multiply(multiply(load(q.values + i), load(q.inverse_steps + i)), grow);
    const Lanes level = nearest_level(x, load(q.highest + i));
    const Lanes error = multiply(multiply(subtract(x, level), load(q.steps + i)), shrink);
    sum = multiply_add(error, error, sum);
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
