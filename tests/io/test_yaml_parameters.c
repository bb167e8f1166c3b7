/* SPDX-License-Identifier: Apache-2.0
 * Parameters, formulas and units in model files: what they come to, what a caller may give instead, and every refusal
 * with its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "model/model.h"
#include "near.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BODY "bodies: {crank: {mass: 1, inertia: [1, 1, 1]}}\n"

static clv_model *read_with(const char *text, const char *const *given, int n)
{
    clv_model *m;
    if (clv_model_read_text_with(&m, text, strlen(text), "test.yaml", given, n) != CLV_OK)
        fail_msg("%d:%d %s: %s", clv_model_error(m)->line, clv_model_error(m)->column, clv_model_error(m)->path,
                 clv_model_error(m)->message);
    return m;
}

static clv_model *read_good(const char *text)
{
    return read_with(text, NULL, 0);
}

/* One error only, in that line and column, with these words in its message or hint. */
static void refused_with(const char *text, const char *const *given, int n, clv_status code, int line, int column,
                         const char *words)
{
    clv_model *m;
    const clv_status status = clv_model_read_text_with(&m, text, strlen(text), "test.yaml", given, n);
    const clv_error *e = clv_model_error_at(m, 0);
    if (status != code || clv_model_error_count(m) != 1 || e->line != line || e->column != column ||
        (!strstr(e->message, words) && !strstr(e->hint, words)))
        fail_msg("%.200s\nstatus %d, %d errors, at %d:%d (expected %d:%d) '%s' hint '%s', expected '%s'", text,
                 (int)status, clv_model_error_count(m), e ? e->line : 0, e ? e->column : 0, line, column,
                 e ? e->message : "", e ? e->hint : "", words);
    clv_model_destroy(m);
}

static void refused(const char *text, int line, int column, const char *words)
{
    refused_with(text, NULL, 0, CLV_ERR_MODEL, line, column, words);
}

/* ---------------------------------------------------------------- values */

static const char arm[] =
    "cleave: 1\n"
    "parameters:\n"
    "  d: l/2                                   # before what it depends on\n"
    "  l: 400 mm\n"
    "  mass: {value: 3, unit: kg, range: [0.1, 10]}\n"
    "  angle: {value: 30, unit: deg, range: [-90, 90]}\n"
    "  n: 3\n"
    "gravity: [0, -9.81 m/s^2, 0]\n"
    "time: 2*n\n"
    "bodies:\n"
    "  arm: {mass: mass/2, com: [d, 0, 0], inertia: [mass*l^2/12, \"max(0.01, mass*l^2/12)\", mass*l^2/12]}\n"
    "  link{i}: {mass: 0.1*i, com: [i*l, 0, i^2], inertia: [1, 1, 1], repeat: n, shape: {sphere: i*10 mm}}\n"
    "joints:\n"
    "  a: {kind: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  j{i}: {kind: prismatic, a: {body: ground, position: [l*i, 0, 0], orientation: {axis: [0, 0, 1], angle: i*10 "
    "deg}},"
    " b: {body: \"link{i}\"}, repeat: n}\n"
    "forces:\n"
    "  f: {kind: joint-load, joint: a, stiffness: 2 kN m/rad, drive: [[0, 1 N m], [500 ms, 2*n]]}\n"
    "  s: {kind: spring-damper, between: [ground, arm], points: [[0, 0, 0], [l, 0, 0]], stiffness: 1 N/mm, length: l}\n"
    "motions: {m: {joint: j1, rate: 60 mm/s, frequency: 2 Hz}}\n"
    "start:\n"
    "  joints: {a: {q: angle, u: 10 rpm}, \"j{i}\": {q: i*1 cm, repeat: n - 1, from: 2}}\n";

static void formulas_have_values(void **state)
{
    (void)state;
    clv_model *m = read_good(arm);
    assert_true(m->body[0].mass == 1.5);
    assert_true(m->body[0].com[0] == 0.2);
    CLV_NEAR(m->body[0].J[0], 0.04, 1e-17);
    assert_true(m->gravity[1] == -9.81);
    assert_true(m->time_end == 6);
    CLV_NEAR(m->force[0].stiffness, 2000, 0);
    assert_true(m->force[0].table.time[1] == 0.5 && m->force[0].table.value[1] == 6);
    assert_true(m->force[1].stiffness == 1000 && m->force[1].point_b[0] == 0.4 && m->force[1].rest == 0.4);
    CLV_NEAR(m->joint[0].q[0], 0.5235987755982988, 1e-16);
    CLV_NEAR(m->joint[0].u[0], 1.0471975511965976, 1e-15);
    CLV_NEAR(m->motion[0].rate, 0.06, 0);
    CLV_NEAR(m->motion[0].frequency, 12.566370614359172, 1e-14);
    clv_model_destroy(m);
}

/* Every copy has its own numbers: in the entry, in mappings inside it, in its start. */
static void copies_count_in_formulas(void **state)
{
    (void)state;
    clv_model *m = read_good(arm);
    assert_int_equal(m->nbody, 4);
    for (int i = 1; i <= 3; ++i) {
        CLV_NEAR(m->body[i].mass, 0.1 * i, 0);
        CLV_NEAR(m->body[i].com[0], i * 0.4, 0);
        CLV_NEAR(m->body[i].com[2], i * i, 0);
        CLV_NEAR(m->body[i].shape->size[0], 0.01 * i, 1e-17);
        CLV_NEAR(m->joint[i].pa[0], 0.4 * i, 0);
        CLV_NEAR(m->joint[i].Ea[0], cos(i * 3.14159265358979323846 / 18), 1e-15);
    }
    assert_true(m->joint[2].has_q && m->joint[3].has_q && !m->joint[1].has_q);
    CLV_NEAR(m->joint[2].q[0], 0.02, 1e-17);
    CLV_NEAR(m->joint[3].q[0], 0.03, 1e-17);
    clv_model_destroy(m);
}

static void parameters_are_listed(void **state)
{
    (void)state;
    clv_model *m = read_good(arm);
    assert_int_equal(clv_model_parameter_count(m), 5);
    const clv_parameter *d = clv_model_parameter(m, 0), *mass = clv_model_parameter(m, 2),
                        *angle = clv_model_parameter(m, 3);
    assert_string_equal(d->name, "d");
    assert_string_equal(d->unit, "m");
    assert_true(d->value == 0.2 && d->used && !d->given && isinf(d->least) && isinf(d->most));
    assert_string_equal(clv_model_parameter(m, 1)->unit, "mm");
    assert_true(clv_model_parameter(m, 1)->value == 0.4 && clv_model_parameter(m, 1)->shown == 400);
    assert_string_equal(mass->unit, "kg");
    assert_true(mass->value == 3 && mass->least == 0.1 && mass->most == 10);
    CLV_NEAR(angle->shown, 30, 1e-14);
    CLV_NEAR(angle->most, 90, 1e-13);
    assert_null(clv_model_parameter(m, 5));
    assert_null(clv_model_parameter(m, -1));
    clv_model_destroy(m);
}

static void a_caller_gives_other_values(void **state)
{
    (void)state;
    static const char *const given[] = {"mass=6", "l=500", "angle=pi/4 rad", "n=2"};
    clv_model *m = read_with(arm, given, 4);
    assert_true(m->body[0].mass == 3);
    assert_true(m->body[0].com[0] == 0.25);
    CLV_NEAR(m->joint[0].q[0], 0.7853981633974483, 1e-16);
    assert_int_equal(m->nbody, 3);
    assert_true(clv_model_parameter(m, 2)->given && !clv_model_parameter(m, 0)->given);
    clv_model_destroy(m);
    static const char *const units[] = {"mass=2500 g", "l=0.5m"};
    m = read_with(arm, units, 2);
    assert_true(m->body[0].mass == 1.25 && m->body[0].com[0] == 0.25);
    clv_model_destroy(m);
}

/* A file without parameters reads as it always did. */
static void numbers_stay_numbers(void **state)
{
    (void)state;
    clv_model *m = read_good("cleave: 1\nname: 1e3\n" BODY "joints: {a: {kind: revolute, between: [ground, crank], at: "
                             "[0, 0, 0], axis: [0, 0, 1]}}\nstart: {joints: {a: {q: 90 deg, u: -90deg}}}\n");
    assert_string_equal(clv_model_name(m), "1e3");
    assert_true(m->joint[0].q[0] == 90 * (3.14159265358979323846 / 180));
    assert_int_equal(clv_model_parameter_count(m), 0);
    clv_model_destroy(m);
}

/* ---------------------------------------------------------------- refusals */

static void refused_values(const char *given, const char *words)
{
    refused_with(arm, &given, 1, CLV_ERR_USAGE, 0, 0, words);
}

static void given_values_are_checked(void **state)
{
    (void)state;
    refused_values("mas=3", "did you mean 'mass'?");
    refused_values("zzz=3", "parameters: d in m, l in mm, mass in kg (0.1 to 10)");
    refused_values("mass=20", "outside its range, 0.1 to 10 kg");
    refused_values("mass=nan", "expected a number, found 'nan'");
    refused_values("mass=", "expected a number, found ''");
    refused_values("mass=2*l", "expected a number");
    refused_values("mass=3 m", "does not fit its unit");
    refused_values("angle=100", "outside its range");
    refused_values("mass", "not of the form name=value");
    refused_values("=3", "not of the form name=value");
    static const char *const twice[] = {"mass=1", "mass=2"};
    refused_with(arm, twice, 2, CLV_ERR_USAGE, 0, 0, "given twice");
    static const char *const one[] = {"mass=1"};
    refused_with("cleave: 1\n" BODY, one, 1, CLV_ERR_USAGE, 0, 0, "has no section 'parameters'");
    refused_with("cleave: 1\n" BODY, NULL, 1, CLV_ERR_USAGE, 0, 0, "announced");
}

#define WITH(parameters, mass)                                                                                         \
    "cleave: 1\nparameters: {" parameters "}\nbodies: {crank: {mass: " mass ", inertia: [1, 1, 1]}}\n"

static void formulas_are_refused_at_their_place(void **state)
{
    (void)state;
    refused(WITH("m: 3", "2*mm"), 3, 26, "unknown name 'mm'");
    refused(WITH("mass: 3", "mas"), 3, 24, "did you mean 'mass'?");
    refused(WITH("m: 3", "m/0"), 3, 25, "division by 0");
    refused(WITH("m: 3", "\"m +\""), 3, 28, "missing at the end");
    refused(WITH("m: 3", "i*m"), 3, 24, "no `repeat`");
    refused(WITH("m: 3", "-m"), 3, 24, "must not be negative, is -3");
    refused(WITH("a: b, b: 2*a", "1"), 2, 25, "'a' depends on itself");
    refused(WITH("a: a", "a"), 2, 17, "'a' depends on itself");
    refused(WITH("a: b + 1, b: 1/0", "a"), 2, 28, "division by 0");
    refused(WITH("a: [1]", "1"), 2, 17, "found a list");
    refused(WITH("a: ", "1"), 2, 17, "found nothing");
    refused(WITH("a: {value: 3, range: [4, 5]}", "a"), 2, 25, "outside the range 4 to 5");
    refused(WITH("a: {value: 3, range: [5, 4]}", "a"), 2, 35, "greater than the largest");
    refused(WITH("a: {value: 3, range: 5}", "a"), 2, 35, "least and the largest");
    refused(WITH("a: {range: [1, 2]}", "1"), 2, 14, "'value' is missing");
    refused(WITH("a: {value: 3, unit: kgs}", "1"), 2, 34, "did you mean 'kg'?");
    refused(WITH("a: {value: 3 m, unit: kg}", "1"), 2, 25, "the unit of this parameter is kg");
    refused(WITH("sin: 1", "1"), 2, 14, "taken by a function");
    refused(WITH("i: 1", "1"), 2, 14, "counts the copies");
    refused(WITH("2a: 1", "1"), 2, 14, "not of letters");
}

static void units_are_checked(void **state)
{
    (void)state;
    refused(WITH("l: 300 mm", "l"), 3, 24, "'l' is in m; 'mass' is in kg");
    refused(WITH("l: 3", "300 mm"), 3, 24, "'300 mm' is in m; 'mass' is in kg");
    refused(WITH("l: 3", "2*3 deg"), 3, 24, "is in rad; 'mass' is in kg");
    refused(WITH("l: 3", "3 kgg"), 3, 26, "did you mean 'kg'?");
#define JOINT(kind, rest)                                                                                              \
    "cleave: 1\n" BODY "joints: {a: {kind: " kind ", between: [ground, crank], at: [0, 0, 0], axis: [0, 0, "           \
                                                  "1]}}\n" rest
    refused(JOINT("revolute", "start: {joints: {a: {q: 3 mm}}}\n"), 4, 25, "is an angle, not a length");
    refused(JOINT("revolute", "start: {joints: {a: {u: 3 mm/s}}}\n"), 4, 25, "is an angle, not a length");
    refused(JOINT("prismatic", "start: {joints: {a: {u: 3 rpm}}}\n"), 4, 25, "is not an angle");
    refused(JOINT("prismatic", "forces: {f: {kind: joint-load, joint: a, stiffness: 3 N m/rad}}\n"), 4, 53,
            "the unit of an angle");
    refused(JOINT("revolute", "forces: {f: {kind: joint-load, joint: a, stiffness: 3 N/m}}\n"), 4, 53,
            "the unit of a translation");
    refused(JOINT("revolute", "forces: {f: {kind: joint-load, joint: a, drive: 3 kN}}\n"), 4, 49,
            "the unit of a translation");
    refused(JOINT("revolute", "forces: {f: {kind: joint-load, joint: a, drive: [[0, 0], [1, 3 N]]}}\n"), 4, 62,
            "the unit of a translation");
    refused(JOINT("revolute", "forces: {f: {kind: joint-load, joint: a, drive: [[0, 0], [1 m, 3]]}}\n"), 4, 59,
            "is in m;");
    refused(JOINT("revolute", "motions: {m: {joint: a, table: [[0, 0], [1, 3 mm], [2, 0]]}}\n"), 4, 45,
            "the unit of a translation");
    refused(JOINT("revolute", "motions: {m: {joint: a, rate: 3 m/s}}\n"), 4, 31, "the unit of a translation");
    refused("cleave: 1\n" BODY "joints: {a: {kind: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1], "
            "baumgarte: [1 s^-1, 2]}}\n",
            3, 99, "the first gain is in 1/s^2");
    refused(JOINT("revolute", "inputs: {x: {joint: a, value: 2 N}}\n"), 4, 31, "'value' is in N m here");
    refused(JOINT("prismatic", "inputs: {x: {joint: a, limit: [0, 2 N m]}}\n"), 4, 31, "'limit' is in N here");
    refused(JOINT("revolute", "inputs: {x: {body: crank, force: [1, 0, 0], value: 2 N}}\n"), 4, 52,
            "'value' is a pure number here");
    clv_model *m = read_good(JOINT("revolute", "inputs: {x: {joint: a, value: 2 N m, limit: 3 kN m}}\n"));
    assert_true(m->input[0].value == 2 && m->input[0].limit[1] == 3000);
    clv_model_destroy(m);
    refused(JOINT("revolute", "couplings: {c: {first: a, second: a, ratio: 2 m}}\n"), 4, 45, "is a pure number");
}

/* An error of a copy is told once, with the name of the copy. */
static void copies_fail_by_name(void **state)
{
    (void)state;
    clv_model *m;
    static const char text[] = "cleave: 1\nbodies: {\"b{i}\": {mass: 1/(3 - i), inertia: [1, 1, 1], repeat: 5}}\n";
    assert_int_equal(clv_model_read_text(&m, text, strlen(text), "test.yaml"), CLV_ERR_MODEL);
    assert_int_equal(clv_model_error_count(m), 1);
    assert_string_equal(clv_model_error_at(m, 0)->path, "bodies.b3.mass");
    clv_model_destroy(m);
}

/* A chain of parameters in the wrong order is deep, in the right order it is not; a long one ends in an error. */
static void long_chains_of_parameters(void **state)
{
    (void)state;
    static char text[200000];
    for (int up = 0; up < 2; ++up) {
        size_t n = (size_t)snprintf(text, sizeof text, "cleave: 1\nparameters:\n  p0: 1\n");
        for (int k = 1; k <= 3000; ++k) {
            const int i = up ? k : 3001 - k;
            n += (size_t)snprintf(text + n, sizeof text - n, "  p%d: p%d + 1\n", i, i - 1);
        }
        snprintf(text + n, sizeof text - n, BODY "time: p3000\n");
        if (up) {
            clv_model *m = read_good(text);
            assert_true(m->time_end == 3001);
            clv_model_destroy(m);
        } else {
            clv_model *m;
            assert_int_equal(clv_model_read_text(&m, text, strlen(text), "test.yaml"), CLV_ERR_MODEL);
            assert_non_null(strstr(clv_model_error_at(m, 0)->message, "nested more than 100"));
            assert_true(clv_model_error_count(m) < 40); /* not one for each parameter */
            clv_model_destroy(m);
        }
    }
}

/* Sections of random pieces: a model or errors, never anything else. */
static void any_section(void **state)
{
    (void)state;
    static const char *const piece[] = {"a",    "b",   ": ",  ", ",      "{",      "}",       "[",      "]", "1",
                                        "2 mm", "a+b", "b*2", "value: ", "unit: ", "range: ", "kg",     "(", ")",
                                        "\"",   "/0",  "i",   "\n  ",    " ",      "-",       "sin(a)", "^"};
    uint64_t seed = 99;
    char text[600];
    for (int k = 0; k < 20000; ++k) {
        size_t n = (size_t)snprintf(text, sizeof text, "cleave: 1\nparameters: {a: ");
        for (int i = 0; i < 12; ++i) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            n +=
                (size_t)snprintf(text + n, sizeof text - n, "%s", piece[(seed >> 33) % (sizeof piece / sizeof *piece)]);
        }
        snprintf(text + n, sizeof text - n, "}\nbodies: {c{i}: {mass: a, inertia: [1, b, 1], repeat: 2}}\n");
        clv_model *m;
        const clv_status status = clv_model_read_text(&m, text, strlen(text), "any");
        assert_true(status == CLV_OK || clv_model_error_count(m) > 0);
        clv_model_destroy(m);
    }
}

/* ---------------------------------------------------------------- numbers by their place */

static void numbers_are_given_by_their_place(void **state)
{
    (void)state;
    static const char text[] = "cleave: 1\n"
                               "gravity: [0, 0, -9.81]\n"
                               "bodies:\n"
                               "  a: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}\n"
                               "  a.b: {mass: 2, inertia: [1, 1, 1]}\n"
                               "  c{i}: {mass: 3, inertia: [1, 1, 1], repeat: 2}\n"
                               "joints:\n"
                               "  a: {kind: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                               "forces:\n"
                               "  d: {kind: joint-load, joint: a, damping: 0.5, stiffness: 1 N m/deg}\n";
    const char *const given[] = {"d.damping=2 N m s/rad", "forces.d.stiffness=3", "gravity[2]=-1.62", "a.mass=500 g",
                                 "a.b.mass=5", "bodies.a.com[1]=20 mm", "c{i}.mass=2*2"};
    clv_model *m = read_with(text, given, 7);
    assert_true(m->force[0].damping == 2 && m->force[0].stiffness == 3);
    assert_true(m->gravity[2] == -1.62 && m->gravity[1] == 0);
    assert_true(m->body[0].mass == 0.5 && m->body[1].mass == 5 && m->body[0].com[1] == 0.02);
    assert_true(m->body[2].mass == 4 && m->body[3].mass == 4);
    clv_model_destroy(m);
#define REFUSED(text_, words)                                                                                        \
    do {                                                                                                             \
        const char *const one[] = {text_};                                                                           \
        refused_with(text, one, 1, CLV_ERR_USAGE, 0, 0, words);                                                      \
    } while (0)
    REFUSED("d.dampin=1", "no number at 'd.dampin'");
    REFUSED("d.dampin=1", "kind, joint, damping");
    REFUSED("e.damping=1", "no number at 'e.damping'");
    REFUSED("gravety[2]=1", "no number at 'gravety[2]'");
    REFUSED("gravity[3]=1", "3 items");
    REFUSED("gravity[x]=1", "no number");
    REFUSED("a.com=1", "is a list");
    REFUSED("forces.d=1", "is a mapping");
    REFUSED("a.mass=x", "expected a number, found 'x'");
    REFUSED("a.mass=", "expected a number");
    REFUSED("a.mass", "not of the form");
    REFUSED("a.b.mass.x=1", "no number");
    REFUSED(".=1", "no number");
    REFUSED("[0]=1", "no number");
    REFUSED("d.damping=1e999", "expected a number");
#undef REFUSED
    const char *const twice[] = {"d.damping=1", "forces.d.damping=2"};
    refused_with(text, twice, 2, CLV_ERR_USAGE, 0, 0, "given twice");
    const char *const negative[] = {"bodies.a.b.mass=-1"}, *const length[] = {"d.damping=1 mm"};
    refused_with(text, negative, 1, CLV_ERR_MODEL, 5, 15, "is -1");
    refused_with(text, length, 1, CLV_ERR_MODEL, 10, 44, "is in m");
}

static void a_place_in_two_sections_is_refused(void **state)
{
    (void)state;
    static const char text[] = "cleave: 1\n"
                               "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
                               "joints: {a: {kind: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
                               "forces: {f: {kind: force, body: a, vector: [0, 0, 1], point: [0, 0, 0]}}\n"
                               "markers: {f: {body: a, position: [0, 0, 0]}}\n";
    const char *const vague[] = {"f.body=1"}, *const plain[] = {"markers.f.position[0]=1"};
    refused_with(text, vague, 1, CLV_ERR_USAGE, 0, 0, "several sections");
    clv_model *m = read_with(text, plain, 1);
    assert_true(m->marker[0].position[0] == 1);
    clv_model_destroy(m);
}

/* ---------------------------------------------------------------- memory */

static long asked, refuse;

static void *allocate(void *user, size_t alignment, size_t size)
{
    (void)user;
    size = (size + alignment - 1) / alignment * alignment;
    return ++asked == refuse ? NULL : aligned_alloc(alignment < sizeof(void *) ? sizeof(void *) : alignment, size);
}

static void *resize(void *user, void *p, size_t size)
{
    (void)user;
    return ++asked == refuse ? NULL : realloc(p, size);
}

static void release(void *user, void *p)
{
    (void)user;
    free(p);
}

/* Whichever allocation fails: out of memory is said, and nothing is lost. */
static void memory_may_be_out_anywhere(void **state)
{
    (void)state;
    static const char *const given[] = {"mass=6", "l=500"};
    const long live = clv_alloc_live();
    long n = 1;
    for (refuse = 0; refuse <= n; ++refuse) {
        clv_model *m = NULL;
        asked = 0;
        const clv_status status = clv_model_read_text_with(&m, arm, strlen(arm), "test.yaml", given, 2);
        n = refuse == 0 ? asked : n;
        assert_int_equal(status, refuse == 0 ? CLV_OK : CLV_ERR_MEMORY);
        clv_model_destroy(m);
        assert_int_equal(clv_alloc_live(), live);
    }
    assert_true(n > 50);
    refuse = 0;
}

int main(void)
{
    if (clv_allocator_set(&(clv_allocator){allocate, resize, release, NULL}) != CLV_OK)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_have_values),
        cmocka_unit_test(copies_count_in_formulas),
        cmocka_unit_test(parameters_are_listed),
        cmocka_unit_test(a_caller_gives_other_values),
        cmocka_unit_test(numbers_stay_numbers),
        cmocka_unit_test(given_values_are_checked),
        cmocka_unit_test(formulas_are_refused_at_their_place),
        cmocka_unit_test(units_are_checked),
        cmocka_unit_test(copies_fail_by_name),
        cmocka_unit_test(long_chains_of_parameters),
        cmocka_unit_test(numbers_are_given_by_their_place),
        cmocka_unit_test(a_place_in_two_sections_is_refused),
        cmocka_unit_test(any_section),
        cmocka_unit_test(memory_may_be_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
