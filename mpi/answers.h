#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "mpi/mail.h"
#include "mpi/messages.h"

namespace meteor {

/// Rank 0's next message from one of the ranks that owe one. Throws what a worker reports instead, with its rank; what
/// it says of a unit must be about one of these.
Arrival next_answer(Mail& mail, const std::vector<std::uint32_t>& ranks, std::span<const UnitId> units = {});

/// Throws TransportError if the message is of another kind.
void require_kind(const Message& message, MessageKind kind);

/// Takes an answer of this kind. What is wrong with it is told with the rank that gave it.
template <class Take>
void take_answer(Arrival answer, MessageKind kind, Take take) {
  try {
    require_kind(answer.message, kind);
    or_broken([&] { take(std::move(answer.message)); });
  } catch (const TransportError& fault) {
    throw TransportError(fmt::format("rank {}: {}", answer.from, fault.what()));
  }
}

}  // namespace meteor
