"""usage: compare.py METEOR CONFIGS FOLDER [--streams A,B] [--systems X,Y] [--repeat 5] [--starspace PROGRAM] [--limit SECONDS]
                  [--quality SEEDS]

Speed beside other programs, in unit-steps a second: a unit-step is one unit of one record in one epoch. All learn the same
records with the same dimension, negatives and epochs, each on the same one core, in turn; a record counts only if it has
at least two different units. Prints the medians with their ratios to gensim and writes them to FOLDER/compare.json. Each
measurement is kept in FOLDER (what is there is not run again), so that --limit, which starts nothing more after so many
seconds, cuts a comparison into pieces.

Of meteor the learning step is measured (`optimise` in the metrics), exact and fast, and the whole of `train`, reading,
compression and writing the model included. Of gensim (Debian's python3-gensim) train() alone, with each BLAS that
is installed; of fastText, in one epoch, what it says itself; of StarSpace an epoch's run. Streams are those of the folder
METEOR_DATA_DIR that are there, or else a generated one. --quality compares the MRR of fast arithmetic with that of exact arithmetic instead."""

import csv
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

from evaluations import evaluate, find_streams, mean, parse_options

STREAMS = ("online_retail", "foursquare_nyc", "generated")
BLAS = {"reference BLAS": "blas", "OpenBLAS": "openblas-pthread"}
DIMENSION, NEGATIVES, EPOCHS = 300, 3, 5
SLOW_EPOCHS = 1  # of fastText and StarSpace, which take long, and whose epochs are alike


def write_records(stream, path):
    """The units of each record in a line, as meteor sees them. Returns how many records and units that is, and the longest."""
    lengths = []
    with open(stream, newline="", encoding="utf-8") as rows, open(path, "w", encoding="utf-8") as out:
        for row in csv.DictReader(rows):
            units = {f"{column}:{value}" for column, cell in row.items() if column != "timestamp" for value in cell.split(" ") if value}
            if len(units) > 1:
                out.write(" ".join(sorted(units)) + "\n")
                lengths.append(len(units))
    return {"records": len(lengths), "units": sum(lengths), "longest": max(lengths)}


def run(command, **environment):
    """The output and the seconds of a program on one core."""
    core = min(os.sched_getaffinity(0))
    begin = time.perf_counter()
    done = subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"} | environment,
                          preexec_fn=lambda: os.sched_setaffinity(0, {core}))
    return done.stdout.decode(errors="replace"), time.perf_counter() - begin


def meteor(options, stream, arithmetic):
    metrics = options.folder / "metrics.jsonl"
    command = [options.meteor, "train", "--quiet", "--config", options.configs / stream["config"], "--input", stream["path"],
               "--metrics", metrics, "--model", options.folder / "model.h5"]
    for setting in (f"learning.dimension={DIMENSION}", f"learning.negatives={NEGATIVES}", f"learning.epochs={EPOCHS}",
                    f"learning.arithmetic={arithmetic}"):
        command += ["--set", setting]
    _, seconds = run(command)
    windows = [json.loads(line) for line in metrics.read_text().splitlines()]
    learning = sum(window["seconds"]["optimise"] for window in windows)
    steps = sum(window["unit_steps_per_second"] * window["seconds"]["optimise"] for window in windows)
    if abs(steps / (EPOCHS * stream["units"]) - 1) > 1e-6:
        sys.exit(f"compare.py: meteor learnt {steps:.0f} unit-steps, not {EPOCHS * stream['units']}")
    return {f"meteor {arithmetic}, learning step": steps / learning, f"meteor {arithmetic}, whole train": steps / seconds}


def gensim(options, stream, blas):
    folder = pathlib.Path("/usr/lib/x86_64-linux-gnu") / BLAS[blas]
    output, _ = run([options.python, "-B", pathlib.Path(__file__).with_name("gensim_cbow.py"), stream["records_file"], DIMENSION,
                     NEGATIVES, EPOCHS], LD_LIBRARY_PATH=str(folder))
    return {f"gensim CBOW, {blas}": EPOCHS * stream["units"] / json.loads(output.splitlines()[-1])["seconds"]}


def fasttext(options, stream, kind, name):
    output, _ = run([options.fasttext, kind, "-input", stream["records_file"], "-output", options.folder / "fasttext", "-dim", DIMENSION,
                     "-neg", NEGATIVES, "-epoch", SLOW_EPOCHS, "-ws", stream["longest"], "-minCount", 1, "-minn", 0, "-maxn", 0, "-t", 1,
                     "-loss", "ns", "-lr", 0.05, "-thread", 1])
    words = float(re.findall(r"words/sec/thread:\s*(\d+)", output)[-1])  # of which an end of line is one
    return {name: words * stream["units"] / (stream["units"] + stream["records"])}


def starspace(options, stream):
    _, seconds = run([options.starspace, "train", "-trainFile", stream["records_file"], "-model", options.folder / "starspace", "-trainMode",
                      5, "-ws", stream["longest"], "-dim", DIMENSION, "-negSearchLimit", NEGATIVES, "-epoch", SLOW_EPOCHS, "-thread", 1,
                      "-minCount", 1, "-lr", 0.05])
    return {"StarSpace": SLOW_EPOCHS * stream["units"] / seconds}


def installed(options):
    """Name and measurement of everything that can be run here."""
    systems = {"meteor exact": lambda stream: meteor(options, stream, "exact"),
               "meteor fast": lambda stream: meteor(options, stream, "fast")}
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import gensim"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            options.python = python
            for blas, folder in BLAS.items():
                if (pathlib.Path("/usr/lib/x86_64-linux-gnu") / folder).exists():
                    systems[f"gensim {blas}"] = lambda stream, blas=blas: gensim(options, stream, blas)
            break
    options.fasttext = "/usr/bin/fasttext"
    if pathlib.Path(options.fasttext).exists():
        systems["fastText cbow"] = lambda stream: fasttext(options, stream, "cbow", "fastText CBOW")
        systems["fastText skipgram"] = lambda stream: fasttext(options, stream, "skipgram", "fastText skip-gram")
    if options.starspace:
        systems["StarSpace"] = lambda stream: starspace(options, stream)
    wanted = options.systems.split(",") if options.systems else list(systems)
    return {name: systems[name] for name in wanted}


def measure(options, streams, systems):
    """Runs what is missing; returns the rates by stream and what was measured, and whether all is there."""
    kept = options.folder / "runs.jsonl"
    runs = [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []
    there = {(entry["stream"], entry["system"], entry["round"]) for entry in runs}
    begin = time.perf_counter()
    complete = True
    for number in range(options.repeat):
        for name, stream in streams.items():
            for system, measured in systems.items():
                if (name, system, number) in there:
                    continue
                if options.limit and time.perf_counter() - begin > options.limit:
                    complete = False
                    continue
                runs.append({"stream": name, "system": system, "round": number, "rates": measured(stream)})
                with open(kept, "a", encoding="utf-8") as out:
                    out.write(json.dumps(runs[-1]) + "\n")
    rates = {name: {} for name in streams}
    for entry in runs:
        for what, rate in entry["rates"].items():
            rates.get(entry["stream"], {}).setdefault(what, []).append(rate)
    return rates, complete


def show(streams, rates):
    result = {}
    for name, stream in streams.items():
        medians = {what: statistics.median(values) for what, values in rates[name].items()}
        bases = {what: rate for what, rate in medians.items() if what.startswith("gensim")}
        print(f"\n{name}: {stream['records']} records of {stream['units'] / stream['records']:.1f} units; "
              f"ratios to {', '.join(bases) or 'nothing'}\n"
              f"{'':32} {'unit-steps/s':>12} {'lowest':>10} {'highest':>10} {'runs':>5}")
        for what, median in medians.items():
            values = rates[name][what]
            ratios = "".join(f"{median / base:8.2f}" for base in bases.values())
            print(f"{what:32} {median:12.0f} {min(values):10.0f} {max(values):10.0f} {len(values):5} {ratios}")
        result[name] = {**{key: stream[key] for key in ("records", "units", "longest")}, "unit_steps_per_second": medians,
                        "runs": rates[name],
                        "ratios": {what: {base: median / rate for base, rate in bases.items()} for what, median in medians.items()}}
    return result


def show_quality(options, streams):
    print(f"{'stream':24} {'exact':>8} {'fast':>8} {'change':>9}")
    for name, stream in streams.items():
        found = (name, (stream["path"], stream["config"]))
        exact, fast = (mean([evaluate(options, found, arithmetic, [f"learning.arithmetic={arithmetic}"], seed)
                             for seed in range(1, options.quality + 1)], "mrr") for arithmetic in ("exact", "fast"))
        print(f"{name:24} {exact:8.4f} {fast:8.4f} {100 * (fast / exact - 1):+7.2f} %")


def main():
    options = parse_options(systems="", repeat=5, starspace="", limit=0.0, quality=0)
    streams = {}
    for name, (path, config) in find_streams(options).items():
        if name in STREAMS or options.streams:
            records_file = options.folder / f"{name}.records.txt"
            streams[name] = {"path": path, "config": config, "records_file": records_file,
                             **write_records(path, records_file)}
    if options.quality:
        show_quality(options, streams)
        return 0
    rates, complete = measure(options, streams, installed(options))
    result = show(streams, rates)
    (options.folder / "compare.json").write_text(json.dumps(result, indent=1) + "\n")
    if not complete:
        print("\nsome measurements are missing: run the same command again")
    return 0


if __name__ == "__main__":
    sys.exit(main())
