#include "report/chart.h"

#include <gmock/gmock.h>

#include <cmath>
#include <regex>

namespace meteor {
namespace {

using testing::HasSubstr;
using testing::Not;

Chart two_lines() {
  return {.title = "A <b>",
          .description = "Two lines",
          .x = {.label = "bytes", .percent = true, .logarithmic = true},
          .y = {.label = "MRR"},
          .series = {{.name = "one", .style = 0, .points = {{0.1, 0.5, 0.01, "first & best"}, {1, 0.6, 0, "second"}}},
                     {.name = "two", .style = 3, .points = {{0.5, 0.4, 0, "alone"}}}}};
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(Chart, ShowsEveryPointWithItsTitleAndValues) {
  const std::string text = svg(two_lines(), "c1");
  EXPECT_EQ(count(text, "class=\"point\""), 3U);
  EXPECT_THAT(text, HasSubstr("data-x=\"0.1\" data-y=\"0.5\"><title>first &amp; best</title>"));
  EXPECT_EQ(count(text, "class=\"bar\""), 1U);   // the only deviation
  EXPECT_EQ(count(text, "class=\"line\""), 1U);  // a single point is not connected
}

TEST(Chart, CanBeReadAloud) {
  const std::string text = svg(two_lines(), "c1");
  EXPECT_THAT(text, HasSubstr(R"(role="img" aria-labelledby="c1-t c1-d")"));
  EXPECT_THAT(text, HasSubstr("<title id=\"c1-t\">A &lt;b&gt;</title><desc id=\"c1-d\">Two lines</desc>"));
}

TEST(Chart, StaysInsideItsFrame) {
  const std::string text = svg(two_lines(), "c1");
  const std::regex places("(x|cx|x1|x2|y|cy|y1|y2)=\"([-0-9.]+)\"");
  std::size_t found = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), places), end; at != end; ++at, ++found) {
    const double value = std::stod((*at)[2]);
    EXPECT_GE(value, 0) << at->str();
    EXPECT_LE(value, (*at)[1].str().find('x') != std::string::npos ? kChartWidth : kChartHeight) << at->str();
  }
  EXPECT_GT(found, 20U);
}

TEST(Chart, LeavesOutWhatALogarithmCannotShow) {
  Chart chart = two_lines();
  chart.series[0].points.push_back({0, 0.3, 0, "nothing stored"});
  const std::string text = svg(chart, "c1");
  EXPECT_EQ(count(text, "class=\"point\""), 3U);
  EXPECT_THAT(text, Not(HasSubstr("nan")));
  EXPECT_THAT(text, Not(HasSubstr("inf\"")));
}

TEST(Chart, BarsAreAsHighAsTheirCounts) {
  const Histogram histogram{.title = "Sizes",
                            .description = "",
                            .x_label = "units",
                            .y_label = "clusters",
                            .bars = {{"1", 4, "four"}, {"2", 8, "eight"}, {"4", 0, "none"}}};
  const std::string text = svg(histogram, "h");
  std::vector<double> heights;
  const std::regex height("height=\"([-0-9.]+)\"");
  for (std::sregex_iterator at(text.begin(), text.end(), height), end; at != end; ++at)
    heights.push_back(std::stod((*at)[1]));
  ASSERT_EQ(heights.size(), 3U);
  EXPECT_NEAR(heights[1], 2 * heights[0], 0.11);
  EXPECT_EQ(heights[2], 0);
}

TEST(Chart, ALegendNamesEverySeriesOnce) {
  const auto legend = legend_of({two_lines(), two_lines()});
  ASSERT_EQ(legend.size(), 2U);
  EXPECT_EQ(legend[0].name, "one");
  EXPECT_EQ(legend[1].style, 3U);
}

TEST(Chart, APictureHoldsItsStyleAndAllCharts) {
  const std::string text = picture({two_lines(), two_lines(), two_lines()}, 2, "All");
  EXPECT_EQ(count(text, "class=\"chart\""), 3U);
  EXPECT_THAT(text, HasSubstr("<style>"));
  EXPECT_THAT(text, HasSubstr("prefers-color-scheme:dark"));
  EXPECT_THAT(text, Not(HasSubstr("href")));
}

}  // namespace
}  // namespace meteor
