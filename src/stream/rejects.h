#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/side_file.h"

namespace meteor {

/// The records of one input that could not be used. They are counted, and written to a file where one is given: a line
/// each with input, line number, reason and the first 200 bytes, separated by tabs, control characters escaped as in C.
class Rejects {
 public:
  /// `max_fraction` of all records may be rejected before the input as a whole counts as unusable.
  /// The file is written anew, but for what is kept. Throws Error when it cannot be opened; later failures are
  /// warnings.
  Rejects(std::string input, double max_fraction, const std::filesystem::path& file = {}, SideFile::Kept kept = {0, 0});

  /// `line` is the physical line, counted from 1, where the record begins. Throws InputError as soon as it is plain
  /// that the file is a wrong one: when no reject is allowed at all, or when at least 1000 records were read and the
  /// rejected fraction is nearer to 1 than to what is allowed.
  void add(std::uint64_t line, std::string_view reason, std::string_view text);
  void count_accepted() { ++accepted_; }
  std::uint64_t count() const { return count_; }
  /// As if so many had been seen before.
  void go_on_from(std::uint64_t rejected, std::uint64_t accepted);
  /// Tells to which window what is read from here on belongs.
  void begin_window(std::uint64_t number) { window_ = number; }
  /// How long the file is by now.
  std::uint64_t file_bytes() const { return file_ ? file_->bytes() : 0; }

  /// At the end of the input: throws InputError when too many records were rejected.
  void check();

 private:
  struct Example {
    std::uint64_t line;
    std::string reason;
  };
  double fraction() const;
  [[noreturn]] void fail(std::string_view moment);

  std::string input_;
  double max_fraction_;
  std::optional<SideFile> file_;
  std::uint64_t window_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t accepted_ = 0;
  std::vector<Example> first_;
};

}  // namespace meteor
