#include "methods/online_embedding.h"

#include <gtest/gtest.h>

#include <bit>
#include <fstream>

#include "compression/principal_axes.h"
#include "fixtures/run_from_start.h"
#include "fixtures/shopping_attributes.h"
#include "fixtures/temporary_folder.h"
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

TEST(OnlineEmbedding, PretrainingForTheSpectralSchemeTurnsToPrincipalAxesAsWindowsDouble) {
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
  const auto correlations = [&](CompressionScheme scheme, std::uint32_t staleness) {
    settings.compression.scheme = scheme;
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
    const std::vector<double> spectral = correlations(CompressionScheme::spectral, staleness);
    const std::vector<double> none = correlations(CompressionScheme::none, staleness);
    ASSERT_GT(spectral.size(), 8u);
    for (std::size_t i = 0; i < spectral.size(); ++i) {
      EXPECT_EQ(spectral[i] < 0.01, std::has_single_bit(i + 1)) << "after " << i + 1 << " windows";
      EXPECT_GT(none[i], 1);
    }
  }
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
    const auto learnt = [&](CompressionScheme scheme) {
      settings.compression.scheme = scheme;
      Vocabulary vocabulary({1, 1});
      const auto crew = local_crew(settings);
      OnlineEmbedding embedding(settings, *crew);
      RowMatrix last;
      RunHooks hooks;
      hooks.after_learning = [&](const WindowReport&, const RunTotals&) { last = products(embedding.model()); };
      run_from_start(input, settings, {100, {}}, vocabulary, embedding, hooks);
      return last;
    };
    const RowMatrix turned = learnt(CompressionScheme::spectral), plain = learnt(CompressionScheme::none);
    EXPECT_GT(plain.norm(), 1) << "something was learnt";
    EXPECT_LT((turned - plain).norm(), 1e-3 * plain.norm()) << "staleness " << staleness;
  }
}

}  // namespace
}  // namespace meteor
