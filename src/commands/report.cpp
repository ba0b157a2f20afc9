#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "commands/command_line.h"
#include "experiments/results_page.h"
#include "support/error.h"
#include "support/file_replacement.h"
#include "support/log.h"

namespace meteor {
namespace {

constexpr const char* footer = R"(
Shows whatever the folder holds, beside the figures that the METEOR paper prints, and says which runs are missing. The
page needs no network and no other file. A file that cannot be used is named, here and on the page, and left out; only when
no result can be used is there no page (status 3).

  meteor report --results results --output report.html
  meteor report --results results --chart sizes.svg)";

struct ReportOptions {
  std::filesystem::path results;
  std::string output;
  std::string chart;
};

void write_whole(FileReplacement& file, const std::string& content) {
  file.stream() << content;
  file.commit();
}

void report(const ReportOptions& options) {
  if (options.output.empty() && options.chart.empty()) throw UsageError("give --output, --chart, or both");
  std::optional<FileReplacement> chart;
  if (!options.chart.empty()) chart.emplace(options.chart);
  std::optional<FileReplacement> page;
  if (!options.output.empty()) page.emplace(options.output);
  const Results results = read_results(options.results);
  for (const UnreadableFile& file : results.unreadable) {
    log_warning("{} is left out: {}", (options.results / file.path).string(), file.reason);
  }
  if (chart) write_whole(*chart, report_picture(results));
  if (page) write_whole(*page, report_page(results));
}

}  // namespace

void add_report_command(CLI::App& program, Ranks& /*ranks*/) {
  CLI::App* command =
      program.add_subcommand("report", "Show results of experiments on one page, with tables and charts");
  command->footer(footer);
  auto options = std::make_shared<ReportOptions>();
  command->add_option("--results", options->results, "The folder that meteor experiment filled")
      ->required()
      ->type_name("DIR");
  command->add_option("--output", options->output, "The page to write")->type_name("FILE.html");
  command->add_option("--chart", options->chart, "Bytes against quality as a picture of its own")
      ->type_name("FILE.svg");
  command->callback([options] { report(*options); });
}

}  // namespace meteor
