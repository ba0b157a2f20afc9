#include "experiments/page.h"

#include <fmt/format.h>

#include "experiments/chart.h"
#include "experiments/known_streams.h"
#include "experiments/sections.h"
#include "support/error.h"

namespace meteor {

std::string report_page(const Results& results) {
  const Section sections[] = {summary_section(results),  retrieval_section(results),   explicit_section(results),
                              ablation_section(results), sensitivity_section(results), parallel_section(results),
                              presence_section(results), drift_section(results),       sizes_section(results),
                              methods_section(results)};
  std::string links;
  std::string bodies;
  for (const Section& section : sections) {
    links += fmt::format("<li><a href=\"#{}\">{}</a></li>", section.id, escape(section.title));
    bodies += fmt::format("<section id=\"{0}\" aria-labelledby=\"{0}-h\">\n<h2 id=\"{0}-h\">{1}</h2>\n{2}</section>\n",
                          section.id, escape(section.title), section.body);
  }
  std::string notice;
  if (!results.unreadable.empty()) {
    notice =
        fmt::format("<p class=\"warning\">{} of the results cannot be used: <a href=\"#unreadable\">which</a>.</p>\n",
                    results.unreadable.size() == 1 ? "A file" : fmt::format("{} files", results.unreadable.size()));
  }
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n"
      "<title>METEOR, measured</title>\n<style>\n{}{}</style>\n</head>\n<body>\n"
      "<header>\n<h1>METEOR, measured</h1>\n<p class=\"lead\">The experiments of the METEOR paper, run again by this "
      "program, "
      "beside what the paper prints.</p>\n<nav "
      "aria-label=\"Sections\"><ul>{}</ul></nav>\n</header>\n<main>\n{}{}</main>\n"
      "<script>\n{}</script>\n</body>\n</html>\n",
      chart_style(), page_style(), links, notice, bodies, page_script());
}

std::string report_picture(const Results& results) {
  const std::vector<Chart> charts = retrieval_charts(results);
  if (charts.empty()) throw InputError("no run of the retrieval experiment is there to draw");
  return picture(charts, 3, "Bytes against MRR of all methods, a chart for each stream");
}

}  // namespace meteor
