#include "experiments/data_streams.h"

#include <gmock/gmock.h>

#include "fixtures/temporary_folder.h"
#include "support/error.h"

namespace meteor {
namespace {

using testing::HasSubstr;

class DataStreamsTest : public testing::Test {
 protected:
  std::vector<DataStream> find(const std::vector<std::string>& data, const std::string& config = "c.toml") const {
    return find_streams(data, config);
  }
  template <class Fault>
  std::string refusal(const std::vector<std::string>& data, const std::string& config = "c.toml") const {
    try {
      find(data, config);
    } catch (const Fault& fault) {
      return fault.what();
    }
    return "none";
  }
  TemporaryFolder folder_;
};

TEST_F(DataStreamsTest, AreCalledAfterTheirFilesAndHaveTheirConfiguration) {
  const std::string a = folder_.write("a.csv", "x").string();
  const std::string b = folder_.write("b.jsonl.gz", "y").string();
  const auto streams = find({a, b + "=other.toml"});
  ASSERT_EQ(streams.size(), 2u);
  EXPECT_EQ(streams[0].name, "a");
  EXPECT_EQ(streams[0].config, "c.toml");
  EXPECT_EQ(streams[1].name, "b");
  EXPECT_EQ(streams[1].config, "other.toml");
  EXPECT_EQ(streams[1].file.path, b);
  EXPECT_FALSE(streams[0].categories);
}

TEST_F(DataStreamsTest, ASignInTheNameOfAFileThatIsThereIsNoConfiguration) {
  const auto streams = find({folder_.write("a=b.csv", "x").string()});
  EXPECT_EQ(streams[0].name, "a=b");
  EXPECT_EQ(streams[0].config, "c.toml");
}

TEST_F(DataStreamsTest, OtherContentHasAnotherHash) {
  const std::string a = folder_.write("a.csv", "x").string();
  const std::string before = find({a})[0].file.sha256;
  EXPECT_EQ(find({a})[0].file.sha256, before);
  folder_.write("a.csv", "y");
  EXPECT_NE(find({a})[0].file.sha256, before);
}

TEST_F(DataStreamsTest, CategoriesAreFoundBesideThem) {
  const std::string a = folder_.write("a.csv", "x").string();
  const auto categories = folder_.write("a.clusters.csv", "item,category\n");
  EXPECT_EQ(find({a})[0].categories->path, categories.string());
}

TEST_F(DataStreamsTest, WhatCannotBeUsedIsNamed) {
  const std::string a = folder_.write("a.csv", "x").string();
  const std::string same = folder_.write("a.jsonl", "x").string();
  EXPECT_THAT(refusal<UsageError>({a}, ""), HasSubstr("there is no configuration; use --data " + a + "=CONFIG"));
  EXPECT_THAT(refusal<UsageError>({a, same}), HasSubstr("two streams are called a"));
  EXPECT_THAT(refusal<InputError>({folder_.file("missing.csv")}), HasSubstr("missing.csv cannot be read"));
}

}  // namespace
}  // namespace meteor
