"""usage: ranks.py METEOR CONFIG FOLDER [--ranks 2] [--records 200000] [--repeat 5] [--set key=value]...

How much faster several ranks learn than one: trains on a generated stream with one rank and with several, in turn, and
prints the ratios of the medians, for the learning step alone and for all windows together (start-up aside). All runs
cut windows into the same shards, so that they do the same work and end with the same model. The ranks need a core each."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

MPI_ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}


def train(options, ranks):
    metrics = options.folder / "metrics.jsonl"
    command = ["mpiexec", "-n", str(ranks), options.meteor, "train", "--quiet", "--config", options.config,
               "--input", options.folder / "stream.csv", "--metrics", metrics, "--model", options.folder / "model.h5",
               "--set", f"parallel.shards={options.ranks}"]
    for setting in options.settings:
        command += ["--set", setting]
    subprocess.run(command, check=True, env=os.environ | MPI_ENVIRONMENT)
    lines = [json.loads(line) for line in metrics.read_text().splitlines()]
    return {"optimise": sum(line["seconds"]["optimise"] for line in lines),
            "windows": sum(line["elapsed"] for line in lines)}


def run_in_turn(options, kinds, train):
    """Trains on a generated stream in each way, again and again; the results by kind."""
    subprocess.run([options.meteor, "generate", "--kind", "shopping", "--records", str(options.records), "--seed", "1",
                    "--output", options.folder / "stream.csv"], check=True)
    runs = {kind: [] for kind in kinds}
    for _ in range(options.repeat):
        for kind in kinds:
            runs[kind].append(train(options, kind))
    return runs


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("meteor")
    parser.add_argument("config")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--records", type=int, default=200000)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--set", dest="settings", action="append", default=[])
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    runs = run_in_turn(options, (1, options.ranks), train)
    cores = len(os.sched_getaffinity(0))
    print(f"{options.records} records, {options.repeat} runs each in turn, {cores} cores; medians in seconds")
    if options.ranks > cores:
        print("More ranks than cores: this says nothing about speed.")
    for what in ("optimise", "windows"):
        one, several = (statistics.median(run[what] for run in runs[ranks]) for ranks in runs)
        print(f"{what:9} 1 rank {one:7.2f}   {options.ranks} ranks {several:7.2f}   ratio {one / several:5.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
