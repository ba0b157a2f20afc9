#include "experiments/results_page.h"

#include <fmt/format.h>

#include "experiments/known_streams.h"
#include "experiments/sections.h"
#include "report/chart.h"
#include "report/page.h"
#include "support/error.h"

namespace meteor {

std::string report_page(const Results& results) {
  const Section sections[] = {summary_section(results),  retrieval_section(results),   explicit_section(results),
                              ablation_section(results), sensitivity_section(results), parallel_section(results),
                              presence_section(results), drift_section(results),       sizes_section(results),
                              methods_section(results)};
  std::string notice;
  if (!results.unreadable.empty()) {
    notice =
        fmt::format("<p class=\"warning\">{} of the results cannot be used: <a href=\"#unreadable\">which</a>.</p>\n",
                    results.unreadable.size() == 1 ? "A file" : fmt::format("{} files", results.unreadable.size()));
  }
  return page({"METEOR, measured",
               "The experiments of the METEOR paper, run again by this program, beside what the paper prints.", notice},
              sections);
}

std::string report_picture(const Results& results) {
  const std::vector<Chart> charts = retrieval_charts(results);
  if (charts.empty()) throw InputError("no run of the retrieval experiment is there to draw");
  return picture(charts, 3, "Bytes against MRR of all methods, a chart for each stream");
}

}  // namespace meteor
