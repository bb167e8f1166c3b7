/* SPDX-License-Identifier: Apache-2.0
 * What every plan obeys: tree, loops, strands, assembly; plans made with these checks. */
#ifndef PLAN_LAWS_H
#define PLAN_LAWS_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "base/error.h"
#include "graph.h"
#include "math/lane.h"
#include "model/joint.h"
#include "plan/plan.h"

static inline int find(int *set, int i)
{
    while (set[i] != i)
        i = set[i] = set[set[i]];
    return i;
}

static inline void *numbers(int n, int value)
{
    int *v = malloc(((size_t)n + 1) * sizeof(int));
    for (int i = 0; i <= n; i++)
        v[i] = value;
    return v;
}

/* every body once, parents first, each over one joint that really joins the two */
static inline void check_tree(const clv_plan *p)
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
static inline void check_loops(const clv_plan *p)
{
    const clv_model *m = p->model;
    int *set = malloc(((size_t)m->nbody + 1) * sizeof(int)), loops = 0, closing = 0, loose = 0;
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
        assert_int_equal(p->closing[j], !tree);
        closing += !tree && !none, loose += !tree && none; /* loose: free joints, for their loads */
    }
    assert_int_equal(p->nclosing, closing + loose);
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
static inline void check_strands(const clv_plan *p)
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

static inline int part_of_body(const clv_plan *p, const int *strand, const int *up, int body, int part)
{
    int k = strand[body] >= 0 ? p->strand[strand[body]].part : -1;
    while (k >= 0 && k != part)
        k = up[k];
    return k;
}

/* Every edge closed in one node, and in the first that holds all its bodies; ports are the bodies that open edges hold.
 */
static inline void check_assembly(const clv_plan *p)
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

static inline clv_plan *plan_with(const clv_model *m, clv_plan_options o)
{
    clv_plan *p;
    clv_error e;
    clv_status st = clv_plan_create(&p, m, &o, &e);
    if (st != CLV_OK)
        print_error("%s\n", e.message);
    assert_int_equal(st, CLV_OK);
    return p;
}

static inline void check_plan(const clv_plan *p)
{
    check_tree(p), check_loops(p), check_strands(p), check_assembly(p);
}

/* absolute: six freedoms a body, every joint an edge; the loops are those of the model */
static inline void check_absolute(const clv_model *m)
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
static inline clv_plan *checked(const clv_model *m)
{
    check_absolute(m);
    static const clv_plan_options option[7] = {{.target = 0, .edges = false},
                                               {.target = 0, .edges = true},
                                               {.target = 2, .edges = false},
                                               {.target = 3, .edges = false},
                                               {.target = 5, .edges = true},
                                               {.dissected = true},
                                               {.edges = true, .dissected = true}};
    for (int k = 6;; k--) {
        clv_plan *p = plan_with(m, option[k]);
        check_plan(p);
        if (k == 0)
            return p;
        clv_plan_destroy(p);
    }
}

static inline void done(clv_plan *p, clv_model *m)
{
    clv_plan_destroy(p);
    clv_model_destroy(m);
}

#endif
