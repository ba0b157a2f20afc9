#include "support/build_id.h"

#include <gmock/gmock.h>

namespace meteor {
namespace {

TEST(BuildId, IsTheHashThatTheLinkerWrote) {
  EXPECT_THAT(build_id(), testing::MatchesRegex("[0-9a-f]{40}"));
  EXPECT_EQ(build_id(), build_id());
}

}  // namespace
}  // namespace meteor
