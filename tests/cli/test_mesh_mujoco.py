#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Inertias of random meshes by `cleave import` against MuJoCo: mass, centre of mass and principal moments.

Use: test_mesh_mujoco.py PROGRAM.  Exit code 77 without MuJoCo, NumPy and PyYAML (pip install mujoco numpy pyyaml).
MuJoCo's iteration for principal axes stops early, so the axes are compared with a tolerance of their own."""
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import mujoco
    import numpy as np
    import yaml
except ImportError as absent:
    print(f"test_mesh_mujoco.py: skipped, there is no {absent.name} (pip install mujoco numpy pyyaml)")
    sys.exit(77)

PROGRAM = sys.argv[1]
MODEL = """<mujoco><asset><mesh name="m" file="{file}" inertia="{how}" scale="{scale}" refpos="{refpos}" refquat="{refquat}"/></asset>
<worldbody><body name="b"><freejoint/><geom type="mesh" mesh="m" density="{density}" pos="{pos}" quat="{quat}"/></body></worldbody></mujoco>"""


def lump(rng):
    """A star-shaped surface over a subdivided octahedron: corners, triangles, turned outwards."""
    points = [np.array(p, float) for p in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (-1, 0, 0), (0, -1, 0), (0, 0, -1))]
    faces = [(0, 1, 2), (1, 3, 2), (3, 4, 2), (4, 0, 2), (1, 0, 5), (3, 1, 5), (4, 3, 5), (0, 4, 5)]
    for _ in range(rng.integers(1, 4)):
        middle, fine = {}, []
        for a, b, c in faces:
            m = []
            for x, y in ((a, b), (b, c), (c, a)):
                key = (min(x, y), max(x, y))
                if key not in middle:
                    points.append((points[x] + points[y]) / np.linalg.norm(points[x] + points[y]))
                    middle[key] = len(points) - 1
                m.append(middle[key])
            fine += [(a, m[0], m[2]), (m[0], b, m[1]), (m[2], m[1], c), tuple(m)]
        faces = fine
    radius = rng.uniform(0.6, 1.2, len(points))
    return np.array(points) * radius[:, None] * rng.uniform(0.1, 0.4, 3) + rng.uniform(-0.3, 0.3, 3), faces


def write(path, points, faces):
    if path.suffix == ".obj":
        path.write_text("".join(f"v {x!r} {y!r} {z!r}\n" for x, y, z in points.tolist())
                        + "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in faces))
    else:
        path.write_bytes(bytes(80) + struct.pack("<I", len(faces)) + b"".join(
            struct.pack("<12fH", 0, 0, 0, *points[a], *points[b], *points[c], 0) for a, b, c in faces))


def numbers(values):
    return " ".join(repr(float(x)) for x in values)


def ours(path):
    done = subprocess.run([PROGRAM, "import", str(path)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    body = yaml.safe_load(done.stdout)["bodies"]["b"]
    J = [float(x) for x in body["inertia"]] + [0.0] * 3
    xx, yy, zz, xy, xz, yz = J[:6]
    return float(body["mass"]), np.array([float(x) for x in body["com"]]), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def theirs(path):
    m = mujoco.MjModel.from_xml_path(str(path))
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, m.body_iquat[1])
    R = R.reshape(3, 3)
    return m.body_mass[1], m.body_ipos[1], R @ np.diag(m.body_inertia[1]) @ R.T


def main():
    worst = {"mass": 0.0, "centre": 0.0, "moments": 0.0, "tensor": 0.0}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(30):
            rng = np.random.default_rng(seed)
            mesh = Path(folder) / ("m.obj" if seed % 2 else "m.stl")
            write(mesh, *lump(rng))
            path = Path(folder) / "model.xml"
            path.write_text(MODEL.format(file=mesh.name, how=("exact", "legacy", "convex")[seed // 2 % 3], density=rng.uniform(100, 5000),
                                         scale=numbers(rng.uniform(0.5, 2, 3)), refpos=numbers(rng.uniform(-1, 1, 3)),
                                         refquat=numbers(rng.normal(size=4)), pos=numbers(rng.uniform(-1, 1, 3)),
                                         quat=numbers(rng.normal(size=4))))
            (mass, com, J), (mass_m, com_m, J_m) = ours(path), theirs(path)
            size = np.linalg.norm(J_m)
            found = {"mass": abs(mass / mass_m - 1), "centre": np.linalg.norm(com - com_m),
                     "moments": np.abs(np.linalg.eigvalsh(J) - np.linalg.eigvalsh(J_m)).max() / size,
                     "tensor": np.linalg.norm(J - J_m) / size}
            worst = {key: max(value, found[key]) for key, value in worst.items()}
    print("30 random meshes, largest relative differences: " + ", ".join(f"{key} {value:.1e}" for key, value in worst.items()))
    return 0 if max(worst["mass"], worst["centre"], worst["moments"]) < 1e-10 and worst["tensor"] < 1e-6 else 1


sys.exit(main())
