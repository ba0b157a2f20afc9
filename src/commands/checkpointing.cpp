#include "commands/checkpointing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "config/load_settings.h"
#include "support/log.h"
#include "support/phases.h"
#include "support/stop_signal.h"

namespace meteor {
namespace {

std::optional<Checkpoint> find(const CheckpointFolder& folder, ResumeMode mode, const std::string& name) {
  if (mode == ResumeMode::never) return std::nullopt;
  std::optional<Checkpoint> found = folder.newest();
  if (!found && mode == ResumeMode::require) {
    throw StorageError(fmt::format("{} holds no checkpoint, and --resume require asks for one", name));
  }
  return found;
}

}  // namespace

Checkpointing::Checkpointing(const std::string& folder, ResumeMode mode, const CheckpointSettings& settings)
    : settings_(settings),
      folder_(folder),
      found_(find(folder_, mode, folder)),
      writer_(folder_, settings, mode == ResumeMode::never) {
  if (found_) last_windows_ = found_->run.windows;
}

std::optional<Checkpoint> Checkpointing::take_found() { return std::exchange(found_, std::nullopt); }

bool Checkpointing::due(const RunState& run) {
  asked_ = take_checkpoint_request() || asked_;
  if (asked_) return true;
  const std::chrono::duration<double, std::ratio<60>> minutes = Clock::now() - last_time_;
  const bool by_windows = settings_.every_windows > 0 && run.windows - last_windows_ >= settings_.every_windows;
  const bool by_time = settings_.every_minutes > 0 && minutes.count() >= settings_.every_minutes;
  return (by_windows || by_time) && !writer_.busy();
}

double Checkpointing::at_rest(const Settings& settings, const Vocabulary& vocabulary, const OnlineEmbedding& embedding,
                              const RunState& run, std::mutex& admitting) {
  double seconds = 0;
  if (due(run)) {
    const PhaseTimer timer(seconds);
    const std::lock_guard lock(admitting);
    write(settings, vocabulary, embedding, run);
  }
  return seconds;
}

void Checkpointing::write(const Settings& settings, const Vocabulary& vocabulary, const OnlineEmbedding& embedding,
                          const RunState& run) {
  writer_.write(checkpoint_content(settings, vocabulary, embedding.model(), run, embedding.waiting()), run.windows);
  last_windows_ = run.windows;
  last_time_ = Clock::now();
  asked_ = false;
}

bool Checkpointing::finish(const Settings& settings, const Vocabulary& vocabulary, const OnlineEmbedding& embedding,
                           const RunState& run) {
  if (run.windows > 0 && (last_windows_ != run.windows || !writer_.finish())) {
    write(settings, vocabulary, embedding, run);
  }
  return run.windows > 0 && writer_.finish();
}

void check_same_settings(const Settings& stored, const Settings& settings) {
  const auto differing = setting_differences(settings_json(stored), settings_json(settings), harmless_settings());
  if (differing.empty()) return;
  throw UsageError(fmt::format(
      "the checkpoint was made with other settings: {}; use those, or start anew with --resume never or another "
      "--checkpoint-dir",
      fmt::join(differing, "; ")));
}

void check_same_categories(const RunState& stored, const Categories& categories, const Settings& settings) {
  for (const AttributeSettings& attribute : settings.attributes) {
    const auto before = stored.categories.find(attribute.name);
    const auto now = categories.hashes().find(attribute.name);
    if (before == stored.categories.end() || now == categories.hashes().end() || before->second == now->second)
      continue;
    throw UsageError(fmt::format(
        "{}, the categories of attribute {}, have changed since the checkpoint was made: restore them, or start anew "
        "with --resume never or another --checkpoint-dir",
        attribute.categories.string(), attribute.name));
  }
}

}  // namespace meteor
