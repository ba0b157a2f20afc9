#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "config/settings.h"
#include "stream/byte_source.h"
#include "stream/record_builder.h"
#include "stream/rejects.h"
#include "stream/rows.h"
#include "stream/text_record.h"

namespace meteor {

/// A place between two records of an input, and what came before it.
struct StreamPosition {
  std::uint64_t offset = 0;  ///< in the decompressed text
  std::uint64_t line = 1;
  std::uint64_t records = 0;  ///< accepted ones
  std::uint64_t rejected = 0;
  std::string text_sha256;  ///< of the text
};

/// What one reading of an input found.
struct TextExtent {
  std::uint64_t bytes = 0;  ///< of the decompressed text; 0: it has not been read before
  std::string sha256;
};

/// Reads the records of one input in their order. Rows that are no records go to the rejects and reading continues.
class RecordReader {
 public:
  /// Reads the header of a CSV input: throws InputError when the input is empty or a column is missing or ambiguous.
  /// `rejects` must outlive the reader.
  RecordReader(std::unique_ptr<ByteSource> source, const StreamSettings& stream,
               std::span<const AttributeSettings> attributes, Rejects& rejects);

  /// False at the end of the input. Throws InputError when too many records were rejected: at the end, or as soon as it
  /// is plain that the input is a wrong one; and where the end is not the one that was expected.
  bool next(TextRecord& record);

  /// Before the record that was read last; after the last record, the end of what was read.
  StreamPosition position() const;
  /// Goes to a position in the same input, before the first record is read. Throws InputError when the input has become
  /// shorter, or what it held before the position is not what it was. An input that is told to stop on the way has no
  /// records.
  void go_to(const StreamPosition& position);

  /// At its end, the text must have begun with this: next() throws InputError where it did not. Before the first
  /// record.
  void expect(const TextExtent& seen);

  /// After the last record: the input did not end, it was told to stop.
  bool stopped() const { return rows_->stopped(); }
  std::uint64_t records() const { return records_; }
  std::uint64_t rejected() const { return rejects_.count(); }
  /// How much of the (decompressed) text was read.
  std::uint64_t bytes() const { return rows_->bytes(); }

 private:
  void check_expected() const;

  Rejects& rejects_;
  RecordBuilder builder_;
  std::unique_ptr<RowReader> rows_;
  Row row_;
  TextExtent expected_;
  std::uint64_t records_ = 0;
  bool at_record_ = false;  // the last call of next() gave one
};

}  // namespace meteor
