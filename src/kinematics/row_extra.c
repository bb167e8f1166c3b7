/* SPDX-License-Identifier: Apache-2.0
 * Bodies of rows that cannot be condensed alone (T5).  Where a pivot of a strand is missing, a body gets a little
 * inertia.  What that does is taken out of every solution again, as engine/refine.c does body by body.
 *
 *   strengthen  after `up`: which bodies get inertia; `up` is then repeated
 *   pass        the solution of wrenches at these bodies alone, with the factor at hand: respond | close or fold | down
 *   take out    conjugate gradients over passes, then again out of what the true equations miss
 *
 * The solution is a sum of passes.  While they are made, w->x and w->rates belong to the pass, `kept` to the sum. */
#include <math.h>
#include "base/tolerance.h"
#include "engine/base_block.h"
#include "engine/extra.h"
#include "kinematics/row_joints.h"
#include "kinematics/row_kernels.h"
#include "math/rotation.h"
#include "math/spatial.h"

enum { G8 = CLV_GROUP };

/* ------------------------------------------------------------------ who gets inertia */

static double *attached_at(const clv_rows *w, double *array, int n, int body)
{
    const int slot = w->slot[body];
    return array + (size_t)w->attached[slot / G8] * (size_t)n * G8 + slot % G8;
}

/* Is a pivot of the body's inboard joint missing, or no more than rounding? */
static bool weak_joint(const clv_rows *w, int body, bool columns, bool *lost)
{
    bool weak = false;
    if (!clv_row_inside(w->plan, body))
        return false;
    for (int i = 0; i < clv_row_count(w->plan, body); i++) {
        const int slot = w->slot[body] - i * G8;
        const double d = 1.0 / w->inverse[slot];
        if (!(w->flags[slot / G8] & (CLV_ROW_FREE | CLV_ROW_DRIVEN)))
            continue;
        *lost |= !(d > 0) || !isfinite(d);
        weak |= columns && w->lacking ? w->sound[slot] != 1.0 : !(d > 0) || !isfinite(d);
    }
    return weak;
}

static clv_extra_answer strengthen_strand(clv_rows *w, int strand)
{
    const clv_plan *p = w->plan;
    const clv_strand *s = &p->strand[strand];
    clv_engine *e = w->engine;
    const bool tip = clv_rows_tip(p, strand);
    for (int i = s->length - 1; i >= 0; i--) {
        const int b = p->bodies[s->first + i];
        bool lost = false;
        if (!weak_joint(w, b, tip, &lost))
            continue;
        if (tip && e->light[b] && e->extra[2 * b] == 0 && e->extra[2 * b + 1] == 0) {
            double *I = attached_at(w, w->I, 21, b);
            clv_extra_extend(e, b);
            I[0] += e->extra[2 * b], I[3 * G8] += e->extra[2 * b], I[5 * G8] += e->extra[2 * b];
            for (int k = 0; k < 3; k++)
                I[(k == 0 ? 15 : k == 1 ? 18 : 20) * G8] += e->extra[2 * b + 1];
            return CLV_EXTRA_ADDED; /* what lies inboard sees other numbers */
        }
        if (lost) { /* nothing inboard can help */
            e->failed_body = e->failed_body < 0 ? b : e->failed_body;
            return CLV_EXTRA_SINGULAR;
        }
    }
    return CLV_EXTRA_ENOUGH;
}

bool clv_rows_strengthen(clv_rows *w, int group)
{
    const clv_group *g = &w->plan->group[group];
    bool again = false;
    for (int l = 0; l < g->nstrand; l++) {
        double *ok = &w->engine->out[group].ok[l];
        if (*ok == 1.0)
            continue;
        const clv_extra_answer answer = strengthen_strand(w, g->strand[l]);
        again |= answer == CLV_EXTRA_ADDED;
        *ok = answer == CLV_EXTRA_SINGULAR ? 0.0 : 1.0;
    }
    return again;
}

typedef struct work {
    clv_rows *w;
    const clv_kinematics *kin;
    double *x, *rates; /* of the sum                                  */
    double *u;         /* (nu) of the sum: bases of open trees        */
    bool biased, loaded;
} work;

static clv_row_solution solution_of(const clv_rows *w, int strand)
{
    const clv_strand *s = &w->plan->strand[strand];
    const clv_strand_out *o = &w->engine->out[s->group];
    const clv_row_join *j = &w->join[strand];
    clv_row_solution y;
    for (int i = 0; i < 6; i++) {
        y.v[i] = j->base[i], y.v[6 + i] = j->tip[i], y.v[12 + i] = j->F[i], y.v[18 + i] = j->base_F[i];
        y.v[24 + i] = o->x[i * G8 + s->lane], y.v[30 + i] = o->F[i * G8 + s->lane];
    }
    y.v[36] = j->reaction;
    return y;
}

static void set_solution(clv_rows *w, int strand, const clv_row_solution *y)
{
    const clv_strand *s = &w->plan->strand[strand];
    const clv_strand_out *o = &w->engine->out[s->group];
    clv_row_join *j = &w->join[strand];
    for (int i = 0; i < 6; i++) {
        j->base[i] = y->v[i], j->tip[i] = y->v[6 + i], j->F[i] = y->v[12 + i], j->base_F[i] = y->v[18 + i];
        o->x[i * G8 + s->lane] = y->v[24 + i], o->F[i * G8 + s->lane] = y->v[30 + i];
    }
    j->reaction = y->v[36];
}

/* ------------------------------------------------------------------ flexible bodies */

/* Calls visit for every body of every flexible body. */
static void of_stars(const clv_rows *w, void (*visit)(clv_row_hold *, double), double alpha)
{
    for (int k = 0; k < w->plan->nstar; k++)
        for (int i = 0; i <= w->plan->model->flex[k].nnode; i++)
            visit(&w->star[k].hold[i], alpha);
}

/* the sum begins with the solution at hand; passes are without loads on these bodies */
static void keep_hold(clv_row_hold *h, double unused)
{
    (void)unused;
    memcpy(h->kept, h->x, sizeof h->x), memcpy(h->kept + 6, h->h, sizeof h->h), memcpy(h->kept + 12, h->Q, sizeof h->Q);
    memset(h->Q, 0, sizeof h->Q);
}
static void add_hold(clv_row_hold *h, double alpha)
{
    for (int i = 0; i < 6; i++)
        h->kept[i] += alpha * h->x[i], h->kept[6 + i] += alpha * h->h[i];
}
static void show_hold(clv_row_hold *h, double unused)
{
    (void)unused;
    memcpy(h->x, h->kept, sizeof h->x), memcpy(h->h, h->kept + 6, sizeof h->h);
}
static void unload_hold(clv_row_hold *h, double unused)
{
    (void)unused;
    memset(h->Q, 0, sizeof h->Q);
}
static void load_hold(clv_row_hold *h, double unused)
{
    (void)unused;
    memcpy(h->Q, h->kept + 12, sizeof h->Q);
}

/* where a pass leaves unknowns (nu); fix_u is work of flexible bodies where loops are closed */
static double *pass_unknowns(const clv_rows *w) { return w->looped ? w->engine->fix_tau : w->engine->fix_u; }

/* the pass of modes, and in open trees of joints of bases that float, to the unknowns */
static void add_unknowns(work *t, double alpha)
{
    const clv_rows *w = t->w;
    const clv_plan *p = w->plan;
    const double *u = pass_unknowns(w);
    for (int k = 0; k < p->nstar; k++)
        for (int m = p->star[k].iu; m < p->star[k].iu + p->star[k].nmode; m++)
            t->u[m] += alpha * u[m];
    for (int k = 0; !w->looped && k < w->npiece; k++) {
        const clv_tree_joint *base = &p->tree[clv_rows_base(w, k)];
        for (int f = 0; clv_rows_floats(w, k) && !base->detached && f < base->f; f++)
            t->u[base->iu + f] += alpha * u[base->iu + f];
    }
}

/* ------------------------------------------------------------------ passes */

/* the wrenches w->fix and drives w->fix_tau up the strands; loads of limbs stay as they are */
static void respond(clv_rows *w, int group)
{
    const clv_group *g = &w->plan->group[group];
    const clv_strand_out *o = &w->engine->out[group];
    double p[G8][6];
    for (int l = g->ncolumns; l < g->nstrand; l++) {
        const clv_strand *s = &w->plan->strand[g->strand[l]];
        clv_lane_get(o->p, 6, l, p[l]);
        for (int i = 0; s->base != CLV_BASE_FOLD && i < 6; i++)
            p[l][i] = clv_rows_floats(w, g->strand[l])
                          ? attached_at(w, w->fix, 6, w->plan->bodies[s->first])[i * G8] : 0.0;
    }
    w->kernels->respond(w, group, w->fix_tau, w->fix, false);
    for (int l = g->ncolumns; l < g->nstrand; l++)
        for (int i = 0; i < 6; i++)
            o->p[i * G8 + l] = p[l][i];
}

/* six numbers of a lane from strand to global axes */
static void turn(double *array, int lane, const double R[9])
{
    double x[6], y[6];
    clv_lane_get(array, 6, lane, x);
    clv_mat3_times(y, R, x), clv_mat3_times(y + 3, R, x + 3);
    for (int i = 0; i < 6; i++)
        array[i * G8 + lane] = y[i];
}

void clv_rows_turn_loads(clv_rows *w)
{
    for (int k = 0; k < w->plan->nstrand; k++) {
        const clv_strand *s = &w->plan->strand[k];
        const clv_strand_out *o = &w->engine->out[s->group];
        double R[9];
        if (s->base == CLV_BASE_FOLD)
            continue;
        clv_rows_strand_axes(w, k, R);
        turn(o->p, s->lane, R);
        if (s->columns)
            turn(o->t, s->lane, R);
    }
}

/* the pass of w->fix, w->fix_tau and the rows e->a */
static void make_pass(work *t)
{
    clv_rows *w = t->w;
    clv_engine *e = w->engine;
    memset(w->u0, 0, (size_t)w->nrow * G8 * sizeof(double));
    clv_rows_know_nothing(w);
    for (int g = 0; g < w->plan->ngroup; g++)
        respond(w, g);
    if (w->looped)
        clv_rows_turn_loads(w), clv_rows_close_once(w, pass_unknowns(w));
    else {
        memset(e->fix_tau, 0, (size_t)w->plan->nu * sizeof(double));
        clv_rows_fold(w, t->kin, e->fix_tau, NULL, true);
        clv_rows_unfold(w, t->kin, NULL, pass_unknowns(w));
    }
    clv_rows_descend(w, false);
}

static void pass(void *owner, const double *load)
{
    work *t = owner;
    clv_rows *w = t->w;
    clv_engine *e = w->engine;
    memset(w->fix, 0, 6 * G8 * (size_t)w->nattached * sizeof(double));
    memset(w->fix_tau, 0, (size_t)w->nrow * G8 * sizeof(double));
    memset(e->a, 0, (size_t)w->plan->nsigma * sizeof(double));
    for (int i = 0; i < 6 * e->nextended; i++) {
        clv_row_hold *frame = clv_row_hold_of(w, e->extended[i / 6]);
        if (frame)
            frame->Q[i % 6] = load[i];
        else
            attached_at(w, w->fix, 6, e->extended[i / 6])[i % 6 * G8] = load[i];
    }
    make_pass(t);
    of_stars(w, unload_hold, 0);
}

/* motions (nextended x 6, strand axes) of the bodies with extra inertia, x of rows; of a pass, or of the sum */
static void motions(const clv_rows *w, const double *x, bool sum, double *motion)
{
    for (int i = 0; i < 6 * w->engine->nextended; i++) {
        const clv_row_hold *frame = clv_row_hold_of(w, w->engine->extended[i / 6]);
        const int slot = frame ? 0 : w->slot[w->engine->extended[i / 6]];
        if (frame)
            motion[i] = sum ? frame->kept[i % 6] : frame->x[i % 6];
        else
            motion[i] = x[(size_t)(slot / G8) * 6 * G8 + (size_t)(i % 6 * G8 + slot % G8)];
    }
}

static void answer(void *owner, double *motion) { motions(((work *)owner)->w, ((work *)owner)->w->x, false, motion); }

static double largest_of(const double *v, size_t n)
{
    double m = 0;
    for (size_t i = 0; i < n; i++)
        m = fmax(m, fabs(v[i]));
    return m;
}

static double largest(void *owner)
{
    const clv_rows *w = ((work *)owner)->w;
    return largest_of(w->x, 6 * G8 * (size_t)w->nrow);
}

static double add(void *owner, double alpha)
{
    work *t = owner;
    clv_rows *w = t->w;
    clv_engine *e = w->engine;
    const clv_plan *p = w->plan;
    for (int i = 0; i < 6 * G8 * w->nrow; i++)
        t->x[i] += alpha * w->x[i];
    for (int i = 0; i < G8 * w->nrow; i++)
        t->rates[i] += alpha * w->rates[i];
    for (int i = 0; i < p->nsigma; i++)
        e->fix_sigma[i] += alpha * e->sigma[i];
    for (int k = 0; k < p->nstrand; k++) {
        const clv_row_solution y = solution_of(w, k);
        for (int i = 0; i < CLV_ROW_SOLUTION; i++)
            w->join[k].kept.v[i] += alpha * y.v[i];
    }
    for (int k = p->nstrand; k < w->npiece; k++)
        w->join[k].kept.v[36] += alpha * w->join[k].reaction;
    of_stars(w, add_hold, alpha);
    add_unknowns(t, alpha);
    return fabs(alpha) * largest(t);
}

/* ------------------------------------------------------------------ what the true equations miss */

/* the sum into the places of a solution, and back */
static void show_sum(work *t)
{
    for (int k = 0; k < t->w->plan->nstrand; k++)
        set_solution(t->w, k, &t->w->join[k].kept);
    for (int k = t->w->plan->nstrand; k < t->w->npiece; k++)
        t->w->join[k].reaction = t->w->join[k].kept.v[36];
    of_stars(t->w, show_hold, 0);
}

/* joints and bases of strands whose tips or bases edges hold, and all rows: met once more */
static void refine(work *t)
{
    clv_rows *w = t->w;
    clv_engine *e = w->engine;
    const clv_plan *p = w->plan;
    double *own = w->x, *own_rates = w->rates, *own_sigma = e->sigma;
    show_sum(t);
    w->x = t->x, w->rates = t->rates, e->sigma = e->fix_sigma;
    memset(w->fix, 0, 6 * G8 * (size_t)w->nattached * sizeof(double));
    motions(w, t->x, true, e->conjugate);
    for (int i = 0; i < 6 * e->nextended; i++) { /* w->I has it, but for bases, whose inertia is that of the strand */
        const int b = e->extended[i / 6];
        if (!clv_row_hold_of(w, b) && clv_row_inside(p, b))
            attached_at(w, w->fix, 6, b)[i % 6 * G8] = e->extra[2 * b + (i % 6 >= 3)] * e->conjugate[i];
    }
    for (int g = 0; g < p->ngroup; g++) {
        w->kernels->miss(w, g, t->biased, t->loaded);
        for (int l = p->group[g].ncolumns; l < G8; l++) /* others are met already */
            for (int i = w->first[g]; i < w->first[g + 1]; i++)
                w->fix_tau[i * G8 + l] = 0;
    }
    clv_rows_residual(w);
    w->x = own, w->rates = own_rates, e->sigma = own_sigma;
    memset(w->fix, 0, 6 * G8 * (size_t)w->nattached * sizeof(double));
    for (int k = 0; k < p->nstrand; k++) {
        const clv_strand *s = &p->strand[k];
        double W[6], R[9], F[6];
        if (s->base != CLV_BASE_FREE)
            continue;
        clv_rows_strand_axes(w, k, R);
        clv_mat3_transpose_times(F, R, w->join[k].base_F), clv_mat3_transpose_times(F + 3, R, w->join[k].base_F + 3);
        clv_lane_get(w->end[s->group].P, 6, s->lane, W);
        for (int i = 0; i < 6; i++)
            attached_at(w, w->fix, 6, p->bodies[s->first])[i * G8] = W[i] + F[i];
    }
    make_pass(t);
    add(t, 1.0);
}

/* largest number among loads and multipliers */
static double largest_load(const work *t)
{
    const clv_rows *w = t->w;
    const clv_engine *e = w->engine;
    double most = fmax(largest_of(e->sigma, (size_t)w->plan->nsigma), CLV_TOL_IDLE_SPEED * e->heavy * e->length);
    if (!t->loaded)
        return most;
    most = fmax(most, largest_of(w->tau, G8 * (size_t)w->nrow));
    most = fmax(most, largest_of(w->Q, 6 * G8 * (size_t)w->nattached));
    return t->biased ? fmax(most, largest_of(w->b, 6 * G8 * (size_t)w->nrow)) : most;
}

static void take_out(work *t, const clv_extra_passes *by)
{
    clv_rows *w = t->w;
    clv_engine *e = w->engine;
    double *d = e->conjugate + 24 * (size_t)e->nextended; /* behind the room of conjugate.c */
    const double load = largest_load(t);
    motions(w, t->x, true, d);
    double step = clv_extra_remove(e, by, d, CLV_TOL_EXTRA, load), before = INFINITY;
    /* corrections without loads continue from other poses than those of the factor: what they miss says nothing */
    for (int k = 0; step >= 0 && w->looped && t->loaded && k < 6; k++) {
        refine(t);
        double change = largest(t);
        answer(t, d);
        step = clv_extra_remove(e, by, d, CLV_TOL_EXTRA_AGAIN, load);
        change = fmax(change, step);
        if (change <= CLV_TOL_EXTRA_CHANGE * largest_of(t->x, 6 * G8 * (size_t)w->nrow) || change >= 0.5 * before)
            break;
        before = change;
    }
    e->stalled = step < 0;
}

void clv_rows_take_out(clv_rows *w, const clv_kinematics *k, bool biased, bool loaded, double *u)
{
    clv_engine *e = w->engine;
    work t = {.w = w, .kin = k, .x = w->x, .rates = w->rates, .u = u, .biased = biased, .loaded = loaded};
    const clv_extra_passes by = {&t, pass, answer, add, largest};
    e->stalled = e->loose = false, e->loose_body = -1;
    if (e->nextended == 0)
        return;
    memcpy(e->fix_sigma, e->sigma, (size_t)w->plan->nsigma * sizeof(double));
    for (int i = 0; i < w->plan->nstrand; i++)
        w->join[i].kept = solution_of(w, i);
    for (int i = w->plan->nstrand; i < w->npiece; i++)
        w->join[i].kept.v[36] = w->join[i].reaction;
    of_stars(w, keep_hold, 0);
    w->x = w->fix_x, w->rates = w->fix_rates;
    take_out(&t, &by);
    w->x = t.x, w->rates = t.rates;
    memcpy(e->sigma, e->fix_sigma, (size_t)w->plan->nsigma * sizeof(double));
    show_sum(&t);
    of_stars(w, load_hold, 0);
}
