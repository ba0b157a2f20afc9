#include "experiments/missing.h"

#include <gmock/gmock.h>

#include "experiments/sections.h"
#include "fixtures/experiment_results.h"

namespace meteor {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

RunResult run_of(const std::string& stream, const std::string& variant, std::uint64_t seed) {
  return {stream, variant, seed, run_json(stream, variant, seed, 0.5, 100000)};
}

TEST(MissingRuns, AreThoseOfTheSeedsThatWereUsed) {
  const Experiment& ablation = experiment_named("ablation");
  Results results;
  for (std::uint64_t seed : {1, 2}) {
    for (const Variant& variant : ablation.variants) {
      if (variant.name != "meteor_dense" || seed == 1) results.runs.push_back(run_of("s", variant.name, seed));
    }
  }
  const auto missing = missing_runs(results, ablation);
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_EQ(missing[0].variant, "meteor_dense");
  EXPECT_THAT(missing[0].seeds, ElementsAre(2));
  EXPECT_THAT(describe_missing(missing), ElementsAre("s: meteor_dense (seed 2)"));
}

TEST(MissingRuns, OfTheSameSeedsAreToldTogether) {
  EXPECT_THAT(describe_missing({{"a", "x", {1}}, {"a", "y", {1}}, {"a", "z", {1, 2}}, {"b", "x", {2}}}),
              ElementsAre("a: x, y (seed 1), z (seeds 1, 2)", "b: x (seed 2)"));
}

TEST(MissingRuns, AnExperimentBeginsWithAVariantOfItsOwn) {
  Results results;
  results.runs = {run_of("s", "full", 1), run_of("s", "paper", 1)};
  EXPECT_THAT(begun_on(results, experiment_named("ablation")), IsEmpty());
  EXPECT_THAT(missing_runs(results, experiment_named("ablation")), IsEmpty());
  results.runs.push_back(run_of("s", "meteor_uniform", 1));
  EXPECT_THAT(begun_on(results, experiment_named("ablation")), ElementsAre("s"));
}

TEST(MissingRuns, RunsThatNobodyAskedForAreNamed) {
  Results results;
  results.runs = {run_of("s", "full", 1), run_of("s", "my own idea", 1)};
  EXPECT_THAT(foreign_variants(results), ElementsAre("my own idea"));
}

}  // namespace
}  // namespace meteor
