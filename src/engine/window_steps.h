#pragma once

#include <cstddef>
#include <cstdint>

#include "learning/learn.h"
#include "learning/merge.h"
#include "learning/window_start.h"

namespace meteor {

/// The epochs of one of several rounds.
EpochRange round_epochs(std::uint32_t epochs, std::uint32_t round, std::uint32_t rounds);

/// Adds what a round taught to what those before it did.
void add_round(WindowSteps& total, WindowSteps round);

/// Adds the rows where a window starts to its steps.
void add_starts(const WindowUnits& units, const WindowStart& start, std::size_t threads, AlignedRows& steps);

/// Where the next round starts: at the window's start and the steps since.
SlotRows advanced(const WindowUnits& units, const WindowStart& start, std::size_t threads, const WindowSteps& steps);

}  // namespace meteor
