# Sourced by the scripts here: as for those of the command line, and how jobs are started. There may be more ranks than
# cores, and root may run them, as in a container.
source "$(dirname "${BASH_SOURCE[0]}")/../cli/prepare.sh"
mpiexec=${MPIEXEC:-mpiexec}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
  OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
