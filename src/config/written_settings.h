#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace meteor {

/// One sentence a fault, each with its place.
using Faults = std::vector<std::string>;

/// A value before it is understood. `place` is what a fault begins with: "a.toml:3: " or "--set ".
struct WrittenValue {
  nlohmann::json value;
  std::string place;
};
using WrittenTable = std::map<std::string, WrittenValue>;

struct WrittenAttribute {
  std::string place;
  WrittenTable values;
  /// "attribute.items", or "attribute 2" for one without a name.
  std::string label(std::size_t position) const;
};

/// Settings as somebody wrote them: values by their full key, attributes in order.
struct WrittenSettings {
  std::string place;
  WrittenTable values;
  std::vector<WrittenAttribute> attributes;
};

/// Throws UsageError when the file cannot be read or is not TOML.
WrittenSettings read_toml_settings(const std::filesystem::path& file, Faults& faults);
WrittenSettings read_json_settings(const nlohmann::json& object, const std::string& source, Faults& faults);
/// Puts one "key=value" of the command line into its place.
void apply_override(const std::string& assignment, WrittenSettings& written, Faults& faults);

}  // namespace meteor
