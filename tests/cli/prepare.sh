# Sourced by the scripts here: an empty folder to work in, the program on PATH, and what a failure looks like.
set -euo pipefail
meteor=$1 sources=$2 folder=$3
rm -rf "$folder" && mkdir -p "$folder" && cd "$folder"
PATH=$(dirname "$meteor"):$PATH

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# The number that a JSON file gives for a key of its top level.
number() { grep -o "^  \"$2\": *[-+.0-9eE]*" "$1" | head -n 1 | sed 's/.*: *//'; }

# holds 'a >= b': compares numbers.
holds() { awk "BEGIN { exit !($1) }" || fail "$1 does not hold${2:+ ($2)}"; }
