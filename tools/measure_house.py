#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the sizes that CONTRIBUTING.md names: lines of files and functions, share of lines with a comment, function
pointers of a formulation, and circles of calls between the folders of src/.

    tools/measure_house.py [--build build] [--check]

Functions are the lines between a `{` and a `}` in the first column.  A comment counts where a line that is not blank has
one.  Calls are symbols that an object file of the build needs and one of another folder defines.  With --check the exit
status is 1 where a size is beyond its limit or folders call each other in a circle."""
import argparse
import math
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SRC = ROOT / "src"


def p95(values: list[int]) -> int:
    """The smallest value that 95 % of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(0.95 * len(ordered)) - 1)] if ordered else 0


def functions(text: str) -> list[int]:
    """Lines of each function body."""
    lengths, start = [], None
    for number, line in enumerate(text.splitlines()):
        if line == "{":
            start = number
        elif line == "}" and start is not None:
            lengths.append(number - start - 1)
            start = None
    return lengths


def comment_lines(text: str) -> tuple[int, int]:
    """Lines with a comment, lines that are not blank."""
    with_comment = filled = 0
    inside = False
    for line in text.splitlines():
        if not line.strip():
            continue
        filled += 1
        bare = re.sub(r'"(?:\\.|[^"\\])*"', '""', line)
        with_comment += inside or "/*" in bare or "//" in bare
        for mark in re.findall(r"/\*|\*/", bare):
            inside = mark == "/*"
    return with_comment, filled


def folder_sizes() -> dict[str, dict]:
    sizes: dict[str, dict] = defaultdict(lambda: {"files": [], "functions": [], "comments": 0, "lines": 0})
    for path in sorted(SRC.rglob("*.[ch]")):
        text = path.read_text(encoding="utf-8")
        with_comment, filled = comment_lines(text)
        for key in (path.relative_to(SRC).parts[0], "src"):
            row = sizes[key]
            row["files"].append(text.count("\n"))
            row["functions"] += functions(text)
            row["comments"] += with_comment
            row["lines"] += filled
    return sizes


def symbols(build: Path) -> dict[str, tuple[set, set]]:
    """Per folder: symbols its object files define, symbols they need."""
    found: dict[str, tuple[set, set]] = defaultdict(lambda: (set(), set()))
    for path in build.glob("CMakeFiles/*.dir/src/*/*.o"):
        defined, needed = found[path.parent.name]
        text = subprocess.run(["nm", str(path)], capture_output=True, text=True, check=True).stdout
        for line in text.splitlines():
            kind, name = line[17:18], line[19:].split("@")[0]
            if kind in "TDBRV" and kind != " ":
                defined.add(name)
            elif kind == "U":
                needed.add(name)
    return found


def calls(found: dict[str, tuple[set, set]]) -> dict[str, set]:
    owner = {name: folder for folder, (defined, _) in found.items() for name in defined}
    return {folder: {owner[name] for name in needed if name in owner} - {folder}
            for folder, (_, needed) in found.items()}


def reach(graph: dict[str, set], start: str) -> set:
    seen, todo = set(), list(graph[start])
    while todo:
        at = todo.pop()
        if at not in seen:
            seen.add(at)
            todo += graph.get(at, ())
    return seen


def circles(graph: dict[str, set]) -> list[tuple[str, ...]]:
    """Sets of folders of which each calls each other one, by whatever way."""
    reached = {folder: reach(graph, folder) for folder in graph}
    return sorted({tuple(sorted(b for b in graph if b in reached[a] and a in reached[b]))
                   for a in graph if a in reached[a]})


def pointers() -> int:
    """Function pointers in clv_formulation."""
    text = (SRC / "formulation/system.h").read_text(encoding="utf-8")
    body = re.search(r"typedef struct clv_formulation \{(.*?)\n\} clv_formulation;", text, re.S)
    return len(re.findall(r"\(\*\w+\)\(", body[1]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build", type=Path)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    sizes = folder_sizes()
    faults = []
    print(f"{'folder':12} {'files':>6} {'lines':>7} {'file p95':>9} {'max':>5} {'functions':>10} {'p95':>4} {'max':>4} "
          f"{'comments':>9}")
    for folder, row in sizes.items():
        share = row["comments"] / row["lines"]
        print(f"{folder:12} {len(row['files']):6} {sum(row['files']):7} {p95(row['files']):9} {max(row['files']):5} "
              f"{len(row['functions']):10} {p95(row['functions']):4} {max(row['functions'], default=0):4} {share:9.1%}")
    longest = max(text.read_text().count("\n") for text in (SRC / "formulation").glob("*.c"))
    print(f"longest formulation file: {longest} lines; function pointers of a formulation: {pointers()}")
    whole = sizes["src"]
    for what, value, limit in (("file p95", p95(whole["files"]), 400), ("function p95", p95(whole["functions"]), 30),
                               ("function pointers of a formulation", pointers(), 6)):
        if value > limit:
            faults.append(f"{what} is {value}, above {limit}")
    found = symbols(args.build)
    if found:
        rings = circles(calls(found))
        print("circles of calls between folders:", "; ".join(" - ".join(ring) for ring in rings) or "none")
        faults += [f"folders call each other in a circle: {' - '.join(ring)}" for ring in rings]
    else:
        print(f"no object files in {args.build}: calls are not measured")
    if args.check and not found:
        faults.append("nothing to take calls from")
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if args.check and faults else 0


if __name__ == "__main__":
    sys.exit(main())
