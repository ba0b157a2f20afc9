#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace meteor {

/// What a rank tells of itself every now and then.
struct Heartbeat {
  std::uint64_t beats = 0;  ///< of its pulse
  std::uint64_t taken = 0;  ///< messages that its work has taken
  bool waits = false;       ///< for the next message
  bool stops = false;       ///< wants the run to stop, or, from rank 0, has the window given up

  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive& beats& taken& waits& stops;
  }
};

/// What rank 0 knows of the workers, or a worker of rank 0, and whom to blame when an answer does not come. Times are
/// how long this rank has waited altogether, so that nobody is blamed for time in which this rank did not listen.
class Watch {
 public:
  using Time = std::chrono::nanoseconds;

  /// Workers wait a second longer than rank 0 before they blame it, so that rank 0 speaks first.
  Watch(std::uint32_t rank, std::uint32_t size, std::chrono::milliseconds patience);

  void set_patience(std::chrono::milliseconds patience);

  void heard(std::uint32_t from, const Heartbeat& heartbeat, Time now);
  void heard(std::uint32_t from, Time now);
  /// Something was sent to that rank, or is owed by it from now on: it gets its time.
  void told(std::uint32_t to, Time now);
  /// This rank gets on: its pulse beats, or pieces of a message arrive or leave.
  void progressed(Time now) { own_change_ = now; }

  /// A sentence on a rank from which nothing has come for too long, if there is one.
  std::optional<std::string> silence(Time now) const;
  /// A sentence on a silent rank; if none is, on one of the given ranks, which owe a message, that neither waits nor
  /// gets on; if none is, on one that waits itself although it owes. Nothing while all that owe get on.
  std::optional<std::string> blame(std::span<const std::uint32_t> owing, Time now) const;

 private:
  struct Sight {
    Time heard{};
    Time changed{};  // its pulse moved, it took a message, began or ended to wait, or was told something
    Heartbeat heartbeat;
  };

  /// The first of the watched ranks of which nothing was heard for that long.
  std::optional<std::size_t> quiet_rank(Time now, Time time) const;
  bool stands_still(std::uint32_t rank, Time since) const { return others_[rank].changed <= since; }
  bool way_stands_still(std::uint32_t rank, Time since) const;
  std::string limit_in_words() const;

  std::uint32_t rank_;
  Time limit_;  // patience
  std::vector<Sight> others_;
  Time own_change_{};
};

}  // namespace meteor
