"""usage: clang_tidy.py PROJECT BUILD PART PARTS

clang-tidy with the settings of .clang-tidy over this part of the sources under src/ and mpi/.

Most of the time goes into the headers of libraries, which clang-tidy reads and searches anew for every source. So sources are
checked in groups first, each a file that includes its sources; what has no fault there has passed. Where a group has a fault,
perhaps only because its sources do not go together, its sources are checked alone, and that decides."""

import pathlib
import re
import shutil
import sys
import tempfile

from source_checks import compile_commands, fingerprint, output_of, run_checks, skip

LARGEST_GROUP = 25
# What a source may declare at the beginning of a line, also in a namespace without a name.
DECLARED = re.compile(
    r"^(?:class|struct|enum class|enum) (\w+)|^using (\w+) =|^(?!namespace\b)[A-Za-z][^=;(){}\n]*?(?<!::)\b(\w+)(?:\[\w*\])?\s*[({=]", re.MULTILINE
)


def tidy(file, command, *flags):
    status, output = output_of(["clang-tidy", "--quiet", str(file), "--", *command[1:], "-Wno-unknown-warning-option", *flags])
    return output if status else ""


def groups_of(sources):
    """(command, files) of sources that are compiled alike and of which no two declare the same name."""
    groups = []
    for file, command in sources:
        names = {name for match in DECLARED.findall(file.read_text()) for name in match if name}
        for of_group, files, names_of_group in groups:
            if of_group == command and len(files) < LARGEST_GROUP and not names & names_of_group:
                files.append(file)
                names_of_group |= names
                break
        else:
            groups.append((command, [file], names))
    return [(command, files) for command, files, _ in groups]


def pass_together(files, command, settings):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(settings, folder)
        together = pathlib.Path(folder, "together.cpp")
        together.write_text("".join(f'#include "{file}"  // NOLINT\n' for file in files))
        # A local variable may have the name of what another source declares. The build has shown that none shadows what its own does.
        return not tidy(together, command, "-Wno-shadow")


def main(project, build, part, parts):
    if not shutil.which("clang-tidy"):
        skip("clang-tidy is not installed")
    sources, settings = project / "src", project / ".clang-tidy"
    commands = [pair for folder in (sources, project / "mpi") for pair in compile_commands(build, folder)]
    groups = groups_of(commands)[part::parts]
    keys = [{fingerprint(file, sources, command, settings): file for file in files} for command, files in groups]

    def pass_in_groups(due):
        for (command, _), files in zip(groups, keys):
            due_here = {key: file for key, file in files.items() if key in due}
            if len(due_here) < 2:
                continue
            if pass_together(due_here.values(), command, settings):
                yield from due_here
            else:
                print(f"{len(due_here)} sources do not pass together and are checked one by one", flush=True)

    checks = [
        (str(file.relative_to(project)), key, lambda file=file, command=command: tidy(file, command))
        for (command, _), files in zip(groups, keys)
        for key, file in files.items()
    ]
    return run_checks(f"clang_tidy_{part}_of_{parts}", build, checks, together=1, pass_in_groups=pass_in_groups)


if __name__ == "__main__":
    sys.exit(main(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:3]), *map(int, sys.argv[3:5])))
