#include "compression/spectral/spectral_plan.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>

#include "fixtures/spectral_plans.h"

namespace meteor {
namespace {

using testing::mixed_bits;
using testing::planned;

SpectralPlan::Stored some_stored(std::size_t components = 7, std::size_t dimension = 20) {
  return planned(components, dimension, 2, mixed_bits);
}

bool same_bits(const AlignedRows& a, const AlignedRows& b) {
  return a.rows() == b.rows() && std::memcmp(a.data(), b.data(), a.rows() * a.stride() * sizeof(float)) == 0;
}

TEST(SpectralPlan, ReadsBackWhatItsArraysHold) {
  const SpectralPlan plan(some_stored());
  const std::vector<Array> arrays = plan.arrays("there/");
  const SpectralPlan copy(SpectralPlan::stored_from("there/", arrays, 20));
  EXPECT_EQ(content_hash(copy.arrays("there/")), content_hash(arrays));
  EXPECT_EQ(copy.dimension(), 20u);
  EXPECT_EQ(copy.components(), 7u);
  EXPECT_EQ(copy.attributes(), 2u);
  EXPECT_EQ(copy.windows(), 10u);
  ASSERT_EQ(copy.tables().size(), plan.tables().size());
  for (std::size_t t = 0; t < copy.tables().size(); ++t) {
    EXPECT_EQ(copy.tables()[t].components, plan.tables()[t].components);
    EXPECT_EQ(copy.tables()[t].bits, plan.tables()[t].bits);
    EXPECT_TRUE(same_bits(copy.tables()[t].numbers, plan.tables()[t].numbers));
  }
}

TEST(SpectralPlan, TablesSayWhichComponentsHaveBits) {
  const SpectralPlan plan(some_stored());
  ASSERT_EQ(plan.tables().size(), 24u);
  for (std::size_t t = 0; t < 24; ++t) {
    const CodeTable& table = plan.tables()[t];
    std::size_t place = 0, bits = 0;
    for (std::size_t i = 0; i < 7; ++i) {
      if (mixed_bits(t, i) == 0) continue;
      ASSERT_LT(place, table.components.size());
      EXPECT_EQ(table.components[place], i);
      EXPECT_EQ(table.bits[place], mixed_bits(t, i));
      const float deviation = from_bfloat16(plan.stored().deviations[t / 12 * 7 + i]);
      EXPECT_FLOAT_EQ(table.numbers.row(CodeTable::step)[place], deviation * kLevelSteps[mixed_bits(t, i)]);
      EXPECT_FLOAT_EQ(table.numbers.row(CodeTable::highest)[place],
                      std::exp2f(static_cast<float>(mixed_bits(t, i)) - 1) - 0.5F);
      ++place;
      bits += mixed_bits(t, i);
    }
    EXPECT_EQ(table.components.size(), place);
    EXPECT_EQ(table.bytes, (bits + 7) / 8);
  }
}

TEST(SpectralPlan, CountsTheBytesOfItsArrays) {
  for (const std::size_t components : {1u, 2u, 7u, 20u}) {
    const SpectralPlan plan(some_stored(components));
    EXPECT_EQ(plan.bytes(), decoding_bytes(plan.arrays("")));
    EXPECT_EQ(SpectralPlan::bytes_for(components, 2), plan.bytes());
  }
}

TEST(SpectralPlan, PartsThatDoNotFitTogetherAreRefused) {
  using Damage = std::function<void(SpectralPlan::Stored&)>;
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  const std::pair<const char*, Damage> damages[] = {
      {"fewer dimensions than components", [](auto& stored) { stored.dimension = 6; }},
      {"a deviation less", [](auto& stored) { stored.deviations.pop_back(); }},
      {"a byte more of bits", [](auto& stored) { stored.bits.push_back(0); }},
      {"another attribute", [](auto& stored) { ++stored.attributes; }},
      {"more bits than there are", [](auto& stored) { stored.bits[0] = 13; }},
      {"a deviation of 0", [](auto& stored) { stored.deviations[1] = 0; }},
      {"a deviation below 0", [](auto& stored) { stored.deviations[1] = bfloat16_of(-1); }},
      {"a deviation that is none", [&](auto& stored) { stored.deviations[1] = bfloat16_of(nan); }},
      {"an infinite deviation", [&](auto& stored) { stored.deviations[1] = bfloat16_of(infinity); }},
      {"a deviation that is none, of a component without bits",
       [&](auto& stored) {
         std::ranges::fill(stored.bits, 0);
         stored.deviations[1] = bfloat16_of(nan);
       }},
      {"a loss that is none", [&](auto& stored) { stored.expected_loss = nan; }},
      {"a loss below 0", [](auto& stored) { stored.expected_loss = -0.5F; }},
      {"a loss of more than all", [](auto& stored) { stored.expected_loss = 1.5F; }},
      {"more windows than there can be", [](auto& stored) { stored.windows = std::uint64_t{1} << 32; }},
      {"more units than there can be", [](auto& stored) { stored.units = std::uint64_t{1} << 32; }},
  };
  EXPECT_NO_THROW(SpectralPlan{some_stored()});
  for (const auto& [name, damage] : damages) {
    SpectralPlan::Stored stored = some_stored();
    damage(stored);
    EXPECT_THROW(SpectralPlan(std::move(stored)), StorageError) << name;
  }
}

TEST(SpectralPlan, ArraysOfOtherShapesAreRefused) {
  const SpectralPlan plan(some_stored());
  for (std::size_t i = 0; i < plan.arrays("").size(); ++i) {
    std::vector<Array> arrays = plan.arrays("");
    arrays.erase(arrays.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_THROW(SpectralPlan::stored_from("", arrays, 20), StorageError);
  }
  std::vector<Array> arrays = plan.arrays("");
  for (Array& array : arrays) {
    if (array.name == "deviation") array.shape = {14};
  }
  EXPECT_THROW(SpectralPlan::stored_from("", arrays, 20), StorageError);
}

TEST(SpectralPlan, MayHaveNoComponents) {
  const SpectralPlan plan(planned(0, 20, 2, mixed_bits));
  EXPECT_EQ(plan.components(), 0u);
  EXPECT_EQ(plan.bytes(), 0u);
  EXPECT_EQ(plan.table(23).bytes, 0u);
  EXPECT_EQ(SpectralPlan(SpectralPlan::stored_from("", plan.arrays(""), 20)).components(), 0u);
}

TEST(SpectralPlan, AByteTellsAttributeAndClass) {
  EXPECT_EQ(SpectralPlan::classes_for(1), 12u);
  EXPECT_EQ(SpectralPlan::classes_for(21), 12u);
  EXPECT_EQ(SpectralPlan::classes_for(22), 11u);
  EXPECT_EQ(SpectralPlan::classes_for(256), 1u);
  EXPECT_THROW(SpectralPlan::classes_for(257), UsageError);
  for (std::size_t attributes = 1; attributes <= 256; ++attributes) {
    ASSERT_LE(attributes * SpectralPlan::classes_for(attributes), 256u);
  }
}

TEST(SpectralPlan, ClassesAreBinaryLogarithmsOfCounts) {
  EXPECT_EQ(class_of(0, 12), 0u);
  EXPECT_EQ(class_of(1, 12), 0u);
  EXPECT_EQ(class_of(2, 12), 1u);
  EXPECT_EQ(class_of(3, 12), 1u);
  EXPECT_EQ(class_of(4, 12), 2u);
  EXPECT_EQ(class_of(2047, 12), 10u);
  EXPECT_EQ(class_of(2048, 12), 11u);
  EXPECT_EQ(class_of(std::numeric_limits<std::uint32_t>::max(), 12), 11u);
  EXPECT_EQ(class_of(100, 1), 0u);
}

TEST(SpectralPlan, CountsAreTakenForAsManyWindowsAsItSaw) {
  const SpectralPlan plan(some_stored());  // saw ten
  EXPECT_EQ(plan.table_of(AttributeId{0}, 1, 10), 0);
  EXPECT_EQ(plan.table_of(AttributeId{0}, 16, 10), 4);
  EXPECT_EQ(plan.table_of(AttributeId{1}, 16, 10), 12 + 4);
  EXPECT_EQ(plan.table_of(AttributeId{0}, 16, 20), 3);
  EXPECT_EQ(plan.table_of(AttributeId{0}, 16, 40), 2);
  EXPECT_EQ(plan.table_of(AttributeId{1}, 16, 10000), 12);
  EXPECT_EQ(plan.table_of(AttributeId{0}, 16, 5), 4) << "fewer windows do not make a unit more frequent";
  EXPECT_EQ(plan.table_of(AttributeId{1}, 4'000'000'000, 12), 12 + 11);
}

}  // namespace
}  // namespace meteor
