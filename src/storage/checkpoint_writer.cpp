#include "storage/checkpoint_writer.h"

#include <fmt/format.h>

#include <utility>

#include "support/log.h"
#include "support/phases.h"

namespace meteor {

CheckpointWriter::CheckpointWriter(const CheckpointFolder& folder, const CheckpointSettings& settings, bool anew)
    : folder_(folder), settings_(settings), anew_(anew), thread_([this] { run(); }) {}

CheckpointWriter::~CheckpointWriter() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool CheckpointWriter::busy() {
  const std::lock_guard lock(mutex_);
  return task_.has_value();
}

void CheckpointWriter::write(FileContent content, std::uint64_t windows) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !task_; });
  throw_if_required();
  task_ = Task{std::move(content), windows};
  changed_.notify_all();
}

bool CheckpointWriter::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !task_; });
  throw_if_required();
  return last_succeeded_;
}

void CheckpointWriter::throw_if_required() {
  if (settings_.required && fault_) throw StorageError(*fault_);
}

void CheckpointWriter::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return task_ || ending_; });
    if (!task_) return;
    lock.unlock();
    std::optional<std::string> fault;
    try {
      write_one(*task_);  // nobody else touches it while it is there
    } catch (const std::exception& error) {
      fault = error.what();
    }
    lock.lock();
    last_succeeded_ = !fault;
    if (fault && !settings_.required) {
      log_warning("the checkpoint after window {} was not written: {}; the next one is tried in its turn",
                  task_->windows, *fault);
    }
    fault_ = std::move(fault);
    task_.reset();
    changed_.notify_all();
  }
}

void CheckpointWriter::write_one(const Task& task) {
  folder_.check_ours();
  const std::filesystem::path path = folder_.path_of(task.windows);
  double seconds = 0;
  {
    const PhaseTimer timer(seconds);
    write_content(path, task.content);
  }
  log_info("checkpoint after window {}, written in {:.3f} s", task.windows, seconds);
  if (std::exchange(anew_, false)) folder_.remove_others(path);
  folder_.prune(settings_, task.windows);
}

}  // namespace meteor
