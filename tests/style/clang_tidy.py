"""usage: clang_tidy.py PROJECT BUILD PART PARTS

clang-tidy with the settings of .clang-tidy over every source under src/ and mpi/ that belongs to this part of them."""

import pathlib
import shutil
import sys
import zlib

from source_checks import compile_commands, fingerprint, output_of, run_checks, skip


def main(project, build, part, parts):
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
    chosen = [pair for pair in commands if zlib.crc32(str(pair[0].relative_to(project)).encode()) % parts == part]
    return run_checks(f"clang_tidy_{part}_of_{parts}", build, [check(*pair) for pair in chosen], together=1)


if __name__ == "__main__":
    sys.exit(main(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:3]), *map(int, sys.argv[3:5])))
