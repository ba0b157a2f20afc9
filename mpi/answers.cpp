#include "mpi/answers.h"

#include <fmt/format.h>

namespace meteor {
namespace {

/// Throws what a worker reports, if it does.
void check_failure(const Mail::Answer& answer) {
  if (answer.message.kind != MessageKind::failure) return;
  Failure failure = failure_from(answer.message);
  const std::string where = fmt::format("rank {}: ", answer.from);
  if (failure.not_finite) {
    failure.not_finite->where = where;
    throw NotFinite(*failure.not_finite);
  }
  throw Error(static_cast<ExitStatus>(failure.status), where + failure.sentence);
}

}  // namespace

Mail::Answer next_answer(Mail& mail, const std::vector<std::uint32_t>& ranks) {
  Mail::Answer answer = mail.receive_from(ranks);
  check_failure(answer);
  return answer;
}

void say_last(Mail& mail, MessageKind kind) {
  try {
    mail.broadcast({kind, {}, {}});
  } catch (const TransportError&) {
  }
}

}  // namespace meteor
