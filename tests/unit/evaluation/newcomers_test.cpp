#include "evaluation/newcomers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "evaluation/retrieval.h"
#include "fixtures/planted_model.h"
#include "fixtures/this_thread.h"
#include "support/error.h"

namespace meteor {
namespace {

constexpr std::uint32_t kOnce = 3000, kOften = 1000;

Settings two_attributes() {
  Settings settings;
  settings.attributes.resize(2);
  settings.attributes[1].target = true;
  return settings;
}

/// Items that were seen once point along the first axis, those that were seen nine times along the second, users along
/// the third.
Model flooded_model(std::uint32_t once = kOnce) {
  Model model = testing::empty_model(4);
  const std::uint32_t items = once + kOften;
  AlignedRows rows(items + 10, 4);
  for (std::uint32_t i = 0; i < rows.rows(); ++i) rows.row(i)[i < once ? 0 : i < items ? 1 : 2] = 2;
  WindowUpdate update = testing::plain_update(first_units(rows.rows()), std::move(rows));
  for (std::uint32_t i = 0; i < update.units.size(); ++i) {
    update.attributes[i] = i < items ? AttributeId{1} : AttributeId{0};
    update.counts[i] = i < once ? 1 : 9;
  }
  model.absorb(update, this_thread());
  return model;
}

TEST(Newcomers, LeanToWhereUnitsThatWereSeenOnceDifferFromAll) {
  const Newcomers newcomers = newcomers_to(flooded_model(), two_attributes());
  const double share = kOnce / (kOnce + 1000.0);
  EXPECT_NEAR(newcomers.shares[1], share, 1e-6);
  const auto leaning = newcomers.leanings.row(1);
  const double once_of_all = static_cast<double>(kOnce) / (kOnce + kOften);
  EXPECT_NEAR(leaning[0], 16 * share * (1 - once_of_all), 1e-4);
  EXPECT_NEAR(leaning[1], -16 * share * (1 - once_of_all), 1e-4);
  EXPECT_EQ(leaning[2], 0) << "users are another attribute";
  EXPECT_EQ(newcomers.shares[0], 0) << "which no query is about";
}

TEST(Newcomers, AreNotExpectedWhereNoUnitIsNew) {
  const Newcomers none = newcomers_to(flooded_model(0), two_attributes());
  const Newcomers nothing;
  for (const Newcomers* newcomers : {&none, &nothing}) {
    EXPECT_EQ(newcomers->bonus(AttributeId{1}, 1), 0);
    EXPECT_EQ(newcomers->bonus_of_unknown(AttributeId{1}), 0.05);
    std::vector<float> row(4, 7);
    newcomers->lean(AttributeId{1}, row);
    EXPECT_EQ(row, std::vector<float>(4));
  }
}

TEST(Newcomers, AreNotExpectedOfThePapersLossNorOfUnitsThatInheritFromTheirCategory) {
  Settings paper = two_attributes();
  paper.learning.shift = 0;
  EXPECT_EQ(newcomers_to(flooded_model(), paper).bonus(AttributeId{1}, 1), 0);
  Settings categorised = two_attributes();
  categorised.attributes[1].clusters = ClusterSource::categories;
  EXPECT_EQ(newcomers_to(flooded_model(), categorised).bonus(AttributeId{1}, 1), 0);
}

TEST(Newcomers, RareUnitsHaveABonusThatFallsAsTheyBecomeKnown) {
  const Newcomers newcomers = newcomers_to(flooded_model(), two_attributes());
  EXPECT_NEAR(newcomers.bonus(AttributeId{1}, 1), 0.075, 1e-6);
  EXPECT_NEAR(newcomers.bonus(AttributeId{1}, 100), 0.0075, 1e-6);
  EXPECT_EQ(newcomers.bonus(AttributeId{1}, 0), newcomers.bonus(AttributeId{1}, 1)) << "known, though never counted";
  EXPECT_NEAR(newcomers.bonus_of_unknown(AttributeId{1}), 0.0875, 1e-6);
  EXPECT_EQ(newcomers.bonus(AttributeId{0}, 1), 0);
}

/// A record of a user and an item; four other users and items are in the window.
TEST(Newcomers, AnUnknownUnitComesFirstInAContextThatBringsNewOnes) {
  const Settings settings = two_attributes();
  const std::uint32_t often = kOnce, user = kOnce + kOften, unknown = user + 10;
  for (const bool bringing : {true, false}) {
    Model moved = flooded_model();
    WindowUpdate update = testing::plain_update({UnitId{user}}, AlignedRows(1, 4), 1);
    update.rows.row(0)[bringing ? 0 : 1] = 1;  // the user meets what was seen once, or what is seen often
    moved.absorb(update, this_thread());
    Window window;
    window.units = {UnitId{user}, UnitId{unknown}};
    window.ends = {2};
    window.record_numbers = {0};
    for (std::uint32_t i = 1; i < 5; ++i) {
      window.units.insert(window.units.end(), {UnitId{user + i}, UnitId{often + i}});
      window.ends.push_back(window.units.size());
      window.record_numbers.push_back(i);
    }
    std::vector<AttributeId> known = moved.attributes;
    known.push_back(AttributeId{1});
    const WindowUnits units = count_units(window, known, 2);
    const ModelStart start(units, moved, 1);
    const Newcomers newcomers = newcomers_to(moved, settings);
    Shard first = cut_shards(window, units, 1).front();
    first.slots.resize(2);
    first.ends.resize(1);
    first.record_numbers.resize(1);
    std::vector<std::uint32_t> seen(units.size(), 9);
    const auto score = retrieve(first, units, start, nullptr, settings.attributes, 4, 1, seen, &newcomers);
    ASSERT_EQ(score.queries, 1u);
    EXPECT_EQ(score.pooled.reciprocal_ranks, bringing ? 1 : 1 / 5.0);
  }
}

TEST(Newcomers, OfOtherAttributesOrWithoutFiniteNumbersAreRefused) {
  const auto made = [] { return newcomers_to(flooded_model(), two_attributes()); };
  EXPECT_NO_THROW(require_valid(made(), 2, 4));
  EXPECT_THROW(require_valid(made(), 3, 4), StorageError);
  EXPECT_THROW(require_valid(made(), 2, 5), StorageError);
  Newcomers poisoned = made();
  poisoned.leanings.row(1)[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(require_valid(poisoned, 2, 4), StorageError);
  poisoned = made();
  poisoned.shares[0] = std::numeric_limits<float>::infinity();
  EXPECT_THROW(require_valid(poisoned, 2, 4), StorageError);
}

}  // namespace
}  // namespace meteor
