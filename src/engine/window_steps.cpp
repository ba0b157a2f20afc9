#include "engine/window_steps.h"

#include <span>
#include <utility>

namespace meteor {

EpochRange round_epochs(std::uint32_t epochs, std::uint32_t round, std::uint32_t rounds) {
  const auto share = [&](std::uint32_t r) { return static_cast<std::uint32_t>(std::uint64_t{epochs} * r / rounds); };
  return {share(round), share(round + 1)};
}

void add_round(WindowSteps& total, WindowSteps round) {
  if (total.growths.empty()) {
    total = std::move(round);
    return;
  }
  for (std::size_t slot = 0; slot < total.growths.size(); ++slot) {
    total.growths[slot] += round.growths[slot];
    const auto to = total.steps.row(slot);
    for (std::size_t k = 0; k < to.size(); ++k) to[k] += round.steps.row(slot)[k];
  }
  total.loss = round.loss;
  total.losses = round.losses;
  total.unit_steps += round.unit_steps;
}

void add_starts(const WindowUnits& units, const WindowStart& start, std::size_t threads, AlignedRows& steps) {
  for_each_start(units, start, threads, [&](std::span<const std::uint32_t> slots, const AlignedRows& starts) {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const auto row = steps.row(slots[i]);
      for (std::size_t k = 0; k < row.size(); ++k) row[k] += starts.row(i)[k];
    }
  });
}

SlotRows advanced(const WindowUnits& units, const WindowStart& start, std::size_t threads, const WindowSteps& steps) {
  SlotRows rows;
  rows.slots.resize(units.size());
  rows.accumulators.resize(units.size());
  rows.rows = AlignedRows(units.size(), start.dimension());
  for_each_start(units, start, threads, [&](std::span<const std::uint32_t> slots, const AlignedRows& starts) {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const std::uint32_t slot = slots[i];
      rows.slots[slot] = slot;
      rows.accumulators[slot] = start.accumulator(slot) + steps.growths[slot];
      const auto step = steps.steps.row(slot);
      for (std::size_t k = 0; k < step.size(); ++k) rows.rows.row(slot)[k] = starts.row(i)[k] + step[k];
    }
  });
  return rows;
}

}  // namespace meteor
