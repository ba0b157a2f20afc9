#include "model/uncompressed.h"

#include <algorithm>
#include <stdexcept>

#include "model/drop_units.h"
#include "model/valid_numbers.h"

namespace meteor {

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

bool Uncompressed::forget(std::span<const UnitId> units, const UnitFacts& /*left*/, std::uint64_t /*windows*/,
                          BlockWorkers& /*workers*/) {
  drop_units(values_, units, dimension_);
  return false;
}

std::vector<Array> Uncompressed::arrays() const {
  Array embeddings = view_array<float>("embeddings/values", values_);
  embeddings.shape = {units(), dimension_};
  return {std::move(embeddings)};
}

}  // namespace meteor
