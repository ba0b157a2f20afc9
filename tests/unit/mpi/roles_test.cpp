#include <fmt/format.h>
#include <gmock/gmock.h>

#include "fixtures/learning_job.h"
#include "fixtures/poisoned_model.h"
#include "fixtures/run_from_start.h"
#include "fixtures/schemes.h"
#include "fixtures/watchdog.h"
#include "mpi/answers.h"
#include "support/build_id.h"
#include "support/stop_signal.h"
#include "support/version.h"

namespace meteor::testing {
namespace {

using ::testing::MatchesRegex;

void expect_equal(const RetrievalScore& score, const RetrievalScore& expected) {
  EXPECT_EQ(score.queries, expected.queries);
  EXPECT_EQ(score.mrr(Scoring::pooled), expected.mrr(Scoring::pooled));
  EXPECT_EQ(score.mrr(Scoring::mean), expected.mrr(Scoring::mean));
  EXPECT_EQ(score, expected);
}

/// Ranks that are threads learn a stream, and must end with what this process learns alone.
class RolesTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { stream_ = new GeneratedStream(400, 12); }
  static void TearDownTestSuite() { delete stream_; }

  LearntStream alone() const { return learn_alone(stream_->input(), settings_); }

  LearntStream in_ranks(std::uint32_t ranks) const {
    ThreadedJob job(ranks);
    LearntStream learnt;
    const auto owner = [&](Crew& crew) {
      EXPECT_EQ(crew.ranks(), ranks);
      learnt = learn_stream(stream_->input(), settings_, crew);
      EXPECT_EQ(crew.peak_rss_bytes().size(), ranks);
    };
    EXPECT_EQ(run_roles(job, settings_, owner), "");
    return learnt;
  }

  /// Whoever the ranks are and however they share the work, the model is `expected`.
  void expect_from_all_jobs(const LearntStream& expected) {
    for (const std::uint32_t ranks : {2, 3, 5}) {
      for (const std::uint32_t threads : {1, 2}) {
        for (const bool root_trains : {true, false}) {
          SCOPED_TRACE(fmt::format("{} ranks of {} threads, root_trains {}", ranks, threads, root_trains));
          settings_.parallel.threads = threads;
          settings_.parallel.root_trains = root_trains;
          const LearntStream learnt = in_ranks(ranks);
          EXPECT_EQ(learnt.sha256, expected.sha256);
          expect_equal(learnt.score, expected.score);
          EXPECT_GT(learnt.traffic.broadcast, 0u);
        }
      }
    }
  }

  Settings settings_ = quick_settings();
  Watchdog watchdog_{std::chrono::seconds(1200)};
  static GeneratedStream* stream_;
};
GeneratedStream* RolesTest::stream_ = nullptr;

struct Way {
  CompressionScheme scheme;
  std::uint32_t staleness;
  std::uint32_t rounds;
  WireFormat wire;
};

void PrintTo(const Way& way, std::ostream* out) {
  *out << scheme_name(way.scheme) << (way.staleness > 0 ? "_stale" : "") << (way.rounds > 1 ? "_rounds" : "")
       << (way.wire == WireFormat::bfloat16 ? "_halved" : "");
}

std::vector<Way> all_ways() {
  std::vector<Way> ways;
  for (const auto scheme : kSchemes)
    for (const std::uint32_t staleness : {0, 1})
      for (const std::uint32_t rounds : {1, 2})
        for (const auto wire : {WireFormat::float32, WireFormat::bfloat16})
          ways.push_back({scheme, staleness, rounds, wire});
  return ways;
}

class RolesOfAllWaysTest : public RolesTest, public ::testing::WithParamInterface<Way> {
 protected:
  RolesOfAllWaysTest() {
    settings_.compression.scheme = GetParam().scheme;
    settings_.parallel.staleness = GetParam().staleness;
    settings_.parallel.rounds = GetParam().rounds;
    settings_.parallel.wire = GetParam().wire;
  }
};

TEST_P(RolesOfAllWaysTest, RanksLearnTheModelThatOneProcessLearns) {
  const LearntStream expected = alone();
  EXPECT_EQ(expected.shards, 4u);
  EXPECT_GT(expected.score.queries, 0u);
  expect_from_all_jobs(expected);
}

TEST_F(RolesTest, RanksLearnAgainWhatOneProcessLearnsAgain) {
  settings_.learning.optimiser = Optimiser::sgd;
  settings_.learning.hold = 0.5;
  for (const ReplayKind kind : {ReplayKind::decay, ReplayKind::info}) {
    for (const CompressionScheme scheme : {CompressionScheme::none, CompressionScheme::spectral}) {
      settings_.learning.replay = kind;
      settings_.compression.scheme = scheme;
      expect_from_all_jobs(alone());
    }
  }
}

TEST_F(RolesTest, RanksLearnThePapersLossAsOneProcessDoes) {
  settings_.learning.shift = 0;
  for (const CompressionScheme scheme : {CompressionScheme::none, CompressionScheme::spectral}) {
    settings_.compression.scheme = scheme;
    expect_from_all_jobs(alone());
  }
}

INSTANTIATE_TEST_SUITE_P(Roles, RolesOfAllWaysTest, ::testing::ValuesIn(all_ways()),
                         ::testing::PrintToStringParamName());

TEST_F(RolesTest, CandidatesFromTheVocabularyAreTheSameForAllRanks) {
  settings_.evaluation.negatives = CandidateSource::vocabulary;
  for (const auto scheme : kSchemes) {
    for (const std::uint32_t staleness : {0, 1}) {
      settings_.compression.scheme = scheme;
      settings_.parallel = {.shards = 4, .staleness = staleness};
      expect_from_all_jobs(alone());
    }
  }
}

TEST_F(RolesTest, NewUnitsInheritTheSameFromTheirCategoryOnAllRanks) {
  const TemporaryFolder folder;
  for (const auto scheme : kSchemes) {
    for (const std::uint32_t staleness : {0, 1}) {
      settings_ = quick_settings();
      settings_.compression.scheme = scheme;
      settings_.parallel.staleness = staleness;
      settings_.parallel.rounds = 1 + staleness;
      const std::string without = alone().sha256;
      categorise_items(settings_.attributes, folder);
      for (const auto source : {CandidateSource::window, CandidateSource::vocabulary}) {
        settings_.evaluation.negatives = source;
        const LearntStream expected = alone();
        EXPECT_NE(expected.sha256, without);
        expect_from_all_jobs(expected);
      }
    }
  }
}

TEST_F(RolesTest, UnitsExpireTheSameForAllRanks) {
  for (const auto scheme : kForgettingSchemes) {
    for (const std::uint32_t staleness : {0, 1}) {
      settings_.compression.scheme = scheme;
      settings_.parallel = {.shards = 4, .staleness = staleness};
      settings_.model.expire.reset();
      const std::string all = alone().sha256;
      settings_.model.expire = Duration{3 * 86400};
      const LearntStream expected = alone();
      EXPECT_NE(expected.sha256, all);
      expect_from_all_jobs(expected);
    }
  }
}

TEST_F(RolesTest, TheWireFormatDecidesTheModel) {
  const std::string exact = in_ranks(2).sha256;
  settings_.parallel.wire = WireFormat::bfloat16;
  EXPECT_NE(in_ranks(2).sha256, exact);
}

TEST_F(RolesTest, RanksGoOnFromAModel) {
  const TemporaryFolder folder;
  for (const auto scheme : kSchemes) {
    settings_.compression.scheme = scheme;
    const auto begin = [&] {
      Vocabulary vocabulary({1, 1});
      const auto crew = local_crew(settings_);
      OnlineEmbedding embedding(settings_, *crew);
      StreamInput some = stream_->input();
      some.max_windows = 5;
      run_from_start(some, settings_, {3, {}}, vocabulary, embedding, {});
      save_model(folder.path() / "m.h5", settings_, vocabulary, embedding.model());
    };
    const auto go_on = [&](Crew& crew) {
      StoredModel stored = load_model(folder.path() / "m.h5");
      OnlineEmbedding embedding(settings_, crew, std::move(stored.model), Categories().of_all(stored.vocabulary));
      run_from_start(stream_->input(), settings_, {}, stored.vocabulary, embedding, {});
      return model_sha256(stored.vocabulary, embedding.model());
    };
    begin();
    const std::string expected = go_on(*local_crew(settings_));
    for (const std::uint32_t ranks : {2, 3}) {
      ThreadedJob job(ranks);
      std::string sha256;
      EXPECT_EQ(run_roles(job, settings_, [&](Crew& crew) { sha256 = go_on(crew); }), "");
      EXPECT_EQ(sha256, expected);
    }
  }
}

TEST_F(RolesTest, WhatGoesWrongOnAWorkerIsToldByRank0WithRankWindowRecordAndUnit) {
  settings_.compression.scheme = CompressionScheme::none;
  settings_.parallel.root_trains = false;  // so that a worker finds it
  for (const std::uint32_t threads : {1, 2}) {
    settings_.parallel.threads = threads;
    ThreadedJob job(3);
    const std::string failure = run_roles(job, settings_, [&](Crew& crew) {
      Vocabulary vocabulary({1, 1});
      StreamInput some = stream_->input();
      some.max_windows = 2;
      OnlineEmbedding first(settings_, crew);
      run_from_start(some, settings_, {5, {}}, vocabulary, first, {});
      OnlineEmbedding second(settings_, crew, poisoned_model(vocabulary, settings_.learning.dimension),
                             Categories().of_all(vocabulary));
      run_from_start(stream_->input(), settings_, {}, vocabulary, second, {});
    });
    EXPECT_THAT(failure,
                MatchesRegex("rank [12]: window 2: record [0-9]+: the embedding of user:.* is not finite; .*rate.*"));
  }
}

TEST_F(RolesTest, AWorkerThatIsAskedForTheImpossibleSaysWhere) {
  ThreadedJob job(2);
  const std::string failure = job.run([&](ThreadedJob::Rank rank) {
    if (rank.mail.rank() != 0) return work_for_owner(rank.mail);
    const auto crew = owner_crew(settings_, rank.mail);
    rank.mail.broadcast({MessageKind::learnt, {}, {}});
    job.idle(std::chrono::seconds(60));
  });
  EXPECT_EQ(failure, fmt::format("rank 1: an unexpected message of kind {}", static_cast<int>(MessageKind::learnt)));
}

TEST_F(RolesTest, AWindowThatIsGivenUpIsGivenUpByAllRanks) {
  settings_.learning.epochs = 1000000000;  // it would never end, so that heartbeats need a clock that goes on meanwhile
  settings_.parallel.patience = 600;
  for (const bool root_trains : {true, false}) {
    settings_.parallel.root_trains = root_trains;
    ThreadedJob job(3, std::chrono::minutes(10), machine_clock());
    const auto owner = [&](Crew& crew) {
      Vocabulary vocabulary({1, 1});
      OnlineEmbedding embedding(settings_, crew);
      std::atomic<bool> learns = false;
      RunHooks hooks;
      hooks.asks = [&](const Window&) {
        learns = true;
        return false;
      };
      hooks.halt = [&] { return learns.load(); };
      const RunTotals totals = run_from_start(stream_->input(), settings_, {1, {}}, vocabulary, embedding, hooks);
      EXPECT_TRUE(totals.halted);
      EXPECT_EQ(totals.windows, 0u);
    };
    EXPECT_EQ(run_roles(job, settings_, owner), "") << "root_trains " << root_trains;
  }
}

TEST_F(RolesTest, AWorkerThatIsToldToStopTellsRank0WhichWaitsForItsInput) {
  // In a process of its own, since the stop is that of the whole process.
  const auto stop_a_worker = [&] {
    ThreadedJob job(2);
    const std::string failure = job.run([&](ThreadedJob::Rank rank) {
      if (rank.mail.rank() == 0) {
        const auto crew = owner_crew(settings_, rank.mail);
        const auto limit = job.clock().now() + std::chrono::minutes(1);
        while (!stop_asked() && job.clock().now() < limit) job.idle(std::chrono::milliseconds(5));
        dismiss_workers(rank.mail);
      } else {
        rank.mail.hear();
        rank.mail.send(0, to_message(Ready{std::string(program_version()), build_id(), "here", "avx2"}));
        rank.mail.hear();
        rank.mail.set_stop([] { return true; });
        rank.mail.hear();
      }
    });
    std::_Exit(failure.empty() && stop_asked() ? 0 : 1);
  };
  EXPECT_EXIT(stop_a_worker(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace meteor::testing
