/* SPDX-License-Identifier: Apache-2.0
 * Run files: what was written is read back, bit for bit; files of others, of the future, torn and damaged ones are
 * refused in words. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/run_file.h"

static void refused(clv_status code, const char *says)
{
    clv_runfile *f;
    clv_status status = clv_runfile_open(&f, path);
    if (status != code || !strstr(clv_runfile_error(f)->message, says))
        fail_msg("status %d, '%s'; wanted %d, '%s'", status, clv_runfile_error(f)->message, code, says);
    clv_runfile_close(f, NULL);
}

/* ------------------------------------------------------------------ round trip */

static void frames_come_back(void **state)
{
    (void)state;
    run r = open_run(true);
    clv_runfile *f;
    write_run(&r, FRAMES);
    assert_int_equal(clv_runfile_open(&f, path), CLV_OK);
    int n, width = clv_runfile_width(f), nbody = clv_model_body_count(r.model);
    const clv_column *c = clv_runfile_columns(f, &n);
    assert_int_equal(clv_runfile_frames(f), FRAMES);
    int more = 0; /* coordinates, rates and efforts of joints: single numbers */
    for (int k = 0; k < n; k++)
        more += strcmp(c[k].kind, "joint") == 0 && c[k].count == 1;
    assert_true(more >= 2 * clv_model_joint_count(r.model));
    assert_int_equal(width, 6 + 9 + 13 * nbody + 9 * clv_model_marker_count(r.model) +
                                12 * clv_model_joint_count(r.model) + more);
    assert_string_equal(c[0].name, "time");
    assert_string_equal(c[1].kind, "body");
    assert_string_equal(c[1].axes, "x y z");
    double *x = clv_alloc((size_t)width, sizeof *x);
    clv_sim *again;
    assert_int_equal(clv_sim_create(&again, r.model, NULL), CLV_OK);
    for (int i = 0; i < FRAMES; i += 7) {
        clv_joint_result joint;
        assert_int_equal(clv_sim_advance(again, i * 5e-5), CLV_OK);
        assert_int_equal(clv_runfile_read(f, i, 1, x), CLV_OK);
        assert_true(x[0] == clv_sim_time(again));
        for (int b = 0; b < nbody; b++) {
            assert_memory_equal(x + 1 + 13 * b, clv_sim_position(again) + 3 * b, 3 * sizeof *x);
            assert_memory_equal(x + 1 + 13 * b + 3, clv_sim_quaternion(again) + 4 * b, 4 * sizeof *x);
            assert_memory_equal(x + 1 + 13 * b + 7, clv_sim_velocity(again) + 6 * b, 6 * sizeof *x);
        }
        assert_int_equal(clv_sim_joint(again, 0, &joint), CLV_OK);
        for (int k = 0; k < n; k++)
            if (strcmp(c[k].kind, "joint") == 0 && strcmp(c[k].unit, "N") == 0) {
                assert_memory_equal(x + c[k].first, joint.force, sizeof joint.force);
                break;
            }
    }
    assert_int_equal(clv_runfile_read(f, FRAMES, 1, x), CLV_ERR_USAGE);
    clv_free(x);
    clv_sim_destroy(again);
    clv_runfile_close(f, NULL);
    close_run(&r);
}

static void everything_else_comes_back(void **state)
{
    (void)state;
    run r = open_run(false);
    clv_runfile *f;
    clv_runfile_event event;
    double number;
    char word[32];
    size_t size;
    write_run(&r, 30);
    assert_int_equal(clv_runfile_open(&f, path), CLV_OK);
    assert_string_equal(clv_runfile_text(f, &size), r.text);
    assert_int_equal(size, r.size);
    assert_string_equal(clv_runfile_source(f), "andrews");
    const clv_runfile_settings *set = clv_runfile_get_settings(f);
    assert_true(set->end == 0.03 && set->every == 5e-5 && set->checkpoint == 0.01 && !set->reactions);
    assert_true(set->sim.rtol == 1e-6 && set->sim.atol == 1e-6 && set->sim.project == 1 && set->sim.threads == 1);
    assert_null(set->sim.formulation); /* none was given: the default of the model */
    assert_int_equal(clv_runfile_event_at(f, 0, &event), CLV_OK);
    assert_true(event.time == 0.25);
    assert_string_equal(event.text, "a \"text\"");
    assert_int_equal(clv_runfile_event_at(f, 1, &event), CLV_ERR_USAGE);
    assert_true(clv_runfile_summary(f, "status", &number, word, sizeof word));
    assert_string_equal(word, "ok");
    assert_true(clv_runfile_summary(f, "frames", &number, NULL, 0) && number == 30);
    assert_false(clv_runfile_summary(f, "nothing", &number, NULL, 0));
    assert_true(clv_runfile_wall(f) == 2);
    clv_runfile_close(f, NULL);
    close_run(&r);
}

static void restored_after_a_damaged_checkpoint(void **state)
{
    (void)state;
    run r = open_run(false);
    clv_runfile *f;
    clv_sim *again;
    bool truncated;
    write_run(&r, 60);
    for (int damage = 0; damage < 3; damage++) {
        assert_int_equal(clv_runfile_continue(&f, path, &r.start.machine), CLV_OK);
        assert_int_equal(clv_sim_create(&again, r.model, NULL), CLV_OK);
        if (damage < 2) {
            assert_int_equal(clv_runfile_restore(f, again, &truncated), CLV_OK);
            assert_int_equal(clv_runfile_frames(f), damage == 0 ? 31 : 21);
            assert_true(truncated == (damage == 0));
            assert_true(clv_sim_time(again) == (damage == 0 ? 30 : 20) * 5e-5);
        } else {
            assert_int_equal(clv_runfile_restore(f, again, &truncated), CLV_ERR_UNSUPPORTED);
            assert_non_null(strstr(clv_runfile_error(f)->message, "damaged"));
        }
        clv_sim_destroy(again);
        clv_runfile_close(f, NULL);
        with_sqlite(damage == 0 ? "UPDATE checkpoints SET data = zeroblob(length(data)) WHERE frames = 31"
                                : "UPDATE checkpoints SET data = substr(data, 1, 400) || zeroblob(length(data) - 400)");
    }
    close_run(&r);
}

/* ------------------------------------------------------------------ refused */

static void files_of_others_are_refused(void **state)
{
    (void)state;
    run r = open_run(false);
    clv_runfile *f;
    write_run(&r, 300);
    with_sqlite("PRAGMA application_id = 7");
    refused(CLV_ERR_SYNTAX, "its application_id is 7");
    assert_int_equal(clv_runfile_create(&f, path, &r.start), CLV_ERR_SYNTAX); /* and kept */
    clv_runfile_close(f, NULL);
    refused(CLV_ERR_SYNTAX, "its application_id is 7");
    with_sqlite("PRAGMA application_id = 1668052594");
    with_sqlite("PRAGMA user_version = 3");
    refused(CLV_ERR_UNSUPPORTED, "has format 3; this version of cleave knows formats up to 2");
    with_sqlite("PRAGMA user_version = 1");
    refused(CLV_ERR_UNSUPPORTED, "has format 1, of an earlier version of cleave; this one has 2");
    with_sqlite("PRAGMA user_version = 2");
    assert_int_equal(clv_runfile_open(&f, path), CLV_OK);
    clv_runfile_close(f, NULL);
    unlink(path);
    refused(CLV_ERR_MODEL, "there is no readable file");
    close_run(&r);
}

static void torn_tables_are_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *sql;
        clv_status code;
        const char *says;
    } damage[] = {
        {"UPDATE frames SET data = substr(data, 1, 1000) WHERE first = 256", CLV_ERR_SYNTAX,
         "the chunk of frame 256 has 1000 bytes"},
        {"DELETE FROM frames WHERE first = 0", CLV_ERR_SYNTAX, "frames from 0 on are missing"},
        {"UPDATE frames SET count = -1 WHERE first = 0", CLV_ERR_SYNTAX, "the chunk of frame 0"},
        {"UPDATE frames SET count = 1000000000000", CLV_ERR_SYNTAX, "the chunk of frame 0"},
        {"UPDATE columns SET count = 1000000 WHERE offset = 8", CLV_ERR_SYNTAX, "does not follow the one before"},
        {"DELETE FROM columns WHERE offset = 32", CLV_ERR_SYNTAX, "does not follow the one before"},
        {"DELETE FROM columns", CLV_ERR_SYNTAX, "it has no columns"},
        {"DELETE FROM model", CLV_ERR_SYNTAX, "it has no model"},
        {"DELETE FROM settings WHERE name = 'every'", CLV_ERR_SYNTAX, "settings are missing or out of range"},
        {"UPDATE settings SET value = 1e300 WHERE name = 'chunk_frames'", CLV_ERR_SYNTAX,
         "settings are missing or out of range"},
        {"DROP TABLE frames", CLV_ERR_SYNTAX, "no such table"},
    };
    run r = open_run(false);
    for (size_t i = 0; i < sizeof damage / sizeof damage[0]; i++) {
        clv_sim_destroy(r.sim);
        assert_int_equal(clv_sim_create(&r.sim, r.model, NULL), CLV_OK);
        write_run(&r, 300);
        with_sqlite(damage[i].sql);
        refused(damage[i].code, damage[i].says);
    }
    close_run(&r);
}

/* A file cut or with bytes changed anywhere is read or refused, and never more than that. */
static void torn_files_do_no_harm(void **state)
{
    (void)state;
    run r = open_run(false);
    write_run(&r, 300);
    FILE *in = fopen(path, "rb");
    assert_int_equal(fseek(in, 0, SEEK_END), 0);
    size_t size = (size_t)ftell(in);
    char *whole = clv_alloc(size, 1), *torn = clv_alloc(size, 1);
    rewind(in);
    assert_int_equal(fread(whole, 1, size, in), size);
    fclose(in);
    uint64_t chance = 7;
    int opened = 0;
    for (int i = 0; i < 300; i++) {
        memcpy(torn, whole, size);
        size_t keep = i % 2 ? size : size * (size_t)(i + 1) / 310;
        for (int k = 0; i % 2 && k < 1 + i / 20; k++) {
            chance = chance * 6364136223846793005u + 1442695040888963407u;
            torn[(chance >> 20) % size] ^= (char)(1 << (chance >> 60) % 8);
        }
        FILE *out = fopen(path, "wb");
        assert_int_equal(fwrite(torn, 1, keep, out), keep);
        fclose(out);
        clv_runfile *f;
        clv_runfile_event event;
        double number, *x = NULL;
        if (clv_runfile_open(&f, path) == CLV_OK) {
            opened++;
            x = clv_alloc((size_t)clv_runfile_width(f), sizeof *x);
            for (long k = 0; k < clv_runfile_frames(f) && k < 300; k++) {
                if (clv_runfile_read(f, k, 1, x) != CLV_OK)
                    break;
                assert_true(x[0] == (double)k * r.start.settings.every);
            }
            clv_runfile_event_at(f, 0, &event);
            clv_runfile_summary(f, "steps", &number, NULL, 0);
        } else
            assert_true(clv_runfile_error(f)->message[0] != 0);
        clv_free(x);
        clv_runfile_close(f, NULL);
    }
    assert_true(opened > 0 && opened < 300);
    clv_free(whole), clv_free(torn);
    unlink(path);
    close_run(&r);
}

static void one_writer_at_a_time(void **state)
{
    (void)state;
    run r = open_run(false);
    clv_runfile *f, *second;
    assert_int_equal(clv_runfile_create(&f, path, &r.start), CLV_OK);
    assert_int_equal(clv_runfile_create(&second, path, &r.start), CLV_ERR_IO);
    assert_non_null(strstr(clv_runfile_error(second)->message, "in use by another process"));
    clv_runfile_close(second, NULL);
    assert_int_equal(clv_runfile_continue(&second, path, &r.start.machine), CLV_ERR_IO);
    clv_runfile_close(second, NULL);
    assert_int_equal(clv_runfile_frame(f, r.sim), CLV_OK); /* the first one did not feel it */
    assert_int_equal(clv_runfile_checkpoint(f, r.sim, false, 0), CLV_OK);
    assert_int_equal(clv_runfile_open(&second, path), CLV_OK);
    assert_int_equal(clv_runfile_frames(second), 1);
    clv_runfile_close(second, NULL);
    assert_int_equal(clv_runfile_close(f, NULL), CLV_OK);
    snprintf(other, sizeof other, "%s-wal", path);
    assert_int_not_equal(access(other, F_OK), 0); /* folded into one file */
    snprintf(other, sizeof other, "%s-new", path);
    assert_int_not_equal(access(other, F_OK), 0);
    close_run(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_come_back),
        cmocka_unit_test(everything_else_comes_back),
        cmocka_unit_test(restored_after_a_damaged_checkpoint),
        cmocka_unit_test(files_of_others_are_refused),
        cmocka_unit_test(torn_tables_are_refused_by_name),
        cmocka_unit_test(torn_files_do_no_harm),
        cmocka_unit_test(one_writer_at_a_time),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
