#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""studies/net.py N: prints the model file of a net of N x N bodies on spherical joints between neighbours, hung at two
corners: that of bench_shapes, for commands that take a file (`cleave bench span net.yaml`)."""
import math
import sys


def place(i, j):
    return (i + 0.1 * math.sin(3 * i + 2 * j), j + 0.1 * math.cos(5 * i - j),
            0.5 * math.sin(0.9 * i + 0.3) * math.cos(0.7 * j) + 0.1 * math.sin(7 * i * j + i))


def text(x):
    return "[" + ", ".join(repr(c) for c in x) + "]"


def main():
    if len(sys.argv) != 2 or not sys.argv[1].isdigit() or int(sys.argv[1]) < 2:
        sys.exit(__doc__)
    n = int(sys.argv[1])
    cells = [(i, j) for i in range(n) for j in range(n)]
    print("cleave: 1\nname: net\ngravity: [0, 0, -9.81]\nbodies:")
    for i, j in cells:
        print(f"  b{i}_{j}: {{mass: 0.2, inertia: [0.02, 0.02, 0.02]}}")
    print("joints:")
    for i, j in cells:
        for k, l in (i, j + 1), (i + 1, j):
            if k < n and l < n:
                middle = [(a + b) / 2 for a, b in zip(place(i, j), place(k, l))]
                print(f"  j{i}_{j}_{k}_{l}: {{kind: spherical, between: [b{i}_{j}, b{k}_{l}], at: {text(middle)}}}")
    print("  first: {kind: spherical, between: [ground, b0_0], at: [-0.5, 0, 0]}")
    print(f"  last: {{kind: spherical, between: [ground, b{n - 1}_{n - 1}], at: [{n - 0.5}, {n - 1}, 0]}}")
    print("start:\n  bodies:")
    for i, j in cells:
        print(f"    b{i}_{j}: {{position: {text(place(i, j))}}}")


main()
