#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Units of `cleave fmu` in fmpy: its validator finds nothing, and simulated columns are those of `cleave run`.

Use: test_fmpy.py PROGRAM [unittest options].  Exit code 77 without fmpy and NumPy (pip install fmpy numpy)."""
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

try:
    import fmpy
    import fmpy.fmi2
    import fmpy.fmi3
    import fmpy.validation
    import numpy as np
except ImportError as absent:
    print(f"test_fmpy.py: skipped, there is no {absent.name} (pip install fmpy numpy)")
    sys.exit(77)

PROGRAM = "cleave"

PENDULUM = """cleave: 1
name: pendulum
time: 5
parameters:
  l: 400 mm
  half: l/2
  m: {value: 2, unit: kg, range: [0.1, 10]}
bodies:
  rod: {mass: m, com: [half, 0, 0], inertia: [1 g m^2, m*l^2/12, m*l^2/12]}
joints:
  a: {kind: revolute, a: {body: ground, orientation: {x: [0, 0, -1], z: [0, 1, 0]}}, b: {body: rod, orientation: {x: [1, 0, 0], z: [0, 1, 0]}}}
inputs: {torque: {joint: a, limit: 20, value: 0.3}}
markers: {tip: {body: rod, position: [l, 0, 0]}}
start: {joints: {a: {q: 0.5}}}
"""
ARM = """cleave: 1
name: arm
bodies: {{boom: {{flexible: {{file: {}, spin_limit: 0}}}}}}
joints: {{a: {{kind: revolute, a: {{body: ground}}, b: {{body: boom}}}}}}
start: {{joints: {{a: {{u: 1}}}}, modes: {{boom: {{q: [0.01]}}}}}}
"""
TABLES = """cleave: 1
bodies: {b: {mass: 1, inertia: [1, 1, 1]}, c: {mass: 1, com: [1, 0, 0], inertia: [1, 1, 1]}}
joints:
  a: {kind: revolute, a: {body: ground}, b: {body: b}}
  d: {kind: revolute, a: {body: b}, b: {body: c}}
motions: {m: {joint: a, profile: linear, table: [[0, 0], [0.33, 0.2], [0.63, -0.1], [2, 0.5]]}}
forces: {f: {kind: joint-load, joint: d, drive: [[0, 0], [0.37, 2], [0.52, 1], [2, 0]], damping: 0.1}}
"""
MODES = """flex: 1
mass: 1
com: [1, 0, 0]
inertia: [0, 0.34, 0.34, 0, 0, 0]
modal_mass: [1]
stiffness: [60]
momentum: [[0, 0.8, 0]]
moments: [[0, 1.1, 0, 0, 0, 0, 0, 0, 0]]
products: [[0, 0, 0, 0, 1, 0, 0, 0, 0]]
nodes: {tip: {position: [2, 0, 0], shapes: [[0, 2, 0, 0, 0, 1.4]]}}
"""
LATCH = """cleave: 1
name: latch <&> "x"
bodies: {b: {mass: 1, inertia: [1, 1, 1]}, c: {mass: 1, com: [1, 0, 0], inertia: [1, 1, 1]}}
joints:
  a: {kind: revolute, a: {body: ground}, b: {body: b}}
  d: {kind: revolute, a: {body: b}, b: {body: c}}
events: {latch: {at: 0.45, lock: d}}
start: {joints: {a: {u: 1}, d: {u: 2}}}
"""
RATCHET = """cleave: 1
name: ratchet
gravity: [0, -9.81, 0]
bodies: {block: {mass: 1, inertia: [1, 1, 1]}, arm: {mass: 0.5, com: [0.3, 0, 0], inertia: [0.01, 0.02, 0.02]}}
joints:
  s: {kind: prismatic, between: [ground, block], at: [0, 0, 0], axis: [0, -1, 0]}
  a: {kind: revolute, between: [block, arm], at: [0, 0, 0], axis: [0, 0, 1]}
events:
  catch: {when: {rate: s, above: 1}, lock: s, again: true}
  free: {when: {rate: s, below: 0.5}, release: catch, again: true}
start: {joints: {a: {u: 0.5}}}
"""
FIVE_BAR = """cleave: 1
gravity: [0, -9.81, 0]
bodies:
  a: {mass: 1, com: [0, 0.5, 0], inertia: [0.08, 0.01, 0.08]}
  b: {mass: 2, com: [0.6, 0.3, 0], inertia: [0.05, 0.7, 0.71]}
  c: {mass: 1.5, com: [0.4, -0.4, 0], inertia: [0.1, 0.1, 0.2]}
  d: {mass: 1, com: [0, -0.5, 0], inertia: [0.19, 0.01, 0.19]}
joints:
  j1: {kind: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}
  j2: {kind: revolute, between: [a, b], at: [0, 1, 0], axis: [0, 0, 1]}
  j3: {kind: revolute, between: [b, c], at: [1.2, 1.6, 0], axis: [0, 0, 1]}
  j4: {kind: revolute, between: [c, d], at: [2, 0.9, 0], axis: [0, 0, 1]}
  j5: {kind: revolute, between: [d, ground], at: [2, 0, 0], axis: [0, 0, 1]}
start: {bodies: {b: {position: [0, 1, 0]}, c: {position: [1.2, 1.6, 0]}, d: {position: [2, 0.9, 0]}}}
events:
  stop: {when: {joint: j1, above: 0.1}, lock: j3}
  go: {at: 0.51, release: stop}
"""


class Units(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "pendulum.yaml").write_text(PENDULUM)
        (self.folder / "latch.yaml").write_text(LATCH)
        (self.folder / "tables.yaml").write_text(TABLES)

    def cleave(self, *words, code=0):
        done = subprocess.run([PROGRAM, *map(str, words)], cwd=self.folder, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def unit(self, model, version, *words):
        self.cleave("fmu", model, "--version", version, "--out", "unit.fmu", "--force", *words)
        path = str(self.folder / "unit.fmu")
        self.assertEqual(fmpy.validation.validate_fmu(path), [])
        return path

    def run_alone(self, model, time, every, *words):
        self.cleave("run", model, "--time", time, "--every", every, "--out", "alone.csv", "--force", *words)
        with open(self.folder / "alone.csv", newline="") as file:
            rows = list(csv.reader(file))
        return {name.split(" [")[0]: column
                for name, column in zip(rows[0], np.array(rows[1:], dtype=float).T)}

    def compare(self, model, time, every, words=(), values=None, run_words=(), tolerance=1e-9, **simulation):
        own = self.run_alone(model, time, every, *words, *run_words)
        for version in (2, 3):
            path = self.unit(model, version, *words)
            found = fmpy.simulate_fmu(path, stop_time=time, output_interval=every, start_values=values or {},
                                      relative_tolerance=1e-6, fmi_type="CoSimulation", **simulation)
            self.assertEqual(len(found["time"]), len(own["time"]))
            names = [name for name in found.dtype.names if name in own and name != "time"]
            self.assertGreater(len(names), 10)
            for name in names:
                size = max(1.0, np.abs(own[name]).max())
                self.assertLess(np.abs(found[name] - own[name]).max() / size, tolerance, f"FMI {version}: {name}")

    # Co-simulation has the integrator of `run`: the same numbers, to the rounding of times.

    def test_pendulum(self):
        self.compare("pendulum.yaml", 5, 0.05)
        self.compare("pendulum.yaml", 5, 0.05, values={"torque": -0.7, "m": 3.5, "l": 600},
                     run_words=("--input", "torque=-0.7", "m=3.5", "l=600"))

    def test_five_bar(self):
        self.compare("five-bar", 2, 0.02)

    def test_tree_robot(self):
        self.compare("tree-robot", 1, 0.02)

    def test_events(self):
        self.compare("latch.yaml", 1, 0.1)

    # Model exchange: CVode at 1e-12 against our own run at 1e-13.  Positions agree to 1e-9 of their size, velocities
    # and energies to 5e-9: that is the error of CVode.  Accelerations and efforts have bounds of their own.

    def exchange(self, model, time, every, bound, *words, least=5e-9):
        own = self.run_alone(model, time, every, "--rtol", "1e-13", *words)
        for version in (2, 3):
            path = self.unit(model, version, *words)
            found = fmpy.simulate_fmu(path, fmi_type="ModelExchange", stop_time=time, output_interval=every,
                                      solver="CVode", relative_tolerance=1e-12, record_events=False)
            self.assertEqual(len(found["time"]), len(own["time"]))
            for column in own:
                if column not in found.dtype.names or column == "time":
                    continue
                error = np.abs(found[column] - own[column]).max() / max(1.0, np.abs(own[column]).max())
                direct = "acceleration" in column or "effort" in column
                position = "position" in column or column.endswith(".q")
                self.assertLess(error, bound if direct else 1e-9 if position else least, f"FMI {version}: {column}")

    def test_exchange_pendulum(self):
        self.exchange("pendulum.yaml", 5, 0.05, 1e-8)

    def test_exchange_five_bar(self):
        self.exchange("five-bar", 1.6, 0.02, 1e-8)
        self.exchange("five-bar", 2, 0.02, 2e-7, least=1e-7)  # it passes a singular position at 1.82 s

    def test_exchange_loader(self):
        self.exchange("loader", 1, 0.02, 1e-8)

    def test_exchange_tree_robot(self):
        self.exchange("tree-robot", 1, 0.02, 1e-8)

    # Rates of a motion that jump, rows of a table: events at known times.

    def test_exchange_tables(self):
        self.exchange("tables.yaml", 1, 0.05, 1e-8)

    # Events of the model: CVode finds the times of conditions by event indicators.

    def test_exchange_events(self):
        self.exchange("latch.yaml", 1, 0.1, 1e-8)
        for name, text, time in (("ratchet", RATCHET, 0.72), ("bars", FIVE_BAR, 0.68)):
            (self.folder / f"{name}.yaml").write_text(text)
            self.exchange(f"{name}.yaml", time, 0.04, 1e-8)
        self.exchange("capture", 4, 0.1, 1e-8)

    # Other formulations and files beside the model.

    def test_directional_derivatives(self):
        """By both versions in fmpy: J q'' = torque - m g l/2 sin(q) of the pendulum, at q = 0.5."""
        l, m = 0.4, 2
        J = m * l * l / 12 + m * l * l / 4
        for version in (2, 3):
            path = self.unit("pendulum.yaml", version, "--formulation", "dca", "--outputs", "a.udot")
            about = fmpy.read_model_description(path)
            with zipfile.ZipFile(path) as archive:
                self.assertIn(b'providesDirectionalDerivative' + (b's' if version == 3 else b'') + b'="true"',
                              archive.read("modelDescription.xml"))
            number = {v.name: v.valueReference for v in about.modelVariables}
            folder = fmpy.extract(path)
            kind = fmpy.fmi2.FMU2Model if version == 2 else fmpy.fmi3.FMU3Model
            unit = kind(guid=about.guid, unzipDirectory=folder, instanceName="one",
                        modelIdentifier=about.modelExchange.modelIdentifier)
            unit.instantiate()
            if version == 2:
                unit.setupExperiment(startTime=0)
            unit.enterInitializationMode()
            unit.exitInitializationMode()
            unknown, known = [number["der(state.a.u)"], number["a.udot"]], [number["state.a.q"], number["torque"]]
            for seed in ((1.0, 0.0), (0.0, 1.0)):
                found = unit.getDirectionalDerivative(unknown, known, list(seed))
                exact = (-m * 9.81 * l / 2 * np.cos(0.5) * seed[0] + seed[1]) / J
                np.testing.assert_allclose(found, [exact, exact], rtol=1e-9)
            unit.terminate()
            unit.freeInstance()
            shutil.rmtree(folder)

    def test_options(self):
        self.compare("five-bar", 1, 0.02, words=("--formulation", "index3", "--step", "0.001"))
        self.compare("five-bar", 1, 0.02, words=("--formulation", "dca", "--integrator", "adams"))

    def test_mode_file(self):
        (self.folder / "deep").mkdir()
        (self.folder / "deep" / "arm.modes").write_text(MODES)
        (self.folder / "arm.yaml").write_text(ARM.format("deep/arm.modes"))
        self.compare("arm.yaml", 1, 0.02)
        with zipfile.ZipFile(self.folder / "unit.fmu") as packed:
            self.assertIn("resources/deep/arm.modes", packed.namelist())
        (self.folder / "beside").mkdir()
        (self.folder / "beside" / "arm.yaml").write_text(ARM.format("../deep/arm.modes"))
        self.compare("beside/arm.yaml", 1, 0.02)  # not below the model: written out
        with zipfile.ZipFile(self.folder / "unit.fmu") as packed:
            self.assertEqual(len([name for name in packed.namelist() if name.startswith("resources/")]), 2)

    # A state saved, restored, carried as bytes into another instance: the same bits.

    def test_restart(self):
        for version in (2, 3):
            path = self.unit("five-bar", version)
            description = fmpy.read_model_description(path)
            self.assertTrue(description.coSimulation.canGetAndSetFMUstate)
            folder = fmpy.extract(path)
            self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
            kind = fmpy.fmi2.FMU2Slave if version == 2 else fmpy.fmi3.FMU3Slave
            output = [v.valueReference for v in description.modelVariables if v.causality == "output"]

            def start(name):
                unit = kind(guid=description.guid, unzipDirectory=folder, instanceName=name,
                            modelIdentifier=description.coSimulation.modelIdentifier)
                unit.instantiate()
                if version == 2:
                    unit.setupExperiment(startTime=0)
                    unit.enterInitializationMode()
                else:
                    unit.enterInitializationMode(startTime=0)
                unit.exitInitializationMode()
                return unit

            def values(unit):
                return np.array(unit.getReal(output) if version == 2 else unit.getFloat64(output))

            def steps(unit, first, last):
                for i in range(first, last):
                    unit.doStep(currentCommunicationPoint=i * 0.1, communicationStepSize=0.1)
                return values(unit)

            unit, other = start("one"), start("two")
            steps(unit, 0, 5)
            state = unit.getFMUstate() if version == 2 else unit.getFMUState()
            size = (unit.serializeFMUstate if version == 2 else unit.serializeFMUState)(state)
            expected = steps(unit, 5, 12)
            (unit.setFMUstate if version == 2 else unit.setFMUState)(state)
            np.testing.assert_array_equal(steps(unit, 5, 12), expected)
            carried = (other.deSerializeFMUstate if version == 2 else other.deserializeFMUState)(size)
            (other.setFMUstate if version == 2 else other.setFMUState)(carried)
            np.testing.assert_array_equal(steps(other, 5, 12), expected)
            for one in (unit, other):
                one.terminate()
                one.freeInstance()

    # A body and a marker of one name, an input and a parameter of one name: variables differ all the same.

    def test_names(self):
        (self.folder / "names.yaml").write_text(PENDULUM.replace("tip:", "rod:").replace("  m: {", "  torque: 1\n  m: {"))
        description = fmpy.read_model_description(self.unit("names.yaml", 3))
        names = [v.name for v in description.modelVariables]
        for name in ("rod.position.x", "markers.rod.position.x", "torque", "parameters.torque"):
            self.assertEqual(names.count(name), 1)
        for example in ("mmsev-rigid", "satellite", "jsc-18"):
            self.unit(example, 2)
            self.unit(example, 3)

    # The controller of docs/fmi.md, as it stands there.

    def test_page(self):
        page = (Path(__file__).resolve().parent.parent.parent / "docs" / "fmi.md").read_text()
        model, program = (re.search(f"```{kind}\n(.*?)```", page, flags=re.S)[1] for kind in ("yaml", "python"))
        (self.folder / "arm.yaml").write_text(model)
        self.cleave("fmu", "arm.yaml", "--out", "arm.fmu", "--outputs", "a.q,a.u")
        done = subprocess.run([sys.executable, "-c", program], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        angle, same = done.stdout.split()
        self.assertLess(abs(float(angle) - 1), 1e-3)
        self.assertEqual(same, "True")

    def test_mistakes(self):
        (self.folder / "link.fmu").symlink_to("pendulum.yaml")
        self.assertIn("link.fmu", self.cleave("fmu", "pendulum.yaml", "--out", "link.fmu", "--force",
                                               code=1).stderr)
        self.assertIn("no column", self.cleave("fmu", "pendulum.yaml", "--outputs", "tap.position", code=1).stderr)
        self.assertIn("--kind", self.cleave("fmu", "pendulum.yaml", "--kind", "rocket", code=1).stderr)
        self.cleave("fmu", "pendulum.yaml", "--version", "1", code=1)
        self.cleave("fmu", "pendulum.yaml")
        self.assertIn("pendulum.fmu", self.cleave("fmu", "pendulum.yaml", code=1).stderr)
        moved = self.folder / "moved"
        shutil.copy(PROGRAM, moved)
        done = subprocess.run([moved, "fmu", "pendulum.yaml", "--force"], cwd=self.folder, capture_output=True,
                              text=True, timeout=60)
        self.assertEqual(done.returncode, 4)
        self.assertIn("cleave_fmu.so", done.stderr)
        with self.assertRaises(Exception):
            fmpy.simulate_fmu(str(self.folder / "pendulum.fmu"), start_values={"m": 50}, stop_time=1,
                              logger=lambda *words: None)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
