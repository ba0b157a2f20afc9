#include "compression/spectral/bit_allocation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "compression/spectral/quantiser.h"
#include "compression/spectral/spectral_plan.h"
#include "support/error.h"

namespace meteor {
namespace {

/// Attributes whose components' variances fall as a power of their number, and whose classes are half as large each as
/// the one before.
CodeStatistics falling(std::size_t dimension, std::uint64_t units, double power, std::size_t attributes = 2) {
  CodeStatistics statistics;
  statistics.dimension = dimension;
  statistics.classes = SpectralPlan::classes_for(attributes);
  for (std::size_t a = 0; a < attributes; ++a) {
    auto& variances = statistics.variances.emplace_back();
    for (std::size_t i = 0; i < dimension; ++i) {
      variances.push_back(std::pow(static_cast<double>(i + 1), -power * static_cast<double>(a + 1)));
    }
    const double sum = std::accumulate(variances.begin(), variances.end(), 0.0);
    for (double& variance : variances) variance /= sum;
    std::uint64_t left = units / attributes;
    for (std::size_t k = 0; k < statistics.classes; ++k) {
      const std::uint64_t members = k + 1 < statistics.classes ? (left + 1) / 2 : left;
      statistics.tables.push_back({members, std::exp2(static_cast<double>(k) / 4)});
      left -= members;
    }
  }
  return statistics;
}

std::uint64_t full_bytes(const CodeStatistics& statistics) {
  std::uint64_t units = 0;
  for (const UnitClass& members : statistics.tables) units += members.units;
  return units * statistics.dimension * sizeof(float);
}

std::uint64_t share_of(const CodeStatistics& statistics, double percent) {
  return static_cast<std::uint64_t>(percent / 100 * static_cast<double>(full_bytes(statistics)));
}

std::size_t sum_of(const std::vector<std::uint8_t>& bits) {
  return std::accumulate(bits.begin(), bits.end(), std::size_t{0});
}

TEST(BitAllocation, UsesItsBudgetAndNeverMore) {
  for (const std::uint64_t units : {5000u, 200000u}) {
    for (const double power : {0.3, 1.0, 2.0}) {
      for (const std::size_t attributes : {1u, 3u}) {
        const CodeStatistics statistics = falling(300, units, power, attributes);
        for (const double percent : {3.0, 5.0, 10.0, 20.0}) {
          const std::uint64_t budget = share_of(statistics, percent);
          const BitAllocation allocation = allocate_bits(statistics, budget);
          const auto trace = testing::Message() << units << " units of " << attributes << " attributes, power " << power
                                                << ", " << percent << " %, loss " << allocation.loss;
          EXPECT_LE(allocation.bytes, budget) << trace;
          EXPECT_GE(static_cast<double>(allocation.bytes), 0.97 * static_cast<double>(budget)) << trace;
        }
      }
    }
  }
}

TEST(BitAllocation, TellsTheBytesAndTheLossOfItsBits) {
  const CodeStatistics statistics = falling(64, 900, 3);
  const BitAllocation allocation = allocate_bits(statistics, share_of(statistics, 6));
  ASSERT_GT(allocation.components, 0u);
  ASSERT_LT(allocation.components, 64u) << "some are dropped";
  std::uint64_t bytes = SpectralPlan::bytes_for(allocation.components, 2);
  double energy = 0, kept = 0;
  ASSERT_EQ(allocation.bits.size(), statistics.tables.size());
  for (std::size_t t = 0; t < allocation.bits.size(); ++t) {
    const auto& bits = allocation.bits[t];
    ASSERT_EQ(bits.size(), allocation.components);
    const UnitClass& members = statistics.tables[t];
    bytes += members.units * (kBytesBesidesCode + (sum_of(bits) + 7) / 8);
    const double weight = static_cast<double>(members.units) * members.weight;
    energy += weight;  // variances add up to 1
    for (std::size_t i = 0; i < bits.size(); ++i) {
      ASSERT_LE(bits[i], kMostBits);
      const double variance = statistics.variances[t / statistics.classes][i];
      if (bits[i] > 0) kept += weight * variance * (1 - kLevelErrors[bits[i]]);
    }
  }
  EXPECT_EQ(allocation.bytes, bytes);
  EXPECT_NEAR(allocation.loss, 1 - kept / energy, 1e-9);
}

TEST(BitAllocation, MoreBytesNeverLoseMore) {
  for (const double power : {0.3, 1.0, 2.0}) {
    const CodeStatistics statistics = falling(100, 8000, power);
    double previous = 1;
    for (double percent = 4; percent < 60; percent *= 1.05) {
      const double loss = allocate_bits(statistics, share_of(statistics, percent)).loss;
      EXPECT_LE(loss, previous) << percent << " %, power " << power;
      previous = loss;
    }
    EXPECT_LT(previous, 0.001) << "and many lose next to nothing";
  }
}

TEST(BitAllocation, UnitsThatAreSeenOftenGetNoFewerBits) {
  for (const double power : {1.0, 2.0}) {
    const CodeStatistics statistics = falling(300, 40000, power);
    for (const double percent : {5.0, 10.0, 20.0}) {
      const BitAllocation allocation = allocate_bits(statistics, share_of(statistics, percent));
      for (std::size_t t = 0; t < allocation.bits.size(); ++t) {
        if (t % statistics.classes == 0) continue;
        EXPECT_GE(sum_of(allocation.bits[t]), sum_of(allocation.bits[t - 1]))
            << "class " << t % statistics.classes << " of attribute " << t / statistics.classes << ", power " << power
            << ", " << percent << " %";
      }
      EXPECT_GT(sum_of(allocation.bits[statistics.classes - 1]), sum_of(allocation.bits[0]));
    }
  }
}

TEST(BitAllocation, AComponentThatDoesNotPayForItsPlaceInThePlanIsDropped) {
  // Of the second attribute's units, all energy is in the last component, which the first does not use.
  CodeStatistics statistics = falling(50, 20000, 1);
  statistics.variances[0][49] = 0;
  statistics.variances[1].assign(50, 0);
  statistics.variances[1][49] = 1;
  const auto keeps_last = [&](std::uint64_t units, double weight) {
    for (std::size_t k = 0; k < statistics.classes; ++k) statistics.tables[statistics.classes + k].units = 0;
    statistics.tables[statistics.classes] = {units, weight};
    const BitAllocation allocation = allocate_bits(statistics, 8 * share_of(statistics, 1));
    return allocation.components == 50;
  };
  EXPECT_FALSE(keeps_last(0, 1));
  EXPECT_FALSE(keeps_last(1, 0.01));
  EXPECT_TRUE(keeps_last(1, 1));
  EXPECT_TRUE(keeps_last(10000, 0.01));
}

/// The smallest budget that the refusal of another one names.
std::uint64_t least_budget(const CodeStatistics& statistics, std::uint64_t budget) {
  try {
    allocate_bits(statistics, budget);
  } catch (const UsageError& error) {
    const std::string text = error.what();
    const std::string before = "too small for these units: at least ";
    EXPECT_EQ(text.find("compression.budget of " + std::to_string(budget) + " bytes is "), 0u) << text;
    return std::stoull(text.substr(text.find(before) + before.size()));
  }
  return 0;
}

TEST(BitAllocation, ABudgetThatIsTooSmallIsRefusedWithTheLeastThatWorks) {
  for (const std::size_t dimension : {4u, 16u, 300u}) {
    for (const std::uint64_t units : {10u, 5000u}) {
      const CodeStatistics statistics = falling(dimension, units, 1);
      const std::uint64_t least = least_budget(statistics, 1);
      ASSERT_GT(least, kBytesBesidesCode * units);
      const BitAllocation allocation = allocate_bits(statistics, least);
      EXPECT_EQ(allocation.bytes, least);
      EXPECT_GT(allocation.components, 0u);
      EXPECT_LT(allocation.loss, 1);
      EXPECT_EQ(least_budget(statistics, least - 1), least);
    }
  }
}

TEST(BitAllocation, NothingIsKeptOfUnitsThatAreAllZero) {
  CodeStatistics statistics = falling(20, 5000, 1);
  for (auto& variances : statistics.variances) std::fill(variances.begin(), variances.end(), 0);
  const BitAllocation allocation = allocate_bits(statistics, share_of(statistics, 20));
  EXPECT_EQ(allocation.components, 0u);
  EXPECT_EQ(allocation.loss, 0);
}

}  // namespace
}  // namespace meteor
