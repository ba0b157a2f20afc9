#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "mpi/transport.h"
#include "mpi/watch.h"
#include "support/clock.h"
#include "support/pulse.h"

namespace meteor {

/// The ranks to which a rank passes broadcasts on, those with most ranks behind them first: a binomial tree, so that
/// all have them after log2(size) steps.
std::vector<std::uint32_t> broadcast_children(std::uint32_t rank, std::uint32_t size);

/// What ranks say to each other, on top of a transport whose other ends may break: a rank that stops answering is named
/// after `patience`, and nothing waits for ever. A heartbeat from every rank to rank 0, and from rank 0 to all, tells
/// that the process runs, whether it gets on (Pulse) and whether it waits. One thread uses a Mail; workers talk to rank
/// 0 only. A Mail that ends falls silent: end it only when nobody expects more of it.
class Mail {
 public:
  /// The transport waits by the same clock.
  Mail(Transport& transport, std::chrono::milliseconds patience, std::function<std::uint64_t()> pulse = Pulse::beats,
       Clock& clock = machine_clock());
  ~Mail();
  Mail(const Mail&) = delete;
  Mail& operator=(const Mail&) = delete;

  /// Another patience from here on, in seconds.
  void set_patience(double seconds);

  /// From here on heartbeats tell what this says of stopping. Another thread asks it.
  void set_stop(std::function<bool()> stops);
  /// Whether a heartbeat told of stopping.
  bool stop_heard() const { return stop_heard_; }

  std::uint32_t rank() const { return transport_.rank(); }
  std::uint32_t size() const { return transport_.size(); }

  void send(std::uint32_t to, Message message);
  /// Sends to all other ranks, from rank 0 only, along a tree: receivers pass it on as soon as it arrives.
  void broadcast(Message message);
  /// Waits until all that was sent has left this process's memory, unless a rank has stopped answering.
  void flush();
  /// The same for a rank that has failed: waits no longer than a moment, and whatever happens.
  void flush_briefly() noexcept;

  /// A worker's next broadcast. Waits as long as rank 0 lives, however silent its input is.
  Message hear();
  /// A worker's next message that rank 0 sent to it alone, which a broadcast has announced. Waits as long as rank 0
  /// lives and gets on.
  Message receive();
  /// Rank 0's next message from one of the given ranks, which all owe one. Throws TransportError that names the rank
  /// that has stopped or is stuck. Patience counts only while waiting here.
  Arrival receive_from(const std::vector<std::uint32_t>& ranks);

  /// Bytes handed to, and taken from, the transport so far, heartbeats aside.
  std::uint64_t bytes_sent() const { return bytes_sent_; }
  std::uint64_t bytes_received() const { return bytes_received_; }
  /// Bytes of broadcasts so far, each counted once however many ranks receive it.
  std::uint64_t bytes_broadcast() const { return bytes_broadcast_; }

 private:
  using Blame = std::function<std::optional<std::string>()>;

  void post(std::uint32_t to, Message message);
  void post_to_children(const Message& message);
  void keep_in_touch();
  void send_heartbeats();
  /// Sorts what has come, beginning with this.
  void empty_box(std::optional<Arrival> arrival);
  /// A process that was stopped for a while, or starved by others, has not listened in that time and blames nobody for
  /// it: each turn counts as no longer than it was meant to last.
  void count_waiting(Clock::Time since);
  template <class Take>
  auto wait_for(const Take& take, const Blame& blame);

  Transport& transport_;
  std::atomic<std::chrono::milliseconds> interval_;  // between heartbeats
  const std::function<std::uint64_t()> pulse_;
  Clock& clock_;

  // Whoever takes messages out of the transport holds this lock until they are sorted: the waiting thread all the time
  // that it waits, or else the heartbeat's thread now and then. It guards all down to letters_.
  std::mutex receiving_;
  Watch watch_;
  Watch::Time waited_{};
  std::deque<Message> broadcasts_;
  std::deque<Arrival> letters_;

  std::mutex stopping_;
  std::function<bool()> stops_;
  std::atomic<bool> stop_heard_ = false;
  std::atomic<bool> waits_ = false;
  std::atomic<std::uint64_t> bytes_sent_ = 0;
  std::atomic<std::uint64_t> bytes_received_ = 0;
  std::atomic<std::uint64_t> bytes_broadcast_ = 0;

  std::mutex ending_;
  std::condition_variable end_;
  bool ended_ = false;
  std::thread heartbeat_;
};

/// Memory that messages look at while they leave. It is back when back() has returned; where an exception is about to
/// free it, the messages get a moment to leave first.
class LentMemory {
 public:
  explicit LentMemory(Mail& mail) : mail_(mail) {}
  ~LentMemory() {
    if (!back_) mail_.flush_briefly();
  }
  LentMemory(const LentMemory&) = delete;
  LentMemory& operator=(const LentMemory&) = delete;

  void back() {
    mail_.flush();
    back_ = true;
  }

 private:
  Mail& mail_;
  bool back_ = false;
};

}  // namespace meteor
