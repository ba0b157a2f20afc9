#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/array.h"
#include "support/error.h"

namespace meteor {

/// What a message is about; the roles say what each kind holds (messages.h).
enum class MessageKind : std::uint32_t;

/// Something to tell another rank: a small structure, encoded (encoding.h), and bulk arrays, which travel as
/// they lie in memory. Arrays that have no owner must stay as they are until Transport::flush() has returned.
struct Message {
  MessageKind kind{};
  std::string structure;
  std::vector<Array> arrays;
  bool to_all = false;  ///< whoever receives it passes it on
};

/// A message that has come.
struct Arrival {
  std::uint32_t from = 0;
  Message message;
};

/// What a rank tells of itself every now and then.
struct Heartbeat {
  std::uint64_t beats = 0;  ///< of its pulse
  bool waits = false;       ///< for the next message
  bool stops = false;       ///< wants the run to stop, or, from rank 0, has the window given up

  bool operator==(const Heartbeat&) const = default;
};
struct HeardHeartbeat {
  std::uint32_t from = 0;
  Heartbeat heartbeat;
};

/// Carries messages between the ranks of a job, each process one rank: all of them, in the order in which one rank
/// sends to another, unless a process breaks. Heartbeats go beside them and do not wait behind bulk. All functions may
/// be called from several threads at once, and throw TransportError once the transport has broken down.
class Transport {
 public:
  virtual ~Transport() = default;

  virtual std::uint32_t rank() const = 0;
  virtual std::uint32_t size() const = 0;

  /// Hands something over and returns; it travels in the background. `to` is another rank.
  virtual void send(std::uint32_t to, Message message) = 0;
  virtual void send_heartbeat(std::uint32_t to, const Heartbeat& heartbeat) = 0;
  /// Waits for all that was handed over to leave this process's memory; whether it did so in time.
  virtual bool flush(std::chrono::milliseconds wait) = 0;
  /// The next message from any rank, if one arrives in time; a heartbeat ends the waiting, too. Received arrays own
  /// their memory.
  virtual std::optional<Arrival> receive(std::chrono::milliseconds wait) = 0;
  /// Those that have come since they were asked for.
  virtual std::vector<HeardHeartbeat> heartbeats() = 0;

  /// Ends all processes of the job with this status, at once.
  [[noreturn]] virtual void abort(int status) = 0;
};

}  // namespace meteor
