#pragma once

#include <cstdint>
#include <span>

namespace meteor {

/// Numbers as signed bytes with one scale, a bfloat16: number i is scale · byte i. The largest becomes ±127 and each is
/// off by at most half a scale. What came of rounding is rounded to itself, bit for bit, so that bytes and floats can
/// stand for each other.

/// The scale of some numbers, as bfloat16; 0 where all of them are too small for one. Not finite where a number is not.
std::uint16_t byte_scale(std::span<const float> numbers);

/// The bytes of numbers at their scale, which is finite.
void write_bytes(std::span<const float> numbers, std::uint16_t scale, std::span<std::uint8_t> bytes);

/// The numbers again.
void read_bytes(std::span<const std::uint8_t> bytes, std::uint16_t scale, std::span<float> numbers);

/// Rounds numbers to what bytes can say. Numbers that are not finite stay as they are.
void round_to_bytes(std::span<float> numbers);

}  // namespace meteor
