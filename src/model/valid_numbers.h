#pragma once

#include <span>
#include <string_view>

namespace meteor {

/// No number of a valid model is larger: the product of two rows of any dimension stays finite.
inline constexpr float kLargestNumber = 1e15F;

/// Throws StorageError with these words where something does not hold.
void require_valid(bool holds, std::string_view fault);

/// Throws StorageError that names the array if a number is not finite or too large for a model.
void require_valid_numbers(std::span<const float> numbers, std::string_view array);

}  // namespace meteor
