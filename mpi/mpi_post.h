#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "mpi/transport.h"

namespace meteor {

/// All MPI calls of a process, for the one thread that makes them. Nothing here waits but the two ends: the constructor
/// initialises MPI and finish() finalises it. Throws TransportError when a call fails.
class MpiPost {
 public:
  MpiPost();
  /// Leaves MPI as it is: a process that ends without finish() makes the launcher end the job.
  ~MpiPost();
  MpiPost(const MpiPost&) = delete;
  MpiPost& operator=(const MpiPost&) = delete;

  std::uint32_t rank() const;
  std::uint32_t size() const;

  /// Starts to send.
  void send(std::uint32_t to, Message message);
  void send_heartbeat(std::uint32_t to, const Heartbeat& heartbeat);

  struct Arrived {
    std::vector<Arrival> messages;
    std::vector<HeardHeartbeat> heartbeats;
  };
  /// Moves everything on by what can be moved at once, and appends what has arrived. Whether anything moved.
  bool progress(Arrived& arrived);

  /// Messages that have not left yet.
  std::size_t leaving() const;
  /// Whether anything is on its way out or in.
  bool in_flight() const;

  /// Waits until every rank has called this, so that nothing is on its way to anybody any more, and ends MPI. Throws
  /// TransportError that names those who have not come in time.
  void finish(std::chrono::seconds time);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Ends all processes of the job, if MPI is initialised. Only for the thread that makes the MPI calls.
void abort_mpi(int status);

}  // namespace meteor
