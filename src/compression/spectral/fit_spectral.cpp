#include "compression/spectral/fit_spectral.h"

#include <algorithm>
#include <cmath>

#include "compression/gather_rows.h"
#include "compression/principal_axes.h"
#include "compression/spectral/bit_allocation.h"
#include "compression/spectral/spectral_blocks.h"
#include "model/unit_blocks.h"
#include "support/bfloat16.h"

namespace meteor {
namespace {

constexpr std::size_t kBlockUnits = 16384;
constexpr std::size_t kOldBlockUnits = 8192;    // in a refit, when there are the rows of a window beside them
constexpr std::size_t kFreshBlockUnits = 2048;  // whose rows are copied

/// Units of one attribute, and how their embeddings come by.
struct Source {
  AttributeId attribute{};
  std::vector<UnitId> units;
  std::function<std::vector<Array>()> embeddings;
};

/// What each class of each attribute holds.
std::vector<UnitClass> classes_of(const UnitFacts& facts, std::size_t attributes) {
  const std::size_t classes = SpectralPlan::classes_for(attributes);
  std::vector<UnitClass> tables(attributes * classes, {0, 0});
  for (std::size_t i = 0; i < facts.attributes.size(); ++i) {
    UnitClass& table = tables[index(facts.attributes[i]) * classes + class_of(facts.counts[i], classes)];
    ++table.units;
    table.weight += weight_of(facts.counts[i]);
  }
  for (std::size_t t = 0; t < tables.size(); ++t) {
    // A class that nobody is in yet is priced by its middle.
    tables[t].weight = tables[t].units > 0 ? tables[t].weight / static_cast<double>(tables[t].units)
                                           : weight_of(static_cast<std::uint32_t>(3U << (t % classes)) / 2);
  }
  return tables;
}

/// The share of each axis after the turn in the energy that these moments have.
std::vector<double> shares_of_axes(const Eigen::MatrixXd& moments, const AlignedRows& turn) {
  const RowMatrix shares = (moments / moments.trace()).cast<float>();
  AlignedRows half_turned = aligned_rows_of(shares);
  turn_rows(half_turned, turn);
  const Eigen::RowVectorXd energies =
      rows_of(half_turned).cwiseProduct(rows_of(turn)).cast<double>().colwise().sum().cwiseMax(0.0);
  return {energies.begin(), energies.end()};
}

SpectralPlan make_plan(const std::vector<Eigen::MatrixXd>& moments, const Eigen::MatrixXd& all, const AlignedRows& turn,
                       const UnitFacts& facts, std::uint64_t windows, const CompressionSettings& settings) {
  const std::size_t attributes = moments.size();
  CodeStatistics statistics;
  statistics.dimension = turn.rows();
  statistics.classes = SpectralPlan::classes_for(attributes);
  statistics.tables = classes_of(facts, attributes);
  for (const Eigen::MatrixXd& one : moments) {
    statistics.variances.push_back(shares_of_axes(one.trace() > 0 ? one : all, turn));
  }
  const std::uint64_t budget = budget_bytes(settings.budget, facts.attributes.size(), statistics.dimension);
  const BitAllocation allocation = allocate_bits(statistics, budget);

  SpectralPlan::Stored stored;
  stored.dimension = static_cast<std::uint32_t>(statistics.dimension);
  stored.attributes = static_cast<std::uint32_t>(attributes);
  stored.windows = windows;
  stored.units = facts.attributes.size();
  stored.expected_loss = static_cast<float>(allocation.loss);
  const std::size_t r = allocation.components;
  for (const auto& variances : statistics.variances) {
    for (std::size_t i = 0; i < r; ++i) {
      stored.deviations.push_back(bfloat16_of(static_cast<float>(std::sqrt(variances[i]))));
    }
  }
  for (const auto& bits : allocation.bits) {
    for (std::size_t i = 0; i < r; i += 2) {
      stored.bits.push_back(static_cast<std::uint8_t>(bits[i] | ((i + 1 < r ? bits[i + 1] : 0) << 4)));
    }
  }
  return SpectralPlan(std::move(stored));
}

Refit fit(std::vector<Source> sources, std::span<const Array> shared, const UnitFacts& facts, std::uint64_t windows,
          std::size_t attributes, std::size_t dimension, const CompressionSettings& settings, BlockWorkers& workers) {
  const std::size_t classes = SpectralPlan::classes_for(attributes);
  std::vector<WorkBlock> blocks;
  for (const Source& source : sources) {
    const auto make = [&facts, classes, &source]() -> std::vector<Array> {
      std::vector<Array> arrays = source.embeddings();
      std::vector<float> weights;
      std::vector<std::uint8_t> tables;
      for (const UnitId unit : source.units) {
        const std::uint32_t count = facts.counts[index(unit)];
        weights.push_back(static_cast<float>(weight_of(count)));
        tables.push_back(static_cast<std::uint8_t>(index(source.attribute) * classes + class_of(count, classes)));
      }
      arrays.push_back(own_array("weight", std::move(weights)));
      arrays.push_back(own_array("new_table", std::move(tables)));
      return arrays;
    };
    blocks.push_back({{}, static_cast<double>(source.units.size()), make});
  }
  const auto shared_blocks = workers.share_out(std::move(blocks));
  const auto d = static_cast<Eigen::Index>(dimension);
  std::vector<Eigen::MatrixXd> moments(attributes, Eigen::MatrixXd::Zero(d, d));
  {
    const auto results = shared_blocks->map(kSpectralMoments, shared);
    for (std::size_t b = 0; b < sources.size(); ++b) {
      moments[index(sources[b].attribute)] += matrix_of(find_array(results[b], "moments")).cast<double>();
    }
  }
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(d, d);
  for (const Eigen::MatrixXd& one : moments) all += one;
  AlignedRows turn = turn_to_axes_of(all);
  Spectral fitted(make_plan(moments, all, turn, facts, windows, settings), settings);
  std::vector<Array> plans = fitted.plan().arrays("new/");
  plans.push_back(own_rows("new/turn", rows_of(turn)));
  plans.insert(plans.end(), shared.begin(), shared.end());
  const auto codes = shared_blocks->map(kSpectralEncode, plans);
  for (std::size_t b = 0; b < sources.size(); ++b) {
    fitted.set_codes(sources[b].units, codes_from("new/", codes[b]));
  }
  return {std::move(fitted), std::move(turn)};
}

}  // namespace

std::unique_ptr<Spectral> fit_spectral(const Model& pretrained, const Uncompressed& space, std::size_t attributes,
                                       const CompressionSettings& settings, BlockWorkers& workers) {
  if (pretrained.units() == 0)
    throw UsageError("pretraining saw no units: give it a longer part with evaluation.pretrain");
  std::vector<Source> sources;
  for (std::size_t a = 0; a < attributes; ++a) {
    const std::vector<UnitId> units = units_of(pretrained, static_cast<AttributeId>(a));
    for (std::size_t begin = 0; begin < units.size(); begin += kBlockUnits) {
      const std::size_t end = std::min(begin + kBlockUnits, units.size());
      Source source{
          static_cast<AttributeId>(a),
          {units.begin() + static_cast<std::ptrdiff_t>(begin), units.begin() + static_cast<std::ptrdiff_t>(end)},
          {}};
      source.embeddings = [&space, units = source.units]() -> std::vector<Array> {
        return {own_rows("points", gather_rows(space, units))};
      };
      sources.push_back(std::move(source));
    }
  }
  return std::make_unique<Spectral>(fit(std::move(sources), {}, pretrained.facts(), pretrained.windows, attributes,
                                        pretrained.dimension, settings, workers)
                                        .coded);
}

Refit refit_spectral(const Spectral& coded, const WindowUpdate& update, const UnitFacts& facts,
                     const CompressionSettings& settings, BlockWorkers& workers) {
  const std::size_t dimension = coded.plan().dimension();
  const std::size_t attributes = coded.plan().attributes();
  std::vector<bool> fresh(facts.attributes.size());
  std::vector<std::vector<std::size_t>> rows(attributes);  // of the update
  for (std::size_t i = 0; i < update.units.size(); ++i) {
    fresh[index(update.units[i])] = true;
    rows[index(update.attributes[i])].push_back(i);
  }
  std::vector<std::vector<UnitId>> old(attributes);
  for (std::size_t i = 0; i < coded.units(); ++i) {
    if (!fresh[i]) old[index(facts.attributes[i])].push_back(UnitId{static_cast<std::uint32_t>(i)});
  }
  std::vector<Source> sources;
  for (std::size_t a = 0; a < attributes; ++a) {
    const auto attribute = static_cast<AttributeId>(a);
    for (std::size_t begin = 0; begin < old[a].size(); begin += kOldBlockUnits) {
      const auto first = old[a].begin() + static_cast<std::ptrdiff_t>(begin);
      Source source{
          attribute, {first, first + static_cast<std::ptrdiff_t>(std::min(kOldBlockUnits, old[a].size() - begin))}, {}};
      source.embeddings = [&coded, units = source.units]() -> std::vector<Array> {
        return to_arrays("old/", coded.codes_of(units));
      };
      sources.push_back(std::move(source));
    }
    for (std::size_t begin = 0; begin < rows[a].size(); begin += kFreshBlockUnits) {
      const auto places = std::span(rows[a]).subspan(begin, std::min(kFreshBlockUnits, rows[a].size() - begin));
      Source source{attribute, {}, {}};
      for (const std::size_t place : places) source.units.push_back(update.units[place]);
      source.embeddings = [&update, places]() -> std::vector<Array> {
        return {own_rows("points", gather_rows(update.rows, places))};
      };
      sources.push_back(std::move(source));
    }
  }
  std::vector<Array> shared = coded.plan().arrays("old/");
  shared.push_back(own_array("old/dimension", std::vector<std::uint32_t>{static_cast<std::uint32_t>(dimension)}));
  return fit(std::move(sources), shared, facts, update.window + 1, attributes, dimension, settings, workers);
}

}  // namespace meteor
