#include "evaluation/record_counts.h"

#include <gtest/gtest.h>

#include <cmath>

#include "learning/shard.h"

namespace meteor {
namespace {

Window window_of(const std::vector<std::vector<std::uint32_t>>& records) {
  Window window;
  for (const auto& record : records) {
    for (const std::uint32_t unit : record) window.units.push_back(UnitId{unit});
    window.ends.push_back(window.units.size());
    window.record_numbers.push_back(window.ends.size());
  }
  return window;
}

/// Users 0 and 1, items 2 to 5; a window that holds all of them, so that a unit's slot is its number.
class RecordCountsTest : public testing::Test {
 protected:
  const Window seen_ = window_of({{0, 2, 3}, {0, 2, 3}, {1, 3, 4}, {1, 2}});
  const Window asked_ = window_of({{0, 2, 3}, {1, 4, 5}});
  const std::vector<AttributeId> attributes_{AttributeId{0}, AttributeId{0}, AttributeId{1},
                                             AttributeId{1}, AttributeId{1}, AttributeId{1}};
  const WindowUnits units_ = count_units(asked_, attributes_, 2);
  RecordCounts pairs_{true};
};

TEST_F(RecordCountsTest, AreOfRecordsThatHoldAUnitOrAPair) {
  pairs_.add(seen_);
  EXPECT_EQ(pairs_.records(), 4u);
  EXPECT_EQ(pairs_.of(UnitId{2}), 3u);
  EXPECT_EQ(pairs_.of(UnitId{5}), 0u);
  EXPECT_EQ(pairs_.of(UnitId{2}, UnitId{3}), 2u);
  EXPECT_EQ(pairs_.of(UnitId{3}, UnitId{2}), 2u);
  EXPECT_EQ(pairs_.of(UnitId{4}, UnitId{2}), 0u);
}

TEST_F(RecordCountsTest, LiftIsHowMuchMoreOftenThanChanceTwoComeTogether) {
  pairs_.add(seen_);
  EXPECT_DOUBLE_EQ(pairs_.lift(UnitId{2}, UnitId{3}, 0), 2.0 * 4 / (3 * 3));
  EXPECT_DOUBLE_EQ(pairs_.lift(UnitId{0}, UnitId{3}, 0), 2.0 * 4 / (2 * 3));
  EXPECT_DOUBLE_EQ(pairs_.lift(UnitId{1}, UnitId{4}, 0), 1.0 * 4 / (2 * 1));
  EXPECT_EQ(pairs_.lift(UnitId{2}, UnitId{4}, 0), 0);
  EXPECT_EQ(pairs_.lift(UnitId{5}, UnitId{77}, 0), 0);
  EXPECT_DOUBLE_EQ(pairs_.lift(UnitId{2}, UnitId{3}, 0.1), (2 + 0.1) / (3.0 * 3 / 4 + 0.1));
  EXPECT_DOUBLE_EQ(pairs_.lift(UnitId{2}, UnitId{4}, 0.1), 0.1 / (3.0 * 1 / 4 + 0.1));
  EXPECT_EQ(pairs_.lift(UnitId{5}, UnitId{77}, 0.1), 1) << "nothing is known of either";
}

TEST_F(RecordCountsTest, PopularityScoresByCountWhateverTheRecord) {
  RecordCounts counts(false);
  counts.add(seen_);
  PopularityScorer scorer(units_, counts);
  const std::uint32_t record[] = {1, 4, 5};
  scorer.look_at(record);
  const Place others[] = {2, 3, units_.size() + 0};  // two slots, and unit 0 of the vocabulary
  std::vector<FitScores> scores(4);
  scorer.score(4, others, scores);
  const double expected[] = {1, 3, 3, 2};
  for (std::size_t i = 0; i < scores.size(); ++i) {
    EXPECT_EQ(scores[i].pooled, expected[i]);
    EXPECT_EQ(scores[i].mean, expected[i]);
  }
}

TEST_F(RecordCountsTest, LiftScoresByTheMeanOverEachAttributeOfTheRestOfTheRecord) {
  pairs_.add(seen_);
  MeanLiftScorer scorer(units_, pairs_, 0);
  const std::uint32_t record[] = {0, 2, 3};
  scorer.look_at(record);
  const Place others[] = {4, 5};
  std::vector<FitScores> scores(3);
  scorer.score(3, others, scores);  // given user 0 and item 2
  EXPECT_DOUBLE_EQ(scores[0].pooled, 2.0 * 4 / (2 * 3) + 2.0 * 4 / (3 * 3));
  EXPECT_EQ(scores[1].pooled, 0);  // item 4 was seen with neither
  EXPECT_EQ(scores[2].pooled, 0);
  const std::uint32_t longer[] = {0, 1, 2, 3};
  scorer.look_at(longer);
  scorer.score(2, {}, std::span(scores).first(1));  // given both users and item 3
  EXPECT_DOUBLE_EQ(scores[0].pooled, (2.0 * 4 / (2 * 3) + 1.0 * 4 / (2 * 3)) / 2 + 2.0 * 4 / (3 * 3));
}

TEST_F(RecordCountsTest, BayesScoresByTheProductOfSmoothedLifts) {
  pairs_.add(seen_);
  BayesScorer scorer(units_, pairs_, 0.5);
  const std::uint32_t record[] = {0, 2, 3};
  scorer.look_at(record);
  const Place others[] = {5};
  std::vector<FitScores> scores(2);
  scorer.score(3, others, scores);  // given user 0 and item 2
  EXPECT_NEAR(std::exp(scores[0].pooled), 2.5 / (2.0 * 3 / 4 + 0.5) * 2.5 / (3.0 * 3 / 4 + 0.5), 1e-12);
  EXPECT_NEAR(scores[1].pooled, 0, 1e-12) << "item 5 was never seen: neither for nor against it";
}

TEST_F(RecordCountsTest, TakeTheBytesOfTheirArrays) {
  pairs_.add(seen_);
  EXPECT_EQ(pairs_.bytes(), decoding_bytes(pairs_.arrays()));
  EXPECT_EQ(pairs_.bytes(), 5 * 4 + 7 * 12u);  // pairs 02 03 23, 13 14 34, 12
}

TEST_F(RecordCountsTest, OfUnitsAloneKeepNoPairs) {
  RecordCounts counts(false);
  counts.add(seen_);
  EXPECT_EQ(counts.bytes(), 5 * 4u);
  EXPECT_EQ(counts.bytes_per_new_unit(), 4);
  EXPECT_EQ(counts.of(UnitId{2}, UnitId{3}), 0u);
}

}  // namespace
}  // namespace meteor
