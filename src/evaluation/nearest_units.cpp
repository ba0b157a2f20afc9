#include "evaluation/nearest_units.h"

#include <algorithm>
#include <functional>

#include "evaluation/context_scores.h"
#include "kernels/row_products.h"
#include "model/unit_blocks.h"

namespace meteor {
namespace {

/// Keeps the best units of all that it is shown.
class BestUnits {
 public:
  explicit BestUnits(std::size_t count) : count_(count) {}

  void offer(const ScoredUnit& candidate) {
    if (best_.size() == count_) {
      if (count_ == 0 || !better(candidate, best_.front())) return;
      std::pop_heap(best_.begin(), best_.end(), better);
      best_.pop_back();
    }
    best_.push_back(candidate);
    std::push_heap(best_.begin(), best_.end(), better);
  }

  std::vector<ScoredUnit> in_order() && {
    std::sort_heap(best_.begin(), best_.end(), better);
    return std::move(best_);
  }

 private:
  static bool better(const ScoredUnit& a, const ScoredUnit& b) {
    return a.score != b.score ? a.score > b.score : a.unit < b.unit;
  }

  std::size_t count_;
  std::vector<ScoredUnit> best_;  // a heap, the worst in front
};

/// The best units of an attribute, by `score` of a unit's products with the rows and of its length.
std::vector<ScoredUnit> best_units(const Model& model, AttributeId attribute, const AlignedRows& rows,
                                   std::span<const UnitId> excluded, std::size_t count,
                                   const std::function<double(std::span<const float>, double)>& score) {
  BestUnits best(count);
  std::vector<float> products;
  for_each_block(model, units_of(model, attribute), [&](std::span<const UnitId> block, const AlignedRows& candidates) {
    products.resize(candidates.rows() * rows.rows());
    row_products(candidates, rows, products.data());
    const std::vector<double> lengths = row_lengths(candidates);
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (std::find(excluded.begin(), excluded.end(), block[i]) != excluded.end()) continue;
      best.offer({block[i], score(std::span(products).subspan(i * rows.rows(), rows.rows()), lengths[i])});
    }
  });
  return std::move(best).in_order();
}

}  // namespace

std::vector<ScoredUnit> nearest_units(const Model& model, AttributeId attribute, UnitId unit, std::size_t count) {
  AlignedRows row(1, model.dimension);
  model.embeddings->decode({&unit, 1}, row);
  const double own = row_lengths(row)[0];
  return best_units(model, attribute, row, {&unit, 1}, count, [&](std::span<const float> products, double length) {
    return own > 0 && length > 0 ? products[0] / (own * length) : 0;
  });
}

std::vector<ScoredUnit> fitting_units(const Model& model, AttributeId attribute, std::span<const UnitId> context,
                                      Scoring scoring, std::size_t count) {
  AlignedRows rows(context.size(), model.dimension);
  model.embeddings->decode(context, rows);
  std::vector<AttributeId> attributes;
  std::vector<std::uint32_t> seen;
  for (const UnitId unit : context) {
    attributes.push_back(model.attributes[index(unit)]);
    seen.push_back(model.counts[index(unit)]);
  }
  const AttributeId last = *std::max_element(attributes.begin(), attributes.end());
  ContextScores scores(rows, attributes, seen, index(last) + 1);
  return best_units(model, attribute, rows, context, count, [&](std::span<const float> products, double length) {
    return scores.score(products, length).by(scoring);
  });
}

}  // namespace meteor
