#include "experiments/plan.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "config/load_settings.h"
#include "systems/systems.h"

namespace meteor {
namespace {

std::vector<Variant> all_variants() {
  std::vector<Variant> all;
  for (const Experiment& experiment : experiments()) {
    all.insert(all.end(), experiment.variants.begin(), experiment.variants.end());
  }
  return all;
}

const Experiment& experiment_named(std::string_view name) {
  for (const Experiment& experiment : experiments()) {
    if (experiment.name == name) return experiment;
  }
  throw std::out_of_range(std::string(name));
}

TEST(Plan, HasTheExperimentsOfThePaper) {
  std::vector<std::string> names;
  for (const Experiment& experiment : experiments()) names.push_back(experiment.name);
  EXPECT_EQ(names, (std::vector<std::string>{"retrieval", "explicit", "ablation", "sensitivity", "parallel", "presence",
                                             "drift", "sizes"}));
}

TEST(Plan, AVariantOfOneNameIsTheSameRunInEveryExperiment) {
  std::map<std::string, Variant> by_name;
  for (const Variant& variant : all_variants()) {
    const auto [known, is_new] = by_name.emplace(variant.name, variant);
    if (is_new) continue;
    EXPECT_EQ(known->second.method, variant.method) << variant.name;
    EXPECT_EQ(known->second.overrides, variant.overrides) << variant.name;
    EXPECT_EQ(known->second.categories, variant.categories) << variant.name;
    EXPECT_EQ(known->second.ranks, variant.ranks) << variant.name;
  }
  EXPECT_LT(by_name.size(), all_variants().size()) << "experiments share variants";
}

TEST(Plan, VariantsOfDifferentNamesAreDifferentRuns) {
  std::map<std::tuple<std::string, std::vector<std::string>, bool, std::uint32_t>, std::string> name_of;
  for (const Variant& variant : all_variants()) {
    const auto run = std::tuple(variant.method, variant.overrides, variant.categories, variant.ranks);
    EXPECT_EQ(name_of.emplace(run, variant.name).first->second, variant.name);
  }
}

TEST(Plan, NamesInsideAnExperimentAndFilesOfAllVariantsDiffer) {
  std::map<std::string, std::string> name_of_file;
  for (const Experiment& experiment : experiments()) {
    std::set<std::string> names;
    for (const Variant& variant : experiment.variants) {
      EXPECT_TRUE(names.insert(variant.name).second) << experiment.name << ": " << variant.name;
      const std::string file = result_file_name(variant.name, 1);
      EXPECT_EQ(name_of_file.emplace(file, variant.name).first->second, variant.name);
      EXPECT_EQ(file.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_=.-"),
                std::string::npos);
    }
  }
  EXPECT_EQ(result_file_name("paper K=5 %", 12), "paper_K=5__.seed12.json");
  EXPECT_NE(result_file_name("full", 1), result_file_name("full", 11));
}

TEST(Plan, EveryVariantHasAMethodAndSettingsThatExist) {
  for (const Variant& variant : all_variants()) {
    const Settings configured = load_settings(METEOR_CONFIGS "/shopping.toml", variant.overrides);
    EXPECT_NO_THROW(system_of(variant.method, configured)) << variant.name;
    EXPECT_GT(configured.parallel.shards, 0u) << variant.name << ": results must not depend on the machine";
    EXPECT_TRUE(variant.ranks == 0 || variant.ranks == configured.parallel.shards) << variant.name;
  }
}

TEST(Plan, SensitivityVariesOneOfThePapersNumbersAtATime) {
  std::set<double> clusters;
  std::set<double> basis_vectors;
  for (const Variant& variant : experiment_named("sensitivity").variants) {
    const Settings configured = load_settings(METEOR_CONFIGS "/compact.toml", variant.overrides);
    CompressionSettings made = system_of(variant.method, configured).settings.compression;
    if (made.basis_fraction == 0.1) clusters.insert(made.cluster_fraction);
    if (made.cluster_fraction == 0.01) basis_vectors.insert(made.basis_fraction);
    const CompressionSettings paper = system_of("paper", configured).settings.compression;
    EXPECT_EQ(made.scheme, paper.scheme);
    EXPECT_EQ(made.lambda, paper.lambda);
    EXPECT_EQ(made.precision, paper.precision);
    EXPECT_EQ(made.allocation, paper.allocation);
  }
  EXPECT_EQ(clusters, (std::set<double>{0.005, 0.01, 0.015, 0.02, 0.025}));
  EXPECT_EQ(basis_vectors, (std::set<double>{0.05, 0.1, 0.15, 0.2, 0.25}));
}

}  // namespace
}  // namespace meteor
