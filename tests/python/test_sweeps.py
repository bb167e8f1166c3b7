# SPDX-License-Identifier: Apache-2.0
"""Sweeps from Python: the runs are those of cleave.run, the file is that of the command line."""
import importlib.util
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import cleave
from conftest import ARM, ROOT


@pytest.fixture
def path(tmp_path):
    (tmp_path / "arm.yaml").write_text(ARM, encoding="utf-8")
    return tmp_path / "arm.yaml"


def test_runs_are_those_of_run(path):
    s = cleave.sweep(path, {"mass": (1, 3), "lower.mass": "400..600 g"}, runs=5, time=0.5,
                     columns="tip.position,elbow.q")
    assert s.runs == 5 and s.failed == 0 and s.varied == ("mass", "lower.mass") and s.status == ["CLV_OK"] * 5
    assert s.units["lower.mass"] == "g" and s.units["tip.position.x"] == "m"
    for i in range(5):
        given = {"mass": s["mass"][i], "lower.mass": f"{float(s['lower.mass'][i])!r} g"}
        r = cleave.run(cleave.load(path, **given), time=0.5, columns="tip.position,elbow.q")
        assert r["elbow.q"][-1] == s["elbow.q"][i] and r["elbow.q"].max() == s["elbow.q.max"][i]
        assert r["tip.position.y"][-1] == s["tip.position.y"][i]
    found = s.statistics["elbow.q"]
    assert found.runs == 5 and found.least == s["elbow.q"].min() and found.mean == pytest.approx(s["elbow.q"].mean())
    assert found.varies_with in s.varied and 0 < abs(found.correlation) <= 1
    assert s.statistics["mass"].varies_with == "" and np.isnan(s.statistics["mass"].correlation)
    with pytest.raises(KeyError, match="no column 'elbow'"):
        s["elbow"]


def test_the_other_samples(path, arm):
    grid = cleave.sweep(path, {"mass": [1, 2, 4], "lower.mass": (0.5, 0.6)}, sample="grid", runs=6, time=0.2,
                        columns="elbow.q", rtol=1e-8, formulation="dca", project=False)
    assert list(grid["mass"]) == [1, 1, 2, 2, 4, 4] and list(grid["lower.mass"]) == [0.5, 0.6] * 3
    single = cleave.sweep(path, {name: grid[name] for name in grid.varied}, sample="csv", time=0.2, columns=["elbow.q"],
                          rtol=1e-8, formulation="dca", project=False, threads=1)
    assert np.array_equal(single["elbow.q"], grid["elbow.q"])
    of_model = cleave.sweep(arm, {"upper.mass": [1.0, 2.0]}, sample="csv", time=0.2, columns="elbow.q")
    assert of_model["elbow.q"][0] != of_model["elbow.q"][1]


def test_files(path, tmp_path):
    out, words = tmp_path / "a.sweep", {"runs": 4, "time": 0.2, "columns": "elbow.q"}
    s = cleave.sweep(path, {"mass": (1, 3)}, out=out, **words)
    assert np.array_equal(cleave.Sweep(out)["elbow.q"], s["elbow.q"])
    with pytest.raises(cleave.UsageError, match="exists"):
        cleave.sweep(path, {"mass": (1, 3)}, out=out, **words)
    with sqlite3.connect(out) as db:
        db.execute("DELETE FROM runs WHERE instance = 2")
    db.close()
    part = cleave.Sweep(out)
    assert np.isnan(part["elbow.q"][2]) and part.status[2] == "" and part.failed == 0
    again = cleave.sweep(path, {"mass": (1, 3)}, out=out, resume=True, **words)
    assert np.array_equal(again["elbow.q"], s["elbow.q"])
    with pytest.raises(cleave.UsageError, match="another sweep"):
        cleave.sweep(path, {"mass": (1, 4)}, out=out, resume=True, **words)
    for bad in (path, tmp_path / "none.sweep"):
        with pytest.raises(cleave.FileError, match="not a readable sweep file"):
            cleave.Sweep(bad)


def test_what_is_refused(path):
    for vary, more, kind, says in [
        ({"mass": (1, 2, 3)}, {"runs": 2}, cleave.UsageError, r"takes \(low, high\)"),
        ({"mas": (1, 2)}, {"runs": 2}, cleave.UsageError, "mas"),
        ({"mass": (2, 1)}, {"runs": 2}, cleave.UsageError, "below"),
        ({"mass": (-1, 1)}, {"runs": 2}, cleave.ModelError, "mass"),
        ({"mass": (1, 2)}, {}, cleave.UsageError, "--runs"),
        ({"mass": "1..2"}, {"sample": "csv"}, cleave.UsageError, "one a run"),
        ({"mass": [1, 2], "lower.mass": [1]}, {"sample": "csv"}, cleave.UsageError, "as many values"),
        ({"mass": (1, 2)}, {"runs": 2, "start_tolerance": 1.0}, TypeError, "start_tolerance"),
        ({"mass": (1, 2)}, {"runs": 2, "rtol": 2.0}, cleave.UsageError, "rtol"),
    ]:
        with pytest.raises(kind, match=says) as caught:
            cleave.sweep(path, vary, time=0.1, columns="elbow.q", **more)
    with pytest.raises(cleave.ModelError) as caught:
        cleave.sweep(path, {"mass": (-1, 1)}, runs=2, time=0.1)
    assert caught.value.line == 6 and caught.value.path == "bodies.upper.mass"


def test_failures_stay_alone(path):
    s = cleave.sweep(path, {"elbow.axis[2]": [1.0, 0.0, -1.0]}, sample="csv", time=0.1, columns="elbow.q")
    assert s.failed == 1 and list(s.errors) == [1] and s.status[1] == "CLV_ERR_MODEL"
    assert list(np.isnan(s["elbow.q"])) == [False, True, False] and s.statistics["elbow.q"].runs == 2


# ------------------------------------------------------------------ on executors

def program():
    spec = importlib.util.spec_from_file_location("cluster_sweep", ROOT / "examples/programs/cluster_sweep.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["cluster_sweep"] = module
    spec.loader.exec_module(module)
    return module


SMALL = {"runs": 11, "time": 0.2, "columns": "elbow.q"}


def same(a, b):
    return a.runs == b.runs and list(a) == list(b) and all(np.array_equal(a[name], b[name]) for name in a)


@pytest.mark.parametrize("name", ["processes", "dask", "ray"])
def test_executors(path, tmp_path, name):
    if name != "processes":
        pytest.importorskip({"dask": "distributed", "ray": "ray"}[name])
    whole = cleave.sweep(path, {"mass": (1, 3)}, **SMALL)
    out = tmp_path / "all.sweep"
    with program().engine(name) as executor:
        s = cleave.sweep(path, {"mass": (1, 3)}, out=out, executor=executor, shards=3, **SMALL)
        assert same(s, whole) and s.statistics == whole.statistics
        with pytest.raises(cleave.UsageError, match="exists"):
            cleave.sweep(path, {"mass": (1, 3)}, out=out, executor=executor, shards=3, **SMALL)
        with pytest.raises(cleave.ModelError, match="mass"):
            cleave.sweep(path, {"mass": (-1, 3)}, executor=executor, shards=2, **SMALL)
    assert [p.name for p in tmp_path.glob("*.sweep")] == ["all.sweep"]


def test_lost_parts(path, tmp_path, monkeypatch):
    """A process that is killed is made again; three times, then its part is named, and resume makes it."""
    call, calls, killed = cleave.sweeps._call, [], []

    def fails(words):
        calls.append(words)
        if any(word.startswith("--shard=2/") for word in words) and len(killed) < kills:
            killed.append(words)
            process = subprocess.Popen([sys.executable, "-m", "cleave", "sweep", *words], stdout=subprocess.DEVNULL)
            process.kill()
            process.wait()
            return process.returncode, "", ""
        return call(words)

    monkeypatch.setattr(cleave.sweeps, "_call", fails)
    whole = cleave.sweep(path, {"mass": (1, 3)}, **SMALL)
    out = tmp_path / "all.sweep"
    with ThreadPoolExecutor(2) as pool:
        kills = 2
        assert same(cleave.sweep(path, {"mass": (1, 3)}, executor=pool, shards=3, **SMALL), whole)
        assert len(killed) == 2
        kills, killed[:] = 3, []
        with pytest.raises(cleave.CleaveError, match=r"parts 2/3 \(4 of 4 runs\): its process was ended by signal 9"):
            cleave.sweep(path, {"mass": (1, 3)}, out=out, executor=pool, shards=3, **SMALL)
        assert cleave.Sweep(out).status.count("") == 4
        calls.clear()
        s = cleave.sweep(path, {"mass": (1, 3)}, out=out, executor=pool, shards=3, resume=True, **SMALL)
        assert same(s, whole) and not list(tmp_path.glob("all-*.sweep"))
    for more in ({"executor": pool}, {"shards": 2}, {"executor": pool, "shards": 0}):
        with pytest.raises(cleave.UsageError, match="are given together"):
            cleave.sweep(path, {"mass": (1, 3)}, **more, **SMALL)


def test_an_executor_that_dies(path, tmp_path):
    """Nothing is lost but what was under way; the error names the parts."""
    class Dead:
        def submit(self, function, *args):
            raise RuntimeError("the cluster is gone")

    with pytest.raises(cleave.CleaveError):
        cleave.sweep(path, {"mass": (1, 3)}, out=tmp_path / "a.sweep", executor=Dead(), shards=2, **SMALL)
    with ThreadPoolExecutor(1) as pool:
        assert cleave.sweep(path, {"mass": (1, 3)}, out=tmp_path / "a.sweep", executor=pool, shards=2, resume=True,
                            **SMALL).failed == 0
