#include "kernels/multiply_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string_view>
#include <vector>

#include "fixtures/planted_model.h"
#include "kernels/instruction_set.h"
#include "kernels/padded_rows.h"

namespace meteor {
namespace {

using testing::random_rows;

struct Variant {
  std::string_view name;
  void (*multiply)(PaddedRows, PaddedRows, std::size_t, float*);
};

/// Those that this machine can run.
std::vector<Variant> runnable_variants() {
  std::vector<Variant> variants{{"baseline", baseline::multiply_rows}};
#ifdef __x86_64__
  if (best_instruction_set() >= InstructionSet::avx2) variants.push_back({"avx2", avx2::multiply_rows});
  if (best_instruction_set() >= InstructionSet::avx512) variants.push_back({"avx512", avx512::multiply_rows});
#endif
  return variants;
}

PaddedRows padded(const AlignedRows& rows) { return {rows.data(), rows.rows(), rows.stride()}; }

AlignedRows product(const Variant& variant, const AlignedRows& weights, const AlignedRows& rows) {
  AlignedRows out(weights.rows(), rows.width());
  variant.multiply(padded(weights), padded(rows), rows.stride(), out.data());
  return out;
}

bool same_bits(const AlignedRows& a, const AlignedRows& b) {
  return std::memcmp(a.data(), b.data(), a.rows() * a.stride() * sizeof(float)) == 0;
}

/// The sum that a number of the product is, and the sum of its terms' magnitudes.
std::pair<double, double> plain_sum(std::span<const float> weights, const AlignedRows& rows, std::size_t column) {
  double sum = 0, magnitude = 0;
  for (std::size_t k = 0; k < rows.rows(); ++k) {
    const double term = double{weights[k]} * rows.row(k)[column];
    sum += term;
    magnitude += std::abs(term);
  }
  return {sum, magnitude};
}

TEST(MultiplyRows, AreThePlainSumsToWithinRounding) {
  Random random{1};
  for (const std::size_t inner : {1u, 5u, 16u, 101u}) {
    for (const std::size_t width : {1u, 16u, 17u, 63u, 64u, 65u, 300u}) {
      for (const std::size_t count : {1u, 3u, 4u, 5u, 9u}) {
        const AlignedRows weights = random_rows(count, inner, random), rows = random_rows(inner, width, random);
        for (const Variant& variant : runnable_variants()) {
          const AlignedRows out = product(variant, weights, rows);
          for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t j = 0; j < width; ++j) {
              const auto [sum, magnitude] = plain_sum(weights.row(i), rows, j);
              ASSERT_NEAR(out.row(i)[j], sum, magnitude * static_cast<double>(inner + 1) * 0x1p-24)
                  << variant.name << ": " << inner << " rows of " << width << ", row " << i << ", column " << j;
            }
          }
        }
      }
    }
  }
}

TEST(MultiplyRows, WriteTheRowsOfARangeToTheirPlaceAndNothingElse) {
  Random random{2};
  const AlignedRows weights = random_rows(11, 7, random), rows = random_rows(7, 35, random);
  AlignedRows out = random_rows(9, 35, random);
  const std::vector<float> first(out.row(0).begin(), out.row(0).end()), last(out.row(8).begin(), out.row(8).end());
  multiply_rows(weights, {3, 7}, rows, out, 1);
  for (std::size_t i = 0; i < 7; ++i) {
    for (std::size_t j = 0; j < 35; ++j) {
      EXPECT_NEAR(out.row(1 + i)[j], plain_sum(weights.row(3 + i), rows, j).first, 1e-5);
    }
    for (std::size_t j = 35; j < out.stride(); ++j) EXPECT_EQ(out.row(1 + i).data()[j], 0) << "padding stays zero";
  }
  EXPECT_TRUE(std::equal(first.begin(), first.end(), out.row(0).begin()));
  EXPECT_TRUE(std::equal(last.begin(), last.end(), out.row(8).begin()));
}

TEST(MultiplyRows, OfNoWeightsAreZeros) {
  AlignedRows out(2, 20);
  out.row(1)[3] = 5;
  multiply_rows(AlignedRows(2, 0), {0, 2}, AlignedRows(0, 20), out, 0);
  for (std::size_t i = 0; i < 2; ++i) {
    for (const float x : out.row(i)) EXPECT_EQ(x, 0);
  }
  AlignedRows nothing(2, 0);
  multiply_rows(AlignedRows(2, 3), {0, 2}, AlignedRows(3, 0), nothing, 0);
}

TEST(MultiplyRows, DoNotDependOnWhatIsComputedTogether) {
  Random random{3};
  const AlignedRows weights = random_rows(23, 90, random), rows = random_rows(90, 150, random);
  AlignedRows together(23, 150), apart(23, 150);
  multiply_rows(weights, {0, 23}, rows, together, 0);
  for (std::size_t begin = 0, count = 1; begin < 23; begin += count, ++count) {
    count = std::min<std::size_t>(count, 23 - begin);
    multiply_rows(weights, {begin, count}, rows, apart, begin);
  }
  EXPECT_TRUE(same_bits(together, apart));
}

TEST(MultiplyRows, AreTheSameBitsOnAvx2AndAvx512) {
#ifdef __x86_64__
  if (best_instruction_set() != InstructionSet::avx512) GTEST_SKIP() << "this machine has no AVX-512";
  Random random{4};
  for (const std::size_t width : {1u, 16u, 79u, 128u, 300u}) {
    const AlignedRows weights = random_rows(33, 101, random), rows = random_rows(101, width, random);
    EXPECT_TRUE(same_bits(product({"avx2", avx2::multiply_rows}, weights, rows),
                          product({"avx512", avx512::multiply_rows}, weights, rows)));
  }
#else
  GTEST_SKIP() << "only x86-64 has these instruction sets";
#endif
}

}  // namespace
}  // namespace meteor
