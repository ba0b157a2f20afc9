#pragma once

#include <cstdint>

#include "config/settings.h"
#include "learning/record_kernel.h"
#include "learning/shard.h"
#include "methods/categories.h"
#include "model/model.h"
#include "model/vocabulary.h"
#include "support/phases.h"

namespace meteor {

/// What learning one window did.
struct WindowReport {
  std::uint64_t window = 0;
  std::int64_t begin = 0;
  bool pretraining = false;
  std::uint64_t records = 0;
  std::uint64_t new_units = 0;
  std::uint64_t unit_steps = 0;
  double loss = 0;               ///< mean of Eq. 3 over the units of the last epoch
  double compression_error = 0;  ///< share of the energy that compression lost
  PhaseSeconds seconds;
};

/// METEOR's loop: rebuild a window's costly embeddings, learn its records, compress what came of it. Until compress()
/// is called embeddings are kept as they are: that is pretraining, and for the scheme `none` it never ends.
class OnlineEmbedding {
 public:
  /// Starts from nothing. `settings` and `vocabulary` must outlive it.
  OnlineEmbedding(const Settings& settings, const Vocabulary& vocabulary);
  /// Goes on from a model.
  OnlineEmbedding(const Settings& settings, const Vocabulary& vocabulary, Model model);

  /// Counts the units of a window that is not yet learnt.
  WindowUnits count(const Window& window) const;
  /// Throws NumericError, naming window, record and unit, when a value is not finite.
  WindowReport learn(const Window& window, const WindowUnits& units);
  /// Ends pretraining, if it has not ended: fits the compression scheme to what was learnt.
  void compress();

  const Model& model() const { return model_; }
  std::string_view instruction_set() const { return kernel_.instruction_set; }

 private:
  const Settings& settings_;
  const Vocabulary& vocabulary_;
  Categories categories_;
  RecordKernel kernel_;
  Model model_;
};

}  // namespace meteor
