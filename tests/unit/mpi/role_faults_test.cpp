#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>
#include <set>

#include "fixtures/learning_job.h"
#include "fixtures/watchdog.h"
#include "support/threads.h"

namespace meteor::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr double short_patience = 0.4;
constexpr std::uint32_t ranks = 4;  // rank 2 passes broadcasts on to rank 3
constexpr std::size_t jobs_at_once = 12;

/// All the ways in which the transport is found out.
const char* const named_fault =
    "message [0-9]+ from rank [0-3] to rank [0-3] (was lost|came twice)|"
    "a message from rank 0 was lost|a message to rank [1-3], or its answer, was lost|"
    "rank [0-3] has stopped answering|rank [0-3] is stuck";

/// Jobs in which one packet of a whole run is harmed.
class RoleFaultsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    stream_ = new GeneratedStream(120, 6);
    sha256_ = new std::string(learn_alone(stream_->input(), settings(20)).sha256);
  }
  static void TearDownTestSuite() {
    delete stream_;
    delete sha256_;
  }

  static Settings settings(double patience) {
    Settings settings = quick_settings();
    settings.learning.epochs = 1;
    settings.parallel.patience = patience;
    return settings;
  }

  struct Place {
    std::uint32_t sender;
    MessageKind kind;
    std::uint64_t packets;  ///< of that kind that it sends in a run
  };
  /// Every kind of packet that rank 0 sends, and that rank 2 passes on or sends.
  static std::vector<Place> places() {
    ThreadedJob job(ranks);
    const Settings whole = settings(20);
    EXPECT_EQ(run_roles(job, whole, [&](Crew& crew) { learn_stream(stream_->input(), whole, crew); }), "");
    std::vector<Place> found;
    for (const std::uint32_t sender : {0, 2}) {
      for (auto kind = MessageKind::welcome; kind <= MessageKind::stop;
           kind = MessageKind{static_cast<std::uint32_t>(kind) + 1}) {
        const std::uint64_t packets = job.transport(sender).sent(kind);
        if (packets > 0) found.push_back({sender, kind, packets});
      }
    }
    return found;
  }

  struct Case {
    std::uint32_t sender;
    Fault fault;
    bool last;  ///< of its kind
  };
  /// Packets here and there in each place.
  static std::vector<Case> cases(Mishap mishap, milliseconds delay = {}) {
    std::vector<Case> all;
    for (const Place& place : places()) {
      for (const std::uint64_t nth : std::set{std::uint64_t{0}, place.packets / 3, place.packets - 1}) {
        all.push_back({place.sender, {mishap, place.kind, nth, delay}, nth + 1 == place.packets});
      }
    }
    return all;
  }

  /// What the first rank that failed says, if one fails; else the model must be right. On a machine so busy that
  /// patience ends before the packet was harmed, the job gets another try, and more time.
  static std::string failure_of(const Case& it, double patience) {
    ThreadedJob job(ranks, milliseconds(static_cast<int>(1000 * patience)));
    job.transport(it.sender).plan(it.fault);
    std::string sha256;
    const Settings impatient = settings(patience);
    const std::string failure =
        run_roles(job, impatient, [&](Crew& crew) { sha256 = learn_stream(stream_->input(), impatient, crew).sha256; });
    if (!job.transport(it.sender).harmed() && patience < 20) return failure_of(it, 4 * patience);
    EXPECT_TRUE(job.transport(it.sender).harmed());
    if (failure.empty()) {
      EXPECT_EQ(sha256, *sha256_);
    }
    return failure;
  }

  template <class Check>
  static void check_all(const std::vector<Case>& cases, double patience, const Check& check) {
    share_work(jobs_at_once, cases.size(), [&](std::size_t i) {
      SCOPED_TRACE(fmt::format("rank {}, kind {}, packet {}", cases[i].sender,
                               static_cast<std::uint32_t>(cases[i].fault.kind), cases[i].fault.nth));
      check(failure_of(cases[i], patience), cases[i]);
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
  kinds.insert({MessageKind::heartbeat, MessageKind::failure});
  EXPECT_EQ(kinds.size(), static_cast<std::size_t>(MessageKind::stop) + 1);
}

TEST_F(RoleFaultsTest, ALostPacketEndsTheRunWithWords) {
  check_all(cases(Mishap::lost), short_patience, [](const std::string& failure, const Case&) {
    EXPECT_THAT(failure, ::testing::ContainsRegex(named_fault));
  });
}

TEST_F(RoleFaultsTest, AnOvertakenPacketEndsTheRunWithWords) {
  check_all(cases(Mishap::overtaken), short_patience, [](const std::string& failure, const Case&) {
    EXPECT_THAT(failure, ::testing::ContainsRegex(named_fault));
  });
}

TEST_F(RoleFaultsTest, APacketThatComesTwiceEndsTheRunUnlessNobodyListensAnyMore) {
  std::vector<Case> heard = cases(Mishap::twice);
  std::erase_if(heard, [](const Case& it) { return it.last; });
  ASSERT_GT(heard.size(), 10u);
  check_all(heard, 20, [](const std::string& failure, const Case&) {
    EXPECT_THAT(failure, ::testing::ContainsRegex("message [0-9]+ from rank [0-3] to rank [0-3] came twice"));
  });
}

TEST_F(RoleFaultsTest, APacketThatComesLateButInTimeChangesNothing) {
  check_all(cases(Mishap::late, milliseconds(150)), 20,
            [](const std::string& failure, const Case&) { EXPECT_EQ(failure, ""); });
}

TEST_F(RoleFaultsTest, APacketThatComesTooLateEndsTheRunWithWordsOrChangesNothing) {
  std::atomic<int> ended = 0;
  check_all(cases(Mishap::late, seconds(2)), short_patience, [&](const std::string& failure, const Case&) {
    if (failure.empty()) return;  // the model is right
    ++ended;
    EXPECT_THAT(failure, ::testing::ContainsRegex(named_fault));
  });
  EXPECT_GT(ended, 0);
}

}  // namespace
}  // namespace meteor::testing
