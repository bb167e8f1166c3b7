#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the share of lines of src/ that the tests ran, per folder and in total, and the files that lack most; fails below 90 %.
Use: coverage.py BUILD, a folder built by gcc with --coverage, after its tests have run."""
import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LEAST = 90.0
WORST = 10


def records(build: Path):
    """What gcov says about every object of the build."""
    notes = sorted(str(path.resolve()) for path in build.rglob("*.gcno"))
    for at in range(0, len(notes), 50):
        done = subprocess.run(["gcov", "--json-format", "--stdout", *notes[at:at + 50]], cwd=build, capture_output=True, text=True,
                              check=True)
        for line in done.stdout.splitlines():
            if line.strip():
                yield json.loads(line)


def line_counts(build: Path):
    """{file of src/: {line: times it ran, over all objects}}"""
    counts = defaultdict(lambda: defaultdict(int))
    for record in records(build):
        for file in record["files"]:
            path = (Path(record["current_working_directory"]) / file["file"]).resolve()
            if path.is_relative_to(ROOT / "src"):
                for line in file["lines"]:
                    counts[path.relative_to(ROOT / "src").as_posix()][line["line_number"]] += line["count"]
    return counts


def row(name: str, ran: int, lines: int) -> str:
    return f"{name:<28} {ran:6d} of {lines:6d} lines  {100 * ran / max(lines, 1):6.1f} %"


def main() -> int:
    counts = line_counts(Path(sys.argv[1]))
    if not counts:
        print("coverage: no objects built with --coverage", file=sys.stderr)
        return 1
    files = {name: (sum(n > 0 for n in lines.values()), len(lines)) for name, lines in counts.items()}
    folders = defaultdict(lambda: (0, 0))
    for name, (ran, lines) in files.items():
        folder = name.split("/")[0]
        folders[folder] = (folders[folder][0] + ran, folders[folder][1] + lines)
    for folder in sorted(folders):
        print(row("src/" + folder, *folders[folder]))
    ran, lines = (sum(pair[k] for pair in files.values()) for k in (0, 1))
    print(row("total", ran, lines))
    print("most lines not run:")
    for name in sorted(files, key=lambda n: files[n][0] - files[n][1])[:WORST]:
        print("  " + row(name, *files[name]))
        missed = [n for n, count in sorted(counts[name].items()) if count == 0]
        print("    " + " ".join(map(str, missed[:24])) + (" ..." if len(missed) > 24 else ""))
    if 100 * ran < LEAST * lines:
        print(f"coverage: {100 * ran / lines:.1f} % of the lines, at least {LEAST:g} % are wanted", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
