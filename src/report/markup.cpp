#include "report/markup.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace meteor {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

std::string_view entity(utf8proc_int32_t letter) {
  switch (letter) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

/// Whether a group of columns begins, or one ends, here: such columns get a line at their left.
bool begins_group(const Table& table, std::size_t index) {
  return index > 0 && table.columns[index].group != table.columns[index - 1].group;
}

std::string class_attribute(std::initializer_list<std::string_view> names) {
  std::string list;
  for (const std::string_view name : names) {
    if (!name.empty()) list += fmt::format("{}{}", list.empty() ? "" : " ", name);
  }
  return list.empty() ? "" : fmt::format(R"( class="{}")", list);
}

std::string heading(const Table& table, std::size_t index, std::string_view attributes) {
  const bool numbers =
      std::any_of(table.rows.begin(), table.rows.end(), [&](const auto& row) { return row[index].value.has_value(); });
  const std::string classes =
      class_attribute({index == 0 ? "row" : "", numbers ? "number" : "", begins_group(table, index) ? "begins" : ""});
  return fmt::format(R"(<th scope="col"{}{} aria-sort="none"><button type="button" data-column="{}">{}</button></th>)",
                     classes, attributes, index, escape(table.columns[index].title));
}

std::string headings(const Table& table) {
  const std::vector<Column>& columns = table.columns;
  const bool grouped =
      std::any_of(columns.begin(), columns.end(), [](const Column& column) { return !column.group.empty(); });
  std::string above;
  std::string line;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& column = columns[i];
    if (column.group.empty()) {
      (grouped ? above : line) += heading(table, i, grouped ? R"( rowspan="2")" : "");
      continue;
    }
    line += heading(table, i, "");
    if (i > 0 && columns[i - 1].group == column.group) continue;
    std::size_t end = i;
    while (end < columns.size() && columns[end].group == column.group) ++end;
    above +=
        fmt::format(R"(<th scope="colgroup"{} colspan="{}">{}</th>)",
                    class_attribute({"group", begins_group(table, i) ? "begins" : ""}), end - i, escape(column.group));
  }
  return fmt::format("<thead>{}<tr>{}</tr></thead>", grouped ? fmt::format("<tr>{}</tr>", above) : "", line);
}

std::string cell_html(const Cell& cell, bool first, bool begins) {
  std::string attributes = class_attribute({cell.value ? "number" : "", cell.css_class, begins ? "begins" : ""});
  if (cell.value) attributes += fmt::format(R"( data-value="{}")", full_precision(*cell.value));
  for (const auto& [name, value] : cell.data) attributes += fmt::format(R"( data-{}="{}")", name, escape(value));
  const std::string note = cell.note.empty() ? "" : fmt::format(" <small>{}</small>", escape(cell.note));
  return fmt::format("<{0}{1}>{2}{3}</{0}>", first ? "th" : "td", (first ? " scope=\"row\"" : "") + attributes,
                     escape(cell.text), note);
}

}  // namespace

std::string escape(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  while (!text.empty()) {
    utf8proc_int32_t letter = 0;
    const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                         static_cast<utf8proc_ssize_t>(text.size()), &letter);
    const bool shown = length > 0 && (letter >= ' ' || letter == '\n' || letter == '\t') && letter != 0x7f;
    const std::size_t taken = length > 0 ? static_cast<std::size_t>(length) : 1;
    const std::string_view replaced = shown ? entity(letter) : kReplacement;
    escaped += replaced.empty() ? text.substr(0, taken) : replaced;
    text.remove_prefix(taken);
  }
  return escaped;
}

std::string paragraph(std::string_view text, std::string_view css_class) {
  return fmt::format("<p{}>{}</p>\n", css_class.empty() ? "" : fmt::format(R"( class="{}")", css_class), escape(text));
}

std::string full_precision(double value) { return fmt::format("{}", value); }

std::string quality_text(double value) { return fmt::format("{:.3f}", value); }

std::string percent_text(double share) {
  if (share > 0 && share < 0.00995) return fmt::format("{:.2g} %", 100 * share);
  return fmt::format("{:.{}f} %", 100 * share, share < 0.9995 ? 1 : 0);
}

std::string count_text(double value) {
  std::string digits = fmt::format("{:.0f}", std::fabs(value));
  for (std::size_t place = digits.size(); place > 3;) digits.insert(place -= 3, ",");
  return value < 0 ? "−" + digits : digits;
}

std::string change_text(double change) {
  std::string digits = fmt::format("{:.1f} %", 100 * std::fabs(change));
  if (digits == "0.0 %") return digits;
  return (change < 0 ? "−" : "+") + digits;
}

Cell missing_cell() { return {.text = "–", .css_class = "missing"}; }

Cell quality_cell(const Spread& spread) {
  Cell cell{.text = quality_text(spread.mean), .value = spread.mean};
  if (spread.count > 1) {
    cell.note = fmt::format("± {:.3f}", spread.deviation);
    cell.data = {{"deviation", full_precision(spread.deviation)}};
  }
  return cell;
}

std::string html(const Table& table) {
  std::string body;
  for (const auto& row : table.rows) {
    body += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) body += cell_html(row[i], i == 0, begins_group(table, i));
    body += "</tr>\n";
  }
  return fmt::format(
      "<div class=\"scroll\" role=\"region\" aria-label=\"{0}\" "
      "tabindex=\"0\"><table>\n<caption><span>{0}</span></caption>\n"
      "{1}\n<tbody>\n{2}</tbody></table></div>\n",
      escape(table.caption), headings(table), body);
}

}  // namespace meteor
