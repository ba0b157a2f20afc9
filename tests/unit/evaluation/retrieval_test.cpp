#include "evaluation/retrieval.h"

#include <gtest/gtest.h>

#include <limits>

#include "fixtures/planted_model.h"
#include "fixtures/this_thread.h"

namespace meteor {
namespace {

using testing::empty_model;
using testing::plain_update;
using testing::random_rows;

constexpr std::uint32_t kGroups = 30;
constexpr double kGuessing = 0.27453;  // the mean of 1/rank over 11 candidates, H₁₁/11

/// Records of a user and an item of the same group; users are units 0 to 29, items 30 to 59. Items are targets.
struct Pairs {
  explicit Pairs(std::size_t records) {
    Random random{1};
    window.number = 3;
    for (std::size_t r = 0; r < records; ++r) {
      const std::uint32_t group = r < kGroups ? static_cast<std::uint32_t>(r) : random.below(kGroups);
      window.units.insert(window.units.end(), {UnitId{group}, UnitId{kGroups + group}});
      window.ends.push_back(window.units.size());
      window.record_numbers.push_back(r);
    }
    for (std::uint32_t i = 0; i < 2 * kGroups; ++i) attributes.push_back(i < kGroups ? AttributeId{0} : AttributeId{1});
    units = count_units(window, attributes, 2);
    settings[0].name = "user";
    settings[1].name = "items";
    settings[1].target = true;
  }

  RetrievalScore score(const Model& model, std::uint64_t seed = 1) const {
    const ModelStart start(units, model, seed);
    return retrieve(whole_window(window, units), units, start,
                    evaluation.negatives == CandidateSource::vocabulary ? &model : nullptr, settings,
                    evaluation.candidates, seed);
  }

  Model model_of(AlignedRows rows) const {
    Model model = empty_model(static_cast<std::uint32_t>(rows.width()));
    WindowUpdate update = plain_update(first_units(rows.rows()), std::move(rows));
    std::copy_n(attributes.begin(), update.attributes.size(), update.attributes.begin());
    model.absorb(update, this_thread());
    return model;
  }

  /// Both units of a group have one embedding, orthogonal to all others.
  Model perfect_model(std::size_t known = 2 * kGroups) const {
    AlignedRows rows(known, kGroups);
    for (std::size_t i = 0; i < known; ++i) rows.row(i)[i % kGroups] = 1;
    return model_of(std::move(rows));
  }

  Window window;
  std::vector<AttributeId> attributes;
  WindowUnits units;
  std::vector<AttributeSettings> settings{2};
  EvaluationSettings evaluation;
};

double rank_among(std::vector<double> scores) {
  std::vector<FitScores> both;
  for (const double score : scores) both.push_back({score, -score});
  return rank_of_first(both, Scoring::pooled);
}

TEST(RankOfFirst, CountsHigherScoresAndSharesTies) {
  EXPECT_EQ(rank_among({5}), 1);
  EXPECT_EQ(rank_among({5, 4, 3}), 1);
  EXPECT_EQ(rank_among({3, 4, 5, 1}), 3);
  EXPECT_EQ(rank_among({3, 3, 1}), 1.5);
  EXPECT_EQ(rank_among({3, 3, 3, 9}), 3);
  EXPECT_EQ(rank_among(std::vector<double>(11, 0.0)), 6);
}

TEST(RankOfFirst, IsOfTheScoringThatIsAskedFor) {
  const FitScores scores[] = {{.pooled = 2, .mean = 1}, {.pooled = 1, .mean = 2}};
  EXPECT_EQ(rank_of_first(scores, Scoring::pooled), 1);
  EXPECT_EQ(rank_of_first(scores, Scoring::mean), 2);
}

TEST(RankOfFirst, AScoreThatIsNotANumberIsLast) {
  EXPECT_EQ(rank_among({std::numeric_limits<double>::quiet_NaN(), 1, 2}), 3);
}

TEST(RetrievalScore, AddsUpRanks) {
  RetrievalScore score;
  EXPECT_EQ(score.mrr(Scoring::pooled), 0);
  for (double rank : {1.0, 2.0, 5.0, 6.0}) score.add_ranks(rank, 1);
  EXPECT_DOUBLE_EQ(score.mrr(Scoring::pooled), (1 + 0.5 + 0.2 + 1 / 6.0) / 4);
  EXPECT_EQ(score.recall_at_1(Scoring::pooled), 0.25);
  EXPECT_EQ(score.recall_at_5(Scoring::pooled), 0.75);
  EXPECT_EQ(score.mrr(Scoring::mean), 1);
  RetrievalScore sum = score;
  sum += score;
  EXPECT_EQ(sum.queries, 8u);
  EXPECT_DOUBLE_EQ(sum.mrr(Scoring::pooled), score.mrr(Scoring::pooled));
  EXPECT_DOUBLE_EQ(sum.mrr(Scoring::mean), 1);
}

TEST(Retrieval, OfPerfectEmbeddingsIsPerfect) {
  Pairs pairs(200);
  for (CandidateSource source : {CandidateSource::window, CandidateSource::vocabulary}) {
    pairs.evaluation.negatives = source;
    const RetrievalScore score = pairs.score(pairs.perfect_model());
    EXPECT_EQ(score.queries, 200u) << "only items are targets";
    for (const Scoring scoring : {Scoring::pooled, Scoring::mean}) {
      EXPECT_EQ(score.mrr(scoring), 1);
      EXPECT_EQ(score.recall_at_1(scoring), 1);
    }
  }
}

TEST(Retrieval, AQueryWithoutCandidatesIsLeftOut) {
  Pairs pairs(0);
  pairs.window.units = {UnitId{0}, UnitId{kGroups}, UnitId{1}, UnitId{kGroups}};  // the only item of the window
  pairs.window.ends = {2, 4};
  pairs.window.record_numbers = {0, 1};
  pairs.units = count_units(pairs.window, pairs.attributes, 2);
  for (CandidateSource source : {CandidateSource::window, CandidateSource::vocabulary}) {
    pairs.evaluation.negatives = source;
    RetrievalScore score = pairs.score(pairs.perfect_model(kGroups + 1));
    EXPECT_EQ(score.queries, 0u);
    EXPECT_EQ(score.left_out, 2u);
    score += score;
    EXPECT_EQ(score.left_out, 4u);
  }
}

TEST(Retrieval, OfRandomEmbeddingsIsThatOfGuessing) {
  Pairs pairs(6000);
  for (CandidateSource source : {CandidateSource::window, CandidateSource::vocabulary}) {
    pairs.evaluation.negatives = source;
    RetrievalScore sum;
    for (std::uint64_t repeat = 0; repeat < 20; ++repeat) {  // a record's pair of units is met again and again
      Random random{2, repeat};
      sum += pairs.score(pairs.model_of(random_rows(2 * kGroups, 20, random)), repeat);
    }
    for (const Scoring scoring : {Scoring::pooled, Scoring::mean}) EXPECT_NEAR(sum.mrr(scoring), kGuessing, 0.02);
  }
}

TEST(Retrieval, UnitsThatTheModelHasNotSeenTie) {
  const Pairs pairs(200);
  const RetrievalScore unseen = pairs.score(pairs.perfect_model(kGroups));  // no item is known: all tie
  EXPECT_EQ(unseen.queries, 200u);
  for (const Scoring scoring : {Scoring::pooled, Scoring::mean}) {
    EXPECT_NEAR(unseen.mrr(scoring), 1 / 6.0, 1e-12);
    EXPECT_NEAR(pairs.score(empty_model(4)).mrr(scoring), 1 / 6.0, 1e-12);
  }
}

TEST(Retrieval, CandidatesAreNeverUnitsOfTheRecord) {
  Pairs pairs(0);  // one record holds nearly all items, which share one embedding: any of them would tie
  for (std::uint32_t item = 0; item < kGroups - 12; ++item) pairs.window.units.push_back(UnitId{kGroups + item});
  pairs.window.ends.push_back(pairs.window.units.size());
  for (std::uint32_t item = kGroups - 12; item < kGroups; ++item) {
    pairs.window.units.insert(pairs.window.units.end(), {UnitId{0}, UnitId{kGroups + item}});
    pairs.window.ends.push_back(pairs.window.units.size());
  }
  pairs.window.record_numbers.resize(pairs.window.ends.size());
  pairs.units = count_units(pairs.window, pairs.attributes, 2);
  AlignedRows rows(2 * kGroups, 2);
  for (std::uint32_t item = 0; item < kGroups; ++item) rows.row(kGroups + item)[item < kGroups - 12 ? 0 : 1] = 1;
  const Model model = pairs.model_of(std::move(rows));
  for (CandidateSource source : {CandidateSource::window, CandidateSource::vocabulary}) {
    pairs.evaluation.negatives = source;
    const RetrievalScore score = pairs.score(model);
    EXPECT_EQ(score.pooled.hits_at_1, kGroups - 12) << "the units of the large record, the others' context is zero";
  }
}

TEST(Retrieval, CandidatesAreDifferentHoweverFrequentOneIs) {
  Pairs pairs(0);
  const auto add_record = [&](std::uint32_t user, std::uint32_t item) {
    pairs.window.units.insert(pairs.window.units.end(), {UnitId{user}, UnitId{kGroups + item}});
    pairs.window.ends.push_back(pairs.window.units.size());
    pairs.window.record_numbers.push_back(0);
  };
  add_record(0, 0);
  for (int repeat = 0; repeat < 30; ++repeat) add_record(1, 1);
  for (std::uint32_t item = 2; item < 14; ++item) add_record(1, item);
  pairs.units = count_units(pairs.window, pairs.attributes, 2);
  AlignedRows rows(2 * kGroups, 2);
  rows.row(0)[0] = 1;
  rows.row(kGroups)[1] = 1;
  rows.row(kGroups + 1)[0] = 1;
  for (std::size_t item = 2; item < 14; ++item) rows.row(kGroups + item)[0] = -1;
  // Only the frequent item comes before the first record's; the others' user has no embedding, so that all tie.
  EXPECT_NEAR(pairs.score(pairs.model_of(std::move(rows))).pooled.reciprocal_ranks, 1 / 2.0 + 42 / 6.0, 1e-9);
}

TEST(Retrieval, TheTargetIsNotPartOfItsOwnContext) {
  Pairs pairs(0);
  pairs.window.units = {UnitId{kGroups}, UnitId{kGroups + 1}, UnitId{0}, UnitId{kGroups + 2}};
  pairs.window.ends = {2, 4};
  pairs.window.record_numbers = {0, 1};
  pairs.units = count_units(pairs.window, pairs.attributes, 2);
  AlignedRows rows(kGroups + 3, 2);
  rows.row(kGroups)[0] = 1;
  rows.row(kGroups + 1)[1] = 1;
  rows.row(kGroups + 2)[0] = -1;
  rows.row(kGroups + 2)[1] = 0.5F;
  // The third item is nearer to the second than the first is, farther from the first than the second is; as a target,
  // it ties with both.
  EXPECT_DOUBLE_EQ(pairs.score(pairs.model_of(std::move(rows))).pooled.reciprocal_ranks, 1 / 2.0 + 1 + 1 / 2.0);
}

/// Two records of a user and an item each, where all items tie: the rank tells how many candidates there were.
double rank_among_ties(CandidateSource source, std::size_t known) {
  Pairs pairs(0);
  pairs.window.units = {UnitId{0}, UnitId{kGroups + 2}, UnitId{1}, UnitId{kGroups}};
  pairs.window.ends = {2, 4};
  pairs.window.record_numbers = {0, 1};
  pairs.units = count_units(pairs.window, pairs.attributes, 2);
  pairs.evaluation.negatives = source;
  RetrievalScore score = pairs.score(pairs.model_of(AlignedRows(known, 2)));
  return 1 / score.mrr(Scoring::pooled);
}

TEST(Retrieval, ContendsWithFewerUnitsThanCandidates) {
  EXPECT_DOUBLE_EQ(rank_among_ties(CandidateSource::window, kGroups + 3), 1.5);
  EXPECT_DOUBLE_EQ(rank_among_ties(CandidateSource::vocabulary, kGroups + 3), 2);
}

TEST(Retrieval, AnUnknownUnitIsHeldAgainstAllKnownOnes) {
  // The model knows two items. One of the queries is for an unknown item, which has both for candidates; the other is
  // for a known one, which has the other. Where the model knows that one only, its query has no candidate.
  EXPECT_DOUBLE_EQ(rank_among_ties(CandidateSource::vocabulary, kGroups + 2), 2 / (1 / 2.0 + 1 / 1.5));
  EXPECT_DOUBLE_EQ(rank_among_ties(CandidateSource::vocabulary, kGroups + 1), 1.5);
}

TEST(Retrieval, TheSeedDecidesTheCandidates) {
  const Pairs pairs(300);
  Random random{4};
  const Model model = pairs.model_of(random_rows(2 * kGroups, 5, random));
  EXPECT_EQ(pairs.score(model, 1).pooled.reciprocal_ranks, pairs.score(model, 1).pooled.reciprocal_ranks);
  EXPECT_NE(pairs.score(model, 1).pooled.reciprocal_ranks, pairs.score(model, 2).pooled.reciprocal_ranks);
}

TEST(Retrieval, ShardsAddUpToTheWholeWindow) {
  Pairs pairs(500);
  Random random{6};
  const Model model = pairs.model_of(random_rows(2 * kGroups - 5, 8, random));  // some items are not known
  for (CandidateSource source : {CandidateSource::window, CandidateSource::vocabulary}) {
    pairs.evaluation.negatives = source;
    const RetrievalScore whole = pairs.score(model);
    const ModelStart start(pairs.units, model, 1);
    for (std::size_t shards : {2, 3, 50}) {
      RetrievalScore sum;
      for (const Shard& shard : cut_shards(pairs.window, pairs.units, shards)) {
        sum += retrieve(shard, pairs.units, start, source == CandidateSource::vocabulary ? &model : nullptr,
                        pairs.settings, pairs.evaluation.candidates, 1);
      }
      EXPECT_EQ(sum.queries, whole.queries);
      for (const Scoring scoring : {Scoring::pooled, Scoring::mean}) {
        EXPECT_EQ(sum.by(scoring).hits_at_1, whole.by(scoring).hits_at_1);
        EXPECT_EQ(sum.by(scoring).hits_at_5, whole.by(scoring).hits_at_5);
        EXPECT_NEAR(sum.by(scoring).reciprocal_ranks, whole.by(scoring).reciprocal_ranks, 1e-9);
      }
    }
  }
}

TEST(Retrieval, ByMeansEachAttributeOfTheContextHasOneVote) {
  Pairs pairs(0);
  // A user that points at the wrong item, and three items that point at the right one: by attribute, one against one.
  const UnitId right{kGroups}, wrong{kGroups + 1};
  pairs.window.units = {UnitId{0}, right, UnitId{kGroups + 2}, UnitId{kGroups + 3}, UnitId{1}, wrong};
  pairs.window.ends = {4, 6};
  pairs.window.record_numbers = {0, 1};
  pairs.units = count_units(pairs.window, pairs.attributes, 2);
  AlignedRows rows(kGroups + 4, 2);
  for (std::size_t unit : {std::size_t{0}, index(wrong)}) rows.row(unit)[1] = 1;
  for (std::size_t unit : {index(right), index(right) + 2, index(right) + 3}) rows.row(unit)[0] = 1;
  const RetrievalScore score = pairs.score(pairs.model_of(std::move(rows)));
  // The three items tie with the wrong one; the wrong one, whose user has no embedding, ties with all three.
  EXPECT_EQ(score.queries, 4u);
  EXPECT_DOUBLE_EQ(score.mean.reciprocal_ranks, 3 / 1.5 + 1 / 2.5);
  EXPECT_DOUBLE_EQ(score.pooled.reciprocal_ranks, 3 + 1 / 2.5) << "many units are heard above one";
}

TEST(Retrieve, RareUnitsAreCountedByThemselvesToo) {
  const Pairs pairs(200);
  Random random{3};
  const Model model = pairs.model_of(random_rows(2 * kGroups, 8, random));
  const ModelStart start(pairs.units, model, 1);
  std::vector<std::uint32_t> seen(pairs.units.size(), kRareBelow);
  seen[kGroups + 4] = kRareBelow - 1;
  const Shard records = whole_window(pairs.window, pairs.units);
  const RetrievalScore score = retrieve(records, pairs.units, start, nullptr, pairs.settings, 10, 1, seen);
  EXPECT_EQ(score.rare_queries, pairs.units.counts[kGroups + 4]);
  EXPECT_LT(score.pooled.rare_reciprocal_ranks, score.pooled.reciprocal_ranks);
  EXPECT_GT(score.mrr_rare(Scoring::pooled), 1 / 11.5);
  EXPECT_EQ(retrieve(records, pairs.units, start, nullptr, pairs.settings, 10, 1).rare_queries, 0u);
}

}  // namespace
}  // namespace meteor
