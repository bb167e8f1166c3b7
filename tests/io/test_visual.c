/* SPDX-License-Identifier: Apache-2.0
 * Visuals: in model files and back, meshes in run files, names of files from other folders, meshes on a grid. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "io/file_path.h"
#include "io/mesh_pack.h"
#include "io/runfile.h"
#include "io/yaml_read.h"
#include "io/yaml_write.h"
#include "model/fingerprint.h"
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/cleave-visual-XXXXXX";
static char path[64];

static const char tetrahedron[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

static const char model[] = "cleave: 1\n"
                            "bodies:\n"
                            "  a: {mass: 1, inertia: [1, 1, 1]}\n"
                            "  b{i}: {mass: 1, inertia: [1, 1, 1], repeat: 2}\n"
                            "visuals:\n"
                            "  skin: {body: a, mesh: parts/t.obj, scale: 0.001, colour: [1, 0.5, 0]}\n"
                            "  \"odd: name\": {body: ground, mesh: parts/t.obj, scale: [1, -2, 0.1], at: [1, 2, 0.1],\n"
                            "    orientation: {quaternion: [1, 2, 3, 4]}}\n"
                            "  c{i}: {body: \"b{i}\", capsule: [0.1, 1], at: [i, 0, 0], repeat: 2}\n";

static void put_file(const char *name, const char *text)
{
    char whole[200];
    snprintf(whole, sizeof whole, "%s/%s", folder, name);
    FILE *f = fopen(whole, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* m.yaml and the mesh in a folder beside it */
static clv_model *read_model(void)
{
    char whole[200];
    clv_model *m;
    snprintf(whole, sizeof whole, "%s/parts", folder);
    mkdir(whole, 0700);
    put_file("parts/t.obj", tetrahedron);
    put_file("m.yaml", model);
    snprintf(whole, sizeof whole, "%s/m.yaml", folder);
    assert_int_equal(clv_model_read(&m, whole), CLV_OK);
    return m;
}

static void same_visuals(const clv_model *m, const clv_model *n)
{
    assert_int_equal(m->nvisual, n->nvisual);
    for (int i = 0; i < m->nvisual; i++) {
        const clv_visual *v = &m->visual[i], *w = &n->visual[i];
        assert_string_equal(v->name, w->name);
        assert_int_equal(v->body, w->body);
        assert_int_equal(v->mesh != NULL, w->mesh != NULL);
        assert_memory_equal(v->scale, w->scale, sizeof v->scale);
        assert_int_equal(v->shape.kind, w->shape.kind);
        assert_memory_equal(v->shape.size, w->shape.size, sizeof v->shape.size);
        assert_memory_equal(v->shape.at, w->shape.at, sizeof v->shape.at);
        assert_memory_equal(v->shape.orientation, w->shape.orientation, sizeof v->shape.orientation);
        assert_int_equal(v->shape.coloured, w->shape.coloured);
        assert_memory_equal(v->shape.colour, w->shape.colour, sizeof v->shape.colour);
    }
}

static void writing_keeps_visuals(void **state)
{
    (void)state;
    clv_model *m = read_model(), *again;
    char *text, other_file[200], mesh[200];
    size_t size;
    assert_int_equal(clv_model_visual_count(m), 4);
    assert_int_equal(m->visual[1].body, CLV_GROUND);
    assert_true(m->visual[3].shape.at[0] == 2);
    snprintf(mesh, sizeof mesh, "%s/parts/t.obj", folder);
    assert_string_equal(m->visual[0].path, mesh);
    assert_string_equal(m->visual[0].mesh, "parts/t.obj");
    snprintf(other_file, sizeof other_file, "%s/parts/n.yaml", folder);
    assert_int_equal(clv_model_write_text_for(m, other_file, &text, &size), CLV_OK);
    assert_int_equal(clv_model_read_text(&again, text, size, other_file), CLV_OK);
    same_visuals(m, again);
    assert_int_equal(clv_visuals_find(again), CLV_OK);
    clv_model_destroy(again);
    clv_model_destroy(m);
    clv_free(text);
}

/* Nothing of a motion depends on visuals: a saved state of the model without them passes. */
static void visuals_leave_the_fingerprint(void **state)
{
    (void)state;
    clv_model *m = read_model(), *plain;
    const size_t n = (size_t)(strstr(model, "visuals:") - model);
    assert_int_equal(clv_model_read_text(&plain, model, n, "m.yaml"), CLV_OK);
    assert_true(clv_model_fingerprint(m) == clv_model_fingerprint(plain));
    clv_model_destroy(m);
    clv_model_destroy(plain);
}

static void a_missing_file_is_refused_in_its_line(void **state)
{
    (void)state;
    char whole[200];
    clv_model *m = read_model();
    clv_model_destroy(m);
    snprintf(whole, sizeof whole, "%s/parts/t.obj", folder);
    assert_int_equal(remove(whole), 0);
    snprintf(whole, sizeof whole, "%s/m.yaml", folder);
    assert_int_equal(clv_model_read(&m, whole), CLV_ERR_MODEL);
    assert_int_equal(clv_model_error(m)->line, 6);
    assert_string_equal(clv_model_error(m)->path, "visuals.skin.mesh");
    assert_non_null(strstr(clv_model_error(m)->message, "cannot be opened"));
    clv_model_destroy(m);
}

/* ---------------------------------------------------------------- run files */

static clv_status make_run(clv_model *m, const char *text)
{
    clv_sim_options o = clv_sim_options_default();
    clv_runfile *f;
    clv_sim *s;
    clv_runfile_start start = {.model = m,
                               .text = text,
                               .size = strlen(text),
                               .source = "m.yaml",
                               .settings = {.sim = o, .end = 0.1, .every = 0.1},
                               .over = CLV_OVER_ANY};
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
    const clv_status status = clv_runfile_create(&f, path, &start);
    if (status == CLV_OK) {
        assert_int_equal(clv_runfile_frame(f, s), CLV_OK);
        assert_int_equal(clv_runfile_finish(f, s, "ok", 1), CLV_OK);
    }
    clv_runfile_close(f, NULL);
    clv_sim_destroy(s);
    return status;
}

static void a_run_file_holds_the_meshes_once(void **state)
{
    (void)state;
    clv_model *m = read_model(), *again;
    clv_runfile *f;
    char *data;
    size_t size;
    assert_int_equal(make_run(m, model), CLV_OK);
    assert_int_equal(clv_runfile_open(&f, path), CLV_OK);
    assert_int_equal(clv_runfile_model(f, &again), CLV_OK); /* where the files are not */
    for (int i = 0; i < 2; i++) {
        assert_int_equal(clv_runfile_mesh(f, again, i, &data, &size), CLV_OK);
        assert_int_equal(size, strlen(tetrahedron));
        assert_memory_equal(data, tetrahedron, size);
        clv_free(data);
    }
    for (int i = -1; i < 6; i += i == -1 ? 3 : 1) {
        assert_int_equal(clv_runfile_mesh(f, again, i, &data, &size), CLV_OK);
        assert_null(data);
    }
    clv_runfile_close(f, NULL);
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "UPDATE meshes SET data = substr(data, 2)", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    assert_int_equal(clv_runfile_open(&f, path), CLV_ERR_SYNTAX);
    assert_non_null(strstr(clv_runfile_error(f)->message, "its meshes have changed"));
    clv_runfile_close(f, NULL);
    clv_model_destroy(again);
    clv_model_destroy(m);
}

static void what_is_no_mesh_is_refused_before_the_run(void **state)
{
    (void)state;
    clv_model *m = read_model();
    put_file("parts/t.obj", "v 0 0 0\nf 1 2 3\n");
    assert_int_equal(make_run(m, model), CLV_ERR_MODEL);
    put_file("parts/t.obj", "");
    assert_int_equal(make_run(m, model), CLV_ERR_MODEL);
    clv_model_destroy(m);
}

/* ---------------------------------------------------------------- files and grids */

static void files_are_named_from_other_folders(void **state)
{
    (void)state;
    clv_model_destroy(read_model());
    static const struct {
        const char *from, *path, *name;
    } row[] = {{"m.yaml", "parts/t.obj", "parts/t.obj"},      {"parts/n.yaml", "parts/t.obj", "t.obj"},
               {"parts/n.yaml", "m.yaml", "../m.yaml"},       {"./m.yaml", "parts/t.obj", "parts/t.obj"},
               {"parts/../m.yaml", "parts/t.obj", "parts/t.obj"}, {"none/n.yaml", "parts/t.obj", "parts/t.obj"},
               {"parts/n.yaml", "/a/b.stl", "/a/b.stl"},      {NULL, "parts/t.obj", "parts/t.obj"}};
    char here[500];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(folder), 0);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char *name = clv_path_from(row[i].from, row[i].path);
        assert_string_equal(name, row[i].name);
        clv_free(name);
    }
    assert_int_equal(chdir(here), 0);
}

/* A sphere of n x 2n faces. */
static void make_sphere(clv_mesh *m, int n)
{
    for (int i = 0; i <= n; i++)
        for (int j = 0; j < 2 * n; j++) {
            const double a = acos(-1) * i / n, b = acos(-1) * j / n;
            const double z = cos(a);
            const double x[3] = {5 + sin(a) * cos(b) + 0.3 * z, 0.2 * z + sin(a) * sin(b), 0.1 * z};
            assert_true(clv_mesh_point(m, x));
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 2 * n; j++) {
            const unsigned w = 2 * (unsigned)n, k = (unsigned)i * w, l = (unsigned)j, r = (l + 1) % w;
            assert_true(clv_mesh_face(m, k + l, k + w + l, k + w + r, false));
            assert_true(clv_mesh_face(m, k + l, k + w + r, k + r, false));
        }
}

static void a_grid_keeps_points_within_its_step(void **state)
{
    (void)state;
    clv_mesh m = {0};
    clv_packed_mesh fine, coarse;
    make_sphere(&m, 40);
    assert_true(clv_mesh_pack(&fine, &m, 0));
    assert_true(fine.step <= 2.1 / 65535);
    assert_true(fine.npoint == 39 * 80 + 2); /* the poles are one point each */
    assert_true(fine.ncorner == 3 * (2 * 40 * 80 - 2 * 80));
    for (size_t i = 0; i < 3 * fine.npoint; i++) {
        double nearest = 1;
        const double x = fine.low[i % 3] + fine.step * fine.point[i];
        for (size_t k = i % 3; k < 3 * m.npoint; k += 3)
            nearest = fmin(nearest, fabs(m.point[k] - x));
        assert_true(nearest <= 0.51 * fine.step);
    }
    assert_true(clv_mesh_pack(&coarse, &m, 0.2));
    assert_true(coarse.ncorner > 100 && coarse.ncorner < fine.ncorner / 4);
    for (size_t i = 0; i < coarse.ncorner; i++)
        assert_true(coarse.corner[i] < coarse.npoint);
    clv_packed_mesh_free(&fine);
    clv_packed_mesh_free(&coarse);
    clv_mesh_free(&m);
}

/* All points at one place: no triangle is left, and no division by an extent of 0. */
static void a_point_is_packed(void **state)
{
    (void)state;
    clv_mesh m = {0};
    clv_packed_mesh p;
    for (int i = 0; i < 3; i++)
        assert_true(clv_mesh_point(&m, (double[3]){7, 7, 7}));
    assert_true(clv_mesh_face(&m, 0, 1, 2, false));
    assert_true(clv_mesh_pack(&p, &m, 0));
    assert_int_equal(p.ncorner, 0);
    assert_true(p.low[0] == 7 && p.step > 0);
    clv_packed_mesh_free(&p);
    clv_mesh_free(&m);
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/run.cleave", folder);
    return 0;
}

static int remove_folder(void **state)
{
    static const char *const name[] = {"run.cleave", "m.yaml", "parts/t.obj", "parts", ""};
    char whole[200];
    (void)state;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        snprintf(whole, sizeof whole, "%s/%s", folder, name[i]);
        remove(whole);
    }
    return access(folder, F_OK) == 0 ? -1 : 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(writing_keeps_visuals),
                                       cmocka_unit_test(visuals_leave_the_fingerprint),
                                       cmocka_unit_test(a_missing_file_is_refused_in_its_line),
                                       cmocka_unit_test(a_run_file_holds_the_meshes_once),
                                       cmocka_unit_test(what_is_no_mesh_is_refused_before_the_run),
                                       cmocka_unit_test(files_are_named_from_other_folders),
                                       cmocka_unit_test(a_grid_keeps_points_within_its_step),
                                       cmocka_unit_test(a_point_is_packed)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
