#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "experiments/runs.h"

namespace meteor {

/// How far a list of runs has been made when some of them are carried out.
struct RunCount {
  std::size_t done = 0;
  std::size_t total = 0;
};

/// Makes runs, up to `jobs` at the same time; those on several ranks alone. Tells of each when it ends; one that fails
/// does not keep the others. Returns how many failed. Throws Error with ExitStatus::stopped when a signal asks to stop:
/// what has been made stays.
std::size_t carry_out(std::span<const Run> runs, RunCount count, std::size_t jobs,
                      const std::filesystem::path& results);

}  // namespace meteor
