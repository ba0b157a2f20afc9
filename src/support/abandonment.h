#pragma once

#include <atomic>
#include <functional>
#include <utility>

namespace meteor {

/// Thrown out of work that is given up before its end.
struct Abandoned {};

/// Whether work that takes long is given up on the way. All its threads ask; once it is given up, it stays so.
class Abandonment {
 public:
  /// `wanted` says whether it should be; none: never.
  explicit Abandonment(std::function<bool()> wanted) : wanted_(std::move(wanted)) {}

  bool given_up() {
    if (state_ == State::open && wanted_ && wanted_()) change_to(State::given_up);
    return state_ == State::given_up;
  }
  /// From here on it is seen through, because there is no way back; false if it has been given up.
  bool see_through() { return change_to(State::seen_through); }

 private:
  enum class State { open, given_up, seen_through };
  bool change_to(State next) {
    State current = State::open;
    return state_.compare_exchange_strong(current, next) || current == next;
  }

  std::function<bool()> wanted_;
  std::atomic<State> state_ = State::open;
};

}  // namespace meteor
