#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "config/settings.h"
#include "methods/crew.h"
#include "methods/run_state.h"
#include "methods/window_ahead.h"
#include "model/model.h"
#include "model/unit_categories.h"
#include "support/phases.h"

namespace meteor {

/// What learning one window did.
struct WindowReport {
  std::uint64_t window = 0;
  std::int64_t begin = 0;
  bool pretraining = false;
  std::uint64_t records = 0;
  std::uint64_t new_units = 0;
  std::uint64_t expired = 0;  ///< units that were forgotten after it
  std::uint64_t unit_steps = 0;
  std::uint32_t shards = 0;
  double loss = 0;               ///< mean of Eq. 3 over the units of the last epoch
  double compression_error = 0;  ///< share of the energy that compression lost; with staleness, of the window before
  bool refitted = false;         ///< basis and bits were fitted anew
  double imbalance = 1;
  Traffic traffic;  ///< of this window
  PhaseSeconds seconds;
  double elapsed = 0;    ///< seconds from the end of the window before, or the start, to the end of this one
  RetrievalScore score;  ///< if the window was tested
};

/// METEOR's loop: cut a window into shards, let the crew rebuild their costly embeddings and learn them, merge, and
/// compress what came of it. Until compress() is called embeddings are kept as they are: that is pretraining, and for
/// the scheme `none` it never ends. With staleness 1 a window is learnt while the one before it is compressed.
class OnlineEmbedding {
 public:
  /// Starts from nothing. `settings` and `crew` must outlive it.
  OnlineEmbedding(const Settings& settings, Crew& crew);
  /// Goes on from a model, and from a window that waits to be compressed; `categories` are those of the model's units
  /// and, after them, of others that the window holds.
  OnlineEmbedding(const Settings& settings, Crew& crew, Model model, std::span<const CategoryKey> categories,
                  std::optional<LearntWindow> waiting = {});

  /// Learns a window, after testing it if asked to. Throws NotFinite or NumericError. Throws Abandoned soon after
  /// `abandon` says true, unless the window cannot be given up any more; the model is then what it was before, and no
  /// other window may be learnt.
  WindowReport learn(const ReadWindow& read, bool asks, const std::function<bool()>& abandon = {});
  /// Compresses what has been learnt, if it has not been yet: a window that waits for it, and pretraining as a whole,
  /// which it ends.
  void compress();
  /// Takes over a window that waits to be compressed.
  void catch_up();

  /// Forgets the units that no window from this one on held, after taking over a window that waits. Returns what they
  /// were called, ascending; the others move up to take their numbers. Tells of it in the report of the last window.
  std::vector<UnitId> forget_unseen(std::uint64_t first_window, WindowReport& report);

  const Model& model() const { return model_; }
  /// Null if none waits.
  const LearntWindow* waiting() const { return waiting_ ? &*waiting_ : nullptr; }
  const Crew& crew() const { return crew_; }

 private:
  /// Learns all rounds of a window.
  WindowSteps learn_rounds(const ReadWindow& read, const SlotRows& inherited, bool asks, Abandonment& abandonment,
                           WindowReport& report);
  /// The starts of new units that the model as it is now gives them through their categories.
  SlotRows inherited_by(const WindowUnits& units) const;
  /// Where the window's units start with these; both must outlive it.
  GivenStart window_start(const WindowUnits& units, const SlotRows& inherited) const;
  /// Adds a window's steps to the model as it is now, and compresses; uses the steps up.
  void absorb(LearntWindow& learnt, const SlotRows& inherited, WindowReport& report);

  const Settings& settings_;
  Crew& crew_;
  Model model_;
  bool categorised_;
  UnitCategories categories_;  // of every unit, where any has one
  std::optional<LearntWindow> waiting_;
};

}  // namespace meteor
