#include "compression/schemes.h"

#include <gmock/gmock.h>

#include <set>

#include "fixtures/schemes.h"

namespace meteor {
namespace {

TEST(Schemes, EachIsFoundByTheNameThatUsersWrite) {
  for (const CompressionScheme scheme : kSchemes) EXPECT_EQ(scheme_named(scheme_name(scheme)), &scheme_of(scheme));
  EXPECT_EQ(scheme_named("huffman"), nullptr);
}

TEST(Schemes, AllButNoneCompress) {
  for (const CompressionScheme scheme : kSchemes) {
    EXPECT_EQ(scheme_of(scheme).fit != nullptr, scheme != CompressionScheme::none) << scheme_name(scheme);
  }
}

TEST(Schemes, NoTwoJobsShareAName) {
  std::set<const BlockJob*> jobs;
  for (const CompressionScheme scheme : kSchemes) {
    jobs.insert(scheme_of(scheme).jobs.begin(), scheme_of(scheme).jobs.end());
  }
  EXPECT_GE(jobs.size(), 8u);
  for (const BlockJob* job : jobs) EXPECT_EQ(block_job_named(job->name), job) << job->name;
  EXPECT_EQ(block_job_named("sort"), nullptr);
}

}  // namespace
}  // namespace meteor
