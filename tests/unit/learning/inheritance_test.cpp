#include "learning/inheritance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fixtures/schemes.h"
#include "fixtures/small_models.h"

namespace meteor {
namespace {

constexpr std::uint32_t kKnown = 400, kDimension = 24;
constexpr CategoryKey kFew{3}, kMany{5}, kStrange{7};

/// Three items are in the category of few, most in that of many, and users in none. The window holds two known units
/// and five new ones: one of each category, one more of few, and one of none.
class Inheritance : public testing::TestWithParam<CompressionScheme> {
 protected:
  Inheritance() {
    std::vector<CategoryKey> categories(kKnown, CategoryKey::none);
    for (std::size_t i = 1; i < kKnown; i += 2) categories[i] = kMany;
    for (const UnitId unit : few_) categories[index(unit)] = kFew;
    categories.insert(categories.end(), {kFew, kMany, kStrange, CategoryKey::none, kFew});
    categories_.add(categories);
    window_.units = {UnitId{2}, UnitId{3}};
    for (std::uint32_t i = 0; i < 5; ++i) window_.units.push_back(UnitId{kKnown + i});
    window_.counts.assign(window_.units.size(), 1);
    window_.attribute_ends = {1, 7};
  }
  std::vector<double> mean(std::span<const UnitId> units) const {
    AlignedRows rows(units.size(), kDimension);
    stored_.model.embeddings->decode(units, rows);
    std::vector<double> sum(kDimension);
    for (std::size_t i = 0; i < units.size(); ++i) {
      for (std::size_t k = 0; k < kDimension; ++k) sum[k] += rows.row(i)[k] / static_cast<double>(units.size());
    }
    return sum;
  }
  std::span<const float> row(const SlotRows& rows, std::size_t i) const { return rows.rows.row(i); }

  const std::vector<UnitId> few_ = {UnitId{5}, UnitId{17}, UnitId{301}};
  StoredModel stored_ = small_model(GetParam(), kKnown, kDimension);
  UnitCategories categories_;
  WindowUnits window_;
};

INSTANTIATE_TEST_SUITE_P(Schemes, Inheritance, testing::ValuesIn(kSchemes), scheme_suffix);

TEST_P(Inheritance, NewUnitsStartNearTheMeanOfTheirCategoryAndNoTwoAtTheSamePlace) {
  const SlotRows inherited = inherited_rows(window_, stored_.model, categories_, 1);
  ASSERT_EQ(inherited.slots, (std::vector<std::uint32_t>{2, 3, 6})) << "known, strange and uncategorised units do not";
  const std::vector<double> expected = mean(few_);
  for (const std::size_t i : {0u, 2u}) {
    for (std::size_t k = 0; k < kDimension; ++k)
      EXPECT_NEAR(row(inherited, i)[k], expected[k], 0.5 / kDimension + 1e-6);
  }
  EXPECT_FALSE(std::equal(row(inherited, 0).begin(), row(inherited, 0).end(), row(inherited, 2).begin()));
}

TEST_P(Inheritance, ASampleStandsForALargeCategory) {
  const SlotRows inherited = inherited_rows(window_, stored_.model, categories_, 1);
  const auto many = categories_.members(kMany);
  const std::vector<double> expected = mean(many.first(many.size() - 1));  // the last one is new
  double error = 0;
  for (std::size_t k = 0; k < kDimension; ++k) error += std::pow(row(inherited, 1)[k] - expected[k], 2);
  EXPECT_LT(std::sqrt(error), 0.25) << "rows are about 1.4 long and have nothing in common";
}

TEST_P(Inheritance, AWindowStartsFromWhatIsInheritedAndElseFromTheModel) {
  const SlotRows inherited = inherited_rows(window_, stored_.model, categories_, 1);
  const GivenStart start(window_, inherited, kDimension, 1, &stored_.model);
  const ModelStart plain(window_, stored_.model, 1);
  const SlotRows all = known_rows(window_, stored_.model, &inherited);
  const GivenStart without_model(window_, all, kDimension, 1);
  for (std::uint32_t slot = 0; slot < window_.size(); ++slot) {
    const auto place = std::find(inherited.slots.begin(), inherited.slots.end(), slot);
    std::vector<float> ours(kDimension), expected(kDimension), remote(kDimension);
    float* const places[] = {ours.data(), expected.data(), remote.data()};
    start.rebuild({&slot, 1}, {&places[0], 1});
    plain.rebuild({&slot, 1}, {&places[1], 1});
    without_model.rebuild({&slot, 1}, {&places[2], 1});
    EXPECT_EQ(start.knows(slot), plain.knows(slot) || place != inherited.slots.end());
    EXPECT_EQ(start.knows(slot), without_model.knows(slot));
    EXPECT_EQ(start.accumulator(slot), plain.accumulator(slot));
    EXPECT_EQ(start.accumulator(slot), without_model.accumulator(slot));
    if (place != inherited.slots.end()) {
      const auto given = row(inherited, static_cast<std::size_t>(place - inherited.slots.begin()));
      expected.assign(given.begin(), given.end());
    }
    EXPECT_EQ(ours, expected) << "slot " << slot;
    EXPECT_EQ(remote, expected) << "slot " << slot;
  }
}

}  // namespace
}  // namespace meteor
