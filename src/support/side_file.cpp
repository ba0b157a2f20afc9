#include "support/side_file.h"

#include <system_error>
#include <utility>

#include "support/log.h"

namespace meteor {

SideFile::SideFile(std::filesystem::path path, Kept kept) : path_(std::move(path)), file_(path_, kept.bytes) {
  if (file_.is_regular() && file_.kept_lines() < kept.lines) {
    log_warning(
        "{} holds {} of the {} lines of what was learnt before: the others could not be written, or are elsewhere",
        path_.string(), file_.kept_lines(), kept.lines);
  }
}

void SideFile::write(std::uint64_t window, std::string_view line) {
  if (lost_ && lost_->last == window) return;  // half of a window's lines would look like all of them
  const int reason = file_.append(line);
  if (reason == 0) {
    if (lost_) {
      log_warning("{} can be written again: lines of windows {} to {} are missing", path_.string(), lost_->first,
                  lost_->last);
    }
    lost_.reset();
    return;
  }
  if (!lost_) {
    log_warning("{} cannot be written: {}; lines from window {} on are missing, and the run goes on", path_.string(),
                std::generic_category().message(reason), window);
    lost_ = {window, window};
  }
  lost_->last = window;
}

void SideFile::finish() {
  if (lost_) log_warning("{} lacks its last lines, from window {} on", path_.string(), lost_->first);
}

}  // namespace meteor
