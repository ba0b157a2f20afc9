#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace meteor {

struct Axis {
  std::string label;
  bool percent = false;  ///< values are shares, and are shown in per cent
  bool logarithmic = false;
  bool from_zero = false;
};

struct ChartPoint {
  double x = 0;
  double y = 0;
  double deviation = 0;  ///< of y; drawn as a bar where it is above 0
  std::string title;     ///< what a pointer that rests on the point shows
};

struct Series {
  std::string name;
  std::size_t style = 0;  ///< colour and mark, the same everywhere for the same number; see kSeriesStyles
  std::vector<ChartPoint> points = {};
  bool line = true;     ///< connects the points
  bool marks = true;    ///< without, points are shown only under the pointer
  bool dashed = false;  ///< for figures that are not ours
};

constexpr std::size_t kSeriesStyles = 10;

/// Lines or points over two axes.
struct Chart {
  std::string title;
  std::string description;  ///< for those who cannot see it
  Axis x;
  Axis y;
  std::vector<Series> series;  ///< the first is drawn over the others
  /// Whose figures they are, as data-stream.
  std::string stream = {};
};

/// How many fall into a range.
struct Bar {
  std::string label;
  double count = 0;
  std::string title;
};
struct Histogram {
  std::string title;
  std::string description;
  std::string x_label;
  std::string y_label;
  std::vector<Bar> bars;
  std::string stream = {};
};

constexpr double kChartWidth = 380;
constexpr double kChartHeight = 270;

/// An <svg> element that scales with its box; `id` makes the names in it unique on the page. Points that a logarithmic
/// axis cannot show are left out; a chart must have one point to show.
std::string svg(const Chart& chart, const std::string& id);
std::string svg(const Histogram& histogram, const std::string& id);

/// What a style looks like, at a place.
std::string mark(std::size_t style, double x, double y);

/// Colours of charts, light and dark, for a page or a picture that holds charts.
std::string_view chart_style();

/// A picture of its own: charts side by side under one legend, legible on any background.
std::string picture(const std::vector<Chart>& charts, std::size_t columns, const std::string& title);

/// The series of several charts, each name once, in their order.
std::vector<Series> legend_of(const std::vector<Chart>& charts);

}  // namespace meteor
