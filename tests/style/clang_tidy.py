"""usage: clang_tidy.py PROJECT BUILD: clang-tidy over every source under src/ and mpi/, with the settings of .clang-tidy."""

import pathlib
import shutil
import sys

from source_checks import compile_commands, fingerprint, output_of, run_checks, skip


def main(project, build):
    if not shutil.which("clang-tidy"):
        skip("clang-tidy is not installed")
    sources = project / "src"

    def check(file, command):
        def run():
            status, output = output_of(["clang-tidy", "--quiet", str(file), "--", *command[1:], "-Wno-unknown-warning-option"])
            return output if status else ""

        return str(file.relative_to(project)), fingerprint(file, sources, command, project / ".clang-tidy"), run

    folders = [sources, project / "mpi"]
    commands = [pair for folder in folders for pair in compile_commands(build, folder)]
    return run_checks("clang_tidy", build, [check(*pair) for pair in commands])


if __name__ == "__main__":
    sys.exit(main(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:3])))
