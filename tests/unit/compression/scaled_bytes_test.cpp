#include "compression/clusters/scaled_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/bfloat16.h"
#include "support/random.h"

namespace meteor {
namespace {

/// Numbers whose largest is about the given size.
std::vector<float> random_numbers(std::size_t count, float size, Random& random) {
  std::vector<float> numbers(count);
  for (float& x : numbers) x = size * static_cast<float>(2 * random.uniform() - 1);
  return numbers;
}

float largest_of(const std::vector<float>& numbers) {
  float largest = 0;
  for (const float x : numbers) largest = std::max(largest, std::abs(x));
  return largest;
}

TEST(ScaledBytes, AreOffByAtMostHalfAScale) {
  Random random{1};
  for (int trial = 0; trial < 2000; ++trial) {
    const std::vector<float> exact = random_numbers(1 + random.below(300), std::ldexp(1.0F, trial % 200 - 100), random);
    std::vector<float> rounded = exact;
    round_to_bytes(rounded);
    const float scale = from_bfloat16(byte_scale(exact));
    ASSERT_LE(scale, largest_of(exact) / 127 * 1.005F);
    for (std::size_t i = 0; i < exact.size(); ++i) ASSERT_LE(std::abs(rounded[i] - exact[i]), 0.5001F * scale);
  }
}

TEST(ScaledBytes, OfRoundedNumbersAreTheSameBitForBit) {
  Random random{2};
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<float> once = random_numbers(1 + random.below(50), std::ldexp(1.0F, trial % 200 - 100), random);
    const std::uint16_t scale = byte_scale(once);
    std::vector<std::uint8_t> bytes(once.size());
    write_bytes(once, scale, bytes);
    round_to_bytes(once);
    std::vector<float> read(once.size());
    read_bytes(bytes, scale, read);
    ASSERT_EQ(read, once);
    ASSERT_EQ(byte_scale(read), scale);
    std::vector<std::uint8_t> again(once.size());
    write_bytes(read, scale, again);
    ASSERT_EQ(again, bytes);
    ASSERT_EQ(static_cast<int>(largest_of(read) / from_bfloat16(scale)), 127);
  }
}

TEST(ScaledBytes, OfNothingOrNextToNothingAreZero) {
  for (std::vector<float> numbers : {std::vector<float>{}, {0, 0, 0}, {1e-40F, -1e-41F, 0}}) {
    EXPECT_EQ(byte_scale(numbers), 0);
    round_to_bytes(numbers);
    EXPECT_EQ(largest_of(numbers), 0);
  }
}

TEST(ScaledBytes, HaveNoFiniteScaleWhereANumberIsNotFinite) {
  for (const float broken : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    std::vector<float> numbers{1, broken, 2};
    EXPECT_FALSE(std::isfinite(from_bfloat16(byte_scale(numbers))));
    round_to_bytes(numbers);
    EXPECT_EQ(numbers[2], 2) << "they stay for the caller to find";
  }
}

}  // namespace
}  // namespace meteor
