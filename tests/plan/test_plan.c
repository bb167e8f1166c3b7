/* SPDX-License-Identifier: Apache-2.0
 * The plan of any graph: a spanning tree, every other joint closed exactly once, strands and lanes that hold every body
 * once, an assembly tree whose nodes close an edge as soon as all its handles are there.  `check_plan` states what
 * every plan must obey; the cases give the graphs and what is special about each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>
#include "base/error.h"
#include "graph.h"
#include "math/lane.h"
#include "model/joint.h"
#include "oracle/random_system.h"
#include "plan/plan.h"

/* ------------------------------------------------------------------ what every plan obeys */

static int find(int *set, int i)
{
    while (set[i] != i)
        i = set[i] = set[set[i]];
    return i;
}

static void *numbers(int n, int value)
{
    int *v = malloc(((size_t)n + 1) * sizeof(int));
    for (int i = 0; i <= n; i++)
        v[i] = value;
    return v;
}

/* every body once, parents first, each over one joint that really joins the two */
static void check_tree(const clv_plan *p)
{
    const clv_model *m = p->model;
    int *place = numbers(p->nbody, -1);
    assert_int_equal(p->nbody, m->nbody);
    int nq = 0, nu = 0;
    for (int i = 0; i < p->nbody; i++) {
        int b = p->order[i];
        const clv_tree_joint *t = &p->tree[b];
        assert_in_range(b, 0, m->nbody - 1);
        assert_int_equal(place[b], -1);
        place[b] = i;
        if (t->parent >= 0)
            assert_int_not_equal(place[t->parent], -1);
        if (t->joint < 0) {
            assert_true(t->parent < 0 && t->detached && t->kind == CLV_JOINT_FREE);
        } else {
            const clv_joint *j = &m->joint[t->joint];
            assert_int_equal(p->child_of_joint[t->joint], b);
            assert_int_equal(t->reversed ? j->a : j->b, b);
            assert_int_equal(t->reversed ? j->b : j->a, t->parent);
            assert_int_equal(t->kind, j->kind);
            assert_int_equal(j->cut == 1, 0);
        }
        assert_int_equal(t->f, t->motion >= 0 ? 0 : t->nu);
        if (t->motion < 0) {
            assert_int_equal(t->iq, nq), assert_int_equal(t->iu, nu);
            nq += t->nq, nu += t->nu;
        }
    }
    assert_int_equal(p->nq, nq), assert_int_equal(p->nu, nu);
    free(place);
}

/* loops = joints - bodies + components, over the graph of bodies, ground and implicit free joints */
static void check_loops(const clv_plan *p)
{
    const clv_model *m = p->model;
    int *set = malloc(((size_t)m->nbody + 1) * sizeof(int)), loops = 0, closing = 0;
    for (int i = 0; i <= m->nbody; i++)
        set[i] = i;
    for (int j = 0; j < m->njoint; j++) {
        if (clv_joint_table[m->joint[j].kind].nc == 0)
            continue;
        int a = m->joint[j].a < 0 ? m->nbody : m->joint[j].a, b = m->joint[j].b < 0 ? m->nbody : m->joint[j].b;
        if (find(set, a) == find(set, b))
            loops++;
        set[find(set, a)] = find(set, b);
    }
    for (int j = 0; j < m->njoint; j++) {
        bool tree = p->child_of_joint[j] >= 0, none = clv_joint_table[m->joint[j].kind].nc == 0;
        assert_int_equal(p->closing[j], !tree && !none);
        closing += p->closing[j];
    }
    assert_int_equal(p->nclosing, closing);
    assert_true(closing >= loops); /* more where hints or constraints leave bodies to implicit free joints */
    int implicit = 0, free_tree = 0;
    for (int b = 0; b < p->nbody; b++)
        implicit += p->tree[b].joint < 0, free_tree += p->tree[b].joint >= 0 && p->tree[b].detached;
    int components = 0;
    for (int i = 0; i <= m->nbody; i++)
        components += find(set, i) == i;
    assert_int_equal(closing - loops, implicit + free_tree - (components - 1));
    free(set);
}

/* strands partition the bodies along tree joints; slots are unique and in their strand's group */
static void check_strands(const clv_plan *p)
{
    int *strand = numbers(p->nbody, -1), *used = numbers(CLV_GROUP * p->nrow, 0), filled = 0, limbs = 0, branches = 0;
    for (int k = 0; k < p->nstrand; k++) {
        const clv_strand *s = &p->strand[k];
        const clv_group *g = &p->group[s->group];
        assert_int_equal(s->first, filled);
        assert_true(s->length >= 1 && s->length <= g->nrow);
        assert_int_equal(g->strand[s->lane], k);
        assert_int_equal(g->level, s->level);
        assert_int_equal(clv_strand_tip(p, k), s->lane < g->ncolumns);
        assert_int_equal(s->columns, s->tip_port && !(s->length == 1 && s->base == CLV_BASE_FREE));
        limbs += !(s->base_port || s->tip_port), branches += s->base_port || s->tip_port;
        assert_int_equal(s->part >= 0, s->base_port || s->tip_port);
        for (int i = 0; i < s->length; i++, filled++) {
            int b = p->bodies[filled], row = g->row + i;
            const clv_tree_joint *t = &p->tree[b];
            assert_int_equal(strand[b], -1);
            strand[b] = k;
            assert_int_equal(p->slot[b], CLV_GROUP * row + s->lane);
            assert_int_equal(used[p->slot[b]]++, 0);
            if (i > 0) {
                assert_int_equal(t->parent, p->bodies[filled - 1]);
                assert_true(t->edge < 0 && !t->detached);
            }
            if (!(i == 0 && s->base == CLV_BASE_FREE))
                assert_true(p->row_f[row] >= t->f);
        }
    }
    assert_int_equal(filled, p->nbody);
    assert_int_equal(limbs, p->nlimb), assert_int_equal(branches, p->nbranch);
    for (int k = 0; k < p->nstrand; k++) {
        const clv_strand *s = &p->strand[k];
        const clv_tree_joint *t = &p->tree[p->bodies[s->first]];
        assert_int_equal(s->base == CLV_BASE_FREE, t->edge >= 0 || t->detached);
        assert_int_equal(s->base_port, t->edge >= 0);
        if (s->base == CLV_BASE_GROUND)
            assert_int_equal(t->parent, -1);
        if (s->base == CLV_BASE_FOLD) {
            assert_true(!s->base_port && !s->tip_port);
            assert_int_equal(p->fold_slot[k], p->slot[t->parent]);
            assert_true(p->strand[strand[t->parent]].level > s->level);
        } else
            assert_int_equal(p->fold_slot[k], -1);
    }
    int row = 0;
    for (int g = 0; g < p->ngroup; g++) {
        assert_int_equal(p->group[g].row, row);
        row += p->group[g].nrow;
        if (g > 0)
            assert_true(p->group[g].level >= p->group[g - 1].level);
    }
    assert_int_equal(row, p->nrow);
    for (int r = 0; r < p->nrow; r++)
        assert_int_equal(p->row_H[r + 1] - p->row_H[r], p->row_f[r]);
    free(strand), free(used);
}

static int part_of_body(const clv_plan *p, const int *strand, const int *up, int body, int part)
{
    int k = strand[body] >= 0 ? p->strand[strand[body]].part : -1;
    while (k >= 0 && k != part)
        k = up[k];
    return k;
}

/* Every edge closed in one node, and in the first that holds all its bodies; ports are the bodies that open edges hold.
 */
static void check_assembly(const clv_plan *p)
{
    int *up = numbers(p->npart, -1), *strand = numbers(p->nbody, -1), *closed = numbers(p->nedge, 0),
        *open = numbers(p->nbody, 0);
    int nsigma = 0, nclosing_row = 0, ports = 0, rows = 0, depth = 0, ntree = 0;
    bool tree_edges = false;
    for (int k = 0; k < p->nstrand; k++)
        for (int i = 0; i < p->strand[k].length; i++)
            strand[p->bodies[p->strand[k].first + i]] = k;
    int *edge_of = numbers(p->model->njoint + p->model->ncoupling, 0);
    for (int e = 0; e < p->nedge; e++) {
        const clv_edge *edge = &p->edge[e];
        assert_int_equal(edge->row, nsigma);
        nsigma += edge->m;
        tree_edges |= edge->tree_body >= 0, ntree += edge->tree_body >= 0;
        if (edge->tree_body >= 0) {
            assert_int_equal(p->tree[edge->tree_body].edge, e);
            assert_int_equal(edge->body[0], edge->tree_body);
            assert_int_equal(edge->m, 6 - p->tree[edge->tree_body].f);
        } else {
            assert_false(tree_edges); /* closings first */
            nclosing_row = nsigma;
            assert_true((edge->joint >= 0) != (edge->coupling >= 0));
            edge_of[edge->joint >= 0 ? edge->joint : p->model->njoint + edge->coupling]++;
        }
        assert_in_range(edge->nhandle, 1, CLV_HANDLES);
        for (int h = 0; h < edge->nhandle; h++)
            open[edge->body[h]]++;
    }
    for (int j = 0; j < p->model->njoint; j++)
        assert_int_equal(edge_of[j], p->closing[j]);
    for (int k = 0; k < p->model->ncoupling; k++)
        assert_int_equal(edge_of[p->model->njoint + k], 1);
    assert_int_equal(nsigma, p->nsigma), assert_int_equal(nclosing_row, p->nclosing_row);
    for (int k = 0; k < p->npart; k++)
        for (int c = 0; c < 2; c++)
            if (p->part[k].child[c] >= 0) {
                assert_true(p->part[k].child[c] < k);
                assert_int_equal(up[p->part[k].child[c]], -1);
                up[p->part[k].child[c]] = k;
            }
    for (int k = 0; k < p->npart; k++)
        for (int i = k - p->part[k].npetal; i < k; i++) {
            assert_true(p->part[i].petal && p->part[i].hub == p->part[k].hub);
            assert_true(p->part[i].nport == 0 && p->part[i].depth < p->part[k].depth);
            assert_int_equal(up[i], -1);
            up[i] = k;
        }
    for (int k = 0; k < p->npart; k++) {
        const clv_part *q = &p->part[k];
        int m = 0;
        for (int i = 0; i < q->nedge; i++) {
            int e = p->edges_of[q->edge + i];
            const clv_edge *edge = &p->edge[e];
            assert_int_equal(closed[e]++, 0);
            assert_int_equal(edge->node, k);
            m += edge->m;
            int inner = -1;
            for (int h = 0; h < edge->nhandle; h++) {
                int body = edge->body[h], child = -1;
                if (q->petal && body == q->hub) { /* it lies in the part that the petals are taken up into */
                    assert_int_equal(part_of_body(p, strand, up, body, up[k]), up[k]);
                    inner = -2, open[body]--;
                    continue;
                }
                assert_int_equal(part_of_body(p, strand, up, body, k), k);
                for (int c = 0; c < 2; c++)
                    if (q->child[c] >= 0 && part_of_body(p, strand, up, body, q->child[c]) == q->child[c])
                        child = q->child[c];
                assert_true(child >= 0);
                inner = inner != -2 && (h == 0 || inner == child) ? child : -2;
                open[body]--;
            }
            if (inner >= 0) /* one child holds it all: only where that child is a strand */
                assert_true(p->part[inner].strand >= 0);
        }
        assert_int_equal(m, q->m);
        for (int i = 0; i < q->nport; i++) {
            assert_true(open[p->ports[q->port + i]] > 0);
            for (int j = 0; j < i; j++)
                assert_int_not_equal(p->ports[q->port + i], p->ports[q->port + j]);
        }
        if (up[k] < 0)
            assert_int_equal(q->nport, 0);
        ports = q->nport > ports ? q->nport : ports, rows = m > rows ? m : rows,
        depth = q->depth > depth ? q->depth : depth;
    }
    for (int e = 0; e < p->nedge; e++)
        assert_int_equal(closed[e], 1);
    assert_int_equal(p->max_rows, rows), assert_int_equal(p->depth, depth);
    assert_true(p->max_port <= ports);
    free(up), free(strand), free(closed), free(open), free(edge_of);
}

static clv_plan *plan_with(const clv_model *m, clv_plan_options o)
{
    clv_plan *p;
    clv_error e;
    clv_status st = clv_plan_create(&p, m, &o, &e);
    if (st != CLV_OK)
        print_error("%s\n", e.message);
    assert_int_equal(st, CLV_OK);
    return p;
}

static void check_plan(const clv_plan *p)
{
    check_tree(p), check_loops(p), check_strands(p), check_assembly(p);
}

/* absolute: six freedoms a body, every joint an edge; the loops are those of the model */
static void check_absolute(const clv_model *m)
{
    clv_plan *p = plan_with(m, (clv_plan_options){.absolute = true}), *tree = plan_with(m, (clv_plan_options){0});
    assert_int_equal(p->nu, 6 * m->nbody), assert_int_equal(p->nq, 7 * m->nbody);
    assert_int_equal(p->nclosing, m->njoint), assert_int_equal(p->nloop, tree->nloop);
    assert_int_equal(p->nu - p->nclosing_row, tree->nu - tree->nclosing_row);
    for (int b = 0; b < m->nbody; b++)
        assert_true(p->tree[b].detached && p->tree[b].joint < 0 && p->tree[b].parent < 0 && p->tree[b].motion < 0);
    for (int j = 0; j < m->njoint; j++) {
        const clv_edge *e = &p->edge[p->edge_of_joint[j]];
        assert_int_equal(p->child_of_joint[j], -1);
        assert_int_equal(e->joint, j), assert_int_equal(e->tree_body, -1);
        assert_int_equal(e->m, clv_joint_table[m->joint[j].kind].nc + (e->motion >= 0));
        if (e->motion >= 0)
            assert_int_equal(m->motion[e->motion].joint, j);
    }
    check_strands(p), check_assembly(p);
    clv_plan_destroy(p), clv_plan_destroy(tree);
}

/* Plans with every option, checks each, and gives back the plan without options. */
static clv_plan *checked(const clv_model *m)
{
    check_absolute(m);
    static const clv_plan_options option[5] = {{.target = 0, .edges = false},
                                               {.target = 0, .edges = true},
                                               {.target = 2, .edges = false},
                                               {.target = 3, .edges = false},
                                               {.target = 5, .edges = true}};
    for (int k = 4;; k--) {
        clv_plan *p = plan_with(m, option[k]);
        check_plan(p);
        if (k == 0)
            return p;
        clv_plan_destroy(p);
    }
}

static void done(clv_plan *p, clv_model *m)
{
    clv_plan_destroy(p);
    clv_model_destroy(m);
}

/* ------------------------------------------------------------------ graphs */

/* n bodies in a row from `from` (a body or ground) with the first joint at (x, y); returns the last body */
static int row_of(clv_model *m, int from, int n, double x, double y, const char *branch)
{
    for (int i = 0; i < n; i++) {
        int b = graph_body_in(m, x + i + 0.5, y, 0, branch);
        graph_joint(m, CLV_JOINT_REVOLUTE, from, b, x + i, y, 0);
        from = b;
    }
    return from;
}

static clv_model *chain(int n)
{
    clv_model *m = graph_create();
    row_of(m, CLV_GROUND, n, 0, 0, NULL);
    return graph_finish(m);
}

static clv_model *star(int n)
{
    clv_model *m = graph_create();
    int hub = row_of(m, CLV_GROUND, 1, 0, 0, NULL);
    for (int i = 0; i < n; i++)
        row_of(m, hub, 2, 1, i, NULL);
    return graph_finish(m);
}

/* loops of three bodies that start and end on one hub */
static clv_model *flower(int n)
{
    clv_model *m = graph_create();
    int hub = row_of(m, CLV_GROUND, 1, 0, 0, NULL);
    for (int i = 0; i < n; i++) {
        int tip = row_of(m, hub, 3, 1, i, NULL);
        graph_joint(m, CLV_JOINT_REVOLUTE, tip, hub, 4, i, 0);
    }
    return graph_finish(m);
}

/* bars b0, b1, ... on ground, neighbours joined at their tops by a rung: n windows, pinned to ground everywhere */
static clv_model *ladder(int n)
{
    clv_model *m = graph_create();
    int last = -1;
    for (int i = 0; i <= n; i++) {
        int post = graph_body(m, i, 0.5, 0);
        graph_joint(m, CLV_JOINT_REVOLUTE, CLV_GROUND, post, i, 0, 0);
        if (i > 0) {
            int rung = graph_body(m, i - 0.5, 1, 0);
            graph_joint(m, CLV_JOINT_REVOLUTE, last, rung, i - 1, 1, 0);
            graph_joint(m, CLV_JOINT_REVOLUTE, rung, post, i, 1, 0);
        }
        last = post;
    }
    return graph_finish(m);
}

/* n x n bodies, neighbours joined, one corner on ground */
static clv_model *net(int n, clv_joint_kind along, clv_joint_kind across)
{
    clv_model *m = graph_create();
    for (int i = 0; i < n * n; i++)
        graph_body(m, i % n, i / n, 0);
    graph_joint(m, CLV_JOINT_SPHERICAL, CLV_GROUND, 0, -0.5, 0, 0);
    for (int i = 0; i < n * n; i++) {
        if (i % n + 1 < n)
            graph_joint(m, along, i, i + 1, i % n + 0.5, i / n, 0);
        if (i / n + 1 < n)
            graph_joint(m, across, i, i + n, i % n, i / n + 0.5, 0);
    }
    return graph_finish(m);
}

static clv_model *ring(int n)
{
    clv_model *m = graph_create();
    for (int i = 0; i < n; i++)
        graph_body(m, i + 0.5, 0, 0);
    for (int i = 0; i < n; i++)
        graph_joint(m, CLV_JOINT_REVOLUTE, i, (i + 1) % n, i, 0, 0);
    return graph_finish(m);
}

/* ------------------------------------------------------------------ cases */

static void chain_of_any_length(void **state)
{
    (void)state;
    static const int n[9] = {1, 2, 3, 127, 255, 256, 1000, 1024, 5000};
    for (int i = 0; i < 9; i++) {
        clv_model *m = chain(n[i]);
        clv_plan *p = checked(m);
        assert_int_equal(p->nloop, 0), assert_int_equal(p->nclosing_row, 0);
        assert_true(p->max_port <= 2);
        if (n[i] < 256)
            assert_int_equal(p->nstrand, 1);
        else /* pieces of nearly equal length, as many as lanes where there are that many */
            for (int k = 0; k < p->nstrand; k++)
                assert_in_range(p->strand[k].length, n[i] / p->nstrand, n[i] / p->nstrand + 1);
        if (n[i] >= 1024)
            assert_int_equal(p->nstrand % 8, 0);
        done(p, m);
    }
}

static void check_pieces(clv_model *m, int pieces)
{
    clv_plan *p = plan_with(m, (clv_plan_options){.lanes = true});
    check_plan(p);
    assert_int_equal(p->nstrand, pieces);
    done(p, m);
}

/* For rows, runs from 32 bodies on are cut, four pieces or eight in all; not beside many others, nor with loops. */
static void shorter_runs_fill_lanes(void **state)
{
    (void)state;
    static const int n[5] = {31, 32, 64, 255, 256}, pieces[5] = {1, 4, 4, 4, 8};
    for (int i = 0; i < 5; i++)
        check_pieces(chain(n[i]), pieces[i]);
    for (int arms = 2; arms <= 8; arms += 6) { /* of 64 on one hub; of two, the hub ends a strand of its own */
        clv_model *m = graph_create();
        const int hub = row_of(m, CLV_GROUND, 1, 0, 0, NULL);
        for (int i = 0; i < arms; i++)
            row_of(m, hub, 64, 1, i, NULL);
        check_pieces(graph_finish(m), arms == 2 ? 5 : 8);
    }
    clv_model *m = ring(64);
    clv_plan *p = plan_with(m, (clv_plan_options){0});
    const int strands = p->nstrand;
    done(p, NULL);
    check_pieces(m, strands);
}

static void options_edges_and_target(void **state)
{
    (void)state;
    clv_model *m = chain(20);
    for (int target = 2; target <= 7; target++) {
        clv_plan *p = plan_with(m, (clv_plan_options){.target = target});
        check_plan(p);
        for (int k = 0; k < p->nstrand; k++)
            assert_true(p->strand[k].length <= target);
        done(p, NULL);
    }
    clv_plan *p = plan_with(m, (clv_plan_options){.edges = true});
    check_plan(p);
    assert_int_equal(p->nedge, 20), assert_int_equal(p->nstrand, 20), assert_int_equal(p->nsigma, 100);
    for (int b = 0; b < 20; b++)
        assert_true(p->tree[b].edge >= 0);
    done(p, m);
    m = flower(5);
    p = plan_with(m, (clv_plan_options){.edges = true, .target = 2});
    check_plan(p);
    assert_int_equal(p->nedge, m->njoint);
    done(p, m);
}

static void star_of_1000_limbs_folds(void **state)
{
    (void)state;
    clv_model *m = star(1000);
    clv_plan *p = checked(m);
    assert_int_equal(p->npart, 0);
    assert_int_equal(p->nstrand, 1000); /* one of them goes on through the hub */
    done(p, m);
}

static void hub_of_1000_branches(void **state)
{
    (void)state;
    clv_model *m = star(1000);
    clv_plan *p = plan_with(m, (clv_plan_options){.edges = true});
    check_plan(p);
    assert_true(p->max_port <= 2);
    done(p, m);
}

static void flower_of_200_petals(void **state)
{
    (void)state;
    clv_model *m = flower(200);
    clv_plan *p = checked(m);
    assert_int_equal(p->nloop, 200);
    printf("200 petals: max_port %d, max_rows %d, depth %d, nodes %d\n", p->max_port, p->max_rows, p->depth, p->npart);
    assert_true(p->max_port <= 3);
    assert_true(p->max_rows <= 40);
    assert_true(p->depth <= 5); /* not 201: petals are taken up all together */
    done(p, m);
}

/* Few petals stay nodes; parts that ground or a second body holds are none. */
static void petals_are_many_and_float(void **state)
{
    (void)state;
    for (int n = 7; n <= 12; n += 5) {
        clv_model *m = flower(n);
        clv_plan *p = checked(m);
        int taken = 0;
        for (int k = 0; k < p->npart; k++)
            taken += p->part[k].npetal;
        assert_true(n < 8 ? taken == 0 : taken >= n - 1); /* the first one may be joined to the hub piece by piece */
        done(p, m);
    }
    clv_model *m = graph_create(); /* legs on ground, a ring of two bodies beside each other on the hub */
    const int hub = row_of(m, CLV_GROUND, 1, 0, 0, NULL);
    int last = -1;
    for (int i = 0; i < 12; i++) {
        const int tip = row_of(m, hub, 3, 1, i, NULL);
        if (i % 2)
            graph_joint(m, CLV_JOINT_REVOLUTE, tip, CLV_GROUND, 4, i, 0);
        else if (last >= 0)
            graph_joint(m, CLV_JOINT_REVOLUTE, tip, last, 4, i, 0);
        last = i % 2 ? last : tip;
    }
    clv_plan *p = checked(graph_finish(m));
    for (int k = 0; k < p->npart; k++)
        assert_true(!p->part[k].petal && p->part[k].npetal == 0);
    done(p, m);
}

static void single_nested_and_coupled_loops(void **state)
{
    (void)state;
    clv_model *m = graph_create(); /* single: between ground and ground */
    int tip = row_of(m, CLV_GROUND, 4, 0, 0, NULL);
    graph_joint(m, CLV_JOINT_REVOLUTE, tip, CLV_GROUND, 4, 0, 0);
    clv_plan *p = checked(graph_finish(m));
    assert_int_equal(p->nloop, 1);
    /* cut in the middle: no tree path is longer than half the loop */
    for (int k = 0; k < p->nstrand; k++)
        assert_true(p->strand[k].length <= 2);
    done(p, m);
    m = graph_create(); /* single: through one moving body twice */
    int base = row_of(m, CLV_GROUND, 3, 0, 0, NULL);
    tip = row_of(m, base, 5, 3, 0, NULL);
    graph_joint(m, CLV_JOINT_SPHERICAL, tip, base, 8, 0, 0);
    p = checked(graph_finish(m));
    assert_int_equal(p->nloop, 1);
    done(p, m);
    m = graph_create(); /* nested: 1-2-3-4-5-6 closed 6-1, 5-2, 4-3 (a second joint between neighbours) */
    tip = row_of(m, CLV_GROUND, 6, 0, 0, NULL);
    graph_joint(m, CLV_JOINT_SPHERICAL, 5, 0, 6, 0, 0);
    graph_joint(m, CLV_JOINT_SPHERICAL, 4, 1, 6, 1, 0);
    graph_joint(m, CLV_JOINT_POINT, 3, 2, 6, 2, 0);
    p = checked(graph_finish(m));
    assert_int_equal(p->nloop, 3);
    done(p, m);
    m = graph_create(); /* coupled: two windows with a body in common */
    int a = row_of(m, CLV_GROUND, 3, 0, 0, NULL), b = row_of(m, CLV_GROUND, 3, 0, 1, NULL);
    graph_joint(m, CLV_JOINT_REVOLUTE, a, b, 3, 0.5, 0);
    graph_joint(m, CLV_JOINT_REVOLUTE, a - 1, b - 1, 2, 0.5, 0);
    graph_joint(m, CLV_JOINT_DISTANCE, a - 2, b - 1, 1, 0.5, 0);
    p = checked(graph_finish(m));
    assert_int_equal(p->nloop, 3);
    done(p, m);
}

static void ring_without_ground_floats(void **state)
{
    (void)state;
    for (int n = 3; n <= 400; n = 2 * n + 1) {
        clv_model *m = ring(n);
        clv_plan *p = checked(m);
        int floating = 0;
        for (int b = 0; b < n; b++)
            floating += p->tree[b].joint < 0;
        assert_int_equal(floating, 1);
        assert_int_equal(p->nloop, 1);
        assert_int_equal(p->nq, n - 1 + 7);
        done(p, m);
    }
}

static void forest_of_chains(void **state)
{
    (void)state;
    clv_model *m = graph_create();
    for (int i = 0; i < 50; i++)
        row_of(m, CLV_GROUND, 1 + i % 7, 0, i, NULL);
    row_of(m, graph_body(m, 0, 0, 9), 3, 1, 99, NULL); /* one floats */
    clv_plan *p = checked(graph_finish(m));
    assert_int_equal(p->npart, 0), assert_int_equal(p->nstrand, 51);
    assert_true(p->ngroup <= 8); /* eight congruent strands to a group */
    done(p, m);
}

static void forest_of_loops(void **state)
{
    (void)state;
    clv_model *m = graph_create();
    for (int i = 0; i < 40; i++) {
        int tip = row_of(m, CLV_GROUND, 3, 0, i, NULL);
        graph_joint(m, CLV_JOINT_REVOLUTE, tip, CLV_GROUND, 3, i, 0);
    }
    clv_plan *p = checked(graph_finish(m));
    assert_int_equal(p->nloop, 40);
    assert_true(p->max_port <= 2 && p->max_rows <= 5); /* nothing is shared: no part of two loops */
    done(p, m);
}

static void ladder_of_1000_loops_is_a_chain(void **state)
{
    (void)state;
    for (int n = 1; n <= 1000; n *= 10) {
        clv_model *m = ladder(n);
        clv_plan *p = checked(m);
        assert_int_equal(p->nloop, n);
        printf("ladder of %d windows: max_port %d, max_rows %d, depth %d\n", n, p->max_port, p->max_rows, p->depth);
        assert_true(p->max_port <= 2);
        done(p, m);
    }
}

static void net_of_12_by_12(void **state)
{
    (void)state;
    clv_model *m = net(12, CLV_JOINT_SPHERICAL, CLV_JOINT_SPHERICAL);
    clv_plan *p = checked(m);
    assert_int_equal(p->nloop, 121);
    printf("net 12 x 12 spherical: max_port %d, max_rows %d, depth %d\n", p->max_port, p->max_rows, p->depth);
    assert_true(p->max_port <= 4 * 12);
    done(p, m);
    m = net(12, CLV_JOINT_REVOLUTE, CLV_JOINT_SPHERICAL);
    p = checked(m);
    assert_int_equal(p->nloop, 121);
    done(p, m);
}

static void cut_hints_are_obeyed(void **state)
{
    (void)state;
    for (int cut = 0; cut < 5; cut++) { /* every joint of a loop in turn: cut there, or all others kept */
        clv_model *m = graph_create(), *k = graph_create();
        for (int i = 0; i < 4; i++)
            graph_body(m, i, 0, 0), graph_body(k, i, 0, 0);
        for (int i = 0; i < 5; i++) {
            const double at[3] = {i - 0.5, 0, 0};
            graph_joint_cut(m, CLV_JOINT_REVOLUTE, i ? i - 1 : CLV_GROUND, i < 4 ? i : CLV_GROUND, at, NULL,
                            i == cut ? 1 : -1);
            graph_joint_cut(k, CLV_JOINT_REVOLUTE, i ? i - 1 : CLV_GROUND, i < 4 ? i : CLV_GROUND, at, NULL,
                            i == cut ? -1 : 0);
        }
        clv_plan *pm = checked(graph_finish(m)), *pk = checked(graph_finish(k));
        for (int i = 0; i < 5; i++) {
            assert_int_equal(pm->closing[i], i == cut);
            assert_int_equal(pk->closing[i], i == cut);
        }
        done(pm, m), done(pk, k);
    }
}

static void all_joints_cut(void **state)
{
    (void)state;
    clv_model *m = graph_create();
    for (int i = 0; i < 6; i++)
        graph_body(m, i, 0, 0);
    for (int i = 0; i < 7; i++) {
        const double at[3] = {i - 0.5, 0, 0};
        graph_joint_cut(m, CLV_JOINT_REVOLUTE, i ? i - 1 : CLV_GROUND, i < 6 ? i : CLV_GROUND, at, NULL, 1);
    }
    clv_plan *p = checked(graph_finish(m));
    assert_int_equal(p->nclosing, 7), assert_int_equal(p->nu, 36);
    for (int b = 0; b < 6; b++)
        assert_true(p->tree[b].joint < 0 && p->tree[b].detached);
    done(p, m);
}

/* A loop where the driven joint would be cut by depth alone: motions, couplings and joint loads need its coordinate. */
static void joints_with_coordinates_stay_in_the_tree(void **state)
{
    (void)state;
    for (int what = 0; what < 3; what++)
        for (int which = 0; which < 5; which++) {
            clv_model *m = graph_create();
            int tip = row_of(m, CLV_GROUND, 4, 0, 0, NULL);
            graph_joint(m, CLV_JOINT_REVOLUTE, tip, CLV_GROUND, 4, 0, 0);
            if (what == 0) {
                clv_motion_desc d = clv_motion_desc_default();
                d.name = "drive", d.joint = which, d.rate = 1;
                graph_check(m, clv_model_add_motion(m, NULL, &d));
            } else if (what == 1) {
                clv_coupling_desc d = clv_coupling_desc_default();
                d.name = "gear", d.first = which, d.second = (which + 2) % 5, d.ratio = -2;
                graph_check(m, clv_model_add_coupling(m, NULL, &d));
            } else {
                clv_force_desc d = clv_force_desc_default(CLV_FORCE_JOINT);
                d.name = "spring", d.joint = which, d.stiffness = 1;
                graph_check(m, clv_model_add_force(m, NULL, &d));
            }
            clv_plan *p = checked(graph_finish(m));
            assert_false(p->closing[which]);
            if (what == 0) {
                assert_int_equal(p->tree[p->child_of_joint[which]].motion, 0);
                assert_int_equal(p->nu, 3);
            }
            if (what == 1)
                assert_false(p->closing[(which + 2) % 5]);
            done(p, m);
        }
}

static void motion_on_a_cut_joint_is_refused(void **state)
{
    (void)state;
    clv_model *m = graph_create();
    const double at[3] = {2, 0, 0};
    int tip = row_of(m, CLV_GROUND, 2, 0, 0, NULL);
    graph_joint_cut(m, CLV_JOINT_REVOLUTE, tip, CLV_GROUND, at, NULL, 1);
    clv_motion_desc d = clv_motion_desc_default();
    d.name = "drive", d.joint = 2, d.rate = 1;
    graph_check(m, clv_model_add_motion(m, NULL, &d));
    graph_finish(m);
    clv_plan *p;
    clv_error e;
    assert_int_equal(clv_plan_create(&p, m, NULL, &e), CLV_ERR_UNSUPPORTED);
    assert_null(p);
    assert_string_equal(e.joint, "j2");
    assert_non_null(strstr(e.message, "drive"));
    assert_true(e.hint[0] != '\0');
    clv_model_destroy(m);
}

/* ------------------------------------------------------------------ user branches */

/* is some part exactly these bodies, limbs that fold into it included?  (or, without any port, a tree that no edge
 * touches) */
static bool branch_is_a_part(const clv_plan *p, int branch)
{
    int *strand = numbers(p->nbody, -1), *up = numbers(p->npart, -1), *host = numbers(p->nstrand, -1);
    bool found = false;
    for (int k = 0; k < p->nstrand; k++)
        for (int i = 0; i < p->strand[k].length; i++)
            strand[p->bodies[p->strand[k].first + i]] = k;
    for (int k = 0; k < p->npart; k++)
        for (int c = 0; c < 2; c++)
            if (p->part[k].child[c] >= 0)
                up[p->part[k].child[c]] = k;
    for (int k = 0; k < p->nstrand; k++)
        for (host[k] = k; p->strand[host[k]].base == CLV_BASE_FOLD;)
            host[k] = strand[p->tree[p->bodies[p->strand[host[k]].first]].parent];
    bool alone = true;
    for (int b = 0; b < p->nbody; b++)
        alone &= p->model->body[b].branch != branch || p->strand[host[strand[b]]].part < 0;
    for (int part = 0; part < p->npart && !found; part++) {
        found = true;
        for (int b = 0; b < p->nbody; b++) {
            int k = p->strand[host[strand[b]]].part;
            while (k >= 0 && k != part)
                k = up[k];
            found &= (k == part) == (p->model->body[b].branch == branch);
        }
    }
    free(strand), free(up), free(host);
    return found || alone;
}

static void check_branches(const clv_model *m)
{
    static const clv_plan_options option[3] = {
        {.target = 0, .edges = false}, {.target = 2, .edges = false}, {.target = 0, .edges = true}};
    for (int o = 0; o < 3; o++) {
        clv_plan *p = plan_with(m, option[o]);
        check_plan(p);
        for (int k = 0; k < m->nbranch; k++)
            assert_true(branch_is_a_part(p, k));
        clv_plan_destroy(p);
    }
}

static void user_branches_are_nodes(void **state)
{
    (void)state;
    clv_model *m = graph_create(); /* one chain in four named pieces */
    static const char *const name[4] = {"shoulder", "upper", "lower", "hand"};
    int tip = CLV_GROUND;
    for (int k = 0; k < 4; k++)
        tip = row_of(m, tip, 3 + k, 10 * k, 0, name[k]);
    check_branches(graph_finish(m));
    clv_model_destroy(m);
    m = graph_create(); /* tree: trunk, three limbs, twigs inside one of them; half the bodies in no branch */
    int trunk = row_of(m, CLV_GROUND, 4, 0, 0, "trunk"), limb = row_of(m, trunk, 5, 4, 1, "limb");
    row_of(m, limb - 2, 3, 4, 2, "limb"), row_of(m, limb - 3, 1, 4, 3, "limb");
    row_of(m, trunk - 1, 6, 4, 4, NULL), row_of(m, trunk, 6, 4, 5, "other");
    check_branches(graph_finish(m));
    clv_model_destroy(m);
}

static void user_branches_with_loops_are_nodes(void **state)
{
    (void)state;
    clv_model *m =
        graph_create(); /* a loop inside a branch, a loop through two branches, one from a branch to ground */
    int a = row_of(m, CLV_GROUND, 6, 0, 0, "left"), b = row_of(m, CLV_GROUND, 7, 0, 1, "right");
    graph_joint(m, CLV_JOINT_REVOLUTE, a, a - 4, 6, 0, 0);
    graph_joint(m, CLV_JOINT_SPHERICAL, a, b, 6, 0.5, 0);
    graph_joint(m, CLV_JOINT_SPHERICAL, b - 2, CLV_GROUND, 6, 1, 0);
    int c = row_of(m, b, 4, 9, 1, "tool");
    graph_joint(m, CLV_JOINT_SPHERICAL, c, a - 1, 9, 0, 0);
    check_branches(graph_finish(m));
    clv_model_destroy(m);
    m = graph_create(); /* a ladder named in three lengths of windows */
    static const char *const name[3] = {"near", "middle", "far"};
    int last = -1;
    for (int i = 0; i <= 30; i++) {
        const char *part = name[i / 11];
        int post = graph_body_in(m, i, 0.5, 0, part);
        graph_joint(m, CLV_JOINT_REVOLUTE, CLV_GROUND, post, i, 0, 0);
        if (i > 0) {
            int rung = graph_body_in(m, i - 0.5, 1, 0, part);
            graph_joint(m, CLV_JOINT_REVOLUTE, last, rung, i - 1, 1, 0);
            graph_joint(m, CLV_JOINT_REVOLUTE, rung, post, i, 1, 0);
        }
        last = post;
    }
    check_branches(graph_finish(m));
    clv_model_destroy(m);
}

/* connected parts of random graphs as branches; one body in six begins a new one, or none */
static void random_branches_are_nodes(void **state)
{
    (void)state;
    random_stream s = {5};
    for (int k = 0; k < 300; k++) {
        clv_model *m = graph_create();
        int n = 2 + random_index(&s, 40), extra = random_index(&s, 12), label[64], labels = 0;
        int from[64];
        for (int i = 0; i < n; i++) {
            char name[16];
            from[i] = random_index(&s, i + 1) - 1;
            label[i] = from[i] >= 0 && !random_chance(&s, 0.16) ? label[from[i]]
                       : random_chance(&s, 0.3)                 ? -1
                                                                : labels++;
            snprintf(name, sizeof name, "part%d", label[i]);
            graph_body_in(m, i, 0, 0, label[i] < 0 ? NULL : name);
        }
        for (int i = 0; i < n + extra; i++) {
            int b = i < n ? i : random_index(&s, n), a = i < n ? from[i] : random_index(&s, n + 1) - 1;
            if (a != b)
                graph_joint(m, random_chance(&s, 0.5) ? CLV_JOINT_REVOLUTE : CLV_JOINT_SPHERICAL, a, b, i, 0, 0);
        }
        check_branches(graph_finish(m));
        clv_model_destroy(m);
    }
}

/* ------------------------------------------------------------------ random graphs, hash */

static void random_systems_of_every_topology(void **state)
{
    (void)state;
    for (int kind = 0; kind < RANDOM_KINDS; kind++)
        for (uint64_t seed = 0; seed < 40; seed++) {
            clv_model *m;
            assert_int_equal(random_system_create(seed, (random_kind)kind, 0, &m, NULL), CLV_OK);
            done(checked(m), m);
        }
}

/* any graph at all: bodies attached anywhere, joints between any two, hints and free joints among them */
static clv_model *random_graph(random_stream *s)
{
    clv_model *m = graph_create();
    int n = 1 + random_index(s, 40), extra = random_index(s, 25);
    for (int i = 0; i < n; i++)
        graph_body(m, random_normal(s), random_normal(s), random_normal(s));
    for (int i = 0; i < n + extra; i++) {
        static const clv_joint_kind kind[6] = {CLV_JOINT_REVOLUTE,  CLV_JOINT_SPHERICAL, CLV_JOINT_FIXED,
                                               CLV_JOINT_UNIVERSAL, CLV_JOINT_FREE,      CLV_JOINT_POINT};
        int b = i < n ? i : random_index(s, n), a = random_index(s, i < n ? i + 1 : n + 1) - 1;
        const double at[3] = {random_normal(s), random_normal(s), random_normal(s)};
        if (a == b || random_chance(s, 0.1))
            continue;
        int cut = random_chance(s, 0.2) ? 1 : -1;
        if (random_chance(s, 0.5)) {
            int t = a;
            a = b, b = t;
        }
        graph_joint_cut(m, kind[random_index(s, 6)], a, b, at, NULL, cut);
    }
    return graph_finish(m);
}

static void any_graph(void **state)
{
    (void)state;
    random_stream s = {11};
    for (int k = 0; k < 1500; k++) {
        clv_model *m = random_graph(&s);
        done(checked(m), m);
    }
}

static void equal_plans_have_equal_hashes(void **state)
{
    (void)state;
    long long hash[40];
    for (int k = 0; k < 40; k++) {
        clv_model *m, *again;
        random_kind kind = (random_kind)(k % RANDOM_KINDS);
        assert_int_equal(random_system_create((uint64_t)k, kind, 0, &m, NULL), CLV_OK);
        clv_plan *first = plan_with(m, (clv_plan_options){0});
        void *hole = malloc(12345); /* other addresses */
        assert_int_equal(random_system_create((uint64_t)k, kind, 0, &again, NULL), CLV_OK);
        clv_plan *second = plan_with(again, (clv_plan_options){0});
        free(hole);
        clv_plan *third = plan_with(m, (clv_plan_options){0});
        hash[k] = first->hash;
        assert_true(first->hash == second->hash && first->hash == third->hash);
        clv_plan_destroy(third);
        done(first, m), done(second, again);
        for (int i = 0; i < k; i++)
            assert_true(hash[i] != hash[k]);
    }
}

/* numbers of the model (masses, places) are not part of the plan */
static void hash_depends_on_the_graph_only(void **state)
{
    (void)state;
    clv_model *m = graph_create(), *n = graph_create();
    int tip_m = row_of(m, CLV_GROUND, 9, 0, 0, NULL), tip_n = row_of(n, CLV_GROUND, 9, 5, 7, NULL);
    graph_joint(m, CLV_JOINT_SPHERICAL, tip_m, 0, 9, 0, 0), graph_joint(n, CLV_JOINT_SPHERICAL, tip_n, 0, 1, 2, 3);
    clv_plan *p = plan_with(graph_finish(m), (clv_plan_options){0}),
             *q = plan_with(graph_finish(n), (clv_plan_options){0});
    assert_true(p->hash == q->hash);
    done(p, m), done(q, n);
}

/* ------------------------------------------------------------------ cost */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double plan_seconds(const clv_model *m)
{
    double best = 1e9, total = 0;
    for (int k = 0; k < 5 && total < 0.5; k++) {
        double start = seconds();
        clv_plan *p = plan_with(m, (clv_plan_options){0});
        double t = seconds() - start;
        best = t < best ? t : best, total += t;
        clv_plan_destroy(p);
    }
    return best;
}

static void cost(const char *name, clv_model *(*build)(int), int from, int to, double bound)
{
    double x[8], y[8];
    int k = 0;
    for (int n = from; n <= to; n = n * 10 / 3, k++) {
        clv_model *m = build(n);
        x[k] = m->nbody, y[k] = plan_seconds(m);
        clv_model_destroy(m);
    }
    double e = graph_exponent(x, y, k);
    printf("plan of %-8s %7.0f .. %7.0f bodies: %.3g .. %.3g ms, exponent %.2f\n", name, x[0], x[k - 1], 1e3 * y[0],
           1e3 * y[k - 1], e);
    assert_true(e < bound);
}

static clv_model *rings_on_ground(int n)
{
    clv_model *m = graph_create();
    for (int i = 0; i < n; i++) {
        int tip = row_of(m, CLV_GROUND, 3, 0, i, NULL);
        graph_joint(m, CLV_JOINT_REVOLUTE, tip, CLV_GROUND, 3, i, 0);
    }
    return graph_finish(m);
}

/* The bound is there to catch n^2; n log n and caches make 1.1 to 1.4, and processor times wander on a busy machine. */
static void plan_time_grows_like_n_log_n(void **state)
{
    (void)state;
    cost("chain", chain, 1000, 130000, 1.75);
    cost("ladder", ladder, 1000, 12000, 1.75);
    cost("star", star, 1000, 40000, 1.75);
    cost("flower", flower, 300, 12000, 1.75);
    cost("ring", ring, 1000, 40000, 1.75);
    cost("forest", rings_on_ground, 1000, 12000, 1.75);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_of_any_length),
        cmocka_unit_test(shorter_runs_fill_lanes),
        cmocka_unit_test(options_edges_and_target),
        cmocka_unit_test(star_of_1000_limbs_folds),
        cmocka_unit_test(hub_of_1000_branches),
        cmocka_unit_test(flower_of_200_petals),
        cmocka_unit_test(petals_are_many_and_float),
        cmocka_unit_test(single_nested_and_coupled_loops),
        cmocka_unit_test(ring_without_ground_floats),
        cmocka_unit_test(forest_of_chains),
        cmocka_unit_test(forest_of_loops),
        cmocka_unit_test(ladder_of_1000_loops_is_a_chain),
        cmocka_unit_test(net_of_12_by_12),
        cmocka_unit_test(cut_hints_are_obeyed),
        cmocka_unit_test(all_joints_cut),
        cmocka_unit_test(joints_with_coordinates_stay_in_the_tree),
        cmocka_unit_test(motion_on_a_cut_joint_is_refused),
        cmocka_unit_test(user_branches_are_nodes),
        cmocka_unit_test(user_branches_with_loops_are_nodes),
        cmocka_unit_test(random_branches_are_nodes),
        cmocka_unit_test(random_systems_of_every_topology),
        cmocka_unit_test(any_graph),
        cmocka_unit_test(equal_plans_have_equal_hashes),
        cmocka_unit_test(hash_depends_on_the_graph_only),
        cmocka_unit_test(plan_time_grows_like_n_log_n),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
