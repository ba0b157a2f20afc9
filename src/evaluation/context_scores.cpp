#include "evaluation/context_scores.h"

#include <algorithm>
#include <cmath>

#include "kernels/row_products.h"

namespace meteor {
namespace {

constexpr double kSharpness = 14;  // β

}  // namespace

std::vector<double> row_lengths(const AlignedRows& rows) {
  std::vector<double> lengths;
  lengths.reserve(rows.rows());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    double square = 0;
    for (const float value : rows.row(i)) square += static_cast<double>(value) * value;
    lengths.push_back(std::sqrt(square));
  }
  return lengths;
}

ContextScores::ContextScores(const AlignedRows& rows, std::span<const AttributeId> attributes,
                             std::span<const std::uint32_t> seen, std::size_t attribute_count)
    : squares_(attribute_count), pools_(attribute_count) {
  const std::size_t count = rows.rows();
  std::vector<float> products(count * count);
  row_products(rows, rows, products.data());
  for (std::size_t i = 0; i < count; ++i) {
    double with_attribute = 0;
    for (std::size_t k = 0; k < count; ++k) {
      if (attributes[k] == attributes[i]) with_attribute += products[i * count + k];
    }
    squares_[index(attributes[i])] += with_attribute;
    units_.push_back({index(attributes[i]), std::sqrt(static_cast<double>(products[i * count + i])),
                      1 / std::sqrt(std::max<double>(1, seen[i])), with_attribute});
  }
}

FitScores ContextScores::score(std::span<const float> products, double length, double bonus, std::size_t left_out) {
  for (std::size_t a = 0; a < pools_.size(); ++a) pools_[a] = {.square = squares_[a]};
  if (left_out != kNobody) {
    const Unit& out = units_[left_out];
    pools_[out.attribute].square += out.length * out.length - 2 * out.product_with_attribute;
  }
  double lifts = 0;
  std::size_t heard = 0;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const Unit& unit = units_[i];
    if (i == left_out || unit.length == 0) continue;
    const double cosine = length > 0 ? products[i] / (length * unit.length) : 0;
    const double lift = std::exp(kSharpness * cosine);
    lifts += lift;
    ++heard;
    Pool& pool = pools_[unit.attribute];
    ++pool.units;
    pool.product += products[i];
    pool.lifts += unit.weight * lift;
    pool.weights += unit.weight;
  }
  FitScores scores;
  if (heard == 0) return scores;
  std::size_t attributes = 0;
  for (const Pool& pool : pools_) {
    if (pool.units == 0) continue;
    ++attributes;
    const bool points = length > 0 && pool.square > 0;
    const double cosine = points ? pool.product / (length * std::sqrt(pool.square)) : 0;
    scores.mean += cosine;
    scores.pooled += kSharpness * cosine + std::log(pool.lifts / pool.weights);
  }
  scores.mean /= static_cast<double>(attributes);
  scores.pooled += std::log(lifts / static_cast<double>(heard));
  scores.pooled /= kSharpness * static_cast<double>(2 * attributes + 1);
  scores.pooled += bonus;
  return scores;
}

}  // namespace meteor
