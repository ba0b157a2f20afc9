#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace meteor {

/// The bytes of one input, in order.
class ByteSource {
 public:
  explicit ByteSource(std::string name) : name_(std::move(name)) {}
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Fills the front of `space`, which is not empty, and says how many bytes it wrote; waits while there are none. 0 is
  /// the end, and stays so. Throws InputError when the operating system refuses; damaged data only ends the bytes.
  virtual std::size_t read(std::span<char> space) = 0;

  /// Counts the parts of the input that have begun, from 0 on: a followed file that is replaced begins another. One
  /// call of read() gives bytes of one part only; a part ends with a line break before the next one begins.
  std::uint64_t part() const { return part_; }
  /// What the user calls this input.
  const std::string& name() const { return name_; }
  /// After the end: what is wrong with the data ("compressed data ends early"); empty when nothing is.
  std::string_view damage() const { return damage_; }
  /// After the end: somebody asked to stop, so that the last line may be unfinished.
  bool stopped() const { return stopped_; }

 protected:
  void end_with_damage(std::string damage) { damage_ = std::move(damage); }
  void end_with_stop() { stopped_ = true; }
  void begin_part() { ++part_; }

 private:
  std::string name_;
  std::string damage_;
  std::uint64_t part_ = 0;
  bool stopped_ = false;
};

struct SourceOptions {
  bool follow = false;                           ///< at the end of a plain file, wait for it to grow or to be replaced
  std::function<bool()> stop;                    ///< asked while waiting; true ends the bytes. Empty: never
  std::chrono::milliseconds poll_interval{200};  ///< how long to wait between two looks
};

/// Opens a file, or standard input for "-". A name that ends in .gz or .zst is decompressed on the way. Throws
/// InputError when the file cannot be opened and UsageError for a compressed file that is to be followed. A plain file
/// that shrinks while it is read is an InputError, unless it is followed: followed_file.h says what happens then.
std::unique_ptr<ByteSource> open_source(const std::string& path, const SourceOptions& options = {});

/// Whether an input is a file, which can be read as often as needed: not standard input, a pipe or a device. Also true
/// of what is not there, as opening it tells.
bool is_rereadable(const std::string& path);

/// Decompress another source. Several members or frames in a row are one text. When the data ends early or is damaged,
/// all that was intact before is delivered first.
std::unique_ptr<ByteSource> decompress_gzip(std::unique_ptr<ByteSource> compressed);
std::unique_ptr<ByteSource> decompress_zstd(std::unique_ptr<ByteSource> compressed);

}  // namespace meteor
