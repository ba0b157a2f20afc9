#include <gtest/gtest.h>

#include <cstring>

#include "compression/clusters/clustered.h"
#include "compression/clusters/scaled_bytes.h"
#include "fixtures/small_models.h"
#include "fixtures/temporary_folder.h"
#include "model/unit_blocks.h"

namespace meteor {
namespace {

constexpr std::uint32_t kDimension = 24;
constexpr std::size_t kUnits = 600;

StoredModel model_in_bytes() { return small_model_in_bytes(kUnits, kDimension); }

const Clustered& clustered(const Model& model) { return dynamic_cast<const Clustered&>(*model.embeddings); }

/// New rows for every third unit and for some new ones.
WindowUpdate random_update(const Model& model, std::uint64_t window) {
  Random random{23, window};
  WindowUpdate update;
  update.window = window;
  for (std::size_t i = window % 3; i < model.units() + 4; i += i < model.units() - 3 ? 3 : 1) {
    update.units.push_back(UnitId{static_cast<std::uint32_t>(i)});
    update.attributes.push_back(AttributeId{static_cast<std::uint16_t>(i % 2)});
  }
  const std::size_t count = update.units.size();
  update.accumulators.assign(count, 1);
  update.counts.assign(count, 1);
  update.categories.assign(count, CategoryKey::none);
  update.rows = AlignedRows(count, kDimension);
  for (std::size_t i = 0; i < count; ++i) {
    for (float& x : update.rows.row(i)) x = static_cast<float>(random.uniform() - 0.5);
  }
  return update;
}

AlignedRows decoded(const Model& model) {
  AlignedRows rows(model.units(), kDimension);
  model.embeddings->decode(first_units(model.units()), rows);
  return rows;
}

bool same_bits(const AlignedRows& a, const AlignedRows& b) {
  return a.rows() == b.rows() && std::memcmp(a.data(), b.data(), a.rows() * a.stride() * sizeof(float)) == 0;
}

TEST(ClusteredArrays, InBytesAreReadBackBitForBitAndLearnOnAlike) {
  StoredModel stored = model_in_bytes();
  Clustered copy(kDimension, 0.001F, stored.model.embeddings->arrays());
  EXPECT_EQ(copy.precision(), Precision::int8);
  EXPECT_EQ(content_hash(copy.arrays()), content_hash(stored.model.embeddings->arrays()));
  const WindowUpdate update = random_update(stored.model, 7);
  stored.model.absorb(update, this_thread());
  copy.absorb(update, stored.model.facts(), this_thread());
  EXPECT_EQ(content_hash(copy.arrays()), content_hash(stored.model.embeddings->arrays()));
}

TEST(ClusteredArrays, InBytesSurviveTheModelFile) {
  const TemporaryFolder folder;
  const StoredModel stored = model_in_bytes();
  const auto path = folder.path() / "model.h5";
  save_model(path, stored);
  const StoredModel read = load_model(path);
  EXPECT_EQ(read.settings.compression.precision, Precision::int8);
  EXPECT_EQ(model_sha256(read.vocabulary, read.model), model_sha256(stored.vocabulary, stored.model));
  EXPECT_TRUE(same_bits(decoded(read.model), decoded(stored.model)));
}

TEST(ClusteredArrays, InBytesAreASmallPartOfFloatsAndCountedAsTheyAre) {
  StoredModel stored = model_in_bytes();
  const StoredModel floats = small_model(CompressionScheme::clusters, kUnits, kDimension);
  for (std::uint64_t window = 7; window < 12; ++window) {
    const std::uint64_t bytes = stored.model.embeddings->bytes();
    EXPECT_EQ(bytes, decoding_bytes(stored.model.embeddings->arrays()));
    EXPECT_NEAR(stored.model.embeddings->bytes_per_new_unit(), 4 + 2 + 2 + 4.5, 1.5) << "cluster, length, scale, code";
    stored.model.absorb(random_update(stored.model, window), this_thread());
  }
  EXPECT_LT(stored.model.embeddings->bytes(), 0.55 * static_cast<double>(floats.model.embeddings->bytes()));
}

TEST(ClusteredArrays, InBytesLoseLittleMoreThanFloats) {
  const StoredModel full = small_model(CompressionScheme::none, kUnits, kDimension);
  const StoredModel floats = small_model(CompressionScheme::clusters, kUnits, kDimension);
  const StoredModel bytes = model_in_bytes();
  const AlignedRows exact = decoded(full.model);
  const auto error = [&](const Model& model) {
    return (rows_of(decoded(model)) - rows_of(exact)).squaredNorm() / rows_of(exact).squaredNorm();
  };
  EXPECT_LT(error(bytes.model), error(floats.model) + 1e-3F);
}

TEST(ClusteredArrays, AReplicaInBytesFollowsBitForBit) {
  StoredModel stored = model_in_bytes();
  Model replica;
  replica.dimension = kDimension;
  replica.attributes = stored.model.attributes;
  replica.accumulators = stored.model.accumulators;
  replica.embeddings = std::make_unique<Clustered>(kDimension, 0.001F, stored.model.embeddings->arrays());
  std::size_t moved = 0;
  for (std::uint64_t window = 7; window < 30; ++window) {
    const WindowUpdate update = random_update(stored.model, window);
    const CompressionOutcome outcome = stored.model.absorb(update, this_thread());
    replica.follow(update.units, outcome.changes);
    ASSERT_TRUE(same_bits(decoded(replica), decoded(stored.model))) << window;
    moved += find_array(outcome.changes, "moved/vector").elements();
    EXPECT_EQ(find_array(outcome.changes, "changed/codes/values").type, ElementType::u8);
  }
  EXPECT_GT(moved, 100u);
}

TEST(ClusteredArrays, BasesThatMovedCanStillBeSaidInBytes) {
  StoredModel stored = model_in_bytes();
  for (std::uint64_t window = 7; window < 20; ++window)
    stored.model.absorb(random_update(stored.model, window), this_thread());
  for (const Cluster& cluster : clustered(stored.model).clusters()) {
    RowMatrix rounded = cluster.basis;
    round_rows(rounded, Precision::int8);
    EXPECT_EQ(rounded, cluster.basis);
  }
}

TEST(ClusteredArrays, TheErrorThatIsReportedIsThatOfTheBytes) {
  StoredModel stored = model_in_bytes();
  const WindowUpdate update = random_update(stored.model, 7);
  const CompressionOutcome outcome = stored.model.absorb(update, this_thread());
  AlignedRows rows(update.units.size(), kDimension);
  stored.model.embeddings->decode(update.units, rows);
  EXPECT_NEAR(outcome.squared_error, (rows_of(rows) - rows_of(update.rows)).squaredNorm(), 1e-4 * outcome.squared_norm);
}

TEST(ClusteredArrays, InBytesThatDoNotFitTogetherAreRefused) {
  const StoredModel stored = model_in_bytes();
  const auto refuses = [&](const std::string& name, auto change) {
    std::vector<Array> arrays = stored.model.embeddings->arrays();
    for (Array& array : arrays) {
      if (array.name != name) continue;
      const auto old = array.as<std::uint16_t>();
      std::vector<std::uint16_t> values(old.begin(), old.end());
      change(values);
      array = own_array(name, std::move(values));
    }
    EXPECT_THROW(Clustered(kDimension, 0.001F, arrays), StorageError) << name;
  };
  for (const char* name : {"embeddings/basis_scale", "embeddings/codes/scale"}) {
    refuses(name, [](auto& scales) { scales.pop_back(); });
    refuses(name, [](auto& scales) { scales[1] = 0x7f80; });  // infinity
  }
}

}  // namespace
}  // namespace meteor
