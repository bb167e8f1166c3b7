# SPDX-License-Identifier: Apache-2.0
"""Events of models: built by calls, what they have done, ends of runs, saved states."""
import pickle

import numpy as np
import pytest

import cleave


def arm_and_ball():
    m = cleave.Model("grasp", gravity=(0, 0, 0))
    m.body("arm", mass=2, com=(0.5, 0, 0), inertia=(0.02, 0.2, 0.2))
    m.body("ball", mass=1, inertia=(0.1, 0.1, 0.1), position=(1.2, 0.5, 0), velocity=(0, -0.4, 0))
    m.joint("shoulder", "revolute", "ground", "arm", u=0.5)
    m.marker("tool", "arm", (1, 0, 0))
    m.marker("grip", "ball")
    m.event("grasp", marker_distance=("tool", "grip"), below=0.25, attach=("arm", "ball"), kind="revolute",
            position=(1, 0, 0))
    m.event("latch", joint="shoulder", above=0.2, lock="shoulder")
    m.event("open", at=1.5, release="latch")
    m.event("let go", at=2, release="grasp")
    return m


def test_events_happen():
    m = arm_and_ball()
    assert m.events == ("grasp", "latch", "open", "let go") and "grasp" in m.joints
    s = cleave.Sim(m, rtol=1e-10)
    assert not s.event("grasp").happened and s.event("grasp").times == 0 and np.isnan(s.event("latch").time)
    assert np.isnan(s.q["grasp"])
    s.advance(1.4)
    grasp, latch = s.event("grasp"), s.event("latch")
    assert grasp.happened and grasp.times == 1 and grasp.impulse == pytest.approx(np.linalg.norm(grasp.linear))
    assert grasp.energy_lost > 0 and grasp.angular.shape == (3,)
    assert np.isfinite(s.q["grasp"]) and np.linalg.norm(s.joint("grasp").force) > 0
    assert latch.q == pytest.approx(0.2, abs=1e-12) and s.u["shoulder"] == 0
    s.advance(2.5)
    assert np.isnan(s.q["grasp"]) and s.event("open").time == 1.5 and s.stopped is None
    again = pickle.loads(pickle.dumps(m))
    assert again.text() == m.text() and again.events == m.events


def test_an_event_ends_a_run():
    m = arm_and_ball()
    m.event("end", rate="shoulder", below=0, stop=True)
    r = cleave.run(m, time=5, every=0.1, columns="time,arm.position,grasp.force", reactions=True)
    end = r.model_events["end"]
    assert end.happened and r.time[-1] == end.time < 5 and len(r.time) == int(end.time / 0.1) + 2
    s = cleave.Sim(m)
    live = s.u["shoulder"]
    with pytest.raises(cleave.Stopped, match="'end'"):
        while s.time < 5:
            s.step(0.1)
    assert s.stopped == "end" and s.time == end.time
    assert live == pytest.approx(0, abs=1e-9)


def test_saved_states_cross_events():
    m = arm_and_ball()
    for t in (0.1, 1.2, 1.7, 2.2):
        s = cleave.Sim(m)
        s.advance(t)
        other = cleave.Sim(m)
        other.advance(2.4)
        other.load(s.save())
        s.advance(2.5), other.advance(2.5)
        assert np.array_equal(s.position, other.position) and np.array_equal(s.velocity, other.velocity)
        assert s.event("grasp")[:7] == other.event("grasp")[:7] or np.isnan(s.event("grasp").q)


def test_a_ratchet_repeats():
    m = cleave.Model("ratchet", gravity=(0, 0, -9.81))
    m.body("block", mass=2, inertia=(0.1, 0.1, 0.1))
    m.joint("slide", "prismatic", "ground", "block", axis=(0, 0, -1), at=(0, 0, 0))
    m.event("catch", rate="slide", above=0.5, lock="slide", again=True)
    m.event("free", rate="slide", below=0.1, release="catch", again=True)
    s = cleave.Sim(m)
    s.advance(1)
    assert s.event("catch").times == s.event("free").times == int(9.81 / 0.5)


def test_wrong_use_is_refused():
    m = arm_and_ball()
    for given in ({}, {"at": 1}, {"at": 1, "joint": "shoulder", "above": 1, "stop": True}, {"joint": "shoulder", "stop": True},
                  {"joint": "shoulder", "above": 1, "below": 1, "stop": True}, {"at": 1, "stop": True, "lock": "shoulder"},
                  {"at": 1, "attach": ("arm", "ball"), "kind": "glue"}):
        with pytest.raises(cleave.UsageError):
            m.event("e", **given)
    with pytest.raises(cleave.CleaveError):
        m.event("e", joint="nobody", above=1, stop=True)
    m.event("e", at=1, release="nobody")
    with pytest.raises(cleave.ModelError, match="no event or joint 'nobody'"):
        m.finish()
