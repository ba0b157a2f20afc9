#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stream/rows.h"

namespace meteor {

/// Rows of comma-separated values as in RFC 4180, with a header. A quote counts only at the start of a field. Empty
/// lines are skipped; a row with more or fewer fields than the header is rejected. Every part of the source begins with
/// the same header.
///
/// When a row's quotes do not work out (one never closes within the limit of a row's bytes, or text follows a closing
/// one), the row is rejected and reading goes on at the physical line after the one where it began: a stray quote costs
/// one row and not the rest of the file.
class CsvRows final : public RowReader {
 public:
  /// Reads the header. Throws InputError when there is none, or when a column is missing or appears twice.
  CsvRows(std::unique_ptr<ByteSource> source, std::span<const std::string> columns, std::uint64_t max_bytes,
          Rejects& rejects);

  /// The same for the first so many columns, whatever they are called.
  CsvRows(std::unique_ptr<ByteSource> source, std::size_t columns, std::uint64_t max_bytes, Rejects& rejects);

  /// Throws InputError when another part of the source has another header.
  bool next(Row& row) override;

 private:
  struct Field {
    std::size_t begin;
    std::size_t end;
    bool doubled_quotes;
  };
  /// How far the quotes of the current text were followed.
  struct Scan {
    std::size_t at = 0;
    std::size_t field_begin = 0;
    bool in_quotes = false;
    bool doubled_quotes = false;
  };
  enum class Outcome { complete, open, stray_text, too_many_fields };

  /// Finds the fields of the current text, joining lines while a quote is open and there are any.
  Outcome find_fields();
  std::string reason(Outcome outcome) const;
  void check_same_header() const;
  void take(Row& row);
  Outcome split_plain(std::string_view text);
  Outcome split_quoted(std::string_view text, Scan& scan);
  std::string_view value(const Field& field);
  /// The columns' names; none where reading was told to stop before all were there.
  std::optional<std::vector<std::string>> read_header();

  std::string header_;               ///< as it is written
  std::size_t header_fields_;        ///< no row may have more
  std::vector<std::size_t> wanted_;  ///< for each column asked for, its field
  std::vector<Field> fields_;        ///< of the current text
  std::string unescaped_;            ///< values that had doubled quotes
};

}  // namespace meteor
