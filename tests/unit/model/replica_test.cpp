#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "compression/spectral/fit_spectral.h"
#include "fixtures/schemes.h"
#include "fixtures/small_models.h"
#include "fixtures/this_thread.h"
#include "model/unit_blocks.h"
#include "storage/model_content.h"

namespace meteor {
namespace {

constexpr std::uint32_t kDimension = 24, kUnits = 2000;

/// What another process would make of the model's arrays.
Model replica_of(const StoredModel& stored) {
  const Model& model = stored.model;
  Model replica;
  replica.dimension = model.dimension;
  replica.attributes = model.attributes;
  replica.accumulators = model.accumulators;
  replica.embeddings =
      rebuild_embeddings(stored.settings, {std::string(model.embeddings->scheme()), model.dimension, 0},
                         model.attributes, model.embeddings->arrays());
  return replica;
}

/// New random rows for about a share of the known units, in descending order, and for some new ones.
WindowUpdate random_update(const Model& model, std::uint64_t window, double share, std::size_t newcomers) {
  Random random{17, window};
  WindowUpdate update;
  update.window = window;
  for (std::size_t i = model.units() + newcomers; i-- > 0;) {
    if (i < model.units() && random.uniform() >= share) continue;
    update.units.push_back(UnitId{static_cast<std::uint32_t>(i)});
    update.attributes.push_back(AttributeId{static_cast<std::uint16_t>(i % 2)});
    update.accumulators.push_back(static_cast<float>(random.uniform()));
    update.counts.push_back(1);
    update.categories.push_back(CategoryKey::none);
  }
  update.rows = AlignedRows(update.units.size(), kDimension);
  for (std::size_t i = 0; i < update.units.size(); ++i) {
    for (float& x : update.rows.row(i)) x = random.uniform() < 0.3 ? 0 : static_cast<float>(random.uniform() - 0.5);
  }
  return update;
}

void expect_same_bits(const Model& replica, const Model& model) {
  ASSERT_EQ(replica.units(), model.units());
  ASSERT_EQ(replica.embeddings->units(), model.units());
  EXPECT_EQ(replica.attributes, model.attributes);
  EXPECT_EQ(replica.accumulators, model.accumulators);
  AlignedRows ours(model.units(), kDimension), theirs(model.units(), kDimension);
  replica.embeddings->decode(first_units(model.units()), ours);
  model.embeddings->decode(first_units(model.units()), theirs);
  EXPECT_EQ(std::memcmp(ours.data(), theirs.data(), ours.rows() * ours.stride() * sizeof(float)), 0);
}

std::uint64_t bytes_of(const std::vector<Array>& arrays) {
  return std::accumulate(arrays.begin(), arrays.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Array& array) { return sum + array.bytes(); });
}

class Replica : public testing::TestWithParam<CompressionScheme> {};

INSTANTIATE_TEST_SUITE_P(Schemes, Replica, testing::ValuesIn(kCompressingSchemes), scheme_suffix);

TEST_P(Replica, ThatFollowsEveryWindowDecodesBitForBit) {
  StoredModel stored = small_model(GetParam(), kUnits, kDimension);
  Model replica = replica_of(stored);
  expect_same_bits(replica, stored.model);
  for (std::uint64_t window = 7; window < 40; ++window) {
    const WindowUpdate update = random_update(stored.model, window, 0.1, window % 5);
    replica.follow(update.units, stored.model.absorb(update, this_thread()).changes);
    expect_same_bits(replica, stored.model);
  }
  EXPECT_GT(stored.model.units(), kUnits + 50);
}

TEST_P(Replica, MayFollowLaterBecauseChangesAreOwned) {
  StoredModel stored = small_model(GetParam(), kUnits, kDimension);
  Model replica = replica_of(stored);
  std::vector<std::vector<Array>> changes;
  std::vector<std::vector<UnitId>> units;
  for (std::uint64_t window = 7; window < 20; ++window) {
    const WindowUpdate update = random_update(stored.model, window, 0.3, 40);
    units.push_back(update.units);
    changes.push_back(stored.model.absorb(update, this_thread()).changes);
    for (const Array& array : changes.back()) EXPECT_NE(array.owner, nullptr) << array.name;
  }
  for (std::size_t i = 0; i < changes.size(); ++i) replica.follow(units[i], changes[i]);
  expect_same_bits(replica, stored.model);
}

TEST_P(Replica, IsNotChangedByFollowingAnEmptyWindow) {
  StoredModel stored = small_model(GetParam(), kUnits, kDimension);
  Model replica = replica_of(stored);
  replica.follow({}, stored.model.absorb(random_update(stored.model, 7, 0, 0), this_thread()).changes);
  expect_same_bits(replica, stored.model);
}

TEST_P(Replica, NeedsFewBytesToFollowAFewUnits) {
  StoredModel stored = small_model(GetParam(), kUnits, kDimension);
  const WindowUpdate update = random_update(stored.model, 7, 0, 3);
  const std::uint64_t changed = bytes_of(stored.model.absorb(update, this_thread()).changes);
  EXPECT_GT(changed, 0u);
  EXPECT_LT(changed, stored.model.bytes() / 50);
}

TEST_P(Replica, NeedsFewerBytesThanTheModelEvenToFollowAllUnits) {
  StoredModel stored = small_model(GetParam(), kUnits, kDimension);
  const std::uint64_t changed =
      bytes_of(stored.model.absorb(random_update(stored.model, 7, 1, 0), this_thread()).changes);
  EXPECT_LT(changed, bytes_of(stored.model.arrays()));
}

TEST(Replicas, OfTheSpectralSchemeNeedFewBytesToFollowWhatHardlyChanged) {
  StoredModel stored = small_model(CompressionScheme::spectral, kUnits, kDimension);
  const WindowUpdate update = random_update(stored.model, 7, 1, 0);
  const std::uint64_t first = bytes_of(stored.model.absorb(update, this_thread()).changes);
  const std::uint64_t again = bytes_of(stored.model.absorb(update, this_thread()).changes);
  EXPECT_LT(2 * again, first);
}

TEST_P(Replica, RefusesChangesThatDoNotFitIt) {
  StoredModel stored = small_model(GetParam(), kUnits, kDimension);
  const StoredModel before = small_model(GetParam(), kUnits, kDimension);
  const WindowUpdate update = random_update(stored.model, 7, 0.1, 5);
  const std::vector<Array> changes = stored.model.absorb(update, this_thread()).changes;
  const auto expect_refused = [&](const std::string& what, std::span<const UnitId> units,
                                  std::span<const Array> changed) {
    Model replica = replica_of(before);
    EXPECT_THROW(follow_changes(replica, before.settings, units, changed), StorageError) << what;
  };
  std::vector<UnitId> units = update.units;
  units[3] = UnitId{4'000'000'000};
  expect_refused("a unit that does not exist", units, changes);
  expect_refused("fewer units", std::span(update.units).first(7), changes);
  units = update.units;
  ASSERT_GE(index(units[3]), kUnits);
  units[2] = units[3];
  expect_refused("a new unit that is told of twice, and one of which nothing is told", units, changes);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    std::vector<Array> changed = changes;
    changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(i));
    expect_refused("no " + changes[i].name, update.units, changed);
    if (changes[i].elements() == 0) continue;
    changed = changes;
    --changed[i].shape[0];
    expect_refused("a shorter " + changes[i].name, update.units, changed);
    const bool an_index = changes[i].type == ElementType::u16 || changes[i].type == ElementType::u32;
    if (!an_index && changes[i].type != ElementType::f32) continue;
    changed = changes;
    auto bytes = std::make_shared<std::vector<std::uint8_t>>(changes[i].bytes(), 0xff);  // no index, and no number
    changed[i].data = bytes->data();
    changed[i].owner = bytes;
    expect_refused("a bad " + changes[i].name, update.units, changed);
  }
}

TEST_P(Replica, RefusesNewUnitsThatAreCodedAsThoseOfAnotherAttribute) {
  if (GetParam() == CompressionScheme::quantised) GTEST_SKIP() << "all attributes are coded alike";
  StoredModel stored = small_model(GetParam(), kUnits, kDimension);
  Model replica = replica_of(stored);
  const WindowUpdate update = random_update(stored.model, 7, 0.1, 5);
  std::vector<Array> changes = stored.model.absorb(update, this_thread()).changes;
  for (Array& array : changes) {
    if (array.name == "changed/new_attribute") array = own_array<std::uint16_t>(array.name, {1, 0, 1, 0, 1});
  }
  EXPECT_THROW(follow_changes(replica, stored.settings, update.units, changes), StorageError);
}

class Forgetting : public testing::TestWithParam<CompressionScheme> {};

INSTANTIATE_TEST_SUITE_P(Schemes, Forgetting, testing::ValuesIn(kForgettingSchemes), scheme_suffix);

TEST_P(Forgetting, LeavesTheOthersAsTheyAreAndFreesBytes) {
  StoredModel stored = small_model(GetParam(), kUnits, kDimension);
  Model& model = stored.model;
  std::vector<UnitId> gone, kept;
  for (const UnitId unit : first_units(kUnits)) (index(unit) % 3 == 1 ? gone : kept).push_back(unit);
  AlignedRows before(kept.size(), kDimension), after(kept.size(), kDimension);
  model.embeddings->decode(kept, before);
  const Model old = std::move(small_model(GetParam(), kUnits, kDimension).model);
  model.forget(gone, this_thread());
  ASSERT_EQ(model.units(), kept.size());
  ASSERT_EQ(model.embeddings->units(), kept.size());
  model.embeddings->decode(first_units(kept.size()), after);
  EXPECT_EQ(std::memcmp(before.data(), after.data(), before.rows() * before.stride() * sizeof(float)), 0);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    EXPECT_EQ(model.attributes[i], old.attributes[index(kept[i])]);
    EXPECT_EQ(model.counts[i], old.counts[index(kept[i])]);
    EXPECT_EQ(model.last_windows[i], old.last_windows[index(kept[i])]);
    EXPECT_EQ(model.accumulators[i], old.accumulators[index(kept[i])]);
  }
  EXPECT_EQ(model.bytes(), decoding_bytes(model.arrays()));
  EXPECT_LT(model.bytes(), old.bytes());
  const CompressionOutcome outcome = model.absorb(random_update(model, 7, 0.5, 30), this_thread());
  EXPECT_EQ(model.embeddings->units(), kept.size() + 30) << "and goes on learning";
  EXPECT_LT(outcome.relative_error(), 1);
}

TEST(ForgettingUnits, WithShortCodesKeepsToTheBudget) {
  StoredModel stored = small_model(CompressionScheme::none, kUnits, kDimension);
  CompressionSettings compression;
  compression.budget = Percent{20};
  const auto& plain = space_of(stored.model);
  stored.model.embeddings = fit_spectral(stored.model, plain, 2, compression, this_thread());
  const auto within = [&] {
    return stored.model.bytes() <= budget_bytes(compression.budget, stored.model.units(), kDimension);
  };
  ASSERT_TRUE(within());
  std::vector<UnitId> rare = first_units(kUnits);  // ids ascend while counts fall
  rare.erase(rare.begin(), rare.begin() + 400);
  stored.model.forget(rare, this_thread());
  EXPECT_EQ(stored.model.units(), 400u);
  EXPECT_TRUE(within());
  EXPECT_EQ(dynamic_cast<const Spectral&>(*stored.model.embeddings).plan().fitted_units(), 400u) << "fitted anew";
}

TEST(Replicas, OfFullEmbeddingsThereIsNone) {
  StoredModel stored = small_model(CompressionScheme::none, 10, kDimension);
  EXPECT_FALSE(stored.model.embeddings->compressed());
  EXPECT_TRUE(stored.model.absorb(random_update(stored.model, 7, 1, 2), this_thread()).changes.empty());
  EXPECT_THROW(stored.model.embeddings->follow({}, {}), std::logic_error);
}

}  // namespace
}  // namespace meteor
