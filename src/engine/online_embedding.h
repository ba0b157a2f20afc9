#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "config/settings.h"
#include "engine/crew.h"
#include "engine/replay_buffer.h"
#include "engine/run_state.h"
#include "engine/stream_learner.h"
#include "model/model.h"
#include "model/unit_categories.h"

namespace meteor {

/// METEOR's loop: cut a window into shards, let the crew rebuild their costly embeddings and learn them, merge, and
/// compress what came of it. Until compress() is called embeddings are kept as they are: that is pretraining, and for
/// the scheme `none` it never ends. With staleness 1 a window is learnt while the one before it is compressed; not with
/// learning.replay, by which records of the past are learnt with each window.
class OnlineEmbedding final : public StreamLearner {
 public:
  /// Starts from nothing. `settings` and `crew` must outlive it.
  OnlineEmbedding(const Settings& settings, Crew& crew);
  /// Goes on from a model, and from a window that waits to be compressed; `categories` are those of the model's units
  /// and, after them, of others that the window holds.
  OnlineEmbedding(const Settings& settings, Crew& crew, Model model, std::span<const CategoryKey> categories,
                  std::optional<LearntWindow> waiting = {});

  WindowReport learn(const ReadWindow& read, bool asks, const std::function<bool()>& abandon = {}) override;
  /// Compresses what has been learnt, if it has not been yet: a window that waits for it, and pretraining as a whole,
  /// which it ends.
  void compress() override;
  /// Takes over a window that waits to be compressed.
  void catch_up() override;
  std::size_t units() const override { return model_.units(); }
  /// Records that are kept count, too.
  ModelSize size() const override;

  std::vector<UnitId> forget_unseen(std::uint64_t first_window, WindowReport& report) override;

  const Model& model() const { return model_; }
  /// Null if none waits.
  const LearntWindow* waiting() const { return waiting_ ? &*waiting_ : nullptr; }
  const Crew& crew() const { return crew_; }

 private:
  std::vector<Shard> shards_of(const Window& window, const WindowUnits& units) const;
  /// What has to be known to test a window now.
  WindowTest test_of(const WindowUnits& units) const;
  /// Tests a window without learning it.
  void test(const ReadWindow& read, Abandonment& abandonment, WindowReport& report);
  /// Learns all rounds of a window, whose units start at these rows, and adds its steps to what is learnt. A window
  /// that waits is compressed meanwhile.
  void learn_rounds(const Window& window, const SlotRows& rows, bool asks, LearntWindow& learnt,
                    Abandonment& abandonment, WindowReport& report);
  /// The starts of new units that the model as it is now gives them through their categories.
  SlotRows inherited_by(const WindowUnits& units) const;
  /// Rows where units of the window start: those that are inherited and, where this process works alone and they take
  /// little memory, all that the model knows, so that they are decoded only once. Adds the seconds that it takes.
  SlotRows start_rows(const WindowUnits& units, double& seconds) const;
  /// Where the window's units start with these; both must outlive it.
  GivenStart window_start(const WindowUnits& units, const SlotRows& rows) const;
  /// Compresses the window that waits. Steps that were learnt before have to be turned as it tells.
  AlignedRows absorb_waiting(WindowReport& report);
  /// Adds a window's steps to the model as it is now, from which these are its start rows, compresses what comes of it,
  /// and tells replicas; uses the steps up. Tells of a turn of the axes, if there was one.
  AlignedRows absorb(LearntWindow& learnt, const SlotRows& rows, WindowReport& report);
  WindowUpdate update_of(LearntWindow& learnt, const SlotRows& rows, std::size_t threads) const;
  /// While embeddings are not compressed, principal axes are turned to after the 1st, 2nd, 4th, 8th window and so on.
  CompressionOutcome compress_window(const WindowUpdate& update, BlockWorkers& workers);

  const Settings& settings_;
  Crew& crew_;
  Model model_;
  bool categorised_;
  UnitCategories categories_;  // of every unit, where any has one
  std::optional<LearntWindow> waiting_;
  std::optional<ReplayBuffer> past_;
};

}  // namespace meteor
