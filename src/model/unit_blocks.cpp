#include "model/unit_blocks.h"

#include <algorithm>

namespace meteor {
namespace {

constexpr std::size_t kBlock = 256;

}  // namespace

std::vector<UnitId> first_units(std::size_t count) {
  std::vector<UnitId> units(count);
  for (std::size_t i = 0; i < count; ++i) units[i] = UnitId{static_cast<std::uint32_t>(i)};
  return units;
}

std::vector<UnitId> units_of(const Model& model, AttributeId attribute) {
  std::vector<UnitId> units;
  for (std::size_t i = 0; i < model.units(); ++i) {
    if (model.attributes[i] == attribute) units.push_back(UnitId{static_cast<std::uint32_t>(i)});
  }
  return units;
}

void for_each_block(const Model& model, std::span<const UnitId> units,
                    const std::function<void(std::span<const UnitId>, const AlignedRows&)>& show) {
  AlignedRows rows(std::min(kBlock, units.size()), model.dimension);
  for (std::size_t begin = 0; begin < units.size(); begin += kBlock) {
    const auto block = units.subspan(begin, std::min(kBlock, units.size() - begin));
    model.embeddings->decode(block, rows);
    show(block, rows);
  }
}

}  // namespace meteor
