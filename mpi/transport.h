#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/array.h"
#include "support/error.h"

namespace meteor {

/// A rank does not answer, or a message was lost, came twice or makes no sense.
struct TransportError : Error {
  explicit TransportError(const std::string& sentence) : Error(ExitStatus::failed, sentence) {}
};

/// What a message is about; the roles say what each kind holds (messages.h).
enum class MessageKind : std::uint32_t;

/// Something to tell another rank: a small structure, encoded (encoding.h), and bulk arrays, which travel as they lie
/// in memory. Arrays that have no owner must stay as they are until Transport::flush() has returned.
struct Message {
  MessageKind kind{};
  std::string structure;
  std::vector<Array> arrays;
};

/// Whether a packet is for its receiver alone, is to be passed on, or only tells that the sender lives.
enum class Route : std::uint8_t { direct, broadcast, heartbeat };

/// A message on its way. Each sender numbers what it sends to each receiver 0, 1, 2…, heartbeats apart from the rest.
struct Packet {
  std::uint32_t from = 0;
  Route route = Route::direct;
  std::uint64_t number = 0;
  Message message;
};

/// Carries packets between the ranks of a job, each process one rank, unless something breaks. Packets from one rank
/// arrive in the order in which they were sent, but heartbeats may overtake: they do not wait behind bulk. All
/// functions may be called from several threads at once, and throw TransportError once the transport has broken down.
class Transport {
 public:
  virtual ~Transport() = default;

  virtual std::uint32_t rank() const = 0;
  virtual std::uint32_t size() const = 0;

  /// Hands a packet over and returns; it travels in the background. `to` is another rank.
  virtual void send(std::uint32_t to, Packet packet) = 0;
  /// Waits for all that was handed over to leave this process's memory; whether it did so in time.
  virtual bool flush(std::chrono::milliseconds wait) = 0;
  /// The next packet from any rank, if one arrives in time. Received arrays own their memory.
  virtual std::optional<Packet> receive(std::chrono::milliseconds wait) = 0;

  /// Ends all processes of the job with this status, at once.
  [[noreturn]] virtual void abort(int status) = 0;
};

}  // namespace meteor
