/* SPDX-License-Identifier: Apache-2.0
 * Plan: creation in four steps, grouping of congruent strands into lanes, hash. */
#include "plan/filling.h"
#include "plan/plan.h"
#include <stdint.h>
#include <stdlib.h>
#include "base/error.h"
#include "math/lane.h"

static clv_status allocate(clv_plan *p, clv_error *e)
{
    const clv_model *m = p->model;
    size_t n = (size_t)m->nbody + 1;
    p->tree = clv_alloc(n, sizeof *p->tree), p->order = clv_alloc(n, sizeof(int));
    p->closing = clv_alloc((size_t)m->njoint + 1, sizeof(bool));
    p->child_of_joint = clv_alloc((size_t)m->njoint + 1, sizeof(int));
    p->edge_of_joint = clv_alloc((size_t)m->njoint + 1, sizeof(int));
    p->armed = clv_alloc((size_t)m->njoint + 1, sizeof(int));
    p->strand = clv_alloc(n, sizeof *p->strand), p->bodies = clv_alloc(n, sizeof(int));
    p->slot = clv_alloc(n, sizeof(int)), p->group = clv_alloc(n, sizeof *p->group);
    p->fold_slot = clv_alloc(n, sizeof(int)), p->section_of = clv_alloc(n, sizeof(int));
    p->nstar = m->nflex, p->star = clv_alloc((size_t)m->nflex + 1, sizeof *p->star);
    for (int k = 0; p->star && k < m->nflex; k++)
        p->star[k].mode = p->nmode, p->nmode += m->flex[k].nmode;
    if (!p->star || !p->tree || !p->order || !p->closing || !p->child_of_joint || !p->edge_of_joint || !p->strand ||
        !p->bodies || !p->slot || !p->group || !p->fold_slot || !p->section_of || !p->armed)
        return clv_fail(e, CLV_ERR_MEMORY, "out of memory while planning");
    return CLV_OK;
}

static bool has_columns(const clv_strand *s) { return s->tip_port && !(s->length == 1 && s->base == CLV_BASE_FREE); }

typedef struct sortable {
    int level, apart, run, place, columns, length, strand;
} sortable;

static int compare(const void *x, const void *y)
{
    const sortable *a = x, *b = y;
    if (a->level != b->level)
        return a->level < b->level ? -1 : 1;
    if (a->apart != b->apart)
        return a->apart < b->apart ? -1 : 1;
    if (a->run != b->run)
        return a->run < b->run ? -1 : 1;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    if (a->columns != b->columns)
        return a->columns > b->columns ? -1 : 1;
    if (a->length != b->length)
        return a->length > b->length ? -1 : 1;
    return a->strand < b->strand ? -1 : 1;
}

/* strands that stand side by side have similar lengths, unless all are short */
static bool similar(int a, int b) { return (2 * a >= b && 2 * b >= a) || (a < 8 && b < 8); }

/* a long run has groups of its own */
static bool together(const sortable *a, const sortable *b)
{
    return a->level == b->level && a->apart == b->apart && a->run == b->run &&
           a->place / CLV_GROUP == b->place / CLV_GROUP;
}

/* Strands with columns come first in a group, so that strips of lanes without any need none; before others those in
 * series. */
static void fill_groups(clv_plan *p, const sortable *s)
{
    for (int i = 0; i < p->nstrand;) {
        clv_group *g = &p->group[p->ngroup];
        const sortable *first = &s[i];
        g->nrow = s[i].length, g->row = p->nrow, g->level = s[i].level;
        for (int l = 0; l < CLV_GROUP; l++)
            g->strand[l] = -1;
        for (; i < p->nstrand && g->nstrand < CLV_GROUP && together(&s[i], first) && similar(s[i].length, g->nrow);
             i++) {
            clv_strand *st = &p->strand[s[i].strand];
            g->strand[g->nstrand] = s[i].strand;
            st->group = p->ngroup, st->lane = g->nstrand++;
            g->ncolumns += s[i].columns > 0, g->nseries += st->series;
            g->nrow = s[i].length > g->nrow ? s[i].length : g->nrow;
        }
        p->nrow += g->nrow;
        p->ngroup++;
    }
}

clv_status clv_plan_groups(clv_plan *p, const clv_plan_options *o, clv_error *e)
{
    sortable *s = clv_alloc((size_t)p->nstrand + 1, sizeof *s);
    if (!s)
        return clv_fail(e, CLV_ERR_MEMORY, "out of memory while planning");
    for (int k = 0; k < p->nstrand; k++)
        p->strand[k].columns = has_columns(&p->strand[k]);
    for (int k = 0; k < p->nstrand; k++)
        s[k] = (sortable){p->strand[k].level,
                          o->apart ? p->section_of[p->bodies[p->strand[k].first]] : 0,
                          p->strand[k].run,
                          p->strand[k].place,
                          clv_strand_tip(p, k) + p->strand[k].series,
                          p->strand[k].length,
                          k};
    qsort(s, (size_t)p->nstrand, sizeof *s, compare);
    fill_groups(p, s);
    clv_free(s);
    p->row_f = clv_alloc((size_t)p->nrow + 1, sizeof(int));
    p->row_H = clv_alloc((size_t)p->nrow + 2, sizeof(int));
    if (!p->row_f || !p->row_H)
        return clv_fail(e, CLV_ERR_MEMORY, "out of memory while planning");
    for (int b = 0; b < p->nbody; b++)
        if (p->model->body[b].flex >= 0)
            p->slot[b] = -1;
    for (int k = 0; k < p->nstrand; k++) {
        const clv_strand *st = &p->strand[k];
        for (int i = 0; i < st->length; i++) {
            int b = p->bodies[st->first + i], row = p->group[st->group].row + i;
            p->slot[b] = CLV_GROUP * row + st->lane;
            int f = i == 0 && st->base == CLV_BASE_FREE ? 0 : p->tree[b].f;
            if (f > p->row_f[row])
                p->row_f[row] = f;
        }
    }
    for (int k = 0; k < p->nstrand; k++)
        if (p->strand[k].base == CLV_BASE_FOLD)
            p->fold_slot[k] = p->slot[p->tree[p->bodies[p->strand[k].first]].parent];
    for (int r = 0; r < p->nrow; r++)
        p->row_H[r + 1] = p->row_H[r] + p->row_f[r];
    return CLV_OK;
}

static uint64_t mix(uint64_t h, const void *data, size_t size)
{
    const unsigned char *c = data;
    for (size_t i = 0; i < size; i++)
        h = (h ^ c[i]) * 1099511628211ULL; /* FNV-1a; all bytes are set: NOLINT(clang-analyzer-core.*) */
    return h;
}

static long long plan_hash(const clv_plan *p)
{
    uint64_t h = 14695981039346656037ULL;
    size_t n = (size_t)p->nbody;
    h = mix(h, p->order, n * sizeof(int));
    h = mix(h, p->slot, n * sizeof(int));
    h = mix(h, p->bodies, n * sizeof(int));
    for (int k = 0; k < p->npart; k++) {
        const clv_part *q = &p->part[k];
        int v[6] = {q->strand, q->child[0], q->child[1], q->nport, q->m, q->loop};
        h = mix(h, v, sizeof v);
        if (q->petal || q->npetal > 0)
            h = mix(h, &q->hub, sizeof q->hub);
    }
    h = mix(h, p->edges_of, (size_t)p->nedge * sizeof(int));
    for (int k = 0; k < p->nstar; k++) {
        const clv_star *s = &p->star[k];
        int v[6] = {s->frame, s->nmode, s->entry, s->iq, s->iu, s->part};
        h = mix(h, v, sizeof v);
    }
    return (long long)h;
}

static clv_status create(clv_plan **plan, const clv_model *model, clv_plan_options o, clv_error *error)
{
    clv_plan *p = *plan = clv_alloc(1, sizeof *p);
    if (!p)
        return clv_fail(error, CLV_ERR_MEMORY, "out of memory while planning"), CLV_ERR_MEMORY;
    p->model = model, p->absolute = o.absolute;
    p->nsegment = o.nsegment, p->segment = o.segment, p->segment_of = o.segment_of;
    p->ported = o.nsegment > 0 && o.segment[0].ported;
    clv_status st = allocate(p, error);
    if (st == CLV_OK)
        st = clv_plan_graph(p, &o, error);
    if (st == CLV_OK)
        st = clv_plan_sections(p, &o, error);
    if (st == CLV_OK)
        st = clv_plan_strands(p, &o, error);
    if (st == CLV_OK)
        st = clv_plan_assemble(p, &o, error);
    if (st == CLV_OK)
        st = clv_plan_carry(p, &o, error);
    if (st == CLV_OK && !clv_plan_levels(p, &o))
        st = clv_fail(error, CLV_ERR_MEMORY, "out of memory while planning");
    if (st == CLV_OK)
        st = clv_plan_groups(p, &o, error);
    if (st == CLV_OK)
        st = clv_plan_runs(p, error);
    if (st == CLV_OK)
        p->hash = plan_hash(p);
    if (st != CLV_OK)
        clv_plan_destroy(p), *plan = NULL;
    return st;
}

/* In a tree of short paths both sides of a row of cells are paths of their own, and the loops of all cells meet at its
 * beginning.  In one of long paths each loop meets in its own cell.  It is taken where carried loops are much less work
 * then: estimates are rough, and long paths cost digits. */
static clv_status try_deep(clv_plan **plan, clv_plan_options o, clv_error *error)
{
    const double MUCH = 0.5;
    clv_plan *flat = *plan, *deep = NULL;
    o.deep = true;
    const clv_status st = create(&deep, flat->model, o, error);
    if (st == CLV_ERR_MEMORY) {
        clv_plan_destroy(flat), *plan = NULL;
        return st;
    }
    if (st != CLV_OK) { /* a coordinate would be missing: the tree of short paths has it */
        clv_error_clear(error);
        return CLV_OK;
    }
    const bool better = deep->carry && deep->work < MUCH * flat->work;
    *plan = better ? deep : flat;
    clv_plan_destroy(better ? flat : deep);
    return CLV_OK;
}

enum { NET = 8 }; /* bodies that a part of a net holds, at least */

/* Pairs that leave few rows open now may hold many bodies later, in nets. */
static clv_status try_dissected(clv_plan **plan, clv_plan_options o, clv_error *error)
{
    const double LESS = 0.95;
    clv_plan *paired = *plan, *halved = NULL;
    o.dissected = true;
    const clv_status st = create(&halved, paired->model, o, error);
    if (st != CLV_OK) {
        clv_plan_destroy(paired), *plan = NULL;
        return st;
    }
    const bool better = halved->work < LESS * paired->work;
    *plan = better ? halved : paired;
    clv_plan_destroy(better ? paired : halved);
    return CLV_OK;
}

clv_status clv_plan_create(clv_plan **plan, const clv_model *model, const clv_plan_options *options, clv_error *error)
{
    const clv_plan_options o = options ? *options : (clv_plan_options){0};
    clv_status st = create(plan, model, o, error);
    if (st != CLV_OK || !o.carry || o.deep || o.sections || (*plan)->ported || !((*plan)->work > 0) || (*plan)->carry ||
        (*plan)->nclosing < 2)
        return st;
    if ((*plan)->max_port > NET && !o.nsegment)
        st = try_dissected(plan, o, error);
    return st == CLV_OK ? try_deep(plan, o, error) : st;
}

void clv_plan_destroy(clv_plan *p)
{
    if (!p)
        return;
    clv_free(p->tree), clv_free(p->order), clv_free(p->closing), clv_free(p->child_of_joint), clv_free(p->edge);
    clv_free(p->handles);
    clv_free(p->edge_of_joint), clv_free(p->armed);
    clv_free(p->strand), clv_free(p->bodies), clv_free(p->slot), clv_free(p->group), clv_free(p->row_f);
    clv_free(p->run);
    clv_free(p->row_H), clv_free(p->fold_slot), clv_free(p->star), clv_free(p->part), clv_free(p->ports),
        clv_free(p->edges_of);
    clv_free(p->section_of), clv_free(p->section), clv_connect_destroy(p->connect), clv_carry_destroy(p->carry);
    clv_free(p);
}
