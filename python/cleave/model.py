# SPDX-License-Identifier: Apache-2.0
"""Models: read from files, built in code, listed, written."""
from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core, _kinds
from .errors import FileError, UnknownNameError, UsageError

if TYPE_CHECKING:
    from typing_extensions import CapsuleType

#: Name of the ground, where a body is expected.
GROUND = "ground"

Vector = Sequence[float] | NDArray[np.float64]
Table = tuple[Vector, Vector]

_JOINTS = _core.names("joints")
_PROFILES = _core.names("profiles")
_SHAPES = ("none", "box", "sphere", "cylinder", "capsule", "points", "bore")
_SIZES = {"box": 3, "sphere": 1, "cylinder": 2, "capsule": 2, "bore": 3}
_ENDS = ("none", "lower", "upper", "both")
_POINT, _TORQUE, _JOINT, _SPRING, _ANGULAR, _CALLBACK, _BUSHING, _CONTACT, _TENDON, _DRAG, _CONTACTS = range(11)


class Parameter(NamedTuple):
    """A parameter of a model file, as it was used."""

    name: str
    unit: str     #: as the file writes it; "" without one
    value: float  #: SI
    shown: float  #: in `unit`
    least: float  #: range in `unit`
    most: float
    given: bool   #: the value is not that of the file


class Dropped(NamedTuple):
    """Something of a robot file that the model does not carry."""

    file: str      #: where it stands
    line: int
    column: int
    harmful: bool  #: the motion may differ for it
    kind: str      #: "position limit", "friction", ...
    text: str      #: the whole, as "position limits of joint 'hip': -1 to 1"


class LoadView(NamedTuple):
    """What a callback load sees; rows in the order of ``model.bodies``."""

    time: float                      #: s
    position: NDArray[np.float64]    #: (bodies, 3) m, centres of mass, global
    rotation: NDArray[np.float64]    #: (bodies, 3, 3) body to global
    velocity: NDArray[np.float64]    #: (bodies, 6) m/s of the centre of mass, then rad/s, global
    input: NDArray[np.float64]       #: (inputs,) values of the inputs


def _given(**values: Any) -> dict[str, Any]:
    """Those that are not None."""
    return {name: value for name, value in values.items() if value is not None}


def _tensor(inertia: ArrayLike) -> list[float]:
    """xx yy zz xy xz yz."""
    given = _kinds.numbers(inertia, "inertia", "(3,), (6,) or (3, 3)")
    if given.shape == (3, 3):
        if not np.allclose(given, given.T, rtol=0, atol=1e-9 * abs(given).max(), equal_nan=True):
            raise ValueError("inertia must be a symmetric matrix")
        given = given[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    if given.shape not in ((3,), (6,)):
        raise ValueError(f"inertia must be 3 or 6 numbers, or a symmetric matrix (3, 3); its shape is {given.shape}")
    return [*given.tolist(), *[0.0] * (6 - len(given))]


class Model:
    """A mechanism: bodies, joints, loads, motions, inputs, markers.

    ``Model(name)`` is empty and is built by the methods below; :func:`load` reads a file.  Bodies and joints are
    named; ``"ground"`` is the ground.  The first simulation finishes a model: it is checked, and cannot be changed
    any more.

    >>> m = Model("pendulum", gravity=(0, -9.81, 0))
    >>> m.body("rod", mass=1, com=(0.5, 0, 0), inertia=(0, 1 / 12, 1 / 12))
    'rod'
    >>> m.joint("pin", "revolute", "ground", "rod", axis=(0, 0, 1))
    'pin'
    >>> m.joints
    ('pin',)
    """

    _handle: CapsuleType

    def __init__(self, name: str = "model", *, gravity: Vector = (0.0, 0.0, -9.81), lenient: bool = False,
                 strained_start: bool = False) -> None:
        components = _kinds.numbers(gravity, "gravity", "(3,)")
        if components.shape != (3,):
            raise UsageError(f"gravity has 3 components, not the shape {components.shape}")
        x, y, z = (float(g) for g in components)
        self._take(_core.new(_kinds.text(name, "the name of a model"), (x, y, z)))
        _core.set_options(self._handle, lenient, strained_start)

    def _take(self, handle: CapsuleType) -> None:
        self._handle = handle
        self._added_shapes: dict[str, int] = {}
        self._about: dict[str, Any] | None = None

    @classmethod
    def _of(cls, handle: CapsuleType) -> "Model":
        model = cls.__new__(cls)
        model._take(handle)
        return model

    # ---------------------------------------------------------------- what is in it

    def _described(self) -> dict[str, Any]:
        if self._about is None:
            self._about = _core.describe(self._handle)
            for what in ("bodies", "joints", "inputs", "markers", "motions", "forces", "events"):
                self._about["number of " + what] = {item[0]: i for i, item in enumerate(self._about[what])}
        return self._about

    def _names(self, what: str) -> tuple[str, ...]:
        return tuple(item[0] for item in self._described()[what])

    @property
    def name(self) -> str:
        """Name of the model."""
        return str(self._described()["name"])

    @property
    def time(self) -> float:
        """Suggested duration of a run (s); 0 without one."""
        return float(self._described()["time"])

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies, in the order of the rows of arrays."""
        return self._names("bodies")

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints and constraints."""
        return self._names("joints")

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return self._names("inputs")

    @property
    def markers(self) -> tuple[str, ...]:
        """Names of the markers."""
        return self._names("markers")

    @property
    def motions(self) -> tuple[str, ...]:
        """Names of the prescribed motions."""
        return self._names("motions")

    @property
    def events(self) -> tuple[str, ...]:
        """Names of the events."""
        return self._names("events")

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Parameters of the model's file, with the values used."""
        return tuple(Parameter(*row) for row in self._described()["parameters"])

    @property
    def dropped(self) -> tuple[Dropped, ...]:
        """What a robot file (URDF, MJCF, SDF) says and the model does not carry, as ``cleave import`` lists it.

        First what can change the motion.  Other models have none, nor have copies of a robot by pickle.
        """
        return tuple(Dropped(*row) for row in self._described()["dropped"])

    def limit(self, input: str) -> tuple[float, float]:
        """Least and largest value of an input; infinite without limits."""
        row = self._described()["inputs"][self._number("inputs", input)]
        return row[1], row[2]

    def _number(self, what: str, name: str) -> int:
        one = {"bodies": "body"}.get(what, what[:-1])
        try:
            number = self._described()["number of " + what].get(name)
        except TypeError:
            raise _kinds.wrong(f"the name of a {one}", "text", name) from None
        if number is None:
            known = self._names(what)
            names = ", ".join(known[:12]) + (", ..." if len(known) > 12 else "")
            raise UnknownNameError(f"the model has no {one} {name!r}", hint=f"{what}: {names or 'none'}")
        return int(number)

    def _body(self, name: str) -> int:
        return -1 if isinstance(name, str) and name == GROUND else self._number("bodies", name)

    def _touching(self, name: str) -> int:
        """A body, or -2 - number of an added shape."""
        _kinds.text(name, "the name of a body or shape")
        return -2 - self._added_shapes[name] if name in self._added_shapes else self._body(name)

    # ---------------------------------------------------------------- building

    def _add(self, item: str, name: str, kind: int, fields: dict[str, Any]) -> str:
        _core.add(self._handle, item, kind, {"name": name, **fields})
        self._about = None
        return name

    def body(self, name: str, *, mass: float, com: Vector = (0.0, 0.0, 0.0), inertia: ArrayLike = (0.0, 0.0, 0.0),
             position: Vector | None = None, orientation: Vector | None = None, velocity: Vector | None = None,
             angular_velocity: Vector | None = None, branch: str | None = None,
             shape: Mapping[str, Any] | None = None) -> str:
        """Add a rigid body; returns its name.

        `mass` kg; `com` m, body axes; `inertia` kg m^2 about the centre of mass, body axes: xx yy zz, or xx yy zz
        xy xz yz, or the symmetric matrix (3, 3).  Start: `position` m of the body frame, global; `orientation` w x y z; `velocity` m/s of the frame
        origin; `angular_velocity` rad/s, global axes.  `shape`, for viewers and contacts,
        is as ``{"box": (1, 0.05, 0.05), "at": (0.5, 0, 0)}``; ``{"points": x}`` (rows of x, y, z in m) is the
        convex hull of these points.  ``{"bore": (0.0105, 0.02, 0.03)}`` (inner and outer radius, length along z) is a
        hole with a wall, whose ends may be ``"closed": "lower"``, ``"upper"`` or ``"both"``.
        """
        fields = _given(mass=mass, com=com, inertia=_tensor(inertia),
                        position=position, orientation=orientation, velocity=velocity,
                        angular_velocity=angular_velocity, branch=branch)
        fields["placed"] = position is not None or orientation is not None
        fields["moving"] = velocity is not None or angular_velocity is not None
        return self._add("body", name, 0, {**fields, **_shape(shape)})

    def joint(self, name: str, kind: str, a: str, b: str, *, at: Vector | None = None, axis: Vector | None = None,
              x_axis: Vector | None = None, at_b: Vector | None = None, position_a: Vector | None = None,
              orientation_a: Vector | None = None, position_b: Vector | None = None,
              orientation_b: Vector | None = None, pitch: float | None = None, distance: float | None = None,
              radius: float | None = None, curve: ArrayLike | None = None, closed: bool = False,
              armature: float | Vector | None = None,
              cut: bool | None = None, q: float | Vector | None = None, u: float | Vector | None = None,
              baumgarte: Vector | None = None, alpha: float | None = None, omega: float | None = None,
              mu: float | None = None) -> str:
        """Add a joint or constraint from body `a` (inboard) to `b`; returns its name.

        `kind`: fixed, revolute, prismatic, helical, cylindrical, universal, planar, spherical, free, point, distance,
        rolling-disc, rolling-sphere, knife-edge, point-on-curve.
        Short form: `at` m, `axis`, `x_axis` in global axes, in the start pose; `at_b` m, the second point of a
        distance.  Long form: `position_a` m, `orientation_a` w x y z of the joint frame in axes of body a, and so b.
        `pitch` m/rad; `distance` m; `radius` m, of rolling joints; `curve` (n, 3) m, points of a curve in the joint
        frame of `a` on which the joint point of `b` stays, and whether it is `closed`.
        `armature` kg m^2 or kg along each rate: inertia of the rotors of drives, reflected to the joint.
        `cut` closes the loop here, or never.  `q`, `u`: start coordinates and rates
        (m, rad; m/s, rad/s; quaternions w x y z).  `baumgarte`, `alpha`, `omega`, `mu` as the options of a
        simulation, for this joint.
        """
        if _kinds.text(kind, "kind") not in _JOINTS:
            raise UsageError(f"there is no kind of joint {kind!r}", joint=name, hint="kinds: " + ", ".join(_JOINTS))
        short = [at, axis, x_axis, at_b]
        fields = _given(at=at, axis=axis, x_axis=x_axis, at_b=at_b, position_a=position_a,
                        orientation_a=orientation_a, position_b=position_b, orientation_b=orientation_b, pitch=pitch,
                        distance=distance, radius=radius, q=q, u=u, baumgarte=baumgarte, alpha=alpha, omega=omega, mu=mu)
        if curve is not None:
            points = _kinds.numbers(curve, "curve", "(n, 3)")
            if points.ndim != 2 or points.shape[1] != 3:
                raise UsageError(f"the curve of joint {name!r} is not an array of points (n, 3)", joint=name)
            fields["curve"] = {"y": (points[:, 0], points[:, 1]), "z": (points[:, 0], points[:, 2])}
        if closed:
            fields["curve_closed"] = True
        if armature is not None:
            rotors = _kinds.numbers(armature, "armature").ravel().tolist()
            fields["armature"] = (rotors * 3 if kind == "spherical" and len(rotors) == 1
                                  else rotors + [0.0] * (3 - len(rotors)))
        if cut is not None:
            if not isinstance(cut, (bool, int, np.bool_)):
                raise _kinds.wrong("cut", "True, False or None", cut)
            fields["cut"] = int(cut)
        fields["global"] = any(value is not None for value in short)
        return self._add("joint", name, _JOINTS.index(kind), {**fields, "a": self._body(a), "b": self._body(b)})

    def force(self, name: str, body: str, vector: Vector, *, point: Vector | None = None, in_body: bool = False,
              table: Table | None = None) -> str:
        """Add a force (N) at a `point` (m, body axes); global axes, or turning with the body.

        `table`: (times s, factors on the vector).
        """
        fields = _given(point_b=point, vector=vector, table=table)
        return self._add("force", name, _POINT, {**fields, "b": self._body(body), "in_body": in_body})

    def torque(self, name: str, body: str, vector: Vector, *, in_body: bool = False,
               table: Table | None = None) -> str:
        """Add a torque (N m) on a body; `table` as of :meth:`force`."""
        fields = _given(vector=vector, table=table)
        return self._add("force", name, _TORQUE, {**fields, "b": self._body(body), "in_body": in_body})

    def joint_load(self, name: str, joint: str, *, coordinate: int = 0, stiffness: float = 0.0, damping: float = 0.0,
                   rest: float = 0.0, drive: float = 0.0, table: Table | None = None, friction: float = 0.0,
                   breakaway: float | None = None, stribeck_speed: float | None = None,
                   stiction_speed: float | None = None, lower: float | None = None, upper: float | None = None,
                   stop_stiffness: float | None = None, stop_dissipation: float | None = None,
                   stop_exponent: float | None = None, stop_restitution: float | None = None,
                   friction_coefficient: float | None = None,
                   static_coefficient: float | None = None, pin_radius: float | None = None,
                   collar_radius: float | None = None, bearing_span: float | None = None,
                   spring_table: Table | None = None, damper_table: Table | None = None,
                   effort_limit: float | None = None) -> str:
        """Add a spring (N/m, N m/rad), damper (N s/m, N m s/rad), drive and dry friction (N, N m) on a joint coordinate.

        `rest` m or rad; `table`: (times s, drives); `breakaway` N or N m; speeds m/s or rad/s.  `lower`, `upper`:
        limits (m, rad) by soft stops with `stop_stiffness` and `stop_dissipation` (s/m, s/rad), or by rigid ones with
        `stop_restitution` (0 to 1; integrator moreau).
        `friction_coefficient` with `pin_radius` and so on (m): friction by the reaction of the joint itself.
        `spring_table`, `damper_table`: (m or rad, N or N m) and (per s); `effort_limit` N or N m.
        """
        fields = _given(stiffness=stiffness, damping=damping, rest=rest, drive=drive, table=table, friction=friction,
                        breakaway=breakaway, stribeck_speed=stribeck_speed, stiction_speed=stiction_speed,
                        lower=lower, upper=upper, stop_stiffness=stop_stiffness, stop_dissipation=stop_dissipation,
                        stop_exponent=stop_exponent, stop_restitution=stop_restitution,
                        friction_coefficient=friction_coefficient,
                        static_coefficient=static_coefficient, pin_radius=pin_radius, collar_radius=collar_radius,
                        bearing_span=bearing_span, spring=spring_table, damper=damper_table, limit=effort_limit)
        number = self._number("joints", joint)
        return self._add("force", name, _JOINT, {**fields, "joint": number, "coordinate": coordinate})

    def spring(self, name: str, a: str, b: str, *, point_a: Vector = (0.0, 0.0, 0.0),
               point_b: Vector = (0.0, 0.0, 0.0), stiffness: float = 0.0, damping: float = 0.0,
               rest: float = 0.0, lower: float | None = None, upper: float | None = None,
               stop_stiffness: float | None = None, stop_dissipation: float | None = None,
               stop_exponent: float | None = None) -> str:
        """Add a spring-damper between points (m, body axes) of two bodies: N/m, N s/m, free length m.

        `lower`, `upper`: limits of the distance (m), as of :meth:`joint_load`; a rope has an `upper`, a bumper a `lower`.
        """
        fields = _given(point_a=point_a, point_b=point_b, stiffness=stiffness, damping=damping, rest=rest,
                        lower=lower, upper=upper, stop_stiffness=stop_stiffness, stop_dissipation=stop_dissipation,
                        stop_exponent=stop_exponent)
        return self._add("force", name, _SPRING, {**fields, "a": self._body(a), "b": self._body(b)})

    def angular_damper(self, name: str, a: str, b: str, *, damping: float) -> str:
        """Add a damper (N m s/rad) on the relative angular velocity of two bodies."""
        return self._add("force", name, _ANGULAR, {"a": self._body(a), "b": self._body(b), "damping": damping})

    def bushing(self, name: str, a: str, b: str, *, point_a: ArrayLike = (0, 0, 0), point_b: ArrayLike = (0, 0, 0),
                orientation_a: ArrayLike = (1, 0, 0, 0), orientation_b: ArrayLike = (1, 0, 0, 0),
                stiffness: ArrayLike = (0,) * 6, damping: ArrayLike = (0,) * 6, preload: ArrayLike = (0,) * 6) -> str:
        """Add a bushing along and about the axes of body `a`, turned by `orientation_a` (w, x, y, z).

        `point_a`, `point_b` m, body axes; `stiffness` (6,) N/m and N m/rad; `damping` (6,) N s/m and N m s/rad;
        `preload` (6,) N and N m on `b` without displacement.
        """
        return self._add("force", name, _BUSHING, {"a": self._body(a), "b": self._body(b), "point_a": point_a,
                                                   "point_b": point_b, "bushing_orientation_a": orientation_a,
                                                   "bushing_orientation_b": orientation_b,
                                                   "bushing_stiffness": stiffness, "bushing_damping": damping,
                                                   "bushing_preload": preload})

    def contact(self, name: str, a: str, b: str, *, stiffness: float | None = None, point: Vector | None = None,
                normal: Vector | None = None, exponent: float | None = None, dissipation: float | None = None,
                static_friction: float | None = None, dynamic_friction: float | None = None,
                viscous_friction: float | None = None, transition_speed: float | None = None,
                restitution: float | None = None) -> str:
        """Add contact of the shapes of two bodies, or of a plane of ``"ground"`` and a body.

        The plane has a `point` (m) and an outward `normal`, global.  `stiffness` N/m^exponent; `dissipation` s/m;
        `viscous_friction` s/m; `transition_speed` m/s.  With a `restitution` it is rigid (integrator moreau).
        """
        fields = _given(contact_point=point, contact_normal=normal, contact_exponent=exponent,
                        contact_dissipation=dissipation, contact_static_friction=static_friction,
                        contact_dynamic_friction=dynamic_friction, contact_viscous_friction=viscous_friction,
                        contact_transition_speed=transition_speed, contact_restitution=restitution,
                        contact_stiffness=stiffness)
        return self._add("force", name, _CONTACT, {**fields, "a": self._body(a), "b": self._body(b)})

    def contacts(self, name: str, among: Iterable[str] | None = None, touching: Iterable[str] | None = None, *,
                 without: Iterable[tuple[str, str]] = (), neighbours: bool = False, plane_only: bool = False,
                 most: int | None = None, stiffness: float | None = None, point: Vector | None = None, normal: Vector | None = None,
                 exponent: float | None = None, dissipation: float | None = None,
                 static_friction: float | None = None, dynamic_friction: float | None = None,
                 viscous_friction: float | None = None, transition_speed: float | None = None,
                 restitution: float | None = None) -> str:
        """Add contact of many bodies by their shapes, and with a plane of the ground if there is a `normal`.

        Bodies of `among` (default: all that have a shape) touch those of `touching` (default: each other).  Pairs of
        `without` do not, nor do bodies that a joint connects, unless `neighbours`.  With `plane_only` they touch the
        plane and not each other.  `most` points have room.  The other numbers are those of :meth:`contact`.  Names
        are those of bodies, each with all its shapes, or of single shapes of :meth:`shape`.
        """
        fields = _given(contact_point=point, contact_normal=normal, contact_exponent=exponent,
                        contact_dissipation=dissipation, contact_static_friction=static_friction,
                        contact_dynamic_friction=dynamic_friction, contact_viscous_friction=viscous_friction,
                        contact_transition_speed=transition_speed, contact_restitution=restitution,
                        contact_stiffness=stiffness, most=most)
        some = () if among is None else _kinds.names(among, "among")
        others = () if touching is None else _kinds.names(touching, "touching")
        if isinstance(without, (str, bytes)) or not isinstance(without, Iterable):
            raise _kinds.wrong("without", "a list of pairs of names", without)
        pairs = [_kinds.pair(pair, "each of without", "a pair of names") for pair in without]
        lists = {"among": [self._touching(b) for b in some], "with": [self._touching(b) for b in others],
                 "except": [self._touching(b) for pair in pairs for b in pair]}
        return self._add("force", name, _CONTACTS,
                         {**fields, **lists, "neighbours": neighbours, "plane_only": plane_only})

    def callback(self, name: str, call: Callable[[LoadView], ArrayLike | None]) -> str:
        """Add a load that a Python function computes; slow: some microseconds a call, several calls a step.

        ``call(view)`` returns (bodies, 6): N and N m about the centre of mass, global; or None.  It must be a smooth
        function of time and state; what else it reads may change at output times only, followed by ``s.changed()``.
        """
        _kinds.function(call, "call")

        def wrench(time: float, position: bytes, rotation: bytes, velocity: bytes,
                   input: bytes) -> NDArray[np.float64] | None:
            view = LoadView(time, np.frombuffer(position).reshape(-1, 3), np.frombuffer(rotation).reshape(-1, 3, 3),
                            np.frombuffer(velocity).reshape(-1, 6), np.frombuffer(input))
            return _kinds.wrench(call(view), len(view.position))

        return self._add("force", name, _CALLBACK, {"call": wrench})

    def motion(self, name: str, joint: str, *, offset: float | None = None, rate: float | None = None,
               amplitude: float | None = None, frequency: float | None = None, phase: float | None = None,
               table: Table | None = None, profile: str | None = None, end_rate: Vector | None = None) -> str:
        """Prescribe a joint: q = offset + rate t + amplitude sin(frequency t + phase), or a table.

        m or rad, per second; `offset` is the start coordinate by default.  `table`: (times s, positions);
        `profile`: natural, linear, smooth, clamped (with `end_rate`), monotone.
        """
        fields = _given(offset=offset, rate=rate, amplitude=amplitude, frequency=frequency, phase=phase, table=table,
                        end_rate=end_rate)
        if profile is not None:
            if _kinds.text(profile, "profile") not in _PROFILES:
                raise UsageError(f"there is no profile {profile!r}", hint="profiles: " + ", ".join(_PROFILES))
            fields["profile"] = _PROFILES.index(profile)
        return self._add("motion", name, 0, {**fields, "joint": self._number("joints", joint)})

    def coupling(self, name: str, first: str, second: str, *, ratio: float | None = None,
                 polynomial: Vector | None = None, table: Table | None = None, periodic: bool | None = None,
                 offset: float | None = None) -> str:
        """Couple two joints: q[second] = ratio q[first] + offset (m or rad; default: from the start).

        Instead of `ratio` a `polynomial` (a0, a1, ...) of q[first], or a `table` (q[first], q[second]) of a cam, a
        spline; `periodic`: it is one turn.  Then the default of `offset` is 0.
        """
        if (ratio is not None) + (polynomial is not None) + (table is not None) != 1:
            raise UsageError("a coupling has one of ratio, polynomial and table")
        fields = _given(ratio=ratio, table=table, periodic=periodic, offset=offset)
        if polynomial is not None:
            factors = _kinds.numbers(polynomial, "polynomial").ravel().tolist()
            fields["polynomial"] = (range(len(factors)), factors)
        return self._add("coupling", name, 0, {**fields, "first": self._number("joints", first),
                                               "second": self._number("joints", second)})

    def sum(self, name: str, factors: Mapping[str, float], *, offset: float | None = None) -> str:
        """Couple joints: the sum of factor times coordinate is the offset (m or rad; default: from the start)."""
        _kinds.mapping(factors, "factors", "a mapping of joints to factors, as {'left': 1, 'right': -1}")
        joints = [self._number("joints", joint) for joint in factors]
        return self._add("coupling", name, 0, {**_given(offset=offset), "sum": (joints, list(factors.values()))})

    def marker(self, name: str, body: str, position: Vector = (0.0, 0.0, 0.0)) -> str:
        """Add a point (m, body axes) whose motion is reported."""
        return self._add("marker", name, 0, {"body": self._body(body), "position": position})

    def shape(self, name: str, body: str = GROUND, **form: Any) -> str:
        """Add a shape beside that of a body, or one of the ground, for :meth:`contacts`; returns its name.

        The form is that of `shape` of :meth:`body`.

        >>> m = Model("walker")
        >>> _ = m.body("foot", mass=1, inertia=(1, 1, 1))
        >>> m.shape("heel", "foot", sphere=0.03, at=(-0.1, 0, 0))
        'heel'
        """
        self._add("shape", name, 0, {"body": self._body(body), **_shape(form)})
        self._added_shapes[name] = len(self._added_shapes)
        return name

    def visual(self, name: str, body: str = GROUND, *, mesh: str | None = None, scale: float | Vector = 1.0,
               shape: Mapping[str, Any] | None = None, at: Vector | None = None, orientation: Vector | None = None,
               colour: Vector | None = None) -> str:
        """Add something that is drawn on a body or the ground, and changes no motion; returns its name.

        `mesh` is a file of triangles (STL, OBJ, COLLADA), `scale` 0.001 for one in mm; else `shape` as of :meth:`body`.
        `at` (m) and `orientation` (quaternion w x y z) place a mesh in body axes; `colour` is red, green, blue, 0 to 1.

        >>> m = Model("arm")
        >>> _ = m.body("rod", mass=1, inertia=(1, 1, 1))
        >>> m.visual("foot", shape={"box": (0.4, 0.4, 0.1)}, colour=(0.2, 0.2, 0.2))
        'foot'
        """
        place = _given(shape_at=at, shape_orientation=orientation, colour=colour)
        scales = [float(scale)] * 3 if isinstance(scale, (int, float)) else scale
        form: dict[str, Any] = {**_shape(shape), **place} if mesh is None else {"mesh": mesh, "scale": scales, **place}
        if colour is not None:
            form["coloured"] = True
        return self._add("visual", name, 0, {"body": self._body(body), **form})

    def tendon(self, name: str, *, path: Sequence[tuple[str, Vector]] = (), of: Mapping[str, float] | None = None,
               stiffness: float | None = None, damping: float | None = None, length: float | None = None,
               drive: float | Table | None = None, lower: float | None = None, upper: float | None = None,
               stop_stiffness: float | None = None, stop_dissipation: float | None = None,
               stop_exponent: float | None = None) -> str:
        """Add a tendon: a rope over points ``path=[("ground", (0, 0, 1)), ("arm", (0.2, 0, 0))]`` (m, body axes), or
        the sum of coordinates ``of={"a": 0.02, "b": -0.02}``.

        Along its length act a spring (N/m, free `length` m), a damper (N s/m), a `drive` (N, positive lengthens it)
        and limits: `upper` makes a rope, `lower` a bumper.
        """
        if isinstance(path, (str, bytes)) or not isinstance(path, Iterable):
            raise _kinds.wrong("path", "a list of (body, point)", path)
        route = [_kinds.pair(step, "each of path", "(body, point)") for step in path]
        bodies = [float(self._body(body)) for body, _ in route]
        points = [_kinds.numbers(point, "a point of path", "(3,)").tolist() for _, point in route]
        if not all(isinstance(point, list) and len(point) == 3 for point in points):
            raise UsageError("a point of path has 3 coordinates")
        of = {} if of is None else _kinds.mapping(of, "of", "a mapping of joints to factors, as {'a': 0.02}")
        joints = [float(self._number("joints", joint)) for joint in of]
        tendon = {"x": (bodies, [p[0] for p in points]), "y": (bodies, [p[1] for p in points]),
                  "z": (bodies, [p[2] for p in points]),
                  "sum": (joints, [_kinds.number(x, "each of of") for x in of.values()])}
        fields = _given(stiffness=stiffness, damping=damping, rest=length, lower=lower, upper=upper,
                        stop_stiffness=stop_stiffness, stop_dissipation=stop_dissipation, stop_exponent=stop_exponent)
        if drive is not None:
            fields["drive" if isinstance(drive, (int, float)) else "table"] = drive
        return self._add("force", name, _TENDON, {**fields, "tendon": tendon})

    def drag(self, name: str, body: str, *, linear: float | Vector = 0.0, quadratic: float | Vector = 0.0,
             rotational_linear: float | Vector = 0.0, rotational_quadratic: float | Vector = 0.0,
             point: Vector | None = None, frame: str = "flow", fluid: Vector | None = None) -> str:
        """Add the drag of a fluid on a body, at a `point` (m, body axes).

        Coefficients N s/m, N s^2/m^2, N m s/rad and N m s^2/rad^2, one for all axes or one each; with `frame` "flow"
        along the velocity, with "body" or "global" along these axes one by one.  `fluid`: its velocity, m/s, global.
        """
        frames = ("flow", "body", "global")
        if _kinds.text(frame, "frame") not in frames:
            raise UsageError(f"there is no frame {frame!r}", hint="frames: " + ", ".join(frames))

        def three(x: float | Vector) -> list[float]:
            given = _kinds.numbers(x, "a coefficient of drag")
            if given.size not in (1, 3) or given.ndim > 1:
                raise UsageError(f"coefficients of drag are 1 or 3 numbers, not an array of shape {given.shape}")
            return [float(v) for v in np.broadcast_to(given, (3,))]

        fields = _given(point_b=point, fluid=fluid)
        return self._add("force", name, _DRAG, {
            **fields, "b": self._body(body), "drag_frame": frames.index(frame),
            "linear": three(linear) + three(rotational_linear),
            "quadratic": three(quadratic) + three(rotational_quadratic)})

    def input(self, name: str, *, joint: str | None = None, coordinate: int = 0, force_on: str | None = None,
              torque_on: str | None = None, motion: str | None = None, tendon: str | None = None,
              drag: str | None = None, point: Vector | None = None, vector: Vector | None = None,
              in_body: bool = False, value: float = 0.0,
              limit: float | Vector | None = None, rate_limit: float = 0.0, stall_effort: float = 0.0,
              no_load_speed: float = 0.0) -> str:
        """Add a number that is set between steps; returns its name.

        It is an effort (N, N m) of a `joint`; or a force or torque ``value x vector`` on the body `force_on` at
        `point`, or `torque_on`; or an acceleration added to a `motion`; or a force (N) along a `tendon`, positive
        lengthens it; or ``value x vector`` added to the fluid of a `drag`; or, with none of these, a number for
        callbacks.  `limit`: largest magnitude, or (least, largest); what is set beyond is cut.

        Of a joint also: `rate_limit` (N/s, N m/s), how fast the effort follows what is set; and a line of effort over
        speed, `stall_effort` at rest and against the motion, nothing left along it at `no_load_speed`.
        """
        if sum(target is not None for target in (joint, force_on, torque_on, motion, tendon, drag)) > 1:
            raise UsageError(f"input {name!r} acts on one thing: joint, force_on, torque_on, motion, tendon or drag")
        fields = _given(point=point, vector=vector)
        fields["value"] = value
        fields |= {"rate_limit": rate_limit, "stall_effort": stall_effort, "no_load_speed": no_load_speed}
        if limit is not None:
            fields["limit"] = (-limit, limit) if isinstance(limit, (int, float)) else limit
        if joint is not None:
            return self._add("input", name, 0, {**fields, "joint": self._number("joints", joint),
                                                "coordinate": coordinate})
        if force_on is not None or torque_on is not None:
            body = self._body(force_on or torque_on or GROUND)
            return self._add("input", name, 1 if force_on is not None else 2,
                             {**fields, "body": body, "in_body": in_body})
        if motion is not None:
            return self._add("input", name, 3, {**fields, "motion": self._number("motions", motion)})
        if tendon is not None:
            return self._add("input", name, 5, {**fields, "force": self._number("forces", tendon)})
        if drag is not None:
            return self._add("input", name, 6, {**fields, "force": self._number("forces", drag)})
        return self._add("input", name, 4, fields)

    def event(self, name: str, *, at: float | None = None, joint: str | None = None, rate: str | None = None,
              force: str | None = None, torque: str | None = None, effort: str | None = None,
              marker_distance: tuple[str, str] | None = None, above: float | None = None, below: float | None = None,
              again: bool = False, lock: str | None = None, release: str | None = None,
              attach: tuple[str, str] | None = None, kind: str = "fixed", position: Vector | None = None,
              axis: Vector | None = None, stop: bool = False) -> str:
        """Add an event; returns its name.

        It comes `at` a time (s), or when a quantity rises `above` a value or falls `below` one (SI units); with
        `again` at every crossing.  The quantity is the coordinate of a `joint`, its `rate`, the size of its constraint
        `force` or `torque`, its `effort`, or the distance of two markers.  An event does one thing: `lock` a
        joint; `release` an event with a lock or an attachment, or a joint; `attach` two bodies by a joint of that
        `kind`, whose `position` (m) and `axis` are in the axes of the first body; or `stop` the run.
        """
        on = {0: joint, 1: rate, 3: force, 4: torque, 5: effort}
        if sum(x is not None for x in (at, marker_distance, *on.values())) != 1:
            raise UsageError(f"event {name!r} needs one of at, joint, rate, force, torque, effort, marker_distance")
        if at is None and (above is None) == (below is None):
            raise UsageError(f"event {name!r} needs one of above, below")
        if sum((lock is not None, release is not None, attach is not None, bool(stop))) != 1:
            raise UsageError(f"event {name!r} needs one of lock, release, attach, stop")
        value = above if above is not None else below
        fields = _given(time=at, value=value, release=release, position=position, axis=axis)
        fields.update(again=again, below=below is not None)
        for condition, of in on.items():
            if of is not None:
                fields.update(condition=condition, joint=self._number("joints", of))
        if marker_distance is not None:
            first, second = (self._number("markers", marker) for marker in
                             _kinds.pair(marker_distance, "marker_distance", "a pair of markers"))
            fields.update(condition=2, marker=first, other_marker=second)
        if lock is not None:
            fields.update(action=0, lock=self._number("joints", lock))
        if attach is not None:
            if _kinds.text(kind, "kind") not in _JOINTS:
                raise UsageError(f"there is no kind of joint {kind!r}", joint=name, hint="kinds: " + ", ".join(_JOINTS))
            first, second = (self._body(body) for body in _kinds.pair(attach, "attach", "a pair of bodies"))
            fields.update(action=2, a=first, b=second, kind=_JOINTS.index(kind))
        elif lock is None:
            fields["action"] = 3 if stop else 1
        return self._add("event", name, 0, fields)

    # ---------------------------------------------------------------- whole models

    def finish(self) -> "Model":
        """Check the model and freeze it; a simulation does this by itself.  Returns the model."""
        _core.finish(self._handle)
        return self

    def text(self) -> str:
        """The model as a YAML model file; reading it gives the same model to the last bit."""
        return self._text(None)

    def _text(self, path: str | os.PathLike[str] | None) -> str:
        """The text of a file of that name: files of meshes are named from its folder, else from the working folder."""
        self.finish()
        return _core.write_text(self._handle, None if path is None else os.path.abspath(path))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as a new model file; FileExistsError if there is a file of that name."""
        name = os.fsdecode(path)
        text = self._text(name)
        with open(name, "x", encoding="utf-8") as out:
            out.write(text)

    def __reduce__(self) -> tuple[Any, ...]:
        return loads, (self.text(),)

    def __repr__(self) -> str:
        return f"<cleave.Model {self.name!r}: {len(self.bodies)} bodies, {len(self.joints)} joints>"


def _shape(shape: Mapping[str, Any] | None) -> dict[str, Any]:
    if shape is None:
        return {}
    _kinds.mapping(shape, "shape", "a mapping, as {'box': (1, 0.05, 0.05)}")
    kinds = [key for key in shape if key in _SHAPES[1:]]
    others = set(shape) - set(kinds) - {"at", "orientation", "colour", "closed"}
    if len(kinds) != 1 or others or ("closed" in shape and kinds != ["bore"]):
        raise UsageError(f"a shape is one of {', '.join(_SHAPES[1:])}, with at, orientation, colour, "
                         f"a bore with closed; not {dict(shape)!r}")
    fields = _given(shape_at=shape.get("at"), shape_orientation=shape.get("orientation"), colour=shape.get("colour"))
    if kinds == ["points"]:
        points = _kinds.numbers(shape["points"], "points", "(n, 3)")
        if points.ndim != 2 or points.shape[1] != 3:
            raise UsageError(f"points are rows of three numbers, not an array of shape {points.shape}")
        return {**fields, "shape": _SHAPES.index("points"), "points": points.ravel().tolist(),
                "coloured": "colour" in shape}
    size = _kinds.numbers(shape[kinds[0]], f"the size of a {kinds[0]}").ravel().tolist()
    if len(size) != _SIZES[kinds[0]]:
        raise UsageError(f"a {kinds[0]} has {_SIZES[kinds[0]]} sizes, not {len(size)}")
    if shape.get("closed", "none") not in _ENDS:
        raise UsageError(f"ends of a bore are closed by {', '.join(_ENDS)}, not {shape['closed']!r}")
    closed = {"closed": _ENDS.index(shape["closed"])} if "closed" in shape else {}
    return {**fields, "shape": _SHAPES.index(kinds[0]), "size": size + [0.0] * (3 - len(size)),
            "coloured": "colour" in shape, **closed}


# ---------------------------------------------------------------- reading

def _texts(given: Mapping[str, Any]) -> list[str]:
    """"name=value" for every parameter; texts may have a unit."""
    return [f"{name}={value if isinstance(value, str) else repr(_kinds.number(value, f'parameter {name}'))}"
            for name, value in given.items()]


def load(path: str | os.PathLike[str], /, *, lenient: bool = False, **parameters: float | str) -> Model:
    """Read a model file (YAML) or a robot (URDF, MJCF, SDF).

    A robot may lose something, as limits of its joints: :attr:`Model.dropped` lists it.  :func:`load_robot` has options.

    Keywords set parameters of the file, as numbers in the file's unit or texts with one (``length="300 mm"``).
    With `lenient`, inertias that no body can have are replaced by the nearest valid ones.
    """
    name = os.fsdecode(path)
    return Model._of(_core.read_text(_bytes_of(name), name, _texts(parameters), lenient))


def load_robot(
    path: str | os.PathLike[str], /, *, floating: bool = False, friction: bool = False, lenient: bool = False,
    stops: str | float | None = None, contacts: str | float | None = None, floor: float | None = None,
) -> Model:
    """Read a robot (URDF, MJCF, SDF) with options for what its file leaves open, as ``cleave import`` has them.

    floating: the root link of a URDF moves freely; else it is fixed to the ground.
    friction: dry friction of joints becomes `friction` of joint-loads.
    lenient: as in :func:`load`.
    stops: limits of joints become stops: "none", "rigid", or their stiffness in N m/rad and N/m.  By default they are
        rigid where contacts are, else there are none.
    contacts: "none", "rigid", or their stiffness in N/m^1.5.  By default those of MJCF are rigid, others have none.
    floor: height of a plane that shapes touch, in m.  By default there is none.

    >>> load_robot("dog.urdf", floating=True, contacts="rigid", floor=0)  # doctest: +SKIP
    """
    name = os.fsdecode(path)
    given = [None if x is None else _kinds.text(x, "an option of a robot") if isinstance(x, str) else repr(float(x))
             for x in (stops, contacts, floor)]
    return Model._of(_core.read_robot(_bytes_of(name), name, floating, friction, lenient, *given))


def _bytes_of(name: str) -> bytes:
    try:
        with open(name, "rb") as source:
            return source.read()
    except OSError as error:
        raise FileError(error.strerror or str(error), file=name) from error


def loads(text: str, /, *, lenient: bool = False, **parameters: float | str) -> Model:
    """Read a model from text, as :func:`load` does from a file.

    >>> loads("cleave: 1\\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}").bodies
    ('a',)
    """
    return Model._of(_core.read_text(_kinds.text(text, "the text of a model").encode(), None, _texts(parameters), lenient))


def example(name: str, /, **parameters: float | str) -> Model:
    """A built-in example; :func:`examples` lists their names.

    >>> example("hdca-case1").joints[:2]
    ('J1', 'J2')
    """
    return Model._of(_core.example(_kinds.text(name, "the name of an example"), _texts(parameters)))


def examples() -> tuple[str, ...]:
    """Names of the built-in examples."""
    return _core.names("examples")


def _source(model: Any) -> Model:
    """A model, or the model of a path or example name."""
    if isinstance(model, Model):
        return model
    if isinstance(model, str) and model in examples():
        return example(model)
    if isinstance(model, (str, bytes, os.PathLike)):
        return load(os.fsdecode(model))
    raise _kinds.wrong("the model", "a Model, a path or the name of an example", model)
