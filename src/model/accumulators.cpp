#include "model/accumulators.h"

#include <cmath>

#include "support/octave_grid.h"
#include "support/random.h"

namespace meteor {
namespace {

constexpr std::uint64_t kAccumulators = 0x61636375;

}  // namespace

float accumulator_of(std::uint8_t byte) {
  const float root = octave_value(byte);
  return root * root;
}

std::uint8_t accumulator_byte(float value, double dither) {
  if (!(value > 0)) return 0;
  const std::uint8_t below = octave_place(std::sqrt(value));
  if (below == 255) return below;
  const auto above = static_cast<std::uint8_t>(below + 1);
  const double low = accumulator_of(below), high = accumulator_of(above);
  return value - low > dither * (high - low) ? above : below;
}

std::uint8_t accumulator_byte(float value, std::uint64_t window, UnitId unit) {
  return accumulator_byte(value, Random{kAccumulators, window, index(unit)}.uniform());
}

}  // namespace meteor
