#include <fmt/format.h>

#include <algorithm>

#include "report/chart.h"
#include "report/markup.h"

namespace meteor {
namespace {

constexpr double kGap = 16;
constexpr double kLegendLine = 22;

/// About what a name takes at the legend's size; no font can be asked here.
double legend_width(const Series& series) { return 40 + 6.8 * static_cast<double>(series.name.size()); }

}  // namespace

std::string_view chart_style() {
  return R"(.chart,.legend{--ink:#1b1f24;--dim:#59636e;--grid:#d9dee3;--paper:#fff;font:12px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
.chart text,.legend text{fill:var(--dim);font-variant-numeric:tabular-nums}
.chart .title{fill:var(--ink);font-size:14px;font-weight:600}
.chart .end{text-anchor:end}.chart .middle{text-anchor:middle}
.chart .grid{stroke:var(--grid)}.chart .axis{stroke:var(--dim)}
.s0{--c:#0072b2}.s1{--c:#3fa0dd}.s2{--c:#3d444d}.s3{--c:#008862}.s4{--c:#d55e00}.s5{--c:#b8578f}.s6{--c:#b97f00}.s7{--c:#6b747d}.s8{--c:#7a828b}.s9{--c:#0072b2}
.line{fill:none;stroke:var(--c);stroke-width:1.6;stroke-linejoin:round}.dashed .line{stroke-dasharray:4 3}
.mark,.column{fill:var(--c)}.mark{stroke:var(--paper);stroke-width:.8}
.mark.stroke{fill:none;stroke:var(--c);stroke-width:2.2}.mark.hollow{fill:var(--paper);stroke:var(--c);stroke-width:1.8}
.dashed .mark{fill:var(--paper);stroke:var(--c);stroke-width:1.6}
.bar{stroke:var(--c);stroke-width:1.2}.reach{fill:transparent}.spot{fill:transparent}
.point:hover .spot{fill:var(--c)}.point:hover .mark{stroke:var(--ink);stroke-width:1.6}.point:hover .column{fill:var(--ink)}
.sheet{fill:#fff}
@media (prefers-color-scheme:dark){.chart,.legend{--ink:#f0f3f6;--dim:#a8b1bb;--grid:#333b45;--paper:#14181d}
.s0{--c:#58a9e8}.s1{--c:#9ad1f5}.s2{--c:#e2e7ec}.s3{--c:#2fc79a}.s4{--c:#ff8a3d}.s5{--c:#e693c4}.s6{--c:#f0c04a}.s7{--c:#b4bcc5}.s8{--c:#98a1ab}.s9{--c:#58a9e8}
.sheet{fill:#14181d}}
)";
}

std::string picture(const std::vector<Chart>& charts, std::size_t columns, const std::string& title) {
  columns = std::max<std::size_t>(1, std::min(columns, charts.size()));
  const double width = static_cast<double>(columns) * (kChartWidth + kGap) + kGap;
  std::string legend;
  double x = kGap;
  double y = kGap + 8;
  for (const Series& series : legend_of(charts)) {
    if (x > kGap && x + legend_width(series) > width) {
      x = kGap;
      y += kLegendLine;
    }
    legend += fmt::format(R"(<g class="s{}">{}<text x="{:.1f}" y="{:.1f}">{}</text></g>)", series.style,
                          mark(series.style, x + 8, y), x + 20, y + 4, escape(series.name));
    x += legend_width(series);
  }
  const double top = y + kLegendLine;
  std::string placed;
  std::size_t number = 0;
  for (const Chart& chart : charts) {
    const double left = kGap + static_cast<double>(number % columns) * (kChartWidth + kGap);
    const std::size_t row = number / columns;
    const double above = top + static_cast<double>(row) * (kChartHeight + kGap);
    placed += fmt::format("<svg x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\">{}</svg>\n", left, above,
                          kChartWidth, kChartHeight, svg(chart, fmt::format("chart{}", number)));
    ++number;
  }
  const std::size_t rows = (charts.size() + columns - 1) / columns;
  const double height = top + static_cast<double>(rows) * (kChartHeight + kGap);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "role=\"img\" aria-labelledby=\"picture\">\n<title id=\"picture\">{2}</title>\n<style>{3}</style>\n"
      "<rect class=\"sheet\" width=\"100%\" height=\"100%\" rx=\"8\"/>\n<g class=\"legend\">{4}</g>\n{5}</svg>\n",
      width, height, escape(title), chart_style(), legend, placed);
}

}  // namespace meteor
