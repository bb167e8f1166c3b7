#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles files of a build for their warnings alone: nothing is optimised, written or linked.

Use: check_warnings.py BUILD FOLDER ...   BUILD was configured with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON; folders of the source tree.
Exit code 1 if a compiler says anything, or if there is no file."""
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def check(entry: dict[str, str]) -> str:
    """What the compiler says of one file."""
    words = shlex.split(entry["command"])
    words[words.index("-o") + 1] = os.devnull
    done = subprocess.run([*words, "-fsyntax-only"], cwd=entry["directory"], capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    return said or ("" if done.returncode == 0 else f"{entry['file']}: exit code {done.returncode}\n")


def main() -> int:
    build, folders = Path(sys.argv[1]), [ROOT / name for name in sys.argv[2:]]
    with open(build / "compile_commands.json", encoding="utf-8") as source:
        entries = [e for e in json.load(source) if any(folder in Path(e["file"]).parents for folder in folders)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        said = "".join(pool.map(check, entries))
    sys.stderr.write(said)
    print(f"{len(entries)} files compiled for their warnings")
    return 1 if said or not entries else 0


if __name__ == "__main__":
    sys.exit(main())
