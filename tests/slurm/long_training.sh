# Sourced by tests that interrupt a training: $training follows s.csv, of which the second half comes with `rest`, and ends after 90
# windows. So it is not done before that, however fast the machine is. What is learnt depends on the shards alone, so any number of
# ranks and threads must end with the same model.
meteor generate --kind shopping --records 4000 --seed 1 --days 100 --output all.csv
head -n 2001 all.csv >s.csv
training=(--config "$sources/configs/shopping.toml" --set learning.dimension=32 --set compression.budget=30% --set parallel.shards=4
  --set 'evaluation.pretrain=10 windows' --set checkpoint.every_windows=5 --quiet --input s.csv --follow --max-windows 90)

rest() { tail -n +2002 all.csv >>s.csv; }
undisturbed() { meteor train "${training[@]}" --set parallel.threads=2 --model undisturbed.h5; }

# went_on BEFORE AFTER: the metrics of the interrupted start and those at the end show that the first window was not learnt again.
# Its line, which holds times, is still the same, or (where the last start wrote its own file) it is not there.
went_on() {
  local first window
  first=$(head -n 1 "$1") window=$(head -n 1 "$1" | grep -o '"window":[0-9]*,') || fail "$1 has no windows"
  [[ $(grep -F "$window" "$2") == "$first" || -z $(grep -F "$window" "$2") ]] || fail "$2: started from the beginning again"
}
