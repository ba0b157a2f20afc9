# Sourced by tests that interrupt a training: $training is one that one process needs some 20 seconds for, on any machine.
# What is learnt depends on the shards alone, so any number of ranks and threads must end with the same model.
meteor generate --kind shopping --records 40000 --seed 1 --days 100 --output s.csv
training=(--config "$sources/configs/shopping.toml" --set learning.dimension=32 --set compression.budget=30% --set parallel.shards=4 --quiet --input s.csv)
begin=${EPOCHREALTIME/./}
meteor train "${training[@]}" --set learning.epochs=20 --model calibration.h5
microseconds=$((${EPOCHREALTIME/./} - begin))
training+=(--set learning.epochs=$((20 * 20000000 / microseconds)) --set checkpoint.every_windows=5)

undisturbed() { meteor train "${training[@]}" --set parallel.threads=2 --model undisturbed.h5; }

# went_on BEFORE AFTER: the metrics of the interrupted start and those at the end show that the first window was not learnt again.
# Its line, which holds times, is still the same, or (where the last start wrote its own file) it is not there.
went_on() {
  local first window
  first=$(head -n 1 "$1") window=$(head -n 1 "$1" | grep -o '"window":[0-9]*,') || fail "$1 has no windows"
  [[ $(grep -F "$window" "$2") == "$first" || -z $(grep -F "$window" "$2") ]] || fail "$2: started from the beginning again"
}
