#include <fmt/format.h>
#include <gmock/gmock.h>

#include <set>

#include "fixtures/learning_job.h"
#include "fixtures/watchdog.h"
#include "support/threads.h"

namespace meteor::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ContainsRegex;

constexpr std::uint32_t ranks = 4;  // rank 2 passes broadcasts on to rank 3
constexpr std::size_t jobs_at_once = 12;

/// A lost packet is noticed when the next one comes, or when no answer does.
const char* const lost =
    "message [0-9]+ from rank [0-3] to rank [0-3] was lost$|^a message to rank [1-3], or its answer, was lost$";
/// After its last word rank 0 is silent, which a worker notices that has not heard it.
const char* const end_missed = "^rank [1-3]: window 5: rank 0 has stopped answering \\(nothing heard for 5 s\\)$";

/// Jobs in which one packet of a whole run is harmed.
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
    std::uint64_t packets;  ///< of that kind that it sends in a run
  };
  /// Every kind of packet that rank 0 sends, and that rank 2 passes on or sends.
  static std::vector<Place> places() {
    ThreadedJob job(ranks);
    const Settings whole = settings();
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

  /// What the first rank that failed says, if one fails; else the model must be right.
  static std::string failure_of(const Case& it) {
    ThreadedJob job(ranks, seconds(4));
    job.transport(it.sender).plan(it.fault);
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

  template <class Check>
  static void check_all(const std::vector<Case>& cases, const Check& check) {
    ASSERT_GT(cases.size(), 10u);
    share_work(jobs_at_once, cases.size(), [&](std::size_t i) {
      SCOPED_TRACE(fmt::format("rank {}, kind {}, packet {}", cases[i].sender,
                               static_cast<std::uint32_t>(cases[i].fault.kind), cases[i].fault.nth));
      check(failure_of(cases[i]), cases[i]);
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
  check_all(cases(Mishap::lost), [](const std::string& failure, const Case& it) {
    EXPECT_THAT(failure, ContainsRegex(it.fault.kind == MessageKind::stop ? end_missed : lost));
  });
}

TEST_F(RoleFaultsTest, AnOvertakenPacketEndsTheRunWithWords) {
  check_all(cases(Mishap::overtaken), [](const std::string& failure, const Case& it) {
    EXPECT_THAT(failure, ContainsRegex(it.fault.kind == MessageKind::stop ? end_missed : lost));
  });
}

TEST_F(RoleFaultsTest, APacketThatComesTwiceEndsTheRunUnlessNobodyListensAnyMore) {
  std::vector<Case> heard = cases(Mishap::twice);
  std::erase_if(heard, [](const Case& it) { return it.last || it.fault.kind == MessageKind::stop; });
  check_all(heard, [](const std::string& failure, const Case&) {
    EXPECT_THAT(failure, ContainsRegex("message [0-9]+ from rank [0-3] to rank [0-3] came twice$"));
  });
}

TEST_F(RoleFaultsTest, APacketThatComesLateButInTimeChangesNothing) {
  check_all(cases(Mishap::late, seconds(2)), [](const std::string& failure, const Case&) { EXPECT_EQ(failure, ""); });
}

TEST_F(RoleFaultsTest, APacketThatComesTooLateEndsTheRunWithWords) {
  check_all(cases(Mishap::late, seconds(20)), [](const std::string& failure, const Case& it) {
    const bool before_stop = it.fault.kind == MessageKind::changes && it.last;
    EXPECT_THAT(failure, ContainsRegex(before_stop || it.fault.kind == MessageKind::stop ? end_missed : lost));
  });
}

}  // namespace
}  // namespace meteor::testing
