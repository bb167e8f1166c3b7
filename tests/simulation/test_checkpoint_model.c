/* SPDX-License-Identifier: Apache-2.0
 * A saved state of a model that differs in one number anywhere is refused: each number of a rich model is changed in
 * its last digits, one after the other. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "cleave/cleave.h"

/* A mark @ before every number that is changed; it is no part of the text.  Not marked are axes, whose
 * length is of no effect, and what symmetry repeats. */
static const char rich[] =
    "cleave: 1\n"
    "gravity: [@0, @-9.81, @0]\n"
    "time: @5\n"
    "bodies:\n"
    "  crank: {mass: @1, com: [@0.1, @0.5, @0], inertia: [@0.08, @0.09, @0.1, @0.001, @0.002, @0.003]}\n"
    "  coupler: {mass: @2, com: [@1, @0.25, @0], inertia: [@0.5, @0.70, @0.71],\n"
    "            shape: {box: [@1, @2, @3], at: [@0.1, @0.2, @0.3], colour: [@0.1, @0.2, @0.3]}}\n"
    "  rocker: {mass: @1, com: [@0, @-0.75, @0], inertia: [@0.19, @0.1, @0.19]}\n"
    "  boom: {flexible: {modal: {mass: @1, com: [@1, @0.1, @0.2], inertia: [@0.1, @1.4, @1.45, @0.01, @0, @0],\n"
    "         modal_mass: [@1, @1.1], stiffness: [@100, @200], damping: [@0.1, @0.2],\n"
    "         momentum: [[@0.1, @0.2, @0.01], [@0, @0.1, @0.02]],\n"
    "         angular_momentum: [[@0, @0, @0.1], [@0, @-0.1, @0.02]], spin_limit: @100,\n"
    "         moments: [[@0, @0.1, @0, @0, @0, @0, @0, @0, @0], [@0, @0, @0.1, @0, @0, @0, @0, @0, @0]],\n"
    "         products: [[@1, @0, @0, 0, @0, @0, 0, 0, @0], [@0, @0, @0, @0, @0, @0, @0, @0, @0],\n"
    "                    [0, 0, 0, 0, 0, 0, 0, 0, 0], [@0.1, @0, @0, 0, @1, @0, 0, 0, @0]],\n"
    "         nodes: {tip: {position: [@2, @0.1, @0],\n"
    "         shapes: [[@0, @1, @0, @0, @0, @1], [@0, @0, @1, @0, @-1, @0]]}}}}}\n"
    "  disc: {mass: @3, inertia: [@1, @1, @1.5]}\n"
    "  gear: {mass: @3, inertia: [@1, @1, @1.5]}\n"
    "  load: {mass: @0.3, inertia: [@0.1, @0.1, @0.15], shape: {sphere: @0.2}}\n"
    "  slide: {mass: @0.3, inertia: [@0.1, @0.1, @0.15], shape: {sphere: @0.2}}\n"
    "joints:\n"
    "  a: {kind: revolute, between: [ground, crank], at: [@0, @0, @0], axis: [0, 0, 1]}\n"
    "  b: {kind: revolute, between: [crank, coupler], at: [0, @1, @0], axis: [0, 0, 1]}\n"
    "  c: {kind: revolute, between: [coupler, rocker], at: [@2, @1.5, @0], axis: [0, 0, 1]}\n"
    "  d: {kind: revolute, a: {body: rocker, position: [@0, @-1.5, @0]}, b: {body: ground, position: [@2, @0, @0]}}\n"
    "  e: {kind: spherical, a: {body: ground, position: [@0, @0, @5]}, b: {body: boom}}\n"
    "  f: {kind: helical, a: {body: ground, position: [@5, @0, @0]}, b: {body: disc}, pitch: @0.1}\n"
    "  g: {kind: revolute, a: {body: ground, position: [@7, @0, @0]}, b: {body: gear}}\n"
    "  s: {kind: prismatic, a: {body: ground, position: [@0, @0, @9]}, b: {body: slide}}\n"
    "  h: {kind: cylindrical, a: {body: ground, position: [@9, @0, @0]}, b: {body: load}}\n"
    "forces:\n"
    "  push: {kind: force, body: crank, point: [@0, @0.5, @0.1], vector: [@1, @0, @0.1], table: [[@0, @0], [@1, @2]]}\n"
    "  turn: {kind: torque, body: rocker, vector: [@0, @0, @0.3], frame: body}\n"
    "  motor: {kind: joint-load, joint: f, stiffness: @1, damping: @0.1, rest: @0.2, drive: @0.7}\n"
    "  table: {kind: joint-load, joint: h, coordinate: 1, lower: @-3, upper: @4,\n"
    "          stop_stiffness: @90, stop_dissipation: @0.1, stop_exponent: @1.5,\n"
    "          friction: @1, breakaway: @2, stribeck_speed: @0.3,\n"
    "          stiction_speed: @0.02, drive: [[@0, @0], [@1, @5]]}\n"
    "  spring: {kind: spring-damper, between: [ground, boom.tip], points: [[@1, @0, @0], [@0, @0.1, @0]],\n"
    "           stiffness: @10, damping: @2, length: @0.5}\n"
    "  damper: {kind: angular-damper, between: [ground, load], damping: @0.2}\n"
    "  mount: {kind: bushing, between: [ground, load], stiffness: @0.1, rotational_damping: [0, @0.2, 0], "
    "preload: [@0.1, 0, 0]}\n"
    "  bump: {kind: contact, between: [ground, load], point: [@0.1, 0, 0], normal: [0, 0, 1], stiffness: @10, "
    "dissipation: @0.1, static_friction: @0.5}\n"
    "motions:\n"
    "  drive: {joint: {h}}\n"
    "couplings:\n"
    "  pair: {first: f, second: g, ratio: @-0.5, offset: @0}\n"
    "markers:\n"
    "  K: {body: coupler, position: [@1, @0.25, @0]}\n"
    "start:\n"
    "  bodies:\n"
    "    crank: {position: [0, 0, 0]}\n"
    "    coupler: {position: [0, 1, 0]}\n"
    "    rocker: {position: [2, 1.5, 0]}\n"
    "  joints:\n"
    "    f: {u: @0.3}\n"
    "    e: {u: [@0.1, @0.2, @0.3]}\n"
    "  modes:\n"
    "    boom: {q: [@0.01, @0.02], u: [@0.1, @0.2]}\n";

/* The motion of joint s comes in two kinds. */
static const char *const drives[] = {"s, offset: @0.1, rate: @1, amplitude: @0.1, frequency: @3, phase: @0.5",
                                     "s, table: [[@0, @0], [@1, @0.1], [@2, @0]]"};

/* The text without marks; number `which` is changed in its last digits.  Returns how many there are. */
static int unmarked(char *out, const char *in, int which)
{
    int n = 0;
    while (*in) {
        if (*in != '@') {
            *out++ = *in++;
            continue;
        }
        char *end;
        double x = strtod(++in, &end);
        if (n++ == which)
            out += sprintf(out, "%.17g", x == 0 ? 1e-10 : x * (1 + 1e-11));
        else
            memcpy(out, in, (size_t)(end - in)), out += end - in;
        in = end;
    }
    *out = 0;
    return n;
}

static clv_sim *start(clv_model **model, const char *text)
{
    clv_sim *s;
    if (clv_model_read_text(model, text, strlen(text), "rich.yaml") != CLV_OK)
        fail_msg("%s: %s\n%s", clv_model_error(*model)->path, clv_model_error(*model)->message, text);
    if (clv_sim_create(&s, *model, NULL) != CLV_OK)
        fail_msg("%s\n%s", clv_sim_error(s)->message, text);
    return s;
}

static void each_number(const char *drive)
{
    enum { ROOM = 16384 };
    char *marked = clv_alloc(ROOM, 1), *text = clv_alloc(ROOM, 1);
    const char *at = strstr(rich, "{h}");
    snprintf(marked, ROOM, "%.*s%s%s", (int)(at - rich), rich, drive, at + 3);
    clv_model *model, *other;
    int n = unmarked(text, marked, -1);
    clv_sim *s = start(&model, text), *second;
    size_t size = clv_sim_saved_size(s);
    void *bytes = clv_alloc(size, 1);
    assert_int_equal(clv_sim_advance(s, 0.01), CLV_OK);
    clv_sim_save(s, bytes);
    second = start(&other, text);
    assert_int_equal(clv_sim_load(second, bytes, size), CLV_OK); /* the same model is taken */
    clv_sim_destroy(second), clv_model_destroy(other);
    assert_in_range(n, 200, 1000);
    for (int i = 0; i < n; i++) {
        unmarked(text, marked, i);
        second = start(&other, text);
        if (clv_sim_load(second, bytes, size) != CLV_ERR_USAGE)
            fail_msg("number %d of the model may differ:\n%s", i, text);
        assert_non_null(strstr(clv_sim_error(second)->message, "another model"));
        clv_sim_destroy(second), clv_model_destroy(other);
    }
    clv_sim_destroy(s), clv_model_destroy(model);
    clv_free(bytes), clv_free(marked), clv_free(text);
}

static void a_state_of_another_model_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof drives / sizeof drives[0]; i++)
        each_number(drives[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_state_of_another_model_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
