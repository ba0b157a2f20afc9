#include <fmt/format.h>

#include <algorithm>

#include "config/load_settings.h"
#include "config/setting_list.h"

namespace meteor {
namespace {

using nlohmann::ordered_json;

/// Puts "section.key" into the object of its section; a setting that is off is left out.
struct Writer {
  ordered_json& object;

  template <class Member, class Check>
  void operator()(const SettingEntry& entry, const Member& member, const Check& /*check*/) {
    const nlohmann::json value = write_value(member);
    if (value.is_null()) return;
    const std::string name(entry.name);
    (entry.section.empty() ? object[name] : object[std::string(entry.section)][name]) = value;
  }
};

/// Collects the settings that change nothing that is learnt, as "/section/name".
struct Harmless {
  std::vector<std::string> keys;

  template <class Member, class Check>
  void operator()(const SettingEntry& entry, const Member& /*member*/, const Check& /*check*/) {
    if (entry.effect == Effect::harmless) keys.push_back(fmt::format("/{}/{}", entry.section, entry.name));
  }
};

/// JSON's values are TOML's too, once DEL is escaped.
std::string toml_value(const ordered_json& value) {
  std::string text;
  for (char c : value.dump()) text += c == '\x7f' ? std::string("\\u007f") : std::string(1, c);
  return text;
}

std::string toml_lines(const ordered_json& section) {
  std::string lines;
  for (const auto& [key, value] : section.items()) lines += fmt::format("{} = {}\n", key, toml_value(value));
  return lines;
}

}  // namespace

ordered_json settings_json(const Settings& settings) {
  ordered_json object;
  object["stream"] = ordered_json::object();
  object["attribute"] = ordered_json::array();
  Writer writer{object};
  for_each_setting(settings, writer);
  for (const AttributeSettings& attribute : settings.attributes) {
    ordered_json described = ordered_json::object();
    Writer attribute_writer{described};
    for_each_attribute_setting(attribute, attribute_writer);
    if (attribute.latitude.empty()) described.erase("grid");
    object["attribute"].push_back(std::move(described));
  }
  return object;
}

std::vector<std::string> harmless_settings() {
  Harmless harmless;
  const Settings settings;
  for_each_setting(settings, harmless);
  return harmless.keys;
}

std::vector<std::string> setting_differences(const nlohmann::json& before, const nlohmann::json& now,
                                             std::span<const std::string> ignored) {
  const nlohmann::json old_values = before.flatten();
  const nlohmann::json new_values = now.flatten();
  std::vector<std::string> differing;
  const auto text = [](const nlohmann::json& object, const std::string& key) {
    return object.contains(key) ? object[key].dump() : std::string("not set");
  };
  const auto compare = [&](const std::string& key) {
    if (std::find(ignored.begin(), ignored.end(), key) != ignored.end()) return;
    if (text(old_values, key) == text(new_values, key)) return;
    std::string name = key.substr(1);
    std::replace(name.begin(), name.end(), '/', '.');
    differing.push_back(fmt::format("{} was {} and is {}", name, text(old_values, key), text(new_values, key)));
  };
  for (const auto& [key, value] : old_values.items()) compare(key);
  for (const auto& [key, value] : new_values.items()) {
    if (!old_values.contains(key)) compare(key);
  }
  return differing;
}

std::string settings_toml(const Settings& settings) {
  std::string text;
  const ordered_json object = settings_json(settings);
  for (const auto& [name, section] : object.items()) {
    if (!section.is_array()) text += fmt::format("{}[{}]\n{}", text.empty() ? "" : "\n", name, toml_lines(section));
    if (!section.is_array()) continue;
    for (const ordered_json& attribute : section) text += fmt::format("\n[[{}]]\n{}", name, toml_lines(attribute));
  }
  return text;
}

}  // namespace meteor
