#include "stream/json_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "stream/text.h"

namespace meteor {
namespace {

/// Receives the parser's events and keeps the values of the wanted keys as text. Nothing gets longer than it was
/// written, so that a storage of the row's size never moves.
class ValueCollector {
 public:
  ValueCollector(std::span<const std::string> columns, std::string& storage, Row& row)
      : columns_(columns), storage_(storage), row_(row) {}

  const std::string& fault() const { return fault_; }

  bool null() { return depth_ > 0 || not_an_object(); }
  bool boolean(bool value) { return take(value ? "true" : "false"); }
  bool number_integer(std::int64_t value) {
    return wanted() ? take(fmt::format_int(value)) : depth_ > 0 || not_an_object();
  }
  bool number_unsigned(std::uint64_t value) {
    return wanted() ? take(fmt::format_int(value)) : depth_ > 0 || not_an_object();
  }
  bool number_float(double, const std::string& written) { return take(written); }
  bool string(std::string& value) { return take(value); }
  bool binary(nlohmann::json::binary_t&) { return take({}); }

  bool start_object(std::size_t) {
    ++depth_;
    return depth_ == 1 || !wanted() || holds("an object");
  }
  bool end_object() {
    --depth_;
    return true;
  }
  bool start_array(std::size_t) {
    if (depth_ == 0) return not_an_object();
    ++depth_;
    return depth_ == 2 || !wanted() || holds("an array inside an array");
  }
  bool end_array() {
    --depth_;
    return true;
  }
  bool key(std::string& name) {
    if (depth_ != 1) return true;
    column_ = static_cast<std::size_t>(std::find(columns_.begin(), columns_.end(), name) - columns_.begin());
    if (wanted()) row_.columns[column_].clear();
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) {
    const std::string_view what =
        error.what();  // "[json.exception.parse_error.101] parse error at line 1, column 5: ..."
    const std::size_t detail = what.find("] ");
    fault_ = fmt::format("invalid JSON: {}", detail == std::string_view::npos ? what : what.substr(detail + 2));
    return false;
  }

 private:
  bool wanted() const { return depth_ > 0 && column_ < columns_.size(); }
  bool take(std::string_view value) {
    if (depth_ == 0) return not_an_object();
    if (!wanted()) return true;
    const std::size_t start = storage_.size();
    storage_ += value;
    row_.columns[column_].push_back(std::string_view(storage_).substr(start));
    return true;
  }
  bool take(const fmt::format_int& value) { return take(std::string_view(value.data(), value.size())); }
  bool holds(std::string_view what) {
    fault_ = fmt::format("\"{}\" holds {}", columns_[column_], what);
    return false;
  }
  bool not_an_object() {
    fault_ = "not a JSON object";
    return false;
  }

  std::span<const std::string> columns_;
  std::string& storage_;
  Row& row_;
  std::size_t depth_ = 0;
  std::size_t column_ = 0;
  std::string fault_;
};

}  // namespace

JsonRows::JsonRows(std::unique_ptr<ByteSource> source, std::span<const std::string> columns, std::uint64_t max_bytes,
                   Rejects& rejects)
    : RowReader(std::move(source), max_bytes, rejects), columns_(columns.begin(), columns.end()) {}

bool JsonRows::next(Row& row) {
  while (lines_.next()) {
    row.line = lines_.line();
    row.text = lines_.text();
    if (trimmed(row.text).empty()) continue;
    row.columns.resize(columns_.size());
    for (auto& values : row.columns) values.clear();
    storage_.clear();
    if (row.text.size() > storage_.capacity()) storage_.reserve(row.text.size());
    ValueCollector collector(columns_, storage_, row);
    if (nlohmann::json::sax_parse(row.text.begin(), row.text.end(), &collector)) return true;
    rejects_.add(row.line, collector.fault(), row.text);
  }
  return false;
}

}  // namespace meteor
