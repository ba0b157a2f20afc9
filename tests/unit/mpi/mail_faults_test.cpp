#include <gmock/gmock.h>

#include "fixtures/threaded_job.h"
#include "mpi/messages.h"

namespace meteor::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds short_patience{1000};
constexpr std::uint32_t ranks = 5;  // rank 2 passes broadcasts on to rank 3
constexpr int rounds = 3;

/// Rounds of work as in learning: a broadcast, a letter to each worker, an answer from each.
void work_rounds(Mail& mail) {
  for (int round = 0; round < rounds; ++round) {
    if (mail.rank() == 0) {
      mail.broadcast({MessageKind::window, "window", {own_array<float>("values", {1, 2})}});
      for (const std::uint32_t to : workers(mail)) mail.send(to, {MessageKind::shards, "shards", {}});
      auto owing = workers(mail);
      while (!owing.empty()) std::erase(owing, mail.receive_from(owing).from);
    } else {
      mail.hear();
      mail.receive();
      mail.send(0, {MessageKind::learnt, "learnt", {}});
    }
  }
  if (mail.rank() == 0) return mail.broadcast({MessageKind::stop, {}, {}});
  mail.hear();
}

TEST(FaultyMail, WithoutFaultsNothingIsNoticed) {
  ThreadedJob job(ranks);
  EXPECT_EQ(job.run([](ThreadedJob::Rank rank) { work_rounds(rank.mail); }), "");
}

TEST(FaultyMail, AMessageThatComesLateGoesUnnoticedWhileAllLive) {
  struct Place {
    std::uint32_t sender;
    MessageKind kind;
  };
  for (const Place place : {Place{0, MessageKind::window}, Place{0, MessageKind::shards}, Place{2, MessageKind::window},
                            Place{2, MessageKind::learnt}}) {
    for (const milliseconds time : {short_patience / 2, 5 * short_patience}) {
      ThreadedJob job(ranks, short_patience);
      job.transport(place.sender).plan({place.kind, 1, time});
      EXPECT_EQ(job.run([](ThreadedJob::Rank rank) { work_rounds(rank.mail); }), "");
      EXPECT_TRUE(job.transport(place.sender).harmed());
    }
  }
}

/// A job in which one worker, or rank 0, does something else than it should while all others wait for it.
std::string wait_for_one(std::uint32_t other_rank, const std::function<void(ThreadedJob&, ThreadedJob::Rank)>& other) {
  ThreadedJob job(ranks, short_patience);
  return job.run([&](ThreadedJob::Rank rank) {
    if (rank.mail.rank() == other_rank) other(job, rank);
    work_rounds(rank.mail);
  });
}

TEST(FaultyMail, ARankThatGoesSilentIsNamed) {
  const std::string failure = wait_for_one(3, [](ThreadedJob& job, ThreadedJob::Rank rank) {
    rank.transport.swallow_heartbeats();
    job.idle(seconds(60));
  });
  EXPECT_EQ(failure, "rank 3 has stopped answering (nothing heard for 1 s)");
}

TEST(FaultyMail, ARankThatIsStuckIsNamed) {
  const std::string failure = wait_for_one(3, [](ThreadedJob& job, ThreadedJob::Rank) { job.idle(seconds(60)); });
  EXPECT_EQ(failure, "rank 3 is stuck (no progress for 1 s)");
}

void be_busy(ThreadedJob& job, ThreadedJob::Rank rank, milliseconds time) {
  const auto end = job.clock().now() + time;
  for (; job.clock().now() < end; ++rank.pulse) job.idle(milliseconds(5));
}

TEST(FaultyMail, ABusyRankIsLeftAlone) {
  EXPECT_EQ(wait_for_one(3, [](auto& job, auto rank) { be_busy(job, rank, 2 * short_patience); }), "");
}

TEST(FaultyMail, ALostHeartbeatMattersLittle) {
  ThreadedJob job(ranks, short_patience);
  job.transport(3).lose_heartbeat(2);
  const std::string failure = job.run([&](ThreadedJob::Rank rank) {
    if (rank.mail.rank() == 3) be_busy(job, rank, seconds(2));
    work_rounds(rank.mail);
  });
  EXPECT_EQ(failure, "");
  EXPECT_TRUE(job.transport(3).harmed());
}

TEST(FaultyMail, WorkersNameRank0WhenItGoesSilent) {
  const std::string failure = wait_for_one(0, [](ThreadedJob& job, ThreadedJob::Rank rank) {
    rank.transport.swallow_heartbeats();
    job.idle(seconds(60));
  });
  EXPECT_EQ(failure, "rank 0 has stopped answering (nothing heard for 2 s)");
}

TEST(FaultyMail, ASilentInputOfRank0IsNoReasonToGiveUp) {
  EXPECT_EQ(wait_for_one(0, [](auto& job, auto) { job.idle(short_patience + milliseconds(1600)); }), "");
}

TEST(FaultyMail, AfterASilentInputRank0HasTimeToSendLetters) {
  ThreadedJob job(4, short_patience);  // rank 3 hears broadcasts through rank 2
  const std::string failure = job.run([&](ThreadedJob::Rank rank) {
    if (rank.mail.rank() == 0) {
      job.idle(short_patience + milliseconds(1600));
      rank.mail.broadcast({MessageKind::window, {}, {}});
      job.idle(milliseconds(300));
      for (const std::uint32_t to : workers(rank.mail)) rank.mail.send(to, {MessageKind::shards, {}, {}});
    } else {
      rank.mail.hear();
      rank.mail.receive();
    }
  });
  EXPECT_EQ(failure, "");
}

TEST(FaultyMail, AWorkerWaitsForItsLetterWhileRank0GetsOn) {
  for (const bool busy : {true, false}) {
    ThreadedJob job(2, short_patience);
    const std::string failure = job.run([&](ThreadedJob::Rank rank) {
      if (rank.mail.rank() != 0) {
        rank.mail.receive();
      } else {
        if (busy) be_busy(job, rank, short_patience + milliseconds(2000));
        if (!busy) job.idle(seconds(60));
        rank.mail.send(1, {MessageKind::shards, {}, {}});
      }
    });
    EXPECT_EQ(failure, busy ? "" : "rank 0 is stuck (no progress for 2 s)");
  }
}

TEST(FaultyMail, AnExceptionWaitsAMomentForLentMemoryToComeBack) {
  ThreadedJob job(2);
  job.transport(0).hold_back();
  const auto start = job.clock().now();
  const std::string failure = job.run([&](ThreadedJob::Rank rank) {
    if (rank.mail.rank() != 0) return;
    const LentMemory lent(rank.mail);
    throw std::runtime_error("a failure");
  });
  EXPECT_EQ(failure, "a failure");
  EXPECT_GE(job.clock().now() - start, seconds(1));
}

TEST(FaultyMail, FlushingEndsWhenARankHasStopped) {
  ThreadedJob job(2, short_patience);
  job.transport(0).hold_back();
  job.transport(1).swallow_heartbeats();
  const std::string failure = job.run([&](ThreadedJob::Rank rank) {
    if (rank.mail.rank() == 0) return rank.mail.flush();
    job.idle(seconds(60));
  });
  EXPECT_EQ(failure, "rank 1 has stopped answering (nothing heard for 1 s)");
}

}  // namespace
}  // namespace meteor::testing
