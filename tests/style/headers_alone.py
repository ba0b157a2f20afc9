"""usage: headers_alone.py PROJECT BUILD: every header under src/ and mpi/ compiles when it is the only thing included, and
all of them compile together: no two give a name to different things.

The build has shown the first of a header that its own source includes before all others; the rest are compiled here."""

import hashlib
import pathlib
import re
import sys

from source_checks import compile_commands, fingerprint, output_of, run_checks

ANY_INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)


def comes_first(header):
    source = header.with_suffix(".cpp")
    first = ANY_INCLUDE.search(source.read_text()) if source.exists() else None
    return first is not None and header.as_posix().endswith("/" + first[1])


def main(project, build):
    sources = project / "src"
    commands = dict(compile_commands(build, project))

    def check(header, command):
        def run():
            status, output = output_of([*command, "-fsyntax-only", "-x", "c++", "-"], input=f'#include "{header}"\n')
            return output if status else ""

        return str(header.relative_to(project)), fingerprint(header, sources, command), run

    def check_together(headers, command):
        text = "".join(f'#include "{header}"\n' for header in headers)
        key = hashlib.sha256("".join(fingerprint(header, sources, command) for header in headers).encode()).hexdigest()

        def run():
            status, output = output_of([*command, "-fsyntax-only", "-x", "c++", "-"], input=text)
            return output if status else ""

        return "all headers together", key, run

    def headers(folder):
        return [header for header in sorted(folder.rglob("*.h")) if not comes_first(header)]

    of_sources = commands[sources / "support" / "version.cpp"]
    of_mpi = commands[project / "tests" / "mpi" / "transport_check.cpp"]  # as a user of the library, without mpi.h
    checks = [check(header, of_sources) for header in headers(sources)]
    checks += [check(header, of_mpi) for header in sorted((project / "mpi").rglob("*.h"))]
    all_headers = [header for folder in ("src", "mpi") for header in sorted((project / folder).rglob("*.h"))]
    checks.append(check_together(all_headers, [*of_sources, f"-I{project}"]))
    return run_checks("headers_alone", build, checks)


if __name__ == "__main__":
    sys.exit(main(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:3])))
