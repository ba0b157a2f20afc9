#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stream/byte_source.h"
#include "stream/rejects.h"
#include "support/hash.h"

namespace meteor {

/// Cuts a source into physical lines, and joins them where a row spans several. A line break is LF or CRLF; the last
/// line needs none. A UTF-8 byte order mark at the start is skipped. A line above `max_bytes` is rejected without being
/// stored. What damaged data leaves unfinished is rejected with the damage as the reason; what a stop leaves unfinished
/// is left alone.
class LineReader {
 public:
  LineReader(std::unique_ptr<ByteSource> source, std::uint64_t max_bytes, Rejects& rejects);

  /// Goes to the line after the current text. False at the end of the input.
  bool next();
  /// Joins the following line to the current text, with the line break between them. False, and the text is unchanged,
  /// when there is none, when it belongs to another part of the source, or when the text would exceed the limit.
  bool extend();
  /// Takes back every extend, so that next() continues on the line after the first.
  void give_back();

  /// The current text without its last line break. Valid until next() or extend().
  std::string_view text() const { return {begin(), length_}; }
  /// The physical line, counted from 1, where the text begins.
  std::uint64_t line() const { return line_; }

  /// Whether the text is the first line of a later part of the source; lines are counted anew from there.
  bool begins_part() const { return begins_part_; }

  /// Where the current text begins in its part of the source, or after the last one its end.
  std::uint64_t offset() const { return bytes_ - available() - part_begin_; }
  /// SHA-256 of everything before it in that part.
  std::string sha256_before() const { return hash_.hex(); }
  /// Passes over everything up to an offset that offset() gave for the same source before, where that line began. False
  /// if the source ends earlier.
  bool skip_to(std::uint64_t offset, std::uint64_t line);

  /// Takes note of the hash of everything before this offset, which has not been passed yet.
  void mark(std::uint64_t offset) { mark_ = offset; }
  /// That hash; empty before the offset has been reached.
  const std::string& sha256_at_mark() const { return sha256_at_mark_; }

  bool at_end() const { return at_end_; }
  const ByteSource& source() const { return *source_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  enum class Found { line, end, too_long };
  /// Leaves so many bytes behind.
  void pass(std::size_t bytes);
  /// Looks for the end of the line that starts `offset` bytes after begin().
  Found find_line(std::size_t offset);
  void skip_long_line();
  /// Whether the next line is the first of another part.
  bool reaches_part();
  void begin_part();
  void report_damage(std::string_view text);
  void skip_byte_order_mark();
  /// Reads more bytes behind those in the buffer; false at the end of the source.
  bool refill();

  const char* begin() const { return buffer_.data() + begin_; }
  std::size_t available() const { return end_ - begin_; }

  std::unique_ptr<ByteSource> source_;
  std::uint64_t max_bytes_;
  Rejects& rejects_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  ///< of the current text, in the buffer
  std::size_t end_ = 0;    ///< of the bytes that were read, in the buffer
  std::size_t length_ = 0;
  std::size_t taken_ = 0;  ///< bytes of the text with its last line break
  std::uint64_t lines_ = 0;
  std::size_t first_length_ = 0;
  std::size_t first_taken_ = 0;
  std::size_t found_length_ = 0;
  std::size_t found_taken_ = 0;
  std::uint64_t line_ = 1;
  std::uint64_t bytes_ = 0;
  Sha256 hash_;
  std::uint64_t mark_ = 0;  ///< 0: none
  std::string sha256_at_mark_;
  std::uint64_t last_part_ = 0;             ///< of the bytes in the buffer
  std::uint64_t part_begin_ = 0;            ///< of the current text's part, in the source
  std::deque<std::uint64_t> later_begins_;  ///< of parts after it
  bool begins_part_ = false;
  bool started_ = false;
  bool at_end_ = false;
  bool damage_reported_ = false;
};

}  // namespace meteor
