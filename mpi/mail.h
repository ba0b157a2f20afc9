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

#include "mpi/clock.h"
#include "mpi/transport.h"
#include "mpi/watch.h"
#include "support/pulse.h"

namespace meteor {

/// Reliable post between ranks on top of a transport that may fail: lost, repeated and reordered packets are noticed, a
/// rank that stops answering is named after `patience`, and nothing waits for ever. A heartbeat from every rank to rank
/// 0, and from rank 0 to all, tells that the process runs, whether it gets on (Pulse) and whether it waits. One thread
/// uses a Mail; workers talk to rank 0 only. A Mail that ends falls silent: end it only when nobody expects more of it.
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
  struct Answer {
    std::uint32_t from;
    Message message;
  };
  /// Rank 0's next message from one of the given ranks, which all owe one. Throws TransportError that names the rank
  /// that has stopped, that is stuck, or to which a message was lost. Patience counts only while waiting here.
  Answer receive_from(const std::vector<std::uint32_t>& ranks);

  /// Bytes handed to, and taken from, the transport so far, heartbeats aside.
  std::uint64_t bytes_sent() const { return bytes_sent_; }
  std::uint64_t bytes_received() const { return bytes_received_; }
  /// Bytes of broadcasts so far, each counted once however many ranks receive it.
  std::uint64_t bytes_broadcast() const { return bytes_broadcast_; }

 private:
  using Blame = std::function<std::optional<std::string>()>;

  void post(std::uint32_t to, Route route, Message message);
  void post_to_children(const Message& message);
  void keep_in_touch();
  void send_heartbeats(std::uint64_t number);
  void deliver(Packet packet);
  void sort_letter(Packet packet);
  void empty_box(std::optional<Packet> packet);
  void count_waiting(Clock::Time since);
  void check_failure() const;
  template <class Take>
  auto wait_for(const Take& take, const Blame& blame);

  Transport& transport_;
  std::atomic<std::chrono::milliseconds> interval_;  // between heartbeats
  const std::function<std::uint64_t()> pulse_;
  Clock& clock_;

  std::mutex sending_;  // a packet's number and its place in the transport's order are given out together
  std::vector<std::uint64_t> next_number_;

  // Whoever takes packets out of the transport holds this lock until they are sorted: the waiting thread all the time
  // that it waits, or else the heartbeat's thread now and then. It guards all down to failure_.
  std::mutex receiving_;
  std::vector<std::uint64_t> expected_number_;
  Watch watch_;
  Watch::Time waited_{};
  std::uint64_t last_beats_ = 0;
  std::deque<Message> broadcasts_;
  std::deque<Answer> letters_;
  std::optional<std::string> failure_;

  std::mutex stopping_;
  std::function<bool()> stops_;
  std::atomic<bool> stop_heard_ = false;
  std::atomic<bool> waits_ = false;
  std::atomic<std::uint64_t> taken_ = 0;
  std::atomic<std::uint64_t> bytes_sent_ = 0;
  std::atomic<std::uint64_t> bytes_received_ = 0;
  std::atomic<std::uint64_t> bytes_broadcast_ = 0;

  std::mutex ending_;
  std::condition_variable end_;
  bool ended_ = false;
  std::thread heartbeat_;
};

}  // namespace meteor
