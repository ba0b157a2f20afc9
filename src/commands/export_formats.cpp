#include "commands/export_formats.h"

#include <fmt/format.h>

#include <bit>
#include <iterator>
#include <string>
#include <string_view>

#include "model/unit_blocks.h"
#include "support/error.h"
#include "support/file_replacement.h"

namespace meteor {
namespace {

constexpr std::string_view kWhiteSpace = " \t\n\v\f\r";
constexpr std::string_view kLineBreaks = "\t\n\v\f\r";

/// Names as a format can hold them: each character of `forbidden` becomes _, and so does an empty name.
class WritableNames {
 public:
  WritableNames(const Vocabulary& vocabulary, std::string_view forbidden, ExportOutcome& outcome)
      : vocabulary_(vocabulary), forbidden_(forbidden), outcome_(outcome) {}

  std::string operator()(UnitId unit) const {
    std::string name(vocabulary_.name(unit));
    bool changed = name.empty();
    if (changed) name.push_back('_');
    for (std::size_t at = 0; (at = name.find_first_of(forbidden_, at)) != std::string::npos;) {
      name[at] = '_';
      changed = true;
    }
    outcome_.changed_names += changed ? 1 : 0;
    return name;
  }

 private:
  const Vocabulary& vocabulary_;
  std::string_view forbidden_;
  ExportOutcome& outcome_;
};

/// Numbers that read back as the same floats.
std::string numbers(std::span<const float> row, std::string_view separator) {
  return fmt::format("{}\n", fmt::join(row, separator));
}

/// The preamble of a .npy file, filled up so that the values begin at a multiple of 64 bytes.
std::string npy_header(std::size_t rows, std::size_t columns) {
  std::string description =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
  constexpr std::size_t before = 10;  // magic, version and the header's length
  description.append(63 - (before + description.size()) % 64, ' ');
  description += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(description.size() & 0xff);
  header += static_cast<char>(description.size() >> 8);
  return header + description;
}

}  // namespace

ExportOutcome export_word2vec(const Vocabulary& vocabulary, const Model& model, AttributeId attribute,
                              const std::filesystem::path& path) {
  const std::vector<UnitId> units = units_of(model, attribute);
  ExportOutcome outcome{.units = units.size()};
  const WritableNames name(vocabulary, kWhiteSpace, outcome);
  FileReplacement file(path);
  file.stream() << fmt::format("{} {}\n", units.size(), model.dimension);
  for_each_block(model, units, [&](std::span<const UnitId> block, const AlignedRows& rows) {
    for (std::size_t i = 0; i < block.size(); ++i) file.stream() << name(block[i]) << ' ' << numbers(rows.row(i), " ");
  });
  file.commit();
  return outcome;
}

ExportOutcome export_npy(const Vocabulary& vocabulary, const Model& model, AttributeId attribute,
                         const std::filesystem::path& path) {
  static_assert(std::endian::native == std::endian::little);
  const std::vector<UnitId> units = units_of(model, attribute);
  ExportOutcome outcome{.units = units.size()};
  const WritableNames name(vocabulary, kLineBreaks, outcome);
  FileReplacement values(path, Targets::files);
  FileReplacement names(std::filesystem::path(path).concat(".txt"), Targets::files);
  values.stream() << npy_header(units.size(), model.dimension);
  for_each_block(model, units, [&](std::span<const UnitId> block, const AlignedRows& rows) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      const auto bytes = std::as_bytes(rows.row(i));
      values.stream().write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
      names.stream() << name(block[i]) << '\n';
    }
  });
  values.commit();
  names.commit();
  return outcome;
}

ExportOutcome export_projector(const Vocabulary& vocabulary, const Model& model, AttributeId attribute,
                               const std::filesystem::path& folder) {
  std::error_code reason;
  std::filesystem::create_directories(folder, reason);
  if (reason) {
    throw Error(ExitStatus::failed, fmt::format("cannot make the folder {}: {}", folder.string(), reason.message()));
  }
  const std::vector<UnitId> units = units_of(model, attribute);
  ExportOutcome outcome{.units = units.size()};
  const WritableNames name(vocabulary, kLineBreaks, outcome);
  FileReplacement vectors(folder / "vectors.tsv");
  FileReplacement metadata(folder / "metadata.tsv");
  metadata.stream() << "unit\tcount\n";
  for_each_block(model, units, [&](std::span<const UnitId> block, const AlignedRows& rows) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      vectors.stream() << numbers(rows.row(i), "\t");
      metadata.stream() << fmt::format("{}\t{}\n", name(block[i]), model.counts[index(block[i])]);
    }
  });
  vectors.commit();
  metadata.commit();
  return outcome;
}

}  // namespace meteor
