#include <fmt/format.h>
#include <gmock/gmock.h>

#include "fixtures/learning_job.h"
#include "fixtures/watchdog.h"
#include "mpi/answers.h"
#include "support/build_id.h"
#include "support/version.h"

namespace meteor::testing {
namespace {

using ::testing::MatchesRegex;

/// Ranks meet before anything is learnt.
class WelcomeTest : public ::testing::Test {
 protected:
  /// How a job of three ends whose last rank presents itself so.
  std::string welcome_with(const Ready& last) const {
    ThreadedJob job(3);
    return job.run([&](ThreadedJob::Rank rank) {
      if (rank.mail.rank() == 0) {
        owner_crew(settings_, rank.mail);
      } else if (rank.mail.rank() == 1) {
        work_for_owner(rank.mail);
      } else {
        rank.mail.hear();
        rank.mail.send(0, to_message(last));
        job.idle(std::chrono::seconds(60));
      }
    });
  }

  Settings settings_ = quick_settings();
  Watchdog watchdog_{std::chrono::seconds(1200)};
};

TEST_F(WelcomeTest, AWorkerOfAnotherVersionTellsItsOwnAndLeavesTheSettingsUnread) {
  ThreadedJob job(2);
  const std::string failure = job.run([&](ThreadedJob::Rank rank) {
    if (rank.mail.rank() != 0) return work_for_owner(rank.mail);
    rank.mail.broadcast(to_message(Welcome{"another version", build_id(), "settings that this one cannot read"}));
    const Arrival answer = next_answer(rank.mail, {1});
    EXPECT_EQ(ready_from(answer.message).version, program_version());
    rank.mail.broadcast({MessageKind::stop, {}, {}});
  });
  EXPECT_EQ(failure, "");
}

TEST_F(WelcomeTest, Rank0NamesAWorkerOfAnotherVersion) {
  EXPECT_EQ(welcome_with({"0.0.1", "", "node 7", "avx2"}),
            fmt::format("rank 2 on node 7 runs meteor 0.0.1, rank 0 runs {}: install the same version everywhere",
                        program_version()));
}

TEST_F(WelcomeTest, Rank0NamesAWorkerOfAnotherBuild) {
  EXPECT_THAT(welcome_with({std::string(program_version()), "0123456789abcdef", "node 7", "avx2"}),
              MatchesRegex("rank 2 on node 7 runs another build of meteor .* than rank 0 "
                           "\\(0123456789ab, not .*\\): install the same one everywhere"));
}

TEST_F(WelcomeTest, AWorkerOfAnotherBuildTellsItsOwnAndLeavesTheSettingsUnread) {
  ThreadedJob job(2);
  const std::string failure = job.run([&](ThreadedJob::Rank rank) {
    if (rank.mail.rank() != 0) return work_for_owner(rank.mail);
    rank.mail.broadcast(to_message(Welcome{std::string(program_version()), "another build", "not JSON"}));
    EXPECT_EQ(ready_from(next_answer(rank.mail, {1}).message).build, build_id());
    rank.mail.broadcast({MessageKind::stop, {}, {}});
  });
  EXPECT_EQ(failure, "");
}

}  // namespace
}  // namespace meteor::testing
