#include "storage/valid_checkpoint.h"

#include <algorithm>

#include "learning/valid_window.h"

namespace meteor {
namespace {

void require(bool holds, const char* fault) {
  if (!holds) throw StorageError(fault);
}

/// Windows without records have numbers, too, but after the last one that was learnt none has been counted.
void require_windows(const RunState& run, const Model& model, const LearntWindow* waiting) {
  require(run.windows > 0, "its run has learnt nothing");
  require(run.windows <= run.next_number, "its run has learnt more windows than there were");
  require(run.next_number == (waiting != nullptr ? waiting->units.window + 1 : model.windows),
          "its next window does not follow the last one that was learnt");
  require(run.windows <= run.records, "its run has learnt windows without records");
  require(run.records + run.skipped.too_small + run.skipped.late <= run.end.records,
          "its run has learnt or skipped more records than it has read");
}

/// The window that waits comes after those of the model, and its units are those of the vocabulary: the model's, and
/// new ones, all of which it holds.
void require_next(const LearntWindow& waiting, const StoredModel& stored) {
  require_valid(waiting.units, stored.settings.attributes.size());
  require_known(waiting.units, stored.vocabulary.attributes());
  require_valid(waiting.steps, waiting.units.size());
  require(waiting.units.window >= stored.model.windows, "the window that waits is in the model already");
  const auto is_new = [&](UnitId unit) { return index(unit) >= stored.model.units(); };
  const auto brought = std::count_if(waiting.units.units.begin(), waiting.units.units.end(), is_new);
  require(static_cast<std::size_t>(brought) == stored.vocabulary.size() - stored.model.units(),
          "a new unit is not in the window that waits");
}

/// Begins of windows are kept where units expire, and only there; they end with the last window.
void require_begins(const RunState& run, const Settings& settings) {
  const Expiry& expiry = run.expiry;
  require(expiry.last_look.has_value() == settings.model.expire.has_value(),
          "it does not tell when windows began although units expire, or the other way round");
  if (!expiry.last_look) return;
  require(!expiry.begins.empty() && expiry.begins.back().window + 1 == run.next_number,
          "the begins of windows do not end with the last one");
  require(*expiry.last_look <= expiry.begins.back().time, "units were looked through later than the last window");
}

/// A unit that has been seen often enough may wait all the same, but not for long: each record that held it and was
/// skipped had no other unit to learn.
void require_sighting(const Vocabulary& vocabulary, const std::string& key, const Vocabulary::Sighted& sighted,
                      const RunState& run) {
  const auto unit = vocabulary.unit_of_key(key);
  require(unit.has_value(), "a unit waits that belongs to no attribute");
  require(!vocabulary.find(unit->attribute, unit->name), "a unit waits that has been admitted");
  const std::uint64_t needed = vocabulary.min_count(unit->attribute);
  require(sighted.count > 0, "a unit waits that was never seen");
  require(needed > 1 && sighted.count < needed + run.skipped.too_small, "a unit waits that has been seen often enough");
  require(sighted.window < run.next_number, "a unit waits that was seen in a window that has not been");
}

}  // namespace

void require_valid(const Checkpoint& checkpoint) {
  const StoredModel& stored = checkpoint.stored;
  const RunState& run = checkpoint.run;
  const LearntWindow* const waiting = checkpoint.waiting ? &*checkpoint.waiting : nullptr;
  if (waiting != nullptr) require_next(*waiting, stored);
  require_windows(run, stored.model, waiting);
  require_begins(run, stored.settings);
  for (const auto& [key, sighted] : run.sightings) require_sighting(stored.vocabulary, key, sighted, run);
}

}  // namespace meteor
