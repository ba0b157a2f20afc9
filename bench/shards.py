"""usage: shards.py METEOR CONFIGS FOLDER [--streams A,B] [--seeds 3]

Quality against the number of shards: runs `meteor evaluate` for every stream, number of shards and seed, keeps each result in
FOLDER (what is there is not run again), and prints a table of mean MRRs, and what steps of 16 bits cost. Streams are those of
the folder METEOR_DATA_DIR that are there, or else a generated one."""

import sys

from evaluations import evaluate, find_streams, mean, parse_options

SHARDS = (1, 2, 4, 8, 16, 32)


def main():
    options = parse_options(seeds=3)
    seeds = range(1, options.seeds + 1)
    columns = {f"{count} shards": [f"parallel.shards={count}"] for count in SHARDS}
    columns["8 halved"] = ["parallel.shards=8", "parallel.wire=bfloat16"]
    print(f"{'stream':24}" + "".join(f"{column:>18}" for column in columns))
    for stream in find_streams(options).items():
        row = {column: mean([evaluate(options, stream, column, settings, seed) for seed in seeds], "mrr")
               for column, settings in columns.items()}
        one = row["1 shards"]
        print(f"{stream[0]:24}" + "".join(f"{mrr:9.4f} ({100 * (mrr / one - 1):+5.2f})" for mrr in row.values()), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
