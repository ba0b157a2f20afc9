#pragma once

#include <chrono>
#include <memory>
#include <thread>

#include "mpi/transport.h"

namespace meteor {

/// The ranks of an MPI job. A thread of its own makes all MPI calls, from initialisation to the end; it sleeps while
/// there is nothing to do, so that ranks may share cores. There is at most one in a process, ever.
class MpiTransport final : public Transport {
 public:
  /// How long all ranks may take to be there at the beginning, and at the end.
  struct Limits {
    std::chrono::seconds begin = std::chrono::minutes(5);
    std::chrono::seconds end = std::chrono::minutes(1);
  };

  /// Initialises MPI. Throws TransportError if that fails or takes too long; the process should end then.
  explicit MpiTransport(const Limits& limits);
  MpiTransport() : MpiTransport(Limits{}) {}
  /// Without finish() it leaves the thread to itself, for the others may never come: when the process then ends, by
  /// abort() or otherwise, the launcher ends the job.
  ~MpiTransport() override;
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;

  /// Waits until all that was handed over has left and all ranks are here, and finalises MPI. Who is not here after
  /// the limit is named on stderr, and the job aborted.
  void finish();

  std::uint32_t rank() const override;
  std::uint32_t size() const override;
  void send(std::uint32_t to, Message message) override;
  void send_heartbeat(std::uint32_t to, const Heartbeat& heartbeat) override;
  bool flush(std::chrono::milliseconds wait) override;
  std::optional<Arrival> receive(std::chrono::milliseconds wait) override;
  std::vector<HeardHeartbeat> heartbeats() override;
  [[noreturn]] void abort(int status) override;

 private:
  class Counter;
  std::shared_ptr<Counter> counter_;
  std::thread thread_;
};

}  // namespace meteor
