"""usage: checkpoints.py METEOR CONFIG FOLDER [--records 100000] [--every 10] [--repeat 5] [--ranks 1] [--set key=value]...

What checkpoints cost: trains on a generated stream with a checkpoint every so many windows and without any, in turn, and
prints the ratio of the medians (start-up aside), the longest time that learning paused for a checkpoint, and how long
the writing of one takes, which happens beside the learning."""

import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

from ranks import MPI_ENVIRONMENT, run_in_turn


def train(options, checkpoints):
    metrics = options.folder / "metrics.jsonl"
    log = options.folder / "log.txt"
    for file in (metrics, log):
        file.unlink(missing_ok=True)
    shutil.rmtree(options.folder / "checkpoints", ignore_errors=True)
    command = ["mpiexec", "-n", str(options.ranks)] if options.ranks > 1 else []
    command += [options.meteor, "train", "--quiet", "--config", options.config, "--input", options.folder / "stream.csv",
                "--metrics", metrics, "--log", log, "--model", options.folder / "model.h5",
                "--set", f"checkpoint.every_windows={options.every}"]
    if checkpoints:
        command += ["--checkpoint-dir", options.folder / "checkpoints"]
    for setting in options.settings:
        command += ["--set", setting]
    subprocess.run(command, check=True, env=os.environ | MPI_ENVIRONMENT)
    lines = [json.loads(line) for line in metrics.read_text().splitlines()]
    pauses = [line["seconds"]["checkpoint"] for line in lines]
    # A line tells the pause of the window before it.
    return {"windows": sum(line["elapsed"] for line in lines) + sum(pauses), "pauses": [p for p in pauses if p > 0],
            "writes": [float(seconds) for seconds in re.findall(r"written in ([.0-9]+) s", log.read_text())]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("meteor")
    parser.add_argument("config")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--records", type=int, default=100000)
    parser.add_argument("--every", type=int, default=10)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--set", dest="settings", action="append", default=[])
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    runs = run_in_turn(options, (False, True), train)
    without, having = (statistics.median(run["windows"] for run in runs[kind]) for kind in runs)
    pauses = [pause for run in runs[True] for pause in run["pauses"]]
    writes = [write for run in runs[True] for write in run["writes"]]
    size = max((options.folder / "checkpoints").glob("checkpoint-*.h5")).stat().st_size
    print(f"{options.records} records, a checkpoint every {options.every} windows, {options.repeat} runs each in turn; "
          "medians in seconds")
    print(f"windows   without {without:7.2f}   with {having:7.2f}   ratio {having / without:5.3f}")
    for what, times in (("pauses", pauses), ("writing", writes)):
        print(f"{what:9} median {1000 * statistics.median(times):6.1f} ms   longest {1000 * max(times):6.1f} ms   "
              f"{len(times)} times")
    print(f"the last checkpoint has {size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
