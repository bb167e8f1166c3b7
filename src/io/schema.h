/* SPDX-License-Identifier: Apache-2.0
 * Every key a model file may hold, in one table: the reader is driven by it, suggestions come from it, docs/model-file.md is
 * checked against it.  A new key is one row in the list below and one line where its section is read. */
#ifndef CLV_IO_SCHEMA_H
#define CLV_IO_SCHEMA_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum clv_section {
    CLV_IN_FILE,
    CLV_IN_PARAMETER,
    CLV_IN_BODY,
    CLV_IN_SHAPE,
    CLV_IN_FLEXIBLE,
    CLV_IN_BEAM,
    CLV_IN_BEAM_MODES,
    CLV_IN_MODAL,
    CLV_IN_NODE,
    CLV_IN_JOINT,
    CLV_IN_SIDE,
    CLV_IN_ORIENTATION,
    CLV_IN_FORCE,
    CLV_IN_TORQUE,
    CLV_IN_LOAD,
    CLV_IN_SPRING,
    CLV_IN_DAMPER,
    CLV_IN_BUSHING,
    CLV_IN_CONTACT,
    CLV_IN_TENDON,
    CLV_IN_DRAG,
    CLV_IN_CONTACTS,
    CLV_IN_MOTION,
    CLV_IN_COUPLING,
    CLV_IN_MARKER,
    CLV_IN_VISUAL,
    CLV_IN_BODY_SHAPE,
    CLV_IN_INPUT,
    CLV_IN_EVENT,
    CLV_IN_WHEN,
    CLV_IN_START,
    CLV_IN_START_BODY,
    CLV_IN_START_JOINT,
    CLV_IN_START_MODES,
    CLV_IN_FE,
    CLV_IN_INTERFACE,
    CLV_SECTIONS
} clv_section;

typedef enum clv_key_type {
    CLV_AS_NUMBER, /* one number                                     */
    CLV_AS_FORMULA, /* one number, evaluated by its section           */
    CLV_AS_WHOLE,  /* one whole number                               */
    CLV_AS_LIST,   /* list of `least` to `most` numbers              */
    CLV_AS_EITHER, /* a number, or a list of up to `most`            */
    CLV_AS_INERTIA, /* list of 3 or 6 numbers, or `from shape`       */
    CLV_AS_BOOL,   /* true or false                                  */
    CLV_AS_TEXT,   /* one word or text; names                        */
    CLV_AS_NAMES,  /* list of `least` to `most` names                */
    CLV_AS_PAIRS,  /* list of pairs of names                         */
    CLV_AS_TABLE,  /* list of [time, value]                          */
    CLV_AS_NUMBER_OR_TABLE,
    CLV_AS_POINTS, /* two points [[x, y, z], [x, y, z]]              */
    CLV_AS_NUMBERS, /* list of numbers, as many as there are modes   */
    CLV_AS_PATH,   /* list of [body, [x, y, z]]                      */
    CLV_AS_ROWS,   /* list of rows of `least` numbers                */
    CLV_AS_SQUARE, /* square matrix by rows, or its diagonal         */
    CLV_AS_WHOLE_OR_MAP, /* whole number, or a mapping               */
    CLV_AS_MAP     /* mapping, read by its own section               */
} clv_key_type;

/* Of every number: FRACTION is 0 to 1; NOT_ZERO: of one at least. */
typedef enum clv_bound { CLV_ANY, CLV_POSITIVE, CLV_NOT_NEGATIVE, CLV_NOT_ZERO, CLV_FRACTION } clv_bound;

/* May the number carry `deg`?  BY_JOINT: if the joint coordinate concerned is an angle. */
typedef enum clv_angle { CLV_NO_ANGLE, CLV_ANGLE, CLV_BY_JOINT } clv_angle;

/*  X(section, id, key, type, least, most, bound, angle, required, unit, default, example, text) */
#define CLV_REPEAT_ROWS(X, S)                                                                                                   \
    X(S, REPEAT, "repeat", WHOLE, 1, 1, POSITIVE, NO_ANGLE, false, "", "1", "repeat: 10", "copies of this entry; {i} in names counts") \
    X(S, FROM, "from", WHOLE, 1, 1, ANY, NO_ANGLE, false, "", "1", "from: 2", "first value of {i}")

/* Of joints that translate and that rotate, of motions of such joints; inputs of bodies and of callbacks have none. */
#define CLV_INPUT_UNITS "N, N m, m/s^2, rad/s^2"

#define CLV_SCHEMA(X)                                                                                                           \
    X(FILE, CLEAVE, "cleave", WHOLE, 1, 1, ANY, NO_ANGLE, true, "", "", "cleave: 1", "version of this format")                    \
    X(FILE, NAME, "name", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "file name", "name: four-bar", "name of the model")               \
    X(FILE, GRAVITY, "gravity", LIST, 3, 3, ANY, NO_ANGLE, false, "m/s^2", "[0, 0, -9.81]", "gravity: [0, -9.81, 0]", "gravity, global axes") \
    X(FILE, LENIENT, "lenient", BOOL, 1, 1, ANY, NO_ANGLE, false, "", "false", "lenient: true", "true: an inertia that no rigid body has is clipped to the nearest valid one") \
    X(FILE, TIME, "time", NUMBER, 1, 1, POSITIVE, NO_ANGLE, false, "s", "none", "time: 10", "suggested duration of a run")        \
    X(FILE, PARAMETERS, "parameters", MAP, 0, 0, ANY, NO_ANGLE, false, "", "none", "parameters: {l: 0.4 m, mass: {value: 3, unit: kg, range: [0.1, 10]}}", "numbers by name, for formulas") \
    X(FILE, BODIES, "bodies", MAP, 0, 0, ANY, NO_ANGLE, true, "", "", "bodies: {crank: {mass: 1, inertia: [1, 1, 1]}}", "bodies by name") \
    X(FILE, JOINTS, "joints", MAP, 0, 0, ANY, NO_ANGLE, false, "", "none", "joints: {a: {kind: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}}", "joints by name") \
    X(FILE, FORCES, "forces", MAP, 0, 0, ANY, NO_ANGLE, false, "", "none", "forces: {f: {kind: torque, body: crank, vector: [0, 0, 1]}}", "forces by name") \
    X(FILE, MOTIONS, "motions", MAP, 0, 0, ANY, NO_ANGLE, false, "", "none", "motions: {m: {joint: a, rate: 6.28}}", "prescribed motions by name") \
    X(FILE, COUPLINGS, "couplings", MAP, 0, 0, ANY, NO_ANGLE, false, "", "none", "couplings: {g: {first: a, second: b, ratio: -2}}", "gears, mimics, cams and sums of coordinates by name") \
    X(FILE, MARKERS, "markers", MAP, 0, 0, ANY, NO_ANGLE, false, "", "none", "markers: {K: {body: crank, position: [1, 0, 0]}}", "points to report by name") \
    X(FILE, SHAPES, "shapes", MAP, 0, 0, ANY, NO_ANGLE, false, "", "none", "shapes: {heel: {body: foot, sphere: 0.03, at: [-0.1, 0, 0]}}", "shapes beside those of the bodies, for contacts, by name") \
    X(FILE, VISUALS, "visuals", MAP, 0, 0, ANY, NO_ANGLE, false, "", "none", "visuals: {hull: {body: crank, mesh: crank.stl, scale: 0.001}}", "meshes and shapes that are drawn, by name") \
    X(FILE, BRANCHES, "branches", MAP, 0, 0, ANY, NO_ANGLE, false, "", "none", "branches: {left: [l1, l2]}", "lists of bodies by branch name") \
    X(FILE, INPUTS, "inputs", MAP, 0, 0, ANY, NO_ANGLE, false, "", "none", "inputs: {hip: {joint: a, limit: 20}}", "numbers that a program sets during a run, by name") \
    X(FILE, EVENTS, "events", MAP, 0, 0, ANY, NO_ANGLE, false, "", "none", "events: {latch: {when: {joint: a, above: 0}, lock: a}}", "joints locked or released, bodies attached and runs ended, by name of the event") \
    X(FILE, START, "start", MAP, 0, 0, ANY, NO_ANGLE, false, "", "at rest", "start: {joints: {a: {q: 0.3}}}", "start state")       \
                                                                                                                                \
    X(PARAMETER, VALUE, "value", FORMULA, 1, 1, ANY, NO_ANGLE, true, "", "", "value: 3", "value, or a formula of other parameters") \
    X(PARAMETER, UNIT, "unit", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "none", "unit: kg", "unit of value, range, and of `run MODEL name=value`") \
    X(PARAMETER, RANGE, "range", NUMBERS, 2, 2, ANY, NO_ANGLE, false, "", "none", "range: [0.1, 10]", "least and largest value") \
                                                                                                                                \
    X(BODY, MASS, "mass", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "kg", "", "mass: 1", "mass")                                \
    X(BODY, COM, "com", LIST, 3, 3, ANY, NO_ANGLE, false, "m", "[0, 0, 0]", "com: [0.5, 0, 0]", "centre of mass, body axes")      \
    X(BODY, INERTIA, "inertia", INERTIA, 3, 6, ANY, NO_ANGLE, false, "kg m^2", "", "inertia: [0.1, 1, 1]", "xx yy zz, or xx yy zz xy xz yz, about the centre of mass, body axes; or `from shape`") \
    X(BODY, FLEXIBLE, "flexible", MAP, 0, 0, ANY, NO_ANGLE, false, "", "none", "flexible: {file: boom.flex}", "makes the body flexible; mass, com and inertia then come from its data") \
    X(BODY, SHAPE, "shape", MAP, 0, 0, ANY, NO_ANGLE, false, "", "none", "shape: {box: [1, 0.05, 0.05]}", "shape for viewers, contacts and `inertia: from shape`") \
    X(BODY, BRANCH, "branch", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "none", "branch: left", "name of the branch the body belongs to") \
    CLV_REPEAT_ROWS(X, BODY)                                                                                                    \
                                                                                                                                \
    X(SHAPE, BOX, "box", LIST, 3, 3, POSITIVE, NO_ANGLE, false, "m", "", "box: [1, 0.05, 0.05]", "edges along x, y, z")            \
    X(SHAPE, SPHERE, "sphere", NUMBER, 1, 1, POSITIVE, NO_ANGLE, false, "m", "", "sphere: 0.1", "radius")                          \
    X(SHAPE, CYLINDER, "cylinder", LIST, 2, 2, POSITIVE, NO_ANGLE, false, "m", "", "cylinder: [0.05, 1]", "radius and length, along z") \
    X(SHAPE, CAPSULE, "capsule", LIST, 2, 2, POSITIVE, NO_ANGLE, false, "m", "", "capsule: [0.05, 1]", "radius and length between the caps, along z") \
    X(SHAPE, BORE, "bore", LIST, 3, 3, POSITIVE, NO_ANGLE, false, "m", "", "bore: [0.0105, 0.02, 0.03]", "inner radius, outer radius and length of a hole, along z: contacts are inside it") \
    X(SHAPE, CLOSED, "closed", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "none", "closed: both", "of a bore: ends with a bottom as thick as the wall: none, lower (at -z), upper or both") \
    X(SHAPE, MESH, "mesh", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "", "mesh: foot.stl", "file of triangles, STL, OBJ or COLLADA (.dae), relative to the model file: their convex hull") \
    X(SHAPE, SCALE, "scale", EITHER, 1, 3, ANY, NO_ANGLE, false, "", "1", "scale: 0.001", "of the mesh: 0.001 for one in mm; one number, or one for each of its axes") \
    X(SHAPE, POINTS, "points", ROWS, 3, 3, ANY, NO_ANGLE, false, "m", "", "points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]", "at least four points, shape axes: their convex hull") \
    X(SHAPE, AT, "at", LIST, 3, 3, ANY, NO_ANGLE, false, "m", "[0, 0, 0]", "at: [0.5, 0, 0]", "middle of the shape, or origin of its mesh or points, body axes")    \
    X(SHAPE, ORIENTATION, "orientation", MAP, 0, 0, ANY, NO_ANGLE, false, "", "none", "orientation: {axis: [0, 1, 0], angle: 90 deg}", "shape axes to body axes") \
    X(SHAPE, COLOUR, "colour", LIST, 3, 3, FRACTION, NO_ANGLE, false, "", "chosen", "colour: [0.8, 0.2, 0.1]", "red, green, blue, 0 to 1") \
                                                                                                                                \
    X(FLEXIBLE, BEAM, "beam", MAP, 0, 0, ANY, NO_ANGLE, false, "", "", "beam: {length: 2, density: 2700, young: 7e10, tube: [0.02, 0.018], modes: 4}", "a uniform straight beam along body x, clamped in the body frame") \
    X(FLEXIBLE, MODAL, "modal", MAP, 0, 0, ANY, NO_ANGLE, false, "", "", "modal: {mass: 1, com: [1, 0, 0], inertia: [0, 0.34, 0.34, 0, 0, 0], modal_mass: [1], stiffness: [60], momentum: [[0, 0.8, 0]], moments: [[0, 1.1, 0, 0, 0, 0, 0, 0, 0]], products: [[0, 0, 0, 0, 1, 0, 0, 0, 0]]}", "modes and their integrals as numbers") \
    X(FLEXIBLE, FILE, "file", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "", "file: boom.flex", "file of modes, as `cleave flex reduce` writes it; relative to the model file") \
    X(FLEXIBLE, RATIO, "damping_ratio", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "", "0, or from its data", "damping_ratio: 0.01", "damping ratio of every mode (fraction of critical damping)") \
    X(FLEXIBLE, SPIN, "spin_limit", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "rad/s", "0.3 of the first bending frequency", "spin_limit: 2.5", "angular velocity of the body above which the run stops: linear modes omit centrifugal stiffening; 0: none") \
                                                                                                                                \
    X(BEAM, LENGTH, "length", NUMBER, 1, 1, POSITIVE, NO_ANGLE, true, "m", "", "length: 2", "length along body x") \
    X(BEAM, DENSITY, "density", NUMBER, 1, 1, POSITIVE, NO_ANGLE, true, "kg/m^3", "", "density: 2700", "density") \
    X(BEAM, YOUNG, "young", NUMBER, 1, 1, POSITIVE, NO_ANGLE, true, "N/m^2", "", "young: 7e10", "Young's modulus") \
    X(BEAM, SHEAR, "shear", NUMBER, 1, 1, POSITIVE, NO_ANGLE, false, "N/m^2", "no twist", "shear: 2.7e10", "shear modulus, for twist") \
    X(BEAM, TUBE, "tube", LIST, 2, 2, NOT_NEGATIVE, NO_ANGLE, false, "m", "", "tube: [0.02, 0.018]", "section: outer and inner radius; inner 0 is a rod") \
    X(BEAM, RECTANGLE, "rectangle", LIST, 2, 2, POSITIVE, NO_ANGLE, false, "m", "", "rectangle: [0.05, 0.002]", "section: edges along y and z") \
    X(BEAM, AREA, "area", NUMBER, 1, 1, POSITIVE, NO_ANGLE, false, "m^2", "", "area: 2.4e-4", "section: area, with I_y and I_z") \
    X(BEAM, IY, "I_y", NUMBER, 1, 1, POSITIVE, NO_ANGLE, false, "m^4", "", "I_y: 4.3e-8", "section: second moment about y, for bending along z") \
    X(BEAM, IZ, "I_z", NUMBER, 1, 1, POSITIVE, NO_ANGLE, false, "m^4", "", "I_z: 4.3e-8", "section: second moment about z, for bending along y") \
    X(BEAM, IT, "I_t", NUMBER, 1, 1, POSITIVE, NO_ANGLE, false, "m^4", "no twist", "I_t: 8.6e-8", "section: torsion constant") \
    X(BEAM, MODES, "modes", WHOLE_OR_MAP, 1, 1, POSITIVE, NO_ANGLE, true, "", "", "modes: {bend_y: 2, bend_z: 2, twist: 1}", "modes by family, or the number of lowest modes") \
    X(BEAM, BASIS, "basis", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "craig-bampton", "basis: clamped-free", "craig-bampton (static modes of the tip, and modes with the tip fixed) or clamped-free") \
    X(BEAM, NODES, "nodes", MAP, 0, 0, ANY, NO_ANGLE, false, "m", "{tip: length}", "nodes: {tip: 2, middle: 1}", "points for joints, forces and markers, by distance from the frame: NAME.tip") \
                                                                                                                                \
    X(BEAM_MODES, Y, "bend_y", WHOLE, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "", "0", "bend_y: 2", "deflections along y") \
    X(BEAM_MODES, Z, "bend_z", WHOLE, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "", "0", "bend_z: 2", "deflections along z") \
    X(BEAM_MODES, TWIST, "twist", WHOLE, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "", "0", "twist: 1", "twists about x") \
    X(BEAM_MODES, STRETCH, "stretch", WHOLE, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "", "0", "stretch: 0", "extensions along x") \
                                                                                                                                \
    X(MODAL, VERSION, "flex", WHOLE, 1, 1, ANY, NO_ANGLE, false, "", "1; required in a file", "flex: 1", "version of this format") \
    X(MODAL, MASS, "mass", NUMBER, 1, 1, POSITIVE, NO_ANGLE, true, "kg", "", "mass: 1", "mass") \
    X(MODAL, COM, "com", LIST, 3, 3, ANY, NO_ANGLE, false, "m", "[0, 0, 0]", "com: [1, 0, 0]", "centre of mass of the undeformed body, body axes") \
    X(MODAL, INERTIA, "inertia", LIST, 6, 6, ANY, NO_ANGLE, true, "kg m^2", "", "inertia: [0, 0.34, 0.34, 0, 0, 0]", "xx yy zz xy xz yz of the undeformed body about its centre of mass") \
    X(MODAL, MODAL_MASS, "modal_mass", SQUARE, 0, 0, ANY, NO_ANGLE, true, "", "", "modal_mass: [1, 1]", "modal mass: its diagonal, or the matrix by rows") \
    X(MODAL, STIFFNESS, "stiffness", SQUARE, 0, 0, ANY, NO_ANGLE, true, "", "", "stiffness: [60, 2400]", "modal stiffness: its diagonal, or the matrix by rows") \
    X(MODAL, DAMPING, "damping", SQUARE, 0, 0, ANY, NO_ANGLE, false, "", "none", "damping: [0.1, 0.9]", "modal damping: its diagonal, or the matrix by rows") \
    X(MODAL, MOMENTUM, "momentum", ROWS, 3, 3, ANY, NO_ANGLE, true, "", "", "momentum: [[0, 0.78, 0], [0, 0.43, 0]]", "by modes: integral of phi dm") \
    X(MODAL, ANGULAR, "angular_momentum", ROWS, 3, 3, ANY, NO_ANGLE, false, "", "from moments", "angular_momentum: [[0, 0, 1.1], [0, 0, 0.2]]", "by modes: integral of x cross phi dm, and of rotary inertia") \
    X(MODAL, MOMENTS, "moments", ROWS, 9, 9, ANY, NO_ANGLE, true, "", "", "moments: [[0, 1.1, 0, 0, 0, 0, 0, 0, 0], [0, 0.2, 0, 0, 0, 0, 0, 0, 0]]", "by modes: integral of x phi^T dm, rows xx xy xz yx ... zz") \
    X(MODAL, PRODUCTS, "products", ROWS, 9, 9, ANY, NO_ANGLE, true, "", "", "products: [[0, 0, 0, 0, 1, 0, 0, 0, 0]]", "by pairs of modes 11 12 ... 21 22 ...: integral of phi_k phi_l^T dm") \
    X(MODAL, SPIN, "spin_limit", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "rad/s", "0.3 of the lowest frequency", "spin_limit: 2.5", "as in flexible, which has priority; 0: none") \
    X(MODAL, NODES, "nodes", MAP, 0, 0, ANY, NO_ANGLE, false, "", "none", "nodes: {tip: {position: [2, 0, 0], shapes: [[0, 2, 0, 0, 0, 1.4], [0, -2, 0, 0, 0, -4.8]]}}", "points for joints, forces and markers: NAME.tip") \
                                                                                                                                \
    X(NODE, POSITION, "position", LIST, 3, 3, ANY, NO_ANGLE, true, "m", "", "position: [2, 0, 0]", "origin of the undeformed node, body axes") \
    X(NODE, ORIENTATION, "orientation", MAP, 0, 0, ANY, NO_ANGLE, false, "", "none", "orientation: {axis: [0, 0, 1], angle: 90 deg}", "node axes to body axes, undeformed") \
    X(NODE, SHAPES, "shapes", ROWS, 6, 6, ANY, NO_ANGLE, true, "m, rad", "", "shapes: [[0, 2, 0, 0, 0, 1.4], [0, -2, 0, 0, 0, -4.8]]", "per mode: translation and rotation of the node per unit of the modal coordinate, body axes") \
                                                                                                                                \
    X(JOINT, KIND, "kind", TEXT, 1, 1, ANY, NO_ANGLE, true, "", "", "kind: revolute", "fixed revolute prismatic helical cylindrical universal planar spherical free point distance rolling-disc rolling-sphere knife-edge point-on-curve") \
    X(JOINT, BETWEEN, "between", NAMES, 2, 2, ANY, NO_ANGLE, false, "", "", "between: [ground, crank]", "short form: inboard and outboard body, or ground") \
    X(JOINT, AT, "at", LIST, 3, 3, ANY, NO_ANGLE, false, "m", "", "at: [0, 0, 0]", "short form: joint point, global, in the start pose") \
    X(JOINT, AT_B, "at_b", LIST, 3, 3, ANY, NO_ANGLE, false, "m", "", "at_b: [1, 0, 0]", "short form of distance: the point on the second body") \
    X(JOINT, AXIS, "axis", LIST, 3, 3, NOT_ZERO, NO_ANGLE, false, "", "", "axis: [0, 0, 1]", "short form: joint z axis, global, any length") \
    X(JOINT, X_AXIS, "x_axis", LIST, 3, 3, NOT_ZERO, NO_ANGLE, false, "", "chosen", "x_axis: [1, 0, 0]", "short form: direction near the joint x axis, global") \
    X(JOINT, A, "a", MAP, 0, 0, ANY, NO_ANGLE, false, "", "", "a: {body: crank, position: [1, 0, 0]}", "long form: joint frame on the inboard body") \
    X(JOINT, B, "b", MAP, 0, 0, ANY, NO_ANGLE, false, "", "", "b: {body: coupler}", "long form: joint frame on the outboard body") \
    X(JOINT, PITCH, "pitch", NUMBER, 1, 1, ANY, NO_ANGLE, false, "m/rad", "", "pitch: 0.01", "helical: translation per angle")            \
    X(JOINT, LENGTH, "length", NUMBER, 1, 1, POSITIVE, NO_ANGLE, false, "m", "from the start pose", "length: 0.5", "distance: the distance kept") \
    X(JOINT, RADIUS, "radius", NUMBER, 1, 1, POSITIVE, NO_ANGLE, false, "m", "", "radius: 0.3", "rolling-disc, rolling-sphere: its radius") \
    X(JOINT, CURVE, "curve", ROWS, 3, 3, ANY, NO_ANGLE, false, "m", "", "curve: [[1, 0, 0], [0, 1, 0], [-1, 0, 0]]", "point-on-curve: points of the curve, in the joint frame of a; a cubic spline through them, straight beyond its ends") \
    X(JOINT, CLOSED, "closed", BOOL, 1, 1, ANY, NO_ANGLE, false, "", "false", "closed: true", "a piece leads from its last point back to its first") \
    X(JOINT, ARMATURE, "armature", EITHER, 1, 3, NOT_NEGATIVE, NO_ANGLE, false, "kg m^2, or kg of translations", "0", "armature: 0.02", "inertia of the rotors of drives, reflected to the joint: rotor inertia times the square of its gear ratio; a list has one number for each rate") \
    X(JOINT, CUT, "cut", BOOL, 1, 1, ANY, NO_ANGLE, false, "", "free choice", "cut: true", "true: make it a loop joint; false: keep it in the tree; or a formula: 1, 0, or -1 for a free choice") \
    X(JOINT, BAUMGARTE, "baumgarte", LIST, 2, 2, NOT_NEGATIVE, NO_ANGLE, false, "1/s^2, 1/s", "option --baumgarte", "baumgarte: [100, 20]", "gains on position and velocity violation of this loop joint: dca, connection, massmatrix") \
    X(JOINT, ALPHA, "alpha", NUMBER, 1, 1, POSITIVE, NO_ANGLE, false, "as --alpha", "option --alpha", "alpha: 1e6", "penalty on this constraint: aldca, index3") \
    X(JOINT, OMEGA, "omega", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "1/s", "option --omega", "omega: 10", "frequency of the decay of its violation: aldca") \
    X(JOINT, MU, "mu", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "", "option --mu", "mu: 1", "damping ratio of the decay of its violation: aldca") \
    CLV_REPEAT_ROWS(X, JOINT)                                                                                                   \
                                                                                                                                \
    X(SIDE, BODY, "body", TEXT, 1, 1, ANY, NO_ANGLE, true, "", "", "body: crank", "body, or ground")                               \
    X(SIDE, POSITION, "position", LIST, 3, 3, ANY, NO_ANGLE, false, "m", "[0, 0, 0]", "position: [1, 0, 0]", "joint frame origin, body axes") \
    X(SIDE, ORIENTATION, "orientation", MAP, 0, 0, ANY, NO_ANGLE, false, "", "none", "orientation: {axis: [1, 0, 0], angle: -90 deg}", "joint axes to body axes") \
                                                                                                                                \
    X(ORIENTATION, AXIS, "axis", LIST, 3, 3, NOT_ZERO, NO_ANGLE, false, "", "", "axis: [0, 0, 1]", "axis of rotation, with angle")  \
    X(ORIENTATION, ANGLE, "angle", NUMBER, 1, 1, ANY, ANGLE, false, "rad", "", "angle: 60 deg", "angle of rotation, with axis")     \
    X(ORIENTATION, QUATERNION, "quaternion", LIST, 4, 4, NOT_ZERO, NO_ANGLE, false, "", "", "quaternion: [1, 0, 0, 0]", "w, x, y, z; any length") \
    X(ORIENTATION, MATRIX, "matrix", LIST, 9, 9, ANY, NO_ANGLE, false, "", "", "matrix: [1, 0, 0, 0, 1, 0, 0, 0, 1]", "rotation matrix by rows") \
    X(ORIENTATION, X, "x", LIST, 3, 3, NOT_ZERO, NO_ANGLE, false, "", "", "x: [1, 0, 0]", "direction near the x axis, with z")      \
    X(ORIENTATION, Z, "z", LIST, 3, 3, NOT_ZERO, NO_ANGLE, false, "", "", "z: [0, 1, 0]", "direction of the z axis, with x")        \
                                                                                                                                \
    X(FORCE, KIND, "kind", TEXT, 1, 1, ANY, NO_ANGLE, true, "", "", "kind: force", "force torque joint-load spring-damper angular-damper bushing contact tendon drag contacts") \
    X(FORCE, BODY, "body", TEXT, 1, 1, ANY, NO_ANGLE, true, "", "", "body: crank", "body the force acts on")                        \
    X(FORCE, POINT, "point", LIST, 3, 3, ANY, NO_ANGLE, false, "m", "[0, 0, 0]", "point: [1, 0, 0]", "point of application, body axes")  \
    X(FORCE, VECTOR, "vector", LIST, 3, 3, ANY, NO_ANGLE, true, "N", "", "vector: [0, -5, 0]", "force")                             \
    X(FORCE, FRAME, "frame", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "global", "frame: body", "axes of vector: global or body")       \
    X(FORCE, TABLE, "table", TABLE, 1, 1, ANY, NO_ANGLE, false, "s; factor", "1", "table: [[0, 0], [1, 1]]", "factor on vector over time") \
    CLV_REPEAT_ROWS(X, FORCE)                                                                                                   \
                                                                                                                                \
    X(TORQUE, KIND, "kind", TEXT, 1, 1, ANY, NO_ANGLE, true, "", "", "kind: torque", "torque")                                      \
    X(TORQUE, BODY, "body", TEXT, 1, 1, ANY, NO_ANGLE, true, "", "", "body: crank", "body the torque acts on")                      \
    X(TORQUE, VECTOR, "vector", LIST, 3, 3, ANY, NO_ANGLE, true, "N m", "", "vector: [0, 0, 2]", "torque")                          \
    X(TORQUE, FRAME, "frame", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "global", "frame: body", "axes of vector: global or body")      \
    X(TORQUE, TABLE, "table", TABLE, 1, 1, ANY, NO_ANGLE, false, "s; factor", "1", "table: [[0, 0], [1, 1]]", "factor on vector over time") \
    CLV_REPEAT_ROWS(X, TORQUE)                                                                                                  \
                                                                                                                                \
    X(LOAD, KIND, "kind", TEXT, 1, 1, ANY, NO_ANGLE, true, "", "", "kind: joint-load", "joint-load")                                \
    X(LOAD, JOINT, "joint", TEXT, 1, 1, ANY, NO_ANGLE, true, "", "", "joint: a", "joint the load acts in")                          \
    X(LOAD, COORDINATE, "coordinate", WHOLE, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "", "0", "coordinate: 1", "free direction of the joint, from 0") \
    X(LOAD, STIFFNESS, "stiffness", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "N/m, N m/rad", "0", "stiffness: 10", "spring")    \
    X(LOAD, DAMPING, "damping", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "N s/m, N m s/rad", "0", "damping: 1", "damper")       \
    X(LOAD, REST, "rest", NUMBER, 1, 1, ANY, BY_JOINT, false, "m, rad", "0", "rest: 30 deg", "coordinate at which the spring is unloaded") \
    X(LOAD, DRIVE, "drive", NUMBER_OR_TABLE, 1, 1, ANY, NO_ANGLE, false, "N, N m", "0", "drive: [[0, 0], [1, 5]]", "drive: a number, or a table over time") \
    X(LOAD, LOWER, "lower", NUMBER, 1, 1, ANY, BY_JOINT, false, "m, rad", "none", "lower: -90 deg", "lower limit of the coordinate: a stop, soft or rigid") \
    X(LOAD, UPPER, "upper", NUMBER, 1, 1, ANY, BY_JOINT, false, "m, rad", "none", "upper: 90 deg", "upper limit of the coordinate: a stop, soft or rigid") \
    X(LOAD, STOP_STIFFNESS, "stop_stiffness", NUMBER, 1, 1, POSITIVE, NO_ANGLE, false, "N/m^e, N m/rad^e", "required with a limit, unless it is rigid", "stop_stiffness: 1e5", "stiffness of soft stops") \
    X(LOAD, STOP_DISSIPATION, "stop_dissipation", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "s/m, s/rad", "0", "stop_dissipation: 0.5", "loss of energy at the stops (Hunt-Crossley)") \
    X(LOAD, STOP_EXPONENT, "stop_exponent", NUMBER, 1, 1, POSITIVE, NO_ANGLE, false, "-", "1", "stop_exponent: 1.5", "exponent e of the stops, 1 to 10") \
    X(LOAD, STOP_RESTITUTION, "stop_restitution", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "-", "none", "stop_restitution: 0.3", "makes the stops rigid: rate of rebound over that of approach, 0 to 1") \
    X(LOAD, FRICTION, "friction", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "N, N m", "0", "friction: 0.2", "dry friction (Coulomb) when sliding") \
    X(LOAD, BREAKAWAY, "breakaway", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "N, N m", "as `friction`", "breakaway: 0.3", "friction at the onset of motion (Stribeck)") \
    X(LOAD, STRIBECK, "stribeck_speed", NUMBER, 1, 1, POSITIVE, BY_JOINT, false, "m/s, rad/s", "0.1", "stribeck_speed: 0.05", "speed over which friction falls from `breakaway` to `friction`") \
    X(LOAD, STICTION, "stiction_speed", NUMBER, 1, 1, POSITIVE, BY_JOINT, false, "m/s, rad/s", "0.01", "stiction_speed: 0.001", "speed of the regularization: below about this speed a stuck joint creeps") \
    X(LOAD, COEFFICIENT, "friction_coefficient", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "", "0", "friction_coefficient: 0.1", "friction by the reaction of the joint itself: coefficient when sliding; revolute and prismatic joints") \
    X(LOAD, STATIC, "static_coefficient", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "", "as `friction_coefficient`", "static_coefficient: 0.15", "the same at the onset of motion (Stribeck)") \
    X(LOAD, PIN, "pin_radius", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "m", "required in revolute joints", "pin_radius: 0.02", "radius of the pin; prismatic: arm of the guide against moments about its axis") \
    X(LOAD, COLLAR, "collar_radius", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "m", "0", "collar_radius: 0.03", "mean radius of the collar that takes the axial force; revolute joints") \
    X(LOAD, SPAN, "bearing_span", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "m", "0", "bearing_span: 0.2", "distance of the two bearings, which take moments across the axis; 0: these do not count") \
    X(LOAD, SPRING_TABLE, "spring_table", TABLE, 2, 2, ANY, BY_JOINT, false, "N, N m", "none", "spring_table: [[-0.1, -8], [0, 0], [0.1, 20]]", "force or torque by `q - rest`, against it as `stiffness`: rows of [m or rad, N or N m]") \
    X(LOAD, DAMPER_TABLE, "damper_table", TABLE, 2, 2, ANY, BY_JOINT, false, "N, N m", "none", "damper_table: [[-1, -30], [0, 0], [1, 12]]", "the same by the rate, as `damping`: rows of [m/s or rad/s, N or N m]") \
    X(LOAD, LIMIT, "effort_limit", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "N, N m", "none", "effort_limit: 40", "largest magnitude of spring, damper and drive together; without stops and friction") \
    CLV_REPEAT_ROWS(X, LOAD)                                                                                                    \
                                                                                                                                \
    X(SPRING, KIND, "kind", TEXT, 1, 1, ANY, NO_ANGLE, true, "", "", "kind: spring-damper", "spring-damper")                        \
    X(SPRING, BETWEEN, "between", NAMES, 2, 2, ANY, NO_ANGLE, true, "", "", "between: [ground, crank]", "the two bodies, or ground") \
    X(SPRING, POINTS, "points", POINTS, 2, 2, ANY, NO_ANGLE, false, "m", "the two origins", "points: [[0, 0, 0], [1, 0, 0]]", "the end points, in the axes of their bodies") \
    X(SPRING, STIFFNESS, "stiffness", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "N/m", "0", "stiffness: 10", "spring")           \
    X(SPRING, DAMPING, "damping", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "N s/m", "0", "damping: 1", "damper")                \
    X(SPRING, LENGTH, "length", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "m", "0", "length: 0.5", "free length")                \
    X(SPRING, LOWER, "lower", NUMBER, 1, 1, POSITIVE, NO_ANGLE, false, "m", "none", "lower: 0.2", "least distance, a soft stop that pushes: a bumper") \
    X(SPRING, UPPER, "upper", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "m", "none", "upper: 2", "largest distance, a soft stop that pulls: a rope") \
    X(SPRING, STOP_STIFFNESS, "stop_stiffness", NUMBER, 1, 1, POSITIVE, NO_ANGLE, false, "N/m^e", "required with a limit", "stop_stiffness: 1e5", "stiffness of the stops") \
    X(SPRING, STOP_DISSIPATION, "stop_dissipation", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "s/m", "0", "stop_dissipation: 0.5", "loss of energy at the stops (Hunt-Crossley)") \
    X(SPRING, STOP_EXPONENT, "stop_exponent", NUMBER, 1, 1, POSITIVE, NO_ANGLE, false, "-", "1", "stop_exponent: 1.5", "exponent e of the stops, 1 to 10") \
    CLV_REPEAT_ROWS(X, SPRING)                                                                                                  \
                                                                                                                                \
    X(DAMPER, KIND, "kind", TEXT, 1, 1, ANY, NO_ANGLE, true, "", "", "kind: angular-damper", "angular-damper")                      \
    X(DAMPER, BETWEEN, "between", NAMES, 2, 2, ANY, NO_ANGLE, true, "", "", "between: [ground, crank]", "the two bodies, or ground") \
    X(DAMPER, DAMPING, "damping", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, true, "N m s/rad", "", "damping: 1", "torque per relative angular velocity") \
    CLV_REPEAT_ROWS(X, DAMPER)                                                                                                  \
                                                                                                                                \
    X(BUSHING, KIND, "kind", TEXT, 1, 1, ANY, NO_ANGLE, true, "", "", "kind: bushing", "bushing")                                   \
    X(BUSHING, BETWEEN, "between", NAMES, 2, 2, ANY, NO_ANGLE, true, "", "", "between: [cab, frame]", "the two bodies, or ground; its axes are those of the first") \
    X(BUSHING, POINTS, "points", POINTS, 2, 2, ANY, NO_ANGLE, false, "m", "the two origins", "points: [[0, 0, 0], [1, 0, 0]]", "the points that coincide without load, in the axes of their bodies") \
    X(BUSHING, ORIENTATION_A, "orientation_a", LIST, 4, 4, ANY, NO_ANGLE, false, "", "[1, 0, 0, 0]", "orientation_a: [1, 0, 0, 0]", "its axes in those of the first body, a quaternion w x y z") \
    X(BUSHING, ORIENTATION_B, "orientation_b", LIST, 4, 4, ANY, NO_ANGLE, false, "", "[1, 0, 0, 0]", "orientation_b: [1, 0, 0, 0]", "the same in the second body; both coincide without load") \
    X(BUSHING, STIFFNESS, "stiffness", EITHER, 1, 3, NOT_NEGATIVE, NO_ANGLE, false, "N/m", "0", "stiffness: [1e6, 1e6, 4e5]", "along its axes; one number: along all") \
    X(BUSHING, TURN_STIFFNESS, "rotational_stiffness", EITHER, 1, 3, NOT_NEGATIVE, NO_ANGLE, false, "N m/rad", "0", "rotational_stiffness: 500", "about its axes; one number: about all") \
    X(BUSHING, DAMPING, "damping", EITHER, 1, 3, NOT_NEGATIVE, NO_ANGLE, false, "N s/m", "0", "damping: 2e3", "along its axes") \
    X(BUSHING, TURN_DAMPING, "rotational_damping", EITHER, 1, 3, NOT_NEGATIVE, NO_ANGLE, false, "N m s/rad", "0", "rotational_damping: 2", "about its axes") \
    X(BUSHING, PRELOAD, "preload", LIST, 3, 3, ANY, NO_ANGLE, false, "N", "[0, 0, 0]", "preload: [0, 0, 400]", "force on the second body without displacement, in its axes") \
    X(BUSHING, TURN_PRELOAD, "rotational_preload", LIST, 3, 3, ANY, NO_ANGLE, false, "N m", "[0, 0, 0]", "rotational_preload: [0, 0, 5]", "moment on it without displacement") \
    CLV_REPEAT_ROWS(X, BUSHING)                                                                                                  \
                                                                                                                                \
    X(CONTACT, KIND, "kind", TEXT, 1, 1, ANY, NO_ANGLE, true, "", "", "kind: contact", "contact")                                   \
    X(CONTACT, BETWEEN, "between", NAMES, 2, 2, ANY, NO_ANGLE, true, "", "", "between: [ground, ball]", "two bodies with shapes, or ground (a plane) and one") \
    X(CONTACT, POINT, "point", LIST, 3, 3, ANY, NO_ANGLE, false, "m", "[0, 0, 0]", "point: [0, 0, 0.1]", "with ground: a point of the plane, global axes") \
    X(CONTACT, NORMAL, "normal", LIST, 3, 3, NOT_ZERO, NO_ANGLE, false, "", "required with ground", "normal: [0, 0, 1]", "with ground: outward normal of the plane, of any length, global axes") \
    X(CONTACT, STIFFNESS, "stiffness", NUMBER, 1, 1, POSITIVE, NO_ANGLE, false, "N/m^e", "required without restitution", "stiffness: 1e6", "normal force at a depth of 1 m") \
    X(CONTACT, EXPONENT, "exponent", NUMBER, 1, 1, POSITIVE, NO_ANGLE, false, "", "1.5", "exponent: 1", "exponent e of the depth, 1 to 10; 1.5: Hertz") \
    X(CONTACT, DISSIPATION, "dissipation", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "s/m", "0", "dissipation: 0.5", "loss of energy (Hunt-Crossley)") \
    X(CONTACT, STATIC, "static_friction", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "", "as dynamic_friction", "static_friction: 0.6", "coefficient of friction at the transition speed") \
    X(CONTACT, DYNAMIC, "dynamic_friction", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "", "as static_friction, or 0", "dynamic_friction: 0.5", "coefficient of friction far above it") \
    X(CONTACT, VISCOUS, "viscous_friction", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "s/m", "0", "viscous_friction: 0.1", "coefficient of friction per slip") \
    X(CONTACT, TRANSITION, "transition_speed", NUMBER, 1, 1, POSITIVE, NO_ANGLE, false, "m/s", "0.01", "transition_speed: 1e-3", "slip up to which bodies creep instead of sliding") \
    X(CONTACT, RESTITUTION, "restitution", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "", "none", "restitution: 0.5", "makes the contact rigid: speed of rebound over that of approach, 0 to 1") \
    CLV_REPEAT_ROWS(X, CONTACT)                                                                                                  \
                                                                                                                                \
    X(TENDON, KIND, "kind", TEXT, 1, 1, ANY, NO_ANGLE, true, "", "", "kind: tendon", "tendon")                                      \
    X(TENDON, PATH, "path", PATH, 2, 32, ANY, NO_ANGLE, false, "m", "none", "path: [[ground, [0, 0, 1]], [arm, [0.2, 0, 0]]]", "points over which it runs, each with its body; body axes, of ground global ones") \
    X(TENDON, OF, "of", MAP, 0, 0, ANY, NO_ANGLE, false, "", "none", "of: {a: 0.02, b: -0.02}", "instead: its length is a sum of factors times coordinates of joints") \
    X(TENDON, STIFFNESS, "stiffness", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "N/m", "0", "stiffness: 1e4", "spring, which pulls and pushes") \
    X(TENDON, DAMPING, "damping", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "N s/m", "0", "damping: 10", "damper")                \
    X(TENDON, LENGTH, "length", NUMBER, 1, 1, ANY, NO_ANGLE, false, "m", "0", "length: 0.5", "free length of the spring")           \
    X(TENDON, DRIVE, "drive", NUMBER_OR_TABLE, 1, 1, ANY, NO_ANGLE, false, "N", "0", "drive: -20", "force along its length, a number or a table over time; positive lengthens it") \
    X(TENDON, LOWER, "lower", NUMBER, 1, 1, ANY, NO_ANGLE, false, "m", "none", "lower: 0.2", "least length, a soft stop that pushes") \
    X(TENDON, UPPER, "upper", NUMBER, 1, 1, ANY, NO_ANGLE, false, "m", "none", "upper: 2", "largest length, a soft stop that pulls: a rope") \
    X(TENDON, STOP_STIFFNESS, "stop_stiffness", NUMBER, 1, 1, POSITIVE, NO_ANGLE, false, "N/m^e", "required with a limit", "stop_stiffness: 1e5", "stiffness of the stops") \
    X(TENDON, STOP_DISSIPATION, "stop_dissipation", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "s/m", "0", "stop_dissipation: 0.5", "loss of energy at the stops (Hunt-Crossley)") \
    X(TENDON, STOP_EXPONENT, "stop_exponent", NUMBER, 1, 1, POSITIVE, NO_ANGLE, false, "-", "1", "stop_exponent: 1.5", "exponent e of the stops, 1 to 10") \
    CLV_REPEAT_ROWS(X, TENDON)                                                                                                  \
                                                                                                                                \
    X(DRAG, KIND, "kind", TEXT, 1, 1, ANY, NO_ANGLE, true, "", "", "kind: drag", "drag")                                            \
    X(DRAG, BODY, "body", TEXT, 1, 1, ANY, NO_ANGLE, true, "", "", "body: hull", "body the drag acts on")                           \
    X(DRAG, POINT, "point", LIST, 3, 3, ANY, NO_ANGLE, false, "m", "[0, 0, 0]", "point: [0, 0, 0.2]", "centre of pressure, body axes") \
    X(DRAG, FRAME, "frame", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "flow", "frame: body", "flow: along the velocity; body, global: along these axes one by one") \
    X(DRAG, LINEAR, "linear", EITHER, 1, 3, NOT_NEGATIVE, NO_ANGLE, false, "N s/m", "0", "linear: 0.5", "force per velocity against the fluid") \
    X(DRAG, QUADRATIC, "quadratic", EITHER, 1, 3, NOT_NEGATIVE, NO_ANGLE, false, "N s^2/m^2", "0", "quadratic: [0.3, 0.3, 1.1]", "force per square of the velocity") \
    X(DRAG, TURN_LINEAR, "rotational_linear", EITHER, 1, 3, NOT_NEGATIVE, NO_ANGLE, false, "N m s/rad", "0", "rotational_linear: 0.1", "torque per angular velocity") \
    X(DRAG, TURN_QUADRATIC, "rotational_quadratic", EITHER, 1, 3, NOT_NEGATIVE, NO_ANGLE, false, "N m s^2/rad^2", "0", "rotational_quadratic: 0.02", "torque per square of the angular velocity") \
    X(DRAG, DENSITY, "density", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "kg/m^3", "none", "density: 1.2", "with area and drag_coefficient: adds density area drag_coefficient / 2 to quadratic") \
    X(DRAG, AREA, "area", EITHER, 1, 3, NOT_NEGATIVE, NO_ANGLE, false, "m^2", "none", "area: 0.5", "reference area")                 \
    X(DRAG, COEFFICIENT, "drag_coefficient", EITHER, 1, 3, NOT_NEGATIVE, NO_ANGLE, false, "", "none", "drag_coefficient: 1.1", "drag coefficient") \
    X(DRAG, FLUID, "fluid", LIST, 3, 3, ANY, NO_ANGLE, false, "m/s", "[0, 0, 0]", "fluid: [5, 0, 0]", "velocity of the fluid, global axes; inputs add to it") \
    CLV_REPEAT_ROWS(X, DRAG)                                                                      \
                                                                                                                                \
    X(CONTACTS, KIND, "kind", TEXT, 1, 1, ANY, NO_ANGLE, true, "", "", "kind: contacts", "contacts")                               \
    X(CONTACTS, AMONG, "among", NAMES, 1, 1000000, ANY, NO_ANGLE, false, "", "all with a shape", "among: [foot*, box1]", "bodies and shapes that touch; * stands for any letters") \
    X(CONTACTS, WITH, "with", NAMES, 1, 1000000, ANY, NO_ANGLE, false, "", "as among", "with: [stone*]", "bodies that those of among touch; without it they touch each other") \
    X(CONTACTS, EXCEPT, "except", PAIRS, 1, 1000000, ANY, NO_ANGLE, false, "", "none", "except: [[arm, tool], [arm, base]]", "pairs of bodies or shapes that do not touch") \
    X(CONTACTS, NEIGHBOURS, "neighbours", BOOL, 1, 1, ANY, NO_ANGLE, false, "", "false", "neighbours: true", "true: bodies that a joint connects touch, too") \
    X(CONTACTS, PLANE_ONLY, "plane_only", BOOL, 1, 1, ANY, NO_ANGLE, false, "", "false", "plane_only: true", "with normal: true: they touch the plane, and not each other") \
    X(CONTACTS, MOST, "most", WHOLE, 1, 1, POSITIVE, NO_ANGLE, false, "", "16 a body and 64", "most: 5000", "points in contact that there is room for") \
    X(CONTACTS, POINT, "point", LIST, 3, 3, ANY, NO_ANGLE, false, "m", "[0, 0, 0]", "point: [0, 0, 0.1]", "with normal: a point of the plane, global axes") \
    X(CONTACTS, NORMAL, "normal", LIST, 3, 3, NOT_ZERO, NO_ANGLE, false, "", "no plane", "normal: [0, 0, 1]", "of a plane that they touch: outward normal of any length, global axes") \
    X(CONTACTS, STIFFNESS, "stiffness", NUMBER, 1, 1, POSITIVE, NO_ANGLE, false, "N/m^e", "required without restitution", "stiffness: 1e6", "normal force at a depth of 1 m") \
    X(CONTACTS, EXPONENT, "exponent", NUMBER, 1, 1, POSITIVE, NO_ANGLE, false, "", "1.5", "exponent: 1", "exponent e of the depth, 1 to 10; 1.5: Hertz") \
    X(CONTACTS, DISSIPATION, "dissipation", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "s/m", "0", "dissipation: 0.5", "loss of energy (Hunt-Crossley)") \
    X(CONTACTS, STATIC, "static_friction", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "", "as dynamic_friction", "static_friction: 0.6", "coefficient of friction at the transition speed") \
    X(CONTACTS, DYNAMIC, "dynamic_friction", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "", "as static_friction, or 0", "dynamic_friction: 0.5", "coefficient of friction far above it") \
    X(CONTACTS, VISCOUS, "viscous_friction", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "s/m", "0", "viscous_friction: 0.1", "coefficient of friction per slip") \
    X(CONTACTS, TRANSITION, "transition_speed", NUMBER, 1, 1, POSITIVE, NO_ANGLE, false, "m/s", "0.01", "transition_speed: 1e-3", "slip up to which bodies creep instead of sliding") \
    X(CONTACTS, RESTITUTION, "restitution", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "", "none", "restitution: 0.5", "makes the contact rigid: speed of rebound over that of approach, 0 to 1") \
    CLV_REPEAT_ROWS(X, CONTACTS)                                                                                                 \
                                                                                                                                \
    X(MOTION, JOINT, "joint", TEXT, 1, 1, ANY, NO_ANGLE, true, "", "", "joint: a", "joint with one degree of freedom")                        \
    X(MOTION, OFFSET, "offset", NUMBER, 1, 1, ANY, BY_JOINT, false, "m, rad", "so that the motion starts at the start coordinate", "offset: 0.1", "coordinate = offset + rate t + amplitude sin(frequency t + phase)") \
    X(MOTION, RATE, "rate", NUMBER, 1, 1, ANY, BY_JOINT, false, "m/s, rad/s", "0", "rate: 360 deg", "constant rate")                \
    X(MOTION, AMPLITUDE, "amplitude", NUMBER, 1, 1, ANY, BY_JOINT, false, "m, rad", "0", "amplitude: 10 deg", "amplitude")          \
    X(MOTION, FREQUENCY, "frequency", NUMBER, 1, 1, NOT_NEGATIVE, ANGLE, false, "rad/s", "0", "frequency: 6.28", "angular frequency") \
    X(MOTION, PHASE, "phase", NUMBER, 1, 1, ANY, ANGLE, false, "rad", "0", "phase: 90 deg", "phase")                                \
    X(MOTION, TABLE, "table", TABLE, 2, 2, ANY, BY_JOINT, false, "s; m, rad", "none", "table: [[0, 0], [1, 0.5], [2, 0]]", "coordinate over time, interpolated by `profile`; constant before its first and after its last row; replaces the formula") \
    X(MOTION, PROFILE, "profile", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "natural", "profile: smooth", "interpolation of the table: natural, linear, smooth, clamped or monotone") \
    X(MOTION, END_RATES, "end_rates", LIST, 2, 2, ANY, BY_JOINT, false, "m/s, rad/s", "[0, 0]", "end_rates: [0, 0.5]", "rates at the first and the last row; profile clamped") \
    CLV_REPEAT_ROWS(X, MOTION)                                                                                                  \
                                                                                                                                \
    X(COUPLING, FIRST, "first", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "required without of", "first: a", "joint with one degree of freedom") \
    X(COUPLING, SECOND, "second", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "required without of", "second: b", "joint that follows: q(second) = ratio q(first) + offset") \
    X(COUPLING, RATIO, "ratio", NUMBER, 1, 1, ANY, NO_ANGLE, false, "", "one of ratio, rack, screw, belt, polynomial, table", "ratio: -2", "ratio") \
    X(COUPLING, RACK, "rack", NUMBER, 1, 1, NOT_ZERO, NO_ANGLE, false, "m", "none", "rack: 0.02", "rack and pinion: pitch radius of the pinion; negative: other sense") \
    X(COUPLING, SCREW, "screw", NUMBER, 1, 1, NOT_ZERO, NO_ANGLE, false, "m", "none", "screw: 0.005", "screw and nut: lead, the travel a turn; negative: left-hand thread") \
    X(COUPLING, BELT, "belt", LIST, 2, 2, NOT_ZERO, NO_ANGLE, false, "m", "none", "belt: [0.1, 0.04]", "belt: radii of the pulleys of first and second; one negative: crossed belt") \
    X(COUPLING, POLYNOMIAL, "polynomial", LIST, 2, 9, ANY, NO_ANGLE, false, "", "none", "polynomial: [0, 0.1, 0.02]", "q(second) = a0 + a1 q(first) + a2 q(first)^2 + ... + offset, coordinates in m or rad") \
    X(COUPLING, TABLE, "table", TABLE, 2, 2, ANY, BY_JOINT, false, "m, rad", "none", "table: [[0, 0], [1, 0.01], [2, 0.03]]", "cam: rows of [q(first), q(second)], a cubic spline; straight lines outside") \
    X(COUPLING, PERIODIC, "periodic", BOOL, 1, 1, ANY, NO_ANGLE, false, "", "false", "periodic: true", "the table is one turn of the cam and repeats; its rise from first to last row adds up") \
    X(COUPLING, OF, "of", MAP, 0, 0, ANY, NO_ANGLE, false, "", "none", "of: {a: 1, b: -2, c: 0.5}", "factors by joint: the sum of factor times coordinate is the offset") \
    X(COUPLING, OFFSET, "offset", NUMBER, 1, 1, ANY, BY_JOINT, false, "m, rad", "from the start; 0 with polynomial or table", "offset: 0", "offset")            \
    CLV_REPEAT_ROWS(X, COUPLING)                                                                                                \
                                                                                                                                \
    X(MARKER, BODY, "body", TEXT, 1, 1, ANY, NO_ANGLE, true, "", "", "body: crank", "body")                                         \
    X(MARKER, POSITION, "position", LIST, 3, 3, ANY, NO_ANGLE, false, "m", "[0, 0, 0]", "position: [1, 0, 0]", "point, body axes")  \
    CLV_REPEAT_ROWS(X, MARKER)                                                                                                  \
                                                                                                                                \
    X(VISUAL, BODY, "body", TEXT, 1, 1, ANY, NO_ANGLE, true, "", "", "body: crank", "body, or ground")                             \
    X(VISUAL, MESH, "mesh", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "", "mesh: crank.stl", "file of triangles, STL, OBJ or COLLADA (.dae); relative to the model file") \
    X(VISUAL, SCALE, "scale", EITHER, 1, 3, ANY, NO_ANGLE, false, "", "1", "scale: 0.001", "of the mesh: 0.001 for one in mm; one number, or one for each of its axes") \
    X(VISUAL, BOX, "box", LIST, 3, 3, POSITIVE, NO_ANGLE, false, "m", "", "box: [1, 0.05, 0.05]", "edges along x, y, z")            \
    X(VISUAL, SPHERE, "sphere", NUMBER, 1, 1, POSITIVE, NO_ANGLE, false, "m", "", "sphere: 0.1", "radius")                          \
    X(VISUAL, CYLINDER, "cylinder", LIST, 2, 2, POSITIVE, NO_ANGLE, false, "m", "", "cylinder: [0.05, 1]", "radius and length, along z") \
    X(VISUAL, CAPSULE, "capsule", LIST, 2, 2, POSITIVE, NO_ANGLE, false, "m", "", "capsule: [0.05, 1]", "radius and length between the caps, along z") \
    X(VISUAL, AT, "at", LIST, 3, 3, ANY, NO_ANGLE, false, "m", "[0, 0, 0]", "at: [0.5, 0, 0]", "middle of the shape, or origin of the mesh, body axes") \
    X(VISUAL, ORIENTATION, "orientation", MAP, 0, 0, ANY, NO_ANGLE, false, "", "none", "orientation: {axis: [0, 1, 0], angle: 90 deg}", "axes of the shape or mesh to body axes") \
    X(VISUAL, COLOUR, "colour", LIST, 3, 3, FRACTION, NO_ANGLE, false, "", "chosen", "colour: [0.8, 0.2, 0.1]", "red, green, blue, 0 to 1") \
    CLV_REPEAT_ROWS(X, VISUAL)                                                                                                  \
                                                                                                                                \
    X(BODY_SHAPE, BODY, "body", TEXT, 1, 1, ANY, NO_ANGLE, true, "", "", "body: crank", "body, or ground")                           \
    X(BODY_SHAPE, BOX, "box", LIST, 3, 3, POSITIVE, NO_ANGLE, false, "m", "", "box: [1, 0.05, 0.05]", "edges along x, y, z")        \
    X(BODY_SHAPE, SPHERE, "sphere", NUMBER, 1, 1, POSITIVE, NO_ANGLE, false, "m", "", "sphere: 0.1", "radius")                      \
    X(BODY_SHAPE, CYLINDER, "cylinder", LIST, 2, 2, POSITIVE, NO_ANGLE, false, "m", "", "cylinder: [0.05, 1]", "radius and length, along z") \
    X(BODY_SHAPE, CAPSULE, "capsule", LIST, 2, 2, POSITIVE, NO_ANGLE, false, "m", "", "capsule: [0.05, 1]", "radius and length between the caps, along z") \
    X(BODY_SHAPE, BORE, "bore", LIST, 3, 3, POSITIVE, NO_ANGLE, false, "m", "", "bore: [0.0105, 0.02, 0.03]", "inner radius, outer radius and length of a hole, along z: contacts are inside it") \
    X(BODY_SHAPE, CLOSED, "closed", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "none", "closed: both", "of a bore: ends with a bottom as thick as the wall: none, lower (at -z), upper or both") \
    X(BODY_SHAPE, MESH, "mesh", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "", "mesh: foot.stl", "file of triangles, STL, OBJ or COLLADA (.dae), relative to the model file: their convex hull") \
    X(BODY_SHAPE, SCALE, "scale", EITHER, 1, 3, ANY, NO_ANGLE, false, "", "1", "scale: 0.001", "of the mesh: 0.001 for one in mm; one number, or one for each of its axes") \
    X(BODY_SHAPE, POINTS, "points", ROWS, 3, 3, ANY, NO_ANGLE, false, "m", "", "points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]", "at least four points, shape axes: their convex hull") \
    X(BODY_SHAPE, AT, "at", LIST, 3, 3, ANY, NO_ANGLE, false, "m", "[0, 0, 0]", "at: [0.5, 0, 0]", "middle of the shape, or origin of its mesh or points, body axes; ground: global") \
    X(BODY_SHAPE, ORIENTATION, "orientation", MAP, 0, 0, ANY, NO_ANGLE, false, "", "none", "orientation: {axis: [0, 1, 0], angle: 90 deg}", "shape axes to body axes") \
    X(BODY_SHAPE, COLOUR, "colour", LIST, 3, 3, FRACTION, NO_ANGLE, false, "", "chosen", "colour: [0.8, 0.2, 0.1]", "red, green, blue, 0 to 1") \
    CLV_REPEAT_ROWS(X, BODY_SHAPE)                                                                                              \
                                                                                                                                \
    X(INPUT, JOINT, "joint", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "none", "joint: a", "actuator: the joint in which it acts as a force or torque") \
    X(INPUT, COORDINATE, "coordinate", WHOLE, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "", "0", "coordinate: 1", "with joint: free direction, from 0") \
    X(INPUT, BODY, "body", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "none", "body: crank", "body on which it acts, with force or torque") \
    X(INPUT, POINT, "point", LIST, 3, 3, ANY, NO_ANGLE, false, "m", "[0, 0, 0]", "point: [1, 0, 0]", "with body and force: point of application, body axes") \
    X(INPUT, FORCE, "force", LIST, 3, 3, NOT_ZERO, NO_ANGLE, false, "N", "none", "force: [0, 0, 1]", "with body: force per unit of the input") \
    X(INPUT, TORQUE, "torque", LIST, 3, 3, NOT_ZERO, NO_ANGLE, false, "N m", "none", "torque: [0, 0, 1]", "with body: torque per unit of the input") \
    X(INPUT, FRAME, "frame", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "global", "frame: body", "axes of force or torque: global or body") \
    X(INPUT, MOTION, "motion", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "none", "motion: m", "prescribed motion to which it adds an acceleration (m/s^2, rad/s^2)") \
    X(INPUT, TENDON, "tendon", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "none", "tendon: rope", "force of kind tendon along whose length it acts; positive lengthens it") \
    X(INPUT, DRAG, "drag", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "none", "drag: sail", "force of kind drag to whose fluid it adds, with fluid") \
    X(INPUT, FLUID, "fluid", LIST, 3, 3, NOT_ZERO, NO_ANGLE, false, "m/s", "none", "fluid: [1, 0, 0]", "with drag: velocity of the fluid per unit of the input, global axes") \
    X(INPUT, VALUE, "value", NUMBER, 1, 1, ANY, NO_ANGLE, false, CLV_INPUT_UNITS, "0", "value: 2", "value at the start") \
    X(INPUT, LIMIT, "limit", EITHER, 1, 2, ANY, NO_ANGLE, false, CLV_INPUT_UNITS, "none", "limit: 20", "values beyond are clipped: a number for -limit to limit, or [least, largest]") \
    X(INPUT, RATE_LIMIT, "rate_limit", NUMBER, 1, 1, POSITIVE, NO_ANGLE, false, "N/s, N m/s", "none", "rate_limit: 500", "with joint: the effort follows the value that is set no faster than this") \
    X(INPUT, STALL, "stall_effort", NUMBER, 1, 1, POSITIVE, NO_ANGLE, false, "N, N m", "none", "stall_effort: 60", "with joint: largest effort at rest and against the motion") \
    X(INPUT, NO_LOAD, "no_load_speed", NUMBER, 1, 1, POSITIVE, BY_JOINT, false, "m/s, rad/s", "with stall_effort", "no_load_speed: 30 rpm", "with joint: speed at which the effort along the motion has fallen to 0, in a straight line from stall_effort") \
    CLV_REPEAT_ROWS(X, INPUT)                                                                                                   \
                                                                                                                                \
    X(EVENT, WHEN, "when", MAP, 0, 0, ANY, NO_ANGLE, false, "", "none", "when: {joint: a, above: 0}", "condition; the event is its first crossing") \
    X(EVENT, AT, "at", NUMBER, 1, 1, POSITIVE, NO_ANGLE, false, "s", "none", "at: 3", "instead of when: the time of the event") \
    X(EVENT, AGAIN, "again", BOOL, 1, 1, ANY, NO_ANGLE, false, "", "false", "again: true", "true: it happens at every crossing, not only at the first") \
    X(EVENT, LOCK, "lock", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "none", "lock: a", "joint with one degree of freedom that keeps its coordinate from then on") \
    X(EVENT, RELEASE, "release", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "none", "release: latch", "event whose lock or attachment ends, or joint that opens") \
    X(EVENT, ATTACH, "attach", NAMES, 2, 2, ANY, NO_ANGLE, false, "", "none", "attach: [gripper, payload]", "two bodies, or ground, that are joined where they are then; the joint has the name of the event") \
    X(EVENT, JOINT, "joint", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "fixed", "joint: fixed", "with attach: fixed, revolute, prismatic, cylindrical, universal, planar, spherical or point") \
    X(EVENT, POSITION, "position", LIST, 3, 3, ANY, NO_ANGLE, false, "m", "[0, 0, 0]", "position: [0.3, 0, 0]", "with attach: joint point, axes of the first body; required but for fixed and prismatic") \
    X(EVENT, AXIS, "axis", LIST, 3, 3, NOT_ZERO, NO_ANGLE, false, "", "[0, 0, 1]", "axis: [0, 0, 1]", "with attach: joint axis, axes of the first body") \
    X(EVENT, STOP, "stop", BOOL, 1, 1, ANY, NO_ANGLE, false, "", "false", "stop: true", "true: the run ends") \
    CLV_REPEAT_ROWS(X, EVENT)                                                                                                   \
                                                                                                                                \
    X(WHEN, JOINT, "joint", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "none", "joint: a", "the coordinate of this joint, which has one degree of freedom") \
    X(WHEN, RATE, "rate", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "none", "rate: a", "instead of joint: the rate of this joint") \
    X(WHEN, FORCE, "force", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "none", "force: a", "instead of joint: the size of the constraint force of this joint") \
    X(WHEN, TORQUE, "torque", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "none", "torque: a", "instead of joint: the size of its constraint torque about its point") \
    X(WHEN, EFFORT, "effort", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "none", "effort: a", "instead of joint: what drives this joint or holds its lock, along its rate") \
    X(WHEN, MARKERS, "marker-distance", NAMES, 2, 2, ANY, NO_ANGLE, false, "", "none", "marker-distance: [tool, grip]", "instead of joint: the distance of two markers") \
    X(WHEN, ABOVE, "above", NUMBER, 1, 1, ANY, BY_JOINT, false, "m, rad, m/s, rad/s, N, N m", "none", "above: 0", "the quantity rises to this value") \
    X(WHEN, BELOW, "below", NUMBER, 1, 1, ANY, BY_JOINT, false, "m, rad, m/s, rad/s, N, N m", "none", "below: 0", "instead of above: it falls to this value") \
                                                                                                                                \
    X(START, BODIES, "bodies", MAP, 0, 0, ANY, NO_ANGLE, false, "", "none", "bodies: {crank: {position: [0, 0, 0]}}", "poses and velocities by body") \
    X(START, JOINTS, "joints", MAP, 0, 0, ANY, NO_ANGLE, false, "", "none", "joints: {a: {q: 0.3}}", "coordinates and rates by joint") \
    X(START, MODES, "modes", MAP, 0, 0, ANY, NO_ANGLE, false, "", "none", "modes: {boom: {q: [0.01, 0]}}", "modal coordinates and rates by flexible body") \
    X(START, FLEXIBLE, "flexible", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "rigid", "flexible: least-energy", "how loops are closed: rigid (modes keep their values) or least-energy (flexible bodies deform)") \
                                                                                                                                \
    X(START_BODY, POSITION, "position", LIST, 3, 3, ANY, NO_ANGLE, false, "m", "[0, 0, 0]", "position: [0, 0, 0]", "body frame origin, global") \
    X(START_BODY, ORIENTATION, "orientation", MAP, 0, 0, ANY, NO_ANGLE, false, "", "none", "orientation: {axis: [0, 0, 1], angle: 60 deg}", "body axes to global axes") \
    X(START_BODY, VELOCITY, "velocity", LIST, 3, 3, ANY, NO_ANGLE, false, "m/s", "[0, 0, 0]", "velocity: [1, 0, 0]", "velocity of the body frame origin, global axes") \
    X(START_BODY, SPIN, "angular_velocity", LIST, 3, 3, ANY, ANGLE, false, "rad/s", "[0, 0, 0]", "angular_velocity: [0, 0, 90 deg]", "angular velocity, global axes") \
    CLV_REPEAT_ROWS(X, START_BODY)                                                                                              \
                                                                                                                                \
    X(START_JOINT, Q, "q", EITHER, 1, 7, ANY, BY_JOINT, false, "m, rad", "0", "q: 30 deg", "coordinates; a list for kinds with several") \
    X(START_JOINT, U, "u", EITHER, 1, 6, ANY, BY_JOINT, false, "m/s, rad/s", "0", "u: 0", "rates; a list for kinds with several")   \
    CLV_REPEAT_ROWS(X, START_JOINT)                                                                                             \
                                                                                                                                \
    X(START_MODES, Q, "q", NUMBERS, 0, 0, ANY, NO_ANGLE, false, "", "0", "q: [0.01, 0]", "modal coordinates, one for each mode")     \
    X(START_MODES, U, "u", NUMBERS, 0, 0, ANY, NO_ANGLE, false, "", "0", "u: [0.1, 0]", "their rates")                               \
    CLV_REPEAT_ROWS(X, START_MODES)          \
                                                                                                                                \
    X(FE, VERSION, "fe", WHOLE, 1, 1, ANY, NO_ANGLE, true, "", "", "fe: 1", "version of this format") \
    X(FE, NODES, "nodes", MAP, 0, 0, ANY, NO_ANGLE, true, "m", "", "nodes: {n1: [0, 0, 0], n2: [1, 0, 0]}", "positions by name, in the order of the matrices: 6 rows each, 3 translations and 3 rotations") \
    X(FE, STIFFNESS, "stiffness", TEXT, 1, 1, ANY, NO_ANGLE, true, "", "", "stiffness: K.mtx", "file of the stiffness matrix, without supports; relative to this file") \
    X(FE, MASS, "mass", TEXT, 1, 1, ANY, NO_ANGLE, true, "", "", "mass: M.mtx", "file of the mass matrix, lumped or consistent") \
    X(FE, DAMPING, "damping", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "none", "damping: D.mtx", "file of the damping matrix") \
    X(FE, INTERFACES, "interfaces", MAP, 0, 0, ANY, NO_ANGLE, true, "", "", "interfaces: {root: {node: n1}, tip: {node: n2}}", "points for joints, forces and markers, by name") \
    X(FE, FRAME, "frame", TEXT, 1, 1, ANY, NO_ANGLE, true, "", "", "frame: root", "the interface that is clamped and becomes the body frame") \
    X(FE, MODES, "modes", WHOLE, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "", "-", "modes: 6", "number of lowest modes with all interfaces fixed, added to the static modes") \
    X(FE, UP_TO, "up_to", NUMBER, 1, 1, POSITIVE, NO_ANGLE, false, "rad/s", "-", "up_to: 3000", "instead of modes: all of those up to this frequency") \
    X(FE, SPIN, "spin_limit", NUMBER, 1, 1, NOT_NEGATIVE, NO_ANGLE, false, "rad/s", "0.3 of the lowest frequency", "spin_limit: 2.5", "written into the file of modes; 0: none") \
    X(INTERFACE, NODE, "node", TEXT, 1, 1, ANY, NO_ANGLE, false, "", "-", "node: n1", "its node") \
    X(INTERFACE, NODES, "nodes", NAMES, 1, 500, ANY, NO_ANGLE, false, "", "-", "nodes: [n1, n2, n3]", "instead of node: several nodes that move as one rigid body") \
    X(INTERFACE, AT, "at", LIST, 3, 3, ANY, NO_ANGLE, false, "m", "middle of its nodes", "at: [0, 0, 0]", "its origin, axes of this file") \
    X(INTERFACE, ORIENTATION, "orientation", MAP, 0, 0, ANY, NO_ANGLE, false, "", "none", "orientation: {axis: [0, 0, 1], angle: 90 deg}", "interface axes to the axes of this file")

/* Identifiers CLV_KEY_<section>_<id>, in table order. */
typedef enum clv_key {
#define X(section, id, key, type, least, most, bound, angle, required, unit, value, example, text) CLV_KEY_##section##_##id,
    CLV_SCHEMA(X)
#undef X
    CLV_KEYS
} clv_key;

typedef struct clv_schema_row {
    clv_section section;
    const char *key;
    clv_key_type type;
    int least, most; /* numbers in a list */
    clv_bound bound;
    clv_angle angle;
    bool required;
    const char *unit, *value, *example, *text; /* value: the default */
} clv_schema_row;

extern const clv_schema_row clv_schema[CLV_KEYS];

/* First row of a section and how many rows it has. */
int clv_schema_first(clv_section section);
int clv_schema_count(clv_section section);
/* Row of a key in a section, or -1. */
int clv_schema_find(clv_section section, const char *key);
/* The key of the section nearest to a misspelt one, or NULL if none is near. */
const char *clv_schema_nearest(clv_section section, const char *key);
/* Where a section stands in a file, as "bodies.NAME". */
const char *clv_schema_place(clv_section section);

/* Letters to insert, delete, change or swap to turn a into b; gives up above `most` and returns most + 1. */
int clv_edit_distance(const char *a, const char *b, int most);
/* Keeps in *best the candidate nearest to `wanted`; *distance starts at clv_near_enough(word) + 1. */
void clv_nearest(const char **best, int *distance, const char *wanted, const char *candidate);
int clv_near_enough(const char *wanted);

/* The table as a JSON Schema (draft 7), for editors that complete and check YAML: docs/model-schema.json. */
void clv_schema_json_write(FILE *out);

#endif
