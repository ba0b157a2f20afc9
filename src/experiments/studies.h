#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "config/settings.h"

namespace meteor {

// What the paper's figures show besides the quality of methods, for a stream and the settings that it is learnt with.
// Units are never forgotten here, whatever the settings say.

/// Of every attribute, and in each window after pretraining: the share of the units seen so far that appear in it.
nlohmann::ordered_json study_presence(const std::string& input, const Settings& configured);

/// After each window behind pretraining: the share of its units that would change their cluster if they might
/// (ClusterDrift). Clusters are those of the paper's scheme at the end of pretraining; embeddings are full, as no
/// cluster holds them back.
nlohmann::ordered_json study_drift(const std::string& input, const Settings& configured);

/// The clusters of the paper's scheme at the end of pretraining: units and basis vectors of each.
nlohmann::ordered_json study_sizes(const std::string& input, const Settings& configured);

}  // namespace meteor
