#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang-tidy (.clang-tidy) over the sources of a build; nothing may be found.

Use: tidy.py BUILD   BUILD was configured for clang with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON

A file in which nothing was found is not looked at again as long as it, what it includes of the project, its command, the
checks and the version of clang-tidy stay the same: their hash is then a file in $XDG_CACHE_HOME/cleave-tidy (default
~/.cache/cleave-tidy).  One file per process: version 14 mixes up va_lists otherwise."""
import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cleave-tidy"
IDLE = re.compile(r"warnings? generated|^Suppressed|^Use -header-filter")


def words_of(entry: dict[str, str]) -> list[str]:
    """The command without what it writes."""
    words = shlex.split(entry["command"])
    at = words.index("-o")
    return words[:at] + words[at + 2:]


def fingerprint(entry: dict[str, str], version: str) -> str:
    """A hash over all that decides what is found in a file.  Headers of the system belong to the version."""
    words = words_of(entry)
    made = subprocess.run([*words, "-MM"], cwd=entry["directory"], capture_output=True, text=True, check=True).stdout
    parts = [version, (ROOT / ".clang-tidy").read_text(encoding="utf-8"), " ".join(words).replace(str(ROOT), "")]
    for name in made.replace("\\\n", " ").split(":", 1)[1].split():
        parts.append((Path(entry["directory"]) / name).read_text(encoding="utf-8"))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def check(entry: dict[str, str], build: Path, version: str) -> tuple[str, bool]:
    """What clang-tidy says of one file, and whether it has been asked."""
    known = CACHE / fingerprint(entry, version)
    if known.exists():
        return "", False
    done = subprocess.run(["clang-tidy", "-p", build, "--quiet", entry["file"]], capture_output=True, text=True, check=False)
    said = "".join(line + "\n" for line in (done.stdout + done.stderr).splitlines() if not IDLE.search(line))
    if done.returncode and not said:
        said = f"{entry['file']}: exit code {done.returncode}\n"
    if not said:
        known.touch()
    return said, True


def main() -> int:
    build = Path(sys.argv[1])
    CACHE.mkdir(parents=True, exist_ok=True)
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, text=True, check=True).stdout
    with open(build / "compile_commands.json", encoding="utf-8") as source:
        # lane sources are in it once for each width: the first is enough
        entries = {e["file"]: e for e in reversed(json.load(source)) if ROOT / "src" in Path(e["file"]).parents}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda entry: check(entry, build, version), entries.values()))
    said = "".join(text for text, _ in found)
    sys.stdout.write(said)
    if not said and entries:
        print(f"clang-tidy: nothing found in {len(entries)} files, of which {sum(not asked for _, asked in found)} are known")
    return 1 if said or not entries else 0


if __name__ == "__main__":
    sys.exit(main())
