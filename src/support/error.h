#pragma once

#include <stdexcept>
#include <string>

namespace meteor {

/// What the process returns to the shell. Scripts and batch systems rely on these numbers.
enum class ExitStatus : int {
  done = 0,
  failed = 1,
  usage = 2,             ///< wrong command line or configuration
  input_unusable = 3,    ///< too many rejected records, missing column
  storage_unusable = 4,  ///< checkpoint or model cannot be read or written
  stopped = 75,          ///< on a signal, after a complete checkpoint: the same command goes on
};

/// A failure the user can act on: one sentence that names the file, line, key or rank.
class Error : public std::runtime_error {
 public:
  Error(ExitStatus status, const std::string& sentence) : std::runtime_error(sentence), status_(status) {}
  ExitStatus status() const { return status_; }

 private:
  ExitStatus status_;
};

struct UsageError : Error {
  explicit UsageError(const std::string& sentence) : Error(ExitStatus::usage, sentence) {}
};
struct InputError : Error {
  explicit InputError(const std::string& sentence) : Error(ExitStatus::input_unusable, sentence) {}
};
struct StorageError : Error {
  explicit StorageError(const std::string& sentence) : Error(ExitStatus::storage_unusable, sentence) {}
};
/// A rank does not answer, or what it says makes no sense.
struct TransportError : Error {
  explicit TransportError(const std::string& sentence) : Error(ExitStatus::failed, sentence) {}
};
/// Learning went wrong: a value is not finite.
struct NumericError : Error {
  explicit NumericError(const std::string& sentence) : Error(ExitStatus::failed, sentence) {}
};

}  // namespace meteor
