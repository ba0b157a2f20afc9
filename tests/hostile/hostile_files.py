"""Shows the program files and streams that are made to mislead it. Each must be refused in a sentence, or be used; within limits
of time and memory. Case N of a seed is the same everywhere; one that fails is kept, and its command printed.

  hostile_files.py METEOR SOURCES FOLDER [--cases 300] [--seed 1] [--first 0] [--jobs 2] [--every-command]
"""

import argparse
import concurrent.futures
import pathlib
import random
import shlex
import shutil
import sys
import time

from hostile_models import change_bytes, change_content
from hostile_streams import change_stream
from limited_run import run_limited
from originals import SCHEMES, Originals, checkpoint_commands, model_commands, overrides


def make_case(number, options, originals, folder):
    """(what was done, commands to run) of a case; its files are in its folder."""
    chance = random.Random(f"{options.seed}:{number}")
    scheme = chance.choice(list(SCHEMES))
    kind = chance.choices(["content", "bytes", "stream"], [7, 2, 1])[0]
    if kind == "stream":
        path, settings, done = change_stream(originals.lines, folder, chance)
        return f"{scheme}: {done}", [["train", "--quiet", "--config", originals.config, *overrides(scheme), *settings, "--input",
                                      path, "--model", "m.h5", "--rejects", "rejects.tsv"]]
    is_checkpoint = chance.random() < 0.5
    original = originals.checkpoint(scheme) if is_checkpoint else originals.model(scheme)
    file = folder / ("checkpoint-0000000008.h5" if is_checkpoint else "model.h5")
    done = (change_content if kind == "content" else change_bytes)(original, file, chance)
    commands = (checkpoint_commands if is_checkpoint else model_commands)(originals, scheme, file)
    if not options.every_command:
        commands = commands[:1] if is_checkpoint and chance.random() < 0.7 else [chance.choice(commands)]
    inspect = ["inspect", file]
    # Libraries may crash on what was made to crash them: only `inspect` is safe then, and tells whether the others are.
    safe = kind == "bytes" and run_limited([options.meteor, *map(str, inspect)], folder).status != 0
    return f"{original.name}: {done}", [inspect, *([] if safe else commands)]


def run_case(number, options, originals):
    folder = options.folder / f"case-{options.seed}-{number}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    done, commands = make_case(number, options, originals, folder)
    statuses, faults = [], []
    for words in commands:
        command = [options.meteor, *map(str, words)]
        outcome = run_limited(command, folder)
        statuses.append(outcome.status)
        fault = outcome.fault()
        if fault:
            said = outcome.err.decode("utf-8", "replace").strip()[-300:]
            faults.append(f"case {number} ({done}): {fault}\n  {shlex.join(command)}\n  {said}")
    if not faults:
        shutil.rmtree(folder)
    return statuses, faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("meteor", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("sources", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--every-command", action="store_true")
    options = parser.parse_args()
    options.folder = options.folder.resolve()
    options.sources = options.sources.resolve()
    shutil.rmtree(options.folder, ignore_errors=True)
    options.folder.mkdir(parents=True)
    begin = time.monotonic()
    originals = Originals(options.meteor, options.sources, options.folder)
    ends, failed = {}, 0
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        cases = [pool.submit(run_case, n, options, originals) for n in range(options.first, options.first + options.cases)]
        for case in concurrent.futures.as_completed(cases):
            statuses, faults = case.result()
            for status in statuses:
                ends[status] = ends.get(status, 0) + 1
            failed += bool(faults)
            for fault in faults:
                print(fault, flush=True)
    told = ", ".join(f"{count} times {status}" for status, count in sorted(ends.items()))
    print(f"{options.cases} cases of seed {options.seed} in {time.monotonic() - begin:.0f} s, {failed} failed; statuses: {told}")
    if failed:
        print(f"failed cases are kept in {options.folder}; one of them again: --seed {options.seed} --first N --cases 1")
    # Where nearly all is refused, or nearly nothing, the attack has lost its edge.
    dull = options.cases >= 100 and (ends.get(0, 0) * 20 < options.cases or ends.get(4, 0) * 5 < options.cases)
    if dull:
        print("too few files were accepted, or too few refused")
    sys.exit(1 if failed or dull else 0)


main()
