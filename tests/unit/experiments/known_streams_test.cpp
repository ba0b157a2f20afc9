#include "experiments/known_streams.h"

#include <gmock/gmock.h>

namespace meteor {
namespace {

using testing::ElementsAre;

TEST(KnownStreams, HaveATitleAndOthersTheirOwnName) {
  ASSERT_NE(known_stream("cj_slice"), nullptr);
  EXPECT_EQ(known_stream("cj_slice")->paper, "CJ");
  EXPECT_EQ(stream_title("cj_slice"), "Complete Journey");
  EXPECT_EQ(known_stream("baskets"), nullptr);
  EXPECT_EQ(stream_title("baskets"), "baskets");
}

TEST(KnownStreams, ComeFirstInTheirOwnOrderAndEachOnce) {
  std::vector<std::string> streams = {"zebra", "geotweets", "apple", "online_retail", "zebra"};
  sort_streams(streams);
  EXPECT_THAT(streams, ElementsAre("online_retail", "geotweets", "apple", "zebra"));
}

}  // namespace
}  // namespace meteor
