#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "model/block_work.h"

namespace meteor {

// What the checks of block jobs have in common. All throw StorageError that names the array and what does not fit.

BlockOutline outline_of(std::span<const Array> block);

void require_of(std::string_view array, bool holds, std::string_view fault);

/// So many values.
template <class T>
std::span<const T> so_many(std::size_t count, std::span<const Array> arrays, std::string_view name) {
  const auto all = find_array(arrays, name).as<T>();
  require_of(name, all.size() == count, "has not as many values as it should");
  return all;
}

/// How many rows there are, which have that width.
std::size_t count_rows(std::span<const Array> arrays, std::string_view name, std::size_t width);
void require_matrix(std::span<const Array> arrays, std::string_view name, std::size_t rows, std::size_t width);
/// Numbers that say which of so many is meant.
void require_below(std::span<const std::uint32_t> numbers, std::size_t end, std::string_view array);

/// The block's `points` are rows of the dimension, at least one. Returns how many.
std::size_t count_points(std::span<const Array> block, std::size_t dimension);
/// The block's `points` and their `weight` can be fitted by as many `vectors` as it asks for.
void require_fittable(std::span<const Array> block, std::size_t dimension);

}  // namespace meteor
