#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <span>

#include "experiments/known_streams.h"
#include "experiments/missing.h"
#include "experiments/paper_figures.h"
#include "experiments/sections.h"

namespace meteor {
namespace {

/// Methods that differ in a number only, drawn alike in every chart.
struct Family {
  std::string_view name;
  std::size_t style;
  bool line;
};

/// So small and so far below all others that beside it nothing else could be told apart.
constexpr std::string_view kOffTheChart = "popularity";

Family family_of(const Variant& variant) {
  const std::string_view name = variant.name;
  if (name.starts_with("dim_reduct")) return {"dim_reduct", 3, true};
  if (name.starts_with("quantization")) return {"quantization", 4, true};
  if (name.starts_with("hash_trick")) return {"hash_trick", 5, true};
  if (name.starts_with("dcn")) return {"dcn", 6, true};
  if (name.ends_with("shards")) return {"METEOR and full in 8 shards", 9, false};
  if (is_counting(name)) return {"lift, bayes", 8, false};
  if (name.starts_with("paper")) return {"METEOR as printed", 1, true};
  if (name.starts_with("meteor")) return {"METEOR", 0, true};
  if (name == "full" || name == "uncompressed") return {"full, uncompressed", 2, false};
  return {"info, decay, cons", 7, false};
}

Chart retrieval_chart(const Results& results, const std::string& stream) {
  Chart chart{.title = stream_title(stream),
              .description = fmt::format("Size against MRR of all methods on {}; the table below has the same figures.",
                                         stream_title(stream)),
              .x = {.label = "bytes, of full’s", .percent = true, .logarithmic = true},
              .y = {.label = "MRR"},
              .series = {},
              .stream = stream};
  for (const Variant& variant : experiment_named("retrieval").variants) {
    const auto mrr = results.spread(stream, variant.name, "mrr");
    const auto share = results.spread(stream, variant.name, "share");
    if (!mrr || !share || share->mean <= 0 || variant.name == kOffTheChart) continue;
    const Family family = family_of(variant);
    auto series = std::find_if(chart.series.begin(), chart.series.end(),
                               [&](const Series& other) { return other.name == family.name; });
    if (series == chart.series.end()) {
      series =
          chart.series.insert(series, {.name = std::string(family.name), .style = family.style, .line = family.line});
    }
    series->points.push_back({share->mean, mrr->mean, mrr->deviation,
                              fmt::format("{}: MRR {}, {} of full’s bytes", variant.name, quality_text(mrr->mean),
                                          percent_text(share->mean))});
  }
  for (Series& series : chart.series) {
    std::sort(series.points.begin(), series.points.end(),
              [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; });
  }
  std::stable_sort(chart.series.begin(), chart.series.end(),
                   [](const Series& a, const Series& b) { return a.style < b.style; });
  return chart;
}

/// The loss that a variant learnt by, as its runs tell.
std::string loss_of(const Results& results, const std::string& stream, const std::string& variant) {
  for (const RunResult& run : results.runs) {
    const auto loss = run.object.find("loss");
    if (run.stream == stream && run.variant == variant && loss != run.object.end() && loss->is_string()) return *loss;
  }
  return "unknown";
}

Table stream_table(const Results& results, const std::string& stream) {
  Table table{stream_title(stream),
              {{"method"},
               {"MRR"},
               {"of full’s MRR"},
               {"Recall@1"},
               {"Recall@5"},
               {"MRR, rare"},
               {"MRR, pooled"},
               {"loss"},
               {"model"},
               {"of full’s bytes"},
               {"bytes a new unit"},
               {"records/s"},
               {"seeds"}},
              {}};
  const auto full = results.spread(stream, "full", "mrr");
  for (const Variant& variant : experiment_named("retrieval").variants) {
    const auto mrr = results.spread(stream, variant.name, "mrr");
    if (!mrr) continue;
    const auto cell = [&](std::string_view key) { return result_cell(results, stream, variant.name, key); };
    std::vector<Cell> row = {{.text = variant.name}, cell("mrr")};
    row.push_back(full && full->mean > 0
                      ? Cell{.text = percent_text(mrr->mean / full->mean), .value = mrr->mean / full->mean}
                      : missing_cell());
    for (const char* key : {"recall@1", "recall@5", "mrr_rare", "mrr_pooled"}) row.push_back(cell(key));
    row.push_back({.text = loss_of(results, stream, variant.name)});
    for (const char* key : {"model_bytes", "share", "bytes_per_new_unit", "records_per_second"}) {
      row.push_back(cell(key));
    }
    row.push_back({.text = std::to_string(mrr->count), .value = static_cast<double>(mrr->count)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Whether a stream's targets have one of these names.
bool looks_for(const Results& results, const std::string& stream, std::span<const std::string_view> targets) {
  const auto run = std::find_if(results.runs.begin(), results.runs.end(),
                                [&](const RunResult& one) { return one.stream == stream; });
  if (run == results.runs.end()) return false;
  const auto attributes = run->object["settings"].find("attribute");
  if (attributes == run->object["settings"].end() || !attributes->is_array()) return false;
  return std::any_of(attributes->begin(), attributes->end(), [&](const nlohmann::ordered_json& attribute) {
    return attribute.is_object() && attribute.value("target", nlohmann::ordered_json()) == true &&
           std::any_of(targets.begin(), targets.end(), [&](std::string_view target) {
             return attribute.value("name", nlohmann::ordered_json()) == target;
           });
  });
}

/// A table of the paper and our streams of the same kind.
struct PaperTable {
  std::string_view title;
  std::string_view place;
  std::string_view targets[2];  ///< what attributes of that kind are called
  const PaperFigure (PaperMethod::*figures)[3];
};
constexpr PaperTable kPaperTables[] = {
    {"Item retrieval", "Table 2", {"items", "item"}, &PaperMethod::items},
    {"Location retrieval", "Table 3", {"location", "place"}, &PaperMethod::locations}};

std::vector<Cell> compared_row(const Results& results, const Variant& variant, const PaperTable& printed,
                               const std::vector<std::string>& streams) {
  std::vector<Cell> row = {{.text = variant.name}};
  for (const std::string& stream : streams) {
    row.push_back(result_cell(results, stream, variant.name, "mrr"));
    row.push_back(result_cell(results, stream, variant.name, "share"));
  }
  const PaperMethod* method = paper_method(variant.name);
  const PaperMethod* full = paper_method("full");
  for (std::size_t i = 0; i < 3; ++i) {
    if (method == nullptr) {
      row.insert(row.end(), {missing_cell(), missing_cell()});
      continue;
    }
    const PaperFigure& figure = (method->*printed.figures)[i];
    const double share = figure.megabytes / (full->*printed.figures)[i].megabytes;
    row.push_back(paper_cell(figure.mrr, quality_text(figure.mrr), printed.place));
    row.push_back(paper_cell(share, percent_text(share), printed.place));
  }
  return row;
}

std::string compared_with_paper(const Results& results, const PaperTable& printed,
                                const std::vector<std::string>& all_streams) {
  std::vector<std::string> streams;
  std::copy_if(all_streams.begin(), all_streams.end(), std::back_inserter(streams),
               [&](const std::string& stream) { return looks_for(results, stream, printed.targets); });
  if (streams.empty()) return "";
  Table table{fmt::format("{}: ours, and the paper’s {}", printed.title, printed.place), {{"method"}}, {}};
  for (const std::string& stream : streams) {
    for (const char* title : {"MRR", "bytes"}) table.columns.push_back({title, "Ours: " + stream_title(stream)});
  }
  for (const PaperFigure& figure : paper_retrieval().front().*printed.figures) {
    for (const char* title : {"MRR", "bytes"}) {
      table.columns.push_back({title, fmt::format("Paper: {}", figure.dataset)});
    }
  }
  for (const Variant& variant : experiment_named("retrieval").variants) {
    table.rows.push_back(compared_row(results, variant, printed, streams));
  }
  return html(table);
}

/// The different values of a learning setting that runs had.
std::string learning_values(const Results& results, const char* key) {
  std::set<double> values;
  for (const RunResult& run : results.runs) {
    const auto& settings = run.object["settings"];
    if (run.variant.starts_with("dim_reduct") || !settings.contains("learning")) continue;
    const auto found = settings["learning"].find(key);
    if (found != settings["learning"].end() && found->is_number()) values.insert(found->get<double>());
  }
  return values.empty() ? "unknown" : fmt::format("{}", fmt::join(values, " or "));
}

std::string dataset_differences(const std::vector<std::string>& streams) {
  Table table{
      "The streams, and how they differ from the paper’s datasets", {{"stream"}, {"what it is"}, {"difference"}}, {}};
  for (const std::string& stream : streams) {
    const KnownStream* known = known_stream(stream);
    table.rows.push_back(
        {{.text = stream_title(stream)},
         {.text = known != nullptr ? std::string(known->content) : "no public stream that this program knows",
          .css_class = "words"},
         {.text = known != nullptr ? std::string(known->difference) : "The paper has no such dataset.",
          .css_class = "words"}});
  }
  return html(table);
}

}  // namespace

std::vector<Chart> retrieval_charts(const Results& results) {
  std::vector<Chart> charts;
  for (const std::string& stream : begun_on(results, experiment_named("retrieval"))) {
    Chart chart = retrieval_chart(results, stream);
    if (!chart.series.empty()) charts.push_back(std::move(chart));
  }
  return charts;
}

Section retrieval_section(const Results& results) {
  Section section = begin_section(results, "retrieval", "Retrieval");
  const std::vector<std::string> streams = begun_on(results, experiment_named("retrieval"));
  if (streams.empty()) return section;
  section.body += paragraph(
      "Up and to the left is better. Points of one method that differ in its number are connected; bars are standard "
      "deviations over seeds. The axis of bytes is logarithmic. popularity is in the tables only. meteor and "
      "uncompressed learn log lifts; all other embeddings have the paper’s loss. Candidates are scored as in the "
      "paper; "
      "“MRR, pooled” is by this program’s own scoring.");
  section.body += chart_grid(retrieval_charts(results), "retrieval");
  for (const std::string& stream : streams) {
    section.body += fmt::format("<details class=\"printed\"><summary>All figures of {}</summary>\n{}</details>\n",
                                escape(stream_title(stream)), html(stream_table(results, stream)));
  }
  section.body += "<h3>Beside the paper</h3>\n";
  section.body += paragraph(
      "These are not the paper’s data: compare the order of the methods and their distance from full, not one MRR with "
      "another. Bytes are in per cent of full’s, since the paper counts eight bytes a number and we store four. "
      "“paper” and “paper C=0.5 %” are its METEOR; “meteor” is this program’s own scheme, which the paper does not "
      "have.");
  section.body += paragraph(fmt::format(
      "The paper learns each window in 50 epochs and 300 dimensions; these runs had learning.epochs = {} and "
      "learning.dimension = {}.",
      learning_values(results, "epochs"), learning_values(results, "dimension")));
  for (const PaperTable& printed : kPaperTables) section.body += compared_with_paper(results, printed, streams);
  section.body += dataset_differences(streams);
  return section;
}

}  // namespace meteor
