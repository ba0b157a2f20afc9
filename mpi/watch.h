#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mpi/transport.h"

namespace meteor {

/// What rank 0 knows of the workers, or a worker of rank 0, and whom to blame when an answer does not come. Times are
/// how long this rank has waited altogether, so that nobody is blamed for time in which this rank did not listen.
class Watch {
 public:
  using Time = std::chrono::nanoseconds;

  /// Workers wait a second longer than rank 0 before they blame it, so that rank 0 speaks first.
  Watch(std::uint32_t rank, std::uint32_t size, std::chrono::milliseconds patience);

  void set_patience(std::chrono::milliseconds patience);

  void heard(std::uint32_t from, const Heartbeat& heartbeat, Time now);
  /// A message came from that rank.
  void heard(std::uint32_t from, Time now) { others_[from].heard = others_[from].changed = now; }
  /// Something was sent to that rank, or is owed by it from now on: it gets its time.
  void told(std::uint32_t to, Time now) { others_[to].changed = now; }

  /// A sentence on a rank from which nothing has come for too long, if there is one.
  std::optional<std::string> silence(Time now) const;
  /// A sentence on a silent rank; if none is, on one of the given ranks, which owe a message, that neither waits nor
  /// gets on. Nothing while all that owe get on, or wait for their part of what is on its way.
  std::optional<std::string> blame(std::span<const std::uint32_t> owing, Time now) const;

 private:
  struct Sight {
    Time heard{};
    Time changed{};  // its pulse moved, it began or ended to wait, or was told something
    Heartbeat heartbeat;
  };

  /// The first of the watched ranks of which nothing was heard for that long.
  std::optional<std::size_t> quiet_rank(Time now, Time time) const;
  std::string limit_in_words() const;

  std::uint32_t rank_;
  Time limit_;  // patience
  std::vector<Sight> others_;
};

}  // namespace meteor
