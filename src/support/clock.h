#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace meteor {

/// The time by which ranks lose patience. All that has to do with waiting goes through it, from the start of the
/// threads that wait to their being notified, so that a test can have a clock that moves only while everybody waits.
class Clock {
 public:
  using Time = std::chrono::steady_clock::time_point;

  virtual ~Clock() = default;

  virtual Time now() const = 0;
  /// Waits until the condition is notified or that time has come; may also return earlier, as condition variables do.
  virtual void wait_until(std::condition_variable& condition, std::unique_lock<std::mutex>& lock, Time time) = 0;
  virtual void notify_all(std::condition_variable& condition) = 0;
  virtual std::thread start(std::function<void()> work) = 0;

  /// Waits until something holds or that time has come, and tells whether it holds.
  template <class Predicate>
  bool wait_until(std::condition_variable& condition, std::unique_lock<std::mutex>& lock, Time time,
                  const Predicate& holds) {
    while (!holds()) {
      if (now() >= time) return false;
      wait_until(condition, lock, time);
    }
    return true;
  }
};

/// The clock of this machine.
Clock& machine_clock();

}  // namespace meteor
