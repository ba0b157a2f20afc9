#include "mpi/answers.h"

#include <fmt/format.h>

#include <algorithm>

namespace meteor {
namespace {

/// Throws what a worker reports, if it does.
void check_failure(const Arrival& answer, std::span<const UnitId> units) {
  if (answer.message.kind != MessageKind::failure) return;
  Failure failure = failure_from(answer.message);
  const std::string where = fmt::format("rank {}: ", answer.from);
  if (failure.not_finite) {
    if (std::find(units.begin(), units.end(), failure.not_finite->unit) == units.end()) {
      throw TransportError(where + "tells of a unit that it was not given");
    }
    failure.not_finite->where = where;
    throw NotFinite(*failure.not_finite);
  }
  throw Error(static_cast<ExitStatus>(failure.status), where + failure.sentence);
}

}  // namespace

Arrival next_answer(Mail& mail, const std::vector<std::uint32_t>& ranks, std::span<const UnitId> units) {
  Arrival answer = mail.receive_from(ranks);
  check_failure(answer, units);
  return answer;
}

void require_kind(const Message& message, MessageKind kind) {
  if (message.kind == kind) return;
  throw TransportError(fmt::format("an unexpected message of kind {}", static_cast<std::uint32_t>(message.kind)));
}

}  // namespace meteor
