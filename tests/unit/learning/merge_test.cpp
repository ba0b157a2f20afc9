#include "learning/merge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "fixtures/planted_model.h"
#include "support/bfloat16.h"

namespace meteor {
namespace {

using testing::random_rows;

constexpr std::size_t kSlots = 40, kDimension = 6;

/// The update of a shard that holds some of the slots, drawn at random; copies are equal.
ShardUpdate random_update(std::uint32_t number, double share, std::uint64_t seed = 1) {
  Random random{seed, number};
  ShardUpdate update;
  update.number = number;
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
    if (random.uniform() >= share) continue;
    update.slots.push_back(slot);
    update.counts.push_back(1 + random.below(20));
    update.growths.push_back(static_cast<float>(random.uniform()));
  }
  update.steps = random_rows(update.slots.size(), kDimension, random);
  for (std::uint32_t slot = number % 2; slot < kSlots && share < 1; slot += 3) {
    if (std::binary_search(update.slots.begin(), update.slots.end(), slot)) continue;
    update.other_slots.push_back(slot);
    for (std::size_t k = 0; k < kDimension; ++k) {
      update.other_steps.push_back(bfloat16_of(static_cast<float>(random.uniform() - 0.5)));
    }
  }
  update.loss = random.uniform();
  update.losses = random.below(100);
  update.unit_steps = random.below(1000);
  return update;
}

ShardUpdate copy_of(const ShardUpdate& update) {
  ShardUpdate copy;
  copy.number = update.number;
  copy.slots = update.slots;
  copy.counts = update.counts;
  copy.growths = update.growths;
  copy.other_slots = update.other_slots;
  copy.other_steps = update.other_steps;
  copy.steps = AlignedRows(update.steps.rows(), update.steps.width());
  for (std::size_t i = 0; i < update.steps.rows(); ++i) {
    std::copy(update.steps.row(i).begin(), update.steps.row(i).end(), copy.steps.row(i).begin());
  }
  copy.loss = update.loss;
  copy.losses = update.losses;
  copy.unit_steps = update.unit_steps;
  return copy;
}

WindowSteps merged_in_order(std::span<const std::size_t> order, const std::vector<ShardUpdate>& updates,
                            double exponent) {
  ShardMerge merge(kSlots, kDimension, updates.size(), exponent);
  for (std::size_t i : order) merge.add(copy_of(updates[i]));
  return merge.take();
}

WindowSteps merged(const std::vector<ShardUpdate>& updates, double exponent) {
  std::vector<std::size_t> order(updates.size());
  std::iota(order.begin(), order.end(), 0u);
  return merged_in_order(order, updates, exponent);
}

std::vector<ShardUpdate> random_updates(std::uint32_t shards, double share) {
  std::vector<ShardUpdate> updates;
  for (std::uint32_t number = 0; number < shards; ++number) updates.push_back(random_update(number, share));
  return updates;
}

bool same_bits(const AlignedRows& a, const AlignedRows& b) {
  return a.rows() == b.rows() && a.width() == b.width() &&
         std::memcmp(a.data(), b.data(), a.rows() * a.stride() * sizeof(float)) == 0;
}

/// What one unit's shards come to, written down as the contract says it.
struct Reference {
  double weight = 0, squares = 0, growth = 0;
  std::vector<double> step = std::vector<double>(kDimension);

  Reference(const std::vector<ShardUpdate>& updates, std::uint32_t slot, double exponent) {
    for (const ShardUpdate& update : updates) {
      for (std::size_t i = 0; i < update.slots.size(); ++i) {
        if (update.slots[i] != slot) continue;
        const double c = update.counts[i];
        weight += c;
        squares += c * c;
        growth += c * update.growths[i];
        for (std::size_t k = 0; k < kDimension; ++k) step[k] += c * update.steps.row(i)[k];
      }
    }
    if (weight == 0) return;
    growth /= weight;
    for (double& x : step) x *= std::pow(weight * weight / squares, exponent) / weight;
    for (const ShardUpdate& update : updates) {
      for (std::size_t i = 0; i < update.other_slots.size(); ++i) {
        if (update.other_slots[i] != slot) continue;
        for (std::size_t k = 0; k < kDimension; ++k) {
          step[k] +=
              from_bfloat16(update.other_steps[i * kDimension + k]) / std::sqrt(static_cast<double>(updates.size()));
        }
      }
    }
  }
};

TEST(ShardMerge, AgreesWithASlowReference) {
  for (double exponent : {0.0, 0.5, 0.75, 1.0}) {
    for (std::uint32_t shards : {2, 3, 9}) {
      const auto updates = random_updates(shards, 0.4);
      const WindowSteps steps = merged(updates, exponent);
      ASSERT_EQ(steps.steps.rows(), kSlots);
      for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
        const Reference expected(updates, slot, exponent);
        EXPECT_NEAR(steps.growths[slot], expected.growth, 1e-6);
        for (std::size_t k = 0; k < kDimension; ++k) EXPECT_NEAR(steps.steps.row(slot)[k], expected.step[k], 1e-5);
      }
    }
  }
}

TEST(ShardMerge, AddsUpLossesAndSteps) {
  const auto updates = random_updates(5, 0.5);
  const WindowSteps steps = merged(updates, 0.75);
  double loss = 0;
  std::uint64_t losses = 0, unit_steps = 0;
  for (const ShardUpdate& update : updates) {
    loss += update.loss;
    losses += update.losses;
    unit_steps += update.unit_steps;
  }
  EXPECT_EQ(steps.loss, loss);
  EXPECT_EQ(steps.losses, losses);
  EXPECT_EQ(steps.unit_steps, unit_steps);
}

TEST(ShardMerge, TheOrderOfArrivalDoesNotChangeABit) {
  const auto updates = random_updates(4, 0.7);
  const WindowSteps expected = merged(updates, 0.75);
  std::vector<std::size_t> order{0, 1, 2, 3};
  do {
    const WindowSteps steps = merged_in_order(order, updates, 0.75);
    EXPECT_TRUE(same_bits(steps.steps, expected.steps));
    EXPECT_EQ(steps.growths, expected.growths);
    EXPECT_EQ(steps.loss, expected.loss);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(ShardMerge, OfEqualWeightsAnExponentOfOneGivesTheSumAndOfZeroTheMean) {
  auto updates = random_updates(3, 1);
  for (ShardUpdate& update : updates) update.counts.assign(kSlots, 7);
  const WindowSteps sum = merged(updates, 1), mean = merged(updates, 0);
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    for (std::size_t k = 0; k < kDimension; ++k) {
      const float expected =
          updates[0].steps.row(slot)[k] + updates[1].steps.row(slot)[k] + updates[2].steps.row(slot)[k];
      EXPECT_NEAR(sum.steps.row(slot)[k], expected, 1e-5);
      EXPECT_NEAR(mean.steps.row(slot)[k], expected / 3, 1e-5);
    }
  }
}

TEST(ShardMerge, AUnitOfOneShardKeepsItsStepWhateverTheExponent) {
  auto updates = random_updates(3, 1);
  for (std::uint32_t number : {1u, 2u}) {
    updates[number] = random_update(number, 0);
    updates[number].other_slots.clear();
    updates[number].other_steps.clear();
  }
  for (double exponent : {0.0, 0.75, 1.0}) {
    const WindowSteps steps = merged(updates, exponent);
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
      EXPECT_FLOAT_EQ(steps.growths[slot], updates[0].growths[slot]);
      for (std::size_t k = 0; k < kDimension; ++k) {
        EXPECT_FLOAT_EQ(steps.steps.row(slot)[k], updates[0].steps.row(slot)[k]);
      }
    }
  }
}

TEST(ShardMerge, OneShardPassesThroughBitForBit) {
  const auto updates = random_updates(1, 1);
  const WindowSteps steps = merged(updates, 0.75);
  EXPECT_TRUE(same_bits(steps.steps, updates[0].steps));
  EXPECT_EQ(steps.growths, updates[0].growths);
  EXPECT_EQ(steps.loss, updates[0].loss);
  EXPECT_EQ(steps.unit_steps, updates[0].unit_steps);
}

TEST(ShardMerge, GrowthsAreMeansByWeightWhateverTheExponent) {
  auto updates = random_updates(2, 1);
  updates[0].counts.assign(kSlots, 3);
  updates[1].counts.assign(kSlots, 1);
  for (double exponent : {0.0, 1.0}) {
    const WindowSteps steps = merged(updates, exponent);
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
      EXPECT_FLOAT_EQ(steps.growths[slot], (3 * updates[0].growths[slot] + updates[1].growths[slot]) / 4);
    }
  }
}

}  // namespace
}  // namespace meteor
