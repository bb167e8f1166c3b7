/* SPDX-License-Identifier: Apache-2.0
 * Nested dissection (T172): orders of joins, rows between halves, and what parts of nets hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "oracle/random_system.h"
#include "plan/dissect.h"
#include "plan_graphs.h"
#include "plan_laws.h"

enum { LEAST = 16, ROOM = 40000 };

typedef struct links { /* of a graph: pairs of vertices */
    int n, nlink, a[ROOM], b[ROOM];
} links;

static void add(links *l, int a, int b)
{
    assert_true(l->nlink < ROOM);
    l->a[l->nlink] = a, l->b[l->nlink++] = b;
}

static clv_part_graph graph_of(const links *l)
{
    clv_part_graph g = {.n = l->n, .first = calloc((size_t)l->n + 2, sizeof(int))};
    g.to = malloc((2 * (size_t)l->nlink + 1) * sizeof(int)), g.rows = malloc((2 * (size_t)l->nlink + 1) * sizeof(int));
    assert_true(g.first && g.to && g.rows);
    for (int k = 0; k < l->nlink; k++)
        g.first[l->a[k] + 1]++, g.first[l->b[k] + 1]++;
    for (int i = 0; i < l->n; i++)
        g.first[i + 1] += g.first[i];
    int *at = numbers(l->n, 0);
    for (int k = 0; k < l->nlink; k++) {
        const int a = l->a[k], b = l->b[k], ia = g.first[a] + at[a]++, ib = g.first[b] + at[b]++;
        g.to[ia] = b, g.to[ib] = a, g.rows[ia] = g.rows[ib] = 1;
    }
    free(at);
    return g;
}

/* Every vertex is in one region, no region is larger than `least`, and joins make one of all.  Returns the links
 * between the last two that are joined. */
static int check(const links *l, int least)
{
    clv_part_graph g = graph_of(l);
    int *region = numbers(l->n, -1), *word = numbers(2 * l->n + 1, -7), nword = -1, nregion = 0, top = 0, cut = 0;
    assert_true(clv_dissect(&g, least, region, word, &nword));
    int *size = numbers(l->n + 1, 0), *stack = numbers(l->n + 1, 0), *second = numbers(l->n + 1, 0);
    int *again = numbers(l->n, -1), *other = numbers(2 * l->n + 1, -7), nother;
    assert_true(clv_dissect(&g, least, again, other, &nother)); /* the same once more */
    assert_int_equal(nother, nword);
    assert_memory_equal(again, region, (size_t)l->n * sizeof(int));
    assert_memory_equal(other, word, (size_t)(nword > 0 ? nword : 0) * sizeof(int));
    for (int i = 0; i < l->n; i++) {
        assert_true(region[i] >= 0 && region[i] < l->n);
        size[region[i]]++;
    }
    for (int i = 0; i < nword; i++) { /* on the stack: how many words a result has */
        if (word[i] >= 0) {
            assert_int_equal(word[i], nregion++);
            assert_true(size[word[i]] > 0 && size[word[i]] <= least);
            stack[top++] = 1;
            continue;
        }
        assert_true(top >= 2);
        top--;
        if (i == nword - 1)
            for (int k = i - 1; k > i - 1 - stack[top]; k--)
                if (word[k] >= 0)
                    second[word[k]] = 1;
        stack[top - 1] += stack[top] + 1;
    }
    assert_int_equal(top, l->n > 0);
    int all = 0;
    for (int i = 0; i < nregion; i++)
        all += size[i];
    assert_int_equal(all, l->n);
    for (int k = 0; k < l->nlink; k++)
        cut += second[region[l->a[k]]] != second[region[l->b[k]]];
    free(region), free(word), free(size), free(stack), free(second), free(again), free(other);
    free(g.first), free(g.to), free(g.rows);
    return cut;
}

static links *empty(int n)
{
    links *l = calloc(1, sizeof *l);
    assert_non_null(l);
    l->n = n;
    return l;
}

static links *grid(int n, int m)
{
    links *l = empty(n * m);
    for (int i = 0; i < n * m; i++) {
        if (i % n + 1 < n)
            add(l, i, i + 1);
        if (i + n < n * m)
            add(l, i, i + n);
    }
    return l;
}

static void orders_hold_all_parts(void **state)
{
    (void)state;
    static const int least[] = {1, 2, LEAST};
    random_stream s = {5};
    for (int k = 0; k < 3; k++) {
        for (int n = 0; n < 40; n++) { /* none, one, some without any link */
            links *l = empty(n);
            check(l, least[k]), free(l);
        }
        links *path = empty(1000), *star = empty(1000), *apart = grid(20, 20);
        for (int i = 1; i < 1000; i++)
            add(path, i - 1, i), add(star, 0, i);
        apart->n += 300;
        assert_int_equal(check(path, least[k]), 1);
        check(star, least[k]), check(apart, least[k]);
        free(path), free(star), free(apart);
        for (int i = 0; i < 200; i++) { /* links between the same two, too */
            links *l = empty(2 + random_index(&s, 120));
            for (int j = random_index(&s, 4 * l->n); j > 0; j--) {
                const int a = random_index(&s, l->n), b = random_index(&s, l->n);
                if (a != b)
                    add(l, a, b);
            }
            check(l, least[k]), free(l);
        }
    }
}

/* A straight line is the least; sides may differ by a tenth. */
static void grids_are_halved_across(void **state)
{
    (void)state;
    static const int size[][2] = {{8, 8}, {16, 16}, {24, 24}, {32, 32}, {48, 48}, {64, 64}, {10, 100}, {20, 200}};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        const int n = size[i][0];
        links *l = grid(n, size[i][1]);
        const int cut = check(l, 1);
        print_message("%d x %d: %d links between halves\n", n, size[i][1], cut);
        assert_true(cut >= n && cut <= n + n / 4 + 1);
        free(l);
    }
}

static void parts_of_nets_hold_few_bodies(void **state)
{
    (void)state;
    for (int n = 16; n <= 48; n += 16) {
        clv_model *m = net(n, CLV_JOINT_SPHERICAL, CLV_JOINT_SPHERICAL);
        clv_plan *pairs = plan_with(m, (clv_plan_options){.lanes = true}),
                 *halves = plan_with(m, (clv_plan_options){.lanes = true, .dissected = true}),
                 *taken = plan_with(m, (clv_plan_options){.lanes = true, .carry = true});
        check_plan(halves), check_plan(taken);
        print_message("net of %d: bodies held %d in pairs, %d in halves; rows of a node %d, %d\n", n, pairs->max_port,
                      halves->max_port, pairs->max_rows, halves->max_rows);
        assert_true(halves->max_port <= 3 * n / 2 && halves->max_rows <= 4 * n);
        if (n > 16) /* the tree carries the loops of the small one */
            assert_true(taken->hash == halves->hash && taken->hash != pairs->hash);
        clv_plan_destroy(pairs), clv_plan_destroy(halves), done(taken, m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_hold_all_parts),
        cmocka_unit_test(grids_are_halved_across),
        cmocka_unit_test(parts_of_nets_hold_few_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
