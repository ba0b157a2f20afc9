#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "fixtures/learning_job.h"
#include "fixtures/watchdog.h"
#include "support/threads.h"

namespace meteor::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint32_t ranks = 4;  // rank 2 passes broadcasts on to rank 3
constexpr std::size_t jobs_at_once = 12;

/// Jobs in which one message of a whole run comes late.
class RoleFaultsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    stream_ = new GeneratedStream(120, 6);
    sha256_ = new std::string(learn_alone(stream_->input(), settings()).sha256);
  }
  static void TearDownTestSuite() {
    delete stream_;
    delete sha256_;
  }

  /// With heartbeats every half second: rank 0 knows well before the workers, which have a second more of patience.
  static Settings settings() {
    Settings settings = quick_settings();
    settings.learning.epochs = 1;
    settings.parallel.patience = 4;
    return settings;
  }

  struct Place {
    std::uint32_t sender;
    MessageKind kind;
    std::uint64_t messages;  ///< of that kind that it sends in a run
  };
  /// Every kind of message that rank 0 sends, and that rank 2 passes on or sends.
  static std::vector<Place> places() {
    ThreadedJob job(ranks);
    const Settings whole = settings();
    EXPECT_EQ(run_roles(job, whole, [&](Crew& crew) { learn_stream(stream_->input(), whole, crew); }), "");
    std::vector<Place> found;
    for (const std::uint32_t sender : {0, 2}) {
      for (auto kind = MessageKind::welcome; kind <= MessageKind::stop;
           kind = MessageKind{static_cast<std::uint32_t>(kind) + 1}) {
        const std::uint64_t messages = job.transport(sender).sent(kind);
        if (messages > 0) found.push_back({sender, kind, messages});
      }
    }
    return found;
  }

  struct Case {
    std::uint32_t sender;
    Delay delay;
    bool last;  ///< of its kind
  };
  /// Messages here and there in each place.
  static std::vector<Case> cases(milliseconds delay) {
    std::vector<Case> all;
    for (const Place& place : places()) {
      for (const std::uint64_t nth : std::set{std::uint64_t{0}, place.messages / 3, place.messages - 1}) {
        all.push_back({place.sender, {place.kind, nth, delay}, nth + 1 == place.messages});
      }
    }
    return all;
  }

  /// What the first rank that failed says, if one fails; else the model must be right.
  static std::string failure_of(const Case& it) {
    ThreadedJob job(ranks, seconds(4));
    job.transport(it.sender).plan(it.delay);
    std::string sha256;
    const Settings whole = settings();
    const std::string failure =
        run_roles(job, whole, [&](Crew& crew) { sha256 = learn_stream(stream_->input(), whole, crew).sha256; });
    EXPECT_TRUE(job.transport(it.sender).harmed());
    if (failure.empty()) {
      EXPECT_EQ(sha256, *sha256_);
    }
    return failure;
  }

  static void expect_unnoticed(const std::vector<Case>& cases) {
    ASSERT_GT(cases.size(), 10u);
    share_work(jobs_at_once, cases.size(), [&](std::size_t i) {
      SCOPED_TRACE(fmt::format("rank {}, kind {}, message {}", cases[i].sender,
                               static_cast<std::uint32_t>(cases[i].delay.kind), cases[i].delay.nth));
      EXPECT_EQ(failure_of(cases[i]), "");
    });
  }

  Watchdog watchdog_{seconds(1200)};
  static GeneratedStream* stream_;
  static std::string* sha256_;
};
GeneratedStream* RoleFaultsTest::stream_ = nullptr;
std::string* RoleFaultsTest::sha256_ = nullptr;

TEST_F(RoleFaultsTest, AllKindsOfMessagesTravel) {
  std::set<MessageKind> kinds;
  for (const Place& place : places()) kinds.insert(place.kind);
  kinds.insert(MessageKind::failure);
  EXPECT_EQ(kinds.size(), static_cast<std::size_t>(MessageKind::stop) + 1);
}

TEST_F(RoleFaultsTest, AMessageThatComesLateChangesNothing) { expect_unnoticed(cases(seconds(2))); }

TEST_F(RoleFaultsTest, AMessageThatComesAfterAllPatienceChangesNothingWhileAllLive) {
  std::vector<Case> heard = cases(seconds(20));
  // After its last word rank 0 is silent, which workers notice that have not heard it, or what it said before.
  std::erase_if(heard, [](const Case& it) {
    return it.delay.kind == MessageKind::stop || (it.delay.kind == MessageKind::changes && it.last);
  });
  expect_unnoticed(heard);
}

}  // namespace
}  // namespace meteor::testing
