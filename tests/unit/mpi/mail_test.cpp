#include "mpi/mail.h"

#include <gtest/gtest.h>

#include "fixtures/threaded_job.h"
#include "mpi/messages.h"

namespace meteor::testing {
namespace {

TEST(Mail, BroadcastsAndLettersKeepTheirOrder) {
  ThreadedJob job(3);
  const std::string failure = job.run([](ThreadedJob::Rank rank) {
    Mail& mail = rank.mail;
    for (int i = 0; i < 100; ++i) {
      if (mail.rank() == 0) {
        mail.broadcast({MessageKind::window, std::to_string(i), {}});
        for (const std::uint32_t to : workers(mail)) mail.send(to, {MessageKind::shards, std::to_string(-i), {}});
      } else {
        EXPECT_EQ(mail.hear().structure, std::to_string(i));
        if (i % 2 == 1) {  // letters wait until they are asked for
          EXPECT_EQ(mail.receive().structure, std::to_string(1 - i));
          EXPECT_EQ(mail.receive().structure, std::to_string(-i));
        }
      }
    }
  });
  EXPECT_EQ(failure, "");
}

TEST(Mail, AnswersAreTakenOnlyFromTheRanksAsked) {
  ThreadedJob job(4);
  const std::string failure = job.run([](ThreadedJob::Rank rank) {
    Mail& mail = rank.mail;
    if (mail.rank() != 0) return mail.send(0, {MessageKind::learnt, std::to_string(mail.rank()), {}});
    for (const std::uint32_t from : {3u, 1u, 2u}) {
      const Arrival answer = mail.receive_from({from});
      EXPECT_EQ(answer.from, from);
      EXPECT_EQ(answer.message.structure, std::to_string(from));
      EXPECT_EQ(answer.message.kind, MessageKind::learnt);
    }
  });
  EXPECT_EQ(failure, "");
}

class BroadcastTest : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(BroadcastTest, ReachesEveryRankAndCountsOnce) {
  const std::uint32_t size = GetParam();
  constexpr std::size_t floats = 250'000;
  ThreadedJob job(size);
  std::atomic<std::uint64_t> sent = 0;
  std::atomic<std::uint64_t> received = 0;
  const std::string failure = job.run([&](ThreadedJob::Rank rank) {
    Mail& mail = rank.mail;
    if (mail.rank() == 0) {
      std::vector<float> values(floats, 7.0F);
      mail.broadcast({MessageKind::replica, "model", {view_array<float>("values", values)}});
      mail.flush();
      values.assign(floats, 0.0F);
      auto owing = workers(mail);
      while (!owing.empty()) std::erase(owing, mail.receive_from(owing).from);
    } else {
      const Message message = mail.hear();
      EXPECT_EQ(message.structure, "model");
      const auto values = message.arrays.at(0).as<float>();
      EXPECT_EQ(values.size(), floats);
      EXPECT_TRUE(std::all_of(values.begin(), values.end(), [](float value) { return value == 7.0F; }));
      mail.send(0, {MessageKind::done, "ok", {}});
    }
    EXPECT_EQ(mail.bytes_broadcast(), 5 + floats * sizeof(float));
    sent += mail.bytes_sent();
    received += mail.bytes_received();
  });
  EXPECT_EQ(failure, "");
  EXPECT_EQ(sent, (size - 1) * (5 + floats * sizeof(float) + 2));
  EXPECT_EQ(received, sent);
}

INSTANTIATE_TEST_SUITE_P(Mail, BroadcastTest, ::testing::Values(1, 2, 3, 5, 8));

TEST(Mail, ABroadcastIsPassedOnWithoutACopyAndByABusyRankToo) {
  ThreadedJob job(4, std::chrono::seconds(4));  // rank 2 passes on to rank 3
  std::atomic<bool> arrived = false;
  std::atomic<const void*> at_rank_2 = nullptr;
  std::atomic<const void*> at_rank_3 = nullptr;
  const std::string failure = job.run([&](ThreadedJob::Rank rank) {
    Mail& mail = rank.mail;
    if (mail.rank() == 0) return mail.broadcast({MessageKind::replica, {}, {own_array<float>("values", {1, 2, 3})}});
    while (mail.rank() == 2 && !arrived) job.idle(std::chrono::milliseconds(1));
    const Message message = mail.hear();
    if (mail.rank() == 3) arrived = true;
    if (mail.rank() > 1) (mail.rank() == 2 ? at_rank_2 : at_rank_3) = message.arrays.at(0).data;
  });
  EXPECT_EQ(failure, "");
  EXPECT_EQ(at_rank_2, at_rank_3);
}

TEST(Mail, HeartbeatsTellRank0OfStoppingAndFromThereTheOthers) {
  ThreadedJob job(3, std::chrono::seconds(4));
  const std::string failure = job.run([&](ThreadedJob::Rank rank) {
    Mail& mail = rank.mail;
    const auto until_heard = [&] {
      for (; !mail.stop_heard(); ++rank.pulse) job.idle(std::chrono::milliseconds(1));
    };
    if (mail.rank() == 1) mail.set_stop([] { return true; });
    until_heard();
    if (mail.rank() == 0) {
      mail.set_stop([] { return true; });
      for (const std::uint32_t worker : workers(mail)) mail.receive_from({worker});
    } else {
      mail.send(0, {MessageKind::done, "", {}});
    }
  });
  EXPECT_EQ(failure, "");
}

}  // namespace
}  // namespace meteor::testing
