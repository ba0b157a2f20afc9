"""usage: predictors.py METEOR CONFIGS FOLDER [--streams A,B] [--predictors X,Y] [--seed 1] [--options "--epochs 1"]

What else could be used: the queries of `meteor evaluate`, answered by other predictors (answers/answer_queries.py), which learn all
past records before each window that is asked about, beside meteor and its lift:0.1. Keeps each result in FOLDER (what is
there is not run again), prints tables of MRRs, sizes and times, and writes everything to FOLDER/predictors.json. --options are given
to answer_queries.py.

Streams are those of the folder METEOR_DATA_DIR that are there, or else a generated one. Predictors need Debian's python3-scipy, and
word2vec python3-gensim (`tools/install-packages bench`); they run one after the other, each in one thread."""

import functools
import json
import os
import pathlib
import shlex
import subprocess
import sys

from evaluations import evaluate, find_streams, parse_options

OF_METEOR = {"meteor": [], "lift:0.1": ["method=lift:0.1"]}
PREDICTORS = ("word2vec", "PPMI-SVD", "ALS", "EASE", "item-kNN")
NEEDS = {"word2vec": ("gensim",)}
ANSWERS = pathlib.Path(__file__).with_name("answers") / "answer_queries.py"
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


@functools.cache
def find_python(*modules):
    """Debian's packages are seen by Debian's Python, which need not be the one that runs this."""
    look = "import importlib.util, sys; sys.exit(not all(map(importlib.util.find_spec, sys.argv[1:])))"
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", look, *modules], check=False).returncode == 0:
            return python
    sys.exit(f"predictors.py: no Python has {' and '.join(modules)}; tools/install-packages bench installs them")


def by_meteor(options, stream, system):
    evaluate(options, stream, system, OF_METEOR[system], options.seed)
    return json.loads((options.folder / f"{stream[0]}.{system}.{options.seed}.json").read_text())


def write_queries(options, stream):
    name, (path, config) = stream
    queries = options.folder / f"{name}.{options.seed}.queries.jsonl"
    if not queries.exists():
        subprocess.run([options.meteor, "evaluate", "--quiet", "--config", options.configs / config, "--input", path, "--method",
                        "popularity", "--set", f"learning.seed={options.seed}", "--queries", queries], check=True,
                       stdout=subprocess.DEVNULL)
    return queries


def by_predictor(options, stream, predictor, queries):
    name, (path, config) = stream
    result = options.folder / f"{name}.{predictor}.{options.seed}.json"
    if not result.exists():
        subprocess.run([find_python("scipy", *NEEDS.get(predictor, ())), "-B", ANSWERS, "--config",
                        options.configs / config, "--input", path, "--queries", queries, "--predictor", predictor, "--seed",
                        str(options.seed), "--json", result, *shlex.split(options.options)], check=True, env=os.environ | ONE_THREAD)
    return json.loads(result.read_text())


def check_same_queries(name, results):
    """Numbers of queries, and of those whose true unit is rare, tell whether all saw the same past."""
    asked = {system: (found["queries"], found["queries_rare"]) for system, found in results.items()}
    if len(set(asked.values())) > 1:
        sys.exit(f"predictors.py: {name}: not all were asked the same queries: {asked}")


def seconds_to_learn(run):
    """CPU time of a predictor; of meteor all that is not reading and answering, in its one thread."""
    if "cpu_seconds" in run:
        return run["cpu_seconds"]["learn"]
    return sum(seconds for phase, seconds in run["seconds"].items() if phase not in ("read", "evaluate"))


def table(title, results, systems, show):
    print(f"\n| {title} | " + " | ".join(results) + " |\n|" + " --- |" * (len(results) + 1))
    for system in systems:
        print(f"| {system} | " + " | ".join(show(found[system]) for found in results.values()) + " |")


def show_limits(results):
    for name, found in results.items():
        remarks = found.get("EASE", {}).get("remarks", {})
        if remarks.get("units_left_out"):
            print(f"\nEASE on {name} leaves out the {remarks['units_left_out']} rarest units; "
                  f"{100 * remarks['share_of_occurrences_kept']:.0f} % of what records hold is kept.")


def main():
    options = parse_options(predictors=",".join(PREDICTORS), seed=1, options="")
    predictors = options.predictors.split(",")
    results = {}
    for stream in find_streams(options).items():
        found = results[stream[0]] = {system: by_meteor(options, stream, system) for system in OF_METEOR}
        queries = write_queries(options, stream)
        found.update({predictor: by_predictor(options, stream, predictor, queries) for predictor in predictors})
        check_same_queries(stream[0], found)
    systems = [*OF_METEOR, *predictors]
    table("MRR (% of full embeddings' bytes)", results, systems,
          lambda run: f"{run['mrr']:.3f} ({100 * run['model_bytes'] / run['full_bytes']:.0f})")
    table("MRR of rare units", results, systems, lambda run: f"{run['mrr_rare'] or 0:.3f}")
    table("seconds to learn", results, systems, lambda run: f"{seconds_to_learn(run):.1f}")
    show_limits(results)
    (options.folder / "predictors.json").write_text(json.dumps(results, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
