#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What output costs: pairs of runs with and without a run file, one after the other, so that both meet the same machine;
medians over the pairs, as a table for docs/performance.md.  Wants an idle machine with two cores; about five minutes.

Use: bench_output.py PROGRAM [--pairs 5] [--folder DIR] [--quick]

PROGRAM is build/cleave.  The first row is the one that counts: 10^3 bodies, 10^4 frames (1.05 GB in DIR, deleted after
each run).  `taskset` puts the rows of one core on core 0.  --quick runs a hundredth of it, to see that all is there."""
import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

BODIES = 1000
# formulation, simulated s, output interval in s, cores
ROWS = [
    ("hdca", 10, 0.001, 2),
    ("hdca", 2, 0.01, 2),
    ("hdca", 2, 0.1, 2),
    ("hdca", 2, 0.001, 1),
    ("hdca", 2, 0.01, 1),
    ("hdca", 2, 0.1, 1),
    ("dca", 2, 0.001, 2),
]


def run(words, cores, told):
    """(wall, processor) seconds of a command on so many cores, its output in the file `told`."""
    if cores == 1:
        words = ["taskset", "-c", "0", *words]
    began = time.monotonic()
    into = (os.POSIX_SPAWN_OPEN, 1, str(told), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    child = os.posix_spawnp(words[0], words, os.environ, file_actions=[into])
    _, status, used = os.wait4(child, 0)
    wall = time.monotonic() - began
    if status != 0:
        sys.exit(f"bench_output: {' '.join(words)} ended with status {status}")
    return wall, used.ru_utime + used.ru_stime


def pair(program, folder, row, scale, with_first):
    """((wall, processor) without frames, with them, evaluations) of one pair, whose order alternates."""
    formulation, end, every, cores = row
    words = [program, "run", "chain", f"links={BODIES}", "--formulation", formulation, "--time", str(end * scale), "--json"]
    out = Path(folder) / "bench.cleave"
    taken = {}
    for with_frames in (with_first, not with_first):
        more = ["--every", str(every), "--out", str(out)] if with_frames else []
        taken[with_frames] = run(words + more, cores, Path(folder) / "told.json")
        for left in Path(folder).glob("bench.cleave*"):
            left.unlink()
    told = json.loads((Path(folder) / "told.json").read_text(encoding="utf-8"))
    return taken[False], taken[True], told["rate_evaluations"]


def table_row(row, scale, pairs):
    formulation, end, every, cores = row
    without, frames = (statistics.median(p[k][0] for p in pairs) for k in (0, 1))
    costs = [100 * (p[1][0] / p[0][0] - 1) for p in pairs]
    processor = statistics.median(p[1][1] - p[0][1] for p in pairs)
    count = max(round(end * scale / every), 1)
    return (f"| {formulation} | {cores} | {count} | {pairs[0][2] / count:.1f} | {without:.2f} | {frames:.2f} | "
            f"{statistics.median(costs):+.1f} % | {min(costs):+.1f} .. {max(costs):+.1f} % | {1e3 * processor / count:.2f} |")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    arguments.add_argument("program")
    arguments.add_argument("--pairs", type=int, default=5)
    arguments.add_argument("--folder", default=None)
    arguments.add_argument("--quick", action="store_true")
    chosen = arguments.parse_args()
    program = str(Path(chosen.program).resolve())
    scale = 0.01 if chosen.quick else 1
    rows = [row for row in ROWS if row[3] == 1 or len(os.sched_getaffinity(0)) > 1]
    if not shutil.which("taskset"):
        rows = [row for row in rows if row[3] > 1]
    print(f"load before: {os.getloadavg()[0]:.2f} (medians mean little if others use the machine)\n", flush=True)
    print("| formulation | cores | frames | evaluations per frame | no frames (s) | with frames (s) | cost, median of pairs | "
          "least .. most | processor per frame (ms) |\n|---|---|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        for row in rows:
            pairs = [pair(program, folder, row, scale, k % 2 == 1) for k in range(chosen.pairs)]
            print(table_row(row, scale, pairs), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
