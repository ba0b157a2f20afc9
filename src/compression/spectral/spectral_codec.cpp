#include "compression/spectral/spectral_codec.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "compression/spectral/quantiser.h"
#include "kernels/padded_rows.h"
#include "kernels/quantise.h"
#include "support/octave_grid.h"
#include "support/threads.h"

namespace meteor {
namespace {

/// Takes four bytes at a time, and so up to kReadPastCode past the end of the code.
class BitReader {
 public:
  explicit BitReader(const std::uint8_t* in) : in_(in) {}
  std::uint32_t get(unsigned bits) {
    if (count_ < bits) {
      for (int i = 0; i < 4; ++i) held_ |= std::uint64_t{*in_++} << (count_ + 8 * static_cast<unsigned>(i));
      count_ += 32;
    }
    const auto value = static_cast<std::uint32_t>(held_ & ((std::uint64_t{1} << bits) - 1));
    held_ >>= bits;
    count_ -= bits;
    return value;
  }

 private:
  const std::uint8_t* in_;
  std::uint64_t held_ = 0;
  unsigned count_ = 0;
};

constexpr std::size_t kTogether = 480;  // rows that one thread encodes

constexpr int kScalesTried = 4;  // to each side

/// The scale that loses least, and what it loses, of those around the coefficients' own deviation. The error has many
/// small minima, and what was decoded loses nothing at its own scale only: all are tried. (Of codes of a few dozen
/// components one in a hundred has its scale further off.)
std::pair<std::uint8_t, float> best_scale(const Quantisation& values, float deviation) {
  const int middle = octave_place(deviation);
  const int first = std::max(1, middle - kScalesTried);
  const int last = std::min(255, middle + kScalesTried);
  float scales[2 * kScalesTried + 1];
  float errors[2 * kScalesTried + 1];
  std::size_t count = 0;
  for (int place = first; place <= last; ++place) scales[count++] = octave_value(static_cast<std::uint8_t>(place));
  quantisation_errors(values, scales, count, errors);
  const float* const least = std::min_element(errors, errors + count);
  return {static_cast<std::uint8_t>(first + (least - errors)), *least};
}

/// Encodes one row after the other.
class RowEncoder {
 public:
  explicit RowEncoder(std::size_t components)
      : work_(1, components),
        numbers_(work_.stride()),
        pairs_(work_.stride() / 2),
        packed_(work_.stride() * kMostBits / 8 + sizeof(std::uint64_t)) {}

  /// Writes the code of a row and returns its scale.
  std::uint8_t encode(const CodeTable& table, std::span<const float> row, std::uint8_t* out, CodingLoss& loss) {
    const auto values = work_.row(0);
    const std::size_t count = table.components.size();
    if (table.leading()) {
      std::copy_n(row.begin(), count, values.begin());
    } else {
      for (std::size_t k = 0; k < count; ++k) values[k] = row[table.components[k]];
    }
    std::fill(values.begin() + static_cast<std::ptrdiff_t>(count), values.end(), 0.0F);
    const std::size_t width = table.numbers.stride();
    const float normalised = squared_norm(values.data(), table.numbers.row(CodeTable::inverse_deviation).data(), width);
    const double energy = squared_norm(row.data(), nullptr, padded_width(row.size()));
    const double coded = squared_norm(values.data(), nullptr, width);
    loss.energy += energy;
    loss.error += std::max(0.0, energy - coded);
    if (!(normalised > 0) || !std::isfinite(normalised)) {
      loss.error += coded;
      return 0;
    }
    const Quantisation quantisation{values.data(), table.numbers.row(CodeTable::step).data(),
                                    table.numbers.row(CodeTable::inverse_step).data(),
                                    table.numbers.row(CodeTable::highest).data(), width};
    const auto [scale, error] = best_scale(quantisation, std::sqrt(normalised / static_cast<float>(count)));
    loss.error += error;
    write_levels(table, quantisation, octave_value(scale), out);
    return scale;
  }

 private:
  /// Codes are bits from the lowest of the first byte on.
  void write_levels(const CodeTable& table, const Quantisation& quantisation, float scale, std::uint8_t* out) {
    static_assert(std::endian::native == std::endian::little);
    quantise_pairs(quantisation, scale, table.first_bits.data(), numbers_.data(), pairs_.data());
    std::uint8_t* place = packed_.data();
    std::uint64_t held = 0;
    unsigned count = 0;  // of bits that are held, less than a byte
    for (std::size_t k = 0; k < table.pairs.size(); ++k) {
      held |= (pairs_[2 * k] | pairs_[2 * k + 1] << table.pairs[k].first_bits) << count;
      std::memcpy(place, &held, sizeof held);
      count += table.pairs[k].bits;
      place += count / 8;
      held >>= count / 8 * 8;
      count %= 8;
    }
    std::memcpy(out, packed_.data(), table.bytes);
  }

  AlignedRows work_;                   // coordinates of a table
  std::vector<std::int32_t> numbers_;  // of levels, from the lowest on
  std::vector<std::uint64_t> pairs_;   // of these
  std::vector<std::uint8_t> packed_;   // a code, and room to write past its end
};

}  // namespace

std::vector<Array> to_arrays(const std::string& prefix, PackedCodes codes) {
  std::vector<Array> arrays;
  arrays.push_back(own_array(prefix + "table", std::move(codes.tables)));
  arrays.push_back(own_array(prefix + "scale", std::move(codes.scales)));
  arrays.push_back(own_array(prefix + "codes", std::move(codes.bytes)));
  return arrays;
}

PackedCodes codes_from(const std::string& prefix, std::span<const Array> arrays) {
  const auto values = [&](const char* name) {
    const auto all = find_array(arrays, prefix + name).as<std::uint8_t>();
    return std::vector<std::uint8_t>(all.begin(), all.end());
  };
  return {values("table"), values("scale"), values("codes")};
}

PackedCodes encode_rows(const SpectralPlan& plan, const AlignedRows& rows, std::span<const std::uint8_t> tables,
                        CodingLoss& loss, std::size_t threads) {
  PackedCodes codes;
  codes.tables.assign(tables.begin(), tables.end());
  codes.scales.resize(tables.size());
  std::vector<std::size_t> begins;  // of each block's codes
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (i % kTogether == 0) begins.push_back(bytes);
    bytes += plan.table(tables[i]).bytes;
  }
  codes.bytes.resize(bytes);

  std::vector<CodingLoss> losses(begins.size());
  share_work(threads, begins.size(), [&](std::size_t block) {
    const std::size_t begin = block * kTogether;
    const std::size_t count = std::min(kTogether, rows.rows() - begin);
    RowEncoder encoder(plan.components());
    std::uint8_t* out = codes.bytes.data() + begins[block];
    for (std::size_t i = 0; i < count; ++i) {
      const CodeTable& table = plan.table(tables[begin + i]);
      codes.scales[begin + i] = encoder.encode(table, rows.row(begin + i), out, losses[block]);
      out += table.bytes;
    }
  });
  for (const CodingLoss& of_block : losses) {  // in their order, whoever was first
    loss.error += of_block.error;
    loss.energy += of_block.energy;
  }
  return codes;
}

void unpack(const CodeTable& table, std::uint8_t scale, const std::uint8_t* code, std::span<float> row) {
  if (scale == 0) return;
  const float factor = octave_value(scale);
  const auto steps = table.numbers.row(CodeTable::step);
  const auto highest = table.numbers.row(CodeTable::highest);
  BitReader reader(code);
  for (std::size_t k = 0; k < table.components.size(); ++k) {
    const float level = static_cast<float>(reader.get(table.bits[k])) - highest[k];
    row[table.components[k]] = level * (steps[k] * factor);
  }
}

}  // namespace meteor
