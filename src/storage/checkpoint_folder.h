#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "config/settings.h"
#include "storage/checkpoint.h"
#include "storage/lock_file.h"

namespace meteor {

/// The checkpoints of one run. While it lives the folder is locked, and so is its name: a second run that wants either
/// is refused with the host, process and start of the one that has it, also when somebody has removed the folder
/// meanwhile. A lock that a dead run left is taken over, with a word about it.
class CheckpointFolder {
 public:
  /// Makes the folder if it is missing. Throws StorageError.
  explicit CheckpointFolder(std::filesystem::path folder);

  /// Throws StorageError where another run has got the folder: its lock was removed, or all of it.
  void check_ours() const;

  /// The newest checkpoint that is intact; damaged ones are reported on the way. None where there is no checkpoint at
  /// all. Throws StorageError when there are some and none is intact.
  std::optional<Checkpoint> newest() const;

  /// Where the checkpoint after so many windows goes.
  std::filesystem::path path_of(std::uint64_t windows) const;

  /// Removes checkpoints that need not be kept now that one was written: all up to that one but the newest `keep`, and
  /// those after a multiple of `keep_every` windows. Later ones are damaged, or the run would have gone on from them:
  /// they do not count.
  void prune(const CheckpointSettings& settings, std::uint64_t written_windows) const;
  /// Removes all but one: of a run that was started anew.
  void remove_others(const std::filesystem::path& kept) const;

 private:
  struct Entry {
    std::uint64_t windows;
    std::filesystem::path path;
  };
  std::vector<Entry> entries() const;  // newest first
  void remove_unfinished() const;

  std::filesystem::path folder_;
  std::optional<LockFile> name_lock_;  // none where the folder above may not be written
  LockFile lock_;
};

}  // namespace meteor
