#include "mpi/mail.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <exception>
#include <utility>

#include "mpi/broadcast_tree.h"
#include "mpi/encoding.h"
#include "mpi/messages.h"

namespace meteor {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds moment{1000};

std::uint64_t message_bytes(const Message& message) { return message.structure.size() + total_bytes(message.arrays); }

/// Tells others through a flag that this thread waits.
class WaitingFlag {
 public:
  explicit WaitingFlag(std::atomic<bool>& flag) : flag_(flag) { flag_ = true; }
  ~WaitingFlag() { flag_ = false; }
  WaitingFlag(const WaitingFlag&) = delete;
  WaitingFlag& operator=(const WaitingFlag&) = delete;

 private:
  std::atomic<bool>& flag_;
};

milliseconds heartbeat_interval(milliseconds patience) {
  return std::clamp(patience / 8, milliseconds(50), milliseconds(1000));
}

}  // namespace

Mail::Mail(Transport& transport, milliseconds patience, std::function<std::uint64_t()> pulse, Clock& clock)
    : transport_(transport),
      interval_(heartbeat_interval(patience)),
      pulse_(std::move(pulse)),
      clock_(clock),
      next_number_(transport.size()),
      expected_number_(transport.size()),
      watch_(transport.rank(), transport.size(), patience),
      heartbeat_(clock.start([this] { keep_in_touch(); })) {}

Mail::~Mail() {
  {
    const std::lock_guard lock(ending_);
    ended_ = true;
  }
  clock_.notify_all(end_);
  heartbeat_.join();
}

void Mail::set_patience(double seconds) {
  constexpr double longest = 1e9;  // some thirty years
  const milliseconds patience(static_cast<std::int64_t>(1000 * std::min(seconds, longest)));
  const std::lock_guard lock(receiving_);
  interval_ = heartbeat_interval(patience);
  watch_.set_patience(patience);
}

void Mail::set_stop(std::function<bool()> stops) {
  const std::lock_guard lock(stopping_);
  stops_ = std::move(stops);
}

void Mail::post(std::uint32_t to, Route route, Message message) {
  bytes_sent_ += message_bytes(message);
  const std::lock_guard lock(sending_);
  transport_.send(to, {rank(), route, next_number_[to]++, std::move(message)});
}

void Mail::post_to_children(const Message& message) {
  bytes_broadcast_ += message_bytes(message);
  for (const std::uint32_t child : broadcast_children(rank(), size())) post(child, Route::broadcast, message);
}

void Mail::send(std::uint32_t to, Message message) {
  assert(to != rank() && (to == 0 || rank() == 0));
  {
    const std::lock_guard lock(receiving_);
    watch_.told(to, waited_);
  }
  post(to, Route::direct, std::move(message));
}

void Mail::broadcast(Message message) {
  assert(rank() == 0);
  {
    const std::lock_guard lock(receiving_);
    for (std::uint32_t to = 1; to < size(); ++to) watch_.told(to, waited_);
  }
  post_to_children(message);
}

void Mail::flush() {
  for (auto start = clock_.now(); !transport_.flush(interval_.load() / 2); start = clock_.now()) {
    const std::lock_guard lock(receiving_);
    count_waiting(start);
    empty_box(transport_.receive(milliseconds(0)));
    check_failure();
    if (const auto sentence = watch_.silence(waited_)) throw TransportError(*sentence);
  }
}

void Mail::flush_briefly() noexcept {
  try {
    transport_.flush(moment);
  } catch (const std::exception&) {  // then nothing leaves any more
  }
}

template <class Take>
auto Mail::wait_for(const Take& take, const Blame& blame) {
  const std::lock_guard lock(receiving_);
  const WaitingFlag waits(waits_);
  for (;;) {
    check_failure();
    if (auto taken = take()) {
      ++taken_;
      return std::move(*taken);
    }
    if (const auto sentence = blame()) throw TransportError(*sentence);
    const auto start = clock_.now();
    std::optional<Packet> packet = transport_.receive(interval_.load() / 2);
    count_waiting(start);
    empty_box(std::move(packet));
  }
}

Message Mail::hear() {
  assert(rank() != 0);
  const auto take = [this]() -> std::optional<Message> {
    if (broadcasts_.empty()) return std::nullopt;
    Message message = std::move(broadcasts_.front());
    broadcasts_.pop_front();
    return message;
  };
  return wait_for(take, [this] { return watch_.silence(waited_); });
}

Message Mail::receive() {
  assert(rank() != 0);
  {
    const std::lock_guard lock(receiving_);
    watch_.told(0, waited_);  // rank 0 may have been at rest for long, until the broadcast, which others may pass on
  }
  return receive_from({0}).message;
}

Mail::Answer Mail::receive_from(const std::vector<std::uint32_t>& ranks) {
  assert(!ranks.empty());
  const auto take = [&]() -> std::optional<Answer> {
    const auto owed = [&](const Answer& letter) { return std::count(ranks.begin(), ranks.end(), letter.from) > 0; };
    const auto found = std::find_if(letters_.begin(), letters_.end(), owed);
    if (found == letters_.end()) return std::nullopt;
    Answer answer = std::move(*found);
    letters_.erase(found);
    return answer;
  };
  return wait_for(take, [&] { return watch_.blame(ranks, waited_); });
}

/// A process that was stopped for a while, or starved by others, has not listened in that time and blames nobody for
/// it: each turn counts as no longer than it was meant to last.
void Mail::count_waiting(Clock::Time since) {
  waited_ += std::min<Watch::Time>(clock_.now() - since, interval_.load() / 2);
  if (const std::uint64_t beats = pulse_(); std::exchange(last_beats_, beats) != beats) watch_.progressed(waited_);
}

void Mail::check_failure() const {
  if (failure_) throw TransportError(*failure_);
}

void Mail::empty_box(std::optional<Packet> packet) {
  for (; packet; packet = transport_.receive(milliseconds(0))) deliver(std::move(*packet));
}

void Mail::deliver(Packet packet) {
  if (packet.from >= size() || packet.from == rank()) {
    if (!failure_) {
      failure_ = fmt::format("a message to rank {} says that it comes from rank {}, in a job of {}", rank(),
                             packet.from, size());
    }
    return;
  }
  if (packet.route != Route::heartbeat) return sort_letter(std::move(packet));
  try {
    const auto heartbeat = decode<Heartbeat>(packet.message.structure);
    watch_.heard(packet.from, heartbeat, waited_);
    if (heartbeat.stops) stop_heard_ = true;
  } catch (const TransportError& problem) {
    if (!failure_) failure_ = fmt::format("heartbeat of rank {} to rank {}: {}", packet.from, rank(), problem.what());
  }
}

void Mail::sort_letter(Packet packet) {
  std::uint64_t& expected = expected_number_[packet.from];
  if (packet.number != expected) {
    const bool again = packet.number < expected;
    if (!failure_)
      failure_ = fmt::format("message {} from rank {} to rank {} {}", again ? packet.number : expected, packet.from,
                             rank(), again ? "came twice" : "was lost");
    return;
  }
  ++expected;
  watch_.heard(packet.from, waited_);
  bytes_received_ += message_bytes(packet.message);
  if (packet.route == Route::broadcast) {
    post_to_children(packet.message);
    broadcasts_.push_back(std::move(packet.message));
  } else {
    letters_.push_back({packet.from, std::move(packet.message)});
  }
}

void Mail::keep_in_touch() {
  for (std::uint64_t number = 0;; ++number) {
    try {
      send_heartbeats(number);
      if (const std::unique_lock lock(receiving_, std::try_to_lock); lock)
        empty_box(transport_.receive(milliseconds(0)));
    } catch (const std::exception&) {
      return;  // the transport has broken down, which the other thread learns from it too
    }
    std::unique_lock lock(ending_);
    if (clock_.wait_until(end_, lock, clock_.now() + interval_.load(), [this] { return ended_; })) return;
  }
}

void Mail::send_heartbeats(std::uint64_t number) {
  Heartbeat own{pulse_(), taken_, waits_};
  {
    const std::lock_guard lock(stopping_);
    own.stops = stops_ && stops_();
  }
  const std::string heartbeat = encode(own);
  const std::uint32_t begin = rank() == 0 ? 1 : 0;
  const std::uint32_t end = rank() == 0 ? size() : 1;
  for (std::uint32_t to = begin; to < end; ++to)
    transport_.send(to, {rank(), Route::heartbeat, number, {MessageKind::heartbeat, heartbeat, {}}});
}

}  // namespace meteor
