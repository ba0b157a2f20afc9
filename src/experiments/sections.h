#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/plan.h"
#include "experiments/results.h"
#include "report/chart.h"
#include "report/markup.h"
#include "report/page.h"

namespace meteor {

// What each experiment gave. What is missing is said; a section is there whatever the results hold.
Section summary_section(const Results& results);
Section retrieval_section(const Results& results);
Section explicit_section(const Results& results);
Section ablation_section(const Results& results);
Section sensitivity_section(const Results& results);
Section parallel_section(const Results& results);
Section presence_section(const Results& results);
Section drift_section(const Results& results);
Section sizes_section(const Results& results);
Section methods_section(const Results& results);

/// Bytes against quality, a chart for each stream that has runs of the retrieval experiment.
std::vector<Chart> retrieval_charts(const Results& results);

// What sections share.

const Experiment& experiment_named(std::string_view name);
/// The section of the experiment of that name; it begins with its title and with what is missing of it.
Section begin_section(const Results& results, std::string_view name, std::string_view title);
/// Charts side by side, under a legend where there is more than one series.
std::string chart_grid(const std::vector<Chart>& charts, const std::string& id);
/// A figure of a variant, with where it comes from.
Cell result_cell(const Results& results, std::string_view stream, std::string_view variant, std::string_view key);
/// A figure that the paper prints.
Cell paper_cell(double value, std::string text, std::string_view place);
/// How the number-th stream or attribute is drawn where each is a line.
std::size_t line_style(std::size_t number);
/// Counts of units and pairs, which are no embeddings.
bool is_counting(std::string_view variant);
/// Averages neighbours until at most `most` points are left.
std::vector<ChartPoint> thinned(const std::vector<ChartPoint>& points, std::size_t most);

}  // namespace meteor
