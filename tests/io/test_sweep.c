/* SPDX-License-Identifier: Apache-2.0
 * Values of a sweep: every stratum of a Latin hypercube once, grids in their order, tables with the place of what is
 * wrong; statistics against numbers worked out by hand; what --vary refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "io/sweep.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static clv_error error;

static clv_sweep varied(int n, const char *const *text)
{
    clv_sweep s = {0};
    for (int i = 0; i < n; i++)
        if (clv_sweep_vary(&s, text[i], &error) != CLV_OK)
            fail_msg("%s", error.message);
    return s;
}

static double at(const clv_sweep *s, int run, int k) { return s->value[run * s->nvary + k]; }

/* ---------------------------------------------------------------- Latin hypercube */

static void every_stratum_is_met_once(void **state)
{
    (void)state;
    static const char *const text[] = {"d1.damping=1..6", "l=400..600 mm", "x=-1e-3..1e-3", "c=2..2"};
    for (int runs = 1; runs <= 300; runs += 23) {
        clv_sweep s = varied(4, text);
        assert_int_equal(clv_sweep_lhs(&s, runs, 7, &error), CLV_OK);
        assert_int_equal(s.runs, runs);
        for (int k = 0; k < 4; k++) {
            int met[300] = {0};
            for (int i = 0; i < runs; i++) {
                const clv_vary *v = &s.vary[k];
                assert_true(at(&s, i, k) >= v->low && at(&s, i, k) <= v->high);
                if (k < 3)
                    met[(int)fmin(runs - 1, floor((at(&s, i, k) - v->low) / (v->high - v->low) * runs))]++;
            }
            for (int i = 0; i < runs && k < 3; i++)
                if (met[i] != 1) /* rounding at the border of a stratum */
                    assert_true(met[i] <= 2 && abs(met[i] - 1) <= 1);
        }
        clv_sweep_release(&s);
    }
}

/* Numbers of an independent program (splitmix64 of the hash): with another sample, files of old sweeps could not be
 * continued. */
static void a_sample_is_the_same_for_ever(void **state)
{
    (void)state;
    static const char *const text[] = {"a=0..1", "b=0..1"};
    clv_sweep s = varied(2, text), again = varied(2, text), other = varied(2, text);
    assert_int_equal(clv_sweep_lhs(&s, 4, 1, &error), CLV_OK);
    assert_int_equal(clv_sweep_lhs(&again, 4, 1, &error), CLV_OK);
    assert_int_equal(clv_sweep_lhs(&other, 4, 2, &error), CLV_OK);
    assert_memory_equal(s.value, again.value, 8 * sizeof(double));
    assert_memory_not_equal(s.value, other.value, 8 * sizeof(double));
    assert_true(at(&s, 0, 0) != at(&s, 0, 1)); /* columns are not the same permutation with the same places */
    static const double known[8] = {0.0960739123582948, 0.40856362314076533, 0.9933659770736682, 0.6237015968118433,
               0.2566238632433296,
                                     0.7724065358413004, 0.5582456650755063, 0.005909363111018362};
    for (int i = 0; i < 8; i++)
        assert_true(fabs(s.value[i] - known[i]) < 1e-15);
    clv_sweep_release(&s), clv_sweep_release(&again), clv_sweep_release(&other);
}

/* No two columns of a sample may be nearly the same: of 2000 runs the correlation is within 5 standard errors of 0. */
static void columns_are_independent(void **state)
{
    (void)state;
    enum { RUNS = 2000, K = 6 };
    static const char *const text[] = {"a=0..1", "b=0..1", "c=0..1", "d=0..1", "e=0..1", "f=0..1"};
    clv_sweep s = varied(K, text);
    assert_int_equal(clv_sweep_lhs(&s, RUNS, 1, &error), CLV_OK);
    for (int k = 0; k < K; k++)
        for (int l = 0; l < k; l++) {
            double sum = 0;
            for (int i = 0; i < RUNS; i++)
                sum += (at(&s, i, k) - 0.5) * (at(&s, i, l) - 0.5) * 12;
            assert_true(fabs(sum / RUNS) < 5 / sqrt(RUNS));
        }
    clv_sweep_release(&s);
}

/* ---------------------------------------------------------------- grid */

static void grids_have_all_combinations_in_order(void **state)
{
    (void)state;
    static const char *const text[] = {"a=1..3/3", "b=10,30", "c=0..1/2 mm"};
    static const double expected[12][3] = {{1, 10, 0}, {1, 10, 1}, {1, 30, 0}, {1, 30, 1}, {2, 10, 0}, {2, 10, 1},
                                           {2, 30, 0}, {2, 30, 1}, {3, 10, 0}, {3, 10, 1}, {3, 30, 0}, {3, 30, 1}};
    for (int runs = 0; runs <= 12; runs += 12) {
        clv_sweep s = varied(3, text);
        assert_int_equal(clv_sweep_grid(&s, runs, &error), CLV_OK);
        assert_int_equal(s.runs, 12);
        assert_memory_equal(s.value, expected, sizeof expected);
        assert_string_equal(s.vary[2].unit, "mm");
        assert_true(s.vary[1].low == 10 && s.vary[1].high == 30);
        clv_sweep_release(&s);
    }
}

static void points_follow_from_runs(void **state)
{
    (void)state;
    static const char *const text[] = {"a=0..9", "b=0..0.9", "c=5,6"};
    clv_sweep s = varied(3, text);
    assert_int_equal(clv_sweep_grid(&s, 200, &error), CLV_OK);
    assert_int_equal(s.runs, 200);
    assert_true(at(&s, 199, 0) == 9 && at(&s, 199, 1) == 0.9 && at(&s, 199, 2) == 6 && at(&s, 20, 0) == 1);
    assert_int_equal(clv_sweep_grid(&s, 201, &error), CLV_ERR_USAGE);
    assert_non_null(strstr(error.message, "no grid of these numbers has 201 runs"));
    assert_int_equal(clv_sweep_grid(&s, 0, &error), CLV_ERR_USAGE);
    assert_int_equal(clv_sweep_lhs(&s, 200, 1, &error), CLV_ERR_USAGE);
    assert_non_null(strstr(error.message, "'c'"));
    clv_sweep_release(&s);
    static const char *const large[] = {"a=0..1/100000", "b=0..1/1000"};
    s = varied(2, large);
    assert_int_equal(clv_sweep_grid(&s, 0, &error), CLV_ERR_USAGE);
    assert_non_null(strstr(error.message, "100000000 runs"));
    clv_sweep_release(&s);
}

/* ---------------------------------------------------------------- texts */

static void texts_are_refused_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int column;
        const char *words;
    } row[] = {{"d1.damping", 11, "NAME=LOW..HIGH"}, {"", 1, "NAME=LOW..HIGH"}, {"=1..2", 1, "a name"},
               {"a=", 3, "a number"}, {"a=x..2", 3, "found 'x..2'"}, {"a=1", 4, "'..' or ','"}, {"a=1.2", 6, "'..'"},
               {"a=1..", 6, "found the end"}, {"a=1..x", 6, "a number"}, {"a=2..1", 6, "not below the first"},
               {"a=1..2/", 8, "points"}, {"a=1..2/0", 8, "points"}, {"a=1..2/100001", 8, "points"},
               {"a=1..2/x", 8, "points"},
               {"a=1..nan", 6, "a number"}, {"a=1..inf", 6, "a number"}, {"a=1..1e999", 6, "a number"},
               {"a=0x1..2", 3, "a number"}, {"a=.1...2...3", 9, "a unit"}, {"a=1,2,", 7, "a number"},
               {"a=1,,2", 5, "a number"},
               {"a=1,2/3", 6, "a unit"}, {"a=1..2 ..3", 8, "a unit"}, {"a=1..2=3", 7, "a unit"},
               {"a\x1b[31m=1..2", 1, "printable"}, {"a=1..2 \x1b", 1, "printable"}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        clv_sweep s = {0};
        if (clv_sweep_vary(&s, row[i].text, &error) != CLV_ERR_USAGE || error.column != row[i].column ||
            !strstr(error.message, row[i].words))
            fail_msg("'%s': column %d, '%s'", row[i].text, error.column, error.message);
        clv_sweep_release(&s);
    }
    clv_sweep s = {0};
    assert_int_equal(clv_sweep_vary(&s, "a.b[2]=-1e-3..+.5N m", &error), CLV_OK);
    assert_true(s.vary[0].low == -1e-3 && s.vary[0].high == 0.5);
    assert_string_equal(s.vary[0].unit, "N m");
    assert_string_equal(s.vary[0].name, "a.b[2]");
    assert_int_equal(clv_sweep_vary(&s, "a.b[2]=1..2", &error), CLV_ERR_USAGE);
    assert_non_null(strstr(error.message, "twice"));
    clv_sweep_release(&s);
}

/* ---------------------------------------------------------------- tables */

static clv_status read_text(clv_sweep *s, const char *text, size_t size)
{
    char path[] = "/tmp/sweepXXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, text, size) == (ssize_t)size);
    close(fd);
    *s = (clv_sweep){0};
    const clv_status status = clv_sweep_table(s, path, &error);
    unlink(path);
    return status;
}

static void tables_are_read(void **state)
{
    (void)state;
    static const char text[] = "\xEF\xBB\xBF"
                               "d1.damping, \"l [mm]\",com[0]\r\n1,400,-1e-3\r\n\r\n 2.5 ,\"500\",0\n3,600,7";
    clv_sweep s;
    assert_int_equal(read_text(&s, text, strlen(text)), CLV_OK);
    static const double expected[9] = {1, 400, -1e-3, 2.5, 500, 0, 3, 600, 7};
    assert_true(s.runs == 3 && s.nvary == 3);
    assert_memory_equal(s.value, expected, sizeof expected);
    assert_string_equal(s.vary[1].name, "l");
    assert_string_equal(s.vary[1].unit, "mm");
    assert_string_equal(s.vary[2].name, "com[0]");
    assert_true(s.vary[1].low == 400 && s.vary[1].high == 600 && s.vary[2].low == -1e-3);
    clv_sweep_release(&s);
}

static void tables_are_refused_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line, column;
        const char *words;
    } row[] = {{"", 0, 1, "names is missing"}, {"\n1\n", 1, 1, "names is missing"},
               {"a,b\n", 1, 1, "no line of numbers"},
               {"a,,b\n1,2,3\n", 1, 2, "name of a parameter"}, {"a,a\n1,2\n", 1, 2, "twice"},
               {"a,b\n1\n", 2, 1, "fewer"}, {"a,b\n1,2\n3,4,5\n", 3, 3, "more"},
               {"a\nx\n", 2, 1, "'x' is not a number"},
               {"a,b\n1,\n", 2, 2, "not a number"}, {"a\n1e999\n", 2, 1, "not a number"}, {"a\n0,5\n", 2, 2, "more"},
               {"a\n1\n\x1b\n", 3, 1, "'?' is not"}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        clv_sweep s;
        if (read_text(&s, row[i].text, strlen(row[i].text)) != CLV_ERR_SYNTAX || error.line != row[i].line ||
            error.column != row[i].column || !strstr(error.message, row[i].words))
            fail_msg("'%s': line %d, column %d: %s", row[i].text, error.line, error.column, error.message);
        clv_sweep_release(&s);
    }
    clv_sweep s;
    assert_int_equal(read_text(&s, "a\0b\n1\n", 6), CLV_ERR_SYNTAX);
    clv_sweep_release(&s);
    s = (clv_sweep){0};
    assert_int_equal(clv_sweep_table(&s, "/nowhere/x.csv", &error), CLV_ERR_IO);
    clv_sweep_release(&s);
}

/* ---------------------------------------------------------------- statistics */

static void statistics_are_those_of_a_textbook(void **state)
{
    (void)state;
    double x[] = {7, NAN, 1, 3, INFINITY, 5, 9};
    clv_statistics c = clv_statistics_of(x, 7);
    assert_true(c.count == 5 && c.mean == 5 && c.least == 1 && c.largest == 9 && c.median == 5);
    assert_true(fabs(c.deviation - sqrt(10)) < 1e-15); /* squares 16 4 0 4 16 over 4 */
    assert_true(fabs(c.percent_5 - 1.4) < 1e-14 && fabs(c.percent_95 - 8.6) < 1e-14); /* at 0.2 and 3.8 of 0 .. 4 */
    double one[] = {2.5}, none[] = {NAN};
    c = clv_statistics_of(one, 1);
    assert_true(c.count == 1 && c.mean == 2.5 && isnan(c.deviation) && c.percent_5 == 2.5 && c.percent_95 == 2.5);
    c = clv_statistics_of(none, 1);
    assert_true(c.count == 0 && isnan(c.mean) && isnan(c.median));
    double even[] = {4, 1, 3, 2};
    assert_true(clv_statistics_of(even, 4).median == 2.5);
}

static void ranks_and_their_correlation(void **state)
{
    (void)state;
    const double x[] = {10, 30, 20, 20, -5, 40}, y[] = {1, 3, 2, 2, 0, 1000};
    double rx[6], ry[6], many[1000], rank[1000];
    int order[2000];
    static const double expected[] = {1, 4, 2.5, 2.5, 0, 5};
    clv_ranks(x, 6, rx, order), clv_ranks(y, 6, ry, order);
    assert_memory_equal(rx, expected, sizeof expected);
    assert_memory_equal(ry, expected, sizeof expected);
    assert_true(clv_correlation(rx, ry, 6) == 1 && clv_correlation(x, y, 6) < 0.9); /* by ranks, not by numbers */
    const double a[] = {1, 2, 3, 4, 5}, b[] = {2, 1, 4, 3, 5}, c[] = {5, 4, 3, 2, 1}, same[] = {1, 1, 1, 1, 1};
    assert_true(fabs(clv_correlation(a, b, 5) - 0.8) < 1e-15); /* 1 - 6 * 4 / (5 * 24) */
    assert_true(clv_correlation(a, c, 5) == -1 && isnan(clv_correlation(a, same, 5)));
    assert_true(isnan(clv_correlation(a, b, 2)));
    for (int n = 0; n <= 1000; n = n < 40 ? n + 1 : 3 * n + 7) {
        for (int i = 0; i < n; i++)
            many[i] = (i * 7919 + 13) % 1009;
        clv_ranks(many, n, rank, order);
        for (int i = 0; i < n; i++) {
            int below = 0;
            for (int j = 0; j < n; j++)
                below += many[j] < many[i];
            assert_true(rank[i] == below);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_stratum_is_met_once),
        cmocka_unit_test(a_sample_is_the_same_for_ever),
        cmocka_unit_test(columns_are_independent),
        cmocka_unit_test(grids_have_all_combinations_in_order),
        cmocka_unit_test(points_follow_from_runs),
        cmocka_unit_test(texts_are_refused_with_their_place),
        cmocka_unit_test(tables_are_read),
        cmocka_unit_test(tables_are_refused_with_their_place),
        cmocka_unit_test(statistics_are_those_of_a_textbook),
        cmocka_unit_test(ranks_and_their_correlation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
