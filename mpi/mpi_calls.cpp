#include "mpi/mpi_calls.h"

#include <fmt/format.h>
#include <mpi.h>

#include <string_view>

#include "mpi/transport.h"

namespace meteor {

void check_mpi(int outcome, const char* call) {
  if (outcome == MPI_SUCCESS) return;
  char words[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (MPI_Error_string(outcome, words, &length) != MPI_SUCCESS) length = 0;
  throw TransportError(length > 0 ? fmt::format("{}: {}", call, std::string_view(words, length))
                                  : fmt::format("{}: error {}", call, outcome));
}

}  // namespace meteor
