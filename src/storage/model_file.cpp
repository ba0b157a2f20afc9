#include "storage/model_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "config/load_settings.h"
#include "storage/file_seal.h"
#include "storage/hdf5_file.h"
#include "storage/model_content.h"
#include "storage/run_state_json.h"
#include "support/file_replacement.h"
#include "support/printable.h"
#include "support/version.h"

namespace meteor {
namespace {

using nlohmann::json;

std::string json_text(const nlohmann::ordered_json& object) {
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::vector<std::string> attribute_names(const Settings& settings) {
  std::vector<std::string> names;
  for (const AttributeSettings& attribute : settings.attributes) names.push_back(attribute.name);
  return names;
}

json read_json(const Hdf5Input& file, const std::string& attribute) {
  return parse_stored_json(file.text(attribute), fmt::format("attribute {}", attribute));
}

/// Why this program cannot take the file for a model, if so.
std::optional<std::string> refusal(const Hdf5Input& file, const std::string& path) {
  const std::string format = file.has_attribute("format") ? file.text("format") : "";
  if (format != kModelFormat && format != kCheckpointFormat) {
    return fmt::format("{} is an HDF5 file, but not a model of meteor", path);
  }
  const std::uint64_t version = file.number("format_version");
  if (version <= kModelFormatVersion) return std::nullopt;
  return fmt::format(
      "{} was written by meteor {} in format version {}, and this program ({}) reads versions up to {}: use a newer "
      "meteor",
      path, printable(file.text("program_version")), version, program_version(), kModelFormatVersion);
}

/// What `read` gives; its failure is told as damage to the file.
template <class Read>
auto read_or_damaged(const std::string& path, Read read) {
  try {
    return read();
  } catch (const StorageError& fault) {
    throw StorageError(fmt::format("{} is damaged ({}): restore it from a copy or train again", path, fault.what()));
  }
}

/// Throws when this program cannot take the file for a model or checkpoint. Files of all versions are sealed, and the
/// library, which damage may crash, sees none whose seal does not fit.
Hdf5Input open_ours(const std::filesystem::path& path) {
  check_seal(path);
  Hdf5Input file(path);
  const auto refused = read_or_damaged(path.string(), [&] { return refusal(file, path.string()); });
  if (refused) throw StorageError(*refused);
  return file;
}

FileContent read_all(const Hdf5Input& file, Settings settings) {
  if (read_json(file, "attributes") != json(attribute_names(settings))) {
    throw StorageError("its attributes are not those of its settings");
  }
  return {file.text("format"),
          std::move(settings),
          {file.text("scheme"), file.number("dimension"), file.number("windows")},
          file.read_all()};
}

void fill_file(const std::filesystem::path& path, const FileContent& content) {
  Hdf5Output file(path);
  file.set_text("format", content.format);
  file.set_number("format_version", kModelFormatVersion);
  file.set_text("program_version", program_version());
  file.set_text("settings", json_text(settings_json(content.settings)));
  file.set_text("model_sha256", content_hash(content.arrays));
  file.set_number("dimension", content.head.dimension);
  file.set_number("windows", content.head.windows);
  file.set_text("scheme", content.head.scheme);
  file.set_text("attributes", json_text(attribute_names(content.settings)));
  for (const Array& array : content.arrays) file.write(array);
  file.close();
  seal_file(path);
}

}  // namespace

void write_content(const std::filesystem::path& path, const FileContent& content) {
  try {
    FileReplacement file(path, Targets::files);
    try {
      fill_file(file.unfinished(), content);
    } catch (const StorageError& fault) {
      throw StorageError(fmt::format("cannot write {}: {}", path.string(), fault.what()));
    }
    file.commit();
  } catch (const Error& fault) {
    throw StorageError(fault.what());
  }
}

FileContent read_content(const std::filesystem::path& path) {
  const std::string name = path.string();
  const Hdf5Input file = open_ours(path);
  const json written = read_or_damaged(name, [&] { return read_json(file, "settings"); });
  Settings settings = settings_from_json(written, name + ": settings");
  return read_or_damaged(name, [&] { return read_all(file, std::move(settings)); });
}

FileKind file_kind(const std::filesystem::path& path) {
  const Hdf5Input file = open_ours(path);
  return read_or_damaged(path.string(), [&] {
    return FileKind{file.text("format"), file.text("program_version"), file.number("format_version")};
  });
}

void save_model(const std::filesystem::path& path, const Settings& settings, const Vocabulary& vocabulary,
                const Model& model) {
  write_content(path, file_content(settings, vocabulary, model));
}

StoredModel load_model(const std::filesystem::path& path) {
  FileContent content = read_content(path);
  return read_or_damaged(path.string(), [&] { return rebuild_model(std::move(content)); });
}

}  // namespace meteor
