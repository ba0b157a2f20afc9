# Sourced by the scripts here: as for those of the command line, and how jobs are started and watched.
source "$(dirname "${BASH_SOURCE[0]}")/../cli/prepare.sh"
mpiexec=${MPIEXEC:-mpiexec}

job='' pids=()
trap '[[ -z $job ]] || kill -KILL $job "${pids[@]}" 2>/dev/null' EXIT # when a test fails

# begin COMMAND...: starts a job of $ranks ranks, and waits for its processes.
begin() {
  "$@" >out 2>err </dev/null &
  job=$!
  pids=() namespace=''
  local pid rank i
  for i in {1..100}; do
    for pid in $(pgrep -P $job); do
      rank=$(tr '\0' '\n' 2>/dev/null <"/proc/$pid/environ" | sed -n 's/^OMPI_COMM_WORLD_RANK=//p') || continue
      [[ -z $rank ]] || pids[rank]=$pid
      namespace=$(tr '\0' '\n' 2>/dev/null <"/proc/$pid/environ" | sed -n 's/^PMIX_NAMESPACE=//p') || true
    done
    ((${#pids[@]} < ranks)) || return 0
    sleep 0.05
  done
  fail "the job does not start: $(cat err)"
}

# Whether a process runs no more; nobody may have asked yet how it ended.
gone() { [[ ! -e /proc/$1 ]] || grep -q '^State:.*zombie' "/proc/$1/status" 2>/dev/null || [[ ! -e /proc/$1 ]]; }
