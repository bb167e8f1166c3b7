/* SPDX-License-Identifier: Apache-2.0
 * Between strands (T43), outermost first: wrenches from elsewhere, and what each strand sums of what is outboard. */
#include "kinematics/place.h"
#include "kinematics/row_axes.h"
#include "kinematics/row_joints.h"
#include "kinematics/row_kernels.h"
#include "kinematics/row_runs.h"
#include "kinematics/row_segments.h"
#include "math/lane.h"

/* P or Q */
static void clear(const clv_rows *w, double *array)
{
    clv_team_copy(w->team, array, NULL, 6 * G8 * (size_t)w->nattached);
    for (int s = 0; s < w->plan->nstar; s++)
        for (int i = 0; i <= w->plan->model->flex[s].nnode; i++)
            memset(array == w->P ? w->star[s].hold[i].P : w->star[s].hold[i].Q, 0, 6 * sizeof(double));
}

void clv_rows_clear_inward(clv_rows *w)
{
    clv_team_copy(w->team, w->I, NULL, 21 * G8 * (size_t)w->nattached);
    clear(w, w->Q);
}

void clv_rows_clear(clv_rows *w)
{
    clv_rows_clear_inward(w);
    clear(w, w->P);
}

void clv_rows_clear_loads(clv_rows *w) { clear(w, w->Q); }

void clv_rows_attach_own(const clv_rows *w, double *array, int body, const double W[6])
{
    double *to = clv_row_attached(w, array, 6, body);
    for (int i = 0; i < 6; i++)
        to[i * G8] += W[i];
}

void clv_rows_attach(clv_rows *w, double *array, int body, const double W[6])
{
    double R[9], x[6];
    clv_row_hold *hold = clv_row_hold_of(w, body);
    if (hold) {
        clv_add6(array == w->P ? hold->P : hold->Q, W);
        return;
    }
    clv_row_axes(w, w->strand_of[body], R);
    clv_row_to_strand(R, x, W);
    clv_rows_attach_own(w, array, body, x);
}

void clv_rows_drive(clv_rows *w, const clv_kinematics *k, const double *tau)
{
    const clv_plan *p = w->plan;
    for (int i = w->floating[0]; i < w->npiece; i = w->floating[i + 1]) {
        const int b = clv_rows_base(w, i);
        const clv_tree_joint *t = &p->tree[b];
        double W[6] = {0};
        bool driven = false;
        if (!(clv_plan_adrift(p, b) || w->looped))
            continue;
        for (int f = 0; f < t->f; f++)
            driven = driven || tau[t->iu + f] != 0;
        memset(w->join[i].drive, 0, sizeof W);
        if (!driven)
            continue;
        for (int f = 0; f < t->f; f++)
            for (int n = 0; (t->detached || clv_edge_rotor(p, &p->edge[t->edge], f) < 0) && n < 6; n++)
                W[n] += k->G[clv_columns(p, (size_t)b) + 6 * (size_t)f + (size_t)n] * tau[t->iu + f];
        memcpy(w->join[i].drive, W, sizeof W);
        clv_rows_attach(w, w->Q, b, W);
        if (t->parent < 0)
            continue;
        clv_wrench_shift(W, k->arm + 3 * (size_t)b, W);
        for (int n = 0; n < 6; n++)
            W[n] = -W[n];
        clv_rows_attach(w, w->Q, t->parent, W);
    }
}

/* numbers of lanes `from` to before `end`, n each, to those of one slot */
static void add_lanes(double *restrict to, const double *restrict x, int n, int from, int end)
{
    for (int l = from; l < end; l++)
        for (int i = 0; i < n; i++)
            to[i * G8] += x[i * G8 + l];
}

/* into the rows of the body on which it hangs; in series by row_series.c */
static bool folds(const clv_rows *w, int strand)
{
    return clv_strand_folds(w->plan, strand) && !(w->carried && w->plan->strand[strand].after >= 0);
}

/* forces, and if `factored` inertias, of the limbs of a group, if it has some, to the rows into which they fold */
static void fold_group(clv_rows *w, int group, bool factored)
{
    const clv_plan *p = w->plan;
    const int n = p->group[group].nstrand;
    _Alignas(64) double I[21 * G8], F[6 * G8];
    if (!w->root[group].limbs)
        return;
    w->kernels->turn_limbs(w, group, w->end[group].turn, I, F);
    for (int l = 0, end; l < n; l = end) { /* limbs of one body, one after the other */
        const int body = w->origin[p->group[group].strand[l]];
        end = l + 1;
        if (!folds(w, p->group[group].strand[l]))
            continue;
        while (end < n && folds(w, p->group[group].strand[end]) && w->origin[p->group[group].strand[end]] == body)
            end++;
        if (factored)
            add_lanes(clv_row_attached(w, w->I, 21, body), I, 21, l, end);
        add_lanes(clv_row_attached(w, w->Q, 6, body), F, 6, l, end);
    }
}

bool clv_rows_finish(clv_rows *w, int group)
{
    for (int l = 0; l < w->plan->group[group].nstrand; l++)
        if (w->engine->out[group].ok[l] != 1.0)
            return false;
    fold_group(w, group, true);
    return true;
}

void clv_rows_finish_loads(clv_rows *w, int group) { fold_group(w, group, false); }

/* motions of bodies on which strands hang, in strand axes; nothing is at their tips */
static void start_folded(const clv_rows *w, int group)
{
    const clv_plan *p = w->plan;
    const clv_strand_out *o = &w->engine->out[group];
    const double *base = w->root[group].base[0];
    if (w->root[group].all && base >= w->x && base < w->x + 6 * G8 * (size_t)w->nrow) { /* not of a pass (T43.9) */
        w->kernels->depart(w, group);
        return;
    }
    for (int l = 0; w->root[group].limbs && l < p->group[group].nstrand; l++) {
        const int k = p->group[group].strand[l], slot = w->origin[k] < 0 ? 0 : w->slot[w->origin[k]];
        if (!clv_strand_folds(p, k) || (w->carried && p->strand[k].series)) /* row_series.c */
            continue;
        double x[6], F[6] = {0};
        const double *R = w->join[k].R;
        clv_row_get(w->x + (size_t)(slot / G8) * 6 * G8 + slot % G8, 6, x);
        clv_row_to_strand(R, x, x);
        clv_row_put(o->x + l, 6, x), clv_row_put(o->F + l, 6, F);
    }
}

void clv_rows_descend_group(const clv_rows *w, int group, bool biased)
{
    start_folded(w, group);
    w->kernels->down(w, group, biased);
}

typedef struct descent {
    const clv_rows *w;
    bool biased;
} descent;
static void descend_group(void *of, int group)
{
    const descent *d = of;
    clv_rows_descend_group(d->w, group, d->biased);
}

void clv_rows_descend(const clv_rows *w, bool biased)
{
    descent d = {w, biased};
    for (int level = w->nlevel - 1; level >= 0; level--)
        clv_rows_of_level(w, level, descend_group, &d);
}

/* Q about the start of a strand, strand axes, with what arrives at its rows in `array` */
static void add_arrivals(const clv_rows *w, double *array, int strand, double Q[6])
{
    const clv_plan *p = w->plan;
    const clv_strand *st = &p->strand[strand];
    const double *start = clv_row_ends_of(w, strand)->start + st->lane;
    double R[9];
    clv_row_axes(w, strand, R);
    for (int i = w->held_first[strand]; i < w->held_first[strand + 1]; i++) {
        const int body = p->bodies[st->first + w->held[i]];
        const double *f = clv_row_attached(w, w->frame, CLV_FRAME, body);
        double W[6], d[3], l[3];
        clv_row_get(clv_row_attached(w, array, 6, body), 6, W);
        for (int x = 0; x < 3; x++)
            d[x] = f[(9 + x) * G8] - start[(9 + x) * G8];
        clv_mat3_transpose_times(l, R, d);
        clv_wrench_shift(W, l, W);
        clv_add6(Q, W);
    }
}

static void to_global(const clv_rows *w, int strand, double Q[6])
{
    double R[9];
    clv_row_axes(w, strand, R);
    clv_row_to_global(R, Q, Q);
}

void clv_rows_own_load(const clv_rows *w, int strand, double Q[6])
{
    const clv_row_ends *o = clv_row_ends_of(w, strand);
    const int lane = w->plan->strand[strand].lane;
    double m[4], gravity[3];
    clv_row_get(o->mass + lane, 4, m), clv_row_get(o->gravity + lane, 3, gravity);
    for (int x = 0; x < 3; x++)
        Q[x] = m[0] * gravity[x];
    clv_cross(Q + 3, m + 1, gravity);
    add_arrivals(w, w->Q, strand, Q);
}

/* gravity, and what arrives at its rows */
void clv_rows_strand_load(const clv_rows *w, int strand, double Q[6])
{
    clv_rows_own_load(w, strand, Q);
    to_global(w, strand, Q);
}

/* momenta of what is attached to the tip of a strand, and of a limb on the body it starts from */
static void strand_momenta(clv_rows *w, int strand)
{
    const clv_plan *p = w->plan;
    const clv_strand *st = &p->strand[strand];
    const clv_strand_out *o = &w->engine->out[st->group];
    const int tip = p->bodies[st->first + st->length - 1];
    double I[21], x[6], W[6], P[6];
    if (st->base == CLV_BASE_FOLD) {
        clv_row_get(o->I + st->lane, 21, I), clv_row_get(o->x + st->lane, 6, x), clv_row_get(o->p + st->lane, 6, W);
        clv_inertia_times(P, I, x);
        for (int i = 0; i < 6; i++)
            P[i] -= W[i];
        clv_row_to_global(w->join[strand].R, P, P);
        clv_rows_attach_own(w, w->P, w->origin[strand], P);
        return;
    }
    if (!w->looped && w->attached[w->slot[tip] / G8] >= 0) { /* else clv_rows_edge_momenta */
        clv_row_get(o->F + st->lane, 6, W);
        for (int i = 0; i < 6; i++)
            P[i] = -W[i];
        clv_rows_attach_own(w, w->P, tip, P);
    }
}

/* the momentum that a joint of six degrees of freedom gives to the body on which nothing hangs by it */
static void detached_momenta(clv_rows *w, const clv_kinematics *k, int piece)
{
    const int base = clv_rows_base(w, piece);
    double P[6];
    if (w->looped || !w->plan->tree[base].detached || w->origin[piece] < 0)
        return;
    clv_wrench_shift(P, k->arm + 3 * (size_t)base, w->join[piece].drive);
    clv_rows_attach(w, w->P, w->origin[piece], P);
}

void clv_rows_collect(clv_rows *w, const clv_kinematics *k)
{
    const clv_plan *p = w->plan;
    for (int n = w->npiece - 1; n >= 0; n--) {
        const int i = w->piece[n], base = clv_rows_base(w, i), origin = w->origin[i];
        const clv_row_run *run = clv_rows_run_of(w, i);
        double Q[6];
        if (clv_rows_in_run(w, i))
            continue;
        if (run)
            clv_rows_run_collect(w, run, Q);
        else if (i < p->nstrand)
            strand_momenta(w, i);
        else
            clv_rows_star_given(w, i - p->nstrand), clv_rows_star_sums(w, k, i - p->nstrand, true);
        detached_momenta(w, k, i);
        if (origin < 0)
            continue;
        if (i < p->nstrand && !run)
            clv_rows_strand_load(w, i, Q);
        else if (!run)
            memcpy(Q, clv_row_entry_of(w, i)->Q, sizeof Q);
        if (clv_rows_floats(w, i))
            clv_wrench_shift(Q, k->arm + 3 * (size_t)base, Q);
        clv_rows_attach(w, w->Q, origin, Q);
    }
}

void clv_rows_hand_group(clv_rows *w, int group)
{
    const clv_row_ends *o = &w->end[group];
    for (int l = 0; l < w->plan->group[group].nstrand; l++) {
        const int k = w->plan->group[group].strand[l];
        double W[6];
        if (!folds(w, k))
            continue;
        clv_row_get(o->P + l, 6, W), clv_row_to_global(w->join[k].R, W, W);
        clv_rows_attach_own(w, w->P, w->origin[k], W);
        clv_row_get(o->Q + l, 6, W), clv_row_to_global(w->join[k].R, W, W);
        clv_rows_attach_own(w, w->Q, w->origin[k], W);
    }
}

/* the same where loops are carried: sums of bodies first, then eight bodies at a time */
static void carried_momenta(clv_rows *w, const double *sigma, double sign)
{
    const clv_plan *p = w->plan;
    for (int i = 0; i < w->nborder; i++)
        memset(w->carry.motion + 6 * (size_t)w->border[i], 0, 6 * sizeof(double));
    for (int i = 0; i < p->nedge; i++)
        for (int h = 0; p->edge[i].tree_body < 0 && h < p->edge[i].nhandle; h++) {
            const clv_edge *edge = &p->edge[i];
            const double *B = w->engine->block + edge->block[h];
            double *W = w->carry.motion + 6 * (size_t)edge->body[h];
            clv_six sum = clv_six_load(W);
            for (int j = 0; j < edge->m; j++)
                sum = clv_six_add(sum, sign * sigma[edge->row + j], clv_six_load(B + 6 * j));
            clv_six_store(W, sum);
        }
    clv_rows_attach_loads(w, w->P, w->carry.motion);
}

/* P += sign K sigma of the bodies that closings hold */
void clv_rows_closing_momenta(clv_rows *w, const double *sigma, double sign)
{
    const clv_plan *p = w->plan;
    const clv_engine *e = w->engine;
    if (w->carried) {
        carried_momenta(w, sigma, sign);
        return;
    }
    for (int i = 0; i < p->nedge; i++)
        for (int h = 0; p->edge[i].tree_body < 0 && h < p->edge[i].nhandle; h++) {
            const clv_edge *edge = &p->edge[i];
            double W[6] = {0};
            for (int j = 0; j < edge->m; j++)
                for (int n = 0; n < 6; n++)
                    W[n] += sign * e->block[edge->block[h] + 6 * j + n] * sigma[edge->row + j];
            clv_rows_attach(w, w->P, edge->body[h], W);
        }
}

static void gather_group(void *of, int group) { ((const clv_rows *)of)->kernels->gather(of, group); }
static void travel_group(void *of, int group)
{
    ((const clv_rows *)of)->kernels->travel(of, group);
    gather_group(of, group);
}

/* momentum of a strand about its start, with what arrives at its rows; global axes */
static void strand_momentum(const clv_rows *w, int strand, double P[6])
{
    clv_row_get(clv_row_ends_of(w, strand)->P + w->plan->strand[strand].lane, 6, P);
    add_arrivals(w, w->P, strand, P);
    to_global(w, strand, P);
}

/* P, and if `loaded` Q, of every piece and all outboard of it, to the row from which it starts.  moving: bodies of
 * flexible bodies have momenta. */
static void hand_on(clv_rows *w, const clv_kinematics *k, bool moving, bool loaded)
{
    const clv_plan *p = w->plan;
    for (int n = w->npiece - 1; n >= 0; n--) {
        const int i = w->piece[n], base = clv_rows_base(w, i);
        const bool star = i >= p->nstrand, floats = clv_rows_floats(w, i);
        double P[6], Q[6];
        if (star)
            clv_rows_star_sums(w, k, i - p->nstrand, moving);
        if (w->origin[i] < 0)
            continue;
        if (star)
            memcpy(P, clv_row_entry_of(w, i)->P, sizeof P);
        else
            strand_momentum(w, i, P);
        if (floats)
            clv_wrench_shift(P, k->arm + 3 * (size_t)base, P);
        clv_rows_attach(w, w->P, w->origin[i], P);
        if (!loaded)
            continue;
        if (star)
            memcpy(Q, clv_row_entry_of(w, i)->Q, sizeof Q);
        else
            clv_rows_strand_load(w, i, Q);
        if (floats)
            clv_wrench_shift(Q, k->arm + 3 * (size_t)base, Q);
        clv_rows_attach(w, w->Q, w->origin[i], Q);
    }
}

void clv_rows_momenta(clv_rows *w, const clv_kinematics *k, const double *sigma)
{
    clear(w, w->P), clear(w, w->Q);
    clv_rows_all(w, travel_group, w);
    if (sigma)
        clv_rows_closing_momenta(w, sigma, -1.0);
    if (sigma)
        clv_rows_segment_handle_momenta(w, k, 1.0), clv_rows_segment_root_momenta(w, k, 1.0);
    hand_on(w, k, true, false);
    if (sigma || w->npiece > 1)
        clv_rows_all(w, gather_group, w);
}

void clv_rows_loaded_momenta(clv_rows *w, const clv_kinematics *k)
{
    clear(w, w->P);
    clv_rows_all(w, travel_group, w);
    hand_on(w, k, true, true);
    if (w->npiece > 1)
        clv_rows_all(w, gather_group, w);
}

void clv_rows_impulses(clv_rows *w, const clv_kinematics *k, const double *sigma)
{
    clear(w, w->P), clear(w, w->Q);
    memset(w->x, 0, 6 * G8 * (size_t)w->nrow * sizeof(double));
    for (int g = 0; g < w->plan->ngroup; g++)
        memset(w->end[g].P, 0, 6 * G8 * sizeof(double));
    clv_rows_closing_momenta(w, sigma, 1.0);
    hand_on(w, k, false, false);
    clv_rows_all(w, gather_group, w);
}

typedef struct energies {
    const clv_rows *w;
    bool solved;
} energies;
static void energy_group(void *of, int group)
{
    const energies *x = of;
    x->w->kernels->energy(x->w, group, x->solved);
}

void clv_rows_energy(const clv_rows *w, bool solved, const double gravity[3], double *kinetic, double *potential,
                     double *squares)
{
    const clv_plan *p = w->plan;
    *kinetic = *potential = *squares = 0;
    clv_rows_all(w, energy_group, &(energies){w, solved});
    for (int g = 0; g < p->ngroup; g++) {
        const clv_row_ends *o = &w->end[g];
        for (int l = 0; l < p->group[g].nstrand; l++) {
            double s[3], m[4], G[3];
            clv_row_get(o->start + 9 * G8 + l, 3, s), clv_row_get(o->mass + l, 4, m), clv_row_get(o->gravity + l, 3, G);
            *kinetic += o->energy[l], *squares += o->energy[G8 + l];
            *potential -= m[0] * clv_dot3(gravity, s) + clv_dot3(G, m + 1);
        }
    }
}
