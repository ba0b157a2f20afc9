#pragma once

#include <memory>
#include <span>

#include "config/settings.h"
#include "model/block_work.h"
#include "model/model.h"
#include "model/uncompressed.h"

namespace meteor {

/// Compresses a pretrained space by the scheme of the settings, which is not `none`. `categories` holds the category of
/// every unit. The result does not depend on the workers.
std::unique_ptr<Embeddings> fit_scheme(const Model& pretrained, const Uncompressed& space,
                                       std::span<const CategoryKey> categories, const Settings& settings,
                                       BlockWorkers& workers);

}  // namespace meteor
