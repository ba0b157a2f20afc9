#include "compression/clusters/fit_clusters.h"
#include "compression/kmeans.h"
#include "model/local_block_workers.h"

#include <gtest/gtest.h>

#include "compression/matrix.h"
#include "support/random.h"

namespace meteor {
namespace {

TEST(LocalBlockWorkers, ResultsComeInTheOrderOfTheBlocksWithAnyNumberOfThreads) {
  Random random{1};
  const auto draw = [&] { return static_cast<float>(random.uniform()); };
  const RowMatrix centroids = RowMatrix::NullaryExpr(6, 5, draw);
  std::vector<WorkBlock> blocks;
  for (Eigen::Index size = 1; size < 30; ++size) {
    blocks.push_back({{own_rows("points", RowMatrix::NullaryExpr(size, 5, draw))}});
  }
  const std::vector<Array> shared{view_rows("centroids", centroids)};
  for (std::size_t threads : {1, 4, 100}) {
    LocalBlockWorkers workers(threads);
    const auto shared_blocks = workers.share_out(blocks);
    for (int repeat = 0; repeat < 2; ++repeat) {  // blocks stay to be worked on again
      const auto results = shared_blocks->map(kNearestCentroids, shared);
      ASSERT_EQ(results.size(), blocks.size());
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        const auto alone = kNearestCentroids.work(blocks[i].arrays, shared);
        EXPECT_EQ(content_hash(results[i]), content_hash(alone)) << "block " << i;
      }
    }
  }
}

TEST(LocalBlockWorkers, NoBlocksGiveNoResults) {
  LocalBlockWorkers workers(3);
  EXPECT_TRUE(workers.share_out({})->map(kFitCluster, {}).empty());
}

}  // namespace
}  // namespace meteor
