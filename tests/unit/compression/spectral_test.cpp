#include "compression/spectral/spectral.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "compression/matrix.h"
#include "compression/spectral/fit_spectral.h"
#include "fixtures/planted_model.h"
#include "fixtures/this_thread.h"

namespace meteor {
namespace {

using testing::empty_model;
using testing::plain_update;
using testing::random_rows;

constexpr std::uint32_t kDimension = 24;

/// Random rows of the given units, which are users and items in turn.
WindowUpdate taught(std::vector<UnitId> units, std::uint64_t window) {
  Random random{5, window};
  AlignedRows rows = random_rows(units.size(), kDimension, random);
  for (std::size_t i = 0; i < units.size(); ++i) {
    for (std::size_t k = 0; k < kDimension; ++k) rows.row(i)[k] /= static_cast<float>(1 + k);
  }
  WindowUpdate update = plain_update(std::move(units), std::move(rows), window);
  for (std::size_t i = 0; i < update.units.size(); ++i) {
    update.attributes[i] = AttributeId{static_cast<std::uint16_t>(index(update.units[i]) % 2)};
  }
  return update;
}

/// A window of some of the known units and of all new ones.
WindowUpdate next_window(const Model& model, std::size_t newcomers) {
  std::vector<UnitId> units;
  for (std::size_t i = model.windows % 7; i < model.units(); i += 7)
    units.push_back(UnitId{static_cast<std::uint32_t>(i)});
  for (std::size_t i = 0; i < newcomers; ++i) units.push_back(UnitId{static_cast<std::uint32_t>(model.units() + i)});
  return taught(std::move(units), model.windows);
}

CompressionSettings with_budget(const Budget& budget) {
  CompressionSettings settings;
  settings.budget = budget;
  return settings;
}

/// A model that has been pretrained on one window.
Model coded_model(const WindowUpdate& pretraining, const Budget& budget) {
  Model model = empty_model(kDimension);
  model.absorb(pretraining, this_thread());
  const auto& space = space_of(model);
  model.embeddings = fit_spectral(model, space, 2, with_budget(budget), this_thread());
  return model;
}

Model coded_model(std::size_t units, const Budget& budget) {
  return coded_model(taught(first_units(units), 0), budget);
}

const Spectral& coded(const Model& model) { return dynamic_cast<const Spectral&>(*model.embeddings); }

Model replica_of(const Model& model, const Budget& budget) {
  Model replica = empty_model(kDimension);
  replica.attributes = model.attributes;
  replica.accumulators = model.accumulators;
  replica.embeddings = std::make_unique<Spectral>(kDimension, with_budget(budget), model.embeddings->arrays());
  return replica;
}

AlignedRows all_rows(const Model& model) {
  AlignedRows rows(model.units(), kDimension);
  model.embeddings->decode(first_units(model.units()), rows);
  return rows;
}

bool same_bits(const AlignedRows& a, const AlignedRows& b) {
  return a.rows() == b.rows() && std::memcmp(a.data(), b.data(), a.rows() * a.stride() * sizeof(float)) == 0;
}

TEST(Spectral, NewAndKnownUnitsAreDecodedWithTheErrorThatIsTold) {
  Model model = coded_model(1000, Percent{20});
  const AlignedRows before = all_rows(model);
  const WindowUpdate update = next_window(model, 50);
  const CompressionOutcome outcome = model.absorb(update, this_thread());
  EXPECT_EQ(model.embeddings->units(), 1050u);
  const AlignedRows after = all_rows(model);
  double error = 0;
  std::vector<bool> touched(1050);
  for (std::size_t i = 0; i < update.units.size(); ++i) {
    touched[index(update.units[i])] = true;
    for (std::size_t k = 0; k < kDimension; ++k) {
      error += std::pow(double{update.rows.row(i)[k]} - after.row(index(update.units[i]))[k], 2);
    }
  }
  EXPECT_NEAR(outcome.squared_error, error, 1e-3 * error);
  EXPECT_LT(outcome.relative_error(), 0.05);
  EXPECT_NEAR(outcome.squared_norm, rows_of(update.rows).squaredNorm(), 1e-3);
  for (std::size_t i = 0; i < 1000; ++i) {
    if (touched[i]) continue;
    EXPECT_EQ(std::memcmp(before.row(i).data(), after.row(i).data(), kDimension * sizeof(float)), 0) << i;
  }
}

TEST(Spectral, StaysWithinItsBudgetAsUnitsArrive) {
  const Budget budgets[] = {Percent{25}, Percent{40}, ByteCount{60000}};
  for (const Budget& budget : budgets) {
    Model model = coded_model(500, budget);
    int refits = 0;
    for (int window = 0; window < 12; ++window) {
      const std::uint64_t windows_of_plan = coded(model).plan().windows();
      const WindowUpdate update = next_window(model, 20 * static_cast<std::size_t>(window));
      model.absorb(update, this_thread());
      refits += coded(model).plan().windows() != windows_of_plan;
      ASSERT_LE(model.bytes(), budget_bytes(budget, model.units(), kDimension)) << "window " << window;
      ASSERT_EQ(model.bytes(), decoding_bytes(model.arrays()));
    }
    EXPECT_GE(refits, std::holds_alternative<ByteCount>(budget) ? 1 : 0) << "there is less and less for each";
  }
}

TEST(Spectral, UsesItsBudgetAlsoWhenRareUnitsArrive) {
  const Budget budget = Percent{15};
  WindowUpdate pretraining = taught(first_units(3000), 0);
  std::fill_n(pretraining.counts.begin(), 2000, 100);
  Model model = coded_model(pretraining, budget);
  int refits = 0;
  for (int window = 0; window < 20; ++window) {
    refits += model.absorb(next_window(model, 50), this_thread()).refitted;
    const auto allowed = static_cast<double>(budget_bytes(budget, model.units(), kDimension));
    ASSERT_LE(static_cast<double>(model.bytes()), allowed) << "window " << window;
    ASSERT_GE(static_cast<double>(model.bytes()), 0.88 * allowed) << "window " << window;
  }
  EXPECT_GE(refits, 1);
  EXPECT_LE(refits, 7) << "not every window";
}

TEST(Spectral, ABudgetThatUnitsOutgrowIsToldInWords) {
  Model model = coded_model(500, ByteCount{8000});
  try {
    for (int window = 0; window < 50; ++window) model.absorb(next_window(model, 200), this_thread());
    FAIL() << "there was room for all";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("compression.budget of 8000 bytes is too small"), std::string::npos);
  }
}

TEST(Spectral, UnitsThatBecomeFrequentGetMoreBits) {
  Model model = coded_model(1000, Percent{50});
  const UnitId unit{3};
  const std::uint8_t before = coded(model).codes_of({&unit, 1}).tables[0];
  EXPECT_EQ(before, coded(model).plan().table_of(AttributeId{1}, 1, 1));
  WindowUpdate update = taught({unit}, 1);
  update.counts[0] = 200;
  model.absorb(update, this_thread());
  const PackedCodes after = coded(model).codes_of({&unit, 1});
  EXPECT_EQ(after.tables[0], coded(model).plan().table_of(AttributeId{1}, 201, 2));
  EXPECT_GT(after.tables[0], before);
}

TEST(Spectral, ReplicasFollowBitForBitAlsoThroughARefit) {
  const Budget budget = ByteCount{30000};
  Model model = coded_model(500, budget);
  Model replica = replica_of(model, budget);
  const std::uint64_t windows_of_plan = coded(model).plan().windows();
  for (int window = 0; window < 8; ++window) {
    const WindowUpdate update = next_window(model, 100);
    replica.follow(update.units, model.absorb(update, this_thread()).changes);
    ASSERT_TRUE(same_bits(all_rows(replica), all_rows(model))) << "window " << window;
    EXPECT_EQ(replica.attributes, model.attributes);
    EXPECT_EQ(replica.accumulators, model.accumulators);
  }
  EXPECT_GT(coded(model).plan().windows(), windows_of_plan) << "there was a refit";
}

TEST(Spectral, ChangesAreOwnedAlsoThoseOfARefit) {
  const Budget budget = ByteCount{30000};
  Model model = coded_model(500, budget);
  Model replica = replica_of(model, budget);
  std::vector<std::vector<UnitId>> units;
  std::vector<std::vector<Array>> changes;
  for (int window = 0; window < 8; ++window) {
    const WindowUpdate update = next_window(model, 100);
    units.push_back(update.units);
    changes.push_back(model.absorb(update, this_thread()).changes);
    for (const Array& array : changes.back()) EXPECT_NE(array.owner, nullptr) << array.name;
  }
  for (std::size_t i = 0; i < changes.size(); ++i) replica.follow(units[i], changes[i]);
  EXPECT_TRUE(same_bits(all_rows(replica), all_rows(model)));
}

TEST(Spectral, TellsTheLossOfAWindowThatMadeItRefit) {
  Model model = coded_model(500, ByteCount{20000});
  for (int window = 0; window < 8; ++window) {
    const std::uint64_t windows_of_plan = coded(model).plan().windows();
    const CompressionOutcome outcome = model.absorb(next_window(model, 100), this_thread());
    if (coded(model).plan().windows() == windows_of_plan) continue;
    EXPECT_GT(outcome.relative_error(), 0);
    EXPECT_LT(outcome.relative_error(), 1);
    return;
  }
  FAIL() << "there was no refit";
}

TEST(Spectral, AbsorbsFromItsArraysAsItWouldHave) {
  Model model = coded_model(800, Percent{40});
  Model copy = replica_of(model, Percent{40});
  copy.counts = model.counts;
  copy.last_windows = model.last_windows;
  const WindowUpdate update = next_window(model, 40);
  model.absorb(update, this_thread());
  copy.absorb(update, this_thread());
  EXPECT_EQ(content_hash(copy.arrays()), content_hash(model.arrays()));
}

TEST(Spectral, AnEmptyWindowChangesNothing) {
  Model model = coded_model(300, Percent{60});
  const std::string before = content_hash(model.embeddings->arrays());
  EXPECT_EQ(model.absorb(taught({}, 1), this_thread()).relative_error(), 0);
  EXPECT_EQ(content_hash(model.embeddings->arrays()), before);
}

TEST(Spectral, RefusesRowsThatAreNotFinite) {
  for (const float broken : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Model model = coded_model(300, Percent{60});
    const std::string before = content_hash(model.embeddings->arrays());
    WindowUpdate update = taught({UnitId{4}, UnitId{9}}, 6);
    update.rows.row(1)[2] = broken;
    try {
      model.absorb(update, this_thread());
      FAIL() << "it went unnoticed";
    } catch (const NumericError& error) {
      EXPECT_STREQ(error.what(), "window 6: the embedding of unit 9 is not finite");
    }
    EXPECT_EQ(content_hash(model.embeddings->arrays()), before);
  }
}

TEST(Spectral, CodesThatDoNotFitTheirTablesAreRefused) {
  const Model model = coded_model(300, Percent{60});
  const auto refused = [&](const std::function<void(PackedCodes&)>& damage) {
    Spectral fresh(SpectralPlan(coded(model).plan().stored()), with_budget(Percent{60}));
    PackedCodes codes = coded(model).codes_of(first_units(300));
    damage(codes);
    EXPECT_THROW(fresh.set_codes(first_units(300), codes), StorageError);
  };
  refused([](PackedCodes& codes) { codes.tables.pop_back(); });
  refused([](PackedCodes& codes) { codes.scales.push_back(1); });
  refused([](PackedCodes& codes) { codes.bytes.pop_back(); });
  refused([](PackedCodes& codes) { codes.bytes.push_back(0); });
  refused([](PackedCodes& codes) { codes.bytes.clear(); });
  refused([](PackedCodes& codes) { codes.tables[7] = 24; });
}

TEST(Spectral, DecodesUnitsInAnyOrderAsOften) {
  const Model model = coded_model(1000, Percent{40});
  const AlignedRows rows = all_rows(model);
  std::vector<UnitId> units;
  for (std::uint32_t i = 0; i < 700; ++i) units.push_back(UnitId{i * 619 % 1000});
  AlignedRows some(units.size(), kDimension);
  model.embeddings->decode(units, some);
  for (std::size_t i = 0; i < units.size(); ++i) {
    EXPECT_EQ(std::memcmp(some.row(i).data(), rows.row(index(units[i])).data(), kDimension * sizeof(float)), 0) << i;
  }
}

TEST(BudgetBytes, AreAShareOfFullEmbeddingsOrThemselves) {
  EXPECT_EQ(budget_bytes(Percent{10}, 1000, 300), 120000u);
  EXPECT_EQ(budget_bytes(Percent{100}, 1000, 300), 1200000u);
  EXPECT_EQ(budget_bytes(Percent{10}, 0, 300), 0u);
  EXPECT_EQ(budget_bytes(ByteCount{77}, 1000, 300), 77u);
}

TEST(PlanFit, IsLostWhenWindowsInTurnLoseMuchMoreThanTheFirstOnes) {
  PlanFit fit;
  for (int window = 0; window < 8; ++window) fit.add(0.02, 2);
  for (int window = 0; window < 7; ++window) fit.add(0.05, 2);
  EXPECT_FALSE(fit.is_lost()) << "it may settle";
  fit.add(0.03, 2);
  for (int window = 0; window < 7; ++window) fit.add(0.05, 2);
  EXPECT_FALSE(fit.is_lost()) << "one window was as usual";
  const PlanFit stored(fit.stored());
  fit.add(0.05, 2);
  EXPECT_TRUE(fit.is_lost());
  PlanFit gone_on = stored;
  gone_on.add(0.05, 2);
  EXPECT_TRUE(gone_on.is_lost()) << "what is stored is all there is";
}

TEST(PlanFit, LossesThatDoNoHarmAreNeverMuch) {
  PlanFit fit;
  for (int window = 0; window < 8; ++window) fit.add(1e-6, 2);
  for (int window = 0; window < 20; ++window) fit.add(1e-4, 2);
  EXPECT_FALSE(fit.is_lost());
}

TEST(PlanFit, RefusesWhatItNeverStored) {
  EXPECT_THROW(PlanFit(std::vector<float>{0.1F, 3}), StorageError);
  EXPECT_THROW(PlanFit(std::vector<float>{0.1F, 900, 0}), StorageError);
  EXPECT_THROW(PlanFit(std::vector<float>{0.1F, 3, std::numeric_limits<float>::quiet_NaN()}), StorageError);
}

}  // namespace
}  // namespace meteor
