#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times rate evaluations of cleave beside those of other programs in one run, and compares what they compute.

    bench/compare.py --build build [--other PROGRAM.c|PROGRAM] [--peer PROGRAM] [--sizes 32,64,...] [--rounds 3]

BUILD is configured with -DBUILD_BENCH=ON.  Programs run in turn, --rounds times; each prints the best of nine samples, and the best
of the rounds counts.  The subjects are `chain spatial=2` in the sizes asked for and, for cleave and the peer, `tree-robot`.

--other: a program on HDCA rates of the same chain, run as `PROGRAM LINKS ROWS` with several ROWS (links of a strand; the fastest
counts); it prints `... X ns/link ... u=U pdot=P`.  A .c file is compiled with -O3 -march=native -ffp-contract=off -DL=LANES,
where LANES is the width that cleave uses.
--peer: a program that reads the text of `bench_rates text` and prints `... X ns/link ... udot=A` (bench/peers/pinocchio.cpp).  Sizes
above --peer-most are left out.

The sums U, P of --other are compared with cleave's hdca, A of the peer with cleave's dca; the largest relative difference must not
exceed --tolerance times the number of links (condition), else the exit code is 1.  The table is Markdown: ns per link, and cleave's
time over the other's."""
import argparse
import os
import re
import subprocess
import sys
import tempfile

ROWS = (4, 8, 16, 32, 64, 128)
FAILED = []


def output(words, text=None) -> str:
    done = subprocess.run([str(w) for w in words], input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"compare: {words[0]}: {done.stderr.strip()}")
    return done.stdout


def read(line: str):
    """ns per link, and the sums by name."""
    return float(re.search(r"([\d.]+) ns/link", line)[1]), {k: float(v) for k, v in re.findall(r"\b(u|udot|pdot)=(\S+)", line)}


def compiled(path: str, lanes: int, folder: str) -> str:
    if not path.endswith(".c"):
        return path
    program = os.path.join(folder, "other")
    subprocess.run([os.environ.get("CC", "cc"), "-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-w",
                    f"-DL={lanes}", path, "-lm", "-o", program], check=True)
    return program


def same(name: str, what: str, ours: float, theirs: float, allowed: float):
    if not abs(ours - theirs) <= allowed * max(abs(ours), abs(theirs)):
        FAILED.append(f"{name}: sum of {what} is {ours:.12g}, the other's {theirs:.12g}")


class Subject:
    """One mechanism: what runs, the best times, and the sums."""

    def __init__(self, args, words, links, lanes):
        self.args, self.words, self.links, self.lanes = args, words, links, lanes
        self.best, self.sums = {}, {}
        self.program = os.path.join(args.build, "bench_rates")
        self.text = output([self.program, "text", *words]) if args.peer and links <= args.peer_most else None

    def take(self, name, line):
        ns, self.sums[name] = read(line)
        self.best[name] = min(ns, self.best.get(name, ns))

    def run(self):
        for formulation in ("hdca", "dca"):
            self.take(formulation, output([self.program, formulation, *self.words]))
        if self.args.other and self.words[0] == "chain":
            for rows in ROWS:
                if self.links % (rows * self.lanes) == 0:
                    self.take("other", output([self.args.other, self.links, rows]))
        if self.text:
            self.take("peer", output([self.args.peer], self.text))

    def check(self):
        name, allowed = " ".join(self.words), self.args.tolerance * self.links
        if "other" in self.sums:
            for what in ("u", "pdot"):
                same(name, what, self.sums["hdca"][what], self.sums["other"][what], allowed)
        if "peer" in self.sums:
            same(name, "udot", self.sums["dca"]["udot"], self.sums["peer"]["udot"], allowed)

    def row(self):
        def number(x):
            return "" if x is None else f"{x:.1f}"

        def ratio(a, b):
            return "" if b not in self.best else f"{self.best[a] / self.best[b]:.1f}"
        cells = [" ".join(self.words), *(number(self.best.get(k)) for k in ("hdca", "dca", "other", "peer")),
                 ratio("hdca", "other"), ratio("hdca", "peer"), ratio("dca", "peer")]
        return "| " + " | ".join(cells) + " |"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", default="build")
    options.add_argument("--other")
    options.add_argument("--peer")
    options.add_argument("--peer-most", type=int, default=256)
    options.add_argument("--sizes", default="32,64,256,1024,16384,65536")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--tolerance", type=float, default=1e-11)
    args = options.parse_args()
    first = output([os.path.join(args.build, "bench_rates"), "hdca", "tree-robot"])
    lanes = int(re.search(r"lanes=(\d+)", first)[1])
    with tempfile.TemporaryDirectory() as folder:
        if args.other:
            args.other = compiled(args.other, lanes, folder)
        subjects = [Subject(args, ["chain", f"links={n}", "spatial=2"], int(n), lanes) for n in args.sizes.split(",")]
        subjects.append(Subject(args, ["tree-robot"], 37, lanes))
        print(f"ns per body, {lanes} lanes, best of {args.rounds} rounds of nine samples\n")
        print("| subject | hdca | dca | other | peer | hdca / other | hdca / peer | dca / peer |")
        print("|---|---|---|---|---|---|---|---|")
        for s in subjects:
            for _ in range(args.rounds):
                s.run()
            s.check()
            print(s.row(), flush=True)
    print("\n" + ("\n".join(FAILED) or "all sums agree"))
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
