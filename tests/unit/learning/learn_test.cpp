#include "learning/learn.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "fixtures/this_thread.h"
#include "unit/learning/planted_window.h"

namespace meteor {
namespace {

using testing::cosine;
using testing::empty_model;
using testing::kItems;
using testing::kItemsPerGroup;
using testing::kUsers;
using testing::plain_update;
using testing::PlantedWindow;
using testing::random_rows;
using testing::small_settings;

bool same_bits(const ShardUpdate& a, const ShardUpdate& b) {
  return a.slots == b.slots && a.counts == b.counts && a.growths == b.growths && a.loss == b.loss &&
         std::memcmp(a.steps.data(), b.steps.data(), a.steps.rows() * a.steps.stride() * sizeof(float)) == 0;
}

TEST(Learn, TheSameArgumentsGiveTheSameBits) {
  const PlantedWindow planted(60);
  const Model model = empty_model(12);
  EXPECT_TRUE(same_bits(planted.learn_from(model, small_settings(3)), planted.learn_from(model, small_settings(3))));
}

TEST(Learn, FastArithmeticTakesNearlyTheSameStepsAndRepeatsThem) {
  const PlantedWindow planted(60);
  const Model model = empty_model(12);
  LearningSettings settings = small_settings(3);
  const ShardUpdate exact = planted.learn_from(model, settings);
  settings.arithmetic = Arithmetic::fast;
  const ShardUpdate fast = planted.learn_from(model, settings);
  EXPECT_TRUE(same_bits(fast, planted.learn_from(model, settings)));
  EXPECT_FALSE(same_bits(fast, exact));
  EXPECT_NEAR(fast.loss / exact.loss, 1, 1e-3);
}

TEST(Learn, AnotherSeedWindowOrShardDrawsOtherNegatives) {
  const PlantedWindow planted(60);
  const Model model = empty_model(12);
  const auto learn_with = [&](std::uint64_t seed, std::uint64_t window, std::uint32_t shard_number) {
    WindowUnits units = planted.units;
    Shard shard = planted.shard;
    units.window = window;
    shard.number = shard_number;
    LearningSettings settings = small_settings(1);
    settings.seed = seed;
    const ModelStart start(units, model, 1);
    CostlyEmbeddings costly(units, shard, start);
    return learn(units, shard, costly, settings, all_epochs(settings), best_record_kernel());
  };
  const ShardUpdate update = learn_with(1, 0, 0);
  EXPECT_TRUE(same_bits(update, learn_with(1, 0, 0)));
  EXPECT_FALSE(same_bits(update, learn_with(2, 0, 0)));
  EXPECT_FALSE(same_bits(update, learn_with(1, 1, 0)));
  EXPECT_FALSE(same_bits(update, learn_with(1, 0, 1)));
}

TEST(Learn, CountsRecordsAndSteps) {
  const PlantedWindow planted(60);
  const ShardUpdate update = planted.learn_from(empty_model(12), small_settings(3));
  EXPECT_EQ(update.losses, 240u);
  EXPECT_EQ(update.unit_steps, 720u);
  EXPECT_EQ(update.counts, planted.units.counts);
  EXPECT_EQ(update.steps.rows(), planted.units.size());
  EXPECT_EQ(update.steps.width(), 12u);
  for (float growth : update.growths) EXPECT_GT(growth, 0);
}

TEST(Learn, TheLossStartsAtThatOfGuessingAndFallsOverEpochs) {
  const PlantedWindow planted(200);
  LearningSettings standstill = small_settings(1);
  standstill.rate = 1e-9;
  const auto loss_of = [&](const LearningSettings& settings) {
    const ShardUpdate update = planted.learn_from(empty_model(12), settings);
    return update.loss / static_cast<double>(update.losses);
  };
  const double start = loss_of(standstill), early = loss_of(small_settings(3)), late = loss_of(small_settings(30));
  EXPECT_NEAR(start, 4 * std::log(2.0), 0.05);  // a target and three negatives, all with score 0
  EXPECT_LT(early, 0.95 * start);
  EXPECT_LT(late, 0.9 * early);
}

TEST(Learn, TheShiftIsTakenOffEveryScore) {
  const PlantedWindow planted(200);
  LearningSettings standstill = small_settings(1);
  standstill.rate = 1e-9;
  const auto loss_of = [&](std::optional<double> shift) {
    standstill.shift = shift;
    const ShardUpdate update = planted.learn_from(empty_model(12), standstill);
    return update.loss / static_cast<double>(update.losses);
  };
  const auto expected = [](double shift) { return std::log1p(std::exp(shift)) + 3 * std::log1p(std::exp(-shift)); };
  EXPECT_NEAR(loss_of(2), expected(2), 0.05);
  EXPECT_NEAR(loss_of({}), expected(std::log(3.0) + 0.5), 0.05);
}

TEST(Learn, UnlessItIsSetTheShiftFollowsTheNumberOfNegatives) {
  LearningSettings settings;
  settings.negatives = 10;
  EXPECT_NEAR(shift_of(settings), std::log(10.0) + 0.5, 1e-12);
  settings.negatives = 0;
  EXPECT_NEAR(shift_of(settings), 0.5, 1e-12);
  settings.shift = -3;
  EXPECT_EQ(shift_of(settings), -3);
}

TEST(Learn, WithTheShiftTheScoreOfUnitsThatMeetByChanceIsNotNegative) {
  constexpr std::uint32_t kUnits = 20;
  Window window;
  Random random{7};
  for (std::uint64_t r = 0; r < 2000; ++r) {  // pairs that nothing but chance brought together
    const std::uint32_t one = random.below(kUnits);
    window.units.push_back(UnitId{one});
    window.units.push_back(UnitId{(one + 1 + random.below(kUnits - 1)) % kUnits});
    window.ends.push_back(window.units.size());
    window.record_numbers.push_back(r);
  }
  const WindowUnits units = count_units(window, std::vector(kUnits, AttributeId{0}), 1);
  const Shard shard = whole_window(window, units);
  const Model model = empty_model(12);
  const auto mean_product = [&](std::optional<double> shift) {
    LearningSettings settings = small_settings(10);
    settings.shift = shift;
    const ModelStart start(units, model, settings.seed);
    CostlyEmbeddings costly(units, shard, start);
    const ShardUpdate update = learn(units, shard, costly, settings, all_epochs(settings), best_record_kernel());
    double sum = 0;
    for (std::size_t i = 0; i < kUnits; ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        for (std::size_t j = 0; j < 12; ++j) sum += update.steps.row(i)[j] * update.steps.row(k)[j];
      }
    }
    return sum / (kUnits * (kUnits - 1) / 2.0);
  };
  EXPECT_LT(mean_product(0), 0);
  EXPECT_GT(mean_product({}), 0.1);
}

TEST(Learn, AUserAmongItemsWeighsMoreThanOneOfThem) {
  EXPECT_EQ(context_weight(Context::mean, 1), 1);
  EXPECT_EQ(context_weight(Context::mean, 16), 1);
  EXPECT_EQ(context_weight(Context::balanced, 1), 1);
  EXPECT_EQ(context_weight(Context::balanced, 16), 0.25F);
  const PlantedWindow planted(60);
  LearningSettings settings = small_settings(1);
  settings.context = Context::balanced;
  const ShardUpdate balanced = planted.learn_from(empty_model(12), settings);
  settings.context = Context::mean;
  EXPECT_FALSE(same_bits(balanced, planted.learn_from(empty_model(12), settings)));
}

TEST(Learn, TheLossFallsByPlainStepsTooAndLeavesNoTraceInTheAccumulators) {
  const PlantedWindow planted(200);
  LearningSettings settings = small_settings(1);
  settings.optimiser = Optimiser::sgd;
  settings.sgd_rate = 0.1;
  settings.rate = 1e-9;  // is not used
  const ShardUpdate first = planted.learn_from(empty_model(12), settings);
  settings.epochs = 30;
  const ShardUpdate later = planted.learn_from(empty_model(12), settings);
  EXPECT_LT(later.loss, 0.9 * first.loss);
  for (float growth : later.growths) EXPECT_NEAR(growth, 0, 1e-12);
}

/// How far units of a model come in a window, and how far the two that are new to it, the first user and item, do.
struct Distance {
  double known = 0;
  double fresh = 0;
};
Distance distance_under(double hold, Optimiser optimiser) {
  const PlantedWindow planted(200, 1);
  Model model = empty_model(12);
  Random random{3};
  std::vector<UnitId> units = first_units(kUsers + kItems - 1);
  model.absorb(plain_update(units, random_rows(units.size(), 12, random)), this_thread());
  LearningSettings settings = small_settings(5);
  settings.optimiser = optimiser;
  settings.hold = hold;
  const ShardUpdate update = planted.learn_from(model, settings);
  Distance distance;
  for (std::size_t i = 0; i < update.slots.size(); ++i) {
    double& sum = index(planted.units.units[update.slots[i]]) < units.size() ? distance.known : distance.fresh;
    for (const float x : update.steps.row(i)) sum += double{x} * double{x};
  }
  return distance;
}

TEST(Learn, APenaltyHoldsKnownUnitsWhereTheyAreTheMoreTheLargerItsWeight) {
  for (const Optimiser optimiser : {Optimiser::adagrad, Optimiser::sgd}) {
    const Distance free = distance_under(0, optimiser), held = distance_under(1, optimiser);
    const Distance tightly = distance_under(1e3, optimiser), frozen = distance_under(1e12, optimiser);
    EXPECT_LT(held.known, 0.9 * free.known);
    EXPECT_LT(tightly.known, 0.1 * held.known);
    EXPECT_LT(frozen.known, 1e-6 * free.known);
    EXPECT_GT(frozen.fresh, 0.1 * free.fresh) << "new units are not held";
  }
}

TEST(Learn, UnitsOfAPlantedGroupEndCloserToEachOtherThanToOthers) {
  const PlantedWindow planted(400);
  const ShardUpdate update = planted.learn_from(empty_model(12), small_settings(20));
  double within = 0, across = 0;
  int within_pairs = 0, across_pairs = 0;
  const std::uint32_t begin = planted.units.attribute_begin(1);
  ASSERT_EQ(planted.units.size(), kUsers + kItems);
  for (std::uint32_t a = 0; a < kItems; ++a) {
    for (std::uint32_t b = 0; b < a; ++b) {
      const double c = cosine(update.steps.row(begin + a), update.steps.row(begin + b));
      const bool together = a / kItemsPerGroup == b / kItemsPerGroup;
      (together ? within : across) += c;
      ++(together ? within_pairs : across_pairs);
    }
  }
  EXPECT_GT(within / within_pairs, across / across_pairs + 0.5);
}

/// Stands for a kernel and learns nothing, so that a row tells its unit: notes the first value of every negative.
std::vector<float> noted_negatives;
float note_negatives(const RecordStep& step) {
  for (std::size_t i = 0; i < step.unit_count * step.negatives_per_unit; ++i) {
    noted_negatives.push_back(step.negatives[i] == nullptr ? 0 : step.negatives[i][0]);
  }
  return 0;
}

TEST(Learn, RoundsDrawTheNegativesOfTheirEpochs) {
  const PlantedWindow planted(60);
  const Model model = empty_model(12);
  const ModelStart start(planted.units, model, 1);
  const auto drawn_in = [&](std::initializer_list<EpochRange> rounds) {
    noted_negatives.clear();
    for (EpochRange epochs : rounds) {
      CostlyEmbeddings costly(planted.units, planted.shard, start);
      learn(planted.units, planted.shard, costly, small_settings(5), epochs,
            {"none", note_negatives, nullptr, nullptr});
    }
    return noted_negatives;
  };
  const auto whole = drawn_in({{0, 5}});
  EXPECT_EQ(whole.size(), 5u * 60 * 4 * 3);
  EXPECT_EQ(drawn_in({{0, 2}, {2, 5}}), whole);
  EXPECT_EQ(drawn_in({{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}}), whole);
  EXPECT_NE(drawn_in({{0, 2}, {0, 3}}), whole);
}

TEST(Learn, TheLossIsThatOfTheLastEpochOfTheRange) {
  const PlantedWindow planted(60);
  const Model model = empty_model(12);
  const ModelStart start(planted.units, model, 1);
  CostlyEmbeddings costly(planted.units, planted.shard, start);
  const ShardUpdate update =
      learn(planted.units, planted.shard, costly, small_settings(5), {0, 2}, best_record_kernel());
  EXPECT_EQ(update.loss, planted.learn_from(model, small_settings(2)).loss);
  EXPECT_EQ(update.losses, 240u);
  EXPECT_EQ(update.unit_steps, 480u);
}

TEST(Learn, TellsHowFarNegativesOfOtherShardsMoved) {
  const PlantedWindow planted(60);
  Shard part;
  part.slots.assign(planted.shard.slots.begin(), planted.shard.slots.begin() + 8);
  part.ends = {4, 8};
  part.record_numbers = {1000, 1001};
  const Model model = empty_model(12);
  const ModelStart start(planted.units, model, 1);
  CostlyEmbeddings costly(planted.units, part, start);
  const ShardUpdate update = learn(planted.units, part, costly, small_settings(2), {0, 2}, best_record_kernel());
  EXPECT_EQ(update.slots, count_slots(part, planted.units.size()).slots);
  EXPECT_EQ(update.steps.rows(), update.slots.size());
  ASSERT_FALSE(update.other_slots.empty());
  ASSERT_EQ(update.other_steps.size(), update.other_slots.size() * 12);
  for (std::size_t i = 0; i < update.other_slots.size(); ++i) {
    EXPECT_FALSE(std::binary_search(update.slots.begin(), update.slots.end(), update.other_slots[i]));
    EXPECT_NE(update.other_steps[12 * i], 0);
  }
  EXPECT_EQ(std::set(update.other_slots.begin(), update.other_slots.end()).size(), update.other_slots.size());
}

TEST(Learn, AnAttributeWithOneUnitIsLearntWithoutNegatives) {
  PlantedWindow planted(1);
  const ShardUpdate update = planted.learn_from(empty_model(12), small_settings(1));
  ASSERT_EQ(update.slots.size(), 4u);
  // The user has no negatives: its loss is log 2 of the positive alone, those of the items 4 log 2 each.
  EXPECT_NEAR(update.loss, 13 * std::log(2.0), 0.1);
}

}  // namespace
}  // namespace meteor
