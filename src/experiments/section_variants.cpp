#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "experiments/known_streams.h"
#include "experiments/missing.h"
#include "experiments/paper_figures.h"
#include "experiments/sections.h"

namespace meteor {
namespace {

const PaperExplicit* printed_explicit(std::string_view variant) {
  const auto all = paper_explicit();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const PaperExplicit& line) { return line.variant == variant; });
  return found != all.end() ? &*found : nullptr;
}

Table explicit_table(const Results& results, const std::string& stream) {
  const std::string ours = "Ours: " + stream_title(stream);
  const std::string printed = "Paper: CJ, Table 4";
  Table table{fmt::format("Categories as clusters on {}", stream_title(stream)),
              {{"method"},
               {"MRR", ours},
               {"MRR, rare", ours},
               {"Recall@1", ours},
               {"bytes", ours},
               {"MRR", printed},
               {"Recall@1", printed},
               {"bytes", printed}},
              {}};
  for (const Variant& variant : experiment_named("explicit").variants) {
    std::vector<Cell> row = {{.text = variant.name}};
    for (const char* key : {"mrr", "mrr_rare", "recall@1", "share"}) {
      row.push_back(result_cell(results, stream, variant.name, key));
    }
    if (const PaperExplicit* line = printed_explicit(variant.name)) {
      const PaperFigure& figure = line->figure;
      const double share = figure.megabytes / kPaperFullMegabytesCj;
      row.push_back(paper_cell(figure.mrr, quality_text(figure.mrr), "Table 4"));
      row.push_back(paper_cell(figure.recall_at_1, quality_text(figure.recall_at_1), "Table 4"));
      row.push_back(paper_cell(share, percent_text(share), "Table 4"));
    } else {
      row.insert(row.end(), 3, missing_cell());
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Cell change_cell(double value, double reference) {
  const double change = reference > 0 ? value / reference - 1 : 0;
  return {.text = change_text(change), .value = change};
}

Table ablation_table(const Results& results, const std::vector<std::string>& streams) {
  Table table{"MRR, and its change from “paper”", {{"method"}}, {}};
  const auto add_columns = [&](const std::string& group) {
    table.columns.push_back({"MRR", group});
    table.columns.push_back({"change", group});
  };
  for (const std::string& stream : streams) add_columns("Ours: " + stream_title(stream));
  add_columns("Paper: CJ, Table 5");
  add_columns("Paper: LA, Table 5");
  const auto printed = paper_ablation();
  for (const Variant& variant : experiment_named("ablation").variants) {
    std::vector<Cell> row = {{.text = variant.name}};
    for (const std::string& stream : streams) {
      row.push_back(result_cell(results, stream, variant.name, "mrr"));
      const auto reference = results.spread(stream, "paper", "mrr");
      row.push_back(row.back().value && reference ? change_cell(*row.back().value, reference->mean) : missing_cell());
    }
    const auto line = std::find_if(printed.begin(), printed.end(),
                                   [&](const PaperAblation& one) { return one.variant == variant.name; });
    if (line == printed.end()) {
      row.insert(row.end(), 4, missing_cell());
    } else {
      for (const auto& [value, reference] :
           {std::pair(line->cj_mrr, printed.front().cj_mrr), std::pair(line->la_mrr, printed.front().la_mrr)}) {
        row.push_back(paper_cell(value, quality_text(value), "Table 5"));
        row.push_back(paper_cell(value / reference - 1, change_text(value / reference - 1), "Table 5"));
      }
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// A parameter of the paper's scheme whose influence is shown, and the one that stays at the paper's value.
struct Swept {
  std::string_view title;
  const char* setting;
  const char* other;
  double others_value;
  std::span<const PaperSensitivity> (*printed)();
};
const Swept kSwept[] = {{"clusters C", "cluster_fraction", "basis_fraction", 0.1, paper_cluster_sensitivity},
                        {"basis vectors K", "basis_fraction", "cluster_fraction", 0.01, paper_basis_sensitivity}};

std::optional<double> compression_setting(const RunResult& run, const char* key) {
  const auto section = run.object["settings"].find("compression");
  if (section == run.object["settings"].end() || !section->is_object()) return std::nullopt;
  const auto value = section->find(key);
  return value != section->end() && value->is_number() ? std::optional(value->get<double>()) : std::nullopt;
}

/// The runs of a stream that show the parameter's influence: variants by the parameter's value.
std::map<double, std::string> swept_variants(const Results& results, const std::string& stream, const Swept& swept) {
  std::map<double, std::string> variants;
  for (const Variant& variant : experiment_named("sensitivity").variants) {
    for (const RunResult* run : results.runs_of(stream, variant.name)) {
      const auto value = compression_setting(*run, swept.setting);
      if (value && compression_setting(*run, swept.other) == swept.others_value) variants[*value] = variant.name;
    }
  }
  return variants;
}

/// MRR in per cent of full's, and size, against a parameter.
std::vector<Chart> sensitivity_charts(const Results& results, const std::vector<std::string>& streams,
                                      const Swept& swept) {
  const std::string label = fmt::format("{}, of the pretrained units", swept.title);
  std::vector<Chart> charts = {
      {.title = fmt::format("Quality against {}", swept.title),
       .description = "Lines of MRR over full’s MRR, one for each stream; the table has the figures.",
       .x = {.label = label, .percent = true},
       .y = {.label = "MRR, of full’s", .percent = true},
       .series = {}},
      {.title = fmt::format("Size against {}", swept.title),
       .description = "Lines of bytes over full’s bytes, one for each stream; the table has the figures.",
       .x = {.label = label, .percent = true},
       .y = {.label = "bytes, of full’s", .percent = true, .from_zero = true},
       .series = {}}};
  std::size_t style = 0;
  for (const std::string& stream : streams) {
    Series quality{.name = stream_title(stream), .style = line_style(style++)};
    Series size = quality;
    const auto full = results.spread(stream, "full", "mrr");
    for (const auto& [value, variant] : swept_variants(results, stream, swept)) {
      const std::string where = fmt::format("{}, {} {}", quality.name, swept.title, percent_text(value));
      const auto mrr = results.spread(stream, variant, "mrr");
      const auto share = results.spread(stream, variant, "share");
      if (mrr && full && full->mean > 0) {
        quality.points.push_back({value, mrr->mean / full->mean, mrr->deviation / full->mean,
                                  fmt::format("{}: MRR {}, {} of full’s", where, quality_text(mrr->mean),
                                              percent_text(mrr->mean / full->mean))});
      }
      if (share) {
        size.points.push_back(
            {value, share->mean, 0, fmt::format("{}: {} of full’s bytes", where, percent_text(share->mean))});
      }
    }
    if (!quality.points.empty()) charts[0].series.push_back(std::move(quality));
    if (!size.points.empty()) charts[1].series.push_back(std::move(size));
  }
  std::erase_if(charts, [](const Chart& chart) { return chart.series.empty(); });
  const double full = paper_method("full")->items[0].mrr;
  for (Chart& chart : charts) {
    const bool is_quality = chart.y.label.starts_with("MRR");
    Series printed{.name = "Paper: CJ, Figure 7", .style = 8, .dashed = true};
    for (const PaperSensitivity& point : swept.printed()) {
      const double y = is_quality ? point.mrr / full : point.megabytes / kPaperFullMegabytesCj;
      printed.points.push_back({point.percent / 100, y, 0,
                                fmt::format("{}, {} {}: {} of full’s", printed.name, swept.title,
                                            percent_text(point.percent / 100), percent_text(y))});
    }
    chart.series.push_back(std::move(printed));
  }
  return charts;
}

Table sensitivity_table(const Results& results, const std::vector<std::string>& streams) {
  Table table{"Sensitivity to C and K", {{"method"}}, {}};
  for (const std::string& stream : streams) {
    for (const char* title : {"MRR", "bytes"}) table.columns.push_back({title, stream_title(stream)});
  }
  for (const Variant& variant : experiment_named("sensitivity").variants) {
    std::vector<Cell> row = {{.text = variant.name}};
    for (const std::string& stream : streams) {
      row.push_back(result_cell(results, stream, variant.name, "mrr"));
      row.push_back(result_cell(results, stream, variant.name, "share"));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Section explicit_section(const Results& results) {
  Section section = begin_section(results, "explicit", "Explicit clusters");
  for (const std::string& stream : begun_on(results, experiment_named("explicit"))) {
    section.body += html(explicit_table(results, stream));
    if (const KnownStream* known = known_stream(stream)) section.body += paragraph(known->difference, "note");
  }
  return section;
}

Section ablation_section(const Results& results) {
  Section section = begin_section(results, "ablation", "Ablation");
  const std::vector<std::string> streams = begun_on(results, experiment_named("ablation"));
  if (streams.empty()) return section;
  section.body += html(ablation_table(results, streams));
  section.body += paragraph(
      "meteor_uniform gives every cluster as many basis vectors; meteor_dense leaves the sparsity constraint out. The "
      "paper’s CJ is the whole of Complete Journey and its LA are tweets of one city; ours are other data.",
      "note");
  return section;
}

Section sensitivity_section(const Results& results) {
  Section section = begin_section(results, "sensitivity", "Sensitivity");
  const std::vector<std::string> streams = begun_on(results, experiment_named("sensitivity"));
  if (streams.empty()) return section;
  std::vector<Chart> charts;
  for (const Swept& swept : kSwept) {
    for (Chart& chart : sensitivity_charts(results, streams, swept)) charts.push_back(std::move(chart));
  }
  if (!charts.empty()) section.body += chart_grid(charts, "sensitivity");
  for (const std::string& stream : streams) {
    if (results.spread(stream, "full", "mrr")) continue;
    section.body += paragraph(
        fmt::format("Missing: full on {}, so that its quality is in the table only.", stream_title(stream)), "gap");
  }
  section.body += html(sensitivity_table(results, streams));
  return section;
}

}  // namespace meteor
