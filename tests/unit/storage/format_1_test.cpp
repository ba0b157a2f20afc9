#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>

#include "storage/checkpoint.h"

namespace meteor {
namespace {

// Files that meteor 0.1.0 wrote, from 40 generated baskets: --set learning.dimension=4 --set learning.epochs=1
// --set 'evaluation.pretrain=2 windows' --set attribute.items.min_count=2 --set parallel.staleness=1
// --set parallel.shards=2. All later versions must read them: they are never written anew.
const std::filesystem::path kFiles = METEOR_TEST_DATA "/format_1";

std::vector<float> embedding(const StoredModel& stored, UnitId unit) {
  AlignedRows row(1, stored.model.dimension);
  stored.model.embeddings->decode({&unit, 1}, row);
  return {row.row(0).begin(), row.row(0).end()};
}

double squared_length(const std::vector<float>& row) {
  return std::inner_product(row.begin(), row.end(), row.begin(), 0.0);
}

TEST(Format1, TheModelIsRead) {
  const StoredModel stored = load_model(kFiles / "model.h5");
  EXPECT_EQ(stored.model.units(), 65u);
  EXPECT_EQ(stored.model.dimension, 4u);
  EXPECT_EQ(stored.model.windows, 6u);
  EXPECT_EQ(stored.model.embeddings->scheme(), "clusters");
  EXPECT_EQ(model_sha256(stored.vocabulary, stored.model),
            "e47b7c0a1a7e5e3d9cc791b20e403819a1f214a2609de0e6fa40f60721c194c2");
  EXPECT_EQ(stored.settings.attributes.at(1).name, "items");
  EXPECT_EQ(stored.settings.attributes.at(1).min_count, 2u);
  EXPECT_EQ(stored.settings.parallel.shards, 2u);
  const auto unit = stored.vocabulary.find(AttributeId{0}, "u6");
  ASSERT_TRUE(unit);
  const std::vector<float> expected = {0.05032307F, -0.12871274F, 0.13387774F, -0.19383898F};
  const std::vector<float> decoded = embedding(stored, *unit);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(decoded[i], expected[i], 1e-5) << i;
}

TEST(Format1, TheCheckpointIsRead) {
  const Checkpoint checkpoint = load_checkpoint(kFiles / "checkpoint.h5");
  EXPECT_EQ(checkpoint.stored.model.units(), 47u);
  EXPECT_EQ(checkpoint.stored.vocabulary.size(), 65u) << "with those of the window that waits";
  EXPECT_EQ(model_sha256(checkpoint.stored.vocabulary, checkpoint.stored.model),
            "780daf748a7b55e353ade50dd0b96a710651f9d5f52ee6a8db9db0a2c71d7bf4");
  const RunState& run = checkpoint.run;
  EXPECT_EQ(run.windows, 6u);
  EXPECT_EQ(run.records, 33u);
  EXPECT_EQ(run.next_number, 6u);
  EXPECT_EQ(run.first_begin, 1704067200);
  EXPECT_EQ(run.skipped.too_small, 7u);
  EXPECT_EQ(run.pretraining.windows, 2u);
  EXPECT_EQ(run.end.offset, 1399u);
  EXPECT_EQ(run.end.line, 42u);
  EXPECT_EQ(run.end.records, 40u);
  EXPECT_EQ(run.end.text_sha256, "afef54efb4d7c16ea4687c1dd42d157b6e52f980999de3f845c10b324c0e8d53");
  EXPECT_EQ(run.sightings.size(), 50u);
  EXPECT_EQ(run.sightings.at("1:i103").count, 1u);
  ASSERT_TRUE(checkpoint.waiting);
  const LearntWindow& waiting = *checkpoint.waiting;
  EXPECT_EQ(waiting.units.window, 5u);
  EXPECT_EQ(waiting.units.size(), 40u);
  EXPECT_EQ(waiting.units.units[1], UnitId{16});
  EXPECT_FLOAT_EQ(waiting.steps.growths[0], 0.01602701F);
  EXPECT_FLOAT_EQ(waiting.steps.steps.row(0)[1], -0.04265388F);
}

TEST(Format1, ASpectralModelIsRead) {  // of 60 baskets, --set learning.dimension=8 --set 'compression.budget=90 %'
  const StoredModel stored = load_model(kFiles / "spectral.h5");
  EXPECT_EQ(stored.model.embeddings->scheme(), "spectral");
  EXPECT_EQ(stored.model.units(), 173u);
  EXPECT_EQ(model_sha256(stored.vocabulary, stored.model),
            "1648c5bf9aa49933abf807af4d5f1bfdcbbd88b1952b0934a5a56359495c96e9");
  const auto unit = stored.vocabulary.find(AttributeId{0}, "u5");
  ASSERT_TRUE(unit);
  const std::vector<float> expected = {-0.1912938F,  0.08941856F,   -0.13256957F, -0.036236394F,
                                       -0.10664657F, -0.014684818F, 0.04572909F,  -0.036947925F};
  // Files of that version have a basis by which codes were turned back. Now embeddings keep the axes of their codes.
  const std::vector<float> decoded = embedding(stored, *unit);
  ASSERT_EQ(decoded.size(), expected.size());
  EXPECT_NEAR(squared_length(decoded), squared_length(expected), 1e-6);
}

}  // namespace
}  // namespace meteor
