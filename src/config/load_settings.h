#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"

namespace meteor {

/// Reads a TOML file, then applies `overrides`, each "key=value" with the value as in TOML or a bare text. Everything
/// that is wrong is reported at once: a UsageError with a line for each fault, naming place, key and what is expected.
/// A relative `categories` is meant from the folder of `file`.
Settings load_settings(const std::filesystem::path& file, std::span<const std::string> overrides = {});

/// Every setting with its default filled in; quantities as users write them. Attributes show only what concerns them.
nlohmann::ordered_json settings_json(const Settings& settings);
/// The settings that do not change what is learnt, as in "/parallel/threads".
std::vector<std::string> harmless_settings();
/// What differs between two outcomes of settings_json, a phrase each: "learning.seed was 1 and is 2". Settings in
/// `ignored`, as in "/learning/seed", may differ.
std::vector<std::string> setting_differences(const nlohmann::json& before, const nlohmann::json& now,
                                             std::span<const std::string> ignored);
/// Every setting as TOML that `load_settings` takes.
std::string settings_toml(const Settings& settings);

/// Reads what `settings_json` gave, as model files store it. Throws StorageError, which begins with `source`, tells the
/// first fault and counts the others: nobody mends the settings of a model. Files it names may be gone.
Settings settings_from_json(const nlohmann::json& object, const std::string& source);

}  // namespace meteor
