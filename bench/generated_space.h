#pragma once

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "compression/uncompressed/uncompressed.h"
#include "model/model.h"
#include "support/random.h"

namespace meteor {

constexpr std::uint32_t kDimension = 300;

/// Units around planted directions, a long tail of how often they were seen.
inline Model generated_space(std::size_t units, std::uint32_t dimension = kDimension) {
  Model model;
  model.dimension = dimension;
  model.windows = 1;
  std::vector<float> values(units * dimension);
  Random random{1};
  for (std::size_t i = 0; i < units; ++i) {
    model.attributes.push_back(static_cast<AttributeId>(i % 2));
    model.counts.push_back(static_cast<std::uint32_t>(1 + units / (i + 1)));
    for (std::size_t k = 0; k < dimension; ++k) {
      const float spread = 1 / std::sqrt(1 + static_cast<float>(k));
      values[i * dimension + k] = spread * static_cast<float>(2 * random.uniform() - 1);
    }
  }
  model.accumulators.resize(units);
  model.last_windows.resize(units);
  Array array = own_array("embeddings/values", std::move(values));
  array.shape = {units, dimension};
  model.embeddings = std::make_unique<Uncompressed>(dimension, std::span<const Array>(&array, 1));
  return model;
}

}  // namespace meteor
