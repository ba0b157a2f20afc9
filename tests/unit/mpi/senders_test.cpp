#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fixtures/threaded_job.h"
#include "mpi/encoding.h"
#include "mpi/messages.h"

namespace meteor::testing {
namespace {

TEST(Senders, ThatAreNoOtherRankOfTheJobEndItWithWords) {
  for (const Route route : {Route::direct, Route::broadcast, Route::heartbeat}) {
    for (const std::uint32_t sender : {0U, 3U, 4'000'000'000U}) {
      ThreadedJob job(3);
      const std::string failure = job.run([&](ThreadedJob::Rank rank) {
        if (rank.mail.rank() == 0) rank.mail.receive_from({1, 2});
        if (rank.mail.rank() == 1) rank.transport.send(0, {sender, route, 0, {MessageKind{}, encode(Heartbeat{}), {}}});
      });
      EXPECT_EQ(failure, fmt::format("a message to rank 0 says that it comes from rank {}, in a job of 3", sender));
    }
  }
}

}  // namespace
}  // namespace meteor::testing
