#pragma once

#include <filesystem>

#include "config/settings.h"
#include "learning/shard.h"
#include "model/vocabulary.h"
#include "support/file_replacement.h"

namespace meteor {

/// What `evaluate` asks, as JSON lines, so that any program can answer the same queries: docs/queries.md describes
/// them.
class QueryFile {
 public:
  /// `settings` must outlive it. Throws Error when the file cannot be created.
  QueryFile(const std::filesystem::path& path, const Settings& settings) : settings_(settings), file_(path) {}

  /// The queries of a window, whose units the vocabulary names.
  void write(const Window& window, const WindowUnits& units, const Vocabulary& vocabulary);
  /// Gives the file its name. Throws Error when anything could not be written.
  void commit() { file_.commit(); }

 private:
  const Settings& settings_;
  FileReplacement file_;
};

}  // namespace meteor
