"""usage: window_walk.py PROJECT BUILD: the functions that docs/design.md names on the way of a window exist where it says."""

import pathlib
import re
import sys

STEP = re.compile(r"^(\d+)\. `([\w:]+)` in `([\w./]+)`: ", re.MULTILINE)
MOST_STEPS = 25


def defines(text, owner, name):
    """Whether the text defines the function, outside or inside of its class."""
    inside = rf"^(?:class|struct) {owner}\b" if owner else r"\A"
    outside = rf"\b{owner}::{name}\(" if owner else rf"^[\w:<>&*, ]*\b{name}\("
    return re.search(outside, text, re.MULTILINE) or (owner and re.search(inside, text, re.MULTILINE) and re.search(rf"\b{name}\(", text))


def missing_steps(project, steps):
    missing = []
    for number, function, file in steps:
        path = project / file
        owner, _, name = function.rpartition("::")
        if not path.exists() or not defines(path.read_text(), owner, name):
            missing.append(f"step {number}: {file} has no {function}")
    return missing


def main(project, _build):
    section = (project / "docs" / "design.md").read_text().split("\n## The way of a window\n")[1].split("\n## ")[0]
    steps = STEP.findall(section)
    faults = missing_steps(project, steps)
    # Before it is believed, the check must see a fault.
    if len(missing_steps(project, [("1", "CsvRows::leap", "src/stream/csv_rows.cpp"), ("2", "learn", "src/nowhere.cpp")])) != 2:
        faults.append("the check is blind: it does not see that a function is missing")
    if [int(number) for number, _, _ in steps] != list(range(1, len(steps) + 1)) or not 10 <= len(steps) <= MOST_STEPS:
        faults.append(f"the steps are not numbered 1 to {MOST_STEPS} at most: {[int(number) for number, _, _ in steps]}")
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:3])))
