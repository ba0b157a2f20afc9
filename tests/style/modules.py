"""usage: modules.py PROJECT BUILD: a module includes the headers of those only that the table of modules in docs/design.md allows.

A module may also use what those may use that it is built on. The table has a row for every folder, and no module is built on itself."""

import pathlib
import re
import sys

ROW = re.compile(r"^\| (?:src/)?(\w+) \| [^|]+ \| ([^|]+) \|$", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s*"(\w+)/', re.MULTILINE)


def allowed_by(table):
    """module: all modules whose headers it may include."""
    allowed = {}
    for module, cell in ROW.findall(table)[1:]:  # after the heading
        named = set() if cell == "nothing" else set(allowed) if cell == "all above" else set(re.split(r",\s*", cell))
        if unknown := named - set(allowed):
            raise ValueError(f"{module} is built on {', '.join(sorted(unknown))}: a module stands below those that it is built on")
        allowed[module] = named.union(*(allowed[other] for other in named))
    return allowed


def forbidden_includes(module, text, allowed):
    return sorted({other for other in INCLUDE.findall(text) if other in allowed and other != module and other not in allowed[module]})


def main(project, _build):
    text = (project / "docs" / "design.md").read_text()
    allowed = allowed_by(text[text.index("\n## Modules") :].split("\n## ")[1])
    folders = {path.name: path for path in [*(project / "src").iterdir(), project / "mpi"] if path.is_dir()}
    if set(folders) != set(allowed):
        print(f"docs/design.md and the folders disagree on: {', '.join(sorted(set(folders) ^ set(allowed)))}")
        return 1

    # Before it is believed, the check must see a fault.
    if forbidden_includes("kernels", '#include "stream/grid.h"\n#include "support/error.h"\n', allowed) != ["stream"]:
        print("the check is blind: it does not see that kernels may not use stream")
        return 1

    faults = 0
    for module, folder in sorted(folders.items()):
        for file in sorted((*folder.rglob("*.h"), *folder.rglob("*.cpp"))):
            for other in forbidden_includes(module, file.read_text(), allowed):
                faults += 1
                print(f"{file.relative_to(project)}: {module} may not use {other}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:3])))
