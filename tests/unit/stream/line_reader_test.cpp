#include "stream/line_reader.h"

#include <gmock/gmock.h>

#include "fixtures/memory_source.h"

namespace meteor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::MemorySource;

/// Ends with damage, or as if it had been stopped, after its text.
class CutSource final : public ByteSource {
 public:
  CutSource(std::string text, bool damaged) : ByteSource("cut"), inner_(std::move(text)), damaged_(damaged) {}
  std::size_t read(std::span<char> space) override {
    const std::size_t count = inner_.read(space);
    if (count == 0 && damaged_) end_with_damage("torn");
    if (count == 0 && !damaged_) end_with_stop();
    return count;
  }

 private:
  MemorySource inner_;
  bool damaged_;
};

std::vector<std::string> lines_of(std::unique_ptr<ByteSource> source, Rejects& rejects,
                                  std::uint64_t max_bytes = 10'000) {
  LineReader reader(std::move(source), max_bytes, rejects);
  std::vector<std::string> lines;
  while (reader.next()) lines.push_back(std::to_string(reader.line()) + ":" + std::string(reader.text()));
  EXPECT_FALSE(reader.next());
  return lines;
}

std::vector<std::string> lines_of(const std::string& text, std::size_t step = 1000) {
  Rejects rejects("memory", 1);
  return lines_of(std::make_unique<MemorySource>(text, step), rejects);
}

TEST(LineReader, LinesEndWithLfOrCrlfAndTheLastNeedsNone) {
  for (const std::size_t step : {1, 2, 3, 1000}) {
    EXPECT_THAT(lines_of("a\nb\r\n\nc", step), ElementsAre("1:a", "2:b", "3:", "4:c"));
    EXPECT_THAT(lines_of("a\r\n", step), ElementsAre("1:a"));
    EXPECT_THAT(lines_of("a\rb\n", step), ElementsAre("1:a\rb"));
  }
  EXPECT_THAT(lines_of(""), IsEmpty());
}

TEST(LineReader, AByteOrderMarkIsSkippedAtTheStartOnly) {
  for (const std::size_t step : {1, 2, 1000}) {
    EXPECT_THAT(lines_of("\xEF\xBB\xBF"
                         "a\n\xEF\xBB\xBF"
                         "b\n",
                         step),
                ElementsAre("1:a",
                            "2:\xEF\xBB\xBF"
                            "b"));
    EXPECT_THAT(lines_of("\xEF\xBB", step), ElementsAre("1:\xEF\xBB"));
    EXPECT_THAT(lines_of("\xEF\xBB\xBF", step), IsEmpty());
  }
}

TEST(LineReader, ALineAboveTheLimitIsRejectedAndTheNextIsRead) {
  for (const std::size_t step : {1, 100, 100'000}) {
    Rejects rejects("memory", 1);
    const std::string exact(8, 'e');
    const std::string text = "a\n" + std::string(50'000, 'x') + "\nb\n" + exact + "\r\n" + exact + "x\nc\n" + exact;
    EXPECT_THAT(lines_of(std::make_unique<MemorySource>(text, step), rejects, 8),
                ElementsAre("1:a", "3:b", "4:" + exact, "6:c", "7:" + exact));
    EXPECT_EQ(rejects.count(), 2u);
  }
}

TEST(LineReader, AnEndlessLineIsNotStored) {
  class Endless final : public ByteSource {
   public:
    explicit Endless(std::size_t& largest) : ByteSource("endless"), largest_(largest) {}
    std::size_t read(std::span<char> space) override {
      largest_ = std::max(largest_, space.size());
      if (given_ > (std::size_t{1} << 30)) return 0;
      given_ += space.size();
      std::fill(space.begin(), space.end(), 'x');
      return space.size();
    }

   private:
    std::size_t given_ = 0;
    std::size_t& largest_;
  };
  std::size_t largest = 0;
  Rejects rejects("endless", 1);
  EXPECT_THAT(lines_of(std::make_unique<Endless>(largest), rejects, 1 << 20), IsEmpty());
  EXPECT_EQ(rejects.count(), 1u);
  EXPECT_LE(largest, std::size_t{4} << 20);
}

TEST(LineReader, WhatDamageLeavesOfALineIsRejected) {
  Rejects rejects("cut", 1);
  EXPECT_THAT(lines_of(std::make_unique<CutSource>("a\nb", true), rejects), ElementsAre("1:a"));
  EXPECT_EQ(rejects.count(), 1u);
  EXPECT_THAT(lines_of(std::make_unique<CutSource>("a\nb\n", true), rejects), ElementsAre("1:a", "2:b"));
  EXPECT_EQ(rejects.count(), 2u) << "damage between two lines is reported too";
}

TEST(LineReader, WhatAStopLeavesOfALineIsLeftAlone) {
  Rejects rejects("cut", 1);
  EXPECT_THAT(lines_of(std::make_unique<CutSource>("a\nb", false), rejects), ElementsAre("1:a"));
  EXPECT_EQ(rejects.count(), 0u);
}

TEST(LineReader, LinesAreJoinedAndGivenBack) {
  for (const std::size_t step : {1, 1000}) {
    Rejects rejects("memory", 1);
    LineReader reader(std::make_unique<MemorySource>("one\r\ntwo\nthree\nfour", step), 12, rejects);
    ASSERT_TRUE(reader.next());
    EXPECT_TRUE(reader.extend());
    EXPECT_EQ(reader.text(), "one\r\ntwo");
    EXPECT_FALSE(reader.extend()) << "that would be above the limit";
    EXPECT_EQ(reader.text(), "one\r\ntwo");
    reader.give_back();
    EXPECT_EQ(reader.text(), "one");
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.text(), "two");
    EXPECT_EQ(reader.line(), 2u);
    EXPECT_TRUE(reader.extend());
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.text(), "four");
    EXPECT_EQ(reader.line(), 4u);
    EXPECT_FALSE(reader.extend());
    EXPECT_TRUE(reader.at_end());
  }
}

}  // namespace
}  // namespace meteor
