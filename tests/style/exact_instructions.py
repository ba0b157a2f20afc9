"""usage: exact_instructions.py PROJECT BUILD: only the record kernel uses instructions that approximate roots and quotients.

Their results differ between makers of processors, so that anything else that uses them, a library's header for one, would make
models depend on the machine. The kernel corrects what it takes from them, or says in its setting that it does not."""

import pathlib
import re
import shutil
import subprocess
import sys

APPROXIMATE = re.compile(r"\tv?(rsqrt|rcp)(14|28)?[ps][sdh]\b")
FUNCTION = re.compile(r"^[0-9a-f]+ <(.*)>:$")
KERNELS = re.compile(r"meteor::(baseline|avx2|avx512)::learn_record(_fast)?\(")


def functions_that_approximate(program):
    found, function = set(), ""
    command = ["objdump", "--disassemble", "--no-show-raw-insn", "--demangle", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace") as objdump:
        for line in objdump.stdout:
            if match := FUNCTION.match(line):
                function = match.group(1)
            elif APPROXIMATE.search(line):
                found.add(function)
    if objdump.returncode:
        sys.exit(f"objdump ended with {objdump.returncode}")
    return found


def main(build):
    if not shutil.which("objdump"):
        print("skipped: objdump is not installed")
        return 77
    found = functions_that_approximate(build / "meteor")
    kernels = {function for function in found if KERNELS.search(function)}
    if not any("_fast(" in function for function in kernels):
        print("the check is blind: it does not find the approximate roots of learning.arithmetic = \"fast\"")
        return 1
    for function in sorted(found - kernels):
        print(f"{function} uses approximate roots or quotients: models would depend on the maker of the processor")
    return 1 if found - kernels else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[2]).resolve()))
