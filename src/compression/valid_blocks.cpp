#include "compression/valid_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string_view>

#include "compression/matrix.h"
#include "compression/spectral_plan.h"
#include "config/settings.h"

namespace meteor {
namespace {

void require(bool holds, std::string_view array, std::string_view fault) {
  if (!holds) throw StorageError(fmt::format("array {} {}", array, fault));
}

const Array* found(std::span<const Array> arrays, std::string_view name) {
  const auto place = std::ranges::find(arrays, name, &Array::name);
  return place == arrays.end() ? nullptr : &*place;
}

/// So many values.
template <class T>
std::span<const T> values(std::span<const Array> arrays, std::string_view name, std::size_t count) {
  const auto all = find_array(arrays, name).as<T>();
  require(all.size() == count, name, "has not as many values as it should");
  return all;
}

/// How many rows there are, which have that width.
std::size_t count_rows(std::span<const Array> arrays, std::string_view name, std::size_t width) {
  const auto matrix = matrix_of(find_array(arrays, name));
  require(static_cast<std::size_t>(matrix.cols()) == width, name, "has rows of another width than it should");
  return static_cast<std::size_t>(matrix.rows());
}

void require_matrix(std::span<const Array> arrays, std::string_view name, std::size_t rows, std::size_t width) {
  require(count_rows(arrays, name, width) == rows, name, "has not as many rows as it should");
}

/// How many rows a block has, as such or as codes, which decoding checks further.
std::size_t count_points(std::span<const Array> block, std::span<const Array> shared, std::size_t dimension) {
  const Array* const tables = found(block, "points") == nullptr ? found(block, "old/table") : nullptr;
  if (tables == nullptr) {
    const std::size_t rows = count_rows(block, "points", dimension);
    require(rows > 0, "points", "has no row");
    return rows;
  }
  require(values<std::uint32_t>(shared, "old/dimension", 1)[0] == dimension, "old/dimension",
          "is not the dimension of the model");
  const std::size_t rows = tables->as<std::uint8_t>().size();
  require(rows > 0, "old/table", "has no code");
  return rows;
}

void require_refit_settings(std::span<const Array> shared) {
  values<float>(shared, "lambda", 1);
  require(values<std::uint8_t>(shared, "precision", 1)[0] <= static_cast<std::uint8_t>(Precision::int8), "precision",
          "names none");
}

/// A basis can be fitted to the points.
void require_fittable(std::span<const Array> block, std::size_t dimension) {
  const std::size_t rows = count_points(block, {}, dimension);
  values<float>(block, "weight", rows);
  const std::uint32_t vectors = values<std::uint32_t>(block, "vectors", 1)[0];
  require(vectors >= 1 && vectors <= std::min(rows, dimension), "vectors",
          "asks for no basis vectors, or for more than the points span");
}

void require_refittable(std::span<const Array> block, std::size_t dimension) {
  require(count_rows(block, "rows", dimension) > 0, "rows", "has no row");
  const std::size_t vectors = count_rows(block, "basis", dimension);
  require(vectors >= 1 && vectors <= dimension, "basis", "has no vector, or more than dimensions");
  require_matrix(block, "accumulator", vectors, 1);
}

void require_subspaces(std::span<const Array> shared, std::size_t dimension) {
  const auto sizes = find_array(shared, "sizes").as<std::uint32_t>();
  const std::size_t vectors = count_rows(shared, "bases", dimension);
  require(!sizes.empty() && std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}) == vectors, "sizes",
          "does not share out the basis vectors");
}

/// The tables are some of those that the new plan has.
void require_tables(std::span<const std::uint8_t> tables, std::span<const Array> shared, std::size_t dimension) {
  require_matrix(shared, "new/turn", dimension, dimension);
  const std::size_t attributes = SpectralPlan::stored_from("new/", shared, dimension).attributes;
  const std::size_t count = attributes * SpectralPlan::classes_for(attributes);
  require(std::ranges::all_of(tables, [&](std::uint8_t table) { return table < count; }), "new_table",
          "names a table that the plan does not have");
}

void require_below(std::span<const std::uint32_t> numbers, std::size_t end, std::string_view array) {
  require(std::ranges::all_of(numbers, [&](std::uint32_t number) { return number < end; }), array,
          "names one that does not exist");
}

void require_moves(std::span<const Array> result, std::size_t vectors, std::size_t width) {
  const auto moved = find_array(result, "vector").as<std::uint32_t>();
  require_below(moved, vectors, "vector");
  require(std::ranges::adjacent_find(moved, std::greater_equal<>()) == moved.end(), "vector", "does not ascend");
  values<float>(result, "scale", moved.size());
  values<std::uint8_t>(result, "step", moved.size() * width);
}

void require_codes(std::span<const Array> result, const BlockOutline& block, std::span<const Array> shared,
                   std::size_t width) {
  const auto tables = values<std::uint8_t>(result, "new/table", block.rows);
  require(std::ranges::equal(tables, block.tables), "new/table", "has other tables than were asked for");
  values<std::uint8_t>(result, "new/scale", block.rows);
  const SpectralPlan plan(SpectralPlan::stored_from("new/", shared, width));
  std::size_t bytes = 0;
  for (const std::uint8_t table : tables) bytes += plan.table(table).bytes;
  values<std::uint8_t>(result, "new/codes", bytes);
}

}  // namespace

void require_valid_block(BlockJob job, std::span<const Array> block, std::span<const Array> shared,
                         std::size_t dimension) {
  switch (job) {
    case BlockJob::nearest_centroids:
      count_points(block, {}, dimension);
      require(count_rows(shared, "centroids", dimension) > 0, "centroids", "has no row");
      return;
    case BlockJob::nearest_subspaces:
      count_points(block, {}, dimension);
      return require_subspaces(shared, dimension);
    case BlockJob::fit_subspace:
      return require_fittable(block, dimension);
    case BlockJob::fit_cluster:
      require_fittable(block, dimension);
      return require_refit_settings(shared);
    case BlockJob::refit_cluster:
      require_refittable(block, dimension);
      return require_refit_settings(shared);
    case BlockJob::spectral_moments:
      values<float>(block, "weight", count_points(block, shared, dimension));
      return;
    case BlockJob::spectral_encode:
      return require_tables(values<std::uint8_t>(block, "new_table", count_points(block, shared, dimension)), shared,
                            dimension);
  }
  throw std::logic_error("no such block function");
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
  if (found(block, "vectors") != nullptr) outline.vectors = values<std::uint32_t>(block, "vectors", 1)[0];
  if (const Array* const tables = found(block, "new_table"); tables != nullptr) {
    const auto all = tables->as<std::uint8_t>();
    outline.tables.assign(all.begin(), all.end());
  }
  return outline;
}

void require_valid_result(BlockJob job, const BlockOutline& block, std::span<const Array> shared,
                          std::span<const Array> result) {
  const std::size_t width = block.width > 0 ? block.width : values<std::uint32_t>(shared, "old/dimension", 1)[0];
  switch (job) {
    case BlockJob::nearest_centroids:
      values<float>(result, "distance", block.rows);
      return require_below(values<std::uint32_t>(result, "cluster", block.rows), count_rows(shared, "centroids", width),
                           "cluster");
    case BlockJob::nearest_subspaces:
      values<float>(result, "energy", block.rows);
      return require_below(values<std::uint32_t>(result, "cluster", block.rows), find_array(shared, "sizes").elements(),
                           "cluster");
    case BlockJob::fit_subspace:
      return require_matrix(result, "basis", block.vectors, width);
    case BlockJob::fit_cluster:
      require_matrix(result, "basis", block.vectors, width);
      require_matrix(result, "accumulator", block.vectors, 1);
      return require_matrix(result, "codes", block.rows, block.vectors);
    case BlockJob::refit_cluster:
      require_matrix(result, "accumulator", block.vectors, 1);
      require_matrix(result, "codes", block.rows, block.vectors);
      values<float>(result, "error", 2);
      return require_moves(result, block.vectors, width);
    case BlockJob::spectral_moments:
      return require_matrix(result, "moments", width, width);
    case BlockJob::spectral_encode:
      return require_codes(result, block, shared, width);
  }
  throw std::logic_error("no such block function");
}

}  // namespace meteor
