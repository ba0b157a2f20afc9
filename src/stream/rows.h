#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "stream/line_reader.h"

namespace meteor {

/// One row of the input: the values of each column that was asked for, in the order of asking. A missing value is an
/// empty list or an empty text. Views are valid until the next row is read.
struct Row {
  std::uint64_t line = 0;  ///< the physical line, counted from 1, where the row begins
  std::string_view text;   ///< the whole row as it was written
  std::vector<std::vector<std::string_view>> columns;
};

/// A format of rows, over the lines of one input.
class RowReader {
 public:
  RowReader(std::unique_ptr<ByteSource> source, std::uint64_t max_bytes, Rejects& rejects)
      : lines_(std::move(source), max_bytes, rejects), rejects_(rejects) {}
  virtual ~RowReader() = default;
  RowReader(const RowReader&) = delete;
  RowReader& operator=(const RowReader&) = delete;

  /// False at the end of the input. Rows that cannot be read are rejected on the way.
  virtual bool next(Row& row) = 0;

  const LineReader& lines() const { return lines_; }
  bool skip_to(std::uint64_t offset, std::uint64_t line) { return lines_.skip_to(offset, line); }
  void mark(std::uint64_t offset) { lines_.mark(offset); }
  std::uint64_t bytes() const { return lines_.bytes(); }
  bool stopped() const { return lines_.source().stopped(); }

 protected:
  LineReader lines_;
  Rejects& rejects_;
};

}  // namespace meteor
