#pragma once

#include <vector>

#include "mpi/mail.h"
#include "mpi/messages.h"

namespace meteor {

/// Rank 0's next message from one of the ranks that owe one. Throws what a worker reports instead, with its rank.
Mail::Answer next_answer(Mail& mail, const std::vector<std::uint32_t>& ranks);

/// Tells all ranks something for which no answer is awaited, from a destructor: that it cannot be told changes nothing.
void say_last(Mail& mail, MessageKind kind);

}  // namespace meteor
