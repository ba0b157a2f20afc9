#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "experiments/known_streams.h"
#include "experiments/missing.h"
#include "experiments/sections.h"
#include "support/version.h"
#include "systems/systems.h"

namespace meteor {
namespace {

using nlohmann::ordered_json;

std::string list_of(const std::vector<std::string>& lines) {
  std::string items;
  for (const std::string& line : lines) items += fmt::format("<li>{}</li>", escape(line));
  return fmt::format("<ul class=\"plain\">{}</ul>\n", items);
}

/// A text without its quotes, anything else as JSON.
std::string shown(const ordered_json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

/// The different values of a figure of the runs, with how many runs have each.
std::string values_of(const Results& results, const char* key) {
  std::map<std::string, std::size_t> counts;
  for (const RunResult& run : results.runs) {
    const auto found = run.object.find(key);
    ++counts[found != run.object.end() ? shown(*found) : "not recorded"];
  }
  if (counts.size() == 1) return counts.begin()->first;
  std::vector<std::string> texts;
  texts.reserve(counts.size());
  for (const auto& [value, count] : counts) texts.push_back(fmt::format("{} ({} runs)", value, count));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// "learning.epochs" and its values; attributes by their name.
using SettingValues = std::map<std::string, std::set<std::string>>;

void collect(const ordered_json& value, const std::string& key, SettingValues& values) {
  if (value.is_object()) {
    for (const auto& [name, member] : value.items())
      collect(member, key.empty() ? name : fmt::format("{}.{}", key, name), values);
  } else if (value.is_array()) {
    for (const ordered_json& element : value) {
      const bool named = element.is_object() && element.contains("name");
      collect(element, named ? fmt::format("{}.{}", key, shown(element["name"])) : key, values);
    }
  } else if (key.ends_with(".categories")) {
    values[key].insert(std::filesystem::path(shown(value)).filename().string());  // where it lay is of no interest
  } else {
    values[key].insert(shown(value));
  }
}

Table settings_table(const Results& results) {
  SettingValues values;
  for (const RunResult& run : results.runs) collect(run.object["settings"], "", values);
  Table table{"Settings in effect: every value that a run had", {{"setting"}, {"values"}}, {}};
  for (const auto& [key, set] : values) {
    table.rows.push_back({{.text = key}, {.text = fmt::format("{}", fmt::join(set, " · ")), .css_class = "words"}});
  }
  return table;
}

Table run_table(const Results& results) {
  Table table{
      "Every run", {{"stream"}, {"method"}, {"seed"}, {"MRR"}, {"model_bytes"}, {"records/s"}, {"model_sha256"}}, {}};
  const auto value_cell = [](const RunResult& run, const char* key) {
    const auto value = measure(run, key);
    if (!value) return missing_cell();
    return Cell{
        .text = std::string_view(key) == "mrr" ? fmt::format("{:.4f}", *value) : count_text(*value),
        .value = *value,
        .data = {{"stream", run.stream}, {"variant", run.variant}, {"seed", std::to_string(run.seed)}, {"key", key}}};
  };
  for (const std::string& stream : results.streams()) {
    for (const RunResult& run : results.runs) {
      if (run.stream != stream) continue;
      const auto hash = run.object.find("model_sha256");
      table.rows.push_back({{.text = stream_title(run.stream)},
                            {.text = run.variant},
                            {.text = std::to_string(run.seed), .value = static_cast<double>(run.seed)},
                            value_cell(run, "mrr"),
                            value_cell(run, "model_bytes"),
                            value_cell(run, "records_per_second"),
                            {.text = hash != run.object.end() ? shown(*hash).substr(0, 12) : "–"}});
    }
  }
  return table;
}

std::string details(std::string_view summary, const std::string& body) {
  return fmt::format("<details><summary>{}</summary>\n{}</details>\n", escape(summary), body);
}

std::string missing_list(const Results& results) {
  std::vector<std::string> lines;
  for (const Experiment& experiment : experiments()) {
    if (experiment.variants.empty()) continue;
    const std::vector<std::string> begun = begun_on(results, experiment);
    for (const std::string& line : describe_missing(missing_runs(results, experiment))) {
      lines.push_back(fmt::format("{}, {}", experiment.name, line));
    }
    std::vector<std::string> absent;
    for (const std::string& stream : results.streams()) {
      if (std::find(begun.begin(), begun.end(), stream) == begun.end()) absent.push_back(stream_title(stream));
    }
    if (!absent.empty()) lines.push_back(fmt::format("{}, not run on: {}", experiment.name, fmt::join(absent, ", ")));
  }
  for (const auto& [name, count] :
       {std::pair("presence", results.presence.size()), std::pair("drift", results.drift.size()),
        std::pair("sizes", results.sizes.size())}) {
    if (count == 0) lines.push_back(fmt::format("{}, all of it", name));
  }
  return lines.empty() ? paragraph("None.") : list_of(lines);
}

}  // namespace

Section methods_section(const Results& results) {
  Section section{"methods", "Methods and what is missing", ""};
  section.body += paragraph(
      "Each stream is cut into windows of time. Its first part pretrains; from the rest some windows are drawn, and "
      "each is "
      "tested before it is learnt: every unit of a target attribute is looked for among others, given the rest of its "
      "record. "
      "MRR is the mean of one over its rank, Recall@k the share of ranks up to k; “rare” are units seen in fewer than "
      "ten records "
      "before. All methods see the same windows, queries and candidates. ± is the standard deviation over seeds (n − "
      "1), and "
      "figures without it come from one seed.");
  section.body += paragraph(
      "Bytes are what is stored, with the optimiser’s state, and for decay and info the records that they keep; full’s "
      "are four bytes a number in the configured dimension. records/s covers reading, reconstruction, learning and "
      "compression "
      "while the machine may have had other work.");
  Table origin{"Where the figures come from", {{"what"}, {"value"}}, {}};
  for (const auto& [title, key] :
       {std::pair("version of the runs", "version"), std::pair("instruction set", "instruction_set"),
        std::pair("cores", "cores"), std::pair("query windows", "query_windows")}) {
    origin.rows.push_back({{.text = title}, {.text = values_of(results, key), .css_class = "words"}});
  }
  origin.rows.push_back({{.text = "version of this page"}, {.text = std::string(program_version())}});
  if (!results.runs.empty()) {
    section.body += html(origin);
    section.body += details("Methods", fmt::format("<pre>{}</pre>\n", escape(describe_systems())));
    section.body += details("Settings", html(settings_table(results)));
    section.body += details("Every run", html(run_table(results)));
  }
  section.body += "<h3 id=\"missing\">Missing runs</h3>\n" + missing_list(results);
  const std::vector<std::string> foreign = foreign_variants(results);
  if (!foreign.empty()) {
    section.body += paragraph(
        fmt::format("Runs that no experiment asks for, shown under “Every run” only: {}.", fmt::join(foreign, ", ")),
        "gap");
  }
  if (!results.unreadable.empty()) {
    std::vector<std::string> lines;
    for (const UnreadableFile& file : results.unreadable)
      lines.push_back(fmt::format("{}: {}", file.path, file.reason));
    section.body += "<h3 id=\"unreadable\">Files that cannot be used</h3>\n" + list_of(lines);
  }
  return section;
}

}  // namespace meteor
