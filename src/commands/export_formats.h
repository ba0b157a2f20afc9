#pragma once

#include <cstdint>
#include <filesystem>

#include "model/model.h"
#include "model/vocabulary.h"

namespace meteor {

struct ExportOutcome {
  std::uint64_t units = 0;
  std::uint64_t changed_names = 0;  ///< names with white space, or empty, that the format cannot hold
};

// Each writes the embeddings of the units of one attribute, decoded a block at a time. Files are complete or absent.

/// The text format of word2vec.
ExportOutcome export_word2vec(const Vocabulary& vocabulary, const Model& model, AttributeId attribute,
                              const std::filesystem::path& path);
/// A matrix in NumPy's format 1.0, and the names in `path`.txt.
ExportOutcome export_npy(const Vocabulary& vocabulary, const Model& model, AttributeId attribute,
                         const std::filesystem::path& path);
/// A folder with vectors.tsv and metadata.tsv (unit, count).
ExportOutcome export_projector(const Vocabulary& vocabulary, const Model& model, AttributeId attribute,
                               const std::filesystem::path& folder);

}  // namespace meteor
