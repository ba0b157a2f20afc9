#include "engine/stream_run.h"

#include <gmock/gmock.h>

#include <set>

#include "fixtures/poisoned_model.h"
#include "fixtures/schemes.h"
#include "fixtures/stream_run.h"
#include "support/error.h"

namespace meteor {
namespace {

TEST_F(StreamRunTest, TheSameSeedGivesTheSameModelAndAnotherSeedAnother) {
  for (const auto scheme : kSchemes) {
    settings_.compression.scheme = scheme;
    settings_.learning.seed = 1;
    const std::string first = run().sha256;
    EXPECT_EQ(first, run().sha256);
    settings_.learning.seed = 2;
    EXPECT_NE(first, run().sha256);
  }
}

TEST_F(StreamRunTest, CompressionBeginsAfterPretrainingAndShrinksTheModel) {
  const Outcome compressed = run();
  ASSERT_GT(compressed.reports.size(), 20u);
  EXPECT_TRUE(compressed.reports.front().pretraining);
  EXPECT_FALSE(compressed.reports.back().pretraining);
  EXPECT_EQ(compressed.reports.front().compression_error, 0);
  EXPECT_GT(compressed.reports.back().compression_error, 0);
  EXPECT_LT(compressed.bytes, compressed.full_bytes * 6 / 10);
  settings_.compression.scheme = CompressionScheme::none;
  const Outcome full = run();
  EXPECT_EQ(full.bytes, full.full_bytes + full.full_bytes / settings_.learning.dimension / sizeof(float));
  EXPECT_EQ(full.reports.back().compression_error, 0);
}

TEST_F(StreamRunTest, EveryRecordIsLearntOrAccountedFor) {
  const Outcome outcome = run();
  EXPECT_EQ(outcome.totals.records + outcome.totals.skipped.too_small, 1200u);
  EXPECT_EQ(outcome.totals.windows, outcome.reports.size());
}

TEST_F(StreamRunTest, AStreamThatEndsWhilePretrainingIsCompressedAtItsEnd) {
  settings_.evaluation.pretrain = WindowCount{1000};
  const Outcome outcome = run();
  EXPECT_LT(outcome.bytes, outcome.full_bytes * 6 / 10);
}

TEST_F(StreamRunTest, UnitsThatAreNotSeenForLongAreForgotten) {
  settings_.learning.shift = 0;  // codes in clusters are about as long in both runs then
  settings_.learning.context = Context::mean;
  for (const auto scheme : kForgettingSchemes) {
    for (const std::uint32_t staleness : {0, 1}) {
      settings_.compression.scheme = scheme;
      settings_.parallel.staleness = staleness;
      settings_.model.expire.reset();
      const Outcome all = run();
      EXPECT_EQ(all.totals.expired, 0u);
      settings_.model.expire = Duration{4 * 86400};
      const Outcome some = run();
      EXPECT_GT(some.totals.expired, 50u);
      EXPECT_LT(some.full_bytes, all.full_bytes);
      EXPECT_LT(some.bytes, all.bytes) << "bytes are freed";
      std::uint64_t expired = 0, brought = 0;
      for (const WindowReport& report : some.reports) {
        expired += report.expired;
        brought += report.new_units;
      }
      EXPECT_EQ(expired, some.totals.expired);
      EXPECT_EQ((brought - expired) * 4 * settings_.learning.dimension, some.full_bytes) << "who comes back is new";
      EXPECT_EQ(some.sha256, run().sha256);
    }
  }
}

TEST_F(StreamRunTest, WhatIsLeftWasSeenAShortTimeAgo) {
  settings_.model.expire = Duration{8 * 86400};
  settings_.compression.scheme = CompressionScheme::none;
  Vocabulary vocabulary({1, 3});
  const auto crew = local_crew(settings_);
  OnlineEmbedding embedding(settings_, *crew);
  RunState state = run_start({5, {}}, embedding.model().windows);
  const RunTotals totals = run_stream(input(), settings_, state, vocabulary, {}, embedding, {});
  EXPECT_GT(totals.expired, 0u);
  EXPECT_EQ(vocabulary.size(), embedding.model().units());
  const auto newest = static_cast<std::uint32_t>(embedding.model().windows - 1);
  for (const std::uint32_t window : embedding.model().last_windows) EXPECT_GE(window + 9, newest);
  EXPECT_EQ(totals.waiting, state.sightings.size());
  EXPECT_GT(totals.waiting, 0u);
  for (const auto& [key, sighted] : state.sightings) EXPECT_GE(sighted.window + 9, newest) << key;
}

TEST_F(StreamRunTest, LearningGoesOnFromAModel) {
  const TemporaryFolder folder;
  Vocabulary vocabulary({1, 1});
  const auto crew = local_crew(settings_);
  OnlineEmbedding first(settings_, *crew);
  StreamInput some = input();
  some.max_windows = 5;
  run_from_start(some, settings_, {5, {}}, vocabulary, first, {});
  save_model(folder.path() / "m.h5", settings_, vocabulary, first.model());

  StoredModel stored = load_model(folder.path() / "m.h5");
  OnlineEmbedding second(settings_, *crew, std::move(stored.model), Categories().of_all(stored.vocabulary));
  const std::size_t known = second.model().units();
  run_from_start(input(), settings_, {}, stored.vocabulary, second, {});
  EXPECT_GT(second.model().units(), known);
  EXPECT_GT(second.model().windows, 30u);
}

TEST_F(StreamRunTest, AValueThatIsNotFiniteStopsTheRunAndNamesWindowRecordAndUnit) {
  Vocabulary vocabulary({1, 1});
  const auto crew = local_crew(settings_);
  OnlineEmbedding first(settings_, *crew);
  StreamInput some = input();
  some.max_windows = 2;
  settings_.compression.scheme = CompressionScheme::none;
  run_from_start(some, settings_, {5, {}}, vocabulary, first, {});

  OnlineEmbedding second(settings_, *crew, testing::poisoned_model(vocabulary, settings_.learning.dimension),
                         Categories().of_all(vocabulary));
  try {
    run_from_start(input(), settings_, {}, vocabulary, second, {});
    FAIL() << "the infinite value went unnoticed";
  } catch (const NumericError& error) {
    EXPECT_THAT(error.what(), ::testing::MatchesRegex("window 2: record 1: the embedding of user:.* is not finite.*"));
  }
}

TEST_F(StreamRunTest, ShardsDecideTheModelAndThreadsDoNot) {
  std::set<std::string> models;
  int combinations = 0;
  for (const auto scheme : kSchemes) {
    for (std::uint32_t staleness : {0, 1}) {
      for (std::uint32_t rounds : {1, 2}) {
        settings_.compression.scheme = scheme;
        settings_.parallel = {.shards = 4, .threads = 1, .rounds = rounds, .staleness = staleness};
        const Outcome alone = run();
        settings_.parallel.threads = 3;
        const Outcome shared = run();
        EXPECT_EQ(shared.sha256, alone.sha256) << "staleness " << staleness << ", " << rounds << " rounds";
        EXPECT_EQ(shared.totals.shards, 4u);
        models.insert(alone.sha256);
        settings_.parallel.shards = 1;
        models.insert(run().sha256);
        combinations += 2;
      }
    }
  }
  EXPECT_EQ(models.size(), static_cast<std::size_t>(combinations)) << "each combination learns in its own way";
}

TEST_F(StreamRunTest, MoreRoundsThanEpochsAreAsManyAsEpochs) {
  settings_.parallel = {.shards = 2, .rounds = 2};
  const std::string expected = run().sha256;
  settings_.parallel.rounds = 50;
  EXPECT_EQ(run().sha256, expected);
}

constexpr double kLossOfGuessing = 4 * 0.693147;  // a target and three negatives, all with score 0

double loss_at_the_end(const std::vector<WindowReport>& reports) {
  double sum = 0;
  for (std::size_t i = reports.size() - 10; i < reports.size(); ++i) sum += reports[i].loss;
  return sum / 10;
}

TEST_F(StreamRunTest, AWindowThatWaitsToBeCompressedIsNotLost) {
  settings_.learning.epochs = 20;
  for (const auto scheme : kSchemes) {
    settings_.compression.scheme = scheme;
    settings_.parallel.staleness = 0;
    const Outcome prompt = run();
    settings_.parallel.staleness = 1;
    const Outcome stale = run();
    EXPECT_EQ(stale.totals.windows, prompt.totals.windows);
    EXPECT_EQ(stale.totals.records, prompt.totals.records);
    EXPECT_EQ(stale.totals.unit_steps, prompt.totals.unit_steps);
    EXPECT_EQ(stale.full_bytes, prompt.full_bytes) << "all units are in the model";
    EXPECT_EQ(stale.counted, prompt.counted) << "and have been counted in every window";
    const double loss = loss_at_the_end(prompt.reports);
    // Of units that share a vector, each sees what the others learnt a window late.
    const bool shared = scheme == CompressionScheme::hashed || scheme == CompressionScheme::centroids;
    EXPECT_NEAR(loss_at_the_end(stale.reports), loss, (shared ? 0.2 : 0.1) * (kLossOfGuessing - loss))
        << scheme_name(scheme);
  }
}

TEST_F(StreamRunTest, ShardsLearnNearlyAsWellAsTheWhole) {
  settings_.learning.epochs = 20;
  const double whole = loss_at_the_end(run().reports);
  settings_.parallel.shards = 4;
  EXPECT_LT(loss_at_the_end(run().reports), whole + 0.1 * (kLossOfGuessing - whole));
}

TEST_F(StreamRunTest, AModelSavedAtAWindowLimitHoldsTheNamesOfLearntUnitsOnly) {
  const TemporaryFolder folder;
  for (std::uint32_t staleness : {0, 1}) {
    settings_.parallel.staleness = staleness;
    Vocabulary vocabulary({1, 1});
    const auto crew = local_crew(settings_);
    OnlineEmbedding embedding(settings_, *crew);
    StreamInput some = input();
    some.max_windows = 4;
    run_from_start(some, settings_, {2, {}}, vocabulary, embedding, {});
    EXPECT_EQ(embedding.model().windows, 4u);
    EXPECT_GT(vocabulary.size(), embedding.model().units()) << "the reader was ahead";
    save_model(folder.path() / "m.h5", settings_, vocabulary, embedding.model());

    const StoredModel stored = load_model(folder.path() / "m.h5");
    EXPECT_EQ(model_sha256(stored.vocabulary, stored.model), model_sha256(vocabulary, embedding.model()));
    Rejects rejects(stream(), 1.0);
    RecordReader reader(open_source(stream()), settings_.stream, settings_.attributes, rejects);
    Vocabulary expected({1, 1});
    WindowFeed feed(reader, expected, settings_.stream);
    for (int window = 0; window < 4; ++window) feed.next();
    ASSERT_EQ(stored.vocabulary.size(), expected.size());
    for (UnitId unit : first_units(expected.size())) {
      EXPECT_EQ(stored.vocabulary.name(unit), expected.name(unit));
      EXPECT_EQ(stored.vocabulary.attribute(unit), expected.attribute(unit));
    }
  }
}

}  // namespace
}  // namespace meteor
