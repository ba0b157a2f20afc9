"""Runs of `meteor evaluate` over streams, variants and seeds, for the benchmarks of quality."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess

STREAMS = {
    "online_retail": "shopping.toml",
    "foursquare_nyc": "cells.toml",
    "tafeng_order_pseudotime": "shopping.toml",
    "cj_slice": "shopping.toml",
    "geotweets": "posts.toml",
}


def parse_options(**more):
    """METEOR CONFIGS FOLDER [--streams A,B], and more options with the values that they have unless they are given."""
    parser = argparse.ArgumentParser()
    parser.add_argument("meteor")
    parser.add_argument("configs", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    for name, default in {"streams": "", **more}.items():
        parser.add_argument(f"--{name}", type=type(default), default=default)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    return options


def categories_of(path):
    return path.with_suffix(".clusters.csv")


def find_streams(options):
    """By name: the file and its configuration."""
    folder = pathlib.Path(os.environ.get("METEOR_DATA_DIR", "missing"))
    found = {name: (folder / f"{name}.csv", config) for name, config in STREAMS.items() if (folder / f"{name}.csv").exists()}
    if not found:
        path = options.folder / "generated.csv"
        subprocess.run([options.meteor, "generate", "--kind", "shopping", "--records", "20000", "--seed", "1", "--output",
                        path, "--categories", categories_of(path)], check=True)
        found = {"generated": (path, "shopping.toml")}
    wanted = options.streams.split(",") if options.streams else list(found)
    return {name: found[name] for name in wanted}


def evaluate(options, stream, variant, variant_settings, seed):
    """MRRs and the share of full embeddings' bytes; what is in the folder is not run again. A setting "method=NAME" names a system."""
    name, (path, config) = stream
    settings = [setting for setting in variant_settings if not setting.startswith("method=")]
    methods = [setting.removeprefix("method=") for setting in variant_settings if setting.startswith("method=")]
    if "categories" in variant:
        settings += ["attribute.items.clusters=explicit", f"attribute.items.categories={categories_of(path).resolve()}"]
    result = options.folder / f"{name}.{variant.replace(' ', '_')}.{seed}.json"
    if not result.exists():
        command = [options.meteor, "evaluate", "--quiet", "--config", options.configs / config, "--input", path, "--json",
                   result, "--set", f"learning.seed={seed}"]
        for method in methods:
            command += ["--method", method]
        for setting in settings:
            command += ["--set", setting]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    found = json.loads(result.read_text())
    return {"mrr": found["mrr"], "mean": found["by_scoring"]["mean"]["mrr"], "rare": found["mrr_rare"], "loss": found["loss"],
            "share": 100 * found["model_bytes"] / found["full_bytes"]}


def mean(runs, key):
    return statistics.mean(run[key] for run in runs)
