#include "methods/stream_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "fixtures/shopping_attributes.h"
#include "fixtures/temporary_folder.h"
#include "model/uncompressed.h"
#include "storage/model_file.h"
#include "stream/generator.h"
#include "support/error.h"

namespace meteor {
namespace {

/// A small generated shopping stream, learnt with few dimensions.
class StreamRunTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    std::ofstream file(stream());
    StreamGenerator generator({.kind = GeneratorKind::shopping, .records = 1200, .seed = 5, .days = 30});
    write_csv(generator, file);
  }
  static void TearDownTestSuite() { delete folder_; }
  static std::string stream() { return (folder_->path() / "stream.csv").string(); }

  static StreamInput input() {
    StreamInput whole;
    whole.path = stream();
    return whole;
  }

  StreamRunTest() {
    settings_.attributes = shopping_attributes();
    settings_.learning.dimension = 64;
    settings_.learning.epochs = 2;
  }

  struct Outcome {
    std::string sha256;
    RunTotals totals;
    std::vector<WindowReport> reports;
    std::uint64_t bytes = 0;
    std::uint64_t full_bytes = 0;
  };
  Outcome run(const StreamInput& input) const {
    const StreamOutline outline = outline_stream(input.path, settings_);
    Vocabulary vocabulary({1, 1});
    OnlineEmbedding embedding(settings_, vocabulary);
    Outcome outcome;
    RunHooks hooks;
    hooks.after_learning = [&](const WindowReport& report, const RunTotals&) { outcome.reports.push_back(report); };
    outcome.totals = run_stream(input, settings_, pretraining_end(settings_, &outline), vocabulary, embedding, hooks);
    outcome.sha256 = model_sha256(vocabulary, embedding.model());
    outcome.bytes = embedding.model().bytes();
    EXPECT_EQ(outcome.bytes, decoding_bytes(embedding.model().arrays()));
    outcome.full_bytes = embedding.model().full_bytes();
    return outcome;
  }
  Outcome run() const { return run(input()); }

  static TemporaryFolder* folder_;
  Settings settings_;
};
TemporaryFolder* StreamRunTest::folder_ = nullptr;

TEST_F(StreamRunTest, TheSameSeedGivesTheSameModelAndAnotherSeedAnother) {
  for (const auto scheme : {CompressionScheme::none, CompressionScheme::clusters}) {
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
  EXPECT_EQ(full.bytes, full.full_bytes + full.full_bytes / settings_.learning.dimension);
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

TEST_F(StreamRunTest, AWindowLimitStopsTheRun) {
  StreamInput some = input();
  some.max_windows = 3;
  EXPECT_EQ(run(some).totals.windows, 3u);
}

TEST_F(StreamRunTest, LearningGoesOnFromAModel) {
  const TemporaryFolder folder;
  Vocabulary vocabulary({1, 1});
  OnlineEmbedding first(settings_, vocabulary);
  StreamInput some = input();
  some.max_windows = 5;
  run_stream(some, settings_, {5, {}}, vocabulary, first, {});
  save_model(folder.path() / "m.h5", settings_, vocabulary, first.model());

  StoredModel stored = load_model(folder.path() / "m.h5");
  OnlineEmbedding second(settings_, stored.vocabulary, std::move(stored.model));
  const std::size_t known = second.model().units();
  run_stream(input(), settings_, {}, stored.vocabulary, second, {});
  EXPECT_GT(second.model().units(), known);
  EXPECT_GT(second.model().windows, 30u);
}

TEST_F(StreamRunTest, AValueThatIsNotFiniteStopsTheRunAndNamesWindowRecordAndUnit) {
  Vocabulary vocabulary({1, 1});
  OnlineEmbedding first(settings_, vocabulary);
  StreamInput some = input();
  some.max_windows = 2;
  settings_.compression.scheme = CompressionScheme::none;
  run_stream(some, settings_, {5, {}}, vocabulary, first, {});

  Model poisoned;
  poisoned.dimension = settings_.learning.dimension;
  poisoned.embeddings = std::make_unique<Uncompressed>(poisoned.dimension);
  WindowUpdate update;
  update.window = 1;
  for (std::uint32_t i = 0; i < vocabulary.size(); ++i) {
    update.units.push_back(UnitId{i});
    update.attributes.push_back(vocabulary.attribute(UnitId{i}));
    update.accumulators.push_back(1);
    update.counts.push_back(1);
    update.categories.push_back(CategoryKey::none);
  }
  update.rows = AlignedRows(vocabulary.size(), poisoned.dimension);
  update.rows.row(0)[3] = std::numeric_limits<float>::infinity();
  poisoned.absorb(update);
  OnlineEmbedding second(settings_, vocabulary, std::move(poisoned));
  try {
    run_stream(input(), settings_, {}, vocabulary, second, {});
    FAIL() << "the infinite value went unnoticed";
  } catch (const NumericError& error) {
    EXPECT_THAT(error.what(), testing::MatchesRegex("window 2: record 1: the embedding of user:.* is not finite.*"));
  }
}

}  // namespace
}  // namespace meteor
