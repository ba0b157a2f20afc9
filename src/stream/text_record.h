#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "support/ids.h"

namespace meteor {

struct TextUnit {
  AttributeId attribute;
  std::string_view name;
};

/// One record as text. Views stay valid until the next call of RecordReader::next.
struct TextRecord {
  std::int64_t time = 0;     ///< seconds since 1970, UTC
  std::uint64_t number = 0;  ///< counted from 1 among accepted records
  std::uint64_t line = 0;    ///< the physical line, counted from 1, where it starts
  std::vector<TextUnit> units;
};

}  // namespace meteor
