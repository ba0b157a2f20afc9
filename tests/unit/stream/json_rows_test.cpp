#include "stream/json_rows.h"

#include <gmock/gmock.h>

#include "fixtures/memory_source.h"

namespace meteor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::MemorySource;

using Columns = std::vector<std::vector<std::string>>;

std::vector<Columns> read(const std::string& text, Rejects& rejects) {
  const std::vector<std::string> columns{"time", "items"};
  JsonRows rows(std::make_unique<MemorySource>(text, 11), columns, 10'000, rejects);
  std::vector<Columns> all;
  Row row;
  while (rows.next(row)) {
    all.emplace_back();
    for (const auto& values : row.columns) all.back().emplace_back(values.begin(), values.end());
  }
  return all;
}

Columns one(const std::string& line) {
  Rejects rejects("memory", 0);
  return read(line, rejects).at(0);
}

TEST(JsonReader, StringsNumbersAndBooleansAreTexts) {
  EXPECT_THAT(one(R"({"time": 12, "items": "a\u00e9\"b"})"), ElementsAre(ElementsAre("12"), ElementsAre("aé\"b")));
  EXPECT_THAT(one(R"({"time": -1.50e2, "items": true})"), ElementsAre(ElementsAre("-1.50e2"), ElementsAre("true")));
  EXPECT_THAT(one(R"({"time": 18446744073709551615, "items": 123456789012345678901234567890})"),
              ElementsAre(ElementsAre("18446744073709551615"), ElementsAre("123456789012345678901234567890")));
}

TEST(JsonReader, AnArrayHoldsSeveralValues) {
  EXPECT_THAT(one(R"({"time": 1, "items": ["a", 2, null, "b c"]})"),
              ElementsAre(ElementsAre("1"), ElementsAre("a", "2", "b c")));
}

TEST(JsonReader, AMissingKeyAndNullAreNoValue) {
  EXPECT_THAT(one("{}"), ElementsAre(IsEmpty(), IsEmpty()));
  EXPECT_THAT(one(R"({"items": null})"), ElementsAre(IsEmpty(), IsEmpty()));
}

TEST(JsonReader, KeysThatNobodyNeedsMayHoldAnything) {
  EXPECT_THAT(one(R"({"x": {"items": [1, {"time": 2}]}, "time": 5, "y": [[1], {}]})"),
              ElementsAre(ElementsAre("5"), IsEmpty()));
}

TEST(JsonReader, OfAKeyGivenTwiceTheLastCounts) {
  EXPECT_THAT(one(R"({"items": ["a", "b"], "items": "c"})"), ElementsAre(IsEmpty(), ElementsAre("c")));
}

TEST(JsonReader, EmptyLinesAreSkipped) {
  Rejects rejects("memory", 0);
  EXPECT_EQ(read("{\"time\":1}\r\n\n  \n{\"time\":2}", rejects).size(), 2u);
}

TEST(JsonReader, WhatIsNoObjectIsRejectedAndReadingGoesOn) {
  for (const std::string line :
       {"[1]", "5", "-5", "5.5", "null", "true", "\"x\"", "{", "{\"time\":}", "{} {}", "{\"time\":1e999}",
        "{\"items\":{}}", "{\"items\":[[1]]}", "{\"items\":[{}]}", "{\"items\":\"\xFF\"}", "timestamp,user"}) {
    Rejects rejects("memory", 1);
    EXPECT_EQ(read(line + "\n{\"time\":1}\n", rejects).size(), 1u) << line;
    EXPECT_EQ(rejects.count(), 1u) << line;
  }
}

TEST(JsonReader, DeepNestingIsNoDanger) {
  Rejects rejects("memory", 1);
  const std::vector<std::string> columns{"time"};
  const std::string deep(1'000'000, '[');
  JsonRows rows(std::make_unique<MemorySource>(deep + "\n{\"x\":" + deep), columns, 4'000'000, rejects);
  Row row;
  EXPECT_FALSE(rows.next(row));
  EXPECT_EQ(rejects.count(), 2u);
}

}  // namespace
}  // namespace meteor
