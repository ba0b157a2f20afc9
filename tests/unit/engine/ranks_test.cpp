#include "engine/ranks.h"

#include <gtest/gtest.h>

namespace meteor {
namespace {

/// So many processes, as far as anyone asks.
class SoMany final : public Ranks {
 public:
  explicit SoMany(std::uint32_t size) : size_(size) {}
  void run(const std::function<void()>& owner) override { owner(); }
  std::uint32_t size() const override { return size_; }
  std::unique_ptr<Crew> crew(const Settings& settings) override { return local_crew(settings); }

 private:
  std::uint32_t size_;
};

std::uint32_t settled(const Settings& settings, std::uint32_t ranks) {
  SoMany so_many(ranks);
  Settings own = settings;
  settle_shards(own, so_many);
  return own.parallel.shards;
}

TEST(Ranks, WithoutANumberThereIsAShardForEveryThreadThatLearns) {
  Settings settings;
  settings.parallel.threads = 2;
  EXPECT_EQ(settled(settings, 1), 2u);
  EXPECT_EQ(settled(settings, 3), 6u);
  settings.parallel.root_trains = false;
  EXPECT_EQ(settled(settings, 3), 4u);
  EXPECT_EQ(settled(settings, 1), 2u) << "nobody else could learn";
}

TEST(Ranks, ANumberOfShardsStands) {
  Settings settings;
  settings.parallel.threads = 2;
  settings.parallel.shards = 5;
  EXPECT_EQ(settled(settings, 3), 5u);
}

TEST(Ranks, OneRankRunsTheOwnerHere) {
  OneRank one;
  int runs = 0;
  one.run([&] { ++runs; });
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(one.size(), 1u);
}

}  // namespace
}  // namespace meteor
