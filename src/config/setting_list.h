#pragma once

#include <string>
#include <string_view>

#include "config/setting_values.h"
#include "config/settings.h"
#include "support/printable.h"

namespace meteor {

/// Whether another value of a setting may change what is learnt.
enum class Effect { result, harmless };

/// What is known of a setting besides its value.
struct SettingEntry {
  std::string_view section;  ///< empty for a setting of an attribute
  std::string_view name;
  Effect effect;
  std::string_view meaning;  ///< in Markdown, as in docs/settings.md

  std::string key() const { return (section.empty() ? "" : std::string(section) + ".") + std::string(name); }
};

/// What is allowed where a type allows too much, in words and as a function.
template <class Value>
struct SettingCheck {
  const char* expected;
  bool (*holds)(Value);
};

namespace checks {

/// All that the type says.
struct Any {};
inline constexpr Any any;

using Number = SettingCheck<double>;
inline constexpr Number positive{"a number above 0", [](double value) { return value > 0; }};
inline constexpr Number seconds{"a number of seconds above 0", [](double value) { return value > 0; }};
inline constexpr Number not_negative{"a number from 0 on", [](double value) { return value >= 0; }};
inline constexpr Number share{"a number above 0 and at most 1", [](double value) { return value > 0 && value <= 1; }};
inline constexpr Number fraction{"a number from 0 to 1", [](double value) { return value >= 0 && value <= 1; }};

using Count = SettingCheck<std::uint64_t>;
inline constexpr Count count{"a whole number from 1 to 4294967295", [](std::uint64_t value) { return value >= 1; }};
inline constexpr Count from_one_on{"a whole number from 1 on", [](std::uint64_t value) { return value >= 1; }};
inline constexpr Count zero_or_one{"0 or 1", [](std::uint64_t value) { return value <= 1; }};
inline constexpr Count thread_count{"a whole number from 1 to 1024",
                                    [](std::uint64_t value) { return value >= 1 && value <= 1024; }};
inline constexpr Count bit_count{"a whole number from 1 to 16",
                                 [](std::uint64_t value) { return value >= 1 && value <= 16; }};
inline constexpr Count dimension{"a whole number from 1 to 65536",
                                 [](std::uint64_t value) { return value >= 1 && value <= 65536; }};

using Text = SettingCheck<const std::string&>;
/// Units are written attribute:name or attribute=name, and files use a folder an attribute.
inline constexpr Text attribute_name{"a name without : = / and control characters", [](const std::string& name) {
                                       return !name.empty() && name.find_first_of(":=/") == std::string::npos &&
                                              printable(name) == name;
                                     }};
inline constexpr Text some_text{"the name of a column", [](const std::string& text) { return !text.empty(); }};

}  // namespace checks

// Loading, the refusal of unknown keys and the output of settings walk through all of them: visit(entry, member,
// check).

/// `S` is Settings, const or not.
template <class S, class Visit>
void for_each_setting(S&& settings, Visit& visit) {
#define SECTION(type, section)        \
  {                                   \
    auto& members = settings.section; \
    constexpr std::string_view section_name = #section;
#define SETTING(type, name, value, effect, check, meaning) \
  visit(SettingEntry{section_name, #name, Effect::effect, meaning}, members.name, checks::check);
#define END_SECTION }
#include "config/settings.def"
#undef SECTION
#undef SETTING
#undef END_SECTION
}

/// `A` is AttributeSettings, const or not.
template <class A, class Visit>
void for_each_attribute_setting(A&& attribute, Visit& visit) {
#define SETTING(type, name, value, effect, check, meaning) \
  visit(SettingEntry{"", #name, Effect::effect, meaning}, attribute.name, checks::check);
#include "config/attribute_settings.def"
#undef SETTING
}

}  // namespace meteor
