#pragma once

#include <cstdint>

#include "learning/window_start.h"
#include "model/unit_categories.h"

namespace meteor {

/// Where those units of a window start that the model does not know, if it knows others of their category: at the mean
/// of these, and a little random beside it, so that no two start at the same place. A sample stands for a large
/// category. `categories` are those of all units of the model and of the window.
SlotRows inherited_rows(const WindowUnits& window, const Model& model, const UnitCategories& categories,
                        std::uint64_t seed);

}  // namespace meteor
