# SPDX-License-Identifier: Apache-2.0
"""Arguments of a wrong kind: a TypeError names the argument and says what is expected."""
import re

import cleave
import numpy as np
import pytest

# what anybody passes by mistake
WRONG = [3, -1, True, None, "x", b"x", [], [1], ["x"], {}, {1: 2}, (1, 2, 3, 4, 5), float("nan"), object(), [[1, 2], [3]],
         np.zeros((2, 2)), lambda: 0]
# texts of Python that name neither the argument nor what is expected
UNCLEAR = re.compile(r"has no attribute|not iterable|unhashable|not subscriptable|bad argument type|to unpack|no len\(\)|"
                     r"is ambiguous|indexing|dictionary update|could not convert|out of range|for built-in|NoneType' and")


@pytest.fixture
def model():
    m = cleave.Model("two")
    m.body("a", mass=1, inertia=(1, 1, 1), shape={"sphere": 0.1})
    m.body("b", mass=1, inertia=(1, 1, 1), shape={"sphere": 0.1})
    m.joint("j", "revolute", "ground", "a")
    m.joint("k", "spherical", "a", "b", position_a=(1, 0, 0))
    m.input("motor", joint="j")
    m.marker("tip", "b")
    return m


@pytest.mark.parametrize("call, says", [
    (lambda s: s.set_joints(3), r"joint settings must be a mapping of names, as \{'j1': 0.3\}, not int"),
    (lambda s: s.set_joints({3: 1}), "a key of joint settings must be text, not int"),
    (lambda s: s.set_joints({"j": "x"}), "q of joint 'j' must be a number, not text"),
    (lambda s: s.set_joints({"j": {}}), "q of joint 'j' must be a number, not dict"),
    (lambda s: s.advance(None), "time must be a number, not NoneType"),
    (lambda s: s.body([]), "the name of a body must be text, not list"),
    (lambda s: s.joint({}), "the name of a joint must be text, not dict"),
    (lambda s: s.jacobian(3), "the name of a marker or body must be text, not int"),
    (lambda s: s.jacobian("tip", "j"), "joints must be a list of names, not str"),
    (lambda s: s.derivatives([1]), "each of numbers must be text, not int"),
    (lambda s: s.sensitivity(["j.q"], [0.1], like=3), "like must be a Sensitivity, not int"),
    (lambda s: s.sensitivity(["j.q"], "x"), r"time must be an array of numbers \(frames,\), not 'x'"),
    (lambda s: s.control_joint("j", 3), "the control of a joint must be a function, not int"),
    (lambda s: s.control_body("a", 3), "the control of a body must be a function, not int"),
    (lambda s: s.input.__setitem__("motor", "x"), "the value of an input must be a number, not str"),
    (lambda s: cleave.Sim(3), "the model must be a Model, a path or the name of an example, not int"),
    (lambda s: cleave.loads(None), "the text of a model must be text, not NoneType"),
    (lambda s: cleave.load(3), "expected str, bytes or os.PathLike object, not int"),
    (lambda s: cleave.run("pendulum", 0.1, inputs=3), "inputs must be a mapping of names to values"),
    (lambda s: cleave.run("pendulum", 0.1, columns=[1]), "each of columns must be text, not int"),
    (lambda s: cleave.gradient(3, None, [], []), "sim must be a Sim, not int"),
    (lambda s: cleave.gradient(s, 3, ["j.q"], [0.1]), "objective must be a function, not int"),
    (lambda s: cleave.sweep("pendulum", 3, runs=2), "vary must be a mapping of names to values"),
    (lambda s: cleave.sweep("pendulum", {"gravity[2]": (-10, -9)}, runs=2, executor=3, shards=2), "`submit`, not int"),
    (lambda s: cleave.linearize("pendulum", inputs=3), "inputs must be a mapping"),
    (lambda s: cleave.equilibrium("pendulum", inputs=[1]), "inputs must be a mapping"),
    (lambda s: cleave.evaluate("pendulum", "x"), "time must be a number, not str"),
])
def test_a_wrong_kind_names_what_is_expected(model, call, says):
    with pytest.raises(TypeError, match=says):
        call(cleave.Sim(model))


BUILDING = {
    "body": {"name": "n", "mass": 1.0, "com": None, "inertia": (1, 1, 1), "shape": None, "branch": None},
    "joint": {"name": "n", "kind": "revolute", "a": "a", "b": "b", "at": None, "curve": None, "armature": None, "cut": None,
              "q": None},
    "force": {"name": "n", "body": "a", "vector": (1, 0, 0), "table": None},
    "joint_load": {"name": "n", "joint": "j", "stiffness": 1.0, "coordinate": 0, "spring_table": None},
    "spring": {"name": "n", "a": "a", "b": "b", "point_a": (0, 0, 0)},
    "bushing": {"name": "n", "a": "a", "b": "b", "stiffness": (1,) * 6},
    "contacts": {"name": "n", "among": None, "touching": None, "without": (), "most": None, "stiffness": 1e6},
    "callback": {"name": "n", "call": lambda view: None},
    "motion": {"name": "n", "joint": "j", "rate": 1.0, "profile": None, "table": None},
    "coupling": {"name": "n", "first": "j", "second": "k", "polynomial": (0, 1)},
    "sum": {"name": "n", "factors": {"j": 1.0}},
    "marker": {"name": "n", "body": "a", "position": (0, 0, 0)},
    "visual": {"name": "n", "body": "a", "shape": {"sphere": 1}, "scale": 1.0},
    "tendon": {"name": "n", "path": (), "of": {"j": 1.0}},
    "drag": {"name": "n", "body": "a", "linear": 1.0, "frame": "flow"},
    "input": {"name": "n", "joint": "j", "limit": None},
    "event": {"name": "n", "at": 1.0, "lock": "j"},
    "limit": {"input": "motor"},
}


def raised(call):
    """The text of what a call raises; "" of nothing.  Other classes than these are faults."""
    try:
        call()
    except (TypeError, ValueError, cleave.CleaveError) as error:
        return str(error)
    return ""


@pytest.mark.parametrize("method", BUILDING)
def test_no_wrong_kind_is_a_riddle_when_a_model_is_built(model, method):
    text, good = model.text(), BUILDING[method]
    for name in good:
        for wrong in WRONG:
            m = cleave.loads(text)
            said = raised(lambda: getattr(m, method)(**{**good, name: wrong}))
            assert not UNCLEAR.search(said), (name, wrong, said)


@pytest.mark.parametrize("method", ["advance", "step", "set_end", "load", "body", "marker", "joint", "event", "contact", "modes",
                                    "jacobian", "derivatives", "set_joints", "control_joint"])
def test_no_wrong_kind_is_a_riddle_in_a_simulation(model, method):
    s = cleave.Sim(model)
    for wrong in WRONG:
        words = (wrong, None) if method == "control_joint" else (wrong,)
        said = raised(lambda: getattr(s, method)(*words))
        assert not UNCLEAR.search(said), (wrong, said)


def test_a_number_is_no_file_descriptor(model):
    """open(3) would take the file of that descriptor."""
    results = cleave.run("pendulum", 0.1, 0.1)
    for call in (lambda: results.to_csv(3), lambda: model.save(3), lambda: cleave.load(3), lambda: results.plot("P.position.x").save(3)):
        with pytest.raises(TypeError, match="PathLike"):
            call()
