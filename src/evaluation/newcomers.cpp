#include "evaluation/newcomers.h"

#include <algorithm>
#include <cmath>

#include "evaluation/context_scores.h"
#include "learning/learn.h"
#include "model/unit_blocks.h"
#include "model/valid_numbers.h"
#include "support/error.h"

namespace meteor {
namespace {

constexpr double kOfUnknown = 0.05;  // where a cosine stands for a lift of about 1
constexpr double kOfRare = 0.1;      // what a single record leaves open
constexpr double kLeaning = 16;
constexpr double kHalfSure = 1000;  // units that were seen once
constexpr std::size_t kSample = std::size_t{1} << 15;

/// Evenly spaced ones.
std::vector<UnitId> sample(const std::vector<UnitId>& units) {
  std::vector<UnitId> chosen;
  const std::size_t count = std::min(units.size(), kSample);
  chosen.reserve(count);
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(units[i * units.size() / count]);
  return chosen;
}

/// The mean of their embeddings at length 1.
std::vector<double> mean_direction(const Model& model, const std::vector<UnitId>& units) {
  std::vector<double> mean(model.dimension);
  for_each_block(model, units, [&](std::span<const UnitId> block, const AlignedRows& rows) {
    const std::vector<double> lengths = row_lengths(rows);
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (lengths[i] == 0) continue;
      const double weight = 1 / (lengths[i] * static_cast<double>(units.size()));
      const auto row = rows.row(i);
      for (std::size_t k = 0; k < row.size(); ++k) mean[k] += weight * row[k];
    }
  });
  return mean;
}

}  // namespace

double Newcomers::bonus(AttributeId attribute, std::uint32_t seen) const {
  return shares.empty() ? 0 : kOfRare * shares[index(attribute)] / std::sqrt(std::max<double>(1, seen));
}

double Newcomers::bonus_of_unknown(AttributeId attribute) const {
  return kOfUnknown * (1 + (shares.empty() ? 0 : shares[index(attribute)]));
}

void Newcomers::lean(AttributeId attribute, std::span<float> row) const {
  if (leanings.rows() == 0) {
    std::fill(row.begin(), row.end(), 0.0F);
  } else {
    std::copy_n(leanings.row(index(attribute)).begin(), row.size(), row.begin());
  }
}

Newcomers newcomers_to(const Model& model, const Settings& settings) {
  const auto& attributes = settings.attributes;
  Newcomers newcomers{AlignedRows(attributes.size(), model.dimension), std::vector<float>(attributes.size())};
  if (shift_of(settings.learning) == 0) return newcomers;
  for (std::size_t a = 0; a < attributes.size(); ++a) {
    if (!attributes[a].target || attributes[a].clusters == ClusterSource::categories) continue;
    const std::vector<UnitId> all = units_of(model, static_cast<AttributeId>(a));
    std::vector<UnitId> once = all;
    std::erase_if(once, [&](UnitId unit) { return model.counts[index(unit)] > 1; });
    if (once.empty()) continue;
    const double share = static_cast<double>(once.size()) / (static_cast<double>(once.size()) + kHalfSure);
    newcomers.shares[a] = static_cast<float>(share);
    const std::vector<double> theirs = mean_direction(model, sample(once));
    const std::vector<double> of_all = mean_direction(model, sample(all));
    const auto leaning = newcomers.leanings.row(a);
    for (std::size_t k = 0; k < leaning.size(); ++k) {
      leaning[k] = static_cast<float>(kLeaning * share * (theirs[k] - of_all[k]));
    }
  }
  return newcomers;
}

void require_valid(const Newcomers& newcomers, std::size_t attributes, std::size_t dimension) {
  const AlignedRows& leanings = newcomers.leanings;
  if (newcomers.shares.size() != attributes || leanings.rows() != attributes || leanings.width() != dimension)
    throw StorageError("newcomers are not those of the attributes");
  require_valid_numbers(newcomers.shares, "of newcomers");
  for (std::size_t a = 0; a < attributes; ++a) require_valid_numbers(leanings.row(a), "of newcomers");
}

}  // namespace meteor
