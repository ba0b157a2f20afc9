#include "systems/systems.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error.h"

namespace meteor {
namespace {

using ::testing::HasSubstr;

std::string refusal(const std::string& name) {
  try {
    system_of(name, {});
  } catch (const UsageError& error) {
    return error.what();
  }
  return "none";
}

TEST(Systems, ThatAreCompressedDifferInTheirScheme) {
  const Settings configured;
  EXPECT_EQ(system_of("meteor", configured).settings.compression.scheme, CompressionScheme::spectral);
  EXPECT_EQ(system_of("full", configured).settings.compression.scheme, CompressionScheme::none);
  const System quantised = system_of("quantization:4", configured);
  EXPECT_EQ(quantised.settings.compression.scheme, CompressionScheme::quantised);
  EXPECT_EQ(quantised.settings.compression.bits, 4u);
  const System hashed = system_of("hash_trick:30", configured);
  EXPECT_EQ(hashed.settings.compression.scheme, CompressionScheme::hashed);
  EXPECT_DOUBLE_EQ(hashed.settings.compression.vector_share, 0.3);
  EXPECT_EQ(system_of("dcn:10", configured).settings.compression.scheme, CompressionScheme::centroids);
  const System reduced = system_of("dim_reduct:50", configured);
  EXPECT_EQ(reduced.settings.compression.scheme, CompressionScheme::none);
  EXPECT_EQ(reduced.settings.learning.dimension, 50u);
}

TEST(Systems, OfThePaperHaveItsParametersWhateverIsConfigured) {
  Settings configured;
  configured.compression.precision = Precision::int8;
  configured.compression.lambda = 5;
  const auto of = [&](const char* name) { return system_of(name, configured).settings.compression; };
  EXPECT_EQ(of("paper").scheme, CompressionScheme::clusters);
  EXPECT_EQ(of("paper").precision, Precision::float32);
  EXPECT_EQ(of("paper").lambda, 0.001);
  EXPECT_EQ(of("meteor_dense").lambda, 0);
  EXPECT_EQ(of("meteor_dense").allocation, BasisSharing::weighted);
  EXPECT_EQ(of("meteor_uniform").allocation, BasisSharing::uniform);
  EXPECT_EQ(of("meteor_uniform").lambda, 0.001);
}

TEST(Systems, ThatLearnOtherwiseDoSoByPlainSgd) {
  for (const char* name : {"cons", "decay", "info"}) {
    const Settings settings = system_of(name, {}).settings;
    EXPECT_EQ(settings.compression.scheme, CompressionScheme::none) << name;
    EXPECT_EQ(settings.learning.optimiser, Optimiser::sgd) << name;
    EXPECT_EQ(settings.learning.tau, 0) << name;
  }
  EXPECT_GT(system_of("cons", {}).settings.learning.hold, 0);
  Settings configured;
  configured.learning.hold = 7;
  configured.learning.sgd_rate = 0.01;
  EXPECT_EQ(system_of("cons", configured).settings.learning.hold, 7);
  EXPECT_EQ(system_of("cons", configured).settings.learning.sgd_rate, 0.01);
  EXPECT_EQ(system_of("decay", {}).settings.learning.replay, ReplayKind::decay);
  EXPECT_EQ(system_of("info", {}).settings.learning.replay, ReplayKind::info);
}

TEST(Systems, ThatCountDoNotLearn) {
  EXPECT_EQ(system_of("popularity", {}).counts_by->kind, CountedBy::Kind::popularity);
  EXPECT_EQ(system_of("lift", {}).counts_by->kind, CountedBy::Kind::lift);
  EXPECT_EQ(system_of("lift", {}).counts_by->kappa, 0);
  EXPECT_EQ(system_of("lift:0.1", {}).counts_by->kappa, 0.1);
  EXPECT_EQ(system_of("bayes", {}).counts_by->kind, CountedBy::Kind::bayes);
  EXPECT_EQ(system_of("lift", {}).loss(), "none");
  EXPECT_FALSE(system_of("full", {}).counts_by);
}

TEST(Systems, OfThePaperKeepItsLoss) {
  for (const char* name : {"full", "paper", "meteor_uniform", "meteor_dense", "cons", "decay", "info", "dim_reduct:50",
                           "quantization:4", "hash_trick:10", "dcn:10"}) {
    const System system = system_of(name, {});
    EXPECT_EQ(system.loss(), "paper") << name;
    EXPECT_EQ(system.settings.learning.fade, 1) << name;
    EXPECT_EQ(system.settings.learning.axes, Axes::fixed) << name;
  }
  for (const char* name : {"meteor", "uncompressed"}) {
    const System system = system_of(name, {});
    EXPECT_EQ(system.loss(), "log lift") << name;
    EXPECT_EQ(system.settings.learning.axes, Axes::principal) << name;
  }
  EXPECT_EQ(system_of("uncompressed", {}).settings.compression.scheme, CompressionScheme::none);
  Settings shifted;
  shifted.learning.shift = 1;
  EXPECT_EQ(system_of("meteor", shifted).loss(), "other");
}

TEST(Systems, OfWrongNamesAndNumbersAreRefused) {
  EXPECT_EQ(refusal("ful"), "there is no method ful (did you mean full?); meteor evaluate --help lists them");
  EXPECT_EQ(refusal("full:3"), "method full takes no number: write full");
  const std::string sentence = "method quantization needs a whole number from 1 to 16, as in quantization:4";
  for (const char* number : {"", ":", ":0", ":17", ":4x", ":-4", ":four", ":99999999999"}) {
    EXPECT_EQ(refusal(std::string("quantization") + number), sentence) << number;
  }
  EXPECT_THAT(refusal("hash_trick:101"), HasSubstr("from 1 to 100, as in hash_trick:10"));
  EXPECT_EQ(refusal("quantization:4.5"), sentence);
  EXPECT_EQ(refusal("lift:-1"), "method lift needs a number from 0 to 1000000, as in lift:0.1");
  EXPECT_THAT(refusal("lift:nan"), HasSubstr("needs a number"));
  EXPECT_THAT(refusal("lift:"), HasSubstr("needs a number"));
  EXPECT_THAT(refusal("dim_reduct:0"), HasSubstr("as in dim_reduct:50"));
}

TEST(Systems, AreAllDescribed) {
  for (const char* name :
       {"meteor", "full", "paper", "info", "decay", "cons", "dim_reduct:50", "quantization:4", "hash_trick:10",
        "dcn:10", "meteor_uniform", "meteor_dense", "popularity", "lift:0.1", "bayes", "uncompressed"}) {
    EXPECT_THAT(describe_systems(), HasSubstr(std::string("  ") + name + " "));
    EXPECT_EQ(refusal(name), "none");
  }
}

}  // namespace
}  // namespace meteor
