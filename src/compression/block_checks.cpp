#include "compression/block_checks.h"

#include <fmt/format.h>

#include "compression/matrix.h"

namespace meteor {
namespace {

const Array* found(std::span<const Array> arrays, std::string_view name) {
  const auto place = std::ranges::find(arrays, name, &Array::name);
  return place == arrays.end() ? nullptr : &*place;
}

}  // namespace

void require_of(std::string_view array, bool holds, std::string_view fault) {
  if (!holds) throw StorageError(fmt::format("array {} {}", array, fault));
}

std::size_t count_rows(std::span<const Array> arrays, std::string_view name, std::size_t width) {
  const auto matrix = matrix_of(find_array(arrays, name));
  require_of(name, static_cast<std::size_t>(matrix.cols()) == width, "has rows of another width than it should");
  return static_cast<std::size_t>(matrix.rows());
}

void require_matrix(std::span<const Array> arrays, std::string_view name, std::size_t rows, std::size_t width) {
  require_of(name, count_rows(arrays, name, width) == rows, "has not as many rows as it should");
}

void require_below(std::span<const std::uint32_t> numbers, std::size_t end, std::string_view array) {
  require_of(array, std::ranges::all_of(numbers, [&](std::uint32_t number) { return number < end; }),
             "names one that does not exist");
}

std::size_t count_points(std::span<const Array> block, std::size_t dimension) {
  const std::size_t rows = count_rows(block, "points", dimension);
  require_of("points", rows > 0, "has no row");
  return rows;
}

void require_fittable(std::span<const Array> block, std::size_t dimension) {
  const std::size_t rows = count_points(block, dimension);
  so_many<float>(rows, block, "weight");
  const std::uint32_t vectors = so_many<std::uint32_t>(1, block, "vectors")[0];
  require_of("vectors", vectors >= 1 && vectors <= std::min(rows, dimension),
             "asks for no basis vectors, or for more than the points span");
}

BlockOutline outline_of(std::span<const Array> block) {
  BlockOutline outline;
  for (const char* name : {"points", "rows"}) {
    if (const Array* const rows = found(block, name); rows != nullptr) {
      outline.rows = static_cast<std::size_t>(matrix_of(*rows).rows());
      outline.width = static_cast<std::size_t>(matrix_of(*rows).cols());
    }
  }
  if (const Array* const codes = found(block, "old/table"); codes != nullptr) outline.rows = codes->elements();
  if (const Array* const basis = found(block, "basis"); basis != nullptr) {
    outline.vectors = static_cast<std::size_t>(matrix_of(*basis).rows());
  }
  if (found(block, "vectors") != nullptr) outline.vectors = so_many<std::uint32_t>(1, block, "vectors")[0];
  if (const Array* const tables = found(block, "new_table"); tables != nullptr) {
    const auto all = tables->as<std::uint8_t>();
    outline.tables.assign(all.begin(), all.end());
  }
  return outline;
}

}  // namespace meteor
