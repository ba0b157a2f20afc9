#pragma once

#include <cstdint>

#include "mpi/transport.h"

namespace meteor {

enum class MessageKind : std::uint32_t {
  heartbeat,  ///< the sender lives (sent by Mail itself)
  settings,   ///< what to learn and how
  replica,    ///< a whole model
  changes,    ///< what a window changed in the model
  window,     ///< a window of records to learn
  shards,     ///< which records of a window a worker learns
  learnt,     ///< what a worker learnt from its shards
  job,        ///< part of another computation on the model
  blocks,     ///< blocks of units for such a job
  done,       ///< the result of such a job
  failure,    ///< a worker cannot go on, and why
  stop,       ///< the run is over
};

}  // namespace meteor
