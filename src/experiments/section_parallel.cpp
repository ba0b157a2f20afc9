#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "experiments/known_streams.h"
#include "experiments/missing.h"
#include "experiments/paper_figures.h"
#include "experiments/sections.h"

namespace meteor {
namespace {

/// Variants of the experiment that a stream has, by the number of processes.
std::map<std::uint32_t, std::string> by_processes(const Results& results, const std::string& stream) {
  std::map<std::uint32_t, std::string> variants;
  for (const Variant& variant : experiment_named("parallel").variants) {
    if (!results.runs_of(stream, variant.name).empty()) variants[variant.ranks] = variant.name;
  }
  return variants;
}

/// Cores of the machine that ran a variant; nothing where that was not recorded.
std::optional<double> cores_of(const Results& results, const std::string& stream, const std::string& variant) {
  const auto cores = results.spread(stream, variant, "cores");
  return cores ? std::optional(cores->mean) : std::nullopt;
}

/// What the times are worth.
std::string warning(const Results& results, const std::vector<std::string>& streams) {
  std::set<std::uint32_t> too_many;
  std::set<double> cores;
  bool recorded = true;
  for (const std::string& stream : streams) {
    for (const auto& [processes, variant] : by_processes(results, stream)) {
      const auto machine = cores_of(results, stream, variant);
      recorded = recorded && machine;
      if (machine) cores.insert(*machine);
      if (machine && processes > *machine) too_many.insert(processes);
    }
  }
  std::string text;
  if (!too_many.empty()) {
    text += paragraph(
        fmt::format("These runs had {} cores: the times of p = {} mean nothing, for their processes waited for "
                    "each other’s cores. They are marked † and left out of the chart. MRR does not depend on that.",
                    fmt::join(cores, " or "), fmt::join(too_many, ", ")),
        "warning");
  }
  if (!recorded) {
    text += paragraph("Some runs do not say how many cores they had. Times of more processes than cores mean nothing.",
                      "warning");
  }
  return text;
}

/// One line of either chart: a figure over that with one process.
struct RelativePoint {
  double processes = 0;
  double value = 0;
};
Series relative(std::string name, std::size_t style, const std::vector<RelativePoint>& points) {
  Series series{.name = std::move(name), .style = style};
  const auto alone =
      std::find_if(points.begin(), points.end(), [](const RelativePoint& point) { return point.processes == 1; });
  if (alone == points.end() || alone->value <= 0) return series;
  for (const RelativePoint& point : points) {
    const double y = point.value / alone->value;
    series.points.push_back(
        {point.processes, y, 0,
         fmt::format("{}, p = {}: {:.4g}, {} of p = 1", series.name, point.processes, point.value, percent_text(y))});
  }
  return series;
}

void add_printed(Chart& chart, double PaperParallel::*figure) {
  for (const std::string_view dataset : {"CJ", "LA"}) {
    std::vector<RelativePoint> points;
    for (const PaperParallel& point : paper_parallel()) {
      if (point.dataset == dataset) points.push_back({static_cast<double>(point.processes), point.*figure});
    }
    Series series = relative(fmt::format("Paper: {}, Figure 8", dataset), dataset == "CJ" ? 8 : 6, points);
    series.dashed = true;
    chart.series.push_back(std::move(series));
  }
}

std::vector<Chart> parallel_charts(const Results& results, const std::vector<std::string>& streams) {
  Chart time{
      .title = "Time per record",
      .description = "Time per record over that with one process, a line for each stream; the table has the figures.",
      .x = {.label = "processes and shards p"},
      .y = {.label = "time per record, of p = 1", .percent = true, .from_zero = true},
      .series = {}};
  Chart quality{.title = "Quality",
                .description = "MRR over that with one process, a line for each stream; the table has the figures.",
                .x = {.label = "processes and shards p"},
                .y = {.label = "MRR, of p = 1", .percent = true},
                .series = {}};
  std::size_t style = 0;
  for (const std::string& stream : streams) {
    std::vector<RelativePoint> times;
    std::vector<RelativePoint> qualities;
    for (const auto& [processes, variant] : by_processes(results, stream)) {
      const auto milliseconds = results.spread(stream, variant, "ms_per_record");
      const auto mrr = results.spread(stream, variant, "mrr");
      const auto cores = cores_of(results, stream, variant);
      if (milliseconds && (!cores || processes <= *cores))
        times.push_back({static_cast<double>(processes), milliseconds->mean});
      if (mrr) qualities.push_back({static_cast<double>(processes), mrr->mean});
    }
    for (const auto& [chart, points] : {std::pair(&time, &times), std::pair(&quality, &qualities)}) {
      Series series = relative(stream_title(stream), line_style(style), *points);
      if (!series.points.empty()) chart->series.push_back(std::move(series));
    }
    ++style;
  }
  std::vector<Chart> charts;
  for (const auto& [chart, figure] :
       {std::pair(&time, &PaperParallel::milliseconds), std::pair(&quality, &PaperParallel::mrr)}) {
    if (chart->series.empty()) continue;
    add_printed(*chart, figure);
    charts.push_back(std::move(*chart));
  }
  return charts;
}

Table parallel_table(const Results& results, const std::vector<std::string>& streams) {
  Table table{"Time and quality with p processes",
              {{"stream"}, {"p"}, {"ms per record"}, {"records/s"}, {"MRR"}, {"cores"}},
              {}};
  for (const std::string& stream : streams) {
    for (const auto& [processes, variant] : by_processes(results, stream)) {
      const auto cores = cores_of(results, stream, variant);
      std::vector<Cell> row = {{.text = stream_title(stream)},
                               {.text = std::to_string(processes), .value = static_cast<double>(processes)}};
      for (const char* key : {"ms_per_record", "records_per_second", "mrr", "cores"}) {
        row.push_back(result_cell(results, stream, variant, key));
      }
      if (cores && processes > *cores) {
        for (std::size_t timed : {2, 3}) {
          row[timed].note = "†";
          row[timed].css_class = "void";
        }
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

}  // namespace

Section parallel_section(const Results& results) {
  Section section = begin_section(results, "parallel", "Parallel");
  const std::vector<std::string> streams = begun_on(results, experiment_named("parallel"));
  if (streams.empty()) return section;
  section.body += warning(results, streams);
  const std::vector<Chart> charts = parallel_charts(results, streams);
  if (!charts.empty()) section.body += chart_grid(charts, "parallel");
  section.body += html(parallel_table(results, streams));
  section.body += paragraph(
      "The paper emulated its processes by threads, on other data and another machine; only the shape of the lines can "
      "be "
      "compared.",
      "note");
  return section;
}

}  // namespace meteor
