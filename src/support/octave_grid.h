#pragma once

#include <cstdint>

namespace meteor {

/// Positive numbers that one byte tells: a logarithmic grid, eight places to an octave, from 2^-19.875 to 2^11.875, the
/// same bits on any machine. Place 0 stands for 0.
float octave_value(std::uint8_t place);

/// The place of the number that is nearest below or at a value above 0; the lowest or highest where there is none.
std::uint8_t octave_place(float value);

}  // namespace meteor
