#pragma once

#include <functional>
#include <span>
#include <vector>

#include "model/model.h"

namespace meteor {

/// Units 0 to count − 1.
std::vector<UnitId> first_units(std::size_t count);

/// The units of one attribute, in the order of their ids.
std::vector<UnitId> units_of(const Model& model, AttributeId attribute);

/// Decodes some hundred units at a time and shows each block with its embeddings, a row a unit, so that all units can
/// be walked through in little memory.
void for_each_block(const Model& model, std::span<const UnitId> units,
                    const std::function<void(std::span<const UnitId>, const AlignedRows&)>& show);

}  // namespace meteor
