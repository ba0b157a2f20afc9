#include "stream/line_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace meteor {
namespace {

constexpr std::size_t smallest_block = 4096;
constexpr std::size_t largest_block = std::size_t{1} << 18;

}  // namespace

LineReader::LineReader(std::unique_ptr<ByteSource> source, std::uint64_t max_bytes, Rejects& rejects)
    : source_(std::move(source)),
      max_bytes_(max_bytes),
      rejects_(rejects),
      buffer_(std::clamp<std::size_t>(max_bytes, smallest_block, largest_block)) {}

bool LineReader::next() {
  if (!started_) {
    skip_byte_order_mark();
    started_ = true;
  }
  begins_part_ = false;
  pass(taken_);
  line_ += lines_;
  length_ = taken_ = 0;
  lines_ = 0;
  for (;;) {
    if (reaches_part()) begin_part();
    switch (find_line(0)) {
      case Found::line:
        length_ = first_length_ = found_length_;
        taken_ = first_taken_ = found_taken_;
        lines_ = 1;
        return true;
      case Found::too_long:
        rejects_.add(line_, fmt::format("the line is longer than {} bytes", max_bytes_), {begin(), available()});
        skip_long_line();
        break;
      case Found::end:
        report_damage({begin(), available()});
        return false;
    }
  }
}

void LineReader::pass(std::size_t bytes) {
  if (mark_ > offset() && mark_ - offset() <= bytes) {
    const auto before = static_cast<std::size_t>(mark_ - offset());
    hash_.update(begin(), before);
    begin_ += before;
    bytes -= before;
    sha256_at_mark_ = hash_.hex();
  }
  hash_.update(begin(), bytes);
  begin_ += bytes;
}

bool LineReader::reaches_part() {
  if (later_begins_.empty() && available() == 0) refill();
  return !later_begins_.empty() && later_begins_.front() == bytes_ - available();
}

void LineReader::begin_part() {
  part_begin_ = later_begins_.front();
  later_begins_.pop_front();
  hash_ = {};
  line_ = 1;
  begins_part_ = true;
  skip_byte_order_mark();
}

bool LineReader::skip_to(std::uint64_t offset, std::uint64_t line) {
  length_ = taken_ = 0;
  lines_ = 0;
  started_ = true;
  while (this->offset() < offset) {
    pass(static_cast<std::size_t>(std::min<std::uint64_t>(available(), offset - this->offset())));
    if (this->offset() < offset && !refill()) return false;
  }
  line_ = line;
  return this->offset() == offset;
}

bool LineReader::extend() {
  const std::uint64_t next = bytes_ - available() + taken_;
  if (!later_begins_.empty() && later_begins_.front() == next) return false;
  if (find_line(taken_) != Found::line) return false;
  if (!later_begins_.empty() && later_begins_.front() == next) return false;  // as was found out by reading on
  length_ = taken_ + found_length_;
  taken_ += found_taken_;
  ++lines_;
  return true;
}

void LineReader::give_back() {
  length_ = first_length_;
  taken_ = first_taken_;
  lines_ = 1;
}

LineReader::Found LineReader::find_line(std::size_t offset) {
  std::size_t searched = offset;
  for (;;) {
    const char* start = begin() + offset;
    const void* newline = std::memchr(begin() + searched, '\n', available() - searched);
    const char* stop = newline != nullptr ? static_cast<const char*>(newline) : begin() + available();
    if (static_cast<std::uint64_t>(stop - begin()) > max_bytes_ + 1) return Found::too_long;  // 1: a CR does not count
    const bool last = newline == nullptr && at_end_;
    if (newline != nullptr || last) {
      // Where the data was cut off, the last line is not what its writer meant.
      if (last && (start == stop || !source_->damage().empty() || source_->stopped())) return Found::end;
      found_taken_ = static_cast<std::size_t>(stop - start) + (last ? 0 : 1);
      if (stop != start && stop[-1] == '\r') --stop;
      found_length_ = static_cast<std::size_t>(stop - start);
      return offset + found_length_ > max_bytes_ ? Found::too_long : Found::line;
    }
    searched = available();
    refill();
  }
}

void LineReader::skip_long_line() {
  for (;;) {
    const void* newline = std::memchr(begin(), '\n', available());
    if (newline != nullptr) {
      pass(static_cast<std::size_t>(static_cast<const char*>(newline) - begin()) + 1);
      ++line_;
      return;
    }
    pass(available());
    if (!refill()) return;
  }
}

void LineReader::report_damage(std::string_view text) {
  if (source_->damage().empty() || damage_reported_) return;
  damage_reported_ = true;
  rejects_.add(line_, source_->damage(), text);
}

void LineReader::skip_byte_order_mark() {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  const auto matches = [&] { return mark.starts_with(std::string_view(begin(), std::min(available(), mark.size()))); };
  while (available() < mark.size() && matches() && refill()) {
  }
  if (available() >= mark.size() && matches()) pass(mark.size());
}

bool LineReader::refill() {
  if (at_end_) return false;
  if (begin_ == end_) begin_ = end_ = 0;
  if (end_ == buffer_.size()) {
    if (begin_ >= buffer_.size() / 2) {
      std::memmove(buffer_.data(), begin(), available());
      end_ -= begin_;
      begin_ = 0;
    } else {
      buffer_.resize(2 * buffer_.size());
    }
  }
  const std::size_t count = source_->read(std::span(buffer_).subspan(end_));
  if (source_->part() != last_part_) {
    last_part_ = source_->part();
    later_begins_.push_back(bytes_);
  }
  end_ += count;
  bytes_ += count;
  at_end_ = count == 0;
  return !at_end_;
}

}  // namespace meteor
