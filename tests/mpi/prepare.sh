# Sourced by the scripts here: as for those of the command line, and how jobs are started and watched.
source "$(dirname "${BASH_SOURCE[0]}")/../cli/prepare.sh"
mpiexec=${MPIEXEC:-mpiexec}

job='' pids=()
trap '[[ -z $job ]] || kill -KILL $job "${pids[@]}" 2>/dev/null' EXIT # when a test fails

# begin COMMAND...: starts a job of $ranks ranks, and waits for its processes.
begin() {
  launch "$@"
  ((${#pids[@]} >= ranks)) || fail "the job ended at once: $(cat err)"
}
# launch COMMAND...: the same, but the job may also have ended before all of them were seen.
launch() {
  "$@" >out 2>err </dev/null &
  job=$!
  pids=() namespace=''
  until_true "the job starts" seen_or_ended
}
seen_or_ended() {
  local pid rank
  for pid in $(pgrep -P $job); do
    rank=$(tr '\0' '\n' 2>/dev/null <"/proc/$pid/environ" | sed -n 's/^OMPI_COMM_WORLD_RANK=//p') || continue
    [[ -z $rank ]] || pids[rank]=$pid
    namespace=$(tr '\0' '\n' 2>/dev/null <"/proc/$pid/environ" | sed -n 's/^PMIX_NAMESPACE=//p') || true
  done
  ((${#pids[@]} >= ranks)) || gone $job
}

# until_learnt WINDOWS: waits until the job has told in m.jsonl of so many windows.
until_learnt() { until_true "$1 windows are learnt" has_learnt "$1"; }
has_learnt() {
  ! gone $job || fail "the job ended: $(cat err)"
  (($(lines m.jsonl) >= $1))
}

# until_gone PID...: however they end.
until_gone() { until_true "$* have ended" all_gone "$@"; }
all_gone() {
  local pid
  for pid; do gone "$pid" || return 1; done
}
