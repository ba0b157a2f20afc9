#include "storage/checkpoint_folder.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <system_error>

#include "storage/durable_file.h"
#include "support/host_name.h"
#include "support/log.h"

namespace meteor {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "checkpoint-";
constexpr std::string_view kSuffix = ".h5";

[[noreturn]] void refuse(const fs::path& path, int reason) {
  throw StorageError(fmt::format("{}: {}", path.string(), std::generic_category().message(reason)));
}

std::string this_process() {
  return fmt::format("host {}, process {}, since {:%Y-%m-%dT%H:%M:%SZ}\n", host_name(), getpid(),
                     fmt::gmtime(std::time(nullptr)));
}

std::string content_of(int descriptor) {
  std::array<char, 512> text{};
  const ssize_t count = ::pread(descriptor, text.data(), text.size() - 1, 0);
  std::string content(text.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  while (!content.empty() && content.back() == '\n') content.pop_back();
  return content;
}

}  // namespace

CheckpointFolder::CheckpointFolder(fs::path folder) : folder_(std::move(folder)) {
  std::error_code reason;
  fs::create_directories(folder_, reason);
  if (reason) refuse(folder_, reason.value());
  const fs::path path = folder_ / "lock";
  lock_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock_ < 0) refuse(path, errno);
  // The operating system frees the lock when its holder dies, however that happens; the text only tells who it was.
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    const std::string holder = content_of(lock_);
    ::close(lock_);
    throw StorageError(
        fmt::format("{} is in use by another run ({}): give each run a folder of its own", folder_.string(), holder));
  }
  const std::string before = content_of(lock_);
  if (!before.empty()) log_info("{}: taking over from a run that ended without a word ({})", folder_.string(), before);
  const std::string text = this_process();
  if (::ftruncate(lock_, 0) != 0 || ::pwrite(lock_, text.data(), text.size(), 0) < 0) {
    log_warning("{}: cannot be written: {}", path.string(), std::generic_category().message(errno));
  }
  remove_unfinished();
}

CheckpointFolder::~CheckpointFolder() {
  [[maybe_unused]] const int ignored = ::ftruncate(lock_, 0);  // an orderly end
  ::close(lock_);
}

fs::path CheckpointFolder::path_of(std::uint64_t windows) const {
  return folder_ / fmt::format("{}{:010}{}", kPrefix, windows, kSuffix);
}

std::vector<CheckpointFolder::Entry> CheckpointFolder::entries() const {
  std::vector<Entry> found;
  std::error_code reason;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, reason)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) continue;
    const char* const end = name.data() + name.size() - kSuffix.size();
    std::uint64_t windows = 0;
    const auto [last, problem] = std::from_chars(name.data() + kPrefix.size(), end, windows);
    if (problem == std::errc() && last == end) found.push_back({windows, entry.path()});
  }
  if (reason) refuse(folder_, reason.value());
  std::sort(found.begin(), found.end(), [](const Entry& a, const Entry& b) { return a.windows > b.windows; });
  return found;
}

/// A run that was killed while it wrote leaves half a file behind.
void CheckpointFolder::remove_unfinished() const {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kPrefix) && name.ends_with(kUnfinishedSuffix)) fs::remove(entry.path(), ignored);
  }
}

std::optional<Checkpoint> CheckpointFolder::newest() const {
  const std::vector<Entry> all = entries();
  for (const Entry& entry : all) {
    try {
      return load_checkpoint(entry.path);
    } catch (const StorageError& fault) {
      log_warning("{}", fault.what());
    }
  }
  if (all.empty()) return std::nullopt;
  throw StorageError(fmt::format(
      "none of the {} checkpoints in {} can be used: restore one from a copy, or start anew with --resume never",
      all.size(), folder_.string()));
}

void CheckpointFolder::prune(const CheckpointSettings& settings, std::uint64_t written_windows) const {
  std::vector<Entry> all = entries();
  std::erase_if(all, [&](const Entry& entry) { return entry.windows > written_windows; });
  for (std::size_t i = settings.keep; i < all.size(); ++i) {
    if (settings.keep_every > 0 && all[i].windows % settings.keep_every == 0) continue;
    std::error_code ignored;
    fs::remove(all[i].path, ignored);
  }
}

void CheckpointFolder::remove_others(const fs::path& kept) const {
  for (const Entry& entry : entries()) {
    std::error_code ignored;
    if (entry.path != kept) fs::remove(entry.path, ignored);
  }
}

}  // namespace meteor
