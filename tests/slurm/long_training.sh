# Sourced by tests that interrupt a training: $training is one that one process needs some 20 seconds for, on any machine.
# What is learnt depends on the shards alone, so any number of ranks and threads must end with the same model.
meteor generate --kind shopping --records 40000 --seed 1 --days 100 --output s.csv
training=(--config "$sources/configs/shopping.toml" --set learning.dimension=32 --set parallel.shards=4 --quiet --input s.csv)
begin=${EPOCHREALTIME/./}
meteor train "${training[@]}" --set learning.epochs=20 --model calibration.h5
microseconds=$((${EPOCHREALTIME/./} - begin))
training+=(--set learning.epochs=$((20 * 20000000 / microseconds)) --set checkpoint.every_windows=5)

undisturbed() { meteor train "${training[@]}" --set parallel.threads=2 --model undisturbed.h5; }
