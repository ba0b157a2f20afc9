#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace meteor {

/// One row of the input: the values of each column that was asked for, in the order of asking. A missing value is an
/// empty list or an empty text. Views are valid until the next row is read.
struct Row {
  std::uint64_t line = 0;  ///< the physical line, counted from 1, where the row begins
  std::string_view text;   ///< the whole row as it was written
  std::vector<std::vector<std::string_view>> columns;
};

class RowReader {
 public:
  virtual ~RowReader() = default;
  /// False at the end of the input. Rows that cannot be read are rejected on the way.
  virtual bool next(Row& row) = 0;
  virtual std::uint64_t bytes() const = 0;
};

}  // namespace meteor
