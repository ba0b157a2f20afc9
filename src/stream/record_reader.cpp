#include "stream/record_reader.h"

#include "stream/csv_rows.h"
#include "stream/json_rows.h"

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
      return true;
    }
    rejects_.add(row_.line, builder_.fault(), row_.text);
  }
  if (!stopped()) rejects_.check();
  return false;
}

}  // namespace meteor
