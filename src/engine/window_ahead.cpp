#include "engine/window_ahead.h"

#include <utility>

namespace meteor {

WindowAhead::WindowAhead(WindowFeed& feed, Vocabulary& vocabulary, Rejects& rejects, const Categories& categories,
                         std::optional<Duration> expire, Expiry expiry)
    : feed_(feed),
      vocabulary_(vocabulary),
      rejects_(rejects),
      categories_(categories),
      expire_(expire),
      expiry_(std::move(expiry)),
      thread_([this] { read_all(); }) {}

WindowAhead::~WindowAhead() {
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::optional<ReadWindow> WindowAhead::next() {
  std::unique_lock lock(mutex_);
  asked_ = true;
  changed_.notify_all();
  changed_.wait(lock, [&] { return ready_ || ended_; });
  asked_ = false;
  if (!ready_ && failure_) std::rethrow_exception(failure_);
  std::optional<ReadWindow> window = std::exchange(ready_, std::nullopt);
  changed_.notify_all();
  return window;
}

void WindowAhead::read_all() {
  try {
    for (;;) {
      std::optional<ReadWindow> window = read_one();
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !ready_ || abandoned_; });
      if (!window || abandoned_) break;
      const bool forgets = window->forgets;
      ready_ = std::move(window);
      changed_.notify_all();
      if (forgets) changed_.wait(lock, [&] { return (!ready_ && asked_) || abandoned_; });
    }
  } catch (...) {
    failure_ = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

std::optional<ReadWindow> WindowAhead::read_one() {
  const std::size_t known = vocabulary_.size();
  rejects_.begin_window(feed_.next_number());
  std::optional<Window> window = feed_.next();
  if (!window) return std::nullopt;
  ReadWindow read;
  read.units = count_units(*window, vocabulary_.attributes(), vocabulary_.attribute_count());
  read.window = std::move(*window);
  for (std::size_t i = known; i < vocabulary_.size(); ++i) {
    const UnitId unit{static_cast<std::uint32_t>(i)};
    read.new_categories.push_back(categories_.of(vocabulary_.attribute(unit), vocabulary_.name(unit)));
  }
  read.forgets = expiry_.after(expire_, read.window.number, read.window.begin).has_value();
  read.skipped = feed_.skipped();
  read.end = feed_.position();
  read.first_begin = feed_.first_begin();
  read.next_number = feed_.next_number();
  read.sightings = vocabulary_.take_sightings();
  read.reject_bytes = rejects_.file_bytes();
  return read;
}

}  // namespace meteor
