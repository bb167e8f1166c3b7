/* SPDX-License-Identifier: Apache-2.0
 * Rows whose lanes are mechanisms; see row_abreast.h (T85). */
#include "kinematics/row_abreast.h"
#include <string.h>
#include "kinematics/row_joints.h"
#include "math/rotation.h"

enum { G8 = CLV_GROUP };

static int strand_rows(const clv_plan *p, int strand)
{
    int rows = 0;
    for (int i = 0; i < p->strand[strand].length; i++)
        rows += clv_row_count(p, p->bodies[p->strand[strand].first + i]);
    return rows;
}

/* first row of a strand in the rows of its own mechanism, and its lane there */
static int own_row(const clv_rows *w, int strand) { return w->first[w->plan->strand[strand].group]; }
static int own_lane(const clv_rows *w, int strand) { return w->plan->strand[strand].lane; }

/* a strand that neither floats nor folds joins the tip of another one */
static bool joins(const clv_rows *w, int k)
{
    return k < w->plan->nstrand && w->origin[k] >= 0 && !clv_rows_floats(w, k) && !clv_strand_folds(w->plan, k);
}

const char *clv_row_abreast_refuses(const clv_rows *w)
{
    for (int k = 0; k < w->npiece; k++) {
        const int on = w->origin[k] < 0 ? -1 : w->strand_of[w->origin[k]];
        const bool tip = joins(w, k) || (k >= w->plan->nstrand && on >= 0 && on < w->plan->nstrand);
        if (tip && (on >= w->plan->nstrand || !clv_strand_tip(w->plan, on)))
            return "strands that join";
    }
    const char *why = clv_row_abreast_balls_refuse(w);
    return why ? why : clv_row_abreast_flex_refuses(w);
}

/* row i of strand k has something attached to it */
static bool is_attached(const clv_rows *w, int k, int i) { return w->attached[own_row(w, k) + i] >= 0; }

/* rows of strand k up to its body i, that one included, less one: the row of that body */
static int row_in_strand(const clv_rows *w, int k, int i)
{
    return w->slot[w->plan->bodies[w->plan->strand[k].first + i]] / G8 - own_row(w, k);
}

static int count_attached(const clv_rows *w)
{
    int n = 0;
    for (int k = 0; k < w->plan->nstrand; k++)
        for (int i = 0; i < strand_rows(w->plan, k); i++)
            n += is_attached(w, k, i);
    return n;
}

static void limbs_layout(clv_row_abreast *a, const clv_rows *of, clv_arena *m)
{
    clv_rows *w = &a->rows;
    const int nstrand = of->plan->nstrand;
    const size_t n = (size_t)count_attached(of) * G8;
    CLV_TAKE(m, a->limb, nstrand), CLV_TAKE(m, a->piece, of->npiece), CLV_TAKE(m, a->climb, nstrand);
    CLV_TAKE(m, a->gravity, 3 * G8), CLV_TAKE(m, a->I, 21 * G8), CLV_TAKE(m, a->F, 6 * G8);
    CLV_TAKE(m, w->frame, CLV_FRAME * n), CLV_TAKE(m, w->run, 6 * n), CLV_TAKE(m, w->I, 21 * n);
    CLV_TAKE(m, w->P, 6 * n), CLV_TAKE(m, w->Q, 6 * n);
    for (int k = 0; k < nstrand; k++) {
        clv_row_limb counting, *l = m->base ? &a->limb[k] : &counting;
        CLV_TAKE(m, l->held, of->plan->strand[k].length), CLV_TAKE(m, l->R, 9 * G8);
        CLV_TAKE(m, l->V, 6 * G8);
        CLV_TAKE(m, l->R_base, 9 * G8), CLV_TAKE(m, l->com_base, 3 * G8), CLV_TAKE(m, l->ref_base, 3 * G8);
        CLV_TAKE(m, l->V_base, 6 * G8);
    }
    clv_row_abreast_flex_layout(a, of, m);
}

static void layout(clv_row_abreast *a, const clv_rows *of, int nrow, clv_arena *m)
{
    clv_rows *w = &a->rows;
    const int nstrand = of->plan->nstrand;
    limbs_layout(a, of, m), clv_row_abreast_balls_layout(a, of, m), clv_row_abreast_floats_layout(a, of, m);
    const size_t n = (size_t)nrow * G8, places = n + (size_t)(of->npiece + of->plan->nmode) * G8;
    CLV_TAKE(m, a->q_of, places / G8), CLV_TAKE(m, a->u_of, places / G8);
    CLV_TAKE(m, a->plan.group, nstrand), CLV_TAKE(m, w->first, nstrand + 1);
    CLV_TAKE(m, w->flags, nrow), CLV_TAKE(m, w->attached, nrow);
    CLV_TAKE(m, w->E, 9 * n), CLV_TAKE(m, w->p, 3 * n), CLV_TAKE(m, w->body, 10 * n);
    CLV_TAKE(m, w->alpha, n), CLV_TAKE(m, w->beta, n), CLV_TAKE(m, w->pad, n);
    CLV_TAKE(m, w->stiff, of->stiff ? n : 0);
    CLV_TAKE(m, w->same, n + G8), CLV_TAKE(m, w->follows, n + G8), CLV_TAKE(m, w->known, n);
    CLV_TAKE(m, w->q, places), CLV_TAKE(m, w->u, places), CLV_TAKE(m, w->tau, places), CLV_TAKE(m, w->pdot, places);
    CLV_TAKE(m, w->h, 3 * n), CLV_TAKE(m, w->c, 3 * n), CLV_TAKE(m, w->J, 6 * n), CLV_TAKE(m, w->r, 3 * n);
    CLV_TAKE(m, w->b, 6 * n), CLV_TAKE(m, w->bias, 6 * n), CLV_TAKE(m, w->N, 6 * n), CLV_TAKE(m, w->Kh, 6 * n);
    CLV_TAKE(m, w->inverse, n), CLV_TAKE(m, w->u0, n), CLV_TAKE(m, w->x, 6 * n), CLV_TAKE(m, w->rates, places);
    CLV_TAKE(m, w->end, nstrand), CLV_TAKE(m, a->engine.out, nstrand);
    for (int k = 0; k < nstrand; k++) {
        clv_row_ends counting, *e = m->base ? &w->end[k] : &counting;
        clv_strand_out shown, *o = m->base ? &a->engine.out[k] : &shown;
        CLV_TAKE(m, e->start, CLV_FRAME * G8), CLV_TAKE(m, e->motion, 6 * G8), CLV_TAKE(m, e->gravity, 3 * G8);
        CLV_TAKE(m, e->mass, 4 * G8), CLV_TAKE(m, e->energy, 2 * G8), CLV_TAKE(m, e->P, 6 * G8);
        CLV_TAKE(m, e->Q, 6 * G8), CLV_TAKE(m, e->weak, G8);
        CLV_TAKE(m, o->I, 21 * G8), CLV_TAKE(m, o->p, 6 * G8), CLV_TAKE(m, o->ok, G8);
        CLV_TAKE(m, o->x, 6 * G8), CLV_TAKE(m, o->F, 6 * G8);
        const size_t tip = clv_strand_tip(of->plan, k) ? G8 : 0;
        CLV_TAKE(m, o->K, 36 * tip), CLV_TAKE(m, o->L, 21 * tip), CLV_TAKE(m, o->t, 6 * tip);
    }
}

/* what all lanes have in common */
static void take_structure(clv_row_abreast *a, const clv_rows *of)
{
    clv_rows *w = &a->rows;
    for (int k = 0, row = 0; k < a->plan.ngroup; k++) {
        const int n = strand_rows(of->plan, k), from = own_row(of, k), lane = own_lane(of, k);
        w->first[k] = row, w->first[k + 1] = row + n;
        for (int i = 0; i < n; i++, row++) {
            w->flags[row] = of->flags[from + i];
            w->attached[row] = is_attached(of, k, i) ? w->nattached++ : -1;
            a->q_of[row] = of->coordinate[(from + i) * G8 + lane];
            a->u_of[row] = of->rate[(from + i) * G8 + lane];
        }
    }
}

/* strands in the orders of the mechanism alone, and where they hang */
static void take_limbs(clv_row_abreast *a, const clv_rows *of)
{
    const clv_plan *p = of->plan;
    const clv_rows *w = &a->rows;
    for (int g = 0, n = 0; g < p->ngroup; g++)
        for (int i = 0; i < p->group[g].nstrand; i++)
            a->climb[n++] = p->group[g].strand[i];
    for (int k = 0; k < p->nstrand; k++) {
        clv_row_limb *l = &a->limb[k];
        const int origin = clv_rows_floats(of, k) ? -1 : of->origin[k];
        l->parent = origin < 0 ? -1 : of->strand_of[origin];
        l->floats = clv_rows_floats(of, k), l->folds = clv_strand_folds(p, k);
        a->limbs = a->limbs || l->floats;
        if (origin >= 0) {
            l->row = w->first[l->parent] + of->slot[origin] / G8 - own_row(of, l->parent);
            l->at = w->attached[l->row];
            a->limbs = true;
        }
        for (int i = 0; i < p->strand[k].length; i++)
            if (is_attached(of, k, row_in_strand(of, k, i)))
                l->held[l->nheld++] = w->attached[w->first[k] + row_in_strand(of, k, i)];
    }
}

bool clv_row_abreast_open(clv_row_abreast *a, const clv_rows *of, const clv_kinematics *k, bool momenta, int lanes)
{
    const int nstrand = of->plan->nstrand;
    int nrow = 0;
    for (int i = 0; i < nstrand; i++)
        nrow += strand_rows(of->plan, i);
    *a = (clv_row_abreast){.plan = {.ngroup = nstrand}};
    layout(a, of, nrow, &a->arena);
    if (!clv_arena_open(&a->arena))
        return false;
    layout(a, of, nrow, &a->arena);
    a->rows.plan = &a->plan, a->rows.engine = &a->engine, a->rows.nrow = nrow;
    a->rows.kernels = clv_row_kernels_of(lanes);
    a->nplace = nrow;
    take_structure(a, of), take_limbs(a, of), clv_row_abreast_flex_take(a, of, k, momenta);
    clv_row_abreast_balls_take(a, of, lanes), clv_row_abreast_floats_take(a, of, lanes);
    for (int i = 0; i < nrow * G8; i++)
        a->rows.pad[i] = 1.0; /* empty lanes divide by it */
    clv_row_abreast_use(a, lanes);
    return true;
}

void clv_row_abreast_close(clv_row_abreast *a) { clv_arena_close(&a->arena); }

static bool same_limbs(const clv_row_abreast *a, const clv_rows *w)
{
    const clv_plan *p = w->plan;
    for (int g = 0, n = 0; g < p->ngroup; g++)
        for (int i = 0; i < p->group[g].nstrand; i++)
            if (a->climb[n++] != p->group[g].strand[i])
                return false;
    for (int k = 0; k < p->nstrand; k++) {
        const int origin = clv_rows_floats(w, k) ? -1 : w->origin[k], parent = origin < 0 ? -1 : w->strand_of[origin];
        if (a->limb[k].parent != parent || a->limb[k].floats != clv_rows_floats(w, k) ||
            a->limb[k].folds != clv_strand_folds(p, k))
            return false;
        if (origin >= 0 && a->limb[k].row != a->rows.first[parent] + w->slot[origin] / G8 - own_row(w, parent))
            return false;
    }
    return true;
}

bool clv_row_abreast_same(const clv_row_abreast *a, const clv_rows *w, const clv_kinematics *kin)
{
    if (w->plan->nstrand != a->plan.ngroup)
        return false;
    for (int k = 0; k < a->plan.ngroup; k++) {
        const int n = strand_rows(w->plan, k), from = own_row(w, k), lane = own_lane(w, k), to = a->rows.first[k];
        if (n != a->rows.first[k + 1] - to)
            return false;
        for (int i = 0; i < n; i++)
            if (w->flags[from + i] != a->rows.flags[to + i] ||
                w->coordinate[(from + i) * G8 + lane] != a->q_of[to + i] ||
                w->rate[(from + i) * G8 + lane] != a->u_of[to + i] ||
                (a->rows.attached[to + i] >= 0) != is_attached(w, k, i))
                return false;
    }
    return same_limbs(a, w) && clv_row_abreast_balls_same(a, w) && clv_row_abreast_floats_same(a, w) &&
           clv_row_abreast_flex_same(a, w, kin);
}

static void copy(double *to, int row, int lane, const double *from, int own, int own_lane, int n)
{
    double *t = to + (size_t)row * (size_t)n * G8 + lane;
    const double *f = from + (size_t)own * (size_t)n * G8 + own_lane;
    for (int i = 0; i < n; i++)
        t[i * G8] = f[i * G8];
}

void clv_row_abreast_put(clv_row_abreast *a, int lane, const clv_rows *of, const clv_kinematics *kin,
                         const double gravity[3])
{
    static const double axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    clv_rows *w = &a->rows;
    double g[3];
    clv_mat3_transpose_times(g, axes, gravity); /* of strands on ground, as row_scan.c has it */
    for (int k = 0; k < a->plan.ngroup; k++) {
        const int from = own_row(of, k), at = own_lane(of, k);
        for (int row = w->first[k], i = from; row < w->first[k + 1]; row++, i++) {
            copy(w->E, row, lane, of->E, i, at, 9), copy(w->p, row, lane, of->p, i, at, 3);
            copy(w->body, row, lane, of->body, i, at, 10);
            copy(w->alpha, row, lane, of->alpha, i, at, 1), copy(w->beta, row, lane, of->beta, i, at, 1);
            copy(w->pad, row, lane, of->pad, i, at, 1);
            if (of->stiff)
                copy(w->stiff, row, lane, of->stiff, i, at, 1);
            copy(w->same, row, lane, of->same, i, at, 1), copy(w->follows, row, lane, of->follows, i, at, 1);
        }
        const clv_row_ends *end = &of->end[of->plan->strand[k].group];
        copy(w->end[k].weak, 0, lane, end->weak, 0, at, 1);
        clv_row_put(w->end[k].gravity + lane, 3, g);
    }
    clv_row_put(a->gravity + lane, 3, gravity);
    clv_row_abreast_flex_put(a, lane, of, kin), clv_row_abreast_balls_put(a, lane, of);
    clv_row_abreast_floats_put(a, lane, of);
}

void clv_row_abreast_use(clv_row_abreast *a, int n)
{
    for (int k = 0; k < a->plan.ngroup; k++)
        a->plan.group[k].nstrand = n, a->plan.group[k].ncolumns = a->tip[k].any ? n : 0;
}

/* ------------------------------------------------------------------ walks */

void clv_row_abreast_scan(const clv_row_abreast *a, bool moving)
{
    for (int i = 0; a->limbs && i < a->npiece; i++) {
        const int k = a->piece[i];
        clv_row_abreast_flex_scan(a, k, moving);
        if (k < a->plan.ngroup)
            a->rows.kernels->limb_scan(&a->rows, k, &a->limb[k], a->gravity, moving);
    }
}

void clv_row_abreast_clear(const clv_row_abreast *a, bool sums)
{
    if (!a->limbs)
        return;
    const clv_rows *w = &a->rows;
    const size_t n = (size_t)w->nattached * G8 * sizeof(double);
    memset(w->Q, 0, 6 * n);
    if (sums)
        memset(w->P, 0, 6 * n);
    else
        memset(w->I, 0, 21 * n);
    if (a->narrive > 0)
        memset(a->arrive, 0, a->narrive * G8 * sizeof *a->arrive);
}

/* what a limb shows, to the row into which it folds */
static void fold(const clv_row_abreast *a, int strand)
{
    const clv_row_limb *l = &a->limb[strand];
    double *I = a->rows.I + (size_t)l->at * 21 * G8, *Q = a->rows.Q + (size_t)l->at * 6 * G8;
    a->rows.kernels->turn_limbs(&a->rows, strand, l->R, a->I, a->F);
    for (int i = 0; i < 21 * G8; i++)
        I[i] += a->I[i];
    for (int i = 0; i < 6 * G8; i++)
        Q[i] += a->F[i];
}

void clv_row_abreast_climb(const clv_row_abreast *a, bool biased)
{
    const clv_rows *w = &a->rows;
    const int n = a->plan.ngroup;
    for (int i = 0; i < n; i++) {
        w->kernels->up(w, a->climb[i], biased);
        if (a->limb[a->climb[i]].folds)
            fold(a, a->climb[i]);
    }
    clv_row_abreast_flex_fold(a, biased);
}

void clv_row_abreast_descend(const clv_row_abreast *a, bool biased)
{
    const clv_rows *w = &a->rows;
    clv_row_abreast_flex_unfold(a, biased);
    for (int i = a->plan.ngroup - 1; i >= 0; i--) {
        if (a->limb[a->climb[i]].folds)
            w->kernels->limb_depart(w, a->climb[i], &a->limb[a->climb[i]]);
        w->kernels->down(w, a->climb[i], biased);
    }
}

void clv_row_abreast_go_on(const clv_row_abreast *a)
{
    memcpy(a->rows.u, a->rows.rates, (size_t)a->rows.nrow * G8 * sizeof(double));
    for (int k = 0; k < a->plan.ngroup; k++)
        memcpy(a->rows.end[k].motion, a->engine.out[k].x, 6 * G8 * sizeof(double));
}

void clv_row_abreast_collect(const clv_row_abreast *a)
{
    for (int i = a->npiece - 1; a->limbs && i >= 0; i--)
        if (a->piece[i] < a->plan.ngroup && a->limb[a->piece[i]].folds)
            a->rows.kernels->limb_collect(&a->rows, a->piece[i], &a->limb[a->piece[i]]);
        else
            clv_row_abreast_flex_collect(a, a->piece[i]);
}

void clv_row_abreast_energy(const clv_row_abreast *a, int lane, const clv_rows *of, const double gravity[3],
                            double *kinetic, double *potential, double *squares)
{
    *kinetic = *potential = *squares = 0;
    for (int g = 0; g < of->plan->ngroup; g++) /* in the order in which the mechanism alone adds them up */
        for (int l = 0; l < of->plan->group[g].nstrand; l++) {
            const clv_row_ends *o = &a->rows.end[of->plan->group[g].strand[l]];
            double s[3], m[4], G[3];
            clv_row_get(o->start + 9 * G8 + lane, 3, s), clv_row_get(o->mass + lane, 4, m);
            clv_row_get(o->gravity + lane, 3, G);
            *kinetic += o->energy[lane], *squares += o->energy[G8 + lane];
            *potential -= m[0] * clv_dot3(gravity, s) + clv_dot3(G, m + 1);
        }
}
