#include "mpi/mpi_calls.h"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
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

std::string mpi_library() {
  char words[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  METEOR_MPI(MPI_Get_library_version, words, &length);
  // More follows: Open MPI tells who packaged it, MPICH how it was configured.
  const std::string_view all(words, length);
  std::string name(all.substr(0, all.find_first_of(",\n")));
  std::replace(name.begin(), name.end(), '\t', ' ');
  return name;
}

}  // namespace meteor
