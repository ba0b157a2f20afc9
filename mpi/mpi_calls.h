#pragma once

#include <string>

namespace meteor {

/// Throws TransportError with the call's name and the library's own words, unless the call says that it succeeded.
/// Every MPI call passes through here.
void check_mpi(int outcome, const char* call);

/// The MPI library and its version, as in "Open MPI v4.1.4". MPI need not be initialised, and any thread may ask.
std::string mpi_library();

}  // namespace meteor

/// Calls an MPI function.
#define METEOR_MPI(function, ...) check_mpi(function(__VA_ARGS__), #function)
