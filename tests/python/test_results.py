# SPDX-License-Identifier: Apache-2.0
"""Runs, run files, tools: against the command line, bit for bit."""
import csv
import json
import os
import subprocess
import sys

import numpy as np
import pytest

import cleave


@pytest.mark.parametrize("name, words", [
    ("hdca-case1", {}), ("loader", {"formulation": "dca", "rtol": 1e-8}),
    ("four-bar-ladder", {"formulation": "index3", "step": 2e-3}), ("bricard", {"integrator": "bs23"}),
    ("satellite", {"columns": "system.*,energy.*"}), ("flex-arm", {"reactions": True}),
])
def test_same_bits_as_the_command_line(name, words, command, tmp_path):
    options = [f"--{key}" if value is True else f"--{key}={value}" for key, value in words.items()]
    out = tmp_path / "out.csv"
    command("run", name, "--time", "0.5", "--every", "0.02", "--out", str(out), *options)
    with open(out, newline="", encoding="utf-8") as source:
        rows = list(csv.reader(source))
    r = cleave.run(name, time=0.5, every=0.02, **words)
    expected = np.array([[float(x) if x else np.nan for x in row] for row in rows[1:]])
    assert expected.shape == r.frames.shape
    assert np.array_equal(expected, r.frames, equal_nan=True)


def test_too_many_steps_end_a_run():
    with pytest.raises(cleave.StepSizeError, match=r"more than 100 steps at t = .*joint '\w+' sets \d+ %") as caught:
        cleave.run("double-pendulum", time=10, rtol=1e-10, max_steps=100)
    frames = caught.value.results
    assert 0 < frames.time[-1] < 10 and frames.report["steps"] + frames.report["rejected_steps"] == 100
    whole = cleave.run("double-pendulum", time=1, rtol=1e-10)
    assert np.array_equal(cleave.run("double-pendulum", time=1, rtol=1e-10, max_steps=1e9).frames, whole.frames)
    s = cleave.Sim("double-pendulum", rtol=1e-10)
    s.set_max_steps(50)
    with pytest.raises(cleave.StepSizeError, match="more than 50 steps"):
        s.advance(10)
    assert s.time > 0 and s.report()["steps"] <= 50
    s.set_max_steps(float("inf"))
    s.advance(1)
    assert np.array_equal(s.position.ravel(), np.concatenate([whole[f"{b}.position"][-1] for b in s.model.bodies]))
    with pytest.raises(cleave.UsageError, match="at least 1"):
        s.set_max_steps(0)


def test_results_by_name(arm):
    r = cleave.run(arm, time=1, every=0.25)
    assert list(r.time) == [0, 0.25, 0.5, 0.75, 1] and r["upper.position"].shape == (5, 3)
    assert np.array_equal(r["upper.position.y"], r["upper.position"][:, 1])
    assert r.unit("upper.position.y") == "m" and r.unit("energy.kinetic") == "J"
    assert "tip.velocity.x" in r and "tip.q" not in r and set(r) == {c.name for c in r.columns}
    with pytest.raises(KeyError, match="no column 'uper'"):
        r["uper"]
    few = cleave.run(arm, time=1, every=0.25, columns=["elbow.q", "tip.position.x"])
    assert [c.name for c in few.columns] == ["time", "tip.position.x", "elbow.q"]
    assert np.array_equal(few["tip.position.x"], r["tip.position.x"])
    with pytest.raises(cleave.UsageError, match="did you mean"):
        cleave.run(arm, time=1, columns="elbow.qq")
    assert cleave.run(arm, time=1, every=0.3).time[-1] == 1


def test_inputs_and_times_of_a_run(arm):
    free, driven = (cleave.run(arm, time=0.1, every=0.1, inputs=i) for i in ({}, {"motor": 3}))
    assert driven["shoulder.effort"][-1] == pytest.approx(3) and abs(free["shoulder.effort"][-1]) < 1e-12
    for wrong in ({"time": 0}, {"time": 1, "every": -1}, {"time": float("nan")}, {"time": 1, "every": 1e-12},
                  {"time": 1, "every": 1e-8}):  # 1e8 frames do not fit into memory
        with pytest.raises(cleave.UsageError):
            cleave.run(arm, **wrong)


def test_pandas_and_xarray(arm):
    r = cleave.run(arm, time=1, every=0.25)
    pandas = pytest.importorskip("pandas")
    frame = r.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and np.array_equal(frame["elbow.q"], r["elbow.q"])
    assert np.array_equal(frame["upper.quaternion.w"], r["upper.quaternion"][:, 0]) and frame.index[-1] == 1
    pytest.importorskip("xarray")
    data = r.to_xarray()
    assert data["tip.velocity"].dims == ("time", "xyz") and data["tip.velocity"].attrs["units"] == "m/s"
    assert np.array_equal(data["tip.velocity"].sel(xyz="y"), r["tip.velocity.y"])


def test_a_failure_keeps_the_results():
    m = cleave.Model("stop", gravity=(0, 0, 0))
    m.body("a", mass=1, inertia=(1, 1, 1))
    m.joint("j", "revolute", "ground", "a", u=1)

    def load(view):
        return np.full((1, 6), np.nan) if view.time > 0.5 else np.zeros((1, 6))

    m.callback("f", load)
    with pytest.raises(cleave.CleaveError) as caught:
        cleave.run(m, time=1, every=0.1)
    assert 3 <= len(caught.value.results.time) <= 6


def test_run_files(command, tmp_path, arm):
    path = tmp_path / "run.cleave"
    command("run", "loader", "--time", "0.5", "--every", "0.05", "--out", str(path))
    file, r = cleave.Run(path), cleave.run("loader", time=0.5, every=0.05)
    assert file.status == "ok" and file.end == 0.5 and file.every == 0.05 and len(file.time) == 11
    common = [name for name in r if name in file]
    assert "L.effort" in common and all(np.array_equal(file[n], r[n], equal_nan=True) for n in common)
    assert file.report["steps"] == r.report["steps"]
    assert file.model.joints == cleave.example("loader").joints
    with pytest.raises(cleave.CleaveError):
        cleave.Run(tmp_path / "none.cleave")
    text = tmp_path / "text.cleave"
    text.write_text("no run file")
    with pytest.raises(cleave.CleaveError):
        cleave.Run(text)


def test_check_and_evaluate_are_those_of_the_command_line(command):
    for name in ("bricard", "hdca-case1", "loader"):
        found, told = cleave.check(name), json.loads(command("check", name, "--json"))
        for key in ("mobility_found", "mobility_counted", "redundant_constraints", "loops", "start_moved"):
            assert found[key] == told[key], key
        assert list(found["redundant_joints"]) == told["redundant_joints"]
        found, told = cleave.evaluate(name), json.loads(command("eval", name, "--json"))
        for body, numbers in told["bodies"].items():
            assert list(found["bodies"][body]["acceleration"]) == numbers["acceleration"]
        for joint, numbers in told["joints"].items():
            assert list(found["joints"][joint].force) == numbers["force"]
            assert list(found["joints"][joint].unique) == numbers["unique"]


@pytest.mark.parametrize("time", [-1, float("nan"), float("inf")])
def test_times_that_are_none(time):
    with pytest.raises(cleave.UsageError, match="must be"):
        cleave.evaluate("pendulum", time)
    with pytest.raises(cleave.UsageError, match="--time"):
        cleave.verify("pendulum", time)


def test_verify(arm):
    found = cleave.verify(arm, time=0.2)
    assert found["status"] == "ok"


def test_equilibrium(tmp_path):
    found = cleave.equilibrium("pendulum", modes=True, out=tmp_path / "rest.yaml")
    assert found["stability"] == "stable"
    assert abs(found["joints"]["J1"]["q"][0] - np.pi / 2) < 1e-12
    assert len(found["modes"]) == 1 and found["modes"][0]["frequency"] > 0
    assert cleave.Sim(str(tmp_path / "rest.yaml")).q["J1"] == found["joints"]["J1"]["q"][0]
    with pytest.raises(cleave.ConvergenceError) as failed:
        cleave.equilibrium("tree-robot")
    assert failed.value.joint == "base"


def test_the_command_line_is_there(command):
    assert command("--version").strip() == f"cleave {cleave.__version__}"
    command("nonsense", code=1)


def test_csv_and_pictures(arm, command, tmp_path):
    r = cleave.run("loader", time=0.5, every=0.02)
    r.to_csv(tmp_path / "ours.csv")
    command("run", "loader", "--time", "0.5", "--every", "0.02", "--out", str(tmp_path / "theirs.csv"))
    ours, theirs = ((tmp_path / f"{who}.csv").read_text().splitlines() for who in ("ours", "theirs"))
    assert ours[0] == theirs[0] and len(ours) == len(theirs)
    assert all(float(a or "nan") == float(b or "nan") or a == b
               for x, y in zip(ours[1:], theirs[1:]) for a, b in zip(x.split(","), y.split(",")))
    picture = r.plot("L.effort", "L.q")
    assert picture.svg.startswith("<svg") and "L.effort" in picture.svg and picture._repr_svg_() == picture.svg
    picture.save(tmp_path / "lift.svg")
    assert (tmp_path / "lift.svg").read_text() == picture.svg
    assert cleave.plot(arm).svg.startswith("<svg")
    with pytest.raises(cleave.UsageError, match="no column"):
        r.plot("nothing")
    with pytest.raises(FileExistsError):
        r.to_csv(tmp_path / "ours.csv")


def test_commands_find_the_package_where_the_program_has_found_it():
    folder = os.path.dirname(os.path.dirname(cleave.__file__))
    code = f"import sys; sys.path.insert(0, {folder!r}); import cleave; print(cleave.plot('pendulum').svg[:4])"
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=alone)
    assert done.stdout == "<svg\n", done.stderr
