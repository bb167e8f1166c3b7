# SPDX-License-Identifier: Apache-2.0
"""Simulations: live arrays, inputs, results, misuse."""
import copy
import gc
import math
import pickle
import signal
import threading
import time
import typing

import numpy as np
import pytest

import cleave
from cleave import _core
from conftest import ROOT, needs_expat


def test_options_of_the_class_are_those_of_the_library():
    listed = {name: option.type for name, option in cleave.options().items()}
    declared = typing.get_type_hints(cleave.sim.Options)
    assert set(declared) == set(listed)
    for name, kind in declared.items():
        assert (typing.get_args(kind) or (kind,))[0].__name__ == listed[name], name
    assert cleave.options()["rtol"].default == 1e-6 and cleave.options()["rtol"].most == 0.5


def test_every_status_has_its_exception():
    made = {cls.status for cls in cleave.CleaveError.__subclasses__()}
    assert made == set(_core.names("statuses")) - {"CLV_OK", "CLV_ERR_MEMORY"}


def test_live_arrays_show_the_present_state(arm):
    s = cleave.Sim(arm)
    q, u, tip, body = s.q["shoulder"], s.u["shoulder"], s.marker("tip"), s.body("lower")
    assert q.shape == () and s.position.shape == (2, 3)
    before = body.position.copy()
    s.advance(0.3)
    joint = s.joint("shoulder")
    assert q[()] == joint.q[0] != 0 and u[()] == joint.u[0]
    assert not np.array_equal(before, body.position) and np.array_equal(body.position, s.position[1])
    assert np.allclose(np.linalg.norm(tip.position - body.position), 0.25)
    assert np.array_equal(s.body("lower").angular_velocity, s.velocity[1, 3:])
    assert np.shares_memory(q, s.q["shoulder"]) and np.shares_memory(body.position, s.position)
    assert set(s.q) == set(arm.joints) and len(s.u) == 2


@pytest.mark.parametrize("name", ["hdca-case1", "loader", "bricard", "satellite", "flex-arm"])
@pytest.mark.parametrize("formulation", ["hdca", "dca", "massmatrix", "aldca", "index3"])
def test_live_coordinates_have_the_bits_of_joints(name, formulation):
    s = cleave.Sim(name, formulation=formulation)
    q, u = s.q, s.u
    for t in (0.01, 0.02):
        s.advance(t)
        live = {joint: (q[joint].copy(), u[joint].copy()) for joint in s.model.joints}
        for joint, (a, b) in live.items():
            found = s.joint(joint)
            assert np.array_equal(np.atleast_1d(a), found.q) and np.array_equal(np.atleast_1d(b), found.u), joint
        other = s.copy()  # coordinates at a state that has been evaluated
        assert np.array_equal(other._numbers("q"), s._numbers("q")) and np.array_equal(other._numbers("u"), s._numbers("u"))


def test_reading_coordinates_changes_no_bit():
    watched, alone = cleave.Sim("loader"), cleave.Sim("loader")
    watched.q["L"]
    for i in range(1, 50):
        watched.advance(0.01 * i)
        alone.advance(0.01 * i)
    assert np.array_equal(watched.position, alone.position) and watched.report() == alone.report()


def test_inputs_act_and_are_limited(arm):
    s = cleave.Sim(arm)
    s.input["motor"] = np.float64(50.0)
    assert s.input["motor"] == 20 and dict(s.input) == {"motor": 20}
    s.input["motor"] = s.q["shoulder"] + 3  # a live number
    s.step(1e-3)
    assert s.joint("shoulder").effort[0] == pytest.approx(3, rel=1e-12)
    with pytest.raises(cleave.UsageError, match="no input 'moto'"):
        s.input["moto"] = 1
    with pytest.raises(cleave.UsageError):
        s.input["motor"] = math.nan
    with pytest.raises(TypeError):
        s.input["motor"] = "much"


def test_one_number_is_taken_in_every_form(arm):
    s = cleave.Sim(arm)
    for value in (3, 3.0, np.float32(3), np.int8(3), np.array(3.0), np.array([3.0]), np.array([[3]]), [3], (3.0,),
                  np.arange(6.0)[3:4], np.full(1, 3.0, np.float32)):
        s.input["motor"], s.q["elbow"] = 0, 0
        s.input["motor"] = value
        s.q["elbow"] = value
        assert s.input["motor"] == 3 and abs(s.q["elbow"] - 3) < 1e-12, value
    for value in (np.array([1.0, 2.0]), [], [[1.0, 2.0]]):
        with pytest.raises(ValueError, match=f"the value of an input must be 1 number, not {np.size(value)}"):
            s.input["motor"] = value
    for value in ("3", b"3", None, ["3"], {0: 3}, [None]):
        with pytest.raises(TypeError, match="the value of an input must be a number, not"):
            s.input["motor"] = value
    assert s.input["motor"] == 3
    assert cleave.eval(arm, np.array([0.1]))["time"] == 0.1


def test_wrenches_have_the_shape_of_their_bodies(arm):
    s = cleave.Sim(arm)
    for wrong in (np.zeros(5), np.zeros((6, 1)), np.zeros((1, 6)), 0.0):
        s.control_body("lower", lambda view, wrong=wrong: wrong)
        with pytest.raises(ValueError, match=rf"the wrench must have the shape \(6,\), not \({str(np.shape(wrong))[1:-1]}"):
            s.advance(s.time + 0.01)
    for right in ([0] * 6, np.zeros(6, np.float32), np.zeros(12)[::2], None):
        s.control_body("lower", lambda view, right=right: right)
        s.advance(s.time + 0.01)
    wrench = np.zeros(6)
    for shape in ((2, 6), (6, 2), (12,)):
        m = cleave.Model()
        for name in "ab":
            m.body(name, mass=1, inertia=(1, 1, 1))
            m.joint(name, "free", "ground", name)
        m.callback("load", lambda view, shape=shape: np.zeros(shape))
        if shape == (2, 6):
            cleave.Sim(m).advance(0.01)
        else:
            with pytest.raises(ValueError, match=r"the wrench must have the shape \(2, 6\), not"):
                cleave.Sim(m).advance(0.01)
    m = cleave.Model()
    m.body("a", mass=1, inertia=(1, 1, 1))
    m.joint("a", "free", "ground", "a")
    m.callback("load", lambda view: wrench)  # of one body
    cleave.Sim(m).advance(0.01)


def test_energy_is_conserved_and_work_accounted(arm):
    s = cleave.Sim(arm, rtol=1e-10)
    before = s.energy
    s.input["motor"] = 5
    s.advance(1)
    assert s.energy - before == pytest.approx(s.work, abs=1e-7) and s.work != 0
    assert s.energy == s.kinetic_energy + s.potential_energy
    assert s.momentum.mass == 1.5 and s.momentum.linear.shape == (3,)
    assert s.violation == (0, 0)


def test_accelerations_and_reactions():
    m = cleave.Model("rod", gravity=(0, 0, -9.81))
    m.body("rod", mass=2, com=(0.5, 0, 0), inertia=(0, 1 / 6, 1 / 6))
    m.joint("pin", "revolute", "ground", "rod", axis=(0, 1, 0))
    m.marker("end", "rod", (1, 0, 0))
    s = cleave.Sim(m)
    assert s.acceleration[0] == pytest.approx([0, 0, -0.75 * 9.81, 0, 1.5 * 9.81, 0])
    assert s.marker_acceleration[0, 2] == pytest.approx(-1.5 * 9.81)
    pin = s.joint("pin")
    assert pin.force == pytest.approx([0, 0, 0.25 * 2 * 9.81]) and pin.unique.all() and pin.tree
    assert pin.udot == pytest.approx([1.5 * 9.81])


def test_redundant_reactions_are_marked():
    s = cleave.Sim("hdca-case1")
    assert any(not s.joint(name).unique.all() for name in s.model.joints)


def test_step_makes_one_accepted_step(arm):
    s = cleave.Sim(arm, integrator="rk4", step=0.01)
    assert s.step() == pytest.approx(0.01) and s.report()["steps"] == 1
    s.step()
    other = cleave.Sim(arm, integrator="rk4", step=0.01)
    other.advance(s.time)
    assert np.array_equal(s.position, other.position)
    adaptive = cleave.Sim(arm)
    for i in range(1, 6):
        adaptive.step()
        assert adaptive.report()["steps"] == i and adaptive.report()["time"] == adaptive.time
    assert s.step(0.005) == pytest.approx(0.025)


def test_set_joints(arm):
    s = cleave.Sim(arm)
    s.set_joints({"shoulder": (0.5, 1.5), "elbow": -0.25})
    assert s.q["shoulder"] == 0.5 and s.q["elbow"] == -0.25
    assert s.u["shoulder"] == pytest.approx(1.5, rel=1e-14)  # hdca keeps momenta
    s.q["elbow"] = 0.75
    s.u["elbow"] = 2
    assert s.q["elbow"] == 0.75 and s.q["shoulder"] == 0.5 and s.u["elbow"] == pytest.approx(2, rel=1e-14)
    with pytest.raises(cleave.UsageError, match="no joint 'x'"):
        s.set_joints({"x": 1})
    with pytest.raises(cleave.UsageError):
        s.q["elbow"] = math.inf
    with pytest.raises(ValueError):
        s.q["elbow"] = (1, 2)
    assert s.q["elbow"] == 0.75


def test_saved_states_continue_with_the_same_bits(arm):
    s = cleave.Sim(arm, formulation="dca", rtol=1e-8)
    s.input["motor"] = 4
    s.advance(0.5)
    others = [s.copy(), pickle.loads(pickle.dumps(s)), copy.deepcopy(s)]
    s.advance(1)
    for other in others:
        assert other.time == 0.5 and other.input["motor"] == 4
        other.advance(1)
        assert np.array_equal(other.position, s.position) and np.array_equal(other.velocity, s.velocity)
    with pytest.raises(cleave.UsageError):
        cleave.Sim(arm).load(s.save())
    with pytest.raises(cleave.UsageError):
        cleave.Sim(arm, formulation="dca", rtol=1e-8).load(b"nonsense")


# ---------------------------------------------------------------- callbacks

def test_joint_control(arm):
    seen = []

    def pd(time, q, u):
        seen.append(time)
        return -30 * q - 5 * u

    s = cleave.Sim(arm)
    s.control_joint("shoulder", pd)
    s.advance(0.2)
    joint = s.joint("shoulder")
    assert joint.effort[0] == pytest.approx(-30 * joint.q[0] - 5 * joint.u[0], rel=1e-12) and seen
    s.control_joint("shoulder", None)
    s.advance(0.21)
    assert abs(s.joint("shoulder").effort[0]) < 1e-12


def hold(time, q, u):
    return -30 * q - 5 * u


def push(view):
    return [0, 0.5 - view.time, 0, 0, 0, 0]


def test_copies_keep_controls(arm):
    s = cleave.Sim(arm)
    s.control_joint("shoulder", hold)
    s.control_joint("elbow", lambda t, q, u: 0.1)
    s.control_body("lower", push)
    s.control_joint("elbow", None)
    s.advance(0.1)
    others = [s.copy(), copy.deepcopy(s), pickle.loads(pickle.dumps(s))]
    free = s.copy()
    free.control_joint("shoulder", None)
    for each in (s, free, *others):
        each.advance(0.2)
    assert all(np.array_equal(each.position, s.position) for each in others)
    assert not np.array_equal(free.position, s.position)
    s.control_joint("elbow", lambda t, q, u: 0.1)
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(s)


def test_body_control_and_callback_loads_agree(arm):
    def lift(view):
        assert view.position.shape[-1] == 3 and view.rotation.shape[-2:] == (3, 3)
        return np.array([0, 4.0, 0, 0, 0, 0])

    s = cleave.Sim(arm)
    s.control_body("lower", lift)
    s.advance(0.3)
    m = cleave.loads(arm.text())
    assert m.joints == arm.joints
    built = cleave.Model("arm", gravity=(0, -9.81, 0))
    built.body("upper", mass=1, com=(0.5, 0, 0), inertia=(0.001, 0.0833, 0.0833), position=(0, 0, 0))
    built.body("lower", mass=0.5, com=(0.25, 0, 0), inertia=(0.001, 0.01, 0.01), position=(1, 0, 0))
    built.joint("shoulder", "revolute", "ground", "upper", at=(0, 0, 0), axis=(0, 0, 1))
    built.joint("elbow", "revolute", "upper", "lower", at=(1, 0, 0), axis=(0, 0, 1))
    built.callback("lift", lambda view: np.vstack([np.zeros(6), lift(view)]))
    other = cleave.Sim(built)
    other.advance(0.3)
    assert np.allclose(other.position, s.position, rtol=0, atol=1e-9)
    with pytest.raises(cleave.UnsupportedError):
        pickle.dumps(built)


def test_errors_of_callbacks_arrive(arm):
    class Wrong(Exception):
        pass

    def fail(*_):
        raise Wrong("here")

    s = cleave.Sim(arm)
    s.control_joint("shoulder", fail)
    with pytest.raises(Wrong, match="here"):
        s.advance(1)
    s.control_joint("shoulder", lambda t, q, u: "text")
    with pytest.raises(TypeError):
        s.advance(1)
    s.control_joint("shoulder", None)
    s.control_body("upper", lambda view: np.zeros(5))
    with pytest.raises(ValueError, match="shape"):
        s.advance(1)
    s.control_body("upper", None)
    s.advance(0.1)
    assert s.time == 0.1


def test_a_callback_cannot_use_its_simulation(arm):
    s = cleave.Sim(arm)
    s.control_joint("shoulder", lambda t, q, u: s.advance(2))
    with pytest.raises(cleave.UsageError, match="at work"):
        s.advance(1)


def test_simulations_with_controls_are_collected(arm):
    alive = []

    class Probe:
        def __del__(self):
            alive.append(1)

    s, probe = cleave.Sim(arm), Probe()
    s.control_joint("shoulder", lambda t, q, u, s=s, p=probe: 0.0)
    del s, probe
    gc.collect()
    assert alive


# ---------------------------------------------------------------- threads, signals, misuse

def test_other_threads_run_meanwhile(arm):
    s, counted, stop = cleave.Sim(arm, rtol=1e-12), [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.0005)

    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    s.advance(20)
    after = counted[0]
    stop.set()
    thread.join()
    assert after > before + 2


def test_one_simulation_in_two_threads_is_refused(arm):
    s, errors = cleave.Sim(arm, rtol=1e-12), []

    def work():
        try:
            for i in range(20):
                s.advance(s.time + 0.2)
        except cleave.UsageError as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("at work" in str(error) or "past" in str(error) for error in errors)


def test_keyboard_interrupt_stops_a_long_run(arm):
    s = cleave.Sim(arm, rtol=1e-12)
    s.advance(0.1)
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            s.advance(1e6)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    other = cleave.Sim(arm, rtol=1e-12)
    other.advance(0.1)
    other.advance(s.time)
    assert s.time == s.report()["time"] > 0.1 and s.q["shoulder"] == other.q["shoulder"]
    with pytest.raises(cleave.UsageError, match="before the present time"):
        s.advance(0.2)  # steps have passed it
    later = s.time + 0.5
    s.advance(later), other.advance(later)
    assert np.array_equal(s.position, other.position)


def test_views_outlive_their_simulation(arm):
    s = cleave.Sim(arm)
    q, position = s.q["shoulder"], s.position
    s.advance(0.5)
    kept = q.copy(), position.copy()
    del s, arm
    gc.collect()
    [cleave.Sim("loader") for _ in range(3)]  # over freed memory
    assert q == kept[0] and np.array_equal(position, kept[1])
    with pytest.raises(ValueError):
        position[0, 0] = 1
    with pytest.raises(ValueError):
        position.setflags(write=True)


def test_wrong_use_is_refused(arm):
    s = cleave.Sim(arm)
    for call, kind in [(lambda: cleave.Sim(arm, rtoll=1), TypeError), (lambda: cleave.Sim(arm, rtol="x"), TypeError),
                       (lambda: cleave.Sim(arm, rtol=5), cleave.UsageError),
                       (lambda: cleave.Sim(arm, iterations=1.5), cleave.UsageError),
                       (lambda: cleave.Sim(arm, warm=2), cleave.UsageError),
                       (lambda: cleave.Sim(arm, formulation="x"), cleave.UsageError),
                       (lambda: cleave.Sim(3), TypeError),
                       (lambda: _core.Sim("x", {}), ValueError), (lambda: _core.Sim(), TypeError),
                       (lambda: _core.Array(), TypeError), (lambda: s.advance(-1), cleave.UsageError),
                       (lambda: s.advance(math.nan), cleave.UsageError),
                       (lambda: s.advance(math.inf), cleave.UsageError), (lambda: s.step(1, 2), TypeError),
                       (lambda: s.body("x"), cleave.UsageError), (lambda: s.joint("x"), cleave.UsageError),
                       (lambda: s._joint(-1), cleave.UsageError), (lambda: s._joint(10**12), cleave.UsageError),
                       (lambda: s._set_input(99, 1.0), cleave.UsageError),
                       (lambda: s._array(_core.Array, "x"), cleave.UsageError),
                       (lambda: s._control_joint(7, None), cleave.UsageError), (lambda: s.load("text"), TypeError)]:
        with pytest.raises(kind):
            call()
    with pytest.raises(TypeError, match="there is no option rtoll"):
        cleave.Sim(arm, rtoll=1)
    with pytest.raises(TypeError, match="the option formulation must be text, not 3"):
        cleave.Sim(arm, formulation=3)
    with pytest.raises(cleave.UsageError, match="must be a finite number"):
        s.step(math.nan)
    s.advance(0.1)
    assert s.time == 0.1 and repr(s) == "<cleave.Sim of 'arm' at 0.1 s>"


def test_names_can_be_asked_for(arm):
    s = cleave.Sim(arm)
    joint, put = s.model.joints[0], s.model.inputs[0]
    assert joint in s.q and joint in s.u and put in s.input
    assert "none" not in s.q and "none" not in s.u and "none" not in s.input
    assert s.q.get("none") is None and s.input.get("none", 7.0) == 7.0
    with pytest.raises(KeyError, match="the model has no joint 'none'\n  hint"):
        s.q["none"]


def test_a_start_that_does_not_close_names_its_joint():
    with pytest.raises(cleave.CleaveError) as caught:
        cleave.Sim("hdca-case1", rtol=1e-6, formulation="index3", integrator="dopri5")
    assert caught.value.hint


def test_creation_is_freed_again(arm):
    import resource

    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    model = cleave.example("loader")
    for _ in range(20):
        cleave.Sim(model).position
    before = peak()
    for _ in range(200):
        s = cleave.Sim(model)
        s.q, s.position, s.joint("L")
    assert peak() - before < 10000  # KiB; 200 of them are over 20 MiB


def test_overhead_of_a_step_is_below_a_microsecond():
    """Against the same steps taken in one call: what a call from Python adds."""
    m = cleave.Model("mass", gravity=(0, 0, 0))
    m.body("mass", mass=1, inertia=(1, 1, 1))
    m.joint("rail", "prismatic", "ground", "mass", axis=(1, 0, 0), u=1)
    n, best = 2000, math.inf
    for _ in range(15):
        calls, whole = (cleave.Sim(m, integrator="rk4", step=1e-3) for _ in range(2))
        calls.set_end(n * 1e-3), whole.set_end(n * 1e-3)
        began = time.process_time()
        for i in range(1, n + 1):
            calls.advance(i * 1e-3)
        between = time.process_time()
        whole.advance(n * 1e-3)
        best = min(best, (2 * between - began - time.process_time()) / n)
    assert best < 3e-6  # measured: see docs/python.md; outputs included, with room for a busy machine


@needs_expat
def test_jacobian_of_an_arm():
    """Columns are differences of positions; a marker, a body; nothing changes in the simulation."""
    s = cleave.Sim(ROOT / "examples/robots/arm7.urdf", rtol=1e-10)
    joints, start = s.model.joints, [0.3, 0.7, -0.5, 1.1, 0.2, -0.9, 0.4]
    s.set_joints({j: (q, 0.5) for j, q in zip(joints, start)})
    before = s.save()
    J = s.jacobian("tool")
    assert J.shape == (6, 7) and s.save() == before
    assert np.allclose(J[:3] @ np.full(7, 0.5), s.marker("tool").velocity, rtol=0, atol=1e-14)
    assert np.allclose(J[3:] @ np.full(7, 0.5), s.body("flange").angular_velocity, rtol=0, atol=1e-14)
    assert np.allclose(s.jacobian("flange")[:3] @ np.full(7, 0.5), s.body("flange").velocity, rtol=0, atol=1e-14)
    for k, j in enumerate(joints):
        sides = []
        for h in (1e-5, -1e-5):
            other = s.copy()
            other.set_joints({j: start[k] + h})
            sides.append(other.marker("tool").position.copy())
        assert np.allclose((sides[0] - sides[1]) / 2e-5, J[:3, k], rtol=0, atol=1e-9)
    assert np.array_equal(s.jacobian("tool", joints[::-1]), J[:, ::-1])


@needs_expat
def test_jacobian_of_a_loop():
    """One free joint of the seven-body mechanism moves all bodies; too few or too many joints are refused."""
    s = cleave.Sim("andrews", rtol=1e-10)
    s.advance(0.02)
    column = s.jacobian("K5", ["J1"])
    assert np.allclose(column[:, 0] * s.u["J1"], s.velocity[4], rtol=1e-9, atol=1e-9 * abs(s.u["J1"]))
    with pytest.raises(cleave.UsageError, match="10 rates, and the mechanism 1 "):
        s.jacobian("K5")
    with pytest.raises(cleave.UsageError, match="no body 'none'"):
        s.jacobian("none", ["J1"])
    with pytest.raises(cleave.UsageError, match="no joint 'none'"):
        s.jacobian("K5", ["none"])
    arm = cleave.Sim(ROOT / "tests/models/robots/arm.urdf")
    with pytest.raises(cleave.UsageError, match="do not move independently"):
        arm.jacobian("plate", ["shoulder", "elbow", "grip"])
    assert arm.jacobian("plate", ["shoulder", "elbow", "push"]).shape == (6, 3)


def test_a_joint_is_set_from_its_view(arm):
    s = cleave.Sim(arm)
    s.set_joints({"shoulder": (np.array(0.25), s.u["elbow"])})
    assert s.q["shoulder"] == 0.25
    with pytest.raises((TypeError, ValueError)):
        s.set_joints({"shoulder": np.array("x")})
    with pytest.raises(ValueError):
        s.set_joints({"shoulder": np.zeros(2)})


def test_derivatives():
    """Against differences of the accelerations of a double pendulum; numbers of the model by name; what is refused."""
    s = cleave.Sim(cleave.example("double-pendulum"), formulation="dca")
    s.advance(0.3)
    found = s.derivatives(["gravity.y"])
    n = len(found.rates)
    assert found.dq.shape == found.du.shape == found.mass.shape == (n, n) and found.dnumber.shape == (n, 1)
    assert np.allclose(found.follow_q, np.eye(n)) and not found.follow_u.any()
    joints = [rate.split(".")[0] for rate in found.rates]
    q0, u0 = (np.array([getattr(s, what)[joint] for joint in joints]) for what in ("q", "u"))

    def accelerations(q, u):
        s.set_joints({joint: (q[i], u[i]) for i, joint in enumerate(joints)})
        return s.derivatives().udot

    h = 1e-4
    for k, unit in enumerate(np.eye(n)):
        for exact, q, u in ((found.dq, unit, 0 * unit), (found.du, 0 * unit, unit)):
            one = accelerations(q0 + h * q, u0 + h * u) - accelerations(q0 - h * q, u0 - h * u)
            two = accelerations(q0 + 2 * h * q, u0 + 2 * h * u) - accelerations(q0 - 2 * h * q, u0 - 2 * h * u)
            assert np.allclose((8 * one - two) / (12 * h), exact[:, k], atol=1e-7 * np.abs(exact).max())
    with pytest.raises(cleave.UsageError):
        s.derivatives(["gravity.w"])
    with pytest.raises(cleave.UsageError):
        s.derivatives("gravity.y")
    with pytest.raises(cleave.UsageError):
        s.derivatives(["nothing.mass"])
    with pytest.raises(cleave.UnsupportedError):
        cleave.Sim(cleave.example("flex-arm")).derivatives()


def test_contact():
    model = cleave.loads("cleave: 1\n"
                         "bodies: {ball: {mass: 2, inertia: from shape, shape: {sphere: 0.1}}}\n"
                         "joints: {j: {kind: free, a: {body: ground}, b: {body: ball}}}\n"
                         "forces: {floor: {kind: contact, between: [ground, ball], normal: [0, 0, 1], restitution: 0}}\n"
                         "start: {bodies: {ball: {position: [0, 0, 0.0999999]}}}\n")
    sim = cleave.Sim(model)
    assert sim.contact("floor").normal_force == 0
    sim.step(0.01)
    contact = sim.contact("floor")
    assert contact.points == 1 and abs(contact.force[2] - 2 * 9.81) < 1e-9 and abs(contact.slip) < 1e-12
    with pytest.raises(cleave.UsageError, match="no force 'wall'"):
        sim.contact("wall")
