#include "stream/csv_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "stream/text.h"
#include "support/error.h"

namespace meteor {

CsvRows::CsvRows(std::unique_ptr<ByteSource> source, std::span<const std::string> columns, std::uint64_t max_bytes,
                 Rejects& rejects)
    : RowReader(std::move(source), max_bytes, rejects), header_fields_(std::numeric_limits<std::size_t>::max()) {
  const auto header = read_header();
  if (!header) return;
  const std::string& name = lines_.source().name();
  for (const std::string& column : columns) {
    const auto count = std::count(header->begin(), header->end(), column);
    if (count == 0)
      throw InputError(
          fmt::format("{}: there is no column \"{}\"; the header has: {}", name, column, fmt::join(*header, ", ")));
    if (count > 1) throw InputError(fmt::format("{}: the header has the column \"{}\" {} times", name, column, count));
    wanted_.push_back(static_cast<std::size_t>(std::find(header->begin(), header->end(), column) - header->begin()));
  }
  header_fields_ = header->size();
}

CsvRows::CsvRows(std::unique_ptr<ByteSource> source, std::size_t columns, std::uint64_t max_bytes, Rejects& rejects)
    : RowReader(std::move(source), max_bytes, rejects), header_fields_(std::numeric_limits<std::size_t>::max()) {
  const auto header = read_header();
  if (!header) return;
  if (header->size() < columns)
    throw InputError(fmt::format("{}: a header with {} columns is needed; it has: {}", lines_.source().name(), columns,
                                 fmt::join(*header, ", ")));
  for (std::size_t column = 0; column < columns; ++column) wanted_.push_back(column);
  header_fields_ = header->size();
}

std::optional<std::vector<std::string>> CsvRows::read_header() {
  const std::string& name = lines_.source().name();
  if (!lines_.next()) {
    if (stopped()) return std::nullopt;
    const std::string_view damage = lines_.source().damage();
    throw InputError(damage.empty()
                         ? fmt::format("{}: the file is empty; a header with the columns' names is needed", name)
                         : fmt::format("{}: {} before the header was complete", name, damage));
  }
  const Outcome outcome = find_fields();
  if (outcome == Outcome::open && stopped()) return std::nullopt;
  if (outcome != Outcome::complete)
    throw InputError(fmt::format("{}: line {}: the header cannot be read: {}", name, lines_.line(), reason(outcome)));
  header_ = lines_.text();
  std::vector<std::string> header;
  unescaped_.reserve(lines_.text().size());
  for (const Field& field : fields_) header.emplace_back(trimmed(value(field)));
  return header;
}

bool CsvRows::next(Row& row) {
  while (lines_.next()) {
    if (lines_.text().empty() && !lines_.begins_part()) continue;
    const Outcome outcome = find_fields();
    if (lines_.begins_part()) {
      if (outcome == Outcome::open && stopped()) return false;
      check_same_header();
      continue;
    }
    if (outcome == Outcome::complete && fields_.size() == header_fields_) {
      take(row);
      return true;
    }
    if (outcome == Outcome::open && stopped()) return false;
    rejects_.add(lines_.line(), reason(outcome), lines_.text());
    if (outcome != Outcome::complete) lines_.give_back();
  }
  return false;
}

void CsvRows::check_same_header() const {
  if (lines_.text() == header_) return;
  throw InputError(fmt::format("{}: the header has changed: it was \"{}\" and is \"{}\"", lines_.source().name(),
                               header_, lines_.text()));
}

void CsvRows::take(Row& row) {
  row.line = lines_.line();
  row.text = lines_.text();
  row.columns.resize(wanted_.size());
  unescaped_.clear();
  if (row.text.size() > unescaped_.capacity()) unescaped_.reserve(row.text.size());  // views into it must stay valid
  for (std::size_t i = 0; i < wanted_.size(); ++i) row.columns[i].assign(1, value(fields_[wanted_[i]]));
}

CsvRows::Outcome CsvRows::find_fields() {
  fields_.clear();
  if (std::memchr(lines_.text().data(), '"', lines_.text().size()) == nullptr) return split_plain(lines_.text());
  Scan scan;
  for (;;) {
    const Outcome outcome = split_quoted(lines_.text(), scan);
    if (outcome != Outcome::open || !lines_.extend()) return outcome;
  }
}

std::string CsvRows::reason(Outcome outcome) const {
  switch (outcome) {
    case Outcome::complete:
      return fmt::format("{} fields where the header has {}", fields_.size(), header_fields_);
    case Outcome::open:
      return lines_.at_end() ? "a quote is never closed" : "a quote is not closed within the longest row allowed";
    case Outcome::stray_text:
      return "text follows a closing quote";
    case Outcome::too_many_fields:
      return fmt::format("more fields than the header, which has {}", header_fields_);
  }
  return {};
}

CsvRows::Outcome CsvRows::split_plain(std::string_view text) {
  std::size_t begin = 0;
  for (;;) {
    if (fields_.size() == header_fields_) return Outcome::too_many_fields;
    const std::size_t comma = text.find(',', begin);
    fields_.push_back({begin, std::min(comma, text.size()), false});
    if (comma == std::string_view::npos) return Outcome::complete;
    begin = comma + 1;
  }
}

CsvRows::Outcome CsvRows::split_quoted(std::string_view text, Scan& scan) {
  for (;;) {
    if (!scan.in_quotes) {
      if (fields_.size() == header_fields_) return Outcome::too_many_fields;
      if (scan.at == text.size() || text[scan.at] != '"') {
        const std::size_t comma = text.find(',', scan.at);
        fields_.push_back({scan.at, std::min(comma, text.size()), false});
        if (comma == std::string_view::npos) return Outcome::complete;
        scan.at = comma + 1;
        continue;
      }
      scan = {scan.at + 1, scan.at + 1, true, false};
    }
    const std::size_t quote = text.find('"', scan.at);
    if (quote == std::string_view::npos) {
      scan.at = text.size();
      return Outcome::open;
    }
    const std::size_t after = quote + 1;
    if (after < text.size() && text[after] == '"') {
      scan.doubled_quotes = true;
      scan.at = after + 1;
      continue;
    }
    fields_.push_back({scan.field_begin, quote, scan.doubled_quotes});
    if (after == text.size()) return Outcome::complete;
    if (text[after] != ',') return Outcome::stray_text;
    scan.in_quotes = false;
    scan.at = after + 1;
  }
}

std::string_view CsvRows::value(const Field& field) {
  const std::string_view raw = lines_.text().substr(field.begin, field.end - field.begin);
  if (!field.doubled_quotes) return raw;
  const std::size_t start = unescaped_.size();
  for (std::size_t i = 0; i < raw.size(); ++i) {
    unescaped_ += raw[i];
    if (raw[i] == '"') ++i;
  }
  return std::string_view(unescaped_).substr(start);
}

}  // namespace meteor
