#include "support/clock.h"

#include <utility>

namespace meteor {
namespace {

class MachineClock final : public Clock {
 public:
  Time now() const override { return std::chrono::steady_clock::now(); }
  void wait_until(std::condition_variable& condition, std::unique_lock<std::mutex>& lock, Time time) override {
    condition.wait_until(lock, time);
  }
  void notify_all(std::condition_variable& condition) override { condition.notify_all(); }
  std::thread start(std::function<void()> work) override { return std::thread(std::move(work)); }
};

}  // namespace

Clock& machine_clock() {
  static MachineClock clock;
  return clock;
}

}  // namespace meteor
