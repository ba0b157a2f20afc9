#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "engine/run_state.h"

namespace meteor {

/// JSON of a file. Throws StorageError that begins with `what` when it is none, or nested more deeply than any of ours.
nlohmann::json parse_stored_json(std::string_view text, std::string_view what);

/// How far a run has come, but for its sightings.
nlohmann::json run_state_json(const RunState& run);

/// The same again. Throws StorageError when a number is missing, is none, or cannot be.
RunState run_state_from(const nlohmann::json& object);

}  // namespace meteor
