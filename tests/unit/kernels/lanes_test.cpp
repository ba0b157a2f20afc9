#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "kernels/instruction_set.h"
#include "lanes_under_test.h"

namespace meteor {
namespace {

using Roots = void (*)(const float*, std::size_t, float*);
struct Variant {
  std::string_view name;
  Roots square_roots;
  Roots rough_inverse_roots;
  float bound;  ///< of the relative error of rough_inverse_roots
};

std::vector<Variant> runnable_variants() {
  std::vector<Variant> variants{{"baseline", baseline::square_roots, baseline::rough_inverse_roots, 0x1p-23F}};
#if defined(__x86_64__)
  if (best_instruction_set() >= InstructionSet::avx2) {
    variants.push_back({"avx2", avx2::square_roots, avx2::rough_inverse_roots, 1.5F * 0x1p-12F});
  }
  if (best_instruction_set() >= InstructionSet::avx512) {
    variants.push_back({"avx512", avx512::square_roots, avx512::rough_inverse_roots, 0x1p-14F});
  }
#endif
  return variants;
}

constexpr std::size_t kBlock = 4096;

/// Calls check(numbers) for all floats of two neighbouring powers of two, 2ⁿ and 2ⁿ⁺¹, a block at a time: roots of
/// others are the same but for the exponent.
template <class Check>
void for_every_mantissa(int power, Check&& check) {
  std::vector<float> numbers(kBlock);
  const auto first = static_cast<std::uint32_t>(127 + power) << 23;
  for (std::uint32_t begin = 0; begin < 2u << 23; begin += kBlock) {
    for (std::uint32_t i = 0; i < kBlock; ++i) numbers[i] = std::bit_cast<float>(first + begin + i);
    check(numbers);
  }
}

std::size_t count_differences(const std::vector<float>& numbers, const std::vector<float>& roots) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) wrong += roots[i] != std::sqrt(numbers[i]) ? 1 : 0;
  return wrong;
}

TEST(Lanes, SquareRootsAreCorrectlyRounded) {
  std::vector<float> roots(kBlock);
  for (const Variant& variant : runnable_variants()) {
    for (const int power : {-100, 0, 125}) {
      std::size_t wrong = 0;
      for_every_mantissa(power, [&](const std::vector<float>& numbers) {
        variant.square_roots(numbers.data(), kBlock, roots.data());
        wrong += count_differences(numbers, roots);
      });
      EXPECT_EQ(wrong, 0u) << variant.name << ", from 2^" << power;
    }
  }
}

#if defined(__x86_64__)
TEST(Lanes, SquareRootsDoNotDependOnTheProcessorsApproximation) {
  if (best_instruction_set() != InstructionSet::avx512) GTEST_SKIP() << "this machine has no AVX-512";
  std::vector<float> starts(kBlock), roots(kBlock);
  for (const float error : {-0x1p-14F, 0.0F, 0x1p-14F}) {
    std::size_t wrong = 0;
    for_every_mantissa(0, [&](const std::vector<float>& numbers) {
      for (std::size_t i = 0; i < kBlock; ++i) starts[i] = (1 + error) / std::sqrt(numbers[i]);
      avx512::refined_roots(numbers.data(), starts.data(), kBlock, roots.data());
      wrong += count_differences(numbers, roots);
    });
    EXPECT_EQ(wrong, 0u) << "from approximations that are off by " << error;
  }
}
#endif

TEST(Lanes, RoughInverseRootsKeepTheirBound) {
  std::vector<float> roots(kBlock);
  for (const Variant& variant : runnable_variants()) {
    double worst = 0;
    for_every_mantissa(0, [&](const std::vector<float>& numbers) {
      variant.rough_inverse_roots(numbers.data(), kBlock, roots.data());
      for (std::size_t i = 0; i < kBlock; ++i) {
        worst = std::max(worst, std::abs(roots[i] * std::sqrt(static_cast<double>(numbers[i])) - 1));
      }
    });
    EXPECT_LT(worst, variant.bound) << variant.name;
  }
}

}  // namespace
}  // namespace meteor
