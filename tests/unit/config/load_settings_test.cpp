#include "config/load_settings.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>

#include "fixtures/temporary_folder.h"
#include "support/error.h"

namespace meteor {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string user_attribute = "[[attribute]]\nname = \"user\"\ncolumn = \"user\"\n";

class LoadSettings : public testing::Test {
 protected:
  Settings load(const std::string& toml, const std::vector<std::string>& overrides = {}) const {
    return load_settings(folder_.write("a.toml", toml), overrides);
  }
  /// What is wrong, without the folder of the file.
  std::string faults(const std::string& toml, const std::vector<std::string>& overrides = {}) const {
    try {
      load(toml, overrides);
    } catch (const UsageError& error) {
      std::string text = error.what();
      const std::string prefix = folder_.path().string() + "/";
      for (std::size_t at; (at = text.find(prefix)) != std::string::npos;) text.erase(at, prefix.size());
      return text;
    }
    return "";
  }
  std::string attribute_faults(const std::string& keys) const { return faults("[[attribute]]\nname = \"x\"\n" + keys); }

  TemporaryFolder folder_;
};

TEST_F(LoadSettings, WhatIsNotWrittenHasItsDefault) {
  const Settings settings = load(user_attribute + "[learning]\nepochs = 7\n");
  EXPECT_EQ(settings.learning.epochs, 7u);
  EXPECT_EQ(settings.learning.dimension, 300u);
  ASSERT_EQ(settings.attributes.size(), 1u);
  EXPECT_EQ(settings.attributes[0].column, "user");
  EXPECT_EQ(settings.attributes[0].min_count, 1u);
}

TEST_F(LoadSettings, TheShiftIsANumberOrFollowsTheNegatives) {
  EXPECT_EQ(load(user_attribute).learning.shift, std::nullopt);
  EXPECT_EQ(load(user_attribute + "[learning]\nshift = \"auto\"\n").learning.shift, std::nullopt);
  EXPECT_EQ(load(user_attribute + "[learning]\nshift = 0\n").learning.shift, 0);
  EXPECT_EQ(load(user_attribute, {"learning.shift=-1.5"}).learning.shift, -1.5);
  EXPECT_EQ(load(user_attribute, {"learning.shift=auto"}).learning.shift, std::nullopt);
  EXPECT_EQ(faults(user_attribute, {"learning.shift=much"}),
            "--set learning.shift is \"much\": use a number, or \"auto\"");
  EXPECT_EQ(faults(user_attribute, {"learning.fade=0"}),
            "--set learning.fade is 0: use a number above 0 and at most 1");
}

TEST_F(LoadSettings, AllFaultsAreReportedTogetherWithTheirLines) {
  EXPECT_EQ(
      faults(user_attribute + "[learning]\nrte = 0.1\nepochs = 0\n[compression]\nscheme = \"foo\"\n"),
      "a.toml:6: learning.epochs is 0: use a whole number from 1 to 4294967295\n"
      "a.toml:8: compression.scheme is \"foo\": use spectral or clusters or quantised or hashed or centroids or none\n"
      "a.toml:5: learning.rte is not a setting; did you mean learning.rate?");
}

TEST_F(LoadSettings, UnknownAttributeKeyIsRefusedWithTheNearestOne) {
  EXPECT_EQ(faults(user_attribute + "colunm = \"b\"\n"),
            "a.toml:4: attribute.user.colunm is not a setting; did you mean attribute.user.column?");
}

TEST_F(LoadSettings, KeyWithoutItsSectionIsRecognised) {
  EXPECT_EQ(faults("dimension = 3\n" + user_attribute),
            "a.toml:1: dimension is not a setting; did you mean learning.dimension?");
}

TEST_F(LoadSettings, NumbersOutOfRangeAreRefused) {
  for (const char* assignment : {"learning.dimension=0",
                                 "learning.dimension=65537",
                                 "learning.rate=0",
                                 "learning.rate=nan",
                                 "learning.rate=inf",
                                 "learning.rate=\"0.1\"",
                                 "learning.epochs=4294967296",
                                 "learning.epochs=1.0",
                                 "learning.negatives=-1",
                                 "learning.tau=-0.1",
                                 "learning.seed=99999999999999999999",
                                 "compression.lambda=-1",
                                 "compression.cluster_fraction=0",
                                 "compression.basis_fraction=1.1",
                                 "compression.budget=0 %",
                                 "compression.budget=101 %",
                                 "compression.budget=10",
                                 "compression.budget=-1 MiB",
                                 "model.expire=0 days",
                                 "model.expire=180",
                                 "model.expire=soon",
                                 "evaluation.candidates=0",
                                 "evaluation.query_windows=0",
                                 "evaluation.pretrain=1",
                                 "evaluation.pretrain=0",
                                 "stream.max_reject_fraction=2",
                                 "stream.window=5",
                                 "stream.window=1 parsec",
                                 "stream.time=",
                                 "stream.late=2020-01-01",
                                 "stream.late=[1]",
                                 "attribute.user.min_count=0",
                                 "attribute.user.target=1"}) {
    const std::string key(assignment, std::find(assignment, assignment + std::strlen(assignment), '='));
    EXPECT_THAT(faults(user_attribute, {assignment}), AllOf(StartsWith("--set " + key + " is "), HasSubstr(": use ")))
        << assignment;
  }
}

TEST_F(LoadSettings, EdgesOfTheRangesAreAccepted) {
  const Settings settings =
      load(user_attribute, {"learning.dimension=65536", "learning.negatives=0", "learning.tau=0", "learning.rate=1",
                            "compression.lambda=0", "compression.basis_fraction=1", "stream.max_reject_fraction=0"});
  EXPECT_EQ(settings.learning.dimension, 65536u);
  EXPECT_EQ(settings.learning.rate, 1.0);
}

TEST_F(LoadSettings, OverridesNeedNoQuotesAndReachAttributesByName) {
  const Settings settings =
      load(user_attribute + "[stream]\nwindow = \"1 day\"\n",
           {"stream.window=1 hour", "attribute.user.min_count=3", "evaluation.pretrain=20 windows",
            "attribute.user.separator=,", "compression.scheme=none", "attribute.user.column=\"who\""});
  EXPECT_EQ(std::get<Duration>(settings.stream.window).seconds, 3600);
  EXPECT_EQ(std::get<WindowCount>(settings.evaluation.pretrain).windows, 20u);
  EXPECT_EQ(settings.attributes[0].min_count, 3u);
  EXPECT_EQ(settings.attributes[0].separator, ",");
  EXPECT_EQ(settings.attributes[0].column, "who");
  EXPECT_EQ(settings.compression.scheme, CompressionScheme::none);
}

TEST_F(LoadSettings, UnitsExpireAfterATimeOrNever) {
  EXPECT_FALSE(load(user_attribute).model.expire);
  const std::string with_time = user_attribute + "[model]\nexpire = \"180 days\"\n";
  EXPECT_EQ(load(with_time).model.expire->seconds, 180 * 86400);
  EXPECT_FALSE(load(with_time, {"model.expire=never"}).model.expire);
  EXPECT_THROW(load(with_time, {"compression.scheme=hashed"}), UsageError);
}

TEST_F(LoadSettings, WrongOverridesAreReportedWithTheirKey) {
  EXPECT_EQ(faults(user_attribute, {"learning.rte=1"}),
            "--set learning.rte is not a setting; did you mean learning.rate?");
  EXPECT_EQ(faults(user_attribute, {"epochs"}), "--set epochs gives no value: write --set key=value");
  EXPECT_EQ(faults(user_attribute, {"attribute.usr.target=true"}),
            "--set attribute.usr.target names no attribute: there is user");
  EXPECT_THAT(faults(user_attribute, {"attribute.user=1"}), HasSubstr("attribute.<name>.<key>=<value>"));
  EXPECT_THAT(faults(user_attribute, {"stream.time=\xff"}), EndsWith("is not UTF-8 text"));
}

TEST_F(LoadSettings, EveryAttributeHasExactlyOneSource) {
  EXPECT_THAT(attribute_faults(""), HasSubstr("a.toml:1: attribute.x has no source"));
  EXPECT_THAT(attribute_faults("column = \"\""), HasSubstr("has no source"));
  EXPECT_THAT(attribute_faults("column = \"a\"\ntime = \"hour of day\""), HasSubstr("has several sources"));
  EXPECT_THAT(attribute_faults("latitude = \"a\""), HasSubstr("needs both latitude and longitude"));
  EXPECT_EQ(attribute_faults("latitude = \"a\"\nlongitude = \"b\"\ngrid = \"1.5 km\""), "");
  EXPECT_EQ(attribute_faults("time = \"hour of week\""), "");
}

TEST_F(LoadSettings, AttributeKeysMustFitTogether) {
  EXPECT_THAT(attribute_faults("column = \"a\"\ngrid = \"1 km\""), HasSubstr("which needs latitude"));
  EXPECT_THAT(attribute_faults("column = \"a\"\nseparator = \" \"\ntokens = \"words\""), HasSubstr("only one of them"));
  EXPECT_THAT(attribute_faults("time = \"hour of day\"\nseparator = \" \""), HasSubstr("which needs column"));
  EXPECT_THAT(attribute_faults("time = \"hour of day\"\ntokens = \"words\""), HasSubstr("which needs column"));
  EXPECT_THAT(attribute_faults("column = \"a\"\nclusters = \"explicit\""), HasSubstr("which needs categories"));
  EXPECT_THAT(attribute_faults("column = \"a\"\ncategories = \"a.toml\""), HasSubstr("needs clusters = \"explicit\""));
}

TEST_F(LoadSettings, AttributeNamesAreUniqueAndFitIntoUnitNames) {
  EXPECT_EQ(faults(user_attribute + user_attribute),
            "a.toml:4: attribute.name is \"user\" a second time: use another name");
  for (const char* name : {"", "a:b", "a=b", "a/b"}) {
    EXPECT_THAT(faults(fmt::format("[[attribute]]\nname = \"{}\"\ncolumn = \"c\"\n", name)),
                HasSubstr("use a name without"))
        << name;
  }
  EXPECT_THAT(faults("[[attribute]]\ncolumn = \"c\"\n"), HasSubstr("a.toml:1: attribute 1 has no name"));
}

TEST_F(LoadSettings, AtLeastOneAttributeIsNeeded) {
  EXPECT_THAT(faults("[learning]\nepochs = 2\n"), StartsWith("a.toml: there is no attribute"));
  EXPECT_THAT(faults("[attribute]\nname = \"user\"\n"), HasSubstr("write each as [[attribute]]"));
  EXPECT_THAT(faults("attribute = [1]\n"), HasSubstr("write each as [[attribute]]"));
}

TEST_F(LoadSettings, CategoriesAreLookedForBesideTheFile) {
  folder_.write("cats.csv", "85123A,mugs\n");
  const std::string toml = "[[attribute]]\nname = \"x\"\ncolumn = \"c\"\nclusters = \"explicit\"\ncategories = ";
  EXPECT_EQ(load(toml + "\"cats.csv\"").attributes[0].categories, folder_.path() / "cats.csv");
  EXPECT_EQ(faults(toml + "\"dogs.csv\""), "a.toml:5: attribute.x.categories is \"dogs.csv\", which does not exist");
}

TEST_F(LoadSettings, UnreadableFileIsAUsageError) {
  EXPECT_THROW(load_settings(folder_.path() / "absent.toml"), UsageError);
  EXPECT_THROW(load_settings(folder_.path()), UsageError);
  EXPECT_THAT(faults("[learning]\nrate = = 1\n"), StartsWith("a.toml:2:8: "));
  EXPECT_THAT(faults("[learning]\nrate = 1\nrate = 2\n"), StartsWith("a.toml:3:"));
}

TEST_F(LoadSettings, SettingsSurviveJsonAndToml) {
  const std::vector<std::string> overrides = {"stream.window=500 records",         "evaluation.pretrain=30 days",
                                              "attribute.place.grid=1.5 km",       "attribute.words.min_count=4",
                                              "learning.seed=9223372036854775807", "learning.rate=0.1",
                                              "compression.budget=64 MiB"};
  const Settings settings = load_settings(METEOR_CONFIGS "/geo.toml", overrides);
  const auto json = settings_json(settings);
  EXPECT_EQ(json["stream"]["window"], "500 records");
  EXPECT_EQ(json["compression"]["budget"], "64 MiB");
  EXPECT_EQ(json["attribute"][1]["grid"], "1500 m");
  EXPECT_FALSE(json["attribute"][0].contains("grid"));
  EXPECT_EQ(settings_json(settings_from_json(nlohmann::json::parse(json.dump()), "model.h5")), json);
  EXPECT_EQ(settings_json(load(settings_toml(settings))), json);
}

TEST_F(LoadSettings, DamagedSettingsOfAModelAreAStorageErrorThatNamesIt) {
  nlohmann::json object = settings_json(load(user_attribute));
  object["learning"]["rate"] = "fast";
  try {
    settings_from_json(object, "model.h5");
    FAIL();
  } catch (const StorageError& error) {
    EXPECT_STREQ(error.what(), "model.h5: learning.rate is \"fast\": use a number above 0");
  }
  for (const char* text : {"3", "[]", "{}", R"({"attribute": 3})", R"({"attribute": [1]})"}) {
    EXPECT_THROW(settings_from_json(nlohmann::json::parse(text), "model.h5"), StorageError) << text;
  }
}

TEST_F(LoadSettings, SettingsOfAModelWithSeveralFaultsAreRefusedInOneSentence) {
  nlohmann::json object = settings_json(load(user_attribute));
  object["learning"]["rate"] = "fast";
  object["learning"]["epochs"] = -1;
  object["learning"]["dimension"] = {};
  try {
    settings_from_json(object, "model.h5");
    FAIL();
  } catch (const StorageError& error) {
    EXPECT_THAT(error.what(),
                AllOf(StartsWith("model.h5: learning."), EndsWith("; and 2 more faults"), Not(HasSubstr("\n"))));
  }
}

TEST_F(LoadSettings, TheNameOfAnAttributeStaysOnItsLine) {
  for (const char* name : {"a\nmeteor: all is well", "\x1b[2J", "\xc2\x9b"}) {
    nlohmann::json object = settings_json(load(user_attribute));
    object["attribute"][0]["name"] = name;
    EXPECT_THROW(settings_from_json(object, "model.h5"), StorageError) << name;
  }
}

TEST_F(LoadSettings, WorkIsSharedAsTheParallelSettingsSay) {
  const ParallelSettings parallel =
      load(user_attribute + "[parallel]\nshards = 8\nthreads = 4\nwire = \"bfloat16\"\nroot_trains = false\n",
           {"parallel.staleness=1"})
          .parallel;
  EXPECT_EQ(parallel.shards, 8u);
  EXPECT_EQ(parallel.threads, 4u);
  EXPECT_EQ(parallel.wire, WireFormat::bfloat16);
  EXPECT_FALSE(parallel.root_trains);
  EXPECT_EQ(parallel.staleness, 1u);
  EXPECT_EQ(parallel.rounds, 1u);
  EXPECT_EQ(faults(user_attribute + "[parallel]\nthreads = 0\nstaleness = 2\nmerge_exponent = 1.5\npatience = 0\n"),
            "a.toml:5: parallel.threads is 0: use a whole number from 1 to 1024\n"
            "a.toml:7: parallel.merge_exponent is 1.5: use a number from 0 to 1\n"
            "a.toml:6: parallel.staleness is 2: use 0 or 1\n"
            "a.toml:8: parallel.patience is 0: use a number of seconds above 0");
}

TEST(Configs, EveryShippedFileLoads) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(METEOR_CONFIGS)) {
    if (entry.path().extension() != ".toml") continue;
    ++files;
    const Settings settings = load_settings(entry.path());
    const auto& attributes = settings.attributes;
    EXPECT_EQ(std::count_if(attributes.begin(), attributes.end(), [](const auto& one) { return one.target; }), 1)
        << entry.path();
  }
  EXPECT_GE(files, 4);
}

TEST(Configs, PaperHasThePapersParameters) {
  const Settings settings = load_settings(METEOR_CONFIGS "/paper.toml");
  EXPECT_EQ(settings.learning.dimension, 300u);
  EXPECT_EQ(settings.learning.epochs, 50u);
  EXPECT_EQ(settings.learning.tau, 0.1);
  EXPECT_EQ(settings.compression.lambda, 0.001);
  EXPECT_EQ(settings.compression.allocation, BasisSharing::weighted);
}

}  // namespace
}  // namespace meteor
