"""Runs a check over many C++ files with the flags of compile_commands.json, and remembers what passed.

A file that passed is checked again only when it, a project header it reaches, its command or the check itself changed.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

SKIPPED = 77
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def compile_commands(build, under):
    """(file, command) of every file under a folder: a compiler and its flags, without the input, the outputs and precompiled
    headers."""
    found = []
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["directory"], entry["file"]).resolve()
        if not file.is_relative_to(under):
            continue
        flags = shlex.split(entry["command"])
        command = []
        while flags:
            flag = flags.pop(0)
            if flag in ("-o", "-MT", "-MF", "-c", "-include"):
                flags.pop(0)
            elif flag != "-MD":
                command.append(flag)
        found.append((file, command))
    return found


def reached_files(file, include_folder):
    """The file and every project header that it includes, directly or not."""
    reached, waiting = set(), [file]
    while waiting:
        current = waiting.pop()
        if current in reached:
            continue
        reached.add(current)
        for name in INCLUDE.findall(current.read_text()):
            waiting += [p for p in (current.parent / name, include_folder / name, include_folder.parent / name) if p.is_file()]
    return sorted(reached)


def fingerprint(file, include_folder, command, *others):
    digest = hashlib.sha256(json.dumps([str(file), command]).encode())
    for part in [*reached_files(file, include_folder), *others]:
        digest.update(part.read_bytes())
    return digest.hexdigest()


def run_checks(name, build, checks, together=2, pass_in_groups=None):
    """checks: (label, fingerprint, function that returns the faults as text, empty when there are none). Those whose fingerprints
    pass_in_groups yields, from the list of those that are due, have passed; the others are checked one by one."""
    passed = build / "passed_checks" / name
    passed.mkdir(parents=True, exist_ok=True)
    due = [check for check in checks if not (passed / check[1]).exists()]
    anew = len(due)
    if pass_in_groups:
        for key in pass_in_groups([check[1] for check in due]):
            (passed / key).touch()
        due = [check for check in due if not (passed / check[1]).exists()]
    faults = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=min(together, os.cpu_count() or 1)) as pool:
        for (label, key, _), fault in zip(due, pool.map(lambda check: check[2](), due)):
            if fault:
                faults += 1
                print(f"{label}:\n{fault}", flush=True)
            else:
                (passed / key).touch()
    current = {check[1] for check in checks}
    for stale in passed.iterdir():
        if stale.name not in current:
            stale.unlink()
    print(f"{name}: {len(checks)} checked ({anew} anew), {faults} with faults")
    return 1 if faults or not checks else 0


def output_of(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    return done.returncode, done.stdout


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)
