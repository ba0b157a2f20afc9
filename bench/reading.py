"""usage: reading.py METEOR CONFIG FOLDER [--bytes 1e9] [--seconds 100] [--pretrain '5 windows'] [--ranks 1]

How long those who learn wait for the stream: generates a CSV file of so many bytes, trains on it for so many seconds (0: to the end),
and prints the share of the time that windows were waited for, while pretraining and while streaming, the first window aside: nothing
can be read ahead of it. The file is removed."""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys

from ranks import MPI_ENVIRONMENT

BYTES_PER_RECORD = 56


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("meteor")
    parser.add_argument("config")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--bytes", type=float, default=1e9)
    parser.add_argument("--seconds", type=float, default=100)
    parser.add_argument("--pretrain", default="5 windows")
    parser.add_argument("--ranks", type=int, default=1)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    stream, metrics = options.folder / "stream.csv", options.folder / "metrics.jsonl"
    try:
        if not stream.exists():
            subprocess.run([options.meteor, "generate", "--kind", "shopping", "--records", str(int(options.bytes / BYTES_PER_RECORD)),
                            "--days", "365", "--seed", "1", "--output", stream], check=True)
        size = stream.stat().st_size
        run = subprocess.Popen((["mpiexec", "-n", str(options.ranks)] if options.ranks > 1 else [])
                               + [options.meteor, "train", "--quiet", "--config", options.config, "--input", stream, "--metrics", metrics,
                                  "--model", options.folder / "model.h5", "--set", f"evaluation.pretrain={options.pretrain}"],
                               env=os.environ | MPI_ENVIRONMENT)
        try:
            run.wait(options.seconds or None)
        except subprocess.TimeoutExpired:
            run.send_signal(signal.SIGUSR2 if options.ranks > 1 else signal.SIGTERM)
            run.wait()
    finally:
        stream.unlink(missing_ok=True)
    windows = [json.loads(line) for line in metrics.read_text().splitlines()]
    print(f"{size / 1e9:.2f} GB, {sum(window['records'] for window in windows)} records learnt in {len(windows)} windows")
    for phase in ("pretraining", "streaming"):
        some = [window for window in windows[1:] if window["phase"] == phase]
        if some:
            waited, spent = (sum(values) for values in zip(*((w["seconds"]["read"], w["elapsed"]) for w in some)))
            longest = max(window["seconds"]["read"] / window["elapsed"] for window in some)
            print(f"{phase}: {waited:.3f} of {spent:.1f} s waited for the stream, {100 * waited / spent:.2f} %; "
                  f"in no window more than {100 * longest:.2f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
