/* SPDX-License-Identifier: Apache-2.0
 * The farthest corner by a tree of boxes (T116.4) is that of a loop over all corners, of equal ones the first: points
 * of balls, of grids with many equal products, of lines, and few points. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "math/rotation.h"
#include "model/hull_tree.h"

enum { MOST = 700 };

static unsigned long long seed = 1;

static double draw(double from, double to)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return from + (to - from) * (double)(seed >> 11) / 9007199254740992.0;
}

static int farthest(const double *x, int n, const double d[3])
{
    int best = 0;
    for (int i = 1; i < n; i++)
        if (clv_dot3(x + 3 * i, d) > clv_dot3(x + 3 * best, d))
            best = i;
    return best;
}

static void place(int kind, double x[3])
{
    for (int c = 0; c < 3; c++)
        x[c] = kind == 1 ? (int)draw(0, 4) * 0.25 : kind == 2 && c > 0 ? 0 : draw(-1, 1);
    const double l = clv_norm3(x);
    for (int c = 0; c < 3 && kind == 0; c++)
        x[c] *= 0.1 / l;
}

static void tree_finds_the_farthest(void **state)
{
    static double x[3 * MOST];
    (void)state;
    for (int k = 0; k < 90; k++) {
        const int n = k < 30 ? k + 1 : 1 + (int)draw(0, MOST - 1);
        clv_hull_tree t;
        for (int i = 0; i < n; i++)
            place(k % 3, x + 3 * i);
        assert_true(clv_hull_tree_make(&t, x, n));
        for (int i = 0; i < 200; i++) {
            double d[3];
            for (int c = 0; c < 3; c++)
                d[c] = i < 60 ? (int)draw(-2, 3) : draw(-1, 1);
            assert_int_equal(clv_hull_tree_farthest(&t, d), farthest(x, n, d));
        }
        clv_hull_tree_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tree_finds_the_farthest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
