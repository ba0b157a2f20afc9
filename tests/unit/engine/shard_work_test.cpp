#include "engine/shard_work.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "fixtures/schemes.h"
#include "fixtures/small_models.h"
#include "support/bfloat16.h"

namespace meteor {
namespace {

/// A window of users and items, most of which a model knows, in four shards.
class ShardWorkTest : public testing::TestWithParam<CompressionScheme> {
 protected:
  static constexpr std::uint32_t kKnown = 200, kUnits = 230;

  ShardWorkTest() : stored_(small_model(GetParam(), kKnown)) {
    stored_.settings.learning.epochs = 2;
    stored_.settings.compression.pull = 0;
    Random random{3};
    Window window;
    window.number = 7;
    for (std::uint64_t r = 0; r < 90; ++r) {
      window.units.push_back(UnitId{2 * random.below(kUnits / 2)});
      const std::uint32_t item = 2 * random.below(kUnits / 2) + 1;
      for (const std::uint32_t next : {0u, 2u, 4u}) window.units.push_back(UnitId{(item + next) % kUnits});
      window.ends.push_back(window.units.size());
      window.record_numbers.push_back(100 + r);
    }
    std::vector<AttributeId> attributes;
    for (std::uint32_t i = 0; i < kUnits; ++i) attributes.push_back(AttributeId{static_cast<std::uint16_t>(i % 2)});
    units_ = count_units(window, attributes, 2);
    shards_ = cut_shards(window, units_, 4);
  }

  ShardWork from_model() const {
    const Settings& settings = stored_.settings;
    return {.settings = settings, .units = units_, .model = &stored_.model, .epochs = all_epochs(settings.learning)};
  }

  /// By the number of the shard; each comes once.
  std::map<std::uint32_t, LearntShard> worked_off(const ShardWork& work) const {
    std::vector<const Shard*> shards;
    for (const Shard& shard : shards_) shards.push_back(&shard);
    std::map<std::uint32_t, LearntShard> learnt;
    work_off(work, shards, [&](LearntShard done) {
      const std::uint32_t number = done.update.number;
      EXPECT_TRUE(learnt.emplace(number, std::move(done)).second) << "shard " << number;
    });
    EXPECT_EQ(learnt.size(), shards_.size());
    return learnt;
  }

  StoredModel stored_;
  WindowUnits units_;
  std::vector<Shard> shards_;
};

INSTANTIATE_TEST_SUITE_P(Schemes, ShardWorkTest, testing::ValuesIn(kSchemes), scheme_suffix);

void expect_same_but_steps(const ShardUpdate& update, const ShardUpdate& expected) {
  EXPECT_EQ(update.slots, expected.slots);
  EXPECT_EQ(update.counts, expected.counts);
  EXPECT_EQ(update.growths, expected.growths);
  EXPECT_EQ(update.loss, expected.loss);
  EXPECT_EQ(update.unit_steps, expected.unit_steps);
  ASSERT_EQ(update.steps.rows(), expected.steps.rows());
}

void expect_same(const ShardUpdate& update, const ShardUpdate& expected) {
  expect_same_but_steps(update, expected);
  const std::size_t bytes = expected.steps.rows() * expected.steps.stride() * sizeof(float);
  EXPECT_EQ(std::memcmp(update.steps.data(), expected.steps.data(), bytes), 0);
}

TEST_P(ShardWorkTest, EveryShardIsLearntAsByItselfWithAnyNumberOfThreads) {
  const ModelStart start(units_, stored_.model, stored_.settings.learning.seed);
  for (const std::uint32_t threads : {1, 3, 9}) {
    stored_.settings.parallel.threads = threads;
    const auto learnt = worked_off(from_model());
    for (const Shard& shard : shards_) {
      CostlyEmbeddings costly(units_, shard, start);
      const ShardWork work = from_model();
      expect_same(learnt.at(shard.number).update,
                  learn(units_, shard, costly, work.settings.learning, work.epochs, work.kernel));
    }
  }
}

TEST_P(ShardWorkTest, UnitsAreHeldAtTheirCentroidsOnceThereAreSome) {
  const auto free = worked_off(from_model());
  stored_.settings.compression.pull = 1e9;
  const auto held = worked_off(from_model());
  const ModelStart start(units_, stored_.model, 1);
  for (const auto& [number, shard] : free) {
    const ShardUpdate& update = held.at(number).update;
    if (GetParam() != CompressionScheme::centroids) {
      expect_same(update, shard.update);
      continue;
    }
    for (std::size_t i = 0; i < update.slots.size(); ++i) {
      const auto step = update.steps.row(i);
      const float farthest = std::abs(
          *std::max_element(step.begin(), step.end(), [](float a, float b) { return std::abs(a) < std::abs(b); }));
      EXPECT_EQ(farthest < 1e-4F, start.knows(update.slots[i])) << farthest;
    }
  }
}

TEST_P(ShardWorkTest, RowsOfTheModelTeachTheSameAsTheModel) {
  const SlotRows known = known_rows(units_, stored_.model);
  ASSERT_LT(known.slots.size(), units_.size()) << "some units are new";
  ShardWork from_rows = from_model();
  from_rows.given = &known;
  from_rows.model = nullptr;
  const auto learnt = worked_off(from_rows), expected = worked_off(from_model());
  for (const auto& [number, shard] : expected) expect_same(learnt.at(number).update, shard.update);
}

TEST_P(ShardWorkTest, GivenRowsComeBeforeTheModel) {
  SlotRows shifted = known_rows(units_, stored_.model);
  for (std::size_t i = 0; i < shifted.rows.rows(); ++i) {
    for (float& x : shifted.rows.row(i)) x += 0.1F;
  }
  ShardWork with_model = from_model();
  with_model.given = &shifted;
  ShardWork without = with_model;
  without.model = nullptr;
  const auto learnt = worked_off(with_model), expected = worked_off(without);
  for (const auto& [number, shard] : expected) expect_same(learnt.at(number).update, shard.update);
}

TEST_P(ShardWorkTest, StepsAreRoundedToTheWireFormatAndNothingElseIs) {
  const auto exact = worked_off(from_model());
  stored_.settings.parallel.wire = WireFormat::bfloat16;
  const auto rounded = worked_off(from_model());
  std::size_t changed = 0;
  for (const auto& [number, shard] : exact) {
    const AlignedRows& steps = rounded.at(number).update.steps;
    expect_same_but_steps(rounded.at(number).update, shard.update);
    for (std::size_t i = 0; i < steps.rows(); ++i) {
      for (std::size_t k = 0; k < steps.width(); ++k) {
        const float step = shard.update.steps.row(i)[k];
        ASSERT_EQ(steps.row(i)[k], from_bfloat16(bfloat16_of(step)));
        changed += steps.row(i)[k] != step ? 1 : 0;
      }
    }
  }
  EXPECT_GT(changed, 1000u);
}

TEST_P(ShardWorkTest, ShardsAreTestedBeforeTheyAreLearntIfAsked) {
  for (const auto& [number, shard] : worked_off(from_model())) EXPECT_EQ(shard.score.queries, 0u) << number;
  const ModelStart start(units_, stored_.model, stored_.settings.learning.seed);
  for (const auto source : {CandidateSource::window, CandidateSource::vocabulary}) {
    Settings& settings = stored_.settings;
    settings.evaluation.negatives = source;
    ShardWork asked = from_model();
    const WindowTest test;
    asked.test = &test;
    const auto learnt = worked_off(asked);
    for (const Shard& shard : shards_) {
      const RetrievalScore expected =
          retrieve(shard, units_, start, source == CandidateSource::vocabulary ? &stored_.model : nullptr,
                   settings.attributes, settings.evaluation.candidates, settings.learning.seed);
      EXPECT_GT(expected.queries, 0u);
      EXPECT_EQ(learnt.at(shard.number).score.queries, expected.queries);
      EXPECT_EQ(learnt.at(shard.number).score.pooled.reciprocal_ranks, expected.pooled.reciprocal_ranks);
    }
  }
}

}  // namespace
}  // namespace meteor
