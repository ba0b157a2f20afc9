"""usage: no_mpi.py PROJECT BUILD: no source or header under src/ reaches mpi.h, directly or through any library's header."""

import pathlib
import re
import sys

from source_checks import compile_commands, fingerprint, output_of, run_checks

MPI_HEADER = re.compile(r"\S*/mpi\.h(?=\s|$)")


def way_to_mpi(command, *files):
    includes = "".join(f'#include "{file}"\n' for file in files)
    status, dependencies = output_of([*command, "-M", "-x", "c++", "-"], input=includes)
    if status:
        return dependencies
    found = MPI_HEADER.search(dependencies)
    return f"reaches {found.group()}" if found else ""


def main(project, build):
    sources = project / "src"
    commands = compile_commands(build, sources)

    # Before it is believed, the check must find the header that a fixture reaches on a detour.
    fixture = pathlib.Path(__file__).parent / "fixtures" / "reaches_mpi.cpp"
    if not way_to_mpi(commands[0][1], fixture).startswith("reaches"):
        print("the check is blind: it does not find mpi.h in its own fixture")
        return 1

    def check(file, command):
        key = fingerprint(file, sources, command)
        return str(file.relative_to(project)), key, lambda: way_to_mpi(command, file)

    usual_command = dict(commands)[sources / "support" / "version.cpp"]
    headers = [(header, usual_command) for header in sorted(sources.rglob("*.h"))]
    checks = [check(*pair) for pair in commands + headers]
    file_of = {key: pair[0] for (_, key, _), pair in zip(checks, commands + headers)}

    def pass_together(due):  # if all of them together do not reach it, none does
        return [] if way_to_mpi(usual_command, *(file_of[key] for key in due)) else due

    return run_checks("no_mpi", build, checks, pass_in_groups=pass_together)


if __name__ == "__main__":
    sys.exit(main(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:3])))
