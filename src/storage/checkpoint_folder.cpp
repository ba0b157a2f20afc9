#include "storage/checkpoint_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "support/file_replacement.h"
#include "support/log.h"

namespace meteor {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "checkpoint-";
constexpr std::string_view kSuffix = ".h5";

[[noreturn]] void refuse(const fs::path& path, int reason) {
  throw StorageError(fmt::format("{}: {}", path.string(), std::generic_category().message(reason)));
}

/// Makes the folder if it is missing; returns it without links.
fs::path made(const fs::path& folder) {
  std::error_code reason;
  fs::create_directories(folder, reason);
  if (reason) refuse(folder, reason.value());
  fs::path real = fs::canonical(folder, reason);
  if (reason) refuse(folder, reason.value());
  return real;
}

/// Locks the name of a folder, by a file beside it: with the folder its own lock can be removed under a running job.
std::optional<LockFile> lock_name(const fs::path& folder, const std::string& what) {
  if (!folder.has_filename() || ::access(folder.parent_path().c_str(), W_OK) != 0) return std::nullopt;
  const fs::path path = folder.parent_path() / fmt::format(".{}.meteor-lock", folder.filename().string());
  return std::make_optional<LockFile>(path, what, AtEnd::removed);
}

}  // namespace

CheckpointFolder::CheckpointFolder(fs::path folder)
    : folder_(std::move(folder)),
      name_lock_(lock_name(made(folder_), folder_.string())),
      lock_(folder_ / "lock", folder_.string(), AtEnd::emptied) {
  if (!lock_.left().empty()) {
    log_info("{}: taking over from a run that ended without a word ({})", folder_.string(), lock_.left());
  }
  remove_unfinished();
}

void CheckpointFolder::check_ours() const {
  if (lock_.is_replaced()) {
    throw StorageError(fmt::format("{} has been removed, and belongs to another run now", folder_.string()));
  }
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
