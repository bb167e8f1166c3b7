#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the walls between the floors of src/ and fmu/ (src/README.md): includes point downward only, and malloc, vector types,
threads, printing and conditional compilation stay in their one place.  Messages below io name options by their fields.  And lines of C have 120 columns at most, but for
the table of src/io/schema.h.  Run as the CTest test `floors`."""
import re
import sys
from pathlib import Path

# From the ground up (src/README.md).  Folders of one floor do not know each other.
FLOORS = [("base",), ("math",), ("model", "integrator"), ("plan", "flexible"), ("engine",), ("kinematics",),
          ("formulation",), ("simulation",), ("ranks",), ("io",), ("cli", "examples", "fmu")]
FOLDERS = [folder for floor in FLOORS for folder in floor]
# folder: who alone may include its files, beside itself
KNOWN_TO = {"integrator": ("simulation", "io", "cli"), "flexible": ("examples", "io", "cli")}
# what io, cli and examples do not see: they know the model and cleave.h
INSIDE = ("plan", "engine", "kinematics", "formulation")
KNOW_THE_MODEL = ("io", "cli", "examples", "fmu")
WIDTH = 120
ROOT = Path(__file__).resolve().parent.parent

# (what may not occur, where it may all the same, what to say)
WALLS = [
    (r"\b(malloc|calloc|realloc|aligned_alloc|strdup|free)\s*\(", r"base/memory\.c", "allocation outside base/memory.c"),
    (r"\bvector_size\b", r"math/lane\.h", "a vector type outside math/lane.h"),
    (r"\bomp\.h\b|#\s*pragma\s+omp\b|\bthreads\.h\b|\bpthread\.h\b",
     r"(base/team|cli/interrupt|cli/recorder|cli/realtime)\.[ch]",
     "threads outside base/team, cli/interrupt, cli/recorder and cli/realtime"),
    (r"(?<!\w)(printf|fprintf|vfprintf|puts|fputs|fopen|exit|abort)\s*\(", r"(io|cli)/.*", "printing, files or exit outside io and cli"),
    (r"\b(strtod|strtof|atof)\s*\(", r"base/text\.c|io/yaml_(read_number|write_text)\.c|cli/json\.c",
     "a number read in the caller's locale (clv_text_number)"),
    (r"^\s*#\s*(if|ifdef|ifndef)\b(?!.*(__cplusplus|CLV_\w+_H\b))", r"(base/.*|math/lane\.h)", "#if outside base/ and math/lane.h"),
]


def without_comments(text: str, strings: bool = True) -> str:
    """Blanks comments (and, if asked, strings) and keeps the line numbers."""
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''

    def blank(match: re.Match) -> str:
        if match[0][0] in "\"'" and not strings:
            return match[0]
        return "\n" * match[0].count("\n") or " "
    return re.sub(pattern, blank, text, flags=re.S)


def floor_of(folder: str) -> int:
    return next(number for number, floor in enumerate(FLOORS) if folder in floor)


def include_faults(name: str, text: str):
    for match in re.finditer(r'^\s*#\s*include\s*"([^"]+)"', text, flags=re.M):
        target = match[1]
        line = text.count("\n", 0, match.start(1)) + 1
        here, there = name.split("/")[0], target.split("/")[0]
        if target == "cleave/cleave.h" or here == there:
            continue
        if there not in FOLDERS:
            yield line, f'include "{target}": write the path from src/, as "base/error.h"'
        elif floor_of(there) >= floor_of(here):
            yield line, f'include "{target}" points up or beside, from {here}'
        elif here not in KNOWN_TO.get(there, FOLDERS):
            yield line, f'include "{target}": only {", ".join(KNOWN_TO[there])} know {there}/'
        elif here in KNOW_THE_MODEL and there in INSIDE:
            yield line, f'include "{target}": {here} knows the model and cleave.h, not the engine'


def wall_faults(name: str, text: str):
    for pattern, allowed, message in WALLS:
        if re.fullmatch(allowed, name):
            continue
        for match in re.finditer(pattern, text, flags=re.M):
            yield text.count("\n", 0, match.end()) + 1, f"{message}: {match[0].strip()}"


# texts of rows that the command line shows
FOR_THE_COMMAND_LINE = ("simulation/option_rows.h", "simulation/report_rows.h")


def word_faults(name: str, text: str):
    """Words of the command line in messages below io: programs in C and Python have fields (`rtol`)."""
    if name.split("/")[0] in KNOW_THE_MODEL or name in FOR_THE_COMMAND_LINE:
        return
    for match in re.finditer(r'"(?:\\.|[^"\\\n])*?(--[a-z][a-z-]*)', text):
        yield text.count("\n", 0, match.end()) + 1, f"a word of the command line in a message: {match[1]}"


def width_faults():
    for folder in ("src", "fmu", "include", "tests", "bench", "examples/programs"):
        for path in sorted((ROOT / folder).rglob("*.[ch]")):
            name = path.relative_to(ROOT).as_posix()
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if len(line) > WIDTH and name != "src/io/schema.h":
                    yield f"{name}:{number}: {len(line)} columns; {WIDTH} at most"


def main() -> int:
    faults = list(width_faults())
    for path in sorted([*(ROOT / "src").rglob("*.[ch]"), *(ROOT / "fmu").rglob("*.[ch]")]):
        file = path.relative_to(ROOT).as_posix()
        name = file.removeprefix("src/")
        text = path.read_text(encoding="utf-8")
        kept = without_comments(text, strings=False)
        found = [*include_faults(name, kept), *word_faults(name, kept), *wall_faults(name, without_comments(text))]
        faults += [f"{file}:{line}: {message}" for line, message in found]
    print("\n".join(faults) or "floors: every include points down and every wall holds")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
