#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compression/spectral/spectral_plan.h"

namespace meteor {

/// Codes of some units, end to end.
struct PackedCodes {
  std::vector<std::uint8_t> tables;  ///< of each unit
  std::vector<std::uint8_t> scales;
  std::vector<std::uint8_t> bytes;
};

/// The arrays `table`, `scale` and `codes`, under names with this prefix; owned.
std::vector<Array> to_arrays(const std::string& prefix, PackedCodes codes);
PackedCodes codes_from(const std::string& prefix, std::span<const Array> arrays);

/// What encoding lost of the rows' energy.
struct CodingLoss {
  double energy = 0;
  double error = 0;
};

/// Encodes rows, each by its table.
PackedCodes encode_rows(const SpectralPlan& plan, const AlignedRows& rows, std::span<const std::uint8_t> tables,
                        CodingLoss& loss, std::size_t threads = 1);

/// Writes the coordinates that a code stands for to a row of zeros. Up to kReadPastCode bytes after the code are read
/// too.
void unpack(const CodeTable& table, std::uint8_t scale, const std::uint8_t* code, std::span<float> row);

}  // namespace meteor
