#include "support/nearest_name.h"

#include <gtest/gtest.h>

#include <vector>

namespace meteor {
namespace {

const std::vector<std::string> names = {"rate", "negatives", "epochs"};

TEST(NearestName, FindsTheNameThatWasMeant) {
  EXPECT_EQ(nearest_name("rte", names), "rate");
  EXPECT_EQ(nearest_name("negative", names), "negatives");
  EXPECT_EQ(nearest_name("epohcs", names), "epochs");
}

TEST(NearestName, SaysNothingWhenNoNameIsNear) {
  EXPECT_EQ(nearest_name("zzzzzz", names), std::nullopt);
  EXPECT_EQ(nearest_name("", names), std::nullopt);
  EXPECT_EQ(nearest_name("rate", {}), std::nullopt);
}

}  // namespace
}  // namespace meteor
