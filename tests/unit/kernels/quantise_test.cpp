#include "kernels/quantise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "kernels/instruction_set.h"
#include "support/aligned_rows.h"
#include "support/random.h"

namespace meteor {
namespace {

struct Variant {
  std::string_view name;
  void (*errors)(const Quantisation&, const float*, std::size_t, float*);
  void (*pairs)(const Quantisation&, float, const std::uint64_t*, std::int32_t*, std::uint64_t*);
  float (*squared_norm)(const float*, const float*, std::size_t);

  float error(const Quantisation& quantisation, float scale) const {
    float error = 0;
    errors(quantisation, &scale, 1, &error);
    return error;
  }
};

/// Those that this machine can run, and the one that chooses among them.
std::vector<Variant> runnable_variants() {
  std::vector<Variant> variants{
      {"chosen", quantisation_errors, quantise_pairs, squared_norm},
      {"baseline", baseline::quantisation_errors, baseline::quantise_pairs, baseline::squared_norm}};
#ifdef __x86_64__
  if (best_instruction_set() >= InstructionSet::avx2) {
    variants.push_back({"avx2", avx2::quantisation_errors, avx2::quantise_pairs, avx2::squared_norm});
  }
  if (best_instruction_set() >= InstructionSet::avx512) {
    variants.push_back({"avx512", avx512::quantisation_errors, avx512::quantise_pairs, avx512::squared_norm});
  }
#endif
  return variants;
}

/// Numbers of 1 to 12 bits in turn, some of them far beyond their highest level.
class Numbers {
 public:
  Numbers(std::size_t count, Random& random) : count_(count), rows_(4, count) {
    for (std::size_t i = 0; i < count; ++i) {
      const float step = 0.01F + static_cast<float>(random.uniform());
      const float highest = static_cast<float>(1 << i % 12) - 0.5F;
      const double spread = i % 5 == 0 ? 8 : 2;
      rows_.row(0)[i] = static_cast<float>(spread * (random.uniform() - 0.5)) * highest * step;
      rows_.row(1)[i] = step;
      rows_.row(2)[i] = 1 / step;
      rows_.row(3)[i] = highest;
    }
  }
  std::size_t count() const { return count_; }
  std::size_t width() const { return rows_.stride(); }
  float value(std::size_t i) const { return rows_.row(0)[i]; }
  float step(std::size_t i) const { return rows_.row(1)[i]; }
  float highest(std::size_t i) const { return rows_.row(3)[i]; }
  Quantisation quantisation() const {
    return {rows_.row(0).data(), rows_.row(1).data(), rows_.row(2).data(), rows_.row(3).data(), rows_.stride()};
  }
  void put_behind_the_end(float value) {
    std::fill(rows_.row(0).data() + count_, rows_.row(0).data() + width(), value);
  }

  /// The level of each number, of which pairs tell how many are below it.
  std::vector<float> levels_by(const Variant& variant, float scale) const {
    const std::vector<std::uint64_t> first_bits(width() / 2, 12);
    std::vector<std::int32_t> numbers(width());
    std::vector<std::uint64_t> pairs(width() / 2);
    variant.pairs(quantisation(), scale, first_bits.data(), numbers.data(), pairs.data());
    std::vector<float> levels;
    for (std::size_t i = 0; i < width(); ++i) {
      const std::uint64_t number = i % 2 == 0 ? pairs[i / 2] & 4095 : pairs[i / 2] >> 12;
      levels.push_back(static_cast<float>(number) - rows_.row(3).data()[i]);
    }
    return levels;
  }

  /// How far a number is from the nearest of all its levels, by trying them.
  double distance(std::size_t i, double scale) const {
    double nearest = INFINITY;
    for (double level = -highest(i); level <= highest(i); level += 1) {
      nearest = std::min(nearest, std::abs(value(i) - level * step(i) * scale));
    }
    return nearest;
  }

 private:
  std::size_t count_;
  AlignedRows rows_;
};

constexpr float kScales[] = {0.001F, 0.5F, 1, 1.7F, 30};

TEST(Quantise, GivesTheNearestOfAllLevels) {
  Random random{1};
  for (const std::size_t count : {1u, 12u, 16u, 17u, 100u}) {
    Numbers numbers(count, random);
    for (const float scale : kScales) {
      for (const Variant& variant : runnable_variants()) {
        SCOPED_TRACE(std::string(variant.name) + ": " + std::to_string(count) + " at " + std::to_string(scale));
        const std::vector<float> levels = numbers.levels_by(variant, scale);
        for (std::size_t i = 0; i < count; ++i) {
          EXPECT_EQ(levels[i] - 0.5F, std::floor(levels[i])) << "an odd multiple of a half";
          ASSERT_LE(std::abs(levels[i]), numbers.highest(i));
          const double off = std::abs(numbers.value(i) - double{levels[i]} * numbers.step(i) * scale);
          EXPECT_NEAR(off, numbers.distance(i, scale), 1e-6 * std::abs(numbers.value(i)) + 1e-12) << "number " << i;
        }
      }
    }
  }
}

TEST(Quantise, TellsTheErrorThatItMakes) {
  Random random{2};
  for (const std::size_t count : {1u, 12u, 16u, 17u, 300u}) {
    const Numbers numbers(count, random);
    for (const float scale : kScales) {
      double expected = 0, magnitude = 0;
      for (std::size_t i = 0; i < count; ++i) {
        expected += std::pow(numbers.distance(i, scale), 2);
        magnitude += numbers.distance(i, scale) * std::abs(numbers.value(i));
      }
      for (const Variant& variant : runnable_variants()) {
        EXPECT_NEAR(variant.error(numbers.quantisation(), scale), expected, 1e-5 * expected + 1e-6 * magnitude)
            << variant.name << ": " << count << " at " << scale;
      }
    }
  }
}

TEST(Quantise, TellsTheErrorsOfManyScalesAsOfEachAlone) {
  Random random{5};
  const Numbers numbers(79, random);
  std::vector<float> scales, together(13);
  for (int i = 0; i < 13; ++i) scales.push_back(0.4F + 0.13F * static_cast<float>(i));
  for (const Variant& variant : runnable_variants()) {
    for (std::size_t count = 0; count <= scales.size(); ++count) {
      variant.errors(numbers.quantisation(), scales.data(), count, together.data());
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(together[i], variant.error(numbers.quantisation(), scales[i])) << variant.name;
      }
    }
  }
}

TEST(Quantise, SumsSquaresWithAndWithoutFactors) {
  Random random{6};
  for (const std::size_t count : {1u, 16u, 33u, 300u}) {
    const Numbers numbers(count, random);
    const Quantisation rows = numbers.quantisation();
    double plain = 0, scaled = 0;
    for (std::size_t i = 0; i < count; ++i) {
      plain += std::pow(double{rows.values[i]}, 2);
      scaled += std::pow(double{rows.values[i]} * rows.inverse_steps[i], 2);
    }
    for (const Variant& variant : runnable_variants()) {
      EXPECT_NEAR(variant.squared_norm(rows.values, nullptr, rows.width), plain, 1e-5 * plain) << variant.name;
      EXPECT_NEAR(variant.squared_norm(rows.values, rows.inverse_steps, rows.width), scaled, 1e-5 * scaled)
          << variant.name;
    }
  }
}

TEST(Quantise, IgnoresWhatLiesBehindTheNumbers) {
  Random random{3};
  for (const std::size_t count : {1u, 15u, 33u}) {
    Numbers numbers(count, random);
    for (const Variant& variant : runnable_variants()) {
      numbers.put_behind_the_end(0);
      const float error = variant.error(numbers.quantisation(), 1.5F);
      numbers.put_behind_the_end(1000);
      EXPECT_EQ(variant.error(numbers.quantisation(), 1.5F), error) << variant.name;
      const std::vector<float> levels = numbers.levels_by(variant, 1.5F);
      for (std::size_t i = count; i < levels.size(); ++i) EXPECT_EQ(levels[i], 0) << variant.name;
    }
  }
}

TEST(Quantise, IsTheSameBitsOnAvx2AndAvx512) {
#ifdef __x86_64__
  if (best_instruction_set() != InstructionSet::avx512) GTEST_SKIP() << "this machine has no AVX-512";
  Random random{4};
  const std::vector<Variant> variants = runnable_variants();
  for (const std::size_t count : {1u, 16u, 79u, 300u}) {
    Numbers numbers(count, random);
    for (const float scale : kScales) {
      const float error = variants[2].error(numbers.quantisation(), scale);
      EXPECT_EQ(variants[3].error(numbers.quantisation(), scale), error);
      EXPECT_EQ(variants[0].error(numbers.quantisation(), scale), error);
      EXPECT_EQ(numbers.levels_by(variants[2], scale), numbers.levels_by(variants[3], scale));
    }
    const Quantisation rows = numbers.quantisation();
    EXPECT_EQ(avx2::squared_norm(rows.values, rows.inverse_steps, rows.width),
              avx512::squared_norm(rows.values, rows.inverse_steps, rows.width));
  }
#else
  GTEST_SKIP() << "only x86-64 has these instruction sets";
#endif
}

}  // namespace
}  // namespace meteor
