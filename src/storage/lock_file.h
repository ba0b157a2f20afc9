#pragma once

#include <filesystem>
#include <string>

#include "support/descriptor.h"

namespace meteor {

/// What becomes of a lock file in an orderly end.
enum class AtEnd { emptied, removed };

/// A file that one process at a time holds, and that tells who: host, process and start. The operating system frees it
/// when its holder dies, however that happens; what a dead one left is taken over.
class LockFile {
 public:
  /// `what` is locked by the file, in the words of messages. Throws StorageError where another process holds it, and
  /// where something else is in its place: links are not followed, and files that are no locks stay as they are.
  LockFile(std::filesystem::path path, const std::string& what, AtEnd at_end);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  /// What a holder left that died; empty after an orderly end.
  const std::string& left() const { return left_; }
  /// Whether another file has the name now.
  bool is_replaced() const;

 private:
  std::filesystem::path path_;
  AtEnd at_end_;
  Descriptor file_;
  std::string left_;
};

}  // namespace meteor
