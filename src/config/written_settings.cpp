#include "config/written_settings.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

#include "support/error.h"

namespace meteor {
namespace {

using Json = nlohmann::json;

constexpr const char* no_attribute = "there is no attribute: give at least one section [[attribute]]";
constexpr const char* attribute_form = "attribute is not a list of sections: write each as [[attribute]]";

/// Null stands for what no setting takes (dates), so that it is refused with the form that is expected.
Json to_json(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* integer = node.as_integer()) return integer->get();
  if (const auto* number = node.as_floating_point()) return number->get();
  if (const auto* boolean = node.as_boolean()) return boolean->get();
  if (const auto* array = node.as_array()) {
    Json list = Json::array();
    for (const toml::node& element : *array) list.push_back(to_json(element));
    return list;
  }
  return nullptr;
}

std::string place_of(const toml::node& node, const std::string& file) {
  return fmt::format("{}:{}: ", file, node.source().begin.line);
}

void flatten(const toml::table& table, const std::string& prefix, const std::string& file, WrittenTable& values) {
  for (const auto& [key, node] : table) {
    const std::string full_key = prefix + std::string(key.str());
    if (const auto* inner = node.as_table()) {
      flatten(*inner, full_key + ".", file, values);
    } else {
      values[full_key] = {to_json(node), place_of(node, file)};
    }
  }
}

void flatten(const Json& object, const std::string& prefix, const std::string& place, WrittenTable& values) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_object()) {
      flatten(value, prefix + key + ".", place, values);
    } else {
      values[prefix + key] = {value, place};
    }
  }
}

std::string content_of(const std::filesystem::path& file) {
  if (std::filesystem::is_directory(file)) throw UsageError(file.string() + " is a folder, not a TOML file");
  std::ifstream stream(file, std::ios::binary);
  std::string content((std::istreambuf_iterator<char>(stream)), {});
  if (!stream) throw UsageError(fmt::format("{} cannot be read: {}", file.string(), std::strerror(errno)));
  return content;
}

bool is_utf8(const std::string& text) {
  try {
    Json(text).dump();
    return true;
  } catch (const Json::type_error&) {
    return false;
  }
}

/// As TOML if it is one value of it, else as a text, so that `1 hour` and `hour of day` need no quotes.
Json override_value(const std::string& text) {
  try {
    const toml::table table = toml::parse("value = " + text);
    const toml::node* node = table.get("value");
    if (table.size() == 1 && !node->is_table()) return to_json(*node);
  } catch (const toml::parse_error&) {
  }
  return text;
}

std::optional<std::string> name_of(const WrittenAttribute& attribute) {
  const auto name = attribute.values.find("name");
  if (name == attribute.values.end() || !name->second.value.is_string()) return {};
  return name->second.value.get<std::string>();
}

/// "attribute.items.min_count": a name may hold dots, a key does not.
void override_attribute(const std::string& full_key, WrittenValue value, WrittenSettings& written, Faults& faults) {
  const std::string inner = full_key.substr(std::strlen("attribute."));
  const std::size_t dot = inner.rfind('.');
  if (dot == std::string::npos) {
    faults.push_back(fmt::format("--set {} names no setting: write attribute.<name>.<key>=<value>", full_key));
    return;
  }
  const std::string name = inner.substr(0, dot);
  std::string known;
  for (WrittenAttribute& attribute : written.attributes) {
    const auto candidate = name_of(attribute);
    if (candidate == name) {
      attribute.values[inner.substr(dot + 1)] = std::move(value);
      return;
    }
    if (candidate) known += (known.empty() ? "" : ", ") + *candidate;
  }
  faults.push_back(fmt::format("--set {} names no attribute: there is {}", full_key, known.empty() ? "none" : known));
}

}  // namespace

std::string WrittenAttribute::label(std::size_t position) const {
  const auto name = name_of(*this);
  return name && !name->empty() ? "attribute." + *name : fmt::format("attribute {}", position + 1);
}

WrittenSettings read_toml_settings(const std::filesystem::path& file, Faults& faults) {
  const std::string name = file.string();
  toml::table table;
  try {
    table = toml::parse(content_of(file), name);
  } catch (const toml::parse_error& fault) {
    const auto& position = fault.source().begin;
    throw UsageError(fmt::format("{}:{}:{}: {}", name, position.line, position.column, fault.description()));
  }

  WrittenSettings written{.place = name + ": ", .values = {}, .attributes = {}};
  const toml::array none;
  const toml::node* node = table.contains("attribute") ? table.get("attribute") : &none;
  if (const toml::array* list = node->as_array()) {
    if (list->empty()) faults.push_back(written.place + no_attribute);
    for (const toml::node& element : *list) {
      if (const auto* inner = element.as_table()) {
        WrittenAttribute& attribute = written.attributes.emplace_back(WrittenAttribute{place_of(element, name), {}});
        flatten(*inner, "", name, attribute.values);
      } else {
        faults.push_back(place_of(element, name) + attribute_form);
      }
    }
  } else {
    faults.push_back(place_of(*node, name) + attribute_form);
  }
  table.erase("attribute");
  flatten(table, "", name, written.values);
  return written;
}

WrittenSettings read_json_settings(const Json& object, const std::string& source, Faults& faults) {
  WrittenSettings written{.place = source + ": ", .values = {}, .attributes = {}};
  if (!object.is_object()) {
    faults.push_back(written.place + "the settings are not a JSON object");
    return written;
  }
  Json rest = object;
  const Json list = rest.value("attribute", Json::array());
  rest.erase("attribute");
  if (!list.is_array() || list.empty()) faults.push_back(written.place + no_attribute);
  for (const Json& element : list) {
    if (element.is_object()) {
      WrittenAttribute& attribute = written.attributes.emplace_back(WrittenAttribute{written.place, {}});
      flatten(element, "", written.place, attribute.values);
    } else {
      faults.push_back(written.place + attribute_form);
    }
  }
  flatten(rest, "", written.place, written.values);
  return written;
}

void apply_override(const std::string& assignment, WrittenSettings& written, Faults& faults) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    faults.push_back(fmt::format("--set {} gives no value: write --set key=value", assignment));
    return;
  }
  if (!is_utf8(assignment)) {
    faults.push_back("--set " + assignment + " is not UTF-8 text");
    return;
  }
  const std::string key = assignment.substr(0, equals);
  WrittenValue value{override_value(assignment.substr(equals + 1)), "--set "};
  if (key.starts_with("attribute.")) {
    override_attribute(key, std::move(value), written, faults);
  } else {
    written.values[key] = std::move(value);
  }
}

}  // namespace meteor
