#include "experiments/sections.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "experiments/known_streams.h"
#include "experiments/missing.h"
#include "support/readable_bytes.h"

namespace meteor {
namespace {

/// How a figure of that key is written.
std::string text_of(std::string_view key, double value) {
  if (key == "share") return percent_text(value);
  if (key == "model_bytes" || key == "full_bytes") return readable_bytes(value);
  if (key == "ms_per_record") return fmt::format("{:.3g}", value);
  if (key == "bytes_per_new_unit") return fmt::format("{:.1f}", value);
  return count_text(value);
}

bool is_quality(std::string_view key) { return key.starts_with("mrr") || key.starts_with("recall"); }

std::string legend(const std::vector<Series>& series) {
  std::string items;
  for (const Series& one : series) {
    items += fmt::format(
        R"(<li><svg class="chart key" viewBox="0 0 26 14" aria-hidden="true"><g class="s{}{}"><path class="line" d="M1 7H25"/>{}</g></svg>{}</li>)",
        one.style % kSeriesStyles, one.dashed ? " dashed" : "", one.marks ? mark(one.style, 13, 7) : "",
        escape(one.name));
  }
  return fmt::format("<ul class=\"legend\">{}</ul>\n", items);
}

}  // namespace

const Experiment& experiment_named(std::string_view name) {
  return *std::find_if(experiments().begin(), experiments().end(),
                       [&](const Experiment& experiment) { return experiment.name == name; });
}

Section begin_section(const Results& results, std::string_view name, std::string_view title) {
  const Experiment& experiment = experiment_named(name);
  Section section{std::string(name), std::string(title), paragraph(experiment.title + ".", "lead")};
  const std::vector<std::string> begun = begun_on(results, experiment);
  if (experiment.variants.empty()) return section;
  if (begun.empty()) {
    section.body += paragraph(fmt::format("Missing: no run of this experiment (meteor experiment {}).", name), "gap");
    return section;
  }
  std::vector<std::string> missing = describe_missing(missing_runs(results, experiment));
  if (!missing.empty()) section.body += paragraph(fmt::format("Missing: {}.", fmt::join(missing, "; ")), "gap");
  return section;
}

std::string chart_grid(const std::vector<Chart>& charts, const std::string& id) {
  std::string figures;
  std::size_t number = 0;
  for (const Chart& chart : charts) {
    figures += fmt::format("<figure>{}</figure>\n", svg(chart, fmt::format("{}-{}", id, ++number)));
  }
  const std::vector<Series> series = legend_of(charts);
  return fmt::format("{}<div class=\"charts{}\">\n{}</div>\n", series.size() > 1 ? legend(series) : "",
                     charts.size() == 2 || charts.size() == 4 ? " pairs" : "", figures);
}

std::size_t line_style(std::size_t number) {
  constexpr std::size_t kOrder[] = {0, 4, 3, 5, 2, 1};  // neighbours differ most; what is left is for the paper's
  return kOrder[number % std::size(kOrder)];
}

Cell result_cell(const Results& results, std::string_view stream, std::string_view variant, std::string_view key) {
  const auto spread = results.spread(stream, variant, key);
  if (!spread) return missing_cell();
  Cell cell = is_quality(key) ? quality_cell(*spread) : Cell{.text = text_of(key, spread->mean), .value = spread->mean};
  cell.data.insert(cell.data.end(),
                   {{"stream", std::string(stream)}, {"variant", std::string(variant)}, {"key", std::string(key)}});
  return cell;
}

Cell paper_cell(double value, std::string text, std::string_view place) {
  return {.text = std::move(text), .value = value, .css_class = "paper", .data = {{"paper", std::string(place)}}};
}

bool is_counting(std::string_view variant) {
  return variant == "popularity" || variant == "bayes" || variant.starts_with("lift");
}

std::vector<ChartPoint> thinned(const std::vector<ChartPoint>& points, std::size_t most) {
  const std::size_t group = (points.size() + most - 1) / std::max<std::size_t>(1, most);
  if (group <= 1) return points;
  std::vector<ChartPoint> left;
  for (std::size_t begin = 0; begin < points.size(); begin += group) {
    const std::size_t end = std::min(points.size(), begin + group);
    ChartPoint mean;
    for (std::size_t i = begin; i < end; ++i) {
      mean.x += points[i].x / static_cast<double>(end - begin);
      mean.y += points[i].y / static_cast<double>(end - begin);
    }
    left.push_back(mean);
  }
  return left;
}

}  // namespace meteor
