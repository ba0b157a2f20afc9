#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mpi/transport.h"
#include "support/error.h"

namespace meteor {

/// A rank does not answer, or a message was lost or came twice.
struct TransportError : Error {
  explicit TransportError(const std::string& sentence) : Error(ExitStatus::failed, sentence) {}
};

/// Reliable post between ranks on top of a transport that may fail: lost, repeated and reordered packets are noticed, a
/// rank that stops answering is named after `patience`, and nothing waits for ever. A heartbeat from every rank to rank
/// 0, and from rank 0 to all, tells that the process runs, whether it gets on (Pulse) and whether it waits.
class Mail {
 public:
  Mail(Transport& transport, std::chrono::milliseconds patience);
  ~Mail();
  Mail(const Mail&) = delete;
  Mail& operator=(const Mail&) = delete;

  std::uint32_t rank() const;
  std::uint32_t size() const;

  void send(std::uint32_t to, Message message);
  /// Sends to all other ranks, from rank 0 only, along a tree: receivers pass it on when they receive it.
  void broadcast(Message message);
  /// Waits until all that was sent has left this process's memory.
  void flush();

  /// A worker's next broadcast. Waits as long as rank 0 lives.
  Message hear();
  /// A worker's next message that rank 0 sent to it alone, which a broadcast has announced. Waits as long as rank 0
  /// lives.
  Message receive();
  struct Answer {
    std::uint32_t from;
    Message message;
  };
  /// Rank 0's next message from one of the given ranks, which all owe one. Throws TransportError that names the rank
  /// that has stopped, that is stuck, or to which a message was lost.
  Answer receive_from(const std::vector<std::uint32_t>& ranks);

  /// Bytes handed to, and taken from, the transport so far, heartbeats aside.
  std::uint64_t bytes_sent() const;
  std::uint64_t bytes_received() const;
  /// Bytes of broadcasts so far, each counted once however many ranks receive it.
  std::uint64_t bytes_broadcast() const;
};

}  // namespace meteor
