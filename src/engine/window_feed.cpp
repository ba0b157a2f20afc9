#include "engine/window_feed.h"

#include <algorithm>
#include <utility>

namespace meteor {

WindowFeed::WindowFeed(RecordReader& reader, Vocabulary& vocabulary, const StreamSettings& settings,
                       std::uint64_t first_number)
    : reader_(reader),
      vocabulary_(vocabulary),
      cutter_(settings.window, settings.late),
      first_number_(first_number),
      next_number_(first_number) {}

std::optional<Window> WindowFeed::next() {
  Window window;
  bool open = false;
  while (waiting_ || reader_.next(record_)) {
    const Placement placement = waiting_ ? Placement::next : cutter_.place(record_.time);
    if (placement == Placement::dropped) {
      ++skipped_.late;
      continue;
    }
    if (placement == Placement::next) {
      if (open && window.records() > 0) {
        waiting_ = true;
        position_ = reader_.position();
        return window;
      }
      window = {};
      window.number = next_number_++;
      window.begin = cutter_.begin();
      if (window.number == first_number_) first_begin_ = window.begin;
      open = true;
      waiting_ = false;
    }
    append(window);
  }
  position_ = reader_.position();
  if (window.records() == 0) return std::nullopt;
  return window;
}

void WindowFeed::append(Window& window) {
  units_.clear();
  newcomers_.clear();
  for (const TextUnit& unit : record_.units) {
    if (const auto known = vocabulary_.find(unit.attribute, unit.name)) {
      units_.push_back(*known);
    } else {
      newcomers_.push_back(unit);
    }
  }
  std::sort(units_.begin(), units_.end());
  units_.erase(std::unique(units_.begin(), units_.end()), units_.end());
  const auto key = [](const TextUnit& unit) { return std::pair(unit.attribute, unit.name); };
  std::sort(newcomers_.begin(), newcomers_.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  newcomers_.erase(
      std::unique(newcomers_.begin(), newcomers_.end(), [&](const auto& a, const auto& b) { return key(a) == key(b); }),
      newcomers_.end());
  std::unique_lock<std::mutex> lock;
  if (!newcomers_.empty()) lock = std::unique_lock(admitting_);
  std::erase_if(newcomers_,
                [&](const TextUnit& unit) { return !vocabulary_.sight(unit.attribute, unit.name, window.number); });
  if (units_.size() + newcomers_.size() < 2) {
    ++skipped_.too_small;
    return;
  }
  for (const TextUnit& unit : newcomers_) units_.push_back(vocabulary_.admit(unit.attribute, unit.name));
  window.units.insert(window.units.end(), units_.begin(), units_.end());
  window.ends.push_back(window.units.size());
  window.record_numbers.push_back(record_.number);
}

}  // namespace meteor
