#pragma once

#include <cstdint>
#include <optional>

namespace meteor {

/// Whether mpiexec or a batch system started this process as one rank of a job. A program started alone never
/// initialises MPI.
bool launched_by_mpi();

/// This process's rank, before MPI is initialised; none if the launcher does not tell.
std::optional<std::uint32_t> launched_rank();

}  // namespace meteor
