#pragma once

namespace meteor {

/// Throws TransportError with the call's name and the library's own words, unless the call says that it succeeded.
/// Every MPI call passes through here.
void check_mpi(int outcome, const char* call);

}  // namespace meteor

/// Calls an MPI function.
#define METEOR_MPI(function, ...) check_mpi(function(__VA_ARGS__), #function)
