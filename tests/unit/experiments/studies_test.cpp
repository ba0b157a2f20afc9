#include "experiments/studies.h"

#include <gtest/gtest.h>

#include <fstream>

#include "fixtures/shopping_attributes.h"
#include "fixtures/temporary_folder.h"
#include "stream/generator.h"

namespace meteor {
namespace {

Settings shopping_settings() {
  Settings settings;
  settings.attributes = shopping_attributes();
  settings.learning.dimension = 16;
  settings.learning.epochs = 1;
  return settings;
}

/// A generated stream of a month.
std::string generated(const TemporaryFolder& folder) {
  const std::string path = folder.file("s.csv");
  std::ofstream file(path);
  StreamGenerator generator({.kind = GeneratorKind::shopping, .records = 1000, .seed = 2, .days = 30});
  write_csv(generator, file);
  return path;
}

TEST(Studies, PresenceIsTheShareOfTheUnitsSeenSoFar) {
  const TemporaryFolder folder;
  Settings settings = shopping_settings();
  settings.evaluation.pretrain = WindowCount{1};
  settings.model.expire = Duration{86400};
  const auto path = folder.write("s.csv", "timestamp,user,items\n0,u1,a b\n1,u2,a\n86400,u1,c\n172800,u3,a b c d\n");
  const auto result = study_presence(path.string(), settings);
  EXPECT_EQ(result["attributes"][0]["name"], "user");
  EXPECT_EQ(result["attributes"][0]["units"], 3);
  EXPECT_EQ(result["attributes"][0]["windows"], (std::vector<double>{1 / 2.0, 1 / 3.0}));
  EXPECT_EQ(result["attributes"][1]["units"], 4);
  EXPECT_EQ(result["attributes"][1]["windows"], (std::vector<double>{1 / 3.0, 4 / 4.0}));
}

TEST(Studies, SizesAreThoseOfAllClustersAtTheEndOfPretraining) {
  const TemporaryFolder folder;
  const std::string path = generated(folder);
  Settings settings = shopping_settings();
  const auto result = study_sizes(path, settings);
  std::size_t units = 0;
  for (const auto& cluster : result["clusters"]) {
    units += cluster["units"].get<std::size_t>();
    EXPECT_GE(cluster["basis_vectors"], 1);
    EXPECT_LE(cluster["basis_vectors"], 16);
  }
  const auto presence = study_presence(path, settings);
  const std::size_t in_all =
      presence["attributes"][0]["units"].get<std::size_t>() + presence["attributes"][1]["units"].get<std::size_t>();
  EXPECT_GT(units, in_all / 2);
  EXPECT_LT(units, in_all) << "units that came later have no part in it";
}

TEST(Studies, DriftIsToldOfEveryWindowAfterPretraining) {
  const TemporaryFolder folder;
  const std::string path = generated(folder);
  Settings settings = shopping_settings();
  const auto windows = study_drift(path, settings)["windows"];
  EXPECT_EQ(windows.size(), 15u);
  double changed = 0;
  std::size_t before = 0;
  for (const auto& window : windows) {
    EXPECT_GE(window["changed"], 0);
    EXPECT_LT(window["changed"], 1);
    EXPECT_GT(window["units"], 0);
    EXPECT_GE(window["all_units"], before);
    before = window["all_units"];
    changed += window["changed"].get<double>();
  }
  EXPECT_GT(changed, 0);
}

}  // namespace
}  // namespace meteor
