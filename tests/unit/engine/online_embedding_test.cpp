#include "engine/online_embedding.h"

#include <gtest/gtest.h>

#include <bit>
#include <fstream>

#include "compression/principal_axes.h"
#include "fixtures/run_from_start.h"
#include "fixtures/shopping_attributes.h"
#include "fixtures/temporary_folder.h"
#include "model/accumulators.h"
#include "model/unit_blocks.h"
#include "stream/generator.h"

namespace meteor {
namespace {

/// How much the coordinates of all units go together, in per cent of what the first one varies.
double correlation(const Model& model) {
  AlignedRows rows(model.units(), model.dimension);
  model.embeddings->decode(first_units(model.units()), rows);
  std::vector<float> weights;
  for (const std::uint32_t count : model.counts) weights.push_back(static_cast<float>(weight_of(count)));
  RowMatrix moments = weighed_moments(rows, weights);
  const float first = moments(0, 0);
  moments.diagonal().setZero();
  return 100 * moments.cwiseAbs().maxCoeff() / first;
}

TEST(OnlineEmbedding, WhileNothingIsCompressedPrincipalAxesAreTurnedToAsWindowsDouble) {
  const TemporaryFolder folder;
  StreamInput input;
  input.path = (folder.path() / "stream.csv").string();
  {
    std::ofstream file(input.path);
    StreamGenerator generator({.kind = GeneratorKind::shopping, .records = 1200, .seed = 5, .days = 30});
    write_csv(generator, file);
  }
  Settings settings;
  settings.attributes = shopping_attributes();
  settings.learning.dimension = 16;
  settings.learning.epochs = 3;
  settings.compression.budget = Percent{100};
  const auto correlations = [&](CompressionScheme scheme, Axes axes, std::uint32_t staleness) {
    settings.compression.scheme = scheme;
    settings.learning.axes = axes;
    settings.parallel.staleness = staleness;
    Vocabulary vocabulary({1, 1});
    const auto crew = local_crew(settings);
    OnlineEmbedding embedding(settings, *crew);
    std::vector<double> after;  // each window that is in the model
    RunHooks hooks;
    hooks.after_learning = [&](const WindowReport&, const RunTotals&) {
      if (embedding.model().windows > 0) after.push_back(correlation(embedding.model()));
    };
    run_from_start(input, settings, {100, {}}, vocabulary, embedding, hooks);
    return after;
  };
  for (const std::uint32_t staleness : {0, 1}) {
    const std::vector<double> fixed = correlations(CompressionScheme::none, Axes::fixed, staleness);
    for (const CompressionScheme scheme : {CompressionScheme::spectral, CompressionScheme::none}) {
      const std::vector<double> principal = correlations(scheme, Axes::principal, staleness);
      ASSERT_GT(principal.size(), 8u);
      for (std::size_t i = 0; i < principal.size(); ++i) {
        EXPECT_EQ(principal[i] < 0.01, std::has_single_bit(i + 1)) << "after " << i + 1 << " windows";
        EXPECT_GT(fixed[i], 1);
      }
    }
  }
}

TEST(OnlineEmbedding, AccumulatorsFadeInEachWindowThatHoldsTheUnit) {
  const TemporaryFolder folder;
  StreamInput input;
  input.path = folder.write("stream.csv", "timestamp,user,items\n0,a,x y\n86400,b,x z\n172800,b,x z\n").string();
  Settings settings;
  settings.attributes = shopping_attributes();
  settings.learning.dimension = 16;
  settings.learning.epochs = 1;
  settings.learning.rate = 1e-12;  // so that gradients are those of the start, whatever the accumulators
  settings.compression.scheme = CompressionScheme::none;
  settings.learning.axes = Axes::fixed;
  const auto accumulators = [&](double fade) {  // of a unit seen once and of one seen in three windows
    settings.learning.fade = fade;
    Vocabulary vocabulary({1, 1});
    const auto crew = local_crew(settings);
    OnlineEmbedding embedding(settings, *crew);
    run_from_start(input, settings, {100, {}}, vocabulary, embedding, {});
    const auto of = [&](std::uint16_t attribute, const char* name) {
      return accumulator_of(embedding.model().accumulators[index(*vocabulary.find(AttributeId{attribute}, name))]);
    };
    return std::pair(of(0, "a"), of(1, "x"));
  };
  const auto [once, thrice] = accumulators(1);
  const auto [once_faded, thrice_faded] = accumulators(0.5);
  EXPECT_FLOAT_EQ(once_faded, 0.5F * once);
  EXPECT_GT(thrice_faded, 0.125F * thrice);
  EXPECT_LT(thrice_faded, 0.5F * thrice);
}

/// The products of all embeddings with each other, which no turn changes.
RowMatrix products(const Model& model) {
  AlignedRows rows(model.units(), model.dimension);
  model.embeddings->decode(first_units(model.units()), rows);
  return row_products(rows_of(rows), rows_of(rows));
}

TEST(OnlineEmbedding, StepsThatWereLearntBeforeATurnFollowIt) {
  // Plain gradient steps are the same in all axes, so turns must not show, if no unit is new after the first window.
  const TemporaryFolder folder;
  StreamInput input;
  input.path = (folder.path() / "stream.csv").string();
  {
    std::ofstream file(input.path);
    file << "timestamp,user,items\n";
    for (int day = 0; day < 10; ++day) {
      for (int user = 0; user < 12; ++user) {
        file << day * 86400 + user << ",u" << user << ",i" << (user + day) % 12 << " i" << (5 * user) % 12 << " i"
             << (7 * user + 3) % 12 << '\n';
      }
    }
  }
  Settings settings;
  settings.attributes = shopping_attributes();
  settings.learning.dimension = 16;
  settings.learning.epochs = 20;
  settings.learning.optimiser = Optimiser::sgd;
  settings.learning.sgd_rate = 0.5;
  settings.compression.budget = Percent{100};
  for (const std::uint32_t staleness : {0, 1}) {
    settings.parallel.staleness = staleness;
    const auto learnt = [&](Axes axes) {
      settings.learning.axes = axes;
      Vocabulary vocabulary({1, 1});
      const auto crew = local_crew(settings);
      OnlineEmbedding embedding(settings, *crew);
      RowMatrix last;
      RunHooks hooks;
      hooks.after_learning = [&](const WindowReport&, const RunTotals&) { last = products(embedding.model()); };
      run_from_start(input, settings, {100, {}}, vocabulary, embedding, hooks);
      return last;
    };
    const RowMatrix turned = learnt(Axes::principal), plain = learnt(Axes::fixed);
    EXPECT_GT(plain.norm(), 1) << "something was learnt";
    EXPECT_LT((turned - plain).norm(), 1e-3 * plain.norm()) << "staleness " << staleness;
  }
}

}  // namespace
}  // namespace meteor
