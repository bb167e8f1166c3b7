#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cleave export as glTF and HDF5: poses, shapes and columns are those of the run; what cannot be written is refused.
HDF5 files are read by h5py or, where there is none, by h5dump (Debian: hdf5-tools).

Use: test_export.py PROGRAM [unittest options]"""
import csv
import json
import math
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import h5py
except ImportError:
    h5py = None

PROGRAM = "cleave"

SHAPES = """cleave: 1
name: shapes
gravity: [0, 0, -9.81]
bodies:
  box: {mass: 1, inertia: from shape, shape: {box: [1, 2, 3], colour: [1, 0.5, 0]}}
  pill: {mass: 1, inertia: from shape, shape: {capsule: [0.2, 1.5], at: [0, 0, 0]}}
joints:
  a: {kind: revolute, between: [ground, box], at: [1, 0, 0], axis: [0, 1, 0]}
  b: {kind: revolute, between: [box, pill], at: [2, 0, 0], axis: [0, 1, 0]}
"""


class Glb:
    """A .glb file as glTF 2.0 defines it."""

    def __init__(self, data):
        magic, version, length = struct.unpack_from("<4sII", data)
        size, kind = struct.unpack_from("<I4s", data, 12)
        assert (magic, version, length, kind) == (b"glTF", 2, len(data), b"JSON")
        self.json = json.loads(data[20:20 + size])
        nbinary, kind = struct.unpack_from("<I4s", data, 20 + size)
        assert kind == b"BIN\0" and nbinary == self.json["buffers"][0]["byteLength"] == len(data) - 28 - size
        self.binary = data[28 + size:]
        self.nodes = self.json["nodes"]

    def numbers(self, accessor):
        a = self.json["accessors"][accessor]
        view = self.json["bufferViews"][a["bufferView"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[a["type"]]
        kind = {5126: "f", 5123: "H"}[a["componentType"]]
        flat = struct.unpack_from(f"<{a['count'] * width}{kind}", self.binary, view["byteOffset"])
        return [flat[i:i + width] for i in range(0, len(flat), width)]

    def motion(self):
        """Times, and of every body: translations and rotations (x y z w)."""
        (animation,) = self.json["animations"]
        found = {}
        for channel in animation["channels"]:
            sampler = animation["samplers"][channel["sampler"]]
            times = [t for (t,) in self.numbers(sampler["input"])]
            name = self.nodes[channel["target"]["node"]]["name"]
            found.setdefault(name, {})[channel["target"]["path"]] = self.numbers(sampler["output"])
        return times, found


class Case(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def cleave(self, *words, code=0):
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=120, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done.stdout + done.stderr

    def table(self, run):
        self.cleave("export", run, "all.csv", "--force")
        heading, *rows = csv.reader((self.folder / "all.csv").read_text(encoding="utf-8").splitlines())
        names = [name.split(" [")[0] for name in heading]
        return [dict(zip(names, (float(x or "nan") for x in row), strict=True)) for row in rows]


class Export(Case):
    def glb(self, model, *words):
        self.cleave("run", model, *words, "--out", "a.cleave", "--force")
        self.cleave("export", "a.cleave", "a.glb", "--force")
        return Glb((self.folder / "a.glb").read_bytes()), self.table("a.cleave")

    def test_poses_are_those_of_the_run(self):
        for model in ("loader", "tree-robot", "flex-arm", "satellite", "mmsev-rigid"):
            with self.subTest(model):
                glb, rows = self.glb(model, "--time", "2", "--every", "0.05")
                times, motion = glb.motion()
                self.assertEqual(len(times), len(rows))
                bodies = {name.rsplit(".", 2)[0] for name in rows[0] if name.endswith(".quaternion.w")}
                self.assertEqual(set(motion), bodies)
                for k, row in enumerate(rows):
                    self.assertAlmostEqual(times[k], row["time"], delta=1e-6)
                    for name, path in motion.items():
                        for axis, x in zip("xyz", path["translation"][k], strict=True):
                            y = row[f"{name}.position.{axis}"]
                            self.assertLess(abs(x - y), 1e-5 * max(1, abs(y)), name)
                        e, q = path["rotation"][k], [row[f"{name}.quaternion.{x}"] for x in "xyzw"]
                        sign = math.copysign(1, sum(x * y for x, y in zip(e, q, strict=True)))
                        self.assertLess(max(abs(x - sign * y) for x, y in zip(e, q, strict=True)), 1e-5)
                        if k > 0:
                            before = path["rotation"][k - 1]
                            self.assertGreater(sum(x * y for x, y in zip(e, before, strict=True)), 0)

    def test_nodes_stand_at_the_start_and_have_parts(self):
        glb, rows = self.glb("loader", "--time", "0.1")
        root = glb.nodes[glb.json["scenes"][0]["nodes"][0]]
        self.assertEqual((root["name"], len(root["children"])), ("loader", 8))
        for i in root["children"]:
            node = glb.nodes[i]
            for axis, x in zip("xyz", node["translation"], strict=True):
                self.assertAlmostEqual(x, rows[0][f"{node['name']}.position.{axis}"], delta=1e-5)
            self.assertGreater(len(node["children"]), 0)

    def test_up_is_against_gravity(self):
        (self.folder / "s.yaml").write_text(SHAPES, encoding="utf-8")
        glb, _ = self.glb("s.yaml", "--time", "0.1")
        x, y, z, w = glb.nodes[0]["rotation"]
        up = (2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y))  # z of the model, in the scene
        for a, b in zip(up, (0, 1, 0), strict=True):
            self.assertAlmostEqual(a, b, delta=1e-12)

    def test_shapes_have_their_sizes_and_colours(self):
        (self.folder / "s.yaml").write_text(SHAPES, encoding="utf-8")
        glb, _ = self.glb("s.yaml", "--time", "0.1")
        parts = {n["name"]: [glb.nodes[k] for k in n["children"]] for n in glb.nodes[1:3]}
        (box,) = parts["box"]
        self.assertEqual(box["scale"], [1, 2, 3])
        primitive = glb.json["meshes"][box["mesh"]]["primitives"][0]
        red, green, blue, _ = glb.json["materials"][primitive["material"]]["pbrMetallicRoughness"]["baseColorFactor"]
        self.assertEqual((red, blue), (1, 0))
        self.assertAlmostEqual(green, ((0.5 + 0.055) / 1.055) ** 2.4, delta=1e-12)
        corners = glb.numbers(primitive["attributes"]["POSITION"])
        self.assertEqual({tuple(abs(x) for x in p) for p in corners}, {(0.5, 0.5, 0.5)})
        rod, low, high = parts["pill"]
        self.assertEqual((rod["scale"], low["scale"], high["scale"]), ([0.2, 0.2, 1.5], [0.2] * 3, [0.2] * 3))
        self.assertAlmostEqual(high["translation"][2] - low["translation"][2], 1.5, delta=1e-12)
        for mesh in glb.json["meshes"]:  # faces look outwards
            p = mesh["primitives"][0]
            at, n = glb.numbers(p["attributes"]["POSITION"]), glb.numbers(p["attributes"]["NORMAL"])
            index = [i for (i,) in glb.numbers(p["indices"])]
            for i in range(0, len(index), 3):
                a, b, c = (at[k] for k in index[i:i + 3])
                u, v = [y - x for x, y in zip(a, b, strict=True)], [y - x for x, y in zip(a, c, strict=True)]
                cross = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
                self.assertGreaterEqual(sum(x * y for x, y in zip(cross, n[index[i + 1]], strict=True)), -1e-7)

    def test_hulls_and_bores_have_their_surfaces(self):
        (self.folder / "s.yaml").write_text(SURFACES, encoding="utf-8")
        glb, _ = self.glb("s.yaml", "--time", "0.1")
        for node in glb.nodes[1:4]:
            (part,) = [glb.nodes[k] for k in node["children"]]
            primitive = glb.json["meshes"][part["mesh"]]["primitives"][0]
            if node["name"] == "ball":
                self.assertIn("indices", primitive)
                continue
            self.assertEqual(part["scale"], [1, 1, 1])
            self.assertNotIn("indices", primitive)
            at, n = glb.numbers(primitive["attributes"]["POSITION"]), glb.numbers(primitive["attributes"]["NORMAL"])
            self.assertAlmostEqual(volume(at) / VOLUME[node["name"]], 1, delta=2e-3)
            low = [part["translation"][k] + min(p[k] for p in at) for k in range(3)]  # from the centre of mass
            for a, b in zip(low, LOW[node["name"]], strict=True):
                self.assertAlmostEqual(a, b, delta=1e-6)
            for a, b, c, m in zip(at[::3], at[1::3], at[2::3], n[::3], strict=True):  # flat, and outwards
                self.assertGreater(sum(x * y for x, y in zip(cross(a, b, c), m, strict=True)), 0)
            red = glb.json["materials"][primitive["material"]]["pbrMetallicRoughness"]["baseColorFactor"][0]
            self.assertEqual(red == 1, node["name"] == "bush")

    def test_what_cannot_be_written_is_refused(self):
        self.cleave("run", "pendulum", "--time", "1", "--out", "a.cleave")
        self.assertIn(".csv, .npz, .h5, .glb or .usda", self.cleave("export", "a.cleave", "a.gltf", code=1))
        self.assertIn("--columns is for tables", self.cleave("export", "a.cleave", "a.glb", "--columns", "P", code=1))
        self.assertIn("--damaged is for tables", self.cleave("export", "a.cleave", "a.glb", "--damaged", code=1))
        self.assertIn("a.glb: 101 frames of 1 bodies", self.cleave("export", "a.cleave", "a.glb"))
        self.assertIn("exists", self.cleave("export", "a.cleave", "a.glb", code=1))
        self.assertIn("none.cleave", self.cleave("export", "none.cleave", "b.glb", code=2))
        self.cleave("run", "pendulum", "--time", "1", "--out", "e.cleave", "--columns", "energy.kinetic")
        self.assertIn("no poses", self.cleave("export", "e.cleave", "e.glb", code=1))
        self.assertFalse((self.folder / "e.glb").exists())


HOSTILE = r"""cleave: 1
name: 'a "b" \ (c)'
gravity: [0, -9.81, 0]
bodies:
  'x"y)': {mass: 1, com: [0, 0, 1], inertia: [1, 1, 1]}
  9: {mass: 1, inertia: from shape, shape: {capsule: [0.1, 1], colour: [1, 0, 0]}}
visuals:
  skin: {body: 'x"y)', mesh: t.obj, scale: [1, 2, 3], at: [0, 0, 0.5]}
  plate: {body: ground, box: [4, 4, 1]}
"""


SURFACES = """cleave: 1
bodies:
  wedge: {mass: 1, inertia: from shape, shape: {points: [[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]]}}
  ball: {mass: 1, inertia: from shape, shape: {sphere: 1}}
  bush: {mass: 1, inertia: from shape, shape: {bore: [0.5, 0.8, 2], closed: lower, colour: [1, 0, 0]}}
"""
VOLUME = {"wedge": 1, "bush": math.pi * (0.8**2 * 2.3 - 0.5**2 * 2)}
LOW = {"wedge": (-0.25, -0.5, -0.75), "bush": (-0.8, -0.8, -1.3 + math.pi * 0.8**2 * 2.3 * 0.15 / VOLUME["bush"])}


def cross(a, b, c):
    u, v = [y - x for x, y in zip(a, b, strict=True)], [y - x for x, y in zip(a, c, strict=True)]
    return u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]


def volume(at):
    """Inside triangles whose corners follow each other."""
    return sum(sum(x * y for x, y in zip(a, cross((0, 0, 0), b, c), strict=True))
               for a, b, c in zip(at[::3], at[1::3], at[2::3], strict=True)) / 6


class Usd(Case):
    """The text by the patterns it is made of; by Pixar's reader, too, where it is installed (pip install usd-core)."""

    def usd(self, model, *words):
        self.cleave("run", model, *words, "--out", "a.cleave", "--force")
        self.cleave("export", "a.cleave", "a.usda", "--force")
        return (self.folder / "a.usda").read_text(encoding="utf-8"), self.table("a.cleave")

    def test_poses_are_those_of_the_run(self):
        text, rows = self.usd("tree-robot", "--time", "1", "--every", "0.1")
        bodies = re.split(r"\n    def Xform ", text)[2:]
        names = [name.rsplit(".", 2)[0] for name in rows[0] if name.endswith(".quaternion.w")]
        self.assertEqual([re.search(r'displayName = "(.*)"\)', b)[1] for b in bodies], names)
        for name, body in zip(names, bodies, strict=True):
            for what, parts in ("translate", [f"position.{x}" for x in "xyz"]), ("orient", [f"quaternion.{x}" for x in "wxyz"]):
                block = re.search(rf"xformOp:{what}.timeSamples = {{(.*?)}}", body, re.S)[1]
                samples = [(float(t), [float(x) for x in v.split(",")]) for t, v in re.findall(r"([-\d.e+]+): \((.*?)\)", block)]
                self.assertEqual(len(samples), len(rows))
                for (code, found), row in zip(samples, rows, strict=True):
                    self.assertAlmostEqual(code, 24 * row["time"], delta=1e-5)
                    wanted = [row[f"{name}.{part}"] for part in parts]
                    sign = 1 if what == "translate" or sum(a * b for a, b in zip(found, wanted, strict=True)) > 0 else -1
                    self.assertLess(max(abs(a - sign * b) for a, b in zip(found, wanted, strict=True)), 1e-5)

    def test_hulls_and_bores_have_their_surfaces(self):
        (self.folder / "s.yaml").write_text(SURFACES, encoding="utf-8")
        text, _ = self.usd("s.yaml", "--time", "0.1")
        found = {}
        for body in re.split(r"\n    def Xform ", text)[2:]:
            name = re.search(r'displayName = "(.*)"\)', body)[1]
            points = re.search(r"point3f\[\] points = \[(.*?)\]\n", body)
            if points:
                at = [tuple(float(x) for x in p.split(",")) for p in re.findall(r"\((.*?)\)", points[1])]
                index = re.search(r"faceVertexIndices = \[(.*?)\]", body)[1].split(", ")
                self.assertEqual([int(x) for x in index], list(range(len(at))))
                found[name] = volume(at)
        self.assertEqual(set(found), set(VOLUME))
        for name, x in found.items():
            self.assertAlmostEqual(x / VOLUME[name], 1, delta=2e-3)

    def test_meshes_and_hostile_names(self):
        (self.folder / "t.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
        (self.folder / "h.yaml").write_text(HOSTILE, encoding="utf-8")
        text, _ = self.usd("h.yaml", "--time", "0.1")
        self.assertIn(r'displayName = "x\"y)"', text)
        self.assertIn(r'displayName = "a \"b\" \\ (c)"', text)
        self.assertEqual(text.count("def Mesh"), 1)
        self.assertEqual(text.count("class Mesh"), 1)
        self.assertIn("int[] faceVertexCounts = [3, 3, 3, 3]", text)
        try:
            from pxr import Usd as Reader, UsdGeom
        except ImportError:
            return
        stage = Reader.Stage.Open(str(self.folder / "a.usda"))
        self.assertEqual(UsdGeom.GetStageMetersPerUnit(stage), 1)
        mesh = next(p for p in stage.Traverse() if p.GetTypeName() == "Mesh")
        place = UsdGeom.Xformable(mesh).ComputeLocalToWorldTransform(0)
        # point (0, 0, 1) of the mesh is at z = 0.5 + 3 of the body, and y of the model, against gravity, is z here
        at = place.Transform((0.0, 0.0, 1.0))
        for found, wanted in zip(at, (0, -3.5, 0), strict=True):
            self.assertAlmostEqual(found, wanted, delta=1e-4)


class Hdf5(Case):
    """Reads by h5py or h5dump; both return plain numbers row by row, shape and attributes."""

    def setUp(self):
        super().setUp()
        if h5py is None and not shutil.which("h5dump"):
            self.skipTest("there is neither h5py nor h5dump (Debian: hdf5-tools)")

    def tables(self, name):
        path = self.folder / name
        found = {}

        def texts(attributes):
            return {key: x.decode() for key, x in attributes.items()}

        if h5py is not None:
            with h5py.File(path) as file:
                def take(key, x):
                    if isinstance(x, h5py.Dataset):
                        found[f"/{key}"] = (x.shape, [float(v) for v in x[()].ravel()], texts(x.attrs))
                file.visititems(take)
                return found, texts(file.attrs)
        text = subprocess.run(["h5dump", "-y", "-w", "0", "-m", "%.17g", path], capture_output=True, text=True, check=True).stdout
        stack = []
        for line in text.splitlines():
            line = line.strip()
            if line.startswith("}"):
                stack.pop()
            elif line.endswith("{") or re.search(r"\{[^}]*$", line):
                stack.append(re.match(r'\w+ ?"?([^"{]*)"?', line)[1].strip() if re.match(r'(GROUP|DATASET|ATTRIBUTE) "', line) else "")
                if line.startswith("DATASET"):
                    here = "/" + "/".join(s for s in stack if s and s != "/")
                    found[here] = [(), [], {}]
            elif line.startswith("DATASPACE  SIMPLE") and len(found):
                shape = re.search(r"\{ \(([^)]*)\)", line)[1]
                found[here][0] = tuple(int(x) for x in shape.split(",") if x.strip())
            elif m := re.match(r'"(.*)"$', line):
                names = [s for s in stack if s and s != "/"]
                if found and "/" + "/".join(names[:-1]) == here:
                    found[here][2][names[-1]] = m[1]
            elif re.match(r"-?[\d(nai]", line) and len(found):
                found[here][1] += [float(x) for x in line.split(",") if x.strip()]
        return found, {"program": "", "source": re.search(r'"source" \{.*?"([^"]*)"\n', text, re.S)[1]}

    def test_every_column_is_a_table_with_its_unit(self):
        for model, words in (("loader", ["--reactions"]), ("flex-arm", []), ("jsc-18", [])):
            with self.subTest(model):
                self.cleave("run", model, *words, "--time", "1", "--every", "0.05", "--out", "a.cleave", "--force")
                self.cleave("export", "a.cleave", "a.h5", "--force")
                rows = self.table("a.cleave")
                heading = (self.folder / "all.csv").read_text(encoding="utf-8").splitlines()[0]
                units = {c.split(" [")[0]: c.split(" [")[1][:-1] if " [" in c else "" for c in next(csv.reader([heading]))}
                tables, root = self.tables("a.h5")
                self.assertEqual(root["source"], model)
                seen = set()
                for path, (shape, numbers, attributes) in tables.items():
                    _, *group, name = path.split("/")
                    column = ".".join([*group[1:], name])
                    axes = attributes["axes"].split() if len(shape) > 1 else [None]
                    self.assertEqual(shape, (len(rows), len(axes)) if len(shape) > 1 else (len(rows),))
                    names = [f"{column}.{axis}" if axis else column for axis in axes]
                    self.assertEqual(numbers, [row[n] for row in rows for n in names], path)
                    self.assertEqual([attributes["unit"]] * len(names), [units[n] for n in names], path)
                    self.assertIn(tuple(group[:1]), {(), ("bodies",), ("joints",), ("markers",), ("modes",)})
                    seen.update(names)
                self.assertEqual(seen, set(rows[0]))
                self.assertIn("/time", tables)
                self.assertTrue(any(p.startswith("/bodies/") and p.endswith("/position") for p in tables))

    def test_columns_and_names(self):
        (self.folder / "n.yaml").write_text(SHAPES.replace("box:", '"b \u00e9\u00fc x":', 1).replace("ground, box", 'ground, "b \u00e9\u00fc x"')
                                            .replace("[box", '["b \u00e9\u00fc x"').replace("shape: {\"b \u00e9\u00fc x\":", "shape: {box:"), encoding="utf-8")
        self.cleave("run", "n.yaml", "--time", "0.1", "--out", "a.cleave")
        self.cleave("export", "a.cleave", "a.h5", "--columns", "pill.position.y,b*.position")
        if h5py is None:
            self.skipTest("h5dump shows other characters than ASCII as bytes")
        tables, _ = self.tables("a.h5")
        self.assertEqual(set(tables), {"/time", "/bodies/pill/position.y", "/bodies/b \u00e9\u00fc x/position"})

    def test_many_bodies(self):
        self.cleave("run", "chain", "links=1500", "--formulation", "dca", "--integrator", "rk4", "--step", "0.01", "--time", "0.02", "--every", "0.01", "--out", "a.cleave")
        self.cleave("export", "a.cleave", "a.h5")
        tables, _ = self.tables("a.h5")
        self.assertEqual(sum(p.startswith("/bodies/") and p.endswith("/position") for p in tables), 1500)

    def test_slashes_are_refused(self):
        (self.folder / "n.yaml").write_text(SHAPES.replace("pill", '"a/b"'), encoding="utf-8")
        self.cleave("run", "n.yaml", "--time", "0.1", "--out", "a.cleave")
        self.assertIn("HDF5 allows no name as 'a/b.position'", self.cleave("export", "a.cleave", "a.h5", code=1))
        self.assertFalse((self.folder / "a.h5").exists())


if __name__ == "__main__":
    if len(sys.argv) > 1:
        PROGRAM = sys.argv.pop(1)
    unittest.main()
