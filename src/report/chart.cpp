#include "report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "report/markup.h"
#include "report/scale.h"

namespace meteor {
namespace {

constexpr double kLeft = 50;
constexpr double kRight = kChartWidth - 14;
constexpr double kTop = 48;
constexpr double kBottom = kChartHeight - 44;

double across(double place) { return kLeft + place * (kRight - kLeft); }
double upwards(double place) { return kBottom - place * (kBottom - kTop); }

struct Range {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();

  void cover(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

Scale scale_of(const Axis& axis, const Range& range) {
  return axis.logarithmic ? Scale::logarithmic(range.least, range.most)
                          : Scale::linear(range.least, range.most, axis.from_zero);
}

bool can_show(const Chart& chart, const ChartPoint& point) {
  return !(chart.x.logarithmic && point.x <= 0) && !(chart.y.logarithmic && point.y <= 0);
}

std::string axis_text(const Axis& axis, double value) { return tick_text(axis.percent ? 100 * value : value); }

std::string axis_title(const Axis& axis) { return axis.label + (axis.percent ? " (%)" : ""); }

std::string text_at(double x, double y, std::string_view css_class, std::string_view text) {
  return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" class="{}">{}</text>)", x, y, css_class, escape(text));
}

std::string line_between(double x1, double y1, double x2, double y2, std::string_view css_class) {
  return fmt::format(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" class="{}"/>)", x1, y1, x2, y2,
                     css_class);
}

/// What every chart has around its content.
std::string framed(const std::string& id, const std::string& title, const std::string& description,
                   const std::string& stream, const std::string& x_title, const std::string& y_title,
                   const std::string& content) {
  return fmt::format(
      R"(<svg class="chart" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" role="img" aria-labelledby="{2}-t {2}-d"{3}>)"
      "\n<title id=\"{2}-t\">{4}</title><desc id=\"{2}-d\">{5}</desc>\n{6}{7}{8}{9}{10}</svg>\n",
      kChartWidth, kChartHeight, escape(id), stream.empty() ? "" : fmt::format(R"( data-stream="{}")", escape(stream)),
      escape(title), escape(description), text_at(kLeft, 18, "title", title), text_at(kLeft, 38, "name", y_title),
      text_at(kRight, kChartHeight - 8, "name end", x_title), content,
      line_between(kLeft, kBottom, kRight, kBottom, "axis"));
}

std::string level(double y, const std::string& text) {
  return line_between(kLeft, y, kRight, y, "grid") + text_at(kLeft - 6, y + 4, "tick end", text);
}

std::string grid(const Chart& chart, const Scale& x, const Scale& y) {
  std::string lines;
  for (double value : y.ticks()) lines += level(upwards(y.place(value)), axis_text(chart.y, value));
  for (double value : x.ticks()) {
    const double at = across(x.place(value));
    lines += line_between(at, kBottom, at, kBottom + 4, "axis");
    lines += text_at(at, kBottom + 17, "tick middle", axis_text(chart.x, value));
  }
  return lines;
}

std::string drawn(const Chart& chart, const Series& series, const Scale& x, const Scale& y) {
  std::string path;
  std::string points;
  for (const ChartPoint& point : series.points) {
    if (!can_show(chart, point)) continue;
    const double px = across(x.place(point.x));
    const double py = upwards(y.place(point.y));
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", px, py);
    points += fmt::format(R"(<g class="point" data-x="{}" data-y="{}"><title>{}</title>)", full_precision(point.x),
                          full_precision(point.y), escape(point.title));
    if (point.deviation > 0) {
      points += line_between(px, upwards(y.place(point.y - point.deviation)), px,
                             upwards(y.place(point.y + point.deviation)), "bar");
    }
    points += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="9" class="reach"/>)", px, py);
    points += series.marks ? mark(series.style, px, py)
                           : fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="3.5" class="spot"/>)", px, py);
    points += "</g>\n";
  }
  const bool several = series.points.size() > 1;
  return fmt::format("<g class=\"series s{}{}\">{}\n{}</g>\n", series.style % kSeriesStyles,
                     series.dashed ? " dashed" : "",
                     series.line && several ? fmt::format(R"(<path class="line" d="{}"/>)", path) : "", points);
}

}  // namespace

std::string mark(std::size_t style, double x, double y) {
  const auto path = [&](std::string_view shape, std::string_view css_class = "mark") {
    return fmt::format(R"svg(<path transform="translate({:.1f} {:.1f})" d="{}" class="{}"/>)svg", x, y, shape,
                       css_class);
  };
  switch (style % kSeriesStyles) {
    case 0:
      return fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="5" class="mark"/>)", x, y);
    case 1:
      return path("M-4-4H4V4H-4Z");
    case 2:
      return path("M0-5.5L5.5 0L0 5.5L-5.5 0Z");
    case 3:
      return path("M0-5L5 4H-5Z");
    case 4:
      return path("M0 5L5-4H-5Z");
    case 5:
      return path("M-4-4L4 4M4-4L-4 4", "mark stroke");
    case 6:
      return path("M0-5V5M-5 0H5", "mark stroke");
    case 7:
      return path("M0-4.5L4.5 0L0 4.5L-4.5 0Z", "mark hollow");
    case 9:
      return path("M-3.5-3.5H3.5V3.5H-3.5Z", "mark hollow");
    default:
      return fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="4" class="mark hollow"/>)", x, y);
  }
}

std::string svg(const Chart& chart, const std::string& id) {
  Range xs;
  Range ys;
  for (const Series& series : chart.series) {
    for (const ChartPoint& point : series.points) {
      if (!can_show(chart, point)) continue;
      xs.cover(point.x);
      ys.cover(point.y - (chart.y.logarithmic ? 0 : point.deviation));
      ys.cover(point.y + point.deviation);
    }
  }
  const Scale x = scale_of(chart.x, xs);
  const Scale y = scale_of(chart.y, ys);
  std::string content = grid(chart, x, y);
  for (auto series = chart.series.rbegin(); series != chart.series.rend(); ++series) {
    content += drawn(chart, *series, x, y);
  }
  return framed(id, chart.title, chart.description, chart.stream, axis_title(chart.x), axis_title(chart.y), content);
}

std::string svg(const Histogram& histogram, const std::string& id) {
  double most = 1;
  for (const Bar& bar : histogram.bars) most = std::max(most, bar.count);
  const Scale y = Scale::linear(0, most, true);
  std::string content;
  for (double value : y.ticks()) {
    if (value == static_cast<double>(static_cast<long long>(value))) {
      content += level(upwards(y.place(value)), tick_text(value));
    }
  }
  const double width = (kRight - kLeft) / static_cast<double>(std::max<std::size_t>(1, histogram.bars.size()));
  const std::size_t labelled = histogram.bars.size() > 9 ? 2 : 1;  // every second where all would overlap
  for (std::size_t i = 0; i < histogram.bars.size(); ++i) {
    const Bar& bar = histogram.bars[i];
    const double left = kLeft + width * static_cast<double>(i);
    const double top = upwards(y.place(bar.count));
    content += fmt::format(
        R"(<g class="point s0" data-y="{}"><title>{}</title><rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" class="column"/></g>)"
        "\n",
        full_precision(bar.count), escape(bar.title), left + 1, top, width - 2, kBottom - top);
    if (i % labelled == 0) content += text_at(left + width / 2, kBottom + 17, "tick middle", bar.label);
  }
  return framed(id, histogram.title, histogram.description, histogram.stream, histogram.x_label, histogram.y_label,
                content);
}

std::vector<Series> legend_of(const std::vector<Chart>& charts) {
  std::vector<Series> legend;
  for (const Chart& chart : charts) {
    for (const Series& series : chart.series) {
      const bool known =
          std::any_of(legend.begin(), legend.end(), [&](const Series& other) { return other.name == series.name; });
      if (!known)
        legend.push_back({.name = series.name, .style = series.style, .marks = series.marks, .dashed = series.dashed});
    }
  }
  return legend;
}

}  // namespace meteor
