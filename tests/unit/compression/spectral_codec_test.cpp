#include "compression/spectral/spectral_codec.h"

#include <gtest/gtest.h>

#include "fixtures/spectral_plans.h"

namespace meteor {
namespace {

using testing::decoded;
using testing::mixed_bits;
using testing::planned;
using testing::random_rows;
using testing::rows_within;
using testing::squared_distance;

SpectralPlan mixed_plan(std::size_t components = 30, std::size_t dimension = 40) {
  return SpectralPlan(planned(components, dimension, 1, mixed_bits));
}

/// A plan in which every component has so many bits.
SpectralPlan even_plan(std::size_t bits, std::size_t components = 40) {
  return SpectralPlan(planned(components, 40, 1, [&](auto...) { return bits; }));
}

std::vector<std::uint8_t> tables_in_turn(std::size_t count) {
  std::vector<std::uint8_t> tables;
  for (std::size_t i = 0; i < count; ++i) tables.push_back(static_cast<std::uint8_t>(i % 12));
  return tables;
}

TEST(SpectralCodec, TellsTheErrorThatDecodingMakes) {
  Random random{3};
  const SpectralPlan plan = mixed_plan();
  const AlignedRows rows = random_rows(600, 40, random);  // more than are encoded together
  CodingLoss loss;
  const PackedCodes codes = encode_rows(plan, rows, tables_in_turn(600), loss);
  const double energy = rows_of(rows).cast<double>().squaredNorm();
  EXPECT_NEAR(loss.energy, energy, 1e-5 * energy);
  const double error = squared_distance(rows, decoded(plan, codes));
  EXPECT_NEAR(loss.error, error, 1e-4 * error);
}

TEST(SpectralCodec, SeveralThreadsGiveTheSameCodesAndTheSameLoss) {
  Random random{5};
  const SpectralPlan plan = mixed_plan();
  const AlignedRows rows = rows_within(plan, 2000, 1, random);
  CodingLoss one, three;
  const PackedCodes alone = encode_rows(plan, rows, tables_in_turn(2000), one);
  const PackedCodes together = encode_rows(plan, rows, tables_in_turn(2000), three, 3);
  EXPECT_EQ(together.bytes, alone.bytes);
  EXPECT_EQ(together.scales, alone.scales);
  EXPECT_EQ(three.error, one.error);
  EXPECT_EQ(three.energy, one.energy);
}

TEST(SpectralCodec, CodesFollowEachOtherInAsManyBytesAsTheirTablesSay) {
  Random random{4};
  const SpectralPlan plan = mixed_plan();
  const std::vector<std::uint8_t> tables = tables_in_turn(50);
  const AlignedRows rows = rows_within(plan, 50, 1, random);
  CodingLoss loss;
  const PackedCodes all = encode_rows(plan, rows, tables, loss);
  EXPECT_EQ(all.tables, tables);
  ASSERT_EQ(all.scales.size(), 50u);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < 50; ++i) {
    AlignedRows one(1, 40);
    std::copy(rows.row(i).begin(), rows.row(i).end(), one.row(0).begin());
    const PackedCodes alone = encode_rows(plan, one, {&tables[i], 1}, loss);
    ASSERT_EQ(alone.bytes.size(), plan.table(tables[i]).bytes);
    ASSERT_LE(begin + alone.bytes.size(), all.bytes.size());
    EXPECT_TRUE(
        std::equal(alone.bytes.begin(), alone.bytes.end(), all.bytes.begin() + static_cast<std::ptrdiff_t>(begin)));
    EXPECT_EQ(alone.scales[0], all.scales[i]);
    begin += alone.bytes.size();
  }
  EXPECT_EQ(begin, all.bytes.size());
}

TEST(SpectralCodec, WhatWasDecodedIsEncodedAsItWas) {
  Random random{5};
  const SpectralPlan plan = mixed_plan(200, 240);
  for (const float size : {0.01F, 1.0F, 50.0F}) {
    CodingLoss loss, again;
    const PackedCodes first = encode_rows(plan, rows_within(plan, 1000, size, random), tables_in_turn(1000), loss);
    const PackedCodes second = encode_rows(plan, decoded(plan, first), tables_in_turn(1000), again);
    std::size_t other_scales = 0;
    for (std::size_t i = 0; i < 1000; ++i) other_scales += first.scales[i] != second.scales[i];
    EXPECT_LE(other_scales, 5u) << size;  // whose scale is further off than is looked for
    if (other_scales == 0) {
      EXPECT_EQ(first.bytes, second.bytes) << size;
    }
    EXPECT_LT(again.error, 1e-4 * again.energy);
    EXPECT_LT(again.error, 1e-3 * loss.error);
  }
}

TEST(SpectralCodec, EveryNumberOfBitsLosesWhatItShould) {
  double previous = 1;
  for (std::size_t bits = 1; bits <= kMostBits; ++bits) {
    Random random{6};
    const SpectralPlan plan = even_plan(bits);
    const AlignedRows rows = rows_within(plan, 2000, 0.3F, random);
    CodingLoss loss;
    const PackedCodes codes = encode_rows(plan, rows, std::vector<std::uint8_t>(2000), loss);
    EXPECT_EQ(codes.bytes.size(), 2000 * 5 * bits);
    const double share = squared_distance(rows, decoded(plan, codes)) / rows_of(rows).cast<double>().squaredNorm();
    EXPECT_LT(share, 1.1 * kLevelErrors[bits]) << bits;
    EXPECT_GT(share, 0.1 * kLevelErrors[bits]) << "each row has the scale that suits it best";
    EXPECT_LT(share, 0.5 * previous) << bits;
    previous = share;
  }
}

TEST(SpectralCodec, OneMoreBitForAnyComponentLosesLess) {
  constexpr std::size_t kComponents = 12;
  const auto lost = [&](std::size_t richer) {
    const SpectralPlan plan(
        planned(kComponents, 16, 1, [&](std::size_t, std::size_t i) { return i == richer ? 4 : 3; }));
    Random again{8};
    CodingLoss loss;
    encode_rows(plan, rows_within(plan, 500, 1, again), std::vector<std::uint8_t>(500), loss);
    return loss.error;
  };
  const double even = lost(kComponents);
  for (std::size_t i = 0; i < kComponents; ++i) EXPECT_LT(lost(i), even) << i;
}

TEST(SpectralCodec, RowsOfZerosStayZeros) {
  Random random{9};
  const SpectralPlan plan = mixed_plan();
  AlignedRows rows = rows_within(plan, 24, 1, random);
  for (const std::size_t i : {0u, 13u}) std::fill(rows.row(i).begin(), rows.row(i).end(), 0.0F);
  CodingLoss loss;
  const PackedCodes codes = encode_rows(plan, rows, tables_in_turn(24), loss);
  const AlignedRows after = decoded(plan, codes);
  for (const std::size_t i : {0u, 13u}) {
    EXPECT_EQ(codes.scales[i], 0);
    for (const float x : after.row(i)) EXPECT_EQ(x, 0);
  }
  EXPECT_GT(codes.scales[1], 0);
}

TEST(SpectralCodec, AxesAfterTheLastComponentAreLost) {
  const SpectralPlan plan(planned(3, 8, 1, [](auto...) { return 12; }));
  AlignedRows rows(1, 8);
  rows.row(0)[0] = 2;
  rows.row(0)[4] = 3;
  CodingLoss loss;
  const std::uint8_t table = 0;
  encode_rows(plan, rows, {&table, 1}, loss);
  EXPECT_NEAR(loss.energy, 13, 1e-3);
  EXPECT_NEAR(loss.error, 9, 1e-3);
}

TEST(SpectralCodec, APlanWithoutComponentsLosesEverything) {
  Random random{11};
  const SpectralPlan plan(planned(0, 20, 1, mixed_bits));
  const AlignedRows rows = random_rows(3, 20, random);
  CodingLoss loss;
  const PackedCodes codes = encode_rows(plan, rows, tables_in_turn(3), loss);
  EXPECT_TRUE(codes.bytes.empty());
  EXPECT_EQ(codes.scales, std::vector<std::uint8_t>(3));
  EXPECT_NEAR(loss.error, loss.energy, 1e-6);
  const AlignedRows after = decoded(plan, codes);
  for (const float x : after.row(1)) EXPECT_EQ(x, 0);
}

}  // namespace
}  // namespace meteor
