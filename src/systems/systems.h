#pragma once

#include <optional>
#include <string>

#include "config/settings.h"
#include "systems/counting.h"

namespace meteor {

/// METEOR, or a system that it is compared with.
struct System {
  Settings settings;                        ///< the configured ones, as far as the system leaves them
  std::optional<CountedBy> counts_by = {};  ///< it does not learn

  /// "log lift" or "paper", or "other" for a shift that was chosen; "none" where nothing is learnt.
  std::string loss() const;
};

/// The system of that name, as in "full" or "quantization:4". Throws UsageError if there is none.
System system_of(const std::string& name, const Settings& configured);

/// Throws UsageError if the system, or its settings, cannot be evaluated on this input.
void check_evaluable(const System& system, const std::string& input);

/// All names, each with what it is, a line each.
std::string describe_systems();

}  // namespace meteor
