#pragma once

#include <vector>

#include "storage/model_file.h"

namespace meteor {

/// What a file says about its model besides the arrays.
struct ModelHead {
  std::string scheme;
  std::uint64_t dimension = 0;
  std::uint64_t windows = 0;
};

/// Rebuilds the embeddings of so many units from a model's arrays. Throws StorageError when they do not fit together.
std::unique_ptr<Embeddings> rebuild_embeddings(const Settings& settings, const ModelHead& head, std::size_t units,
                                               std::span<const Array> arrays);

/// Rebuilds a model from what `model_content` gave, and frees the arrays on the way, so that little is held twice.
/// Throws StorageError when they do not fit together, whoever made them.
StoredModel rebuild_model(Settings settings, const ModelHead& head, std::vector<Array> arrays);

}  // namespace meteor
