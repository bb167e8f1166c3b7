/* SPDX-License-Identifier: Apache-2.0
 * A small run and its run file in a folder of its own, for the tests of run files.  Include after cmocka.h. */
#ifndef CLV_TESTS_IO_RUN_FILE_H
#define CLV_TESTS_IO_RUN_FILE_H
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/runfile.h"
#include "io/yaml_write.h"

static char folder[] = "/tmp/cleave-runfile-XXXXXX";
static char path[64], other[80];
enum { FRAMES = 600 }; /* two full chunks and a part of one */

typedef struct run {
    clv_model *model;
    clv_sim *sim;
    char *text;
    size_t size;
    clv_runfile_start start;
} run;

static run open_run(bool reactions)
{
    run r;
    assert_int_equal(clv_example_create(&r.model, "andrews", NULL, 0), CLV_OK);
    clv_sim_options o = clv_sim_options_default();
    assert_int_equal(clv_sim_create(&r.sim, r.model, &o), CLV_OK);
    assert_int_equal(clv_model_write_text(r.model, &r.text, &r.size), CLV_OK);
    r.start = (clv_runfile_start){
        .model = r.model,
        .text = r.text,
        .size = r.size,
        .source = "andrews",
        .settings = {.sim = o, .end = 0.03, .every = 5e-5, .checkpoint = 0.01, .reactions = reactions},
        .machine = {.version = "0", .compiler = "c", .system = "s", .cpu = NULL, .lanes = 1}};
    return r;
}

static void close_run(run *r)
{
    clv_free(r->text);
    clv_sim_destroy(r->sim);
    clv_model_destroy(r->model);
}

static void write_run(run *r, int frames)
{
    clv_runfile *f;
    assert_int_equal(clv_runfile_create(&f, path, &r->start), CLV_OK);
    for (int i = 0; i < frames; i++) {
        assert_int_equal(clv_sim_advance(r->sim, i * r->start.settings.every), CLV_OK);
        assert_int_equal(clv_runfile_frame(f, r->sim), CLV_OK);
        if (i == frames / 3 || i == frames / 2)
            assert_int_equal(clv_runfile_checkpoint(f, r->sim, i == frames / 2, 1.5), CLV_OK);
    }
    assert_int_equal(clv_runfile_put_event(f, 0.25, "failure", "a \"text\""), CLV_OK);
    assert_int_equal(clv_runfile_finish(f, r->sim, "ok", 2), CLV_OK);
    assert_int_equal(clv_runfile_close(f, NULL), CLV_OK);
}

static void with_sqlite(const char *sql)
{
    sqlite3 *db;
    char *why = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s: %s", sql, why);
    sqlite3_close(db);
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
    (void)state;
    unlink(path);
    return rmdir(folder);
}

#endif
