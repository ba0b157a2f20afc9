# Sourced by the scripts here: an empty folder to work in, the program on PATH, and what a failure looks like.
set -euo pipefail
meteor=$1 sources=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
PATH=$(dirname "$meteor"):$PATH

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# until_true WHAT COMMAND...: waits until the command succeeds. How long that takes depends on what else the machine does: the limit
# is for what hangs.
until_true() {
  local end=$((SECONDS + 900)) what=$1
  shift
  until "$@"; do
    ((SECONDS < end)) || fail "waited in vain until $what"
    sleep 0.05
  done
}

# Whether a process runs no more; nobody may have asked yet how it ended.
gone() { [[ ! -e /proc/$1 ]] || grep -q '^State:.*zombie' "/proc/$1/status" 2>/dev/null || [[ ! -e /proc/$1 ]]; }

# The lines of a file that may not be there yet.
lines() { if [[ -e $1 ]]; then wc -l <"$1"; else echo 0; fi; }

# The number that a JSON file gives for a key of its top level.
number() { grep -o "^  \"$2\": *[-+.0-9eE]*" "$1" | head -n 1 | sed 's/.*: *//'; }

# holds 'a >= b': compares numbers.
holds() { awk "BEGIN { exit !($1) }" || fail "$1 does not hold${2:+ ($2)}"; }

# mpirun also as root and with more ranks than cores.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
