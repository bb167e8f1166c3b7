/* SPDX-License-Identifier: Apache-2.0
 * Flexible bodies of model files: what a beam becomes, nodes as bodies, the reference pendulum written out, files of
 * modes with their errors in place.  Their mistakes inside a model file: tests/bad_models/flex-*.yaml. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "io/error_print.h"
#include "io/yaml_write_text.h"
#include "flexible/flex_beam.h"
#include "near.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static clv_model *read_good(const char *text, const char *name)
{
    clv_model *m;
    if (clv_model_read_text(&m, text, strlen(text), name) != CLV_OK) {
        clv_model_errors_print(stderr, m, text);
        fail();
    }
    return m;
}

static void a_beam_and_its_nodes(void **state)
{
    (void)state;
    clv_model *m = read_good(
        "cleave: 1\n"
        "bodies:\n"
        "  boom: {flexible: {beam: {length: 2, density: 2500, young: 4e9, tube: [0.02, 0], nodes: {mid: 1, tip: 2},\n"
        "         modes: {bend_y: 2, bend_z: 1}}, damping_ratio: 0.02}}\n"
        "  load: {mass: 1, inertia: [1, 1, 1]}\n"
        "joints: {j: {kind: fixed, a: {body: boom.tip}, b: {body: load}}}\n"
        "start: {modes: {boom: {q: [0.01, 0, 0.02], u: [0, 0, 3]}}}\n",
        "beam.yaml");
    assert_int_equal(m->nbody, 4);
    assert_int_equal(m->nflex, 1);
    const clv_flex *f = &m->flex[0];
    assert_int_equal(f->nmode, 3);
    assert_int_equal(f->node[0].body, clv_model_find_body(m, "boom.mid"));
    assert_int_equal(f->node[1].body, clv_model_find_body(m, "boom.tip"));
    assert_int_equal(m->joint[0].a, f->node[1].body);
    assert_int_equal(m->body[f->node[1].body].place.line, 3);
    double I = 1.6e-7 * 3.14159265358979323846 / 4, line = 2500 * 4e-4 * 3.14159265358979323846;
    CLV_NEAR(m->body[0].mass, 2 * line, 1e-12);
    CLV_NEAR(m->body[0].com[0], 1, 1e-14);
    CLV_NEAR(m->body[0].J[0], 2 * 2500 * 2 * I, 1e-15);
    CLV_NEAR(f->K[0], 12.48 * 4e9 * I / line / 16, 1e-3 * f->K[0]); /* the two cubics: 1 % above 1.8751^4 = 12.36 */
    CLV_NEAR(f->C[0], 0.04 * sqrt(f->K[0]), 1e-12);
    CLV_NEAR(f->eta[2], 0.02, 0), CLV_NEAR(f->etad[2], 3, 0);
    clv_model_destroy(m);
}

/* Every number of modes is of the families of lowest frequency. */
static void a_number_of_modes(void **state)
{
    (void)state;
    clv_model *m =
        read_good("cleave: 1\n"
                  "bodies:\n"
                  "  a: {flexible: {beam: {length: 1, density: 2500, young: 4e9, rectangle: [0.2, 0.01], modes: 3}}}\n",
                  "beam.yaml");
    const clv_flex *f = &m->flex[0]; /* flat: three deflections along z before the first along y */
    assert_int_equal(f->nmode, 3);
    for (int k = 0; k < 3; ++k) {
        assert_true(f->node[0].shape[6 * k + 1] == 0);
        assert_true(f->node[0].shape[6 * k + 2] > 0);
    }
    clv_model_destroy(m);
}

/* The pendulum of reference/flexible, hub and beam as one body, written out; and the same by the beam on a hub. */
static const char pendulum[] =
    "cleave: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  arm:\n"
    "    flexible:\n"
    "      spin_limit: 0\n"
    "      modal:\n"
    "        mass: 2\n"
    "        com: [0.55, 0, 0]\n"
    "        inertia: [0, 0.9483333333333337, 0.9483333333333337, 0, 0, 0]  # 1.5533333333333337 about the pivot\n"
    "        modal_mass: [1, 1]\n"
    "        stiffness: [61.81181684163093, 2427.5940925668524]\n"
    "        momentum: [[0, 0.7829917560396257, 0], [0, 0.4339358951107202, 0]]\n"
    "        moments: [[0, 1.2159506630237842, 0, 0, 0, 0, 0, 0, 0], [0, 0.22492716328384746, 0, 0, 0, 0, 0, 0, 0]]\n"
    "        products: [[0, 0, 0, 0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0],\n"
    "                   [0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0, 0, 0, 0]]\n"
    "        nodes: {tip: {position: [2.1, 0, 0], shapes: [[0, 2, 0, 0, 0, 1.3765], [0, -2, 0, 0, 0, -4.781]]}}\n"
    "joints: {pivot: {kind: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1]}}\n";

static void the_reference_pendulum_written_out(void **state)
{
    (void)state;
    clv_model *m = read_good(pendulum, "pendulum.yaml");
    const clv_flex *f = &m->flex[0];
    CLV_NEAR(f->h[2], 1.2159506630237842, 0); /* from moments */
    CLV_NEAR(f->h[5], 0.22492716328384746, 0);
    CLV_NEAR(m->body[0].J[2] + 2 * 0.55 * 0.55, 1.5533333333333337, 1e-15);
    assert_true(f->limit == 0);
    clv_model_destroy(m);
}

/* ---------------------------------------------------------------- files of modes */

static char folder[] = "/tmp/cleave-flex-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}
static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static void put(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}
static void drop(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(remove(path), 0);
}

static void a_file_of_modes_gives_the_same_bits(void **state)
{
    (void)state;
    static const char *const names[] = {"tip", "mid"};
    static const double at[] = {2, 0.7};
    clv_beam beam = {.length = 2,
                     .mass = 0.5,
                     .polar = 1e-3,
                     .stiffness = {40, 50, 30, 1e5},
                     .modes = {3, 2, 1, 0},
                     .nnode = 2,
                     .name = names,
                     .at = at};
    clv_flex_body b;
    clv_model *m;
    char *text, path[200];
    size_t size;
    assert_true(clv_beam_make(&b, &beam, 0.01));
    assert_int_equal(clv_flex_write_text(&b, "# a beam\n", &text, &size), CLV_OK);
    put("boom.flex", text);
    put("model.yaml", "cleave: 1\nbodies: {boom: {flexible: {file: boom.flex}}}\n");
    snprintf(path, sizeof path, "%s/model.yaml", folder);
    if (clv_model_read(&m, path) != CLV_OK) {
        clv_model_errors_print(stderr, m, NULL);
        fail();
    }
    const clv_flex *f = &m->flex[0], *g = &b.flex;
    size_t n = (size_t)g->nmode;
    assert_int_equal(f->nmode, g->nmode);
    assert_memory_equal(f->K, g->K, n * n * sizeof(double)), assert_memory_equal(f->C, g->C, n * n * sizeof(double));
    assert_memory_equal(f->Mff, g->Mff, n * n * sizeof(double)),
        assert_memory_equal(f->B, g->B, 9 * n * n * sizeof(double));
    assert_memory_equal(f->S, g->S, 3 * n * sizeof(double)), assert_memory_equal(f->h, g->h, 3 * n * sizeof(double));
    assert_memory_equal(f->E, g->E, 9 * n * sizeof(double));
    assert_true(f->limit == g->limit);
    for (int i = 0; i < 2; ++i) {
        assert_string_equal(f->node[i].name, g->node[i].name);
        assert_memory_equal(f->node[i].shape, g->node[i].shape, 6 * n * sizeof(double));
    }
    assert_true(m->body[0].mass == b.mass);
    assert_memory_equal(m->body[0].J, b.J, sizeof b.J);
    clv_model_destroy(m);
    clv_free(text);
    clv_flex_body_close(&b);
    drop("boom.flex"), drop("model.yaml");
}

/* What is told about a model whose file of modes is `text`. */
static void expect(const char *text, const char *said)
{
    clv_model *m;
    char path[200], *got = NULL, expected[2000];
    size_t size;
    put("bad.flex", text);
    put("model.yaml", "cleave: 1\nbodies: {boom: {flexible: {file: bad.flex}}}\n");
    snprintf(path, sizeof path, "%s/model.yaml", folder);
    assert_true(clv_model_read(&m, path) != CLV_OK);
    FILE *out = open_memstream(&got, &size);
    clv_model_errors_print(out, m, NULL);
    fclose(out);
    snprintf(expected, sizeof expected, "%s/bad.flex:%s", folder, said);
    assert_string_equal(got, expected);
    (free)(got);
    clv_model_destroy(m);
    drop("bad.flex"), drop("model.yaml");
}

/* A file that is none of modes is named at its place in the model, and nothing of it is shown. */
static void files_of_others_are_not_shown(void **state)
{
    (void)state;
    static const char *const other[] = {"root:x:0:0:secret\n", "secret: 1\nflexible: 1\n", "secret\nflex 1", "",
                                        "{secret: 1, flex: 1}\n", "\"secret\": [1\n"};
    for (size_t i = 0; i < sizeof other / sizeof other[0]; ++i) {
        clv_model *m;
        char path[200], *got = NULL;
        size_t size;
        put("bad.flex", other[i]);
        put("model.yaml", "cleave: 1\nbodies: {boom: {flexible: {file: bad.flex}}}\n");
        snprintf(path, sizeof path, "%s/model.yaml", folder);
        assert_true(clv_model_read(&m, path) != CLV_OK);
        FILE *out = open_memstream(&got, &size);
        clv_model_errors_print(out, m, NULL);
        fclose(out);
        assert_null(strstr(got, "secret"));
        assert_non_null(strstr(got, "bad.flex is not a file of modes"));
        (free)(got);
        clv_model_destroy(m);
        drop("bad.flex"), drop("model.yaml");
    }
}

static void mistakes_in_a_file_of_modes_have_their_place(void **state)
{
    (void)state;
    expect("flex: 2\nmass: 1\ninertia: [1, 1, 1, 0, 0, 0]\nmodal_mass: [1]\nstiffness: [9]\nmomentum: [[0, 0, 0]]\n"
           "moments: [[0, 0, 0, 0, 0, 0, 0, 0, 0]]\nproducts: [[0, 0, 0, 0, 1, 0, 0, 0, 0]]\n",
           "1:7: flex: this program reads version 1 of the format, not 2\n"
           "     1 | flex: 2\n       |       ^\n  hint: write `flex: 1`, or use a newer program\n");
    expect("flex: 1\nmass: 1\ninertia: [1, 1, 1, 0, 0, 0]\nmodal_mass: [1, 1]\nstiffness: [9, 20]\n"
           "momentum: [[0, 0, 0], [0, 0, 0]]\nmoments: [[0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0]]\n"
           "products: [[0, 0, 0, 0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0], "
           "[0, 0, 0, 0, 1, 0, 0, 0, 0]]\n",
           "7:40: moments: row 2: expected 9 numbers, found 8\n"
           "     7 | moments: [[0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0]]\n"
           "       |                                        ^\n"
           "  hint: write it as `moments: [[0, 1.1, 0, 0, 0, 0, 0, 0, 0], [0, 0.2, 0, 0, 0, 0, 0, 0, 0]]`\n");
    expect("\x01\x02 this is no text\nflex: 1\n",
           "1:1: not well formed: control characters are not allowed\n"
           "     1 | \\x01\\x02 this is no text\n       | ^\n  hint: save the file as UTF-8 text\n");
    expect("[1, 2,\n flex: 1]\n",
           "1:1: expected a mapping, found a list\n     1 | [1, 2,\n       | ^\n"
           "  hint: give keys and values, as `{flex: 1, mass: 1, inertia: [0, 0.34, 0.34, 0, 0, 0], modal_mass: "
           "[1, 1], stiffness: "
           "[60, 2400], momentum: [[0, 0.78, 0], [0, 0.43, 0]]}`\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_beam_and_its_nodes),
        cmocka_unit_test(a_number_of_modes),
        cmocka_unit_test(the_reference_pendulum_written_out),
        cmocka_unit_test(a_file_of_modes_gives_the_same_bits),
        cmocka_unit_test(files_of_others_are_not_shown),
        cmocka_unit_test(mistakes_in_a_file_of_modes_have_their_place),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
