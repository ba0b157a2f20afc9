#include "compression/uncompressed/uncompressed.h"

#include <algorithm>
#include <stdexcept>

#include "compression/principal_axes.h"
#include "model/drop_units.h"
#include "model/valid_numbers.h"
#include "support/threads.h"

namespace meteor {
namespace {

constexpr std::size_t kBlockUnits = 16384;
constexpr std::size_t kTurned = 256;  // units in one go

Eigen::MatrixXd moments_of(const Uncompressed& space, const UnitFacts& facts, BlockWorkers& workers) {
  std::vector<WorkBlock> blocks;
  for (std::size_t begin = 0; begin < space.units(); begin += kBlockUnits) {
    const std::size_t end = std::min(begin + kBlockUnits, space.units());
    const auto make = [&space, &facts, begin, end]() -> std::vector<Array> {
      std::vector<UnitId> units;
      std::vector<float> weights;
      for (std::size_t i = begin; i < end; ++i) {
        units.push_back(UnitId{static_cast<std::uint32_t>(i)});
        weights.push_back(static_cast<float>(weight_of(facts.counts[i])));
      }
      return {own_rows("points", gather_rows(space, units)), own_array("weight", std::move(weights))};
    };
    blocks.push_back({{}, static_cast<double>(end - begin), make});
  }
  const auto results = workers.share_out(std::move(blocks))->map(kMoments, {});
  const auto d = static_cast<Eigen::Index>(space.dimension());
  Eigen::MatrixXd moments = Eigen::MatrixXd::Zero(d, d);
  for (const auto& result : results) moments += matrix_of(find_array(result, "moments")).cast<double>();
  return moments;
}

}  // namespace

Uncompressed::Uncompressed(std::size_t dimension, std::span<const Array> arrays) : dimension_(dimension) {
  const auto values = find_array(arrays, "embeddings/values").as<float>();
  if (values.size() % dimension != 0)
    throw StorageError("array embeddings/values does not have a row of floats for every unit");
  require_valid_numbers(values, "embeddings/values");
  values_.assign(values.begin(), values.end());
}

void Uncompressed::decode(std::span<const UnitId> units, AlignedRows& rows) const {
  for (std::size_t i = 0; i < units.size(); ++i) {
    const auto from = row(units[i]);
    std::copy(from.begin(), from.end(), rows.row(i).begin());
  }
}

void Uncompressed::follow(std::span<const UnitId> /*units*/, std::span<const Array> /*changes*/) {
  throw std::logic_error("full embeddings have no replicas");
}

CompressionOutcome Uncompressed::absorb(const WindowUpdate& update, const UnitFacts& /*facts*/,
                                        BlockWorkers& /*workers*/) {
  std::size_t highest = units();
  for (UnitId unit : update.units) highest = std::max(highest, index(unit) + 1);
  values_.resize(highest * dimension_);
  for (std::size_t i = 0; i < update.units.size(); ++i) {
    const auto from = update.rows.row(i);
    std::copy(from.begin(), from.end(),
              values_.begin() + static_cast<std::ptrdiff_t>(index(update.units[i]) * dimension_));
  }
  return {};
}

bool Uncompressed::forget(std::span<const UnitId> units, const UnitFacts& /*left*/, BlockWorkers& /*workers*/) {
  drop_units(values_, units, dimension_);
  return false;
}

AlignedRows Uncompressed::turn_axes(const UnitFacts& facts, BlockWorkers& workers) {
  AlignedRows turn = turn_to_axes_of(moments_of(*this, facts, workers));
  share_work(workers.threads(), (units() + kTurned - 1) / kTurned, [&](std::size_t block) {
    const std::size_t begin = block * kTurned;
    std::vector<UnitId> some;
    for (std::size_t i = begin; i < std::min(begin + kTurned, units()); ++i) {
      some.push_back(UnitId{static_cast<std::uint32_t>(i)});
    }
    AlignedRows rows(some.size(), dimension_);
    decode(some, rows);
    turn_rows(rows, turn);
    for (std::size_t i = 0; i < some.size(); ++i) std::ranges::copy(rows.row(i), row(some[i]).begin());
  });
  return turn;
}

std::vector<Array> Uncompressed::arrays() const {
  Array embeddings = view_array<float>("embeddings/values", values_);
  embeddings.shape = {units(), dimension_};
  return {std::move(embeddings)};
}

const Uncompressed& space_of(const Model& model) { return dynamic_cast<const Uncompressed&>(*model.embeddings); }

RowMatrix gather_rows(const Uncompressed& space, std::span<const UnitId> units) {
  const auto first = space.row(UnitId{0});
  RowMatrix rows(static_cast<Eigen::Index>(units.size()), static_cast<Eigen::Index>(first.size()));
  for (std::size_t i = 0; i < units.size(); ++i) {
    const auto row = space.row(units[i]);
    rows.row(static_cast<Eigen::Index>(i)) =
        Eigen::Map<const Eigen::RowVectorXf>(row.data(), static_cast<Eigen::Index>(row.size()));
  }
  return rows;
}

}  // namespace meteor
