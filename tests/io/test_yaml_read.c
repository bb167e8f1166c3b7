/* SPDX-License-Identifier: Apache-2.0
 * The model reader on good files: the sample of the design, every form of every value, repeat, size; and on any bytes
 * at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "io/xml_parse.h"
#include "model/model.h"
#include "near.h"
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char sample[] =
    "cleave: 1\n"
    "name: four-bar\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  crank:   {mass: 1, com: [0.5, 0, 0], inertia: [1, 1, 1], shape: {box: [1, 0.05, 0.05], at: [0.5, 0, 0]}}\n"
    "  coupler: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 1, 1, 0, 0, 0]}      # xx yy zz xy xz yz about com, body "
    "axes\n"
    "joints:\n"
    "  a: {kind: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}       # short form\n"
    "  b: {kind: revolute, a: {body: crank, position: [1, 0, 0]}, b: {body: coupler}, cut: false}   # long form\n"
    "forces:  {k1: {kind: spring-damper, between: [ground, coupler], stiffness: 10, damping: 1}}\n"
    "motions: {m1: {joint: a, rate: 6.28}}\n"
    "markers: {K: {body: coupler, position: [1, 0, 0]}}\n"
    "start:\n"
    "  bodies: {crank: {position: [0, 0, 0], orientation: {axis: [0, 0, 1], angle: 60 deg}}}\n"
    "  joints: {b: {q: 0.3, u: 0}}\n";

static clv_model *read_good(const char *text)
{
    clv_model *m;
    clv_status status = clv_model_read_text(&m, text, strlen(text), "test.yaml");
    if (status != CLV_OK)
        fail_msg("%d:%d %s: %s", clv_model_error(m)->line, clv_model_error(m)->column, clv_model_error(m)->path,
                 clv_model_error(m)->message);
    return m;
}

static void the_sample_reads(void **state)
{
    (void)state;
    clv_model *m = read_good(sample);
    assert_string_equal(clv_model_name(m), "four-bar");
    assert_int_equal(m->nbody, 2);
    assert_int_equal(m->njoint, 2);
    assert_int_equal(m->nforce, 1);
    assert_int_equal(m->nmotion, 1);
    assert_int_equal(m->nmarker, 1);
    CLV_NEAR(m->gravity[1], -9.81, 0);
    CLV_NEAR(m->body[0].e[0], 0.8660254037844387, 1e-15);
    CLV_NEAR(m->body[0].e[3], 0.5, 1e-15);
    CLV_NEAR(m->body[1].J[0], 0.1, 0);
    assert_int_equal(m->joint[0].a, CLV_GROUND);
    assert_int_equal(m->joint[1].cut, 0);
    CLV_NEAR(m->joint[1].q[0], 0.3, 0);
    CLV_NEAR(m->joint[1].pa[0], 1, 0);
    clv_model_destroy(m);
}

static void every_orientation_form_gives_the_same_turn(void **state)
{
    (void)state;
    static const char *const form[] = {"{axis: [0, 0, 2], angle: 90 deg}",
                                       "{axis: [0, 0, 1], angle: 1.5707963267948966}", "{quaternion: [1, 0, 0, 1]}",
                                       "{matrix: [0, -1, 0, 1, 0, 0, 0, 0, 1]}", "{x: [0, 1, 0.5], z: [0, 0, 3]}"};
    for (size_t i = 0; i < sizeof form / sizeof *form; ++i) {
        char text[400];
        snprintf(text, sizeof text,
                 "cleave: 1\nbodies: {c: {mass: 1, inertia: [1, 1, 1]}}\nstart: {bodies: {c: {orientation: %s}}}\n",
                 form[i]);
        clv_model *m = read_good(text);
        CLV_NEAR(m->body[0].e[0], 0.7071067811865476, 1e-15);
        CLV_NEAR(m->body[0].e[1], 0, 1e-15);
        CLV_NEAR(m->body[0].e[2], 0, 1e-15);
        CLV_NEAR(m->body[0].e[3], 0.7071067811865476, 1e-15);
        clv_model_destroy(m);
    }
}

static void degrees_stand_at_angles(void **state)
{
    (void)state;
    clv_model *m = read_good(
        "cleave: 1\nbodies: {c: {mass: 1, inertia: [1, 1, 1]}, d: {mass: 1, inertia: [1, 1, 1]}}\n"
        "joints:\n"
        "  j: {kind: cylindrical, a: {body: ground}, b: {body: c}}\n"
        "  k: {kind: spherical, a: {body: c}, b: {body: d}}\n"
        "forces: {f: {kind: joint-load, joint: j, coordinate: 1, stiffness: 2, rest: 90 deg}}\n"
        "start: {joints: {j: {q: [1, 180 deg], u: [0, -90deg]}, k: {q: [1, 0, 0, 0], u: [0, 0, 180 deg]}}}\n");
    CLV_NEAR(m->joint[0].q[0], 1, 0);
    CLV_NEAR(m->joint[0].q[1], 3.141592653589793, 1e-15);
    CLV_NEAR(m->joint[0].u[1], -1.5707963267948966, 1e-15);
    CLV_NEAR(m->joint[1].u[2], 3.141592653589793, 1e-15);
    CLV_NEAR(m->force[0].rest, 1.5707963267948966, 1e-15);
    clv_model_destroy(m);
}

static void repeat_counts_names(void **state)
{
    (void)state;
    clv_model *m =
        read_good("cleave: 1\nbodies:\n  link{i}: {mass: 1, inertia: [1, 1, 1], repeat: 5, branch: \"half{i}\"}\n"
                  "joints:\n"
                  "  first: {kind: revolute, a: {body: ground}, b: {body: link1}}\n"
                  "  j{i}: {kind: revolute, a: {body: \"link{i-1}\", position: [1, 0, 0]}, b: {body: \"link{i}\"}, "
                  "repeat: 4, from: 2}\n"
                  "markers: {\"tip{i+10}\": {body: \"link{i}\", repeat: 5}}\n"
                  "start: {joints: {\"j{i}\": {q: 0.1, repeat: 4, from: 2}}}\n");
    assert_int_equal(m->nbody, 5);
    assert_int_equal(m->njoint, 5);
    assert_int_equal(m->nbranch, 5);
    assert_string_equal(m->body[4].name, "link5");
    assert_string_equal(m->joint[4].name, "j5");
    assert_int_equal(m->joint[4].a, 3);
    assert_int_equal(m->joint[4].b, 4);
    assert_string_equal(m->marker[4].name, "tip15");
    CLV_NEAR(m->joint[4].q[0], 0.1, 0);
    CLV_NEAR(m->body[1].r[0], 1, 1e-15);
    clv_model_destroy(m);
}

static void branches_list_bodies(void **state)
{
    (void)state;
    clv_model *m = read_good("cleave: 1\ntime: 2.5\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: "
                             "[1, 1, 1], branch: one}, "
                             "c: {mass: 1, inertia: [1, 1, 1]}}\nbranches: {two: [c]}\n");
    assert_int_equal(m->body[0].branch, -1);
    assert_string_equal(m->branch[m->body[1].branch], "one");
    assert_string_equal(m->branch[m->body[2].branch], "two");
    CLV_NEAR(m->time_end, 2.5, 0);
    clv_model_destroy(m);
}

static void a_comma_locale_changes_nothing(void **state)
{
    (void)state;
    const char *names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE"};
    for (int i = 0; i < 3; ++i)
        if (setlocale(LC_ALL, names[i]))
            break;
    clv_model *m = read_good(sample);
    CLV_NEAR(m->motion[0].rate, 6.28, 0);
    setlocale(LC_ALL, "C");
    clv_model_destroy(m);
}

static void a_hundred_thousand_bodies_read_in_seconds(void **state)
{
    (void)state;
    const int n = 100000;
    char *text = clv_alloc((size_t)n, 160), *end = text;
    assert_non_null(text);
    end += sprintf(end, "cleave: 1\nbodies:\n");
    for (int i = 1; i <= n; ++i)
        end += sprintf(end, "  b%d: {mass: 1, inertia: [1, 1, 1]}\n", i);
    end += sprintf(end, "joints:\n");
    for (int i = 2; i <= n; ++i)
        end +=
            sprintf(end, "  j%d: {kind: revolute, a: {body: b%d, position: [1, 0, 0]}, b: {body: b%d}}\n", i, i - 1, i);
    clv_model *m;
    clock_t before = clock();
    assert_int_equal(clv_model_read_text(&m, text, (size_t)(end - text), "big.yaml"), CLV_OK);
    assert_int_equal(m->nbody, n);
    assert_int_equal(m->njoint, n - 1);
    assert_true((double)(clock() - before) / CLOCKS_PER_SEC < 30); /* about 1 s; generous for sanitizers */
    clv_model_destroy(m);
    clv_free(text);
}

/* ---------------------------------------------------------------- any bytes */

static uint64_t seed = 88172645463325252ULL;
static uint32_t draw(uint32_t n)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)(seed >> 11) % n;
}

/* Flips, drops, doubles and inserts; pieces that mean something to YAML come more often. */
static size_t mutate(char *text, size_t size, size_t capacity)
{
    static const char *const piece[] = {"{",   "}",         "[",           "]",     ": ",     ", ",   "\n",
                                        "  ",  "- ",        "&a ",         "*a",    "!!int ", "<<: ", "---\n",
                                        "{i}", "repeat: 3", "deg",         "1e999", ".nan",   "\"",   "'",
                                        "|\n", "? ",        "%YAML 1.1\n", "#",     "\t",     "\xff", "-"};
    size_t at = draw((uint32_t)size + 1), length;
    switch (draw(4)) {
    case 0:
        if (at < size)
            text[at] = (char)draw(256);
        break;
    case 1:
        length = draw(20);
        length = at + length > size ? size - at : length;
        memmove(text + at, text + at + length, size - at - length);
        size -= length;
        break;
    default: {
        const char *p = piece[draw(sizeof piece / sizeof *piece)];
        length = strlen(p);
        if (size + length < capacity) {
            memmove(text + at + length, text + at, size - at);
            memcpy(text + at, p, length);
            size += length;
        }
    }
    }
    return size;
}

static void any_bytes_are_read_or_refused(void **state)
{
    (void)state;
    char text[4 * sizeof sample];
    int good = 0;
    for (int round = 0; round < 20000; ++round) {
        size_t size = sizeof sample - 1;
        memcpy(text, sample, size);
        for (int k = (int)draw(6); k >= 0; --k)
            size = mutate(text, size, sizeof text);
        clv_model *m = NULL;
        clv_status status = clv_model_read_text(&m, text, size, "fuzz.yaml");
        assert_non_null(m);
        assert_true((status == CLV_OK) == (clv_model_error_count(m) == 0));
        good += status == CLV_OK;
        clv_model_destroy(m);
    }
    assert_true(good > 0 && good < 20000);
}

static void xml_is_named(void **state)
{
    (void)state;
    const char *const texts[] = {"<?xml version=\"1.0\"?>\n<collada name=\"arm\">\n  <link name=\"a\"/>\n</collada>\n",
                                 "\xef\xbb\xbf\n  <COLLADA/>\n"};
    if (!clv_xml_present())
        skip();
    for (int i = 0; i < 2; i++) {
        clv_model *m = NULL;
        assert_int_equal(clv_model_read_text(&m, texts[i], strlen(texts[i]), "arm.urdf"), CLV_ERR_SYNTAX);
        assert_int_equal(clv_model_error_count(m), 1);
        assert_non_null(strstr(clv_model_error(m)->message, "this is XML"));
        clv_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(xml_is_named),
        cmocka_unit_test(the_sample_reads),
        cmocka_unit_test(every_orientation_form_gives_the_same_turn),
        cmocka_unit_test(degrees_stand_at_angles),
        cmocka_unit_test(repeat_counts_names),
        cmocka_unit_test(branches_list_bodies),
        cmocka_unit_test(a_comma_locale_changes_nothing),
        cmocka_unit_test(a_hundred_thousand_bodies_read_in_seconds),
        cmocka_unit_test(any_bytes_are_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
