#include "compression/spectral/spectral_blocks.h"

#include <algorithm>

#include "compression/block_checks.h"
#include "compression/gather_rows.h"
#include "compression/principal_axes.h"
#include "compression/spectral/spectral.h"
#include "model/unit_blocks.h"

namespace meteor {
namespace {

bool is_coded(std::span<const Array> block) { return std::ranges::find(block, "points", &Array::name) == block.end(); }

/// The embeddings of a block: as they are, or as an older plan coded them.
AlignedRows points_of(std::span<const Array> block, std::span<const Array> shared) {
  if (is_coded(block)) {
    const std::size_t dimension = find_array(shared, "old/dimension").as<std::uint32_t>()[0];
    Spectral old(SpectralPlan(SpectralPlan::stored_from("old/", shared, dimension)), {});
    const PackedCodes codes = codes_from("old/", block);
    const std::vector<UnitId> units = first_units(codes.tables.size());
    old.set_codes(units, codes);
    AlignedRows rows(units.size(), dimension);
    old.decode(units, rows);
    return rows;
  }
  return aligned_rows_of(matrix_of(find_array(block, "points")));
}

std::vector<Array> moments_of_block(std::span<const Array> block, std::span<const Array> shared) {
  return {own_rows("moments", weighed_moments(points_of(block, shared), find_array(block, "weight").as<float>()))};
}

std::vector<Array> encode_block(std::span<const Array> block, std::span<const Array> shared) {
  const AlignedRows turn = aligned_rows_of(matrix_of(find_array(shared, "new/turn")));
  const SpectralPlan plan(SpectralPlan::stored_from("new/", shared, turn.rows()));
  AlignedRows points = points_of(block, shared);
  turn_rows(points, turn);
  CodingLoss loss;
  PackedCodes codes = encode_rows(plan, points, find_array(block, "new_table").as<std::uint8_t>(), loss);
  return to_arrays("new/", std::move(codes));
}

/// How many embeddings there are; decoding checks codes further.
std::size_t count_embeddings(std::span<const Array> block, std::span<const Array> shared, std::size_t dimension) {
  if (!is_coded(block)) return count_points(block, dimension);
  const std::size_t rows = find_array(block, "old/table").as<std::uint8_t>().size();
  require_of("old/dimension", so_many<std::uint32_t>(1, shared, "old/dimension")[0] == dimension,
             "is not the dimension of the model");
  require_of("old/table", rows > 0, "has no code");
  return rows;
}

std::size_t dimension_of(const BlockOutline& block, std::span<const Array> shared) {
  return block.width > 0 ? block.width : so_many<std::uint32_t>(1, shared, "old/dimension")[0];
}

void require_weights(std::span<const Array> block, std::span<const Array> shared, std::size_t dimension) {
  so_many<float>(count_embeddings(block, shared, dimension), block, "weight");
}

void require_moments(const BlockOutline& block, std::span<const Array> shared, std::span<const Array> result) {
  const std::size_t dimension = dimension_of(block, shared);
  require_matrix(result, "moments", dimension, dimension);
}

/// The tables are some of those that the new plan has.
void require_tables(std::span<const Array> block, std::span<const Array> shared, std::size_t dimension) {
  const auto tables = so_many<std::uint8_t>(count_embeddings(block, shared, dimension), block, "new_table");
  require_matrix(shared, "new/turn", dimension, dimension);
  const std::size_t attributes = SpectralPlan::stored_from("new/", shared, dimension).attributes;
  const std::size_t count = attributes * SpectralPlan::classes_for(attributes);
  require_of("new_table", std::ranges::all_of(tables, [&](std::uint8_t table) { return table < count; }),
             "names a table that the plan does not have");
}

void require_codes(const BlockOutline& block, std::span<const Array> shared, std::span<const Array> result) {
  const auto tables = so_many<std::uint8_t>(block.rows, result, "new/table");
  require_of("new/table", std::ranges::equal(tables, block.tables), "has other tables than were asked for");
  so_many<std::uint8_t>(block.rows, result, "new/scale");
  const SpectralPlan plan(SpectralPlan::stored_from("new/", shared, dimension_of(block, shared)));
  std::size_t bytes = 0;
  for (const std::uint8_t table : tables) bytes += plan.table(table).bytes;
  so_many<std::uint8_t>(bytes, result, "new/codes");
}

}  // namespace

const BlockJob kSpectralMoments{"spectral moments", moments_of_block, require_weights, require_moments};
const BlockJob kSpectralEncode{"spectral encode", encode_block, require_tables, require_codes};

}  // namespace meteor
