#include "compression/spectral/fit_spectral.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>

#include "compression/principal_axes.h"
#include "fixtures/planted_model.h"
#include "fixtures/this_thread.h"
#include "model/local_block_workers.h"

namespace meteor {
namespace {

using testing::empty_model;
using testing::plain_update;
using testing::random_rows;

constexpr std::uint32_t kDimension = 32;

/// The share of the energy that is lost on the way to other rows, whose axes may be turned: by the turn that brings the
/// two nearest to each other.
double lost_of(const AlignedRows& before, const AlignedRows& after) {
  const Eigen::MatrixXd from = rows_of(before).cast<double>(), to = rows_of(after).cast<double>();
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(from.transpose() * to, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Eigen::MatrixXd turn = svd.matrixU() * svd.matrixV().transpose();
  return (from * turn - to).squaredNorm() / from.squaredNorm();
}

/// A pretrained space of users and items, in turn, whose rows lie in a random subspace; direction k of it holds about
/// (1 + k)^-2 of the energy of the first. Few units are seen often, and most once.
struct Space {
  explicit Space(std::size_t units, std::size_t subspace = kDimension, std::uint64_t seed = 1)
      : model(empty_model(kDimension)) {
    Random random{seed, subspace};
    WindowUpdate update = plain_update(first_units(units), rows(units, subspace, random), 9);
    for (std::size_t i = 0; i < units; ++i) {
      update.attributes[i] = AttributeId{static_cast<std::uint16_t>(i % 2)};
      update.counts[i] = static_cast<std::uint32_t>(1 + units / (1 + i));
    }
    model.absorb(update, this_thread());
    settings.budget = Percent{40};
  }

  static AlignedRows rows(std::size_t units, std::size_t subspace, Random& random) {
    const AlignedRows inside = random_rows(units, subspace, random), frame = random_rows(subspace, kDimension, random);
    AlignedRows result(units, kDimension);
    for (std::size_t i = 0; i < units; ++i) {
      for (std::size_t k = 0; k < subspace; ++k) {
        const float weight = inside.row(i)[k] / static_cast<float>(1 + k);
        for (std::size_t j = 0; j < kDimension; ++j) result.row(i)[j] += weight * frame.row(k)[j];
      }
    }
    return result;
  }

  const Uncompressed& embeddings() const { return space_of(model); }
  std::unique_ptr<Spectral> fit(std::size_t attributes = 2, std::size_t threads = 1) const {
    LocalBlockWorkers workers(threads);
    return fit_spectral(model, embeddings(), attributes, settings, workers);
  }
  std::uint64_t allowed() const { return budget_bytes(settings.budget, model.units(), kDimension); }
  double relative_error(const Spectral& coded) const {
    AlignedRows before(model.units(), kDimension), after(model.units(), kDimension);
    model.embeddings->decode(first_units(model.units()), before);
    coded.decode(first_units(model.units()), after);
    return lost_of(before, after);
  }

  Model model;
  CompressionSettings settings;
};

std::uint64_t bytes_with_optimiser(const Spectral& coded) { return coded.bytes() + coded.units(); }

TEST(FitSpectral, UsesItsBudgetAndMoreOfItLosesLess) {
  Space space(6000);
  double previous = 1;
  for (const double percent : {15.0, 20.0, 30.0, 40.0}) {
    space.settings.budget = Percent{percent};
    const auto fitted = space.fit();
    EXPECT_EQ(fitted->units(), 6000u);
    EXPECT_LE(bytes_with_optimiser(*fitted), space.allowed());
    EXPECT_GT(static_cast<double>(bytes_with_optimiser(*fitted)), 0.95 * static_cast<double>(space.allowed()));
    const double error = space.relative_error(*fitted);
    EXPECT_LT(error, 0.7 * previous) << percent;
    previous = error;
  }
  EXPECT_LT(previous, 0.01);
}

TEST(FitSpectral, ABudgetMayBeANumberOfBytes) {
  Space space(3000);
  space.settings.budget = ByteCount{100000};
  const auto fitted = space.fit();
  EXPECT_LE(bytes_with_optimiser(*fitted), 100000u);
  EXPECT_GT(bytes_with_optimiser(*fitted), 95000u);
}

TEST(FitSpectral, ABudgetThatIsTooSmallIsRefused) {
  Space space(3000);
  space.settings.budget = ByteCount{1000};
  EXPECT_THROW(space.fit(), UsageError);
}

TEST(FitSpectral, AnyNumberOfThreadsGivesTheSameBits) {
  const Space space(40000, 5);  // two blocks an attribute
  const std::string alone = content_hash(space.fit(2, 1)->arrays());
  EXPECT_EQ(content_hash(space.fit(2, 2)->arrays()), alone);
  EXPECT_EQ(content_hash(space.fit(2, 5)->arrays()), alone);
}

TEST(FitSpectral, LosesNextToNothingOfASpaceOfFewDirections) {
  Space space(4000, 3);
  space.settings.budget = Percent{15};
  const auto fitted = space.fit();
  EXPECT_LE(bytes_with_optimiser(*fitted), space.allowed());
  EXPECT_LT(space.relative_error(*fitted), 1e-4);
}

TEST(FitSpectral, UnitsSeenOftenGetLongerCodesByTheirCounts) {
  Space space(6000);
  space.settings.budget = Percent{20};
  const auto fitted = space.fit();
  const SpectralPlan& plan = fitted->plan();
  const std::vector<UnitId> units = first_units(6000);
  const PackedCodes codes = fitted->codes_of(units);
  for (std::size_t i = 0; i < units.size(); ++i) {
    EXPECT_EQ(codes.tables[i], plan.table_of(space.model.attributes[i], space.model.counts[i], plan.windows()));
  }
  EXPECT_GT(plan.table(codes.tables[0]).bytes, plan.table(codes.tables[5998]).bytes);
  EXPECT_GT(plan.table(codes.tables[1]).bytes, plan.table(codes.tables[5999]).bytes);
}

TEST(FitSpectral, AnAttributeThatPretrainingDidNotSeeUsesTheVariancesOfAll) {
  const Space space(4000, 4);
  const auto fitted = space.fit(3);
  EXPECT_EQ(fitted->plan().attributes(), 3u);
  const std::uint8_t table = fitted->plan().table_of(AttributeId{2}, 1, 1);
  EXPECT_GT(fitted->plan().table(table).bytes, 0u);

  std::vector<AttributeId> attributes = space.model.attributes;
  std::vector<std::uint32_t> counts = space.model.counts;
  attributes.push_back(AttributeId{2});
  counts.push_back(1);
  WindowUpdate update = plain_update({UnitId{4000}}, AlignedRows(1, kDimension), 10);
  update.attributes[0] = AttributeId{2};
  const UnitId like{7};
  fitted->decode({&like, 1}, update.rows);
  EXPECT_LT(fitted->absorb(update, {attributes, counts}, this_thread()).relative_error(), 0.05);
}

TEST(FitSpectral, UnitsThatAreAllZeroStayZero) {
  Model model = empty_model(kDimension);
  model.absorb(plain_update(first_units(50), AlignedRows(50, kDimension)), this_thread());
  const auto& space = space_of(model);
  const auto fitted = fit_spectral(model, space, 1, {}, this_thread());
  EXPECT_EQ(fitted->units(), 50u);
  AlignedRows rows(50, kDimension);
  fitted->decode(first_units(50), rows);
  EXPECT_EQ(rows_of(rows).squaredNorm(), 0);
  const Spectral copy(kDimension, {}, fitted->arrays());
  EXPECT_EQ(content_hash(copy.arrays()), content_hash(fitted->arrays()));
}

TEST(FitSpectral, RefusesASpaceWithoutUnits) {
  const Model model = empty_model(4);
  EXPECT_THROW(fit_spectral(model, Uncompressed(4), 2, {}, this_thread()), UsageError);
}

/// What a window taught of some old units, and of new ones.
struct Taught {
  Taught(const Space& space, std::size_t newcomers) : attributes(space.model.attributes), counts(space.model.counts) {
    Random random{3};
    std::vector<UnitId> units;
    const std::size_t known = attributes.size();
    for (std::size_t i = 0; i < known; i += 10) units.push_back(UnitId{static_cast<std::uint32_t>(i)});
    for (std::size_t i = known; i < known + newcomers; ++i) units.push_back(UnitId{static_cast<std::uint32_t>(i)});
    AlignedRows rows = Space::rows(units.size(), kDimension, random);
    update = plain_update(std::move(units), std::move(rows), 10);
    attributes.resize(known + newcomers);
    counts.resize(known + newcomers, 1);
    for (std::size_t i = 0; i < update.units.size(); ++i) {
      const std::size_t unit = index(update.units[i]);
      update.attributes[i] = attributes[unit] = AttributeId{static_cast<std::uint16_t>(unit % 2)};
    }
  }
  UnitFacts facts() const { return {attributes, counts}; }

  WindowUpdate update;
  std::vector<AttributeId> attributes;
  std::vector<std::uint32_t> counts;
};

TEST(RefitSpectral, KeepsWhatWasKnownAndTakesOverWhatIsNewWithinTheBudget) {
  const Space space(5000);
  const auto coded = space.fit();
  const Taught taught(space, 3000);
  const Refit refit = refit_spectral(*coded, taught.update, taught.facts(), space.settings, this_thread());
  const Spectral& refitted = refit.coded;
  ASSERT_EQ(refitted.units(), 8000u);
  EXPECT_EQ(refitted.plan().windows(), 11u);
  EXPECT_LE(bytes_with_optimiser(refitted), budget_bytes(space.settings.budget, 8000, kDimension));

  AlignedRows before(8000, kDimension), after(8000, kDimension);
  coded->decode(first_units(5000), before);
  for (std::size_t i = 0; i < taught.update.units.size(); ++i) {
    const auto row = taught.update.rows.row(i);
    std::copy(row.begin(), row.end(), before.row(index(taught.update.units[i])).begin());
  }
  refitted.decode(first_units(8000), after);
  const double old_loss = space.relative_error(*coded);
  turn_rows(before, refit.turn);
  const double lost = (rows_of(after) - rows_of(before)).squaredNorm() / rows_of(before).squaredNorm();
  EXPECT_LT(lost, 3 * old_loss) << "the same budget for each unit";
  EXPECT_LT(lost, 0.02);
}

TEST(RefitSpectral, AnyNumberOfThreadsGivesTheSameBits) {
  const Space space(5000);
  const auto coded = space.fit();
  const Taught taught(space, 40000);
  LocalBlockWorkers three(3);
  const Spectral alone = refit_spectral(*coded, taught.update, taught.facts(), space.settings, this_thread()).coded;
  const Spectral shared = refit_spectral(*coded, taught.update, taught.facts(), space.settings, three).coded;
  EXPECT_EQ(content_hash(alone.arrays()), content_hash(shared.arrays()));
}

TEST(RefitSpectral, ASmallerBudgetIsKept) {
  Space space(5000);
  const auto coded = space.fit();
  const Taught taught(space, 0);
  CompressionSettings half = space.settings;
  half.budget = Percent{20};
  const Spectral refitted = refit_spectral(*coded, taught.update, taught.facts(), half, this_thread()).coded;
  EXPECT_LE(bytes_with_optimiser(refitted), budget_bytes(half.budget, 5000, kDimension));
  EXPECT_GT(bytes_with_optimiser(refitted), budget_bytes(half.budget, 5000, kDimension) * 9 / 10);
}

}  // namespace
}  // namespace meteor
