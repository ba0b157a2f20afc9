#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "model/block_work.h"
#include "model/model.h"

namespace meteor {

/// What a scheme is fitted to: a pretrained model, whose embeddings are not compressed, and the category of every unit.
struct FitTask {
  const Model& pretrained;
  std::span<const CategoryKey> categories;
  const Settings& settings;
  BlockWorkers& workers;
};

/// Embeddings as a file or a message holds them, which may be anything.
struct StoredEmbeddings {
  const Settings& settings;
  std::size_t dimension;
  std::span<const AttributeId> attributes;  ///< of each unit
  std::span<const Array> arrays;
};

/// A form in which embeddings are kept. Each has a line in config/scheme_list.h and a function `name_scheme()`.
struct Scheme {
  /// The result does not depend on the workers. Null where nothing is compressed.
  std::unique_ptr<Embeddings> (*fit)(const FitTask& task);
  /// Throws StorageError where the arrays are not valid or do not fit each other and the settings.
  std::unique_ptr<Embeddings> (*rebuild)(const StoredEmbeddings& stored);
  std::vector<const BlockJob*> jobs;  ///< all that it, or what it builds on, shares out
};

const Scheme& scheme_of(CompressionScheme scheme);
/// Null if there is none of that name.
const Scheme* scheme_named(std::string_view name);

/// Compresses by the scheme of the settings, which is not `none`.
std::unique_ptr<Embeddings> fit_scheme(const FitTask& task);

/// The job of any scheme that has this name; null if there is none.
const BlockJob* block_job_named(std::string_view name);

}  // namespace meteor
