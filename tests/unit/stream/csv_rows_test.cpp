#include "stream/csv_rows.h"

#include <gmock/gmock.h>

#include "fixtures/memory_source.h"
#include "support/error.h"
#include "support/random.h"

namespace meteor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MemorySource;

using Table = std::vector<std::vector<std::string>>;

struct CsvText {
  std::string text;
  std::size_t step = 1000;
  std::uint64_t max_bytes = 10'000;
};

Table read(const CsvText& csv, const std::vector<std::string>& columns, Rejects& rejects) {
  CsvRows rows(std::make_unique<MemorySource>(csv.text, csv.step), columns, csv.max_bytes, rejects);
  Table table;
  Row row;
  while (rows.next(row)) {
    table.emplace_back();
    for (const auto& values : row.columns) table.back().emplace_back(values.at(0));
  }
  return table;
}

Table read(const std::string& text, const std::vector<std::string>& columns) {
  Rejects rejects("memory", 0);
  return read(CsvText{text}, columns, rejects);
}

std::string refusal(const std::string& text, const std::vector<std::string>& columns) {
  try {
    read(text, columns);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(CsvReader, ColumnsAreFoundByNameInAnyOrder) {
  EXPECT_THAT(read("a,b,c\n1,2,3\n4,5,6\n", {"c", "a"}), ElementsAre(ElementsAre("3", "1"), ElementsAre("6", "4")));
}

TEST(CsvReader, AByteOrderMarkAndCrlfDoNotShow) {
  EXPECT_THAT(read("\xEF\xBB\xBF"
                   "a,b\r\n1,2\r\n3,4",
                   {"a", "b"}),
              ElementsAre(ElementsAre("1", "2"), ElementsAre("3", "4")));
}

TEST(CsvReader, AQuotedFieldMayHoldSeparatorsQuotesAndNewlines) {
  EXPECT_THAT(read("a,\"b\"\n\"1,\"\"one\"\"\",\"two\r\nlines\"\n\"\",x\n", {"a", "b"}),
              ElementsAre(ElementsAre("1,\"one\"", "two\r\nlines"), ElementsAre("", "x")));
}

TEST(CsvReader, AQuoteInsideAnUnquotedFieldIsACharacter) {
  EXPECT_THAT(read("a,b\n5\" pipe,x\"y\"\n", {"a", "b"}), ElementsAre(ElementsAre("5\" pipe", "x\"y\"")));
}

TEST(CsvReader, EmptyLinesAreSkippedAndEmptyFieldsAreNot) {
  EXPECT_THAT(read("a,b\n\n,\n\r\n\"\",\n", {"a", "b"}), ElementsAre(ElementsAre("", ""), ElementsAre("", "")));
}

TEST(CsvReader, AnEmptyFileIsRefusedAndAHeaderAloneIsNot) {
  EXPECT_THAT(refusal("", {"a"}), HasSubstr("memory: the file is empty"));
  EXPECT_THAT(read("a,b\n", {"a"}), IsEmpty());
  EXPECT_THAT(read("a,b", {"a"}), IsEmpty());
}

TEST(CsvReader, AMissingColumnIsNamedWithThoseThatAreThere) {
  EXPECT_EQ(refusal("time,user\n", {"time", "items"}),
            "memory: there is no column \"items\"; the header has: time, user");
}

TEST(CsvReader, ADuplicateColumnMattersOnlyWhenItIsNeeded) {
  EXPECT_THAT(refusal("a,b,a\n1,2,3\n", {"a"}), HasSubstr("the column \"a\" 2 times"));
  EXPECT_THAT(read("a,b,a\n1,2,3\n", {"b"}), ElementsAre(ElementsAre("2")));
}

TEST(CsvReader, AHeaderWithAnOpenQuoteIsRefused) {
  EXPECT_THAT(refusal("a,\"b\n1,2\n", {"a"}), HasSubstr("line 1: the header cannot be read: a quote is never closed"));
}

TEST(CsvReader, ARowWithAnotherNumberOfFieldsIsRejected) {
  Rejects rejects("memory", 1);
  EXPECT_THAT(read({"a,b\n1\n1,2,3\n\"1\",2,3\n4,5\n"}, {"a"}, rejects), ElementsAre(ElementsAre("4")));
  EXPECT_EQ(rejects.count(), 3u);
}

TEST(CsvReader, TextAfterAClosingQuoteCostsOneRow) {
  Rejects rejects("memory", 1);
  EXPECT_THAT(read({"a,b\n\"1\"x,2\n3,4\n"}, {"a"}, rejects), ElementsAre(ElementsAre("3")));
  EXPECT_EQ(rejects.count(), 1u);
}

TEST(CsvReader, AQuoteThatNeverClosesCostsOneRow) {
  for (const std::size_t step : {1, 5, 1000}) {
    Rejects rejects("memory", 1);
    EXPECT_THAT(read({"a,b\n1,\"open\n3,4\n5,6\n", step}, {"a"}, rejects),
                ElementsAre(ElementsAre("3"), ElementsAre("5")));
    EXPECT_EQ(rejects.count(), 1u);
  }
}

TEST(CsvReader, AnOpenQuoteReachesNoFurtherThanTheLimitOfARow) {
  std::string text = "a,b\n1,\"open\n";
  for (int i = 0; i < 100; ++i) text += "3,4\n";
  text += "5,\"closes here\n";
  Rejects rejects("memory", 1);
  EXPECT_EQ(read({text, 1000, 64}, {"a"}, rejects).size(), 100u);
  EXPECT_EQ(rejects.count(), 2u);
}

TEST(CsvReader, TheLineOfARowIsWhereItBegins) {
  Rejects rejects("memory", 1);
  const std::vector<std::string> columns{"a"};
  CsvRows rows(std::make_unique<MemorySource>("a\n\"1\n2\n3\"\n\nx\n"), columns, 100, rejects);
  Row row;
  ASSERT_TRUE(rows.next(row));
  EXPECT_EQ(row.line, 2u);
  ASSERT_TRUE(rows.next(row));
  EXPECT_EQ(row.line, 6u);
  EXPECT_EQ(row.columns[0][0], "x");
}

/// The other half of RFC 4180, in its plainest form.
std::string written(const std::string& field) {
  std::string out = "\"";
  for (const char c : field) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

TEST(CsvReader, WhatAWriterQuotedIsReadBackEqual) {
  Random random{42};
  constexpr std::string_view alphabet = "ab \",\n\r\xC3\xA9\"\n";
  for (int round = 0; round < 300; ++round) {
    Table table(1 + random.below(20), std::vector<std::string>(3));
    std::string text = "x,y,z\n";
    for (auto& row : table) {
      for (auto& field : row) {
        const std::uint32_t length = random.below(12);
        for (std::uint32_t i = 0; i < length; ++i)
          field += alphabet[random.below(static_cast<std::uint32_t>(alphabet.size()))];
        const bool plain = field.find_first_of("\",\n\r") == std::string::npos;
        text += (plain && random.below(2) == 0 ? field : written(field)) + (&field == &row.back() ? "\n" : ",");
      }
    }
    Rejects rejects("memory", 0);
    ASSERT_EQ(read({text, 1 + random.below(40)}, {"x", "y", "z"}, rejects), table) << text;
  }
}

}  // namespace
}  // namespace meteor
