#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "engine/online_embedding.h"
#include "engine/stream_run.h"
#include "support/progress.h"

namespace meteor {

/// "2011-03-01T12:00:00Z"
std::string iso_time(std::int64_t unix_seconds);

/// The line that `train --metrics` writes for a window.
nlohmann::ordered_json window_metrics(const WindowReport& report, const RunTotals& totals,
                                      const OnlineEmbedding& embedding, const LearningSettings& learning);

/// How far a run is after a window, as `progress` shows it.
void show_progress(Progress& progress, ProgressState& state, const WindowReport& report, const RunTotals& totals);

/// What `evaluate --json` and metrics say about the cost of a run, added to `object`: sizes, speeds, seconds in each
/// phase, memory.
void add_cost(nlohmann::ordered_json& object, const RunTotals& totals, const Crew& crew, const ModelSize& size);

}  // namespace meteor
