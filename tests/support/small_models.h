#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compression/fit_clusters.h"
#include "storage/model_file.h"
#include "support/random.h"

namespace meteor {

/// Settings of a stream of users and items; items are the target.
inline Settings small_settings(CompressionScheme scheme, std::uint32_t dimension) {
  Settings settings;
  settings.attributes.resize(2);
  settings.attributes[0].name = settings.attributes[0].column = "user";
  settings.attributes[1].name = settings.attributes[1].column = "items";
  settings.attributes[1].separator = " ";
  settings.attributes[1].target = true;
  settings.learning.dimension = dimension;
  settings.compression.scheme = scheme;
  settings.compression.cluster_fraction = 0.05;
  settings.compression.basis_fraction = 0.2;
  return settings;
}

/// A model of `units` units with random rows: even ids are users, odd ones items, named as in "items 7". Item 3 is
/// nearly the same as item 1, and user 0 nearly as item 5.
inline StoredModel small_model(CompressionScheme scheme, std::size_t units = 200, std::uint32_t dimension = 24) {
  StoredModel made{small_settings(scheme, dimension), Vocabulary({1, 1}), {}};
  auto space = std::make_unique<Uncompressed>(dimension);
  const Uncompressed& plain = *space;
  made.model.dimension = dimension;
  made.model.embeddings = std::move(space);
  WindowUpdate update;
  update.window = 6;
  update.rows = AlignedRows(units, dimension);
  Random random{7, units, dimension};
  for (std::size_t i = 0; i < units; ++i) {
    const AttributeId attribute{static_cast<std::uint16_t>(i % 2)};
    const std::string name = (i % 2 == 0 ? "user " : "item ") + std::to_string(i);
    update.units.push_back(made.vocabulary.admit(attribute, name));
    update.attributes.push_back(attribute);
    update.accumulators.push_back(static_cast<float>(random.uniform()));
    update.counts.push_back(static_cast<std::uint32_t>(units - i));
    update.categories.push_back(CategoryKey::none);
    for (float& x : update.rows.row(i)) x = static_cast<float>(random.uniform() - 0.5);
  }
  const auto imitate = [&](std::size_t copy, std::size_t original) {
    if (std::max(copy, original) >= units) return;
    for (std::size_t j = 0; j < dimension; ++j) {
      update.rows.row(copy)[j] = update.rows.row(original)[j] + static_cast<float>(0.01 * random.uniform());
    }
  };
  imitate(3, 1);
  imitate(0, 5);
  made.model.absorb(update);
  if (scheme == CompressionScheme::clusters) {
    made.model.embeddings =
        fit_clusters(made.model, plain, update.categories, made.settings.attributes, made.settings.compression, 1);
  }
  return made;
}

inline void save_model(const std::filesystem::path& path, const StoredModel& stored) {
  save_model(path, stored.settings, stored.vocabulary, stored.model);
}

}  // namespace meteor
