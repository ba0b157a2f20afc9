#include "report/markup.h"

#include <gmock/gmock.h>

namespace meteor {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Markup, TextCannotBecomeMarkup) {
  EXPECT_EQ(escape(R"(<b a="1">Tom & 'Jerry'</b>)"), "&lt;b a=&quot;1&quot;&gt;Tom &amp; &#39;Jerry&#39;&lt;/b&gt;");
  EXPECT_EQ(escape("café ≤ 3"), "café ≤ 3");
}

TEST(Markup, BytesThatAreNoTextAreReplaced) {
  EXPECT_EQ(escape("a\xff"
                   "b"),
            "a\uFFFDb");
  EXPECT_EQ(escape("caf\xc3"), "caf\uFFFD");  // cut in the middle of a letter
  EXPECT_EQ(escape(std::string("a\0b\x1b", 4)), "a\uFFFDb\uFFFD");
}

TEST(Markup, NumbersKeepAllDigitsWhereTestsRead) {
  EXPECT_EQ(full_precision(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(full_precision(3891120), "3891120");
}

TEST(Markup, NumbersAreRoundedWherePeopleRead) {
  EXPECT_EQ(quality_text(0.58149), "0.581");
  EXPECT_EQ(percent_text(0.0937), "9.4 %");
  EXPECT_EQ(percent_text(0.9996), "100 %");
  EXPECT_EQ(percent_text(3.105), "310 %");
  EXPECT_EQ(percent_text(0.0006), "0.06 %");
  EXPECT_EQ(percent_text(0), "0.0 %");
  EXPECT_EQ(count_text(1234567), "1,234,567");
  EXPECT_EQ(count_text(-1000), "−1,000");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(change_text(-0.0234), "−2.3 %");
  EXPECT_EQ(change_text(0.01), "+1.0 %");
  EXPECT_EQ(change_text(-0.0001), "0.0 %");
}

TEST(Markup, AQualityOfSeveralSeedsShowsItsDeviation) {
  EXPECT_EQ(quality_cell({0.5, 0.01, 3}).note, "± 0.010");
  EXPECT_EQ(quality_cell({0.5, 0, 1}).note, "");
}

TEST(Markup, CellsCarryTheNumberBehindTheirText) {
  const Table table{.caption = "A & B",
                    .columns = {{"method"}, {"MRR", "One <stream>"}, {"bytes", "One <stream>"}},
                    .rows = {{{.text = "<i>full</i>"},
                              {.text = "0.333", .value = 1.0 / 3, .data = {{"variant", "\"full\""}}},
                              missing_cell()}}};
  const std::string text = html(table);
  EXPECT_THAT(text, HasSubstr("<caption><span>A &amp; B</span></caption>"));
  EXPECT_THAT(
      text,
      HasSubstr(
          R"(<td class="number begins" data-value="0.3333333333333333" data-variant="&quot;full&quot;">0.333</td>)"));
  EXPECT_THAT(text, HasSubstr("<th scope=\"row\">&lt;i&gt;full&lt;/i&gt;</th>"));
  EXPECT_THAT(text, HasSubstr(R"(colspan="2">One &lt;stream&gt;</th>)"));
  EXPECT_THAT(
      text,
      HasSubstr(
          R"(<th scope="col" class="row" rowspan="2" aria-sort="none"><button type="button" data-column="0">method)"));
  EXPECT_THAT(text, Not(HasSubstr("<i>")));
}

}  // namespace
}  // namespace meteor
