#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "learning/shard.h"
#include "model/model.h"
#include "support/aligned_rows.h"

namespace meteor {

/// Where the learning of a window starts: the embedding of each of its units, and AdaGrad's accumulator of each as one
/// number. May be asked by several threads at once.
class WindowStart {
 public:
  virtual ~WindowStart() = default;
  virtual std::size_t dimension() const = 0;
  /// Writes the embedding of each slot to its place, `dimension` floats.
  virtual void rebuild(std::span<const std::uint32_t> slots, std::span<float* const> places) const = 0;
  virtual float accumulator(std::uint32_t slot) const = 0;
  /// Whether anything is known of the unit: it was learnt before, or inherits from its category.
  virtual bool knows(std::uint32_t slot) const = 0;
};

/// Writes where a unit starts of which nothing is known.
void start_new_unit(UnitId unit, std::uint64_t seed, std::span<float> row);

/// Known units start from the model, new ones at random, the same for everyone who asks.
class ModelStart final : public WindowStart {
 public:
  /// Window and model must outlive the object.
  ModelStart(const WindowUnits& window, const Model& model, std::uint64_t seed)
      : window_(window), model_(model), seed_(seed) {}

  std::size_t dimension() const override { return model_.dimension; }
  void rebuild(std::span<const std::uint32_t> slots, std::span<float* const> places) const override;
  float accumulator(std::uint32_t slot) const override;
  bool knows(std::uint32_t slot) const override { return index(window_.units[slot]) < model_.units(); }

 private:
  const WindowUnits& window_;
  const Model& model_;
  std::uint64_t seed_;
};

/// The start of some slots as plain rows: what a process works from that has no model to decode them.
struct SlotRows {
  std::vector<std::uint32_t> slots;
  std::vector<float> accumulators;
  AlignedRows rows;
};

/// The given rows, if there are any, and those of the other units of a window that the model knows.
SlotRows known_rows(const WindowUnits& window, const Model& model, const SlotRows* given = nullptr);

/// Starts from given rows; a unit without one starts as it would from the model or, where there is none, as a new one.
class GivenStart final : public WindowStart {
 public:
  /// Window, rows and model must outlive the object.
  GivenStart(const WindowUnits& window, const SlotRows& given, std::size_t dimension, std::uint64_t seed,
             const Model* model = nullptr);

  std::size_t dimension() const override { return dimension_; }
  void rebuild(std::span<const std::uint32_t> slots, std::span<float* const> places) const override;
  float accumulator(std::uint32_t slot) const override;
  bool knows(std::uint32_t slot) const override { return place_of_[slot] > 0 || (rest_ && rest_->knows(slot)); }

 private:
  const WindowUnits& window_;
  const SlotRows& given_;
  std::size_t dimension_;
  std::uint64_t seed_;
  std::optional<ModelStart> rest_;
  std::vector<std::uint32_t> place_of_;  // by slot: place in given_ + 1, or 0
};

/// Shows the starts of all slots of a window, a block of slots and their rows at a time, in several threads.
void for_each_start(const WindowUnits& window, const WindowStart& start, std::size_t threads,
                    const std::function<void(std::span<const std::uint32_t>, const AlignedRows&)>& show);

}  // namespace meteor
