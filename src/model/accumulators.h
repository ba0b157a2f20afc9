#pragma once

#include <cstdint>

#include "support/ids.h"

namespace meteor {

/// AdaGrad's accumulator of a unit as a byte: its root, by which steps are divided, on the octave grid.
/// Between 1e-12 and 1.5e7 neighbours are 19 % apart; beyond, the first or last byte stands.
float accumulator_of(std::uint8_t byte);

/// One of the two bytes next to a value of at least 0, chosen by `dither`, in [0, 1), such that over evenly spread ones
/// the value is met on average: growth and fading by less than a step add up over the windows and are not rounded away.
std::uint8_t accumulator_byte(float value, double dither);

/// The same with the dither of a unit and window, any number that differs from one to the other.
std::uint8_t accumulator_byte(float value, std::uint64_t window, UnitId unit);

}  // namespace meteor
