/* SPDX-License-Identifier: Apache-2.0
 * Sweep files: what is put is read back to the bit, NaN and names that SQLite takes for equal included.  Memory may
 * be out anywhere without a leak, and what was committed stays.  Kills, damage: tests/cli/test_sweep.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "io/sweepfile.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNS = 7, VALUES = 2, OUTPUTS = 4 };

static const clv_sweep_pair setting[] = {{"program", "0"}, {"vary", "a=1..2"}, {"vary", "b=1..2"}};
static const clv_sweep_pair column[] = {{"a", ""}, {"A", "mm"}, {"tip.position.x", "m"}, {"status", ""},
                                        {"a \"b\"", ""}, {"a", "J"}};
static const clv_sweep_start start = {.model = "m", .source = "m.yaml", .text = "cleave: 1\n", .size = 10,
                                      .nsetting = 3, .setting = setting, .instances = RUNS, .nvalue = VALUES,
                                      .noutput = OUTPUTS,
                                      .column = column};
static char path[64], other[72];

static int name_file(void **state)
{
    (void)state;
    strcpy(path, "/tmp/sweepXXXXXX");
    const int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    close(fd);
    unlink(path);
    snprintf(other, sizeof other, "%s-2", path);
    return 0;
}

static int remove_file(void **state)
{
    (void)state;
    unlink(path), unlink(other);
    return 0;
}

static double number(int run, int k)
{
    return k == 4 && run == 2 ? NAN : ldexp(1 + run / 3.0, 40 * k - 100) * (k % 2 ? 1 : -1);
}

static clv_status put(clv_sweepfile *f, int run, bool now)
{
    double value[VALUES], output[OUTPUTS];
    for (int k = 0; k < VALUES + OUTPUTS; k++)
        *(k < VALUES ? &value[k] : &output[k - VALUES]) = number(run, k);
    return clv_sweepfile_put(f, run, value, output, run == 3 ? CLV_ERR_STEP_SIZE : CLV_OK, run == 3 ? "too small" : "",
                             now);
}

static void same_row(const clv_sweepfile *f, int run)
{
    const double *row = clv_sweepfile_row(f, run);
    assert_non_null(row);
    for (int k = 0; k < VALUES + OUTPUTS; k++)
        assert_true(row[k] == number(run, k) || (isnan(row[k]) && isnan(number(run, k))));
    assert_int_equal(clv_sweepfile_status(f, run), run == 3 ? CLV_ERR_STEP_SIZE : CLV_OK);
    assert_string_equal(clv_sweepfile_why(f, run), run == 3 ? "too small" : "");
}

static void rows_are_read_back(void **state)
{
    (void)state;
    clv_sweepfile *f;
    clv_error e;
    assert_int_equal(clv_sweepfile_create(&f, path, &start, false, NULL), CLV_OK);
    for (int i = 0; i < 4; i++)
        assert_int_equal(put(f, (3 * i + 2) % RUNS, i == 1), CLV_OK);
    assert_int_equal(put(f, 2, true), CLV_ERR_USAGE); /* it is there */
    assert_int_equal(clv_sweepfile_close(f, &e), CLV_OK);
    assert_int_equal(clv_sweepfile_open(&f, path, true), CLV_OK);
    assert_int_equal(clv_sweepfile_same(f, &start), CLV_OK);
    assert_int_equal(clv_sweepfile_count(f), 4);
    for (int i = 0; i < RUNS; i++)
        if (i == 2 || i == 5 || i == 1 || i == 4)
            same_row(f, i);
        else
            assert_null(clv_sweepfile_row(f, i));
    assert_null(clv_sweepfile_row(f, -1));
    assert_null(clv_sweepfile_row(f, RUNS));
    assert_int_equal(clv_sweepfile_status(f, 0), CLV_ERR_USAGE);
    const clv_sweep_start *s = clv_sweepfile_start(f);
    assert_true(s->instances == RUNS && s->nvalue == VALUES && s->noutput == OUTPUTS && s->nsetting == 3);
    assert_string_equal(s->column[4].name, "a \"b\"");
    assert_string_equal(s->column[1].text, "mm");
    double room[RUNS];
    const clv_statistics c = clv_sweepfile_column(f, 4, room); /* without the NaN of run 2 */
    assert_true(c.count == 3 && c.least == number(5, 4) && c.largest == number(1, 4));
    assert_int_equal(clv_sweepfile_put_statistics(f), CLV_OK);
    clv_sweepfile_close(f, NULL);
}

/* Other writers keep out, readers do not. */
static void one_process_writes(void **state)
{
    (void)state;
    clv_sweepfile *f, *second;
    assert_int_equal(clv_sweepfile_create(&f, path, &start, false, NULL), CLV_OK);
    assert_int_equal(put(f, 0, true), CLV_OK);
    assert_int_equal(clv_sweepfile_open(&second, path, true), CLV_ERR_IO);
    assert_non_null(strstr(clv_sweepfile_error(second)->message, "in use"));
    clv_sweepfile_close(second, NULL);
    assert_int_equal(clv_sweepfile_open(&second, path, false), CLV_OK);
    same_row(second, 0);
    assert_int_equal(put(second, 1, true), CLV_ERR_USAGE);
    clv_sweepfile_close(second, NULL);
    assert_int_equal(clv_sweepfile_create(&second, path, &start, false, NULL), CLV_ERR_USAGE);
    clv_sweepfile_close(second, NULL);
    assert_int_equal(clv_sweepfile_create(&second, path, &start, true, NULL), CLV_ERR_IO);
    clv_sweepfile_close(second, NULL);
    clv_sweepfile_close(f, NULL);
    clv_sweep_start wide = start;
    wide.noutput = 5000; /* refused before any of them is looked at */
    assert_int_equal(clv_sweepfile_create(&second, other, &wide, false, NULL), CLV_ERR_USAGE);
    clv_sweepfile_close(second, NULL);
    assert_int_not_equal(access(other, F_OK), 0);
}

/* Rows that both files have must be the same; the job is that of the last command. */
static void merging_compares_rows(void **state)
{
    (void)state;
    clv_sweepfile *f, *second;
    clv_sweep_start part = start;
    part.job = (clv_sweep_job){2, 3, "m.yaml --runs 7"};
    assert_int_equal(clv_sweepfile_create(&second, other, &part, false, NULL), CLV_OK);
    assert_true(put(second, 1, false) == CLV_OK && put(second, 4, true) == CLV_OK);
    clv_sweepfile_close(second, NULL);
    assert_int_equal(clv_sweepfile_create(&f, path, &start, false, NULL), CLV_OK);
    assert_int_equal(clv_sweepfile_job(f).shards, 0);
    assert_int_equal(put(f, 4, false), CLV_OK);
    assert_int_equal(clv_sweepfile_merge(f, other), CLV_OK);
    assert_int_equal(clv_sweepfile_count(f), 2);
    same_row(f, 1);
    clv_sweepfile_close(f, NULL);

    double value[VALUES] = {number(1, 0), number(1, 1)}, output[OUTPUTS];
    for (int k = 0; k < OUTPUTS; k++)
        output[k] = number(1, VALUES + k);
    output[0] = nextafter(output[0], 1e300);
    assert_int_equal(clv_sweepfile_create(&f, path, &start, true, NULL), CLV_OK);
    assert_int_equal(clv_sweepfile_put(f, 1, value, output, CLV_OK, "", true), CLV_OK);
    assert_int_equal(clv_sweepfile_merge(f, other), CLV_ERR_SYNTAX);
    assert_non_null(strstr(clv_sweepfile_error(f)->message, "run 1 differs between"));
    clv_sweepfile_close(f, NULL);

    assert_int_equal(clv_sweepfile_open(&second, other, true), CLV_OK);
    assert_true(clv_sweepfile_job(second).shard == 2 && clv_sweepfile_job(second).shards == 3);
    assert_string_equal(clv_sweepfile_job(second).words, "m.yaml --runs 7");
    assert_int_equal(clv_sweepfile_put_job(second, &(clv_sweep_job){1, 1, ""}), CLV_OK);
    clv_sweepfile_close(second, NULL);
    assert_int_equal(clv_sweepfile_open(&second, other, false), CLV_OK);
    assert_int_equal(clv_sweepfile_job(second).shards, 1);
    clv_sweepfile_close(second, NULL);
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

/* A whole sweep of two files; returns the first failure. */
static clv_status work(void)
{
    clv_sweepfile *f = NULL, *g = NULL;
    clv_status status = clv_sweepfile_create(&f, path, &start, true, NULL);
    for (int i = 0; i < 4 && status == CLV_OK; i++)
        status = put(f, i, true);
    clv_sweepfile_close(f, NULL);
    f = NULL;
    if (status == CLV_OK)
        status = clv_sweepfile_create(&g, other, &start, true, NULL);
    if (status == CLV_OK)
        status = put(g, 5, false);
    if (status == CLV_OK)
        status = clv_sweepfile_merge(g, path);
    if (status == CLV_OK)
        status = clv_sweepfile_put_statistics(g);
    const clv_status closed = clv_sweepfile_close(g, NULL);
    return status == CLV_OK ? closed : status;
}

static void memory_may_be_out_anywhere(void **state)
{
    (void)state;
    long n = 1;
    refuse = 0;
    assert_int_equal(work(), CLV_OK); /* so that all of them replace files */
    for (refuse = 0; refuse <= n; refuse++) {
        const long live = clv_alloc_live();
        asked = 0;
        const clv_status status = work();
        n = refuse == 0 ? asked : n;
        assert_int_equal(status, refuse == 0 ? CLV_OK : CLV_ERR_MEMORY);
        assert_int_equal(clv_alloc_live(), live);
        const long limit = refuse;
        clv_sweepfile *f;
        refuse = 0;
        if (access(path, F_OK) == 0) { /* a sound file, whatever it has */
            assert_int_equal(clv_sweepfile_open(&f, path, false), CLV_OK);
            for (int i = 0; i < clv_sweepfile_count(f); i++)
                same_row(f, i);
            clv_sweepfile_close(f, NULL);
        }
        refuse = limit;
    }
    assert_true(n > 60);
    refuse = 0;
    clv_sweepfile *f;
    assert_int_equal(work(), CLV_OK);
    assert_int_equal(clv_sweepfile_open(&f, other, false), CLV_OK);
    assert_int_equal(clv_sweepfile_count(f), 5);
    same_row(f, 3), same_row(f, 5);
    clv_sweepfile_close(f, NULL);
}

int main(void)
{
    if (clv_allocator_set(&(clv_allocator){allocate, resize, release, NULL}) != CLV_OK)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_are_read_back, name_file, remove_file),
        cmocka_unit_test_setup_teardown(one_process_writes, name_file, remove_file),
        cmocka_unit_test_setup_teardown(merging_compares_rows, name_file, remove_file),
        cmocka_unit_test_setup_teardown(memory_may_be_out_anywhere, name_file, remove_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
