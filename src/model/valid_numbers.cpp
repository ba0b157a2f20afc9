#include "model/valid_numbers.h"

#include <fmt/format.h>

#include <cmath>

#include "support/error.h"

namespace meteor {

void require_valid(bool holds, std::string_view fault) {
  if (!holds) throw StorageError(std::string(fault));
}

void require_valid_numbers(std::span<const float> numbers, std::string_view array) {
  bool valid = true;  // without a branch, many are looked at together
  for (const float number : numbers) valid &= std::abs(number) <= kLargestNumber;  // not a number is not
  if (!valid) throw StorageError(fmt::format("array {} holds a number that is not finite, or too large", array));
}

}  // namespace meteor
