# Sourced by the tests here: what the tests of the command line have, and a Slurm of its own where one can be started.
source "$(dirname "${BASH_SOURCE[0]}")/../cli/prepare.sh"
tests=$sources/tests/slurm
PATH=$PATH:/usr/sbin:/sbin
# Nodes that are one machine would take each other's shared memory for their own, so the ranks talk by TCP.
export OMPI_MCA_btl=self,tcp OMPI_MCA_btl_tcp_if_include=lo

skip() {
  echo "skipped: $*"
  exit 77
}

# start_cluster NODES CPUS [SECONDS]: it ends with the test, whatever becomes of the test.
start_cluster() {
  local program
  [[ $(id -u) -eq 0 ]] || skip "only root can start a Slurm of its own"
  for program in munged slurmctld slurmd sbatch scontrol srun mpirun; do
    command -v $program >/dev/null || skip "$program is not installed; tools/install-packages slurm"
  done
  cluster=/tmp/meteor-slurm-$(cksum <<<"$folder" | cut -d ' ' -f 1)
  export SLURM_CONF=$cluster/slurm.conf
  trap 'end_cluster $?' EXIT
  trap 'exit 1' TERM INT HUP
  "$tests/cluster" "$cluster" start "$@" || fail "Slurm does not start"
}

end_cluster() {
  if [[ $1 -ne 0 && $1 -ne 77 ]]; then
    [[ ! -e $SLURM_CONF ]] || timeout 10 squeue || true
    tail -n 50 "$cluster"/log/slurmctld *.log 2>/dev/null || true
  fi >&2
  "$tests/cluster" "$cluster" stop
}

# What Slurm says of a job, as in: of_job 3 JobState
of_job() { scontrol show job -o "$1" | grep -o " $2=[^ ]*" | cut -d = -f 2; }
# until_done JOB: waits for its good end.
until_done() { until_true "job $1 is done" done_unless_failed "$1"; }
done_unless_failed() {
  case $(of_job "$1" JobState) in
    COMPLETED) return 0 ;;
    FAILED | TIMEOUT | CANCELLED | NODE_FAIL) fail "job $1 ended as $(of_job "$1" JobState)" ;;
    *) return 1 ;;
  esac
}
has_state() { [[ $(of_job "$1" JobState) == "$2" ]]; }
no_jobs_left() { [[ -z $(squeue -h) ]]; }
sha() { meteor inspect "$1" --json | grep -o '"model_sha256": *"[0-9a-f]*"'; }
