# SPDX-License-Identifier: Apache-2.0
"""Simulations: time, live state, inputs, results of joints."""
from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core, _kinds
from .derivatives import Derivatives, derivatives
from .jacobian import jacobian
from .model import Model, Vector, _source
from .sensitivities import Sensitivity, sensitivity

if TYPE_CHECKING:
    from typing_extensions import Unpack

Numbers = NDArray[np.float64]


class Options(TypedDict, total=False):
    """Keyword options of a simulation; units, defaults and ranges: :func:`options`, docs/commands.md."""

    formulation: str
    integrator: str | None
    bracketing: str | None
    rtol: float
    atol: float
    step: float
    max_step: float
    rank: float
    project: bool
    regauge: bool
    plain_tolerance: bool
    baumgarte_position: float
    baumgarte_velocity: float
    alpha: float
    omega: float
    mu: float
    eps_p: float
    eps_v: float
    eps_a: float
    iterations: int
    rho: float
    warm: bool
    projections: int
    method: int
    start_tolerance: float
    contradiction: float
    threads: int
    absolute_alpha: bool
    no_predictor: bool


class Option(NamedTuple):
    """An option of a simulation."""

    type: str      #: str, float, int or bool
    default: Any   #: NaN: that of the formulation
    least: float   #: range of numbers
    most: float


def options() -> dict[str, Option]:
    """All options of a simulation by name.

    >>> options()["rtol"].default
    1e-06
    """
    return {name: Option(*rest) for name, *rest in _core.options()}


def formulations() -> tuple[str, ...]:
    """Names of the formulations."""
    return _core.names("formulations")


def integrators() -> tuple[str, ...]:
    """Names of the integrators."""
    return _core.names("integrators")


class Momentum(NamedTuple):
    """Mass and momentum of the whole system, global axes."""

    mass: float       #: kg
    centre: Numbers   #: (3,) m, common centre of mass
    linear: Numbers   #: (3,) kg m/s
    angular: Numbers  #: (3,) kg m^2/s, about the common centre of mass


class BodyView(NamedTuple):
    """What the control of a body sees."""

    time: float          #: s
    position: Numbers    #: (3,) m, centre of mass, global
    rotation: Numbers    #: (3, 3) body to global
    velocity: Numbers    #: (6,) m/s of the centre of mass, then rad/s, global


class Body(NamedTuple):
    """Live numbers of one body; all of the centre of mass, global axes."""

    name: str
    position: Numbers          #: (3,) m
    quaternion: Numbers        #: (4,) w x y z, body to global
    velocity: Numbers          #: (3,) m/s
    angular_velocity: Numbers  #: (3,) rad/s


class Marker(NamedTuple):
    """Live numbers of one marker, global axes."""

    name: str
    position: Numbers  #: (3,) m
    velocity: Numbers  #: (3,) m/s


class Joint(NamedTuple):
    """A joint at one time, evaluated; not live.

    Forces act on body b at its joint point, global axes.  `force`, `torque` are the constraint part; springs, drives,
    inputs and motions make the drive part.
    """

    name: str
    tree: bool             #: a tree joint; else it closes a loop, and p, pdot are NaN
    q: Numbers             #: (nq,) coordinates: m, rad, quaternion
    u: Numbers             #: (nu,) rates: m/s, rad/s
    udot: Numbers          #: (nu,) their rates
    p: Numbers             #: (nu,) joint momenta: kg m/s, kg m^2/s
    pdot: Numbers          #: (nu,) their rates: N, N m
    effort: Numbers        #: (nu,) N, N m along the rates: what drives the joint
    force: Numbers         #: (3,) N
    torque: Numbers        #: (3,) N m
    drive_force: Numbers   #: (3,) N
    drive_torque: Numbers  #: (3,) N m
    unique: NDArray[np.bool_]  #: (6,) is each component of force, torque determined by the motion?
    effort_unique: bool    #: is the effort of a motion determined? Not so where other motions prescribe the same


class Event(NamedTuple):
    """What an event of the model has done, at the last time that it came; NaN if it did not."""

    name: str
    happened: bool
    times: int           #: how often
    time: float          #: s
    q: float             #: m, rad: the coordinate that a lock holds
    impulse: float       #: N s, N m s: of a lock along its rate; size of the linear one of an attachment
    energy_lost: float   #: J
    linear: Numbers      #: (3,) N s: of an attachment, on its second body at the joint point
    angular: Numbers     #: (3,) N m s


class Contact(NamedTuple):
    """A contact at one time, evaluated; not live.  Of a rigid contact forces are means over the last step."""

    name: str
    points: int          #: that touch
    force: Numbers       #: (3,) N, on the second body, global axes
    normal_force: float  #: N
    depth: float         #: m, the largest
    point: Numbers       #: (3,) m, mean of the points; NaN without contact
    slip: float          #: m/s, the largest


class ContactPair(NamedTuple):
    """Two shapes that touch at one time, evaluated; not live."""

    contact: str         #: the contact that it belongs to
    first: str           #: a body, or "ground": a plane
    second: str          #: a body
    points: int          #: that touch
    force: Numbers       #: (3,) N, on the second body, global axes
    normal_force: float  #: N
    depth: float         #: m, the largest
    point: Numbers       #: (3,) m, mean of the points
    slip: float          #: m/s, the largest


class _Coordinates(Mapping[str, Numbers]):
    """Live coordinates or rates by joint: () for one number, else (n,).  Assigning sets the joint."""

    def __init__(self, sim: "Sim", rates: bool) -> None:
        self._sim, self._rates = sim, rates
        self._views = sim._views("u" if rates else "q")

    def __getitem__(self, joint: str) -> Numbers:
        view = self._views.get(joint)
        return self._views[self._sim.model.joints[self._sim.model._number("joints", joint)]] if view is None else view

    def __setitem__(self, joint: str, value: float | Vector) -> None:
        number = self._sim.model._number("joints", joint)
        self._sim._set_joints([(number, None, value) if self._rates else (number, value, None)])

    def __iter__(self) -> Iterator[str]:
        return iter(self._views)

    def __len__(self) -> int:
        return len(self._views)

    def __repr__(self) -> str:
        return repr(self._views)


class _Inputs(Mapping[str, float]):
    """Values of the inputs by name; assigning sets one from the present time on, cut to its limits."""

    def __init__(self, sim: "Sim") -> None:
        self._sim = sim
        self._numbers: dict[str, int] = sim.model._described()["number of inputs"]

    def _number(self, name: str) -> int:
        number = self._numbers.get(name)
        return self._sim.model._number("inputs", name) if number is None else number

    def __getitem__(self, name: str) -> float:
        return self._sim._input(self._number(name))

    def __setitem__(self, name: str, value: float | Vector) -> None:
        self._sim._set_input(self._number(name), value)

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def __repr__(self) -> str:
        return repr(dict(self))


class Sim(_core.Sim):
    """A simulation of a model from its start.

    `model` is a :class:`Model`, a path or the name of an example; it is finished and shared, never changed.  Options
    are keywords: ``Sim(model, formulation="dca", integrator="rk4", step=1e-3)``.

    Arrays are live and read-only: they show the present state after every `advance`, `step`, `set_joints` and `load`.
    Copy what shall stay (``s.position.copy()``).  A simulation belongs to one thread at a time.

    >>> s = Sim("pendulum")
    >>> s.advance(0.5)
    >>> s.q[s.model.joints[0]].shape
    ()
    >>> s.position.shape
    (1, 3)
    """

    model: Model
    _options: dict[str, Any]

    def __new__(cls, model: "Model | str | os.PathLike[str]", **options: "Unpack[Options]") -> "Sim":
        of = _source(model).finish()
        sim = super().__new__(cls, of._handle, dict(options))
        sim.model, sim._options = of, dict(options)
        return sim

    # ---------------------------------------------------------------- live state

    def _numbers(self, name: str) -> Numbers:
        """A live array; the simulation lives as long as it does."""
        cache: dict[str, Numbers] = self.__dict__.setdefault("_arrays", {})
        if name not in cache:
            cache[name] = np.asarray(self._array(_core.Array, name))
        return cache[name]

    def _views(self, name: str) -> dict[str, Numbers]:
        """Live coordinates (q) or rates (u) by joint."""
        cache: dict[str, dict[str, Numbers]] = self.__dict__.setdefault("_views_of", {})
        if name not in cache:
            table, views = self._numbers(name), {}
            for i, (joint, _, nq, nu, _, _) in enumerate(self.model._described()["joints"]):
                n = nq if name == "q" else nu
                views[joint] = table[i, :1].reshape(()) if n == 1 else table[i, :n]
            cache[name] = views
        return cache[name]

    @property
    def q(self) -> _Coordinates:
        """Live coordinates by joint (m, rad, quaternions): ``s.q["j1"]``; assigning sets the joint."""
        return _Coordinates(self, False)

    @property
    def u(self) -> _Coordinates:
        """Live rates by joint (m/s, rad/s): ``s.u["j1"]``; assigning sets the joint."""
        return _Coordinates(self, True)

    @property
    def input(self) -> _Inputs:
        """Inputs by name: ``s.input["j1"] = 2.5``."""
        return _Inputs(self)

    @property
    def position(self) -> Numbers:
        """(bodies, 3) m, centres of mass, global."""
        return self._numbers("position")

    @property
    def quaternion(self) -> Numbers:
        """(bodies, 4) w x y z, body to global."""
        return self._numbers("quaternion")

    @property
    def velocity(self) -> Numbers:
        """(bodies, 6) m/s of the centre of mass, then rad/s, global."""
        return self._numbers("velocity")

    @property
    def acceleration(self) -> Numbers:
        """(bodies, 6) m/s^2 of the centre of mass, then rad/s^2, global; computed by this call, not live after."""
        self.evaluate()
        return self._numbers("acceleration")

    @property
    def marker_acceleration(self) -> Numbers:
        """(markers, 3) m/s^2, global; computed by this call, not live after."""
        self.evaluate()
        return self._numbers("marker_acceleration")

    def body(self, name: str) -> Body:
        """Live numbers of a body.

        >>> Sim("pendulum").body("P").position.shape
        (3,)
        """
        i = self.model._number("bodies", name)
        velocity = self._numbers("velocity")
        return Body(name, self._numbers("position")[i], self._numbers("quaternion")[i], velocity[i, :3],
                    velocity[i, 3:])

    def marker(self, name: str) -> Marker:
        """Live numbers of a marker."""
        row = self._numbers("marker")[self.model._number("markers", name)]
        return Marker(name, row[:3], row[3:])

    def jacobian(self, point: str, joints: Sequence[str] | None = None) -> Numbers:
        """(6, n): velocity of a marker, or of a body's centre of mass, and angular velocity of its body, by joint rates.

        Rows: m/s, then rad/s, global axes, for a rate of 1 (rad/s, m/s).  Columns: the rates of `joints` in their
        order, by default of all joints.  A mechanism with loops or couplings needs the names of independent joints,
        with as many rates as it has degrees of freedom; the others follow.  The simulation is not changed.

        >>> Sim("pendulum").jacobian("P").shape
        (6, 1)
        """
        return jacobian(self, point, joints)

    def derivatives(self, numbers: Sequence[str] = ()) -> Derivatives:
        """Derivatives of the accelerations at the present state, exactly, with loops (T77).

        `numbers`: numbers of the model for the columns of `dnumber`, as "crank.mass", "crank.com.x",
        "crank.inertia.xy", "damper.damping", "spring.stiffness", "spring.rest", "motor.drive", "mount.stiffness.rz",
        "gravity.y".  Raises `UnsupportedError` with the name of what has no derivatives (callbacks, controls, contacts,
        flexible bodies).

        >>> Sim("pendulum").derivatives().dq.shape
        (1, 1)
        """
        return derivatives(self, numbers)

    def sensitivity(self, outputs: Sequence[str], time: ArrayLike, numbers: Sequence[str] = (), *,
                    inputs: ArrayLike | None = None, first: Sequence[str] = (), integrator: str | None = None,
                    rtol: float | None = None, atol: float | None = None, step: float = 0.0, memory: float = 1e9,
                    like: Sensitivity | None = None) -> Sensitivity:
        """A run beside the simulation, from the present state over the frames `time` (s), with exact sensitivities (T109).

        `outputs`: "hinge.q", "ball.u.rx" of joints in the spanning tree, "tip.position.x", "tip.velocity.y" of markers.
        `numbers`: as of :meth:`derivatives`, and points of joints on their bodies, "hinge.point_a.x", "hinge.point_b.y".
        `inputs`: (frames, inputs) values up to each frame; None: as they are.  `first`: joints whose coordinates are
        chosen as independent before others.  `integrator`: dopri5, rk4 (with `step`), bs23, dop853.  `like`: take steps
        and choices of another run.  The state of the simulation stays.

        Raises `UnsupportedError` with the name of what has no derivatives, attachments and rolling joints.

        >>> Sim("pendulum").sensitivity(["J1.q"], [0.1, 0.2], ["gravity.y"]).gradient([[0], [1]]).numbers.shape
        (1,)
        """
        return sensitivity(self, outputs, time, numbers, inputs=inputs, first=first, integrator=integrator, rtol=rtol,
                           atol=atol, step=step, memory=memory, like=like)

    def modes(self, body: str) -> tuple[Numbers, Numbers]:
        """Modal coordinates of a flexible body and their rates, copied; empty for rigid bodies."""
        q, u = self._modes(self.model._number("bodies", body))
        return np.array(q), np.array(u)

    # ---------------------------------------------------------------- results

    def joint(self, name: str) -> Joint:
        """Coordinates, efforts and reactions of a joint at the present time; evaluates first if needed."""
        r = self._joint(self.model._number("joints", name))
        tree, unique, effort_unique = r.pop("tree"), np.array(r.pop("unique"), bool), r.pop("effort_unique")
        numbers = {key: np.array(value, float) for key, value in r.items()}
        return Joint(name, tree, unique=unique, effort_unique=effort_unique, **numbers)

    def event(self, name: str) -> Event:
        """What an event of the model has done so far."""
        r = self._event(self.model._number("events", name))
        return Event(name, *r[:6], np.array(r[6]), np.array(r[7]))

    @property
    def stopped(self) -> str | None:
        """Name of the event that has ended the run; `advance` and `step` then raise :class:`Stopped`."""
        number = self._stopped()
        return None if number < 0 else self.model.events[number]

    def contact(self, name: str) -> Contact:
        """Force, depth, place and slip of a contact at the present time; evaluates first if needed."""
        r = self._contact(self.model._number("forces", name))
        force, point = np.array(r.pop("force"), float), np.array(r.pop("point"), float)
        return Contact(name, force=force, point=point, **r)

    def contacts(self) -> list[ContactPair]:
        """All pairs of shapes that touch at the present time; evaluates first if needed."""
        forces, bodies = self.model._names("forces"), self.model.bodies
        return [ContactPair(forces[f], "ground" if a < 0 else bodies[a], bodies[b], n, np.array(force, float),
                            normal, depth, np.array(point, float), slip)
                for f, a, b, n, force, normal, depth, point, slip in self._contacts()]

    @property
    def energy(self) -> float:
        """Kinetic and potential energy together, J."""
        kinetic, potential, _ = self._energy()
        return kinetic + potential

    @property
    def kinetic_energy(self) -> float:
        """J."""
        return self._energy()[0]

    @property
    def potential_energy(self) -> float:
        """J."""
        return self._energy()[1]

    @property
    def work(self) -> float:
        """Work of drives, dampers, inputs and known loads since the start, J."""
        return self._energy()[2]

    @property
    def momentum(self) -> Momentum:
        """Mass, centre of mass, linear and angular momentum of the system."""
        mass, *vectors = self._momentum()
        return Momentum(mass, *(np.array(v) for v in vectors))

    @property
    def violation(self) -> tuple[float, float]:
        """Largest constraint violation of the loops (m or rad), and its rate."""
        return self._violation()

    def report(self) -> dict[str, Any]:
        """Account of the run up to now, with the names and units of ``cleave run --json`` (docs/commands.md).

        >>> Sim("hdca-case1").report()["bodies"]
        4
        """
        return self._report()

    # ---------------------------------------------------------------- changes

    def set_joints(self, settings: Mapping[str, Any]) -> None:
        """Set several joints at once: ``{"j1": 0.3}`` or ``{"j1": (q, u)}``, either None to leave it open.

        A value is one number or an array of the joint's shape; coordinates and rates together are a tuple of two.
        The others keep theirs as far as loops, couplings and motions allow.
        """
        rows = []
        for name, value in _kinds.mapping(settings, "joint settings", "a mapping of names, as {'j1': 0.3}").items():
            q, u = value if isinstance(value, tuple) and len(value) == 2 else (value, None)
            rows.append((self.model._number("joints", name), q, u))
        self._set_joints(rows)

    def control_joint(self, joint: str, call: Callable[[float, Any, Any], Any] | None) -> None:
        """Let ``call(time, q, u)`` give the effort (N, N m) of a joint at every evaluation; None ends it.

        Slow: some microseconds a call, several calls a step.  `q`, `u` are floats, or tuples for joints of several
        coordinates.  The contract is that of :meth:`Model.callback`.  A controller of a fixed rate is better an input
        that is set between two steps.
        """
        number = self.model._number("joints", joint)
        self._control_joint(number, None if call is None else _kinds.function(call, "the control of a joint"))
        self._note_control("joint", joint, call)

    def control_body(self, body: str, call: Callable[[BodyView], ArrayLike | None] | None) -> None:
        """Let ``call(view)`` give the wrench (6,) on a body: N and N m about its centre of mass, global; slow."""
        number = self.model._number("bodies", body)
        if call is not None:
            _kinds.function(call, "the control of a body")

        def wrench(time: float, position: bytes, rotation: bytes, velocity: bytes) -> Numbers | None:
            assert call is not None
            view = BodyView(time, np.frombuffer(position), np.frombuffer(rotation).reshape(3, 3),
                            np.frombuffer(velocity))
            return _kinds.wrench(call(view))

        self._control_body(number, None if call is None else wrench)
        self._note_control("body", body, call)

    def _note_control(self, kind: str, name: str, call: Callable[..., Any] | None) -> None:
        """What copies bind again."""
        controls: dict[tuple[str, str], Callable[..., Any]] = self.__dict__.setdefault("_controls", {})
        if call is None:
            controls.pop((kind, name), None)
        else:
            controls[kind, name] = call

    # ---------------------------------------------------------------- copies

    def copy(self) -> "Sim":
        """A simulation of the same model that continues from here with the same bits, under the same controls."""
        return _restore(self.model, self._options, self.save(), self.__dict__.get("_controls", {}))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.model, self._options, self.save(), self.__dict__.get("_controls", {}))

    def __repr__(self) -> str:
        return f"<cleave.Sim of {self.model.name!r} at {self.time:.9g} s>"


def _restore(model: Model, options: dict[str, Any], state: bytes,
             controls: dict[tuple[str, str], Callable[..., Any]]) -> Sim:
    sim = Sim(model, **options)
    for (kind, name), call in controls.items():
        (sim.control_joint if kind == "joint" else sim.control_body)(name, call)
    sim.load(state)
    return sim
