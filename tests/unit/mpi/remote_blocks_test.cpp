#include "mpi/remote_blocks.h"
#include "compression/kmeans.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>

#include "compression/matrix.h"
#include "fixtures/learning_job.h"
#include "fixtures/watchdog.h"
#include "model/local_block_workers.h"
#include "mpi/messages.h"
#include "support/random.h"

namespace meteor::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Results = std::vector<std::vector<Array>>;

constexpr std::uint32_t kDimension = 5;

/// Those of a job whose blocks have such points.
Settings block_settings() {
  Settings settings = quick_settings();
  settings.learning.dimension = kDimension;
  return settings;
}

/// Points to be given to the nearest of some centroids, in blocks of different sizes.
class RemoteBlocksTest : public ::testing::Test {
 protected:
  std::vector<WorkBlock> blocks(Eigen::Index count) {
    std::vector<WorkBlock> made;
    for (Eigen::Index size = 1; size <= count; ++size) {
      made.push_back({{own_rows("points", random_matrix(size))}, static_cast<double>(size)});
    }
    return made;
  }
  std::vector<Array> shared() { return {own_rows("centroids", random_matrix(6))}; }

  /// Lets rank 0 share blocks among the ranks of a job and do something with them. Returns what the first rank that
  /// failed said, or nothing.
  std::string with_blocks(std::uint32_t ranks, std::uint32_t threads, bool root_works, std::vector<WorkBlock> blocks,
                          const std::function<void(SharedBlocks&)>& work) const {
    Settings settings = block_settings();
    settings.parallel.threads = threads;
    ThreadedJob job(ranks);
    return job.run([&](ThreadedJob::Rank rank) {
      if (rank.mail.rank() != 0) return work_for_owner(rank.mail);
      const auto crew = owner_crew(settings, rank.mail);
      std::size_t alive = 0;
      work(*share_among_ranks(rank.mail, alive, blocks, threads, root_works));
      EXPECT_EQ(alive, 0u);
      dismiss_workers(rank.mail);
    });
  }

  Watchdog watchdog_{std::chrono::seconds(1200)};

 private:
  RowMatrix random_matrix(Eigen::Index rows) {
    return RowMatrix::NullaryExpr(rows, kDimension, [&] { return static_cast<float>(random_.uniform()); });
  }
  Random random_{1};
};

void expect_nearest(const Results& results, std::span<const WorkBlock> blocks, std::span<const Array> shared) {
  ASSERT_EQ(results.size(), blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto alone = kNearestCentroids.work(blocks[i].arrays, shared);
    EXPECT_EQ(content_hash(results[i]), content_hash(alone)) << "block " << i;
  }
}

TEST_F(RemoteBlocksTest, ResultsComeInTheOrderOfTheBlocksWhoeverWorks) {
  const std::vector<WorkBlock> given = blocks(20);
  const std::vector<Array> first = shared(), second = shared();
  for (const std::uint32_t ranks : {2, 3, 5}) {
    for (const std::uint32_t threads : {1, 2}) {
      for (const bool root_works : {true, false}) {
        SCOPED_TRACE(fmt::format("{} ranks of {} threads, root_works {}", ranks, threads, root_works));
        const auto work = [&](SharedBlocks& shared_blocks) {  // blocks stay to be worked on again
          expect_nearest(shared_blocks.map(kNearestCentroids, first), given, first);
          expect_nearest(shared_blocks.map(kNearestCentroids, second), given, second);
        };
        EXPECT_EQ(with_blocks(ranks, threads, root_works, given, work), "");
      }
    }
  }
}

TEST_F(RemoteBlocksTest, BlocksThatAreMadeWhenTheyAreNeededGiveTheSame) {
  const std::vector<WorkBlock> given = blocks(12);
  const std::vector<Array> centroids = shared();
  std::atomic<int> made = 0;
  std::vector<WorkBlock> recipes;
  for (const WorkBlock& block : given) {
    recipes.push_back({{}, block.cost, [&made, arrays = block.arrays] {
                         ++made;
                         return arrays;
                       }});
  }
  const auto work = [&](SharedBlocks& shared_blocks) {
    expect_nearest(shared_blocks.map(kNearestCentroids, centroids), given, centroids);
  };
  EXPECT_EQ(with_blocks(3, 1, true, recipes, work), "");
  EXPECT_EQ(made, 12);
}

TEST_F(RemoteBlocksTest, OthersMayBeSharedOutMeanwhile) {
  const std::vector<WorkBlock> lasting = blocks(9), passing = blocks(4);
  const std::vector<Array> centroids = shared();
  const Settings settings = block_settings();
  ThreadedJob job(3);
  EXPECT_EQ(job.run([&](ThreadedJob::Rank rank) {
    if (rank.mail.rank() != 0) return work_for_owner(rank.mail);
    const auto crew = owner_crew(settings, rank.mail);
    std::size_t alive = 0;
    const auto kept = share_among_ranks(rank.mail, alive, lasting, 1, true);
    for (int round = 0; round < 3; ++round) {
      const auto results = share_among_ranks(rank.mail, alive, passing, 1, true)->map(kNearestCentroids, centroids);
      expect_nearest(results, passing, centroids);
      expect_nearest(kept->map(kNearestCentroids, centroids), lasting, centroids);
    }
    dismiss_workers(rank.mail);
  }),
            "");
}

TEST_F(RemoteBlocksTest, FewerBlocksThanRanksAreEnough) {
  const std::vector<Array> centroids = shared();
  for (const Eigen::Index count : {0, 1, 2}) {
    const std::vector<WorkBlock> given = blocks(count);
    const auto work = [&](SharedBlocks& shared_blocks) {
      expect_nearest(shared_blocks.map(kNearestCentroids, centroids), given, centroids);
    };
    EXPECT_EQ(with_blocks(5, 1, true, given, work), "");
    EXPECT_EQ(with_blocks(5, 1, false, given, work), "");
  }
}

/// The numbers of the blocks that each worker of three ranks is sent, when the blocks have these costs.
std::vector<std::vector<std::uint64_t>> shares_of_workers(const std::vector<double>& costs, bool root_works) {
  std::vector<std::vector<std::uint64_t>> shares(3);
  ThreadedJob job(3);
  const std::string failure = job.run([&](ThreadedJob::Rank rank) {
    if (rank.mail.rank() == 0) {
      std::vector<WorkBlock> blocks;
      for (const double cost : costs) blocks.push_back({{own_array<float>("x", {1})}, cost});
      std::size_t alive = 0;
      share_among_ranks(rank.mail, alive, std::move(blocks), 1, root_works);
    } else {
      EXPECT_EQ(rank.mail.hear().kind, MessageKind::hold);
      shares[rank.mail.rank()] = blocks_from(rank.mail.receive()).numbers;
    }
  });
  EXPECT_EQ(failure, "");
  return shares;
}

TEST_F(RemoteBlocksTest, TheCostliestGoFirstEachToTheRankWithLeastToDo) {
  EXPECT_THAT(shares_of_workers({1, 8, 2, 4}, false), ElementsAre(IsEmpty(), ElementsAre(1), ElementsAre(3, 2, 0)));
  EXPECT_THAT(shares_of_workers({1, 8, 2, 4}, true), ElementsAre(IsEmpty(), ElementsAre(3), ElementsAre(2, 0)));
  EXPECT_THAT(shares_of_workers({3, 3, 3, 3}, false), ElementsAre(IsEmpty(), ElementsAre(0, 2), ElementsAre(1, 3)));
}

TEST_F(RemoteBlocksTest, AWorkersFailureIsToldWithItsRank) {
  std::vector<WorkBlock> given = blocks(1);
  given[0].arrays[0].name = "something else";
  const std::vector<Array> centroids = shared();
  ThreadedJob job(2);
  Settings settings = block_settings();
  settings.parallel.root_trains = false;
  const std::string failure =
      run_roles(job, settings, [&](Crew& crew) { crew.share_out(given)->map(kNearestCentroids, centroids); });
  EXPECT_EQ(failure, "rank 1: the model has no array points");
}

}  // namespace
}  // namespace meteor::testing
