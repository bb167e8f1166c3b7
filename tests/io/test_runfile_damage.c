/* SPDX-License-Identifier: Apache-2.0
 * Damaged, hostile, removed and mistaken run files: nothing changed is taken for data, nothing in a file is executed,
 * and a log is never taken for another file's. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "io/run_file.h"

enum { SHORT = 300 }; /* a full chunk and a part of one */

static char *whole_file(const char *name, size_t *size)
{
    FILE *in = fopen(name, "rb");
    assert_non_null(in);
    assert_int_equal(fseek(in, 0, SEEK_END), 0);
    *size = (size_t)ftell(in);
    char *bytes = clv_alloc(*size + 1, 1);
    rewind(in);
    assert_int_equal(fread(bytes, 1, *size, in), *size);
    fclose(in);
    return bytes;
}

static void put_file(const char *name, const char *bytes, size_t size)
{
    FILE *out = fopen(name, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    fclose(out);
}

/* All frames; NULL if the file is refused, at opening or while reading. */
static double *all_frames(long *n, int *width)
{
    clv_runfile *f;
    double *x = NULL;
    if (clv_runfile_open(&f, path) == CLV_OK) {
        *n = clv_runfile_frames(f), *width = clv_runfile_width(f);
        x = clv_alloc((size_t)*n * (size_t)*width, sizeof *x);
        if (clv_runfile_read(f, 0, *n, x) != CLV_OK) {
            clv_free(x);
            x = NULL;
        }
    }
    if (!x)
        assert_true(clv_runfile_error(f)->message[0] != 0);
    clv_runfile_close(f, NULL);
    return x;
}

static void refused(const char *says)
{
    clv_runfile *f;
    clv_status status = clv_runfile_open(&f, path);
    if (status != CLV_ERR_SYNTAX || !strstr(clv_runfile_error(f)->message, says))
        fail_msg("status %d, '%s'; expected '%s'", status, clv_runfile_error(f)->message, says);
    clv_runfile_close(f, NULL);
}

/* ------------------------------------------------------------------ damage */

static void a_changed_bit_is_never_data(void **state)
{
    (void)state;
    run r = open_run(false);
    write_run(&r, SHORT);
    size_t size;
    long n, m;
    int width, other_width, refusals = 0;
    char *whole = whole_file(path, &size);
    double *right = all_frames(&n, &width);
    assert_non_null(right);
    uint64_t chance = 11;
    enum { FLIPS = 900 };
    for (int i = 0; i < FLIPS; i++) {
        chance = chance * 6364136223846793005u + 1442695040888963407u;
        size_t at = i < 300 ? (size_t)i : (chance >> 20) % size; /* all of the header, and anywhere */
        char bit = (char)(1 << (chance >> 60) % 8);
        whole[at] ^= bit;
        put_file(path, whole, size);
        whole[at] ^= bit;
        double *x = all_frames(&m, &other_width);
        refusals += !x;
        if (x && (m != n || width != other_width || memcmp(x, right, (size_t)n * (size_t)width * sizeof *x) != 0))
            fail_msg("bit of byte %zu changed: other frames are read", at);
        clv_free(x);
    }
    print_message("%d of %d changed bits are refused, the others change nothing\n", refusals, FLIPS);
    assert_true(refusals > FLIPS / 3);
    clv_free(whole), clv_free(right);
    unlink(path);
    close_run(&r);
}

static void what_is_missing_is_noticed(void **state)
{
    (void)state;
    static const struct {
        const char *sql, *says;
    } damage[] = {
        {"DELETE FROM frames WHERE first = 256", "it has 256 frames of 300 that were written"},
        {"DELETE FROM frames", "it has 0 frames of 300"},
        {"UPDATE sums SET value = 256 WHERE name = 'frames'; DELETE FROM frames WHERE first = 256",
         "it has 256 frames, not 300 as its summary says"},
        {"UPDATE frames SET count = 4337496177482936557 WHERE first = 0",
         "the chunk of frame 0 has 4337496177482936557"},
        {"DELETE FROM settings WHERE name = 'rtol'", "its settings have changed"},
        {"UPDATE settings SET value = 1e-3 WHERE name = 'rtol'", "its settings have changed"},
        {"UPDATE model SET text = replace(text, '1', '2')", "its model has changed"},
        {"UPDATE columns SET unit = 'mm' WHERE offset = 8", "its columns have changed"},
        {"UPDATE sessions SET cpu = 'another'", "its sessions have changed"},
        {"UPDATE summary SET value = 'ok' WHERE name = 'steps'", "its summary has changed"},
        {"DELETE FROM events", "its events have changed"},
        {"UPDATE events SET text = 'another'", "its events have changed"},
        {"DELETE FROM sums WHERE name = 'model'", "a sum is missing"},
        {"UPDATE sums SET value = 0 WHERE name = 'run'", "its sums are not those of its model"},
    };
    run r = open_run(false);
    for (size_t i = 0; i < sizeof damage / sizeof damage[0]; i++) {
        clv_sim_destroy(r.sim);
        assert_int_equal(clv_sim_create(&r.sim, r.model, NULL), CLV_OK);
        write_run(&r, SHORT);
        with_sqlite(damage[i].sql);
        refused(damage[i].says);
    }
    unlink(path);
    close_run(&r);
}

static void frames_of_another_place_are_refused(void **state)
{
    (void)state;
    long n;
    int width;
    run r = open_run(false);
    write_run(&r, 600);
    with_sqlite("UPDATE frames SET (sum, data) = (SELECT sum, data FROM frames WHERE first = 256) WHERE first = 0");
    assert_null(all_frames(&n, &width));
    unlink(path);
    close_run(&r);
}

static void what_is_intact_is_saved(void **state)
{
    (void)state;
    run r = open_run(false);
    write_run(&r, 600);
    clv_runfile *f;
    with_sqlite("UPDATE frames SET data = zeroblob(length(data)) WHERE first = 256");
    assert_int_equal(clv_runfile_open(&f, path), CLV_OK);
    double *x = clv_alloc((size_t)clv_runfile_width(f), sizeof *x);
    assert_int_equal(clv_runfile_read(f, 0, 1, x), CLV_OK);
    assert_int_equal(clv_runfile_read(f, 300, 1, x), CLV_ERR_SYNTAX);
    assert_non_null(strstr(clv_runfile_error(f)->message, "frames 256 to 511 have changed"));
    clv_runfile_close(f, NULL);
    assert_int_equal(clv_runfile_continue(&f, path, &r.start.machine), CLV_ERR_SYNTAX); /* nothing is built on it */
    clv_runfile_close(f, NULL);
    with_sqlite("UPDATE model SET source = 'another'");
    assert_int_equal(clv_runfile_open_damaged(&f, path), CLV_OK);
    assert_int_equal(clv_runfile_frames(f), 600);
    assert_string_equal(clv_runfile_damage(f),
                        "its model has changed; its sums are not those of its model and settings");
    for (long i = 0; i < 600; i++) {
        assert_true(clv_runfile_intact(f, i) == (i < 256 || i >= 512));
        if (i < 256 || i >= 512)
            assert_int_equal(clv_runfile_read(f, i, 1, x), CLV_OK);
    }
    assert_false(clv_runfile_intact(f, 600));
    clv_free(x);
    clv_runfile_close(f, NULL);
    unlink(path);
    close_run(&r);
}

static void bad_checkpoints_are_not_used(void **state)
{
    (void)state;
    static const char *const damage[] = {
        "UPDATE checkpoints SET frames = -5; DELETE FROM summary", "UPDATE checkpoints SET frames = -300",
        "UPDATE checkpoints SET frames = frames + 1", "UPDATE checkpoints SET frames = 9223372036854775807",
        "UPDATE checkpoints SET events = -1", "UPDATE checkpoints SET truncated = 1 - truncated",
        "UPDATE checkpoints SET time = time + 1"};
    run r = open_run(false);
    for (size_t i = 0; i < sizeof damage / sizeof damage[0]; i++) {
        clv_runfile *f;
        clv_sim *again;
        bool truncated;
        clv_sim_destroy(r.sim);
        assert_int_equal(clv_sim_create(&r.sim, r.model, NULL), CLV_OK);
        write_run(&r, SHORT);
        with_sqlite(damage[i]);
        clv_status status = clv_runfile_continue(&f, path, &r.start.machine);
        assert_int_equal(clv_sim_create(&again, r.model, NULL), CLV_OK);
        if (status == CLV_OK)
            status = clv_runfile_restore(f, again, &truncated);
        assert_true(status == CLV_ERR_UNSUPPORTED || status == CLV_ERR_SYNTAX);
        clv_sim_destroy(again);
        clv_runfile_close(f, NULL);
    }
    unlink(path);
    close_run(&r);
}

/* ------------------------------------------------------------------ hostile */

static void only_plain_tables_of_ours_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *sql, *says;
    } hostile[] = {
        {"CREATE VIEW more AS SELECT 1", "the view 'more'"},
        {"DROP TABLE sessions; CREATE VIEW sessions AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
         "SELECT i AS number, printf('%.*c', 1000000000, 'x') AS wall_seconds FROM n",
         "the view 'sessions'"},
        {"CREATE TRIGGER t AFTER INSERT ON sessions BEGIN DELETE FROM frames; END", "the trigger 't'"},
        {"CREATE INDEX i ON frames (count)", "the index 'i'"},
        {"CREATE TABLE more (x)", "the table 'more'"},
        {"ALTER TABLE frames ADD COLUMN more INTEGER DEFAULT 3", "the table 'frames'"},
        {"DROP TABLE events; CREATE VIRTUAL TABLE events USING fts5(number, time, kind, text, sum)",
         "does not belong to a run file"},
    };
    run r = open_run(false);
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
        clv_runfile *f;
        clv_sim_destroy(r.sim);
        assert_int_equal(clv_sim_create(&r.sim, r.model, NULL), CLV_OK);
        write_run(&r, SHORT);
        with_sqlite(hostile[i].sql);
        refused(hostile[i].says);
        assert_int_equal(clv_runfile_continue(&f, path, &r.start.machine), CLV_ERR_SYNTAX);
        clv_runfile_close(f, NULL);
    }
    unlink(path);
    close_run(&r);
}

/* ------------------------------------------------------------------ logs */

static const char *beside(const char *suffix)
{
    snprintf(other, sizeof other, "%s-%s", path, suffix);
    return other;
}

/* Copies of file and log of a run that is killed: its frames are in the log. */
static void leave_a_killed_run(run *r, int frames, char *part[2], size_t size[2])
{
    clv_runfile *f;
    assert_int_equal(clv_runfile_create(&f, path, &r->start), CLV_OK);
    for (int i = 0; i < frames; i++) {
        assert_int_equal(clv_sim_advance(r->sim, i * r->start.settings.every), CLV_OK);
        assert_int_equal(clv_runfile_frame(f, r->sim), CLV_OK);
    }
    assert_int_equal(clv_runfile_checkpoint(f, r->sim, false, 1), CLV_OK);
    part[0] = whole_file(path, &size[0]), part[1] = whole_file(beside("wal"), &size[1]);
    assert_int_equal(clv_runfile_close(f, NULL), CLV_OK);
}

static void logs_left_behind_are_not_replayed(void **state)
{
    (void)state;
    char *part[2];
    size_t size[2];
    long n;
    int width;
    for (int empty = 0; empty < 2; empty++) { /* the main file is gone, or empty */
        run old = open_run(false), new = open_run(false);
        leave_a_killed_run(&old, 40, part, size);
        unlink(path);
        put_file(beside("wal"), part[1], size[1]);
        put_file(beside("shm"), "x", 1);
        if (empty)
            put_file(path, "", 0);
        new.start.settings.sim.rtol = 1e-9;
        write_run(&new, 10);
        double *x = all_frames(&n, &width);
        assert_non_null(x);
        assert_int_equal(n, 10);
        assert_int_not_equal(access(beside("wal"), F_OK), 0);
        clv_free(x), clv_free(part[0]), clv_free(part[1]);
        close_run(&old), close_run(&new);
        unlink(path);
    }
}

static void a_log_of_another_run_is_refused(void **state)
{
    (void)state;
    char *part[2];
    size_t size[2], now;
    clv_runfile *f;
    run old = open_run(false), new = open_run(false);
    leave_a_killed_run(&old, 40, part, size);
    write_run(&new, 300);
    clv_free(part[0]);
    part[0] = whole_file(path, &size[0]);
    put_file(beside("wal"), part[1], size[1]);
    refused("the log ");
    assert_int_equal(clv_runfile_continue(&f, path, &new.start.machine), CLV_ERR_SYNTAX);
    clv_runfile_close(f, NULL);
    char *after = whole_file(path, &now); /* and nothing was written into it */
    assert_int_equal(now, size[0]);
    assert_memory_equal(after, part[0], now);
    unlink(beside("wal")), unlink(beside("shm"));
    assert_int_equal(clv_runfile_open(&f, path), CLV_OK);
    clv_runfile_close(f, NULL);
    clv_free(after), clv_free(part[0]), clv_free(part[1]);
    unlink(path);
    close_run(&old), close_run(&new);
}

static void a_killed_run_is_read_with_its_log(void **state)
{
    (void)state;
    char *part[2];
    size_t size[2];
    long n;
    int width;
    run r = open_run(false);
    leave_a_killed_run(&r, 40, part, size);
    put_file(path, part[0], size[0]);
    put_file(beside("wal"), part[1], size[1]);
    double *x = all_frames(&n, &width);
    assert_non_null(x);
    assert_int_equal(n, 40);
    unlink(path), unlink(beside("wal")), unlink(beside("shm"));
    clv_free(x), clv_free(part[0]), clv_free(part[1]);
    close_run(&r);
}

/* ------------------------------------------------------------------ during a run */

static void a_file_that_is_taken_away_is_noticed(void **state)
{
    (void)state;
    static const char *const says[] = {"removed", "moved away or replaced", "moved away or replaced", "cut", "cannot"};
    for (int deed = 0; deed < 5; deed++) {
        run r = open_run(false);
        clv_runfile *f;
        clv_error error;
        assert_int_equal(clv_runfile_create(&f, path, &r.start), CLV_OK);
        assert_int_equal(clv_runfile_frame(f, r.sim), CLV_OK);
        assert_int_equal(clv_runfile_checkpoint(f, r.sim, false, 0), CLV_OK);
        beside("moved");
        if (deed == 0)
            unlink(path);
        else if (deed == 1)
            rename(path, other);
        else if (deed == 2)
            put_file(other, "another", 7), rename(other, path);
        else if (deed == 3)
            assert_int_equal(truncate(path, 100), 0);
        else { /* written over between the last look and the end */
            assert_int_equal(clv_runfile_finish(f, r.sim, "ok", 0), CLV_OK);
            FILE *over = fopen(path, "r+b");
            assert_int_equal(fseek(over, 200, SEEK_SET), 0);
            for (int i = 0; i < 4000; i++)
                fputc('x', over);
            fclose(over);
            assert_int_equal(clv_runfile_close(f, &error), CLV_ERR_IO);
        }
        if (deed < 4) {
            assert_int_equal(clv_runfile_checkpoint(f, r.sim, false, 0), CLV_ERR_IO);
            error = *clv_runfile_error(f);
            clv_runfile_close(f, NULL);
        }
        if (!strstr(error.message, says[deed]))
            fail_msg("'%s'; expected '%s'", error.message, says[deed]);
        if (deed == 1) { /* what was committed went with it */
            assert_int_equal(rename(beside("moved"), path), 0);
            assert_int_equal(clv_runfile_open(&f, path), CLV_OK);
            assert_int_equal(clv_runfile_frames(f), 1);
            clv_runfile_close(f, NULL);
        }
        unlink(path), unlink(beside("wal")), unlink(beside("shm"));
        close_run(&r);
    }
}

/* ------------------------------------------------------------------ what a new file may replace */

static void not_created(const run *r, clv_status code, const char *says)
{
    clv_runfile *f;
    clv_status status = clv_runfile_create(&f, path, &r->start);
    if (status != code || !strstr(clv_runfile_error(f)->message, says))
        fail_msg("status %d, '%s'; expected %d, '%s'", status, clv_runfile_error(f)->message, code, says);
    clv_runfile_close(f, NULL);
}

static void nothing_is_replaced_unasked(void **state)
{
    (void)state;
    char *part[2];
    size_t size[2];
    clv_runfile *f;
    run r = open_run(false), again = open_run(false);
    again.start.over = CLV_OVER_NOTHING;
    leave_a_killed_run(&r, 41, part, size);
    put_file(path, part[0], size[0]);
    put_file(beside("wal"), part[1], size[1]);
    not_created(&again, CLV_ERR_USAGE, "holds an unfinished run to 0.002 of 0.03 s: `cleave resume");
    assert_int_equal(access(beside("wal"), F_OK), 0);
    assert_int_equal(clv_runfile_open(&f, path), CLV_OK);
    assert_int_equal(clv_runfile_frames(f), 41);
    clv_runfile_close(f, NULL);
    again.start.over = CLV_OVER_RUN;
    write_run(&again, 5);
    again.start.over = CLV_OVER_NOTHING;
    not_created(&again, CLV_ERR_USAGE, "holds a run to 0.0002 of 0.03 s (ok); `--force` replaces it");
    put_file(path, "a text of somebody", 18);
    not_created(&again, CLV_ERR_USAGE, "is not a run file; it is kept");
    again.start.over = CLV_OVER_RUN;
    not_created(&again, CLV_ERR_SYNTAX, "is not a run file");
    again.start.over = CLV_OVER_ANY;
    again.start.input = (const char *const[]){path, NULL};
    not_created(&again, CLV_ERR_USAGE, "which is read");
    again.start.input = NULL;
    assert_int_equal(clv_runfile_create(&f, path, &again.start), CLV_OK);
    clv_runfile_close(f, NULL);
    unlink(path);
    clv_free(part[0]), clv_free(part[1]);
    close_run(&r), close_run(&again);
}

static void links_are_followed_and_temporary_names_are_not(void **state)
{
    (void)state;
    struct stat about;
    size_t size;
    run r = open_run(false);
    char aim[96];
    snprintf(aim, sizeof aim, "%s/aim", folder);
    put_file(aim, "kept", 4);
    assert_int_equal(symlink("aim", beside("new")), 0); /* a name that was written through once */
    write_run(&r, 3);
    char *kept = whole_file(aim, &size);
    assert_string_equal(kept, "kept");
    unlink(beside("new")), unlink(path);
    clv_free(kept);
    assert_int_equal(symlink("nowhere", path), 0);
    not_created(&r, CLV_ERR_USAGE, "a symbolic link whose target cannot be found");
    unlink(path);
    put_file(aim, "", 0);
    assert_int_equal(symlink("aim", path), 0);
    clv_runfile *f;
    assert_int_equal(clv_runfile_create(&f, path, &r.start), CLV_OK);
    assert_int_equal(clv_runfile_close(f, NULL), CLV_OK);
    assert_true(lstat(path, &about) == 0 && S_ISLNK(about.st_mode)); /* the run is in its target */
    assert_true(stat(aim, &about) == 0 && about.st_size > 0);
    unlink(path), unlink(aim);
    close_run(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_changed_bit_is_never_data),
        cmocka_unit_test(what_is_missing_is_noticed),
        cmocka_unit_test(frames_of_another_place_are_refused),
        cmocka_unit_test(what_is_intact_is_saved),
        cmocka_unit_test(bad_checkpoints_are_not_used),
        cmocka_unit_test(only_plain_tables_of_ours_are_read),
        cmocka_unit_test(logs_left_behind_are_not_replayed),
        cmocka_unit_test(a_log_of_another_run_is_refused),
        cmocka_unit_test(a_killed_run_is_read_with_its_log),
        cmocka_unit_test(a_file_that_is_taken_away_is_noticed),
        cmocka_unit_test(nothing_is_replaced_unasked),
        cmocka_unit_test(links_are_followed_and_temporary_names_are_not),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
