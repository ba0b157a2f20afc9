#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "storage/checkpoint_folder.h"

namespace meteor {

/// Writes checkpoints in a thread of its own. One that cannot be written is reported, earlier ones stay, and the next
/// is tried again; where checkpoints are required it is an error.
class CheckpointWriter {
 public:
  /// `anew`: the folder's older checkpoints are of another run, and go when the first new one is complete. The folder
  /// must outlive the writer.
  CheckpointWriter(const CheckpointFolder& folder, const CheckpointSettings& settings, bool anew);
  /// Waits for what is being written.
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  /// Whether the last one is still being written.
  bool busy();
  /// Takes a checkpoint over; waits while the last one is being written. Throws StorageError if that was required and
  /// failed.
  void write(FileContent content, std::uint64_t windows);
  /// Waits for what is being written; whether it is on the disk. Throws as write() does.
  bool finish();

 private:
  struct Task {
    FileContent content;
    std::uint64_t windows;
  };
  void run();
  void write_one(const Task& task);
  void throw_if_required();

  const CheckpointFolder& folder_;
  CheckpointSettings settings_;
  bool anew_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Task> task_;  // waiting or being written
  std::optional<std::string> fault_;
  bool last_succeeded_ = false;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace meteor
