#include "stream/record_reader.h"

#include <fmt/format.h>

#include "stream/csv_rows.h"
#include "stream/json_rows.h"
#include "support/error.h"

namespace meteor {
namespace {

std::unique_ptr<RowReader> open_rows(std::unique_ptr<ByteSource> source, const StreamSettings& stream,
                                     std::span<const std::string> columns, Rejects& rejects) {
  if (stream.format == StreamFormat::jsonl)
    return std::make_unique<JsonRows>(std::move(source), columns, stream.max_line_bytes, rejects);
  return std::make_unique<CsvRows>(std::move(source), columns, stream.max_line_bytes, rejects);
}

}  // namespace

RecordReader::RecordReader(std::unique_ptr<ByteSource> source, const StreamSettings& stream,
                           std::span<const AttributeSettings> attributes, Rejects& rejects)
    : rejects_(rejects),
      builder_(stream, attributes),
      rows_(open_rows(std::move(source), stream, builder_.columns(), rejects)) {}

bool RecordReader::next(TextRecord& record) {
  while (rows_->next(row_)) {
    if (builder_.build(row_, record)) {
      rejects_.count_accepted();
      record.number = ++records_;
      record.line = row_.line;
      at_record_ = true;
      return true;
    }
    rejects_.add(row_.line, builder_.fault(), row_.text);
  }
  at_record_ = false;
  if (stopped()) return false;
  check_expected();
  rejects_.check();
  return false;
}

void RecordReader::expect(const TextExtent& seen) {
  expected_ = seen;
  rows_->mark(seen.bytes);
}

void RecordReader::check_expected() const {
  const LineReader& lines = rows_->lines();
  if (expected_.bytes == 0) return;
  const std::string& name = lines.source().name();
  if (lines.offset() < expected_.bytes) {
    throw InputError(
        fmt::format("{} has become shorter while it was learnt: it ends after {} bytes, of {} that its first reading "
                    "found; restore it and start again",
                    name, lines.offset(), expected_.bytes));
  }
  if (lines.sha256_at_mark() != expected_.sha256) {
    throw InputError(
        fmt::format("{} has changed while it was learnt: its first {} bytes are not those that its first reading "
                    "found; restore it and start again",
                    name, expected_.bytes));
  }
}

StreamPosition RecordReader::position() const {
  const LineReader& lines = rows_->lines();
  return {.offset = lines.offset(),
          .line = lines.line(),
          .records = records_ - (at_record_ ? 1 : 0),
          .rejected = rejects_.count(),
          .text_sha256 = lines.sha256_before()};
}

void RecordReader::go_to(const StreamPosition& position) {
  const std::string& name = rows_->lines().source().name();
  const bool arrived = rows_->skip_to(position.offset, position.line);
  records_ = position.records;
  rejects_.go_on_from(position.rejected, position.records);
  if (stopped()) return;
  if (!arrived) {
    throw InputError(fmt::format("{} has become shorter: it ends before byte {}, up to which it has been learnt", name,
                                 position.offset));
  }
  if (rows_->lines().sha256_before() != position.text_sha256) {
    throw InputError(fmt::format(
        "{} is not what has been learnt: its first {} bytes have changed; give the same input, or start anew with "
        "--resume never",
        name, position.offset));
  }
}

}  // namespace meteor
