#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/spread.h"

namespace meteor {

/// Text for HTML and SVG, also inside attributes. Bytes that are not UTF-8 and control characters become U+FFFD.
std::string escape(std::string_view text);

/// A paragraph, a line of a section. `text` is escaped.
std::string paragraph(std::string_view text, std::string_view css_class = "");

/// The shortest text that reads back as the same number.
std::string full_precision(double value);
/// Of three digits and more: "0.581" of a quality, "9.4 %" of a share, "1,234" of a count.
std::string quality_text(double value);
std::string percent_text(double share);
std::string count_text(double value);
/// Of a change relative to another value: "−1.2 %".
std::string change_text(double change);

struct Cell {
  std::string text;
  std::string note = {};             ///< smaller, behind the text
  std::optional<double> value = {};  ///< what the text is rounded from; the cell is a number then
  std::string css_class = {};
  std::vector<std::pair<std::string, std::string>> data = {};  ///< attributes data-NAME: where the value comes from
};

struct Column {
  std::string title;
  std::string group = {};  ///< columns side by side of the same group share a heading above theirs
};

/// The first cell of a row names it. Columns can be sorted by, with mouse and keyboard.
struct Table {
  std::string caption;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows = {};
};

Cell missing_cell();
/// "0.581 ± 0.003"; without deviation where there was one value only.
Cell quality_cell(const Spread& spread);

/// A table in a box of its own that scrolls where the screen is too narrow.
std::string html(const Table& table);

}  // namespace meteor
