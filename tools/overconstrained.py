#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random overconstrained mechanisms with data rounded to some digits (T36): each runs or is refused at the start.

    tools/overconstrained.py build/cleave                       a few of each family
    tools/overconstrained.py build/cleave --count 300           the study of docs/performance.md
    tools/overconstrained.py build/cleave --only bennett:9:local:3 --keep model.yaml

A mechanism is drawn exactly, then written with 4, 6 or 9 digits after the point, half of them by points and axes of the
start pose ("global"), half by frames in body axes ("local").  It has to run to the end with its mobility, or to be
refused before the first step with joints named.  Exit 1 if one ends in between, or loses its mobility or energy."""

import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile


# ------------------------------------------------------------------ vectors

def add(a, b): return [x + y for x, y in zip(a, b)]
def sub(a, b): return [x - y for x, y in zip(a, b)]
def scale(a, k): return [x * k for x in a]
def dot(a, b): return sum(x * y for x, y in zip(a, b))
def cross(a, b): return [a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]]
def unit(a): return scale(a, 1 / math.sqrt(dot(a, a)))
def turn(q, v):
    """v turned by the unit quaternion q."""
    t = scale(cross(q[1:], v), 2)
    return add(add(v, scale(t, q[0])), cross(q[1:], t))


def times(p, q):
    return [p[0]*q[0] - dot(p[1:], q[1:])] + add(add(scale(q[1:], p[0]), scale(p[1:], q[0])), cross(p[1:], q[1:]))


def inverse(q): return [q[0]] + scale(q[1:], -1)
def direction(rng): return unit([rng.gauss(0, 1) for _ in range(3)])
def quaternion(rng): return unit([rng.gauss(0, 1) for _ in range(4)])


def frame_to(z):
    """Unit quaternion that takes the z axis to z."""
    if z[2] < -0.999999:
        return [0, 1, 0, 0]
    return unit([1 + z[2], -z[1], z[0], 0])


# ------------------------------------------------------------------ mechanisms: joints (a, b, point, axis) of links

class Mechanism:
    def __init__(self, free):
        self.joints, self.free = [], free

    def hinge(self, a, b, point, axis):
        self.joints.append((a, b, list(point), unit(axis)))

    def loop(self, links, points, axes):
        """Hinges between consecutive links of a ring that begins and ends with the ground."""
        for a, b, p, z in zip(links, links[1:], points, axes):
            self.hinge(a, b, p, z)


def ring(n, start=1):
    return [0] + [start + i for i in range(n - 1)] + [0]


def place(rng, m):
    """Anywhere, in any orientation, of any size about 1."""
    q, at, size = quaternion(rng), [rng.uniform(-2, 2) for _ in range(3)], rng.uniform(0.5, 2)
    m.joints = [(a, b, add(at, scale(turn(q, p), size)), turn(q, z)) for a, b, p, z in m.joints]
    return m


def polygon(rng, n):
    """Points of a plane in general position on an uneven ring."""
    return [[r * math.cos(f), r * math.sin(f), 0]
            for r, f in ((rng.uniform(0.5, 1.2), 2 * math.pi * (i + rng.uniform(-0.25, 0.25)) / n) for i in range(n))]


Z = [0, 0, 1]


def planar(n):
    def make(rng):
        m = Mechanism(n - 3)
        m.loop(ring(n), polygon(rng, n), [Z] * n)
        return m
    return make


def six_bar(rng):
    """A four-bar and a dyad from its coupler to the ground."""
    m, p = Mechanism(1), polygon(rng, 4)
    m.loop(ring(4), p, [Z] * 4)
    tip = add(scale(add(p[1], p[2]), 0.5), [rng.uniform(-0.3, 0.3), rng.uniform(0.3, 0.6), 0])
    knee, foot = add(tip, [rng.uniform(0.5, 0.9), rng.uniform(0.3, 0.6), 0]), add(tip, [rng.uniform(1.2, 1.6), -0.5, 0])
    m.hinge(2, 4, tip, Z), m.hinge(4, 5, knee, Z), m.hinge(5, 0, foot, Z)
    return m


def parallelograms(rng):
    """A platform on three or four parallel cranks, or a row of windows."""
    m, f = Mechanism(1), rng.uniform(0.4, 1.2)
    crank, n = [math.cos(f), math.sin(f), 0], rng.choice([3, 4])
    if rng.random() < 0.5:
        for i in range(n):
            foot = [1.1 * i + rng.uniform(-0.2, 0.2), 0.3 * rng.uniform(-1, 1), 0]
            m.hinge(0, 1 + i, foot, Z), m.hinge(1 + i, n + 1, add(foot, crank), Z)
        return m
    for i in range(n):  # cranks 1 .. n, couplers between neighbours
        m.hinge(0, 1 + i, [i, 0, 0], Z)
    for i in range(n - 1):
        m.hinge(1 + i, n + 1 + i, add([i, 0, 0], crank), Z), m.hinge(n + 1 + i, 2 + i, add([i + 1, 0, 0], crank), Z)
    return m


def spherical(rng):
    m = Mechanism(1)
    axes = [unit([math.cos(2 * math.pi * (i + rng.uniform(-0.2, 0.2)) / 4) * 0.8,
                  math.sin(2 * math.pi * (i + rng.uniform(-0.2, 0.2)) / 4) * 0.8, rng.uniform(0.5, 1)]) for i in range(4)]
    m.loop(ring(4), [scale(z, rng.uniform(0.6, 1.2)) for z in axes], axes)
    return m


def bennett_loop(rng, a=None, alpha=None, theta=None):
    """Points and axes of a Bennett linkage: links a, b, twists with sin(alpha)/a = sin(beta)/b, opposite ones equal."""
    a, alpha = a or rng.uniform(0.6, 1.0), alpha or rng.uniform(0.4, 0.8)
    beta = rng.uniform(0.9, 1.4)
    b = a * math.sin(beta) / math.sin(alpha)
    t1 = theta or rng.uniform(0.6, 2.2)
    t2 = 2 * math.atan(math.sin((beta + alpha) / 2) / math.sin((beta - alpha) / 2) / math.tan(t1 / 2))
    points, axes, x, z, o = [], [], [1, 0, 0], Z, [0, 0, 0]
    for length, twist, angle in ((a, alpha, t1), (b, beta, t2), (a, alpha, -t1), (b, beta, -t2)):
        points.append(o), axes.append(z)
        y = cross(z, x)
        x = add(scale(x, math.cos(angle)), scale(y, math.sin(angle)))
        o = add(o, scale(x, length))
        y = cross(z, x)
        z = add(scale(z, math.cos(twist)), scale(y, -math.sin(twist)))
    return points, axes, math.sqrt(dot(o, o)) + math.sqrt(dot(sub(z, Z), sub(z, Z)))


def closed_bennett(rng):
    while True:
        points, axes, gap = bennett_loop(rng)
        if gap < 1e-12:
            return points, axes


def bennett(rng):
    m = Mechanism(1)
    points, axes = closed_bennett(rng)
    m.loop(ring(4), points, axes)
    return m


def bennett_pair(rng):
    """Two Bennett linkages with a crank in common, as Goldberg joins them: the second hangs on the first's joints."""
    m = Mechanism(1)
    points, axes = closed_bennett(rng)
    m.loop(ring(4), points, axes)
    mirror = [[p[0], p[1], p[2]] for p in points]
    shift = sub(mirror[1], mirror[0])  # the same linkage turned by a half turn about the common link's middle line
    middle = add(mirror[0], scale(shift, 0.5))
    line = unit(add(axes[0], axes[1])) if dot(axes[0], axes[1]) > 0 else unit(sub(axes[0], axes[1]))
    half = [0] + line
    p2 = [add(middle, turn(half, sub(p, middle))) for p in points]
    z2 = [turn(half, z) for z in axes]
    # p2[1] = points[0], p2[0] = points[1]: the common link is body 1 with the ground at points[0]
    m.hinge(1, 4, p2[0], z2[0]), m.hinge(4, 5, p2[3], z2[3]), m.hinge(5, 0, p2[2], z2[2])
    return m


def sarrus(rng):
    m, top = Mechanism(1), 5
    for k, (axis, out) in enumerate((([1, 0, 0], [0, 1, 0]), ([0, 1, 0], [1, 0, 0]))):
        low, high = rng.uniform(0.8, 1.2), rng.uniform(0.8, 1.2)
        knee, height = rng.uniform(1.2, 1.8), 1.0
        first = 1 + 2 * k
        m.hinge(0, first, scale(out, low), axis)
        m.hinge(first, first + 1, add(scale(out, knee), [0, 0, rng.uniform(0.4, 0.6)]), axis)
        m.hinge(first + 1, top, add(scale(out, high), [0, 0, height]), axis)
    return m


def line_symmetric(rng):
    """Bricard: three lines and their images by a half turn about z."""
    m = Mechanism(1)
    points = [[0.9 * math.cos(f), 0.9 * math.sin(f), rng.uniform(-0.3, 0.3)] for f in
              (rng.uniform(0, 0.5), rng.uniform(1.0, 1.5), rng.uniform(2.0, 2.5))]
    axes = [direction(rng) for _ in range(3)]
    flip = lambda v: [-v[0], -v[1], v[2]]
    m.loop(ring(6), points + [flip(p) for p in points], axes + [flip(z) for z in axes])
    return m


def plane_symmetric(rng):
    """Bricard: axes 1 and 4 in the plane y = 0, the others mirrored by it."""
    m = Mechanism(1)
    flat = lambda: unit([rng.gauss(0, 1), 0, rng.gauss(0, 1)])
    points = [[0.9, 0, rng.uniform(-0.3, 0.3)], [0.5, 0.8, rng.uniform(-0.3, 0.3)], [-0.4, 0.9, rng.uniform(-0.3, 0.3)],
              [-0.9, 0, rng.uniform(-0.3, 0.3)]]
    axes = [flat(), direction(rng), direction(rng), flat()]
    mirror = lambda v: [v[0], -v[1], v[2]]
    image = lambda v: [-v[0], v[1], -v[2]]  # an axis is an axial vector
    points += [mirror(points[2]), mirror(points[1])]
    axes += [image(axes[2]), image(axes[1])]
    m.loop(ring(6), points, axes)
    return m


FAMILIES = {
    "four-bar": planar(4), "five-bar": planar(5), "six-bar-loop": planar(6), "six-bar": six_bar,
    "parallelograms": parallelograms, "spherical": spherical, "bennett": bennett, "bennett-pair": bennett_pair,
    "sarrus": sarrus, "bricard-line": line_symmetric, "bricard-plane": plane_symmetric,
}


# ------------------------------------------------------------------ the model file

def inertia_of(points, mass, com, width):
    """xx yy zz xy xz yz of equal particles at the points, and a bar's width."""
    k = mass / len(points) / 2
    J = [mass * width * width] * 3 + [0] * 3
    for p in points:
        x, y, z = sub(p, com)
        for i, v in enumerate((y*y + z*z, x*x + z*z, x*x + y*y, -x*y, -x*z, -y*z)):
            J[i] += k * v
    return J


def text_of(rng, m, digits, local, name):
    n = lambda v: "[" + ", ".join(f"{x:.{digits}f}" for x in v) + "]"
    links = sorted({i for j in m.joints for i in j[:2] if i > 0})
    q = {0: [1, 0, 0, 0]}
    com, held = {0: [0, 0, 0]}, {}
    for i in links:
        held[i] = [p for a, b, p, _ in m.joints if i in (a, b)]
        com[i] = scale([sum(p[k] for p in held[i]) for k in range(3)], 1 / len(held[i]))
        q[i] = quaternion(rng) if local else [1, 0, 0, 0]
    link = lambda i: f"l{i}" if i else "ground"
    out = ["cleave: 1", f"name: {name}", "gravity: " + n(scale(direction(rng), 9.81)), "bodies:"]
    for i in links:
        mass = rng.uniform(0.5, 2)
        body = [turn(inverse(q[i]), sub(p, com[i])) for p in held[i]]
        out.append(f"  {link(i)}: {{mass: {mass:.{digits}f}, inertia: " + n(inertia_of(body, mass, [0, 0, 0], 0.1)) + "}")
    out.append("joints:")
    for k, (a, b, p, z) in enumerate(m.joints):
        head = f"  j{k}: {{kind: revolute, "
        if not local:
            out.append(head + f"between: [{link(a)}, {link(b)}], at: {n(p)}, axis: {n(z)}}}")
            continue
        f, side = times(frame_to(z), [math.cos(0.3), 0, 0, math.sin(0.3)]), []
        for i in (a, b):
            side.append(f"{{body: {link(i)}, position: {n(turn(inverse(q[i]), sub(p, com[i])))}, "
                        f"orientation: {{quaternion: {n(times(inverse(q[i]), f))}}}}}")
        out.append(head + f"a: {side[0]}, b: {side[1]}}}")
    out.append("start:\n  bodies:")
    for i in links:
        out.append(f"    {link(i)}: {{position: {n(com[i])}, orientation: {{quaternion: {n(q[i])}}}}}")
    return "\n".join(out) + "\n"


def model(family, digits, form, seed):
    rng = random.Random(f"{family} {seed}")
    m = place(rng, FAMILIES[family](rng))
    return m, text_of(rng, m, digits, form == "local", f"{family}-{seed}")


# ------------------------------------------------------------------ runs

def run(cleave, text, time, more):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", delete=False) as f:
        f.write(text)
    try:
        done = subprocess.run([cleave, "run", f.name, "--time", str(time), "--json"] + more, capture_output=True,
                              text=True, timeout=300)
        result = json.loads(done.stdout) if done.stdout.startswith("{") else {}
    except subprocess.TimeoutExpired:
        result = {"error": {"message": "ran for 300 s"}}
    finally:
        os.unlink(f.name)
    return result


def judge(m, r):
    error = (r.get("error") or {}).get("message")
    if error:
        begun = r.get("steps", 0) > 0
        named = "joint" in error
        return ("ended", error) if begun or not named else ("refused", error)
    if not r:
        return "ended", "no answer"
    if r["mobility_found"] != m.free:
        return "mobility", f"{r['mobility_found']} for {m.free}"
    if number(r.get("max_energy_drift")) > (1e-5 + 100 * number(r.get("max_contradiction"))) * weight(r):
        return "energy", "is lost or gained"
    return "ran", ""


def weight(r):
    """J: of the links falling by a metre"""
    return 9.81 * 1.25 * r.get("bodies", 1)


def number(x): return x if isinstance(x, (int, float)) else 0.0


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("cleave")
    p.add_argument("--count", type=int, default=33, help="mechanisms")
    p.add_argument("--time", type=float, default=10, help="simulated seconds of each")
    p.add_argument("--only", help="FAMILY:DIGITS:FORM:SEED")
    p.add_argument("--keep", help="write the model of --only here")
    p.add_argument("--verbose", action="store_true")
    p.add_argument("more", nargs="*", help="options of cleave run, after --")
    o = p.parse_args()
    cases = []
    for i in range(o.count):
        names = list(FAMILIES)
        cases.append((names[i % len(names)], (4, 6, 9)[i // len(names) % 3],
                      ("global", "local")[i // (3 * len(names)) % 2], i))
    if o.only:
        family, digits, form, seed = o.only.split(":")
        cases = [(family, int(digits), form, int(seed))]
    table, bad = {}, 0
    for family, digits, form, seed in cases:
        m, text = model(family, digits, form, seed)
        if o.keep and o.only:
            open(o.keep, "w").write(text)
        r = run(o.cleave, text, o.time, o.more)
        what, why = judge(m, r)
        row = table.setdefault(digits, {"ran": 0, "refused": 0, "mobility": 0, "energy": 0, "ended": 0, "drift": 0, "open": 0})
        row[what] += 1
        moves = weight(r)
        if what == "ran":
            row["drift"] = max(row["drift"], number(r.get("max_energy_drift")) / moves)
            row["open"] = max(row["open"], number(r.get("max_contradiction")))
        if what in ("ended", "mobility", "energy") or o.verbose or o.only:
            print(f"{family}:{digits}:{form}:{seed} {what} {why} contradiction {number(r.get('contradiction')):.2g} "
                  f"{number(r.get('max_contradiction')):.2g} drift {number(r.get('max_energy_drift')):.2g} J of "
                  f"{moves:.3g} steps {r.get('steps')}", flush=True)
        bad += what in ("ended", "mobility", "energy")
    print("digits   ran  refused  lost mobility  lost energy  ended   worst drift/energy  worst contradiction")
    for digits, row in sorted(table.items()):
        print(f"{digits:6} {row['ran']:5} {row['refused']:8} {row['mobility']:14} {row['energy']:12} {row['ended']:6}   "
              f"{row['drift']:18.1e}  {row['open']:19.1e}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
