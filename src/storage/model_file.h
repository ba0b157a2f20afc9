#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "model/array.h"
#include "model/model.h"
#include "model/vocabulary.h"

namespace meteor {

/// A model with what is needed to use it: the layout of its file is in docs/model-file.md.
struct StoredModel {
  Settings settings;
  Vocabulary vocabulary;
  Model model;
};

constexpr std::string_view kModelFormat = "meteor model";
constexpr std::string_view kCheckpointFormat = "meteor checkpoint";  ///< a model, and how far its run has come
constexpr std::uint64_t kModelFormatVersion = 3;

/// The units' names and everything the model holds, in the order of the arrays' names: what a file stores. The arrays
/// look at the vocabulary and the model.
std::vector<Array> model_content(const Vocabulary& vocabulary, const Model& model);

/// Identifies the content of a model: equal for equal names and arrays, wherever and however they were learnt.
std::string model_sha256(const Vocabulary& vocabulary, const Model& model);

/// What a file says it is.
struct FileKind {
  std::string format;           ///< kModelFormat or kCheckpointFormat
  std::string program_version;  ///< of the program that wrote it
  std::uint64_t format_version = 0;
};
/// Of a file whose seal fits; its arrays are not looked at. Throws StorageError as load_model does.
FileKind file_kind(const std::filesystem::path& path);

/// Writes a model; the file is complete or absent. Throws StorageError.
void save_model(const std::filesystem::path& path, const Settings& settings, const Vocabulary& vocabulary,
                const Model& model);

/// Reads a model, or that of a checkpoint, and checks that it is what was written. Throws StorageError that names the
/// file and what to do when it is missing, damaged, of another kind or of a newer format. A file made to mislead is
/// refused as well.
StoredModel load_model(const std::filesystem::path& path);

}  // namespace meteor
