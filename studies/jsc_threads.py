#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The parallel steps 4a and 4b of the branch-algorithm paper on paper (T55): the connection matrix of 42 unknown forces
as 7 x 7 blocks of six rows.  Step 4a: one processor a row of blocks.  Step 4b: Cholesky by blocks as tasks, whose times
share the measured time of 4b by their operations.  List schedules with a hand-over; prints one JSON object.

    studies/jsc_threads.py [SECONDS_OF_4A SECONDS_OF_4B HAND_OVER]      default: docs/performance.md"""
import json
import sys

BLOCKS = 7
PROCESSORS = (1, 2, 5, 7)


def cholesky():
    """[(operations, tasks before)] of the factor by blocks, right-looking."""
    tasks, last = [], {}

    def add(operations, place, *reads):
        before = {last[p] for p in (place, *reads) if p in last}
        tasks.append((operations, sorted(before)))
        last[place] = len(tasks) - 1

    for k in range(BLOCKS):
        add(1 / 3, (k, k))
        for i in range(k + 1, BLOCKS):
            add(1, (i, k), (k, k))
        for i in range(k + 1, BLOCKS):
            for j in range(k + 1, i + 1):
                add(1 if i == j else 2, (i, j), (i, k), (j, k))
    return tasks


def schedule(tasks, unit, processors, hand_over):
    """Time of a list schedule: each task, in order, where it begins first."""
    idle, end, on = [0.0] * processors, [], []
    for operations, before in tasks:
        begins = [max([idle[p]] + [end[b] + (hand_over if on[b] != p else 0) for b in before]) for p in range(processors)]
        p = min(range(processors), key=begins.__getitem__)
        end.append(begins[p] + unit * operations)
        on.append(p)
        idle[p] = end[-1]
    return max(end)


def rows(seconds, processors, hand_over):
    """Rows k of k + 1 blocks; the first processor hands over, and waits for the others."""
    whole = BLOCKS * (BLOCKS + 1) / 2
    tasks = [(0, [])] + [((k + 1) / whole, [0]) for k in reversed(range(BLOCKS))]
    tasks.append((0, list(range(1, BLOCKS + 1))))
    return schedule(tasks, seconds, processors, hand_over)


def main():
    matrix, factor, hand_over = map(float, sys.argv[1:4]) if len(sys.argv) == 4 else (2.9e-6, 7.4e-6, 2e-7)
    tasks = cholesky()
    unit = factor / sum(operations for operations, _ in tasks)
    both = {p: (rows(matrix, p, hand_over), schedule(tasks, unit, p, hand_over)) for p in PROCESSORS}
    print(json.dumps({
        "tasks": len(tasks), "mean_task": factor / len(tasks), "hand_over": hand_over, "processors": PROCESSORS,
        "speedup_4a": [both[1][0] / both[p][0] for p in PROCESSORS],
        "speedup_4b": [both[1][1] / both[p][1] for p in PROCESSORS],
        "saved": [both[1][0] - both[p][0] + both[1][1] - both[p][1] for p in PROCESSORS]}))


main()
