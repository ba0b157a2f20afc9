#pragma once

#include <cstdint>

#include "config/settings.h"
#include "learning/shard.h"
#include "model/model.h"
#include "model/window.h"

namespace meteor {

/// Records of the past that are learnt again with each window, as METEOR-Decay and METEOR-Info do. At every window a
/// record is forgotten with probability 1 − exp(−τ·a), so that of age k it is still there with exp(−τ·k) if a is 1:
///  - decay: a = 1; with its own records a window is then learnt with those of 1/(1 − exp(−τ)) windows;
///  - info: a is the record's agreement Ψ over the mean of all that are kept: what the model explains goes first.
class ReplayBuffer {
 public:
  explicit ReplayBuffer(const LearningSettings& settings) : settings_(settings) {}

  /// Forgets some, before the window is learnt.
  void forget(std::uint64_t window, const Model& model);
  /// The kept records, oldest first, and then those of the window.
  Window with_past(const Window& window) const;
  /// A window with these records, its units counted, when the model knows those of the past.
  struct Joined {
    Window window;
    WindowUnits units;
  };
  Joined joined(const Window& window, const WindowUnits& units, const Model& model) const;
  /// Keeps all records of the window.
  void keep(const Window& window) { kept_ = with_past(window); }

  std::size_t records() const { return kept_.records(); }
  /// Of what is kept.
  std::uint64_t bytes() const;

 private:
  const LearningSettings& settings_;
  Window kept_;
};

/// What is learnt again is not seen again: the joined units count as often as the window's own records hold them.
void count_once(WindowUnits& joined, const WindowUnits& own);

/// The agreement Ψ of each record (Eq. 4), as the model knows its units; one that it does not know is zero.
std::vector<double> agreements(const Window& records, const Model& model);

}  // namespace meteor
