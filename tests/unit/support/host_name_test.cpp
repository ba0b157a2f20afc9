#include "support/host_name.h"

#include <gtest/gtest.h>

#include <fstream>

namespace meteor {
namespace {

TEST(HostName, IsTheOneOfTheKernel) {
  std::string name;
  if (!std::getline(std::ifstream("/proc/sys/kernel/hostname"), name)) GTEST_SKIP() << "no /proc";
  EXPECT_EQ(host_name(), name);
}

}  // namespace
}  // namespace meteor
