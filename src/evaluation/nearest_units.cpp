#include "evaluation/nearest_units.h"

#include <Eigen/Core>
#include <algorithm>
#include <map>

#include "compression/matrix.h"
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

}  // namespace

AlignedRows context_directions(const Model& model, std::span<const UnitId> context) {
  std::map<AttributeId, std::vector<UnitId>> units_of_attribute;
  for (const UnitId unit : context) units_of_attribute[model.attributes[index(unit)]].push_back(unit);
  AlignedRows directions(units_of_attribute.size(), model.dimension);
  std::size_t direction = 0;
  for (const auto& [attribute, units] : units_of_attribute) {
    const auto sum = directions.row(direction++);
    for_each_block(model, units, [&](std::span<const UnitId> block, const AlignedRows& rows) {
      for (std::size_t i = 0; i < block.size(); ++i) {
        std::transform(sum.begin(), sum.end(), rows.row(i).begin(), sum.begin(), std::plus<>());
      }
    });
  }
  return directions;
}

std::vector<ScoredUnit> nearest_units(const Model& model, AttributeId attribute, const AlignedRows& directions,
                                      std::span<const UnitId> excluded, std::size_t count) {
  // A mean of cosines is one product with the mean of the directions at unit length.
  Eigen::RowVectorXd mean = Eigen::RowVectorXd::Zero(static_cast<Eigen::Index>(model.dimension));
  const ConstRows given = rows_of(directions);
  for (Eigen::Index i = 0; i < given.rows(); ++i) {
    mean += given.row(i).cast<double>().normalized() / static_cast<double>(given.rows());
  }
  BestUnits best(count);
  const std::vector<UnitId> units = units_of(model, attribute);
  for_each_block(model, units, [&](std::span<const UnitId> block, const AlignedRows& rows) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (std::find(excluded.begin(), excluded.end(), block[i]) != excluded.end()) continue;
      const auto row = rows_of(rows).row(static_cast<Eigen::Index>(i)).cast<double>();
      const double norm = row.norm();
      best.offer({block[i], norm > 0 ? row.dot(mean) / norm : 0});
    }
  });
  return std::move(best).in_order();
}

}  // namespace meteor
