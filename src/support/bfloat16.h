#pragma once

#include <bit>
#include <cstdint>

namespace meteor {

/// The upper half of a float, rounded to nearest, ties to even: 8 bits of precision, the range of float. What is not
/// finite stays so.
inline std::uint16_t bfloat16_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7f800000u) == 0x7f800000u) {
    return static_cast<std::uint16_t>((bits >> 16) | ((bits & 0xffffu) != 0 ? 0x40u : 0u));
  }
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

inline float from_bfloat16(std::uint16_t half) { return std::bit_cast<float>(std::uint32_t{half} << 16); }

}  // namespace meteor
