#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "mpi/clock.h"
#include "mpi/transport.h"

namespace meteor {

/// The ranks of a job as threads of one process: each gets the transport of its rank, which lives as long as the
/// office. Arrays without an owner are copied; those with an owner pass as they are.
class InProcessOffice {
 public:
  explicit InProcessOffice(std::uint32_t ranks, Clock& clock = machine_clock());
  ~InProcessOffice();
  InProcessOffice(const InProcessOffice&) = delete;
  InProcessOffice& operator=(const InProcessOffice&) = delete;

  Transport& transport(std::uint32_t rank);

  /// The status with which a rank has aborted the job. From then on every call of every rank throws TransportError.
  std::optional<int> aborted() const;

 private:
  class Desk;
  struct State;
  std::unique_ptr<State> state_;
  std::vector<std::unique_ptr<Desk>> desks_;
};

}  // namespace meteor
