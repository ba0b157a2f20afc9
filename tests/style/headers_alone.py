"""usage: headers_alone.py PROJECT BUILD: every header under src/ compiles when it is the only thing included."""

import pathlib
import sys

from source_checks import compile_commands, fingerprint, output_of, run_checks


def main(project, build):
    sources = project / "src"
    command = dict(compile_commands(build, sources))[sources / "support" / "version.cpp"]

    def check(header):
        def run():
            status, output = output_of([*command, "-fsyntax-only", "-x", "c++", "-"], input=f'#include "{header}"\n')
            return output if status else ""

        return str(header.relative_to(project)), fingerprint(header, sources, command), run

    return run_checks("headers_alone", build, [check(header) for header in sorted(sources.rglob("*.h"))])


if __name__ == "__main__":
    sys.exit(main(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:3])))
