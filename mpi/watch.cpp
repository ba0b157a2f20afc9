#include "mpi/watch.h"

#include <fmt/format.h>

namespace meteor {
namespace {

constexpr std::chrono::seconds head_start_of_rank_0{1};

}  // namespace

Watch::Watch(std::uint32_t rank, std::uint32_t size, std::chrono::milliseconds patience) : rank_(rank), others_(size) {
  set_patience(patience);
}

void Watch::set_patience(std::chrono::milliseconds patience) {
  limit_ = rank_ == 0 ? patience : patience + head_start_of_rank_0;
}

void Watch::heard(std::uint32_t from, const Heartbeat& heartbeat, Time now) {
  Sight& sight = others_[from];
  if (heartbeat != sight.heartbeat) sight.changed = now;
  sight.heartbeat = heartbeat;
  sight.heard = now;
}

std::string Watch::limit_in_words() const {
  return fmt::format("{:g} s", std::chrono::duration<double>(limit_).count());
}

std::optional<std::size_t> Watch::quiet_rank(Time now, Time time) const {
  const std::size_t end = rank_ == 0 ? others_.size() : 1;
  for (std::size_t rank = rank_ == 0 ? 1 : 0; rank < end; ++rank)
    if (now - others_[rank].heard >= time) return rank;
  return std::nullopt;
}

std::optional<std::string> Watch::silence(Time now) const {
  const auto rank = quiet_rank(now, limit_);
  if (!rank) return std::nullopt;
  return fmt::format("rank {} has stopped answering (nothing heard for {})", *rank, limit_in_words());
}

std::optional<std::string> Watch::blame(std::span<const std::uint32_t> owing, Time now) const {
  if (auto sentence = silence(now)) return sentence;
  // A rank that stops takes others down with it. While one is suspiciously quiet, the others get more time.
  const Time since = now - (quiet_rank(now, limit_ / 2) ? 2 * limit_ : limit_);
  for (const std::uint32_t rank : owing)
    if (!others_[rank].heartbeat.waits && others_[rank].changed <= since)
      return fmt::format("rank {} is stuck (no progress for {})", rank, limit_in_words());
  return std::nullopt;
}

}  // namespace meteor
