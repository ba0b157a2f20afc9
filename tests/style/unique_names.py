"""usage: unique_names.py PROJECT BUILD: no two headers define a type of the same name, so that all can be included together and a
name means one thing."""

import collections
import pathlib
import re
import sys

TYPE = re.compile(r"^(?:template <[^;{]*>\s*)?(?:class|struct|enum class|enum) (\w+)(?: final)?(?: :[^;{]*)? \{", re.MULTILINE)


def types_of(text):
    return TYPE.findall(text)


def main(project, _build):
    # Before it is believed, the check must see a type.
    if types_of("struct A {\n};\nclass B final : public C {\n};\nenum class D : int { e };\nstruct F;\n") != ["A", "B", "D"]:
        print("the check is blind: it does not see what a header defines")
        return 1
    places = collections.defaultdict(dict)
    for folder in ("src", "mpi"):
        for header in sorted((project / folder).rglob("*.h")):
            for name in types_of(header.read_text()):  # in one header, a type may have several forms
                places[name][header.relative_to(project)] = True
    faults = {name: files for name, files in places.items() if len(files) > 1}
    for name, files in sorted(faults.items()):
        print(f"{name} is defined in {', '.join(str(file) for file in files)}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:3])))
