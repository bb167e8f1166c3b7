/* SPDX-License-Identifier: Apache-2.0
 * Rows of closings that the strands of a group bring on together (T101): a lane is a strand; row_sheaf_lane.c has the
 * kernels.  Called by row_carry_walk.c where row_carry.c goes strand by strand.
 *
 *   columns are copied from the blocks of joints on the tips, turned, and those of strands outboard added
 *   compliances are added from strands and fronts
 *
 * Strands of a group share a sheaf if no rows are eliminated at their tips, no base floats, and it is less work than
 * columns strand by strand.  That depends on the plan alone.  A strand with fewer rows than others has rows outboard of
 * its tip that have no joint: columns pass them unchanged. */
#include "kinematics/row_carry_parts.h"
#include "kinematics/row_joints.h"
#include "kinematics/row_kernels.h"

static bool stands_or_folds(const clv_plan *p, int strand)
{
    return p->strand[strand].base != CLV_BASE_FREE || clv_strand_folds(p, strand) ||
           clv_row_inside(p, p->bodies[p->strand[strand].first]);
}

/* most open rows of the strands of a group, 0 if each has its own columns; most rows of its strands */
static int share(const clv_plan *p, const clv_group *g, int *rows)
{
    int most = 0, eights = 0;
    *rows = 0;
    if (p->ported) /* bits of a segment do not depend on what else is in a group */
        return 0;
    for (int l = 0; l < g->nstrand; l++) {
        const int k = g->strand[l], own = clv_row_strand_rows(p, k);
        const clv_meet *t = &p->carry->meet[k];
        if (t->nfront > 0 || !stands_or_folds(p, k) || p->strand[k].series)
            return 0;
        *rows = own > *rows ? own : *rows;
        most = t->nopen > most ? t->nopen : most, eights += (t->nopen + 7) / 8;
    }
    return most <= 3 * eights ? most : 0;
}

bool clv_rows_in_sheaf(const clv_plan *p, int strand)
{
    int rows;
    return share(p, &p->group[p->strand[strand].group], &rows) > 0;
}

void clv_rows_sheaf_layout(clv_rows *w, const clv_plan *p, clv_arena *a)
{
    CLV_TAKE(a, w->carry.sheaf, p->ngroup);
    for (int g = 0; g < p->ngroup; g++) {
        clv_row_sheaf counting, *s = a->base ? &w->carry.sheaf[g] : &counting;
        bool folds = false;
        const int n = s->n = share(p, &p->group[g], &s->rows);
        if (n == 0)
            continue;
        for (int l = 0; l < p->group[g].nstrand; l++)
            folds |= clv_strand_folds(p, p->group[g].strand[l]);
        CLV_TAKE(a, s->K, 6 * n * G8), CLV_TAKE(a, s->Y, s->rows * n * G8), CLV_TAKE(a, s->L, clv_row_sheaf_at(n, 0));
        CLV_TAKE(a, s->t, n * G8), s->R = NULL;
        if (folds)
            CLV_TAKE(a, s->R, 9 * G8);
        clv_rows_sheaf_intake(w, p, s, g, a);
    }
}

const clv_row_sheaf *clv_row_sheaf_of(const clv_rows *w, int strand)
{
    const clv_row_sheaf *s = strand < w->plan->nstrand ? &w->carry.sheaf[w->plan->strand[strand].group] : NULL;
    return s && s->n > 0 ? s : NULL;
}

void clv_rows_take_column(const clv_rows *w, int strand, int j, double x[6])
{
    const clv_row_sheaf *s = clv_row_sheaf_of(w, strand);
    const clv_row_columns *c = &w->carry.strand[strand];
    if (s) {
        clv_row_get(s->K + 6 * G8 * j + w->plan->strand[strand].lane, 6, x);
        return;
    }
    for (int i = 0; i < 6; i++)
        x[i] = c->K[i * c->wide + j];
    if (!c->joined)
        clv_row_to_global(w->join[strand].R, x, x);
}

/* blocks of the joints on the tips of a group, global axes */
static void take_blocks(const clv_rows *w, int group)
{
    const clv_carry *c = w->plan->carry;
    const clv_engine *e = w->engine;
    for (int l = 0; l < w->plan->group[group].nstrand; l++) {
        const clv_meet *t = &c->meet[w->plan->group[group].strand[l]];
        for (int i = 0; i < t->nhandle; i++) {
            const int *handle = c->list + t->handle + 3 * i;
            const clv_edge *edge = &w->plan->edge[handle[0]];
            const double *B = e->block + edge->block[handle[1]];
            double *K = w->carry.sheaf[group].K + 6 * G8 * handle[2] + l;
            for (int r = 0; r < edge->m; r++)
                for (int n = 0; n < 6 && clv_edge_carries(edge, r); n++, K += G8)
                    *K += B[6 * r + n];
        }
    }
}

/* columns of one strand, to places of a lane */
static void add_strand(const clv_rows *w, double *to, int strand, const int *place)
{
    const clv_row_sheaf *s = clv_row_sheaf_of(w, strand);
    const double *from = s ? s->K + w->plan->strand[strand].lane : NULL;
    for (int j = 0; j < w->carry.strand[strand].n; j++) {
        double x[6], *K = to + 6 * G8 * place[j];
        if (!s)
            clv_rows_take_column(w, strand, j, x);
        for (int n = 0; n < 6; n++)
            K[n * G8] += s ? from[(6 * j + n) * G8] : x[n];
    }
}

/* columns of strands outboard, whose axes are those of these strands already */
static void add_columns(const clv_rows *w, int group)
{
    const clv_carry *c = w->plan->carry;
    for (int l = 0; l < w->plan->group[group].nstrand; l++) {
        const clv_meet *t = &c->meet[w->plan->group[group].strand[l]];
        for (int i = 0; i < t->nstrand; i++) {
            const int k = c->list[t->strand + 2 * i], *to = c->list + c->list[t->strand + 2 * i + 1];
            add_strand(w, w->carry.sheaf[group].K + l, k, to);
        }
    }
}

/* compliances of strands outboard */
static void add_compliances(const clv_rows *w, int group)
{
    const clv_carry *c = w->plan->carry;
    for (int l = 0; l < w->plan->group[group].nstrand; l++) {
        const clv_meet *t = &c->meet[w->plan->group[group].strand[l]];
        double *L = w->carry.sheaf[group].L + l;
        for (int e = 0; e < t->nleft; e++) {
            const int k = c->list[t->left + 2 * e], *to = c->list + c->list[t->left + 2 * e + 1];
            const double *from = clv_row_lane_triangle(w, k);
            if (from) {
                clv_row_add_triangle(L, from, w->carry.strand[k].n, to);
                continue;
            }
            for (int i = 0; i < w->carry.strand[k].n; i++)
                for (int j = 0; j <= i; j++)
                    L[to[i] > to[j] ? clv_row_sheaf_at(to[i], to[j]) : clv_row_sheaf_at(to[j], to[i])] +=
                        clv_rows_compliance(w, k, i, j);
        }
    }
}

static void take_axes(const clv_rows *w, int group)
{
    const clv_plan *p = w->plan;
    const clv_row_sheaf *s = &w->carry.sheaf[group];
    for (int l = 0; s->R && l < p->group[group].nstrand; l++)
        if (clv_strand_folds(p, p->group[group].strand[l]))
            clv_row_put(s->R + l, 9, w->join[p->group[group].strand[l]].R);
}

static const int *open_rows(const clv_plan *p, int strand)
{
    return p->carry->list + p->carry->meet[strand].row;
}

void clv_rows_take_off_sheaf(clv_rows *w, int group)
{
    for (int l = 0; l < w->plan->group[group].nstrand; l++) {
        const int k = w->plan->group[group].strand[l], *row = open_rows(w->plan, k), n = w->carry.strand[k].n;
        const double *t = w->carry.sheaf[group].t + l;
        double *g = w->carry.g;
        for (int j = 0; j < n; j++)
            g[row[j]] -= t[j * G8];
    }
}

/* columns and compliances at the tips, in the axes of the strands */
static void begin_columns(const clv_rows *w, int group)
{
    const clv_row_sheaf *s = &w->carry.sheaf[group];
    const clv_meet *t = &w->plan->carry->meet[w->plan->group[group].strand[0]];
    const int n = w->plan->group[group].nstrand;
    if (s->alike) {
        w->kernels->take_up(s->K, &s->clear_K, s->block, s->nblock, n);
        w->kernels->sheaf_turn(w, group);
        w->kernels->take_up(s->K, NULL, s->column, t->nstrand, n);
        w->kernels->take_up(s->L, NULL, s->compliance, t->nleft, n);
        return;
    }
    memset(s->K, 0, 6 * (size_t)s->n * G8 * sizeof(double));
    memset(s->L, 0, (size_t)clv_row_sheaf_at(s->n, 0) * sizeof(double));
    take_blocks(w, group);
    w->kernels->sheaf_turn(w, group);
    add_columns(w, group), add_compliances(w, group);
}

void clv_rows_bring_sheaf(clv_rows *w, int group, bool biased, bool again)
{
    if (!again) {
        begin_columns(w, group), take_axes(w, group);
        w->kernels->sheaf_bring(w, group, biased);
    } else
        w->kernels->sheaf_again(w, group);
}

void clv_rows_load_sheaf(clv_rows *w, int group)
{
    const clv_row_sheaf *s = &w->carry.sheaf[group];
    memset(s->t, 0, (size_t)s->n * G8 * sizeof(double));
    for (int l = 0; l < w->plan->group[group].nstrand; l++) {
        const int k = w->plan->group[group].strand[l], *row = open_rows(w->plan, k), n = w->carry.strand[k].n;
        const double *sigma = w->engine->sigma;
        double *t = s->t + l;
        for (int j = 0; j < n; j++)
            t[j * G8] = sigma[row[j]];
    }
    w->kernels->sheaf_load(w, group);
}
