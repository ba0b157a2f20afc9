#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "experiments/known_streams.h"
#include "experiments/sections.h"

namespace meteor {
namespace {

constexpr std::size_t kMostPoints = 120;  // of a line, so that each can be pointed at

template <class Result>
std::vector<const Result*> in_order(const std::vector<Result>& results) {
  std::vector<std::string> streams;
  streams.reserve(results.size());
  for (const Result& result : results) streams.push_back(result.stream);
  sort_streams(streams);
  std::vector<const Result*> sorted;
  sorted.reserve(streams.size());
  for (const std::string& stream : streams) {
    sorted.push_back(
        &*std::find_if(results.begin(), results.end(), [&](const Result& result) { return result.stream == stream; }));
  }
  return sorted;
}

template <class Result>
Section stream_section(const Results& results, const std::vector<Result>& found, std::string_view name,
                       std::string_view title) {
  Section section = begin_section(results, name, title);
  if (found.empty()) {
    section.body +=
        paragraph(fmt::format("Missing: no result of this experiment (meteor experiment {}).", name), "gap");
    return section;
  }
  std::string missing;
  for (const std::string& stream : results.streams()) {
    const bool known =
        std::any_of(found.begin(), found.end(), [&](const Result& result) { return result.stream == stream; });
    if (!known) missing += (missing.empty() ? "" : ", ") + stream_title(stream);
  }
  if (!missing.empty()) section.body += paragraph(fmt::format("Missing: {}.", missing), "gap");
  return section;
}

/// A line whose points can be pointed at, of a share a window.
Series share_line(std::string name, std::size_t style, const std::vector<ChartPoint>& points) {
  Series series{.name = std::move(name), .style = style, .points = thinned(points, kMostPoints), .marks = false};
  for (ChartPoint& point : series.points) {
    point.title = fmt::format("{}, window {:.0f}: {}", series.name, point.x, percent_text(point.y));
  }
  return series;
}

std::string thinning_note(std::size_t most_windows) {
  if (most_windows <= kMostPoints) return "";
  return paragraph(
      fmt::format("Of streams of more than {} windows, a point is the mean of neighbouring windows.", kMostPoints),
      "note");
}

/// Charts and the table with their figures; where no file told anything, that.
std::string shown(const std::string& charts, const Table& table) {
  if (table.rows.empty()) return paragraph("Missing: the results of this experiment are empty.", "gap");
  return charts + html(table);
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(std::lround(share * static_cast<double>(values.size() - 1)))];
}

Cell share_cell(double share) { return {.text = percent_text(share), .value = share}; }
Cell count_cell(double count) { return {.text = count_text(count), .value = count}; }

std::map<std::string, std::vector<const ClusterSize*>> by_attribute(const Sizes& sizes) {
  std::map<std::string, std::vector<const ClusterSize*>> clusters;
  for (const ClusterSize& cluster : sizes.clusters) clusters[cluster.attribute].push_back(&cluster);
  return clusters;
}

/// How many clusters have 0, 1, 2 to 3, 4 to 7 units, and so on.
Histogram size_histogram(const std::string& stream, const std::string& attribute,
                         const std::vector<const ClusterSize*>& clusters) {
  Histogram histogram{.title = fmt::format("{}: {}", stream_title(stream), attribute),
                      .description = fmt::format("How many of {} clusters have how many units.", clusters.size()),
                      .x_label = "units in a cluster, at least",
                      .y_label = "clusters",
                      .bars = {},
                      .stream = stream};
  std::uint64_t most = 0;
  std::uint64_t least = ~std::uint64_t{0};
  for (const ClusterSize* cluster : clusters) {
    most = std::max(most, cluster->units);
    least = std::min(least, cluster->units);
  }
  for (std::uint64_t begin = 0; begin <= most; begin = begin == 0 ? 1 : 2 * begin) {
    const std::uint64_t end = begin == 0 ? 1 : 2 * begin;
    if (end <= least) continue;
    const auto count = std::count_if(clusters.begin(), clusters.end(), [&](const ClusterSize* cluster) {
      return cluster->units >= begin && cluster->units < end;
    });
    const std::string range = end - begin == 1 ? std::to_string(begin) : fmt::format("{} to {}", begin, end - 1);
    histogram.bars.push_back({count_text(static_cast<double>(begin)), static_cast<double>(count),
                              fmt::format("{} clusters of {} units", count, range)});
  }
  return histogram;
}

}  // namespace

Section presence_section(const Results& results) {
  Section section = stream_section(results, results.presence, "presence", "Presence");
  if (results.presence.empty()) return section;
  std::vector<Chart> charts;
  std::map<std::string, std::size_t> styles;
  Table table{
      "Share of units in a window", {{"stream"}, {"attribute"}, {"units"}, {"windows"}, {"median"}, {"most"}}, {}};
  std::size_t windows = 0;
  for (const Presence* presence : in_order(results.presence)) {
    Chart chart{.title = stream_title(presence->stream),
                .description = "Share of the units of each attribute that appear in a window, by window.",
                .x = {.label = "window after pretraining"},
                .y = {.label = "units in the window", .percent = true, .from_zero = true},
                .series = {},
                .stream = presence->stream};
    for (const AttributePresence& attribute : presence->attributes) {
      if (attribute.shares.empty()) continue;
      std::vector<ChartPoint> points;
      for (double share : attribute.shares) points.push_back({static_cast<double>(points.size()), share, 0, ""});
      const std::size_t style = line_style(styles.try_emplace(attribute.name, styles.size()).first->second);
      chart.series.push_back(share_line(attribute.name, style, points));
      windows = std::max(windows, points.size());
      table.rows.push_back({{.text = stream_title(presence->stream)},
                            {.text = attribute.name},
                            count_cell(static_cast<double>(attribute.units)),
                            count_cell(static_cast<double>(points.size())),
                            share_cell(quantile(attribute.shares, 0.5)),
                            share_cell(quantile(attribute.shares, 1))});
    }
    if (!chart.series.empty()) charts.push_back(std::move(chart));
  }
  section.body += shown(chart_grid(charts, "presence") + thinning_note(windows), table);
  section.body += paragraph("The paper’s Figure 2 shows users of LA (windows of an hour) and IC (of a day).", "note");
  return section;
}

Section drift_section(const Results& results) {
  Section section = stream_section(results, results.drift, "drift", "Drift");
  if (results.drift.empty()) return section;
  std::vector<Chart> charts;
  Table table{"Units that would change their cluster",
              {{"stream"}, {"windows"}, {"median"}, {"mean"}, {"most"}, {"most, of all units"}},
              {}};
  std::size_t windows = 0;
  for (const Drift* drift : in_order(results.drift)) {
    if (drift->windows.empty()) continue;
    std::vector<ChartPoint> points;
    std::vector<double> shares;
    double most_of_all = -1;
    for (const DriftWindow& window : drift->windows) {
      points.push_back({static_cast<double>(window.window), window.changed, 0, ""});
      shares.push_back(window.changed);
      const double changed = window.changed * static_cast<double>(window.units);
      if (window.all_units > 0) most_of_all = std::max(most_of_all, changed / static_cast<double>(window.all_units));
    }
    windows = std::max(windows, points.size());
    charts.push_back({.title = stream_title(drift->stream),
                      .description = "Share of the units of a window that would change their cluster, by window.",
                      .x = {.label = "window"},
                      .y = {.label = "units that would change", .percent = true, .from_zero = true},
                      .series = {share_line("units that would change", 0, points)},
                      .stream = drift->stream});
    table.rows.push_back({{.text = stream_title(drift->stream)},
                          count_cell(static_cast<double>(shares.size())),
                          share_cell(quantile(shares, 0.5)),
                          share_cell(spread_of(shares).mean),
                          share_cell(quantile(shares, 1)),
                          most_of_all >= 0 ? share_cell(most_of_all) : missing_cell()});
  }
  section.body += shown(chart_grid(charts, "drift") + thinning_note(windows), table);
  section.body += paragraph(
      "Shares are of the units that a window touched, but for the last column. The paper (Figure 4) counts among all "
      "users of "
      "TF, in 64 clusters, and reports that at most 0.06 % of them change.",
      "note");
  return section;
}

Section sizes_section(const Results& results) {
  Section section = stream_section(results, results.sizes, "sizes", "Cluster sizes");
  if (results.sizes.empty()) return section;
  std::string figures;
  std::size_t number = 0;
  Table table{"Clusters",
              {{"stream"}, {"attribute"}, {"clusters"}, {"smallest"}, {"median"}, {"largest"}, {"basis vectors"}},
              {}};
  for (const Sizes* sizes : in_order(results.sizes)) {
    for (const auto& [attribute, clusters] : by_attribute(*sizes)) {
      figures += fmt::format("<figure>{}</figure>\n", svg(size_histogram(sizes->stream, attribute, clusters),
                                                          fmt::format("sizes-{}", number++)));
      std::vector<double> units;
      double vectors = 0;
      for (const ClusterSize* cluster : clusters) {
        units.push_back(static_cast<double>(cluster->units));
        vectors += static_cast<double>(cluster->basis_vectors);
      }
      table.rows.push_back({{.text = stream_title(sizes->stream)},
                            {.text = attribute},
                            count_cell(static_cast<double>(units.size())),
                            count_cell(quantile(units, 0)),
                            count_cell(quantile(units, 0.5)),
                            count_cell(quantile(units, 1)),
                            count_cell(vectors)});
    }
  }
  section.body += shown(fmt::format("<div class=\"charts\">\n{}</div>\n", figures), table);
  section.body +=
      paragraph("The paper’s Figure 5 shows the same of 64 clusters of users of TF: sizes are uneven.", "note");
  return section;
}

}  // namespace meteor
