#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "stream/rows.h"

namespace meteor {

/// Rows of one JSON object a line. A column may hold a string, a number, true or false, null (no value) or an array of
/// these (several values); keys that nobody asked for may hold anything. Of a key that is given twice, the last counts.
class JsonRows final : public RowReader {
 public:
  JsonRows(std::unique_ptr<ByteSource> source, std::span<const std::string> columns, std::uint64_t max_bytes,
           Rejects& rejects);

  bool next(Row& row) override;

 private:
  std::vector<std::string> columns_;
  std::string storage_;  ///< the values' characters
};

}  // namespace meteor
