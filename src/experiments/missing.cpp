#include "experiments/missing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "experiments/known_streams.h"

namespace meteor {
namespace {

bool has_variant(const Experiment& experiment, const std::string& name) {
  return std::any_of(experiment.variants.begin(), experiment.variants.end(),
                     [&](const Variant& variant) { return variant.name == name; });
}

/// Names of the variants by which an experiment is known to have begun.
std::vector<std::string> own_variants(const Experiment& experiment) {
  std::vector<std::string> own;
  std::vector<std::string> all;
  for (const Variant& variant : experiment.variants) {
    all.push_back(variant.name);
    const bool shared = std::any_of(experiments().begin(), experiments().end(), [&](const Experiment& other) {
      return other.name != experiment.name && has_variant(other, variant.name);
    });
    if (!shared) own.push_back(variant.name);
  }
  return own.empty() ? all : own;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::set<std::uint64_t> seeds_of(const Results& results, const std::string& stream,
                                 const std::vector<std::string>& variants) {
  std::set<std::uint64_t> seeds;
  for (const RunResult& run : results.runs) {
    if (run.stream == stream && contains(variants, run.variant)) seeds.insert(run.seed);
  }
  return seeds;
}

}  // namespace

std::vector<std::string> begun_on(const Results& results, const Experiment& experiment) {
  const std::vector<std::string> own = own_variants(experiment);
  std::vector<std::string> streams;
  for (const RunResult& run : results.runs) {
    if (contains(own, run.variant)) streams.push_back(run.stream);
  }
  sort_streams(streams);
  return streams;
}

std::vector<MissingRun> missing_runs(const Results& results, const Experiment& experiment) {
  std::vector<MissingRun> missing;
  for (const std::string& stream : begun_on(results, experiment)) {
    const std::set<std::uint64_t> wanted = seeds_of(results, stream, own_variants(experiment));
    for (const Variant& variant : experiment.variants) {
      const std::set<std::uint64_t> present = seeds_of(results, stream, {variant.name});
      MissingRun run{stream, variant.name, {}};
      std::set_difference(wanted.begin(), wanted.end(), present.begin(), present.end(), std::back_inserter(run.seeds));
      if (!run.seeds.empty()) missing.push_back(std::move(run));
    }
  }
  return missing;
}

std::vector<std::string> describe_missing(const std::vector<MissingRun>& missing) {
  std::vector<std::string> lines;
  for (auto run = missing.begin(); run != missing.end(); ++run) {
    const bool begins = run == missing.begin() || std::prev(run)->stream != run->stream;
    const bool ends = std::next(run) == missing.end() || std::next(run)->stream != run->stream;
    if (begins) lines.push_back(stream_title(run->stream) + ": ");
    lines.back() += run->variant;
    if (ends || std::next(run)->seeds != run->seeds) {
      lines.back() += fmt::format(" (seed{} {})", run->seeds.size() > 1 ? "s" : "", fmt::join(run->seeds, ", "));
    }
    if (!ends) lines.back() += ", ";
  }
  return lines;
}

std::vector<std::string> foreign_variants(const Results& results) {
  std::set<std::string> foreign;
  for (const RunResult& run : results.runs) {
    const bool planned = std::any_of(experiments().begin(), experiments().end(), [&](const Experiment& experiment) {
      return has_variant(experiment, run.variant);
    });
    if (!planned) foreign.insert(run.variant);
  }
  return {foreign.begin(), foreign.end()};
}

}  // namespace meteor
