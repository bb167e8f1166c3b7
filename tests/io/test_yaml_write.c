/* SPDX-License-Identifier: Apache-2.0
 * Writing and reading back gives the same model to the last bit: a model with every key, and every built-in example. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "io/yaml_write.h"
#include "model/fingerprint.h"
#include "model/joint.h"
#include "model/model.h"
#include <stdio.h>
#include <string.h>

/* Every key of the schema that reaches the model. */
static const char everything[] =
    "cleave: 1\n"
    "name: \"every key: {yes}\"\n"
    "gravity: [0.1, -9.81, 1e-300]\n"
    "time: 12.5\n"
    "bodies:\n"
    "  base: {mass: 3, com: [0.1, 0.2, 0.3], inertia: [1, 1.1, 1.2, 0.01, 0.02, 0.03], branch: left,\n"
    "         shape: {capsule: [0.1, 1], at: [1, 0, 0], orientation: {axis: [0, 1, 0], angle: 90 deg}}}\n"
    "  b{i}: {mass: 1, inertia: [1, 1, 1], repeat: 10, from: 1}\n"
    "  \"# odd: name\": {mass: 1, inertia: [1, 1, 1], shape: {cylinder: [1, 2], colour: [0.1, 0.2, 0.3]}}\n"
    "  ball: {mass: 1, inertia: from shape, shape: {sphere: 0.3, at: [0, 0.1, 0.2]}}\n"
    "  brick: {mass: 1, com: [1, 2, 3], inertia: [1, 1, 1],\n"
    "          shape: {box: [1, 2, 3], orientation: {quaternion: [1, 2, 3, 4]}}}\n"
    "joints:\n"
    "  fixed: {kind: fixed, between: [ground, base], at: [1, 2, 3], cut: false}\n"
    "  revolute: {kind: revolute, a: {body: base, position: [1, 0, 0], orientation: {axis: [1, 0, 0], angle: 30 deg}}, "
    "b: {body: b1, orientation: {quaternion: [1, 2, 3, 4]}}}\n"
    "  prismatic: {kind: prismatic, between: [b1, b2], at: [1, 0, 0], axis: [1, 2, 3], x_axis: [0, 0, 1], "
    "armature: 0.25}\n"
    "  helical: {kind: helical, a: {body: b2}, b: {body: b3}, pitch: -0.01}\n"
    "  cylindrical: {kind: cylindrical, a: {body: b3}, b: {body: b4, orientation: {x: [1, 1, 0], z: [0, 0.1, 1]}}}\n"
    "  universal: {kind: universal, a: {body: b4}, b: {body: b5, orientation: {matrix: [0, -1, 0, 1, 0, 0, 0, 0, "
    "1]}}}\n"
    "  planar: {kind: planar, a: {body: b5}, b: {body: b6}, armature: [1, 0, 3]}\n"
    "  spherical: {kind: spherical, a: {body: b6}, b: {body: b7}, armature: 0.5}\n"
    "  free: {kind: free, a: {body: ground}, b: {body: b8}}\n"
    "  point: {kind: point, between: [b8, b9], at: [0, 0, 1], cut: true, baumgarte: [100, 20], alpha: 3e5}\n"
    "  distance: {kind: distance, between: [b8, \"b10\"], at: [0, 0, 1], at_b: [0.3, 0, 0]}\n"
    "  distance2: {kind: distance, a: {body: b8}, b: {body: b9, position: [3, 0, 0]}, length: 2.5, omega: 7, mu: 0}\n"
    "  slider: {kind: prismatic, a: {body: ground}, b: {body: \"# odd: name\"}}\n"
    "forces:\n"
    "  f: {kind: force, body: b1, point: [1, 2, 3], vector: [0.1, 0, 0], frame: body, table: [[0, 0], [0.1, 1], [1e3, "
    "-1]]}\n"
    "  t: {kind: torque, body: b2, vector: [0, 0, 0.3], frame: global}\n"
    "  l: {kind: joint-load, joint: cylindrical, coordinate: 1, stiffness: 10, damping: 0.1, rest: 20 deg, "
    "lower: -3, upper: 5, stop_stiffness: 20, stop_dissipation: 0.5, stop_exponent: 1.5, "
    "friction: 1, breakaway: 1.5, stribeck_speed: 0.2, stiction_speed: 0.003, drive: "
    "0.7}\n"
    "  d: {kind: joint-load, joint: prismatic, drive: [[0, 0], [1, 5]]}\n"
    "  s: {kind: spring-damper, between: [ground, b3], points: [[1, 0, 0], [0, 0.1, 0]], stiffness: 100, damping: 2, "
    "length: 0.5, lower: 0.2, upper: 2, stop_stiffness: 20, stop_dissipation: 0.5, stop_exponent: 1.5}\n"
    "  a: {kind: angular-damper, between: [b1, b2], damping: 0.2}\n"
    "  m: {kind: bushing, between: [b1, b2], points: [[0, 0, 1], [1, 0, 0]], orientation_a: [0.6, 0, 0.8, 0], "
    "stiffness: [1, 2, 3], rotational_stiffness: 4, damping: 5, rotational_damping: [0, 6, 0], preload: [7, 0, 0], "
    "rotational_preload: [0, 8, 9]}\n"
    "inputs:\n"
    "  hip: {joint: slider, limit: 20, value: -3}\n"
    "  thrust: {body: b3, point: [1, 0, 0], force: [0, 0, 2], frame: body, limit: [0, 1e3]}\n"
    "  turn: {body: b3, torque: [0, 1, 0]}\n"
    "  gain: {value: 0.1}\n"
    "  feed: {motion: table, limit: 1}\n"
    "motions:\n"
    "  sine: {joint: revolute, offset: 20 deg, rate: 360 deg, amplitude: 10 deg, frequency: 3, phase: 90 deg}\n"
    "  profiled: {joint: prismatic, table: [[0, 0], [1, 2]], profile: clamped, end_rates: [0.5, 0]}\n"
    "  table: {joint: slider, table: [[0, 0], [1, 0.1], [2, 0]]}\n"
    "couplings:\n"
    "  gear: {first: revolute, second: helical, ratio: -0.5, offset: 1 deg}\n"
    "markers:\n"
    "  K: {body: b2, position: [0.1, 0.2, 0.3]}\n"
    "branches:\n"
    "  right: [b1, b2]\n"
    "start:\n"
    "  bodies:\n"
    "    b8: {position: [1, 0, 0.5], orientation: {axis: [1, 1, 0], angle: 1}, velocity: [0, 1, 0], angular_velocity: "
    "[0, 0, 90 deg]}\n"
    "    b9: {position: [2, 0, 0.1], orientation: {axis: [0, 0, 1], angle: -45 deg}}\n"
    "    \"b10\": {angular_velocity: [0, 0, 1]}\n"
    "  joints:\n"
    "    revolute: {q: 30 deg, u: 360 deg}\n"
    "    cylindrical: {q: [0.1, 0.2], u: [0.3, 0.4]}\n"
    "    universal: {q: [0.1, -0.2]}\n"
    "    planar: {q: [0.1, 0.2, 0.3]}\n"
    "    spherical: {q: [0.5, 0.5, 0.5, 0.5], u: [1, 2, 3]}\n";

/* Flexible bodies: a beam becomes the numbers it stands for. */
static const char flexible[] =
    "cleave: 1\n"
    "bodies:\n"
    "  boom{i}: {repeat: 2, branch: left, flexible: {spin_limit: 3, damping_ratio: 0.013, beam: "
    "{length: 2, density: 2700,\n"
    "    young: 7e10, shear: 2.7e10, rectangle: [0.05, 0.02], basis: clamped-free, nodes: {tip: 2, middle: 0.7},\n"
    "    modes: {bend_y: 2, bend_z: 3, twist: 1, stretch: 1}}}}\n"
    "  rigger: {flexible: {modal: {flex: 1, mass: 2, com: [0.1, 0, 0], inertia: [1, 1.1, 1.2, 0.1, "
    "0, 0], modal_mass: [[1, 0.1],\n"
    "    [0.1, 1]], stiffness: [[50, 1], [1, 300]], damping: [0.3, 0.7], momentum: [[0, 0.1, 0], [0.1, 0, 0]],\n"
    "    angular_momentum: [[0, 0, 0.1], [0, 0, 0.2]], moments: [[0, 0.1, 0, 0, 0, 0, 0, 0, 0], [0, "
    "0.1, 0.3, 0, 0, 0, 0, 0, 0]],\n"
    "    products: [[0, 0, 0, 0, 1, 0, 0, 0, 0], [0, 0.1, 0, 0.2, 0, 0, 0, 0, 0], [0, 0.2, 0, 0.1, 0, 0, 0, 0, 0],\n"
    "    [0.9, 0, 0, 0, 0, 0, 0, 0, 0]], nodes: {eye: {position: [1, 0, 0.1], orientation: "
    "{quaternion: [1, 2, 3, 4]},\n"
    "    shapes: [[0, 1, 0, 0, 0, 0.1], [1, 0, 0, 0.2, 0, 0]]}}}}}\n"
    "joints:\n"
    "  to_node: {kind: revolute, a: {body: boom1.tip, position: [0.1, 0, 0]}, b: {body: rigger.eye}}\n"
    "markers: {L: {body: boom2.middle}}\n"
    "start:\n"
    "  modes:\n"
    "    boom{i}: {repeat: 2, q: [0.1, 0, 0, 0, -0.02, 0, 0]}\n"
    "    rigger: {u: [0.3, 0]}\n";

static const char pulled[] =
    "cleave: 1\n"
    "bodies: {b1: {mass: 1, inertia: [1, 1, 1]}, b2: {mass: 1, inertia: [1, 1, 1]}}\n"
    "joints:\n"
    "  revolute: {kind: revolute, a: {body: ground}, b: {body: b1}}\n"
    "  prismatic: {kind: prismatic, a: {body: b1}, b: {body: b2}}\n"
    "forces:\n"
    "  tendon: {kind: tendon, path: [[ground, [0, 0, 1]], [b1, [0.1, 0, 0]], [b2, [0, 0.2, 0]]], stiffness: 10, "
    "damping: 1, length: 0.3, drive: [[0, 0], [1, 2]], upper: 2, stop_stiffness: 20, stop_exponent: 1.5}\n"
    "  sum: {kind: tendon, of: {prismatic: 0.5, revolute: -2}, drive: -3}\n"
    "  drag: {kind: drag, body: b1, point: [0, 0, 1], frame: body, linear: [1, 2, 3], quadratic: 4, "
    "rotational_linear: 5, rotational_quadratic: [6, 7, 8], "
    "density: 2, area: [1, 2, 3], drag_coefficient: 0.5, fluid: [1, 2, 3]}\n"
    "inputs:\n"
    "  winch: {tendon: tendon, limit: [-20, 0]}\n"
    "  motor: {joint: revolute, value: -3, rate_limit: 40, stall_effort: 15, no_load_speed: 30 rpm}\n"
    "  wind: {drag: drag, fluid: [0, 1, 2], value: 3}\n";

static const char coupled[] =
    "cleave: 1\n"
    "bodies:\n"
    "  b{i}: {repeat: 4, mass: 1, inertia: [1, 1, 1]}\n"
    "joints:\n"
    "  j{i}: {repeat: 4, kind: revolute, between: [ground, 'b{i}'], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "couplings:\n"
    "  bent: {first: j1, second: j2, polynomial: [0.5, -1, 0.25, 1e-3], offset: 1 deg}\n"
    "  cam: {first: j2, second: j3, periodic: true, table: [[0, 0], [90 deg, 0.1], [3, 0.2], [360 deg, 0]]}\n"
    "  open: {first: j3, second: j4, table: [[0, 0], [1, 0.1], [3, 0.2]], offset: -0.1}\n"
    "  all: {of: {j4: 1, j1: -0.5, j2: 3}, offset: 0.25}\n";

static const char bearings[] =
    "cleave: 1\n"
    "bodies:\n"
    "  b{i}: {repeat: 2, mass: 1, inertia: [1, 1, 1]}\n"
    "joints:\n"
    "  pin: {kind: revolute, between: [ground, b1], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  guide: {kind: prismatic, between: [ground, b2], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "forces:\n"
    "  a: {kind: joint-load, joint: pin, friction_coefficient: 0.1, static_coefficient: 0.2, pin_radius: 10 mm,\n"
    "    collar_radius: 0.02, bearing_span: 0.3, stiction_speed: 1e-3, spring_table: [[-10 deg, -1], [0.5, 2]]}\n"
    "  b: {kind: joint-load, joint: guide, friction_coefficient: 0.3, friction: 1, drive: 7, effort_limit: 5,\n"
    "    damper_table: [[-1, -3], [0, 0], [2, 4]]}\n";

static void same(const void *a, const void *b, size_t size, const char *what, int index)
{
    if (memcmp(a, b, size) != 0)
        fail_msg("%s %d differs after reading back", what, index);
}
#define SAME(a, b, field, what, i) same(&(a)->field, &(b)->field, sizeof(a)->field, what " " #field, i)

static void same_series(const clv_series *a, const clv_series *b, const char *what, int i)
{
    assert_int_equal(a->n, b->n);
    if (a->n > 0) {
        same(a->time, b->time, (size_t)a->n * sizeof *a->time, what, i);
        same(a->value, b->value, (size_t)a->n * sizeof *a->value, what, i);
    }
}

static void same_body(const clv_model *x, const clv_model *y, int i)
{
    const clv_body *a = &x->body[i], *b = &y->body[i];
    assert_string_equal(a->name, b->name);
    SAME(a, b, mass, "body", i), SAME(a, b, com, "body", i), SAME(a, b, J, "body", i), SAME(a, b, placed, "body", i);
    SAME(a, b, r, "body", i), SAME(a, b, e, "body", i), assert_int_equal(!a->moving, !b->moving);
    if (a->moving)
        same(a->moving, b->moving, 6 * sizeof *a->moving, "velocity of body", i);
    assert_int_equal(a->shape->kind, b->shape->kind);
    assert_int_equal(a->shape->coloured, b->shape->coloured);
    assert_int_equal(a->shape->closed, b->shape->closed);
    SAME(a, b, shape->size, "body", i), SAME(a, b, shape->at, "body", i), SAME(a, b, shape->orientation, "body", i);
    SAME(a, b, shape->colour, "body", i);
    assert_int_equal(a->branch < 0, b->branch < 0);
    if (a->branch >= 0)
        assert_string_equal(x->branch[a->branch], y->branch[b->branch]);
}

static void same_joint(const clv_joint *a, const clv_joint *b, int i)
{
    assert_string_equal(a->name, b->name);
    SAME(a, b, kind, "joint", i), SAME(a, b, a, "joint", i), SAME(a, b, b, "joint", i);
    SAME(a, b, pa, "joint", i), SAME(a, b, Ea, "joint", i), SAME(a, b, pb, "joint", i), SAME(a, b, Eb, "joint", i);
    SAME(a, b, more->pitch, "joint", i), SAME(a, b, more->distance, "joint", i);
    SAME(a, b, more->radius, "joint", i), SAME(a, b, cut, "joint", i);
    SAME(a, b, more->armature, "joint", i);
    SAME(a, b, more->baumgarte, "joint", i), SAME(a, b, more->alpha, "joint", i), SAME(a, b, more->omega, "joint", i);
    SAME(a, b, more->mu, "joint", i);
    SAME(a, b, has_q, "joint", i), SAME(a, b, has_u, "joint", i);
    same(a->q, b->q, (size_t)clv_joint_table[a->kind].nq * sizeof *a->q, "q of joint", i);
    same(a->u, b->u, (size_t)clv_joint_table[a->kind].nu * sizeof *a->u, "u of joint", i);
}

static void same_force(const clv_force *a, const clv_force *b, int i)
{
    assert_string_equal(a->name, b->name);
    SAME(a, b, kind, "force", i), SAME(a, b, a, "force", i), SAME(a, b, b, "force", i), SAME(a, b, point_a, "force", i);
    SAME(a, b, point_b, "force", i), SAME(a, b, vector, "force", i), SAME(a, b, in_body, "force", i),
        SAME(a, b, joint, "force", i);
    SAME(a, b, coordinate, "force", i), SAME(a, b, stiffness, "force", i), SAME(a, b, damping, "force", i),
        SAME(a, b, rest, "force", i);
    SAME(a, b, drive, "force", i), SAME(a, b, contact, "force", i), SAME(a, b, drag, "force", i);
    SAME(a, b, npoint, "force", i), SAME(a, b, nterm, "force", i), SAME(a, b, stop, "force", i);
    for (int k = 0; k < a->npoint; ++k)
        SAME(&a->path[k], &b->path[k], body, "point", k), SAME(&a->path[k], &b->path[k], position, "point", k);
    for (int k = 0; k < a->nterm; ++k)
        SAME(&a->term[k], &b->term[k], joint, "term", k), SAME(&a->term[k], &b->term[k], factor, "term", k);
    same_series(&a->table, &b->table, "force table", i);
}

static void same_flex(const clv_flex *a, const clv_flex *b, int i)
{
    size_t n = (size_t)a->nmode, size = sizeof(double);
    SAME(a, b, body, "flexible body", i), SAME(a, b, nmode, "flexible body", i), SAME(a, b, nnode, "flexible body", i);
    SAME(a, b, limit, "flexible body", i);
    same(a->K, b->K, n * n * size, "stiffness", i), same(a->C, b->C, n * n * size, "damping", i);
    same(a->Mff, b->Mff, n * n * size, "modal mass", i), same(a->B, b->B, 9 * n * n * size, "products", i);
    same(a->S, b->S, 3 * n * size, "momentum", i), same(a->h, b->h, 3 * n * size, "angular momentum", i);
    same(a->E, b->E, 9 * n * size, "moments", i);
    same(a->eta, b->eta, n * size, "start", i), same(a->etad, b->etad, n * size, "start rates", i);
    for (int k = 0; k < a->nnode; ++k) {
        assert_string_equal(a->node[k].name, b->node[k].name);
        SAME(&a->node[k], &b->node[k], body, "node", k), SAME(&a->node[k], &b->node[k], position, "node", k);
        SAME(&a->node[k], &b->node[k], orientation, "node", k);
        same(a->node[k].shape, b->node[k].shape, 6 * n * size, "shapes of node", k);
    }
}

static void same_event(const clv_event *a, const clv_event *b, int i)
{
    assert_string_equal(a->name, b->name);
    SAME(a, b, joint, "event", i), SAME(a, b, below, "event", i), SAME(a, b, value, "event", i);
    SAME(a, b, time, "event", i), SAME(a, b, lock, "event", i);
}

static void same_input(const clv_input *a, const clv_input *b, int i)
{
    assert_string_equal(a->name, b->name);
    SAME(a, b, kind, "input", i), SAME(a, b, joint, "input", i), SAME(a, b, coordinate, "input", i);
    SAME(a, b, body, "input", i), SAME(a, b, motion, "input", i), SAME(a, b, point, "input", i);
    SAME(a, b, vector, "input", i), SAME(a, b, in_body, "input", i), SAME(a, b, value, "input", i);
    SAME(a, b, limit, "input", i), SAME(a, b, force, "input", i);
}

static void same_rest(const clv_model *x, const clv_model *y)
{
    for (int i = 0; i < x->nmotion; ++i) {
        const clv_motion *a = &x->motion[i], *b = &y->motion[i];
        assert_int_equal(a->table.profile, b->table.profile);
        assert_memory_equal(a->end_rate, b->end_rate, sizeof a->end_rate);
        assert_string_equal(a->name, b->name);
        SAME(a, b, joint, "motion", i), SAME(a, b, offset, "motion", i), SAME(a, b, rate, "motion", i);
        SAME(a, b, amplitude, "motion", i), SAME(a, b, frequency, "motion", i), SAME(a, b, phase, "motion", i);
        same_series(&a->table, &b->table, "motion table", i);
    }
    for (int i = 0; i < x->ncoupling; ++i) {
        const clv_coupling *a = &x->coupling[i], *b = &y->coupling[i];
        assert_string_equal(a->name, b->name);
        SAME(a, b, sum, "coupling", i), SAME(a, b, nterm, "coupling", i), SAME(a, b, polynomial, "coupling", i);
        for (int k = 0; k < a->nterm; ++k)
            SAME(a->term + k, b->term + k, joint, "coupling", i), SAME(a->term + k, b->term + k, factor, "coupling", i);
        SAME(a, b, offset, "coupling", i), SAME(a, b, periodic, "coupling", i);
        same_series(&a->table, &b->table, "coupling table", i);
    }
    for (int i = 0; i < x->nmarker; ++i) {
        assert_string_equal(x->marker[i].name, y->marker[i].name);
        SAME(&x->marker[i], &y->marker[i], body, "marker", i),
            SAME(&x->marker[i], &y->marker[i], position, "marker", i);
    }
}

static void same_model(const clv_model *x, const clv_model *y)
{
    assert_string_equal(x->name, y->name);
    SAME(x, y, gravity, "model", 0), SAME(x, y, time_end, "model", 0);
    SAME(x, y, nbody, "model", 0), SAME(x, y, njoint, "model", 0), SAME(x, y, nforce, "model", 0),
        SAME(x, y, nmotion, "model", 0);
    SAME(x, y, ncoupling, "model", 0), SAME(x, y, nmarker, "model", 0), SAME(x, y, nbranch, "model", 0);
    SAME(x, y, nflex, "model", 0), SAME(x, y, ninput, "model", 0);
    SAME(x, y, nevent, "model", 0);
    for (int i = 0; i < x->nevent; ++i)
        same_event(&x->event[i], &y->event[i], i);
    for (int i = 0; i < x->ninput; ++i)
        same_input(&x->input[i], &y->input[i], i);
    for (int i = 0; i < x->nflex; ++i)
        same_flex(&x->flex[i], &y->flex[i], i);
    for (int i = 0; i < x->nbody; ++i)
        same_body(x, y, i);
    for (int i = 0; i < x->njoint; ++i)
        same_joint(&x->joint[i], &y->joint[i], i);
    for (int i = 0; i < x->nforce; ++i)
        same_force(&x->force[i], &y->force[i], i);
    same_rest(x, y);
}

/* Takes the comments out that give the values of parameters: a text that is written has numbers and no parameters. */
static void drop_parameters(char *text)
{
    for (char *at; (at = strstr(text, "\n# parameter ")) != NULL;) {
        const char *end = strchr(at + 1, '\n');
        memmove(at, end, strlen(end) + 1);
    }
}

/* Writes, reads, compares; writes again: the same text. */
static void check_round_trip(const clv_model *m)
{
    char *text, *again;
    size_t size, size_again;
    clv_model *copy;
    assert_int_equal(clv_model_write_text(m, &text, &size), CLV_OK);
    assert_int_equal(strlen(text), size);
    clv_status status = clv_model_read_text(&copy, text, size, "again.yaml");
    if (status != CLV_OK)
        fail_msg("%d:%d %s: %s\n%s", clv_model_error(copy)->line, clv_model_error(copy)->column,
                 clv_model_error(copy)->path, clv_model_error(copy)->message, text);
    same_model(m, copy);
    assert_true(clv_model_fingerprint(m) == clv_model_fingerprint(copy));
    assert_int_equal(clv_model_write_text(copy, &again, &size_again), CLV_OK);
    drop_parameters(text);
    assert_string_equal(text, again);
    clv_free(text);
    clv_free(again);
    clv_model_destroy(copy);
}

static void every_key_comes_back(void **state)
{
    (void)state;
    clv_model *m;
    clv_status status = clv_model_read_text(&m, everything, sizeof everything - 1, "everything.yaml");
    if (status != CLV_OK)
        fail_msg("%d:%d %s: %s", clv_model_error(m)->line, clv_model_error(m)->column, clv_model_error(m)->path,
                 clv_model_error(m)->message);
    check_round_trip(m);
    clv_model_destroy(m);
}

static void events_come_back(void **state)
{
    static const char text[] =
        "cleave: 1\n"
        "bodies: {b: {mass: 1, inertia: [1, 1, 1]}, \"c d\": {mass: 1, inertia: [1, 1, 1]}}\n"
        "joints: {j: {kind: revolute, between: [ground, b], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
        "markers: {p: {body: b}, \"q, r\": {body: c d, position: [1, 0, 0]}}\n"
        "events:\n"
        "  latch: {when: {joint: j, below: -10 deg}, lock: j}\n"
        "  up: {when: {rate: j, above: 30 rpm}, again: true, lock: j}\n"
        "  \"at: three\": {at: 3.25, lock: j}\n"
        "  grasp: {when: {marker-distance: [p, \"q, r\"], below: 20 mm}, attach: [b, c d], joint: spherical, "
        "position: [1, 2, 3]}\n"
        "  hold: {at: 2, attach: [ground, b], joint: prismatic, axis: [1, 2, 3]}\n"
        "  free: {when: {force: grasp, above: 2 kN}, again: true, release: grasp}\n"
        "  twist: {when: {torque: grasp, above: 7}, release: \"at: three\"}\n"
        "  end: {when: {effort: j, below: -3 N m}, stop: true}\n";
    (void)state;
    clv_model *m;
    assert_int_equal(clv_model_read_text(&m, text, sizeof text - 1, "events.yaml"), CLV_OK);
    assert_int_equal(m->nevent, 8);
    assert_true(m->event[0].below && !m->event[1].below && m->event[2].joint == -1);
    assert_true(m->event[5].undone == 3 && m->event[6].undone == 2 && m->joint[m->event[4].attached].absent);
    check_round_trip(m);
    clv_model_destroy(m);
}

static void contacts_come_back(void **state)
{
    static const char text[] =
        "cleave: 1\n"
        "bodies:\n"
        "  b: {mass: 1, inertia: from shape, shape: {sphere: 0.1}}\n"
        "  d: {mass: 1, inertia: from shape, shape: {box: [1, 2, 3]}}\n"
        "  e: {mass: 1, inertia: [1, 1, 1], shape: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.1, 0.2, 1]]}}\n"
        "  bush: {mass: 1, inertia: from shape, shape: {bore: [0.2, 0.3, 0.4], closed: upper}}\n"
        "joints:\n"
        "  j: {kind: free, a: {body: ground}, b: {body: b}}\n"
        "  k: {kind: free, a: {body: ground}, b: {body: d}}\n"
        "forces:\n"
        "  c: {kind: contact, between: [b, ground], point: [0, 0, 0.3], normal: [1, 2, 3], stiffness: 7, "
        "exponent: 1.1, dissipation: 0.4, static_friction: 0.7, dynamic_friction: 0.3, viscous_friction: 0.2, "
        "transition_speed: 0.03}\n"
        "  one: {kind: contact, between: [d, b], stiffness: 7, static_friction: 0.6}\n"
        "  none: {kind: contact, between: [b, d], stiffness: 7}\n"
        "  rigid: {kind: contact, between: [b, d], restitution: 0, dynamic_friction: 0.3}\n"
        "  pivot: {kind: contact, between: [bush, b], stiffness: 7}\n";
    (void)state;
    clv_model *m;
    assert_int_equal(clv_model_read_text(&m, text, sizeof text - 1, "contacts.yaml"), CLV_OK);
    assert_true(m->force[0].a == CLV_GROUND && m->force[0].contact.viscous_friction == 0.2);
    assert_true(m->force[1].contact.dynamic_friction == 0.6 && m->force[2].contact.static_friction == 0);
    check_round_trip(m);
    clv_model_destroy(m);
}

static void bearings_come_back(void **state)
{
    (void)state;
    clv_model *m;
    if (clv_model_read_text(&m, bearings, sizeof bearings - 1, "bearings.yaml") != CLV_OK)
        fail_msg("%s", clv_model_error(m)->message);
    check_round_trip(m);
    clv_model_destroy(m);
}

static void tendons_and_drags_come_back(void **state)
{
    (void)state;
    clv_model *m;
    if (clv_model_read_text(&m, pulled, sizeof pulled - 1, "pulled.yaml") != CLV_OK)
        fail_msg("%s", clv_model_error(m)->message);
    assert_true(m->force[2].drag.quadratic[1] == 4 + 0.5 * 2 * 2 * 0.5);
    check_round_trip(m);
    clv_model_destroy(m);
}

static void couplings_come_back(void **state)
{
    (void)state;
    clv_model *m;
    if (clv_model_read_text(&m, coupled, sizeof coupled - 1, "coupled.yaml") != CLV_OK)
        fail_msg("%s", clv_model_error(m)->message);
    check_round_trip(m);
    clv_model_destroy(m);
}

static void flexible_bodies_come_back(void **state)
{
    (void)state;
    clv_model *m;
    clv_status status = clv_model_read_text(&m, flexible, sizeof flexible - 1, "flexible.yaml");
    if (status != CLV_OK)
        fail_msg("%d:%d %s: %s", clv_model_error(m)->line, clv_model_error(m)->column, clv_model_error(m)->path,
                 clv_model_error(m)->message);
    assert_int_equal(m->nflex, 3);
    check_round_trip(m);
    clv_model_destroy(m);
}

static void every_example_comes_back(void **state)
{
    (void)state;
    for (int i = 0; clv_example_name(i); ++i) {
        clv_model *m;
        assert_int_equal(clv_example_create(&m, clv_example_name(i), NULL, 0), CLV_OK);
        check_round_trip(m);
        clv_model_destroy(m);
    }
}

static int nothing(void *user, clv_load_view *view)
{
    return (void)user, (void)view, 0;
}

static void what_a_file_cannot_hold_is_refused(void **state)
{
    (void)state;
    clv_model *m;
    char *text;
    assert_int_equal(clv_example_create(&m, "pendulum", NULL, 0), CLV_OK);
    m->finished = false;
    clv_force_desc d = clv_force_desc_default(CLV_FORCE_CALLBACK);
    d.name = "mine";
    d.call = nothing;
    assert_int_equal(clv_model_add_force(m, NULL, &d), CLV_OK);
    assert_int_equal(clv_model_write_text(m, &text, NULL), CLV_ERR_UNSUPPORTED);
    assert_null(text);
    clv_model_destroy(m);
    assert_int_equal(clv_model_create(&m, "x"), CLV_OK);
    clv_body_desc b = clv_body_desc_default();
    b.name = "link{i}";
    assert_int_equal(clv_model_add_body(m, NULL, &b), CLV_OK);
    assert_int_equal(clv_model_write_text(m, &text, NULL), CLV_ERR_UNSUPPORTED);
    clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_comes_back),
        cmocka_unit_test(events_come_back),
        cmocka_unit_test(contacts_come_back),
        cmocka_unit_test(bearings_come_back),
        cmocka_unit_test(couplings_come_back),
        cmocka_unit_test(tendons_and_drags_come_back),
        cmocka_unit_test(flexible_bodies_come_back),
        cmocka_unit_test(every_example_comes_back),
        cmocka_unit_test(what_a_file_cannot_hold_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
