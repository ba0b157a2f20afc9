#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace meteor {

inline bool all_finite(std::span<const float> values) {
  constexpr std::uint32_t exponent = 0x7f800000;  // all ones: infinite or not a number
  std::uint32_t broken = 0;                       // without a branch, many values are looked at together
  for (const float x : values) broken |= (std::bit_cast<std::uint32_t>(x) & exponent) == exponent ? 1u : 0u;
  return broken == 0;
}

}  // namespace meteor
