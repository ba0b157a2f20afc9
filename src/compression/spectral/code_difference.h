#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace meteor {

// A window changes most codes a little: of a code that keeps its form, about half of the bytes stay. Who has the code
// from before is told the others only.

/// Appends what turns one code into another of the same length: a bit a byte that tells whether it differs, and those
/// that do.
void append_difference(std::span<const std::uint8_t> before, std::span<const std::uint8_t> after,
                       std::vector<std::uint8_t>& differences);

/// Takes the first of some differences and carries it out. Throws StorageError where it ends too early.
void apply_difference(std::span<const std::uint8_t>& differences, std::span<std::uint8_t> code);

}  // namespace meteor
