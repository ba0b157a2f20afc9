#include "config/load_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <set>
#include <type_traits>

#include "config/setting_list.h"
#include "config/written_settings.h"
#include "support/error.h"
#include "support/nearest_name.h"

namespace meteor {
namespace {

std::string shown(const Json& value) {
  if (value.is_null()) return "of a type that no setting has";
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Moves written values into the members they belong to. What is left in the end was never a setting.
class Reader {
 public:
  Reader(std::string prefix, WrittenTable& values, Faults& faults)
      : prefix_(std::move(prefix)), values_(values), faults_(faults) {}

  template <class Member, class Check>
  void operator()(const SettingEntry& entry, Member& member, const Check& check) {
    if constexpr (std::is_same_v<Check, checks::Any>) {
      read(entry.key(), member, form_of(member), [](const auto&) { return true; });
    } else {
      read(entry.key(), member, check.expected, check.holds);
    }
  }

  void refuse_the_rest() {
    for (const auto& [key, written] : values_) {
      const std::string full_key = prefix_ + key;
      const auto meant = likely_key(full_key);
      faults_.push_back(fmt::format("{}{} is not a setting{}", written.place, full_key,
                                    meant ? fmt::format("; did you mean {}?", *meant) : ""));
    }
  }

 private:
  template <class Member, class Holds>
  void read(const std::string& key, Member& member, const std::string& expected, Holds holds) {
    known_.push_back(prefix_ + key);
    const auto found = values_.find(key);
    if (found == values_.end()) return;
    const auto& [value, place] = found->second;
    if (!read_value(value, member) || !holds(member)) {
      faults_.push_back(fmt::format("{}{}{} is {}: use {}", place, prefix_, key, shown(value), expected));
    }
    values_.erase(found);
  }

  /// A key that lacks its section is a frequent slip that edit distance would not see.
  std::optional<std::string> likely_key(const std::string& key) const {
    const auto sectioned = std::find_if(known_.begin(), known_.end(),
                                        [&](const std::string& candidate) { return candidate.ends_with("." + key); });
    if (sectioned != known_.end()) return *sectioned;
    return nearest_name(key, known_);
  }

  std::string prefix_;
  WrittenTable& values_;
  Faults& faults_;
  std::vector<std::string> known_;
};

/// What the keys of one attribute must be to each other. Looks at what was written, not at what was understood, so that
/// one slip is reported once.
void check_combination(const WrittenAttribute& written, const std::string& label, bool is_explicit, Faults& faults) {
  const auto given = [&](const char* key) {
    const auto found = written.values.find(key);
    return found != written.values.end() && found->second.value != Json("");
  };
  const auto refuse = [&](const std::string& words) { faults.push_back(written.place + label + " " + words); };

  if (!written.values.contains("name")) refuse("has no name: give name = \"...\"");
  const bool position = given("latitude") || given("longitude");
  const int sources = int{given("column")} + int{position} + int{given("time")};
  if (sources == 0) refuse("has no source: give column, latitude and longitude, or time");
  if (sources > 1) refuse("has several sources: give only one of column, latitude and longitude, or time");
  if (given("latitude") != given("longitude")) refuse("needs both latitude and longitude");
  if (given("grid") && !position) refuse("has a grid, which needs latitude and longitude");
  if (given("separator") && given("tokens")) refuse("has separator and tokens: give only one of them");
  if (given("separator") && !given("column")) refuse("has a separator, which needs column");
  if (given("tokens") && !given("column")) refuse("has tokens, which needs column");
  if (is_explicit && !given("categories")) refuse("has clusters = \"explicit\", which needs categories");
  if (given("categories") && !is_explicit) refuse("has categories, which needs clusters = \"explicit\"");
}

void check_names(const std::vector<WrittenAttribute>& attributes, Faults& faults) {
  std::set<std::string> seen;
  for (const WrittenAttribute& attribute : attributes) {
    const auto name = attribute.values.find("name");
    if (name == attribute.values.end() || !name->second.value.is_string()) continue;
    const std::string text = name->second.value.get<std::string>();
    if (!seen.insert(text).second) {
      faults.push_back(
          fmt::format("{}attribute.name is \"{}\" a second time: use another name", attribute.place, text));
    }
  }
}

Settings understand(WrittenSettings& written, Faults& faults) {
  Settings settings;
  Reader reader("", written.values, faults);
  for_each_setting(settings, reader);
  reader.refuse_the_rest();
  if (settings.model.expire && !can_forget(settings.compression.scheme)) {
    faults.push_back(
        fmt::format("{}model.expire renumbers units, and compression.scheme = \"{}\" tells a unit's vector from its "
                    "number: use one of the two",
                    written.place, write_value(settings.compression.scheme).get<std::string>()));
  }

  constexpr std::size_t most_attributes = std::numeric_limits<std::uint16_t>::max();
  if (written.attributes.size() > most_attributes) {
    faults.push_back(fmt::format("{}there are {} attributes: use at most {}", written.place, written.attributes.size(),
                                 most_attributes));
  }
  check_names(written.attributes, faults);
  for (std::size_t i = 0; i < written.attributes.size(); ++i) {
    const WrittenAttribute& attribute = written.attributes[i];
    const std::string label = attribute.label(i);
    AttributeSettings& understood = settings.attributes.emplace_back();
    WrittenTable values = attribute.values;
    Reader attribute_reader(label + ".", values, faults);
    for_each_attribute_setting(understood, attribute_reader);
    attribute_reader.refuse_the_rest();
    check_combination(attribute, label, understood.clusters == ClusterSource::categories, faults);
  }
  return settings;
}

void find_categories(const std::filesystem::path& folder, const WrittenSettings& written, Settings& settings,
                     Faults& faults) {
  for (std::size_t i = 0; i < settings.attributes.size(); ++i) {
    std::filesystem::path& categories = settings.attributes[i].categories;
    if (categories.empty()) continue;
    categories = (folder / categories).lexically_normal();
    std::error_code ignored;
    if (std::filesystem::exists(categories, ignored)) continue;
    const WrittenAttribute& attribute = written.attributes[i];
    faults.push_back(fmt::format("{}{}.categories is \"{}\", which does not exist",
                                 attribute.values.at("categories").place, attribute.label(i), categories.string()));
  }
}

}  // namespace

Settings load_settings(const std::filesystem::path& file, std::span<const std::string> overrides) {
  Faults faults;
  WrittenSettings written = read_toml_settings(file, faults);
  for (const std::string& assignment : overrides) apply_override(assignment, written, faults);
  Settings settings = understand(written, faults);
  find_categories(file.parent_path(), written, settings, faults);
  if (!faults.empty()) throw UsageError(fmt::format("{}", fmt::join(faults, "\n")));
  return settings;
}

Settings settings_from_json(const nlohmann::json& object, const std::string& source) {
  Faults faults;
  WrittenSettings written = read_json_settings(object, source, faults);
  Settings settings = understand(written, faults);
  if (faults.empty()) return settings;
  const std::size_t more = faults.size() - 1;
  throw StorageError(more == 0 ? faults[0]
                               : fmt::format("{}; and {} more fault{}", faults[0], more, more > 1 ? "s" : ""));
}

}  // namespace meteor
