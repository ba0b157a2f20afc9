#include "stream/record_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "stream/grid.h"
#include "stream/text.h"
#include "stream/time_parse.h"
#include "stream/tokeniser.h"

namespace meteor {
namespace {

constexpr std::size_t no_column = static_cast<std::size_t>(-1);

/// A value as it may stand in a sentence, cut between two characters.
std::string_view shortened(std::string_view value) {
  std::size_t end = std::min<std::size_t>(value.size(), 40);
  while (end < value.size() && end > 0 && (static_cast<unsigned char>(value[end]) & 0xC0) == 0x80) --end;
  return value.substr(0, end);
}

}  // namespace

RecordBuilder::RecordBuilder(const StreamSettings& stream, std::span<const AttributeSettings> attributes)
    : time_column_(column_index(stream.time)) {
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    const AttributeSettings& settings = attributes[i];
    parts_.push_back({static_cast<AttributeId>(i), settings, column_index(settings.column),
                      column_index(settings.latitude), column_index(settings.longitude)});
  }
}

std::size_t RecordBuilder::column_index(const std::string& name) {
  if (name.empty()) return no_column;
  const auto found = std::find(columns_.begin(), columns_.end(), name);
  const auto index = static_cast<std::size_t>(found - columns_.begin());
  if (found == columns_.end()) columns_.push_back(name);
  return index;
}

bool RecordBuilder::build(const Row& row, TextRecord& record) {
  record.units.clear();
  if (!check_texts(row) || !set_time(row, record)) return false;
  for (const Part& part : parts_) {
    if (part.settings.time != TimeKind::none) {
      record.units.push_back({part.attribute, hour_name(part.settings.time, record.time)});
    } else if (part.latitude != no_column) {
      if (!add_cell(part, row, record)) return false;
    } else {
      add_texts(part, row, record);
    }
  }
  return true;
}

/// Also makes room for all names, so that views of the storage stay valid while it fills.
bool RecordBuilder::check_texts(const Row& row) {
  std::size_t room = 0;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    for (const std::string_view value : row.columns[column]) {
      const std::string_view found = text_fault(value);
      if (!found.empty()) return reject(fmt::format("{} in \"{}\"", found, columns_[column]));
    }
  }
  for (const Part& part : parts_) {
    if (part.latitude != no_column) room += longest_cell_name;
    if (part.settings.tokens == TokenKind::words)
      for (const std::string_view value : row.columns[part.column]) room += 2 * value.size();
  }
  storage_.clear();
  if (room > storage_.capacity()) storage_.reserve(room);
  return true;
}

bool RecordBuilder::set_time(const Row& row, TextRecord& record) {
  const auto text = single(row, time_column_);
  if (!text) return false;
  if (text->empty()) return reject(fmt::format("no time in \"{}\"", columns_[time_column_]));
  const auto time = parse_time(*text);
  if (!time) return reject(fmt::format("the time \"{}\" is neither Unix seconds nor ISO 8601", shortened(*text)));
  record.time = *time;
  return true;
}

void RecordBuilder::add_texts(const Part& part, const Row& row, TextRecord& record) {
  const auto take = [&](std::string_view name) { record.units.push_back({part.attribute, name}); };
  for (const std::string_view value : row.columns[part.column]) {
    if (part.settings.tokens == TokenKind::words) {
      words_.clear();
      append_words(value, storage_, words_);
      std::for_each(words_.begin(), words_.end(), take);
    } else if (!part.settings.separator.empty()) {
      for_each_part(value, part.settings.separator, take);
    } else if (const std::string_view name = trimmed(value); !name.empty()) {
      take(name);
    }
  }
}

bool RecordBuilder::add_cell(const Part& part, const Row& row, TextRecord& record) {
  const auto latitude_text = single(row, part.latitude);
  const auto longitude_text = single(row, part.longitude);
  if (!latitude_text || !longitude_text) return false;
  if (latitude_text->empty() && longitude_text->empty()) return true;
  const auto latitude = degrees(*latitude_text, part.settings.latitude, 90);
  if (!latitude) return false;
  const auto longitude = degrees(*longitude_text, part.settings.longitude, 180);
  if (!longitude) return false;
  const std::size_t start = storage_.size();
  append_name(grid_cell(*latitude, *longitude, part.settings.grid.metres), storage_);
  record.units.push_back({part.attribute, std::string_view(storage_).substr(start)});
  return true;
}

std::optional<std::string_view> RecordBuilder::single(const Row& row, std::size_t column) {
  const auto& values = row.columns[column];
  if (values.empty()) return std::string_view();
  if (values.size() == 1) return trimmed(values.front());
  reject(fmt::format("{} values in \"{}\" instead of one", values.size(), columns_[column]));
  return {};
}

std::optional<double> RecordBuilder::degrees(std::string_view text, const std::string& column, double limit) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end && std::abs(value) <= limit) return value;
  const bool number = error == std::errc() && stop == end && !std::isnan(value);
  reject(number ? fmt::format("{} \"{}\" is outside ±{}", column, shortened(text), limit)
                : fmt::format("{} \"{}\" is not a number", column, shortened(text)));
  return {};
}

bool RecordBuilder::reject(std::string fault) {
  fault_ = std::move(fault);
  return false;
}

}  // namespace meteor
