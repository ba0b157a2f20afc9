#include "compression/clusters/scaled_bytes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/bfloat16.h"

namespace meteor {
namespace {

constexpr float kLargestByte = 127;

/// Within ±127, since the scale of numbers is their largest by 127 to within 2⁻⁹ of itself.
int nearest_byte(float number, float scale) {
  const float exact = scale > 0 ? number / scale : 0.0F;
  return static_cast<int>(exact + (exact < 0 ? -0.5F : 0.5F));
}

}  // namespace

std::uint16_t byte_scale(std::span<const float> numbers) {
  float largest = 0;
  for (const float number : numbers) {
    if (!std::isfinite(number)) return bfloat16_of(std::numeric_limits<float>::quiet_NaN());
    largest = std::max(largest, std::abs(number));
  }
  const float scale = largest / kLargestByte;
  return scale < std::numeric_limits<float>::min() ? std::uint16_t{0} : bfloat16_of(scale);
}

void write_bytes(std::span<const float> numbers, std::uint16_t scale, std::span<std::uint8_t> bytes) {
  const float width = from_bfloat16(scale);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    bytes[i] = static_cast<std::uint8_t>(nearest_byte(numbers[i], width));
}

void read_bytes(std::span<const std::uint8_t> bytes, std::uint16_t scale, std::span<float> numbers) {
  const float width = from_bfloat16(scale);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    numbers[i] = width * static_cast<float>(static_cast<std::int8_t>(bytes[i]));
  }
}

void round_to_bytes(std::span<float> numbers) {
  const float width = from_bfloat16(byte_scale(numbers));
  if (!std::isfinite(width)) return;
  for (float& number : numbers) number = width * static_cast<float>(nearest_byte(number, width));
}

}  // namespace meteor
