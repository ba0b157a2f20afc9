#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "storage/model_file.h"

namespace meteor {

/// What a file says about its model besides the arrays.
struct ModelHead {
  std::string scheme;
  std::uint64_t dimension = 0;
  std::uint64_t windows = 0;
};

/// All that a file of ours holds.
struct FileContent {
  std::string format;
  Settings settings;
  ModelHead head;
  std::vector<Array> arrays;  ///< in the order of their names
};

/// The content of a model's file. The arrays look at the vocabulary and the model.
FileContent file_content(const Settings& settings, const Vocabulary& vocabulary, const Model& model);

// Here and in learning/valid_window.h it is decided what a valid model is: for files, for replicas, and for what the
// ranks of a job tell each other. What else a checkpoint holds is looked at in valid_checkpoint.h, and what ranks make
// of parts of a model by the checks of each BlockJob (model/block_work.h).

/// Writes a file; it is complete or absent. Throws StorageError.
void write_content(const std::filesystem::path& path, const FileContent& content);

/// Reads a model or a checkpoint and checks that it is what was written. Throws StorageError as load_model does.
FileContent read_content(const std::filesystem::path& path);

/// Rebuilds the embeddings of units of these attributes from a model's arrays. Throws StorageError when they do not fit
/// together.
std::unique_ptr<Embeddings> rebuild_embeddings(const Settings& settings, const ModelHead& head,
                                               std::span<const AttributeId> attributes, std::span<const Array> arrays);

/// Rebuilds a replica from the model's arrays; it has no counts and last windows. Throws StorageError when they do not
/// fit together, whoever made them.
Model rebuild_replica(const Settings& settings, const ModelHead& head, std::vector<Array> arrays);

/// Lets a replica follow what a window did to these units of the model. Throws StorageError when the changes do not fit
/// it, whoever made them; it is of no use then.
void follow_changes(Model& replica, const Settings& settings, std::span<const UnitId> units,
                    std::span<const Array> changes);

/// Rebuilds a model from what `model_content` gave, and frees the arrays on the way, so that little is held twice.
/// Throws StorageError when they do not fit together, whoever made them.
StoredModel rebuild_model(FileContent content);

}  // namespace meteor
