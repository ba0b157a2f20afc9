#include "mpi/in_process_transport.h"

#include <fmt/format.h>

#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

namespace meteor {

struct InProcessOffice::State {
  State(std::uint32_t ranks, Clock& the_clock) : clock(the_clock), boxes(ranks), arrivals(ranks) {}

  void check_running() const {
    if (aborted) throw TransportError(fmt::format("the job was aborted with status {}", *aborted));
  }

  Clock& clock;
  mutable std::mutex mutex;
  std::vector<std::deque<Packet>> boxes;
  std::vector<std::condition_variable> arrivals;
  std::optional<int> aborted;
};

class InProcessOffice::Desk final : public Transport {
 public:
  Desk(State& state, std::uint32_t rank) : state_(state), rank_(rank) {}

  std::uint32_t rank() const override { return rank_; }
  std::uint32_t size() const override { return static_cast<std::uint32_t>(state_.boxes.size()); }

  void send(std::uint32_t to, Packet packet) override {
    assert(to < size() && to != rank_);
    for (Array& array : packet.message.arrays) array = owned(std::move(array));
    const std::lock_guard lock(state_.mutex);
    state_.check_running();
    state_.boxes[to].push_back(std::move(packet));
    state_.clock.notify_all(state_.arrivals[to]);
  }

  bool flush(std::chrono::milliseconds) override {
    const std::lock_guard lock(state_.mutex);
    state_.check_running();
    return true;  // send() has copied
  }

  std::optional<Packet> receive(std::chrono::milliseconds wait) override {
    std::unique_lock lock(state_.mutex);
    auto& box = state_.boxes[rank_];
    const auto arrived = [&] { return state_.aborted || !box.empty(); };
    state_.clock.wait_until(state_.arrivals[rank_], lock, state_.clock.now() + wait, arrived);
    state_.check_running();
    if (box.empty()) return std::nullopt;
    Packet packet = std::move(box.front());
    box.pop_front();
    return packet;
  }

  /// Throws, as the other ranks are in the same process.
  [[noreturn]] void abort(int status) override {
    {
      const std::lock_guard lock(state_.mutex);
      if (!state_.aborted) state_.aborted = status;
      for (auto& arrival : state_.arrivals) state_.clock.notify_all(arrival);
    }
    throw TransportError(fmt::format("rank {} aborted the job with status {}", rank_, status));
  }

 private:
  State& state_;
  std::uint32_t rank_;
};

InProcessOffice::InProcessOffice(std::uint32_t ranks, Clock& clock) : state_(std::make_unique<State>(ranks, clock)) {
  for (std::uint32_t rank = 0; rank < ranks; ++rank) desks_.push_back(std::make_unique<Desk>(*state_, rank));
}

InProcessOffice::~InProcessOffice() = default;

Transport& InProcessOffice::transport(std::uint32_t rank) { return *desks_[rank]; }

std::optional<int> InProcessOffice::aborted() const {
  const std::lock_guard lock(state_->mutex);
  return state_->aborted;
}

}  // namespace meteor
