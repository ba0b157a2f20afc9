#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/plan.h"
#include "experiments/results.h"

namespace meteor {

/// A run that its experiment wants and that is not in the results.
struct MissingRun {
  std::string stream;
  std::string variant;
  std::vector<std::uint64_t> seeds;
};

/// The streams on which an experiment has begun: those with a run of a variant that no other experiment has. (An
/// experiment that shares all of its variants has begun with any of them.)
std::vector<std::string> begun_on(const Results& results, const Experiment& experiment);

/// On each stream where the experiment has begun, with each seed that has been used there for it.
std::vector<MissingRun> missing_runs(const Results& results, const Experiment& experiment);

/// "Ta-Feng: dcn:20, dcn:10 (seeds 2, 3), lift (seed 1)", a line a stream.
std::vector<std::string> describe_missing(const std::vector<MissingRun>& missing);

/// Variants in the results that no experiment has.
std::vector<std::string> foreign_variants(const Results& results);

}  // namespace meteor
