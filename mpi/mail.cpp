#include "mpi/mail.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <exception>
#include <utility>

namespace meteor {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds moment{1000};

std::uint64_t message_bytes(const Message& message) { return message.structure.size() + total_bytes(message.arrays); }

milliseconds heartbeat_interval(milliseconds patience) {
  return std::clamp(patience / 8, milliseconds(50), milliseconds(1000));
}

}  // namespace

std::vector<std::uint32_t> broadcast_children(std::uint32_t rank, std::uint32_t size) {
  const std::uint64_t end = rank == 0 ? std::bit_ceil(std::uint64_t{size}) : rank & (~rank + 1);
  std::vector<std::uint32_t> children;
  for (std::uint64_t step = end / 2; step > 0; step /= 2)
    if (rank + step < size) children.push_back(static_cast<std::uint32_t>(rank + step));
  return children;
}

Mail::Mail(Transport& transport, milliseconds patience, std::function<std::uint64_t()> pulse, Clock& clock)
    : transport_(transport),
      interval_(heartbeat_interval(patience)),
      pulse_(std::move(pulse)),
      clock_(clock),
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

void Mail::post(std::uint32_t to, Message message) {
  bytes_sent_ += message_bytes(message);
  transport_.send(to, std::move(message));
}

void Mail::post_to_children(const Message& message) {
  bytes_broadcast_ += message_bytes(message);
  for (const std::uint32_t child : broadcast_children(rank(), size())) post(child, message);
}

void Mail::send(std::uint32_t to, Message message) {
  assert(to != rank() && (to == 0 || rank() == 0));
  {
    const std::lock_guard lock(receiving_);
    watch_.told(to, waited_);
  }
  post(to, std::move(message));
}

void Mail::broadcast(Message message) {
  assert(rank() == 0);
  {
    const std::lock_guard lock(receiving_);
    for (std::uint32_t to = 1; to < size(); ++to) watch_.told(to, waited_);
  }
  message.to_all = true;
  post_to_children(message);
}

void Mail::flush() {
  for (auto start = clock_.now(); !transport_.flush(interval_.load() / 2); start = clock_.now()) {
    const std::lock_guard lock(receiving_);
    count_waiting(start);
    empty_box(transport_.receive(milliseconds(0)));
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
  const struct Waiting {
    std::atomic<bool>& flag;
    ~Waiting() { flag = false; }
  } waiting{waits_};
  waits_ = true;
  for (;;) {
    if (auto taken = take()) return std::move(*taken);
    if (const auto sentence = blame()) throw TransportError(*sentence);
    const auto start = clock_.now();
    std::optional<Arrival> arrival = transport_.receive(interval_.load() / 2);
    count_waiting(start);
    empty_box(std::move(arrival));
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

Arrival Mail::receive_from(const std::vector<std::uint32_t>& ranks) {
  assert(!ranks.empty());
  const auto take = [&]() -> std::optional<Arrival> {
    const auto owed = [&](const Arrival& letter) { return std::count(ranks.begin(), ranks.end(), letter.from) > 0; };
    const auto found = std::find_if(letters_.begin(), letters_.end(), owed);
    if (found == letters_.end()) return std::nullopt;
    Arrival letter = std::move(*found);
    letters_.erase(found);
    return letter;
  };
  return wait_for(take, [&] { return watch_.blame(ranks, waited_); });
}

void Mail::count_waiting(Clock::Time since) {
  waited_ += std::min<Watch::Time>(clock_.now() - since, interval_.load() / 2);
}

void Mail::empty_box(std::optional<Arrival> arrival) {
  for (const HeardHeartbeat& heard : transport_.heartbeats()) {
    watch_.heard(heard.from, heard.heartbeat, waited_);
    if (heard.heartbeat.stops) stop_heard_ = true;
  }
  for (; arrival; arrival = transport_.receive(milliseconds(0))) {
    watch_.heard(arrival->from, waited_);
    bytes_received_ += message_bytes(arrival->message);
    if (arrival->message.to_all) {
      post_to_children(arrival->message);
      broadcasts_.push_back(std::move(arrival->message));
    } else {
      letters_.push_back(std::move(*arrival));
    }
  }
}

void Mail::keep_in_touch() {
  for (;;) {
    try {
      send_heartbeats();
      if (const std::unique_lock lock(receiving_, std::try_to_lock); lock)
        empty_box(transport_.receive(milliseconds(0)));
    } catch (const std::exception&) {
      return;  // the transport has broken down, which the other thread learns from it too
    }
    std::unique_lock lock(ending_);
    if (clock_.wait_until(end_, lock, clock_.now() + interval_.load(), [this] { return ended_; })) return;
  }
}

void Mail::send_heartbeats() {
  Heartbeat own{pulse_(), waits_, false};
  {
    const std::lock_guard lock(stopping_);
    own.stops = stops_ && stops_();
  }
  const std::uint32_t begin = rank() == 0 ? 1 : 0;
  const std::uint32_t end = rank() == 0 ? size() : 1;
  for (std::uint32_t to = begin; to < end; ++to) transport_.send_heartbeat(to, own);
}

}  // namespace meteor
