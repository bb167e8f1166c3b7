/* SPDX-License-Identifier: Apache-2.0
 * Between strands (T43): where each starts and how it moves, parents first; what each sums, outermost first.  And the
 * border: bodies in model order that joints between strands and loads look at. */
#include "kinematics/place.h"
#include "kinematics/row_joints.h"
#include "kinematics/row_kernels.h"

enum { G8 = CLV_GROUP };

static const clv_row_ends *ends_of(const clv_rows *w, int strand) { return &w->end[w->plan->strand[strand].group]; }

/* a body's lane in an array over attached rows, n numbers a row */
static double *attached_at(const clv_rows *w, double *array, int n, int body)
{
    const int slot = w->slot[body];
    assert(slot >= 0 && w->attached[slot / G8] >= 0); /* rows.c marks all rows at which something starts or acts */
    return array + (size_t)w->attached[slot / G8] * (size_t)n * G8 + slot % G8;
}

/* axes of a piece, row major: strand to global; those of a flexible body are global */
static void axes_of(const clv_rows *w, int strand, double R[9])
{
    static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (strand >= w->plan->nstrand) {
        memcpy(R, unit, sizeof unit);
        return;
    }
    const double *s = ends_of(w, strand)->start + w->plan->strand[strand].lane;
    for (int i = 0; i < 3; i++)
        for (int v = 0; v < 3; v++)
            R[3 * i + v] = s[(3 * v + i) * G8];
}

/* 6-vectors between strand and global axes */
static void to_global(const double R[9], double y[6], const double x[6])
{
    double z[6];
    clv_mat3_times(z, R, x), clv_mat3_times(z + 3, R, x + 3);
    memcpy(y, z, sizeof z);
}
static void to_strand(const double R[9], double y[6], const double x[6])
{
    double z[6];
    clv_mat3_transpose_times(z, R, x), clv_mat3_transpose_times(z + 3, R, x + 3);
    memcpy(y, z, sizeof z);
}

/* axes of a strand beside those of the strand from which it starts */
static void folded_axes(const clv_rows *w, int strand, double R[9])
{
    double own[9], other[9];
    axes_of(w, strand, own), axes_of(w, w->strand_of[w->origin[strand]], other);
    clv_mat3_transpose_product(R, other, own);
}

/* ------------------------------------------------------------------ starts */

/* f := s f, both as axes and position */
static void frame_product(const double s[CLV_FRAME], double f[CLV_FRAME])
{
    for (int v = 0; v < 4; v++) {
        double x[3];
        for (int i = 0; i < 3; i++)
            x[i] = s[i] * f[3 * v] + s[3 + i] * f[3 * v + 1] + s[6 + i] * f[3 * v + 2];
        for (int i = 0; i < 3; i++)
            f[3 * v + i] = x[i] + (v == 3 ? s[9 + i] : 0.0);
    }
}

/* motion of a point of a strand: run, in the axes of the start s and as if that were at rest, and V of the start */
static void add_run(const double s[CLV_FRAME], const double f[CLV_FRAME], const double V[6], double run[6])
{
    double l[3], x[6];
    clv_sub3(l, f + 9, s + 9);
    clv_motion_shift(x, l, V);
    for (int h = 0; h < 2; h++)
        for (int i = 0; i < 3; i++)
            x[3 * h + i] += s[i] * run[3 * h] + s[3 + i] * run[3 * h + 1] + s[6 + i] * run[3 * h + 2];
    memcpy(run, x, sizeof x);
}

/* pose of a body of the border out of the frame of its inboard joint */
static void border_pose(clv_kinematics *k, int body, const double f[CLV_FRAME])
{
    const clv_body *b = &k->plan->model->body[body];
    const double B[9] = {f[0], f[3], f[6], f[1], f[4], f[7], f[2], f[5], f[8]}, *at;
    double E[9], x[3], *R = k->R + 9 * (size_t)body, *com = k->com + 3 * (size_t)body;
    clv_row_own_frame(k->plan, body, E, &at);
    clv_mat3_product_transpose(R, B, E);
    clv_copy3(k->ref + 3 * (size_t)body, f + 9);
    clv_sub3(x, b->com, at);
    clv_mat3_times(com, R, x);
    clv_axpy3(com, 1.0, f + 9);
}

/* a base that has no joint of its strand: its pose by that joint, from the border      */
static void floating_start(clv_kinematics *k, int base, const double *q, const double *u, double s[CLV_FRAME],
                           double V[6])
{
    const clv_tree_joint *t = &k->plan->tree[base];
    const clv_joint *j = clv_tree_joint_of(k->plan, base);
    double B[9];
    clv_kinematics_body_pose(k, base, q);
    clv_kinematics_body_directions(k, base);
    clv_mat3_product(B, k->R + 9 * (size_t)base, t->reversed ? j->Ea : j->Eb);
    for (int v = 0; v < 3; v++)
        for (int i = 0; i < 3; i++)
            s[3 * v + i] = B[3 * i + v];
    clv_copy3(s + 9, k->ref + 3 * (size_t)base);
    if (!u)
        return;
    clv_kinematics_body_velocity(k, base, u);
    memcpy(V, k->V + 6 * (size_t)base, 6 * sizeof(double));
}

/* how a strand starts, V, and its border moves; frames are global already */
static void strand_rates(clv_rows *w, clv_kinematics *k, int strand, const double *u)
{
    const clv_plan *p = w->plan;
    const clv_strand *st = &p->strand[strand];
    const clv_row_ends *o = ends_of(w, strand);
    const int base = p->bodies[st->first], origin = w->origin[strand];
    double s[CLV_FRAME], V[6] = {0}, R[9], x[6];
    if (clv_rows_floats(w, strand)) {
        clv_kinematics_body_velocity(k, base, u);
        memcpy(V, k->V + 6 * (size_t)base, sizeof V);
    } else if (origin >= 0)
        clv_row_get(attached_at(w, w->run, 6, origin), 6, V);
    clv_row_get(o->start + st->lane, CLV_FRAME, s);
    axes_of(w, strand, R), to_strand(R, x, V);
    clv_row_put(o->motion + st->lane, 6, x);
    for (int i = w->held_first[strand]; i < w->held_first[strand + 1]; i++) {
        const int body = p->bodies[st->first + w->held[i]];
        double f[CLV_FRAME], run[6], *to = attached_at(w, w->run, 6, body);
        clv_row_get(attached_at(w, w->frame, CLV_FRAME, body), CLV_FRAME, f), clv_row_get(to, 6, run);
        add_run(s, f, V, run);
        clv_row_put(to, 6, run);
        if ((w->mark[body] & CLV_ROWS_BORDER) && !(body == base && clv_rows_floats(w, strand)))
            memcpy(k->V + 6 * (size_t)body, run, sizeof run);
    }
}

void clv_rows_scan_rates(clv_rows *w, clv_kinematics *k, const double *u)
{
    for (int g = 0; g < w->plan->ngroup; g++)
        w->kernels->run(w, g);
    for (int i = 0; i < w->npiece; i++)
        if (w->piece[i] < w->plan->nstrand)
            strand_rates(w, k, w->piece[i], u);
        else
            clv_rows_star_move(k, w->piece[i] - w->plan->nstrand, u);
}

static void scan_strand(clv_rows *w, clv_kinematics *k, int strand, const double *q, const double *u,
                        const double gravity[3])
{
    const clv_plan *p = w->plan;
    const clv_strand *st = &p->strand[strand];
    const clv_row_ends *o = ends_of(w, strand);
    const int base = p->bodies[st->first], origin = w->origin[strand];
    double s[CLV_FRAME] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, V[6] = {0};
    if (clv_rows_floats(w, strand))
        floating_start(k, base, q, u, s, V);
    else if (origin >= 0) {
        clv_row_get(attached_at(w, w->frame, CLV_FRAME, origin), CLV_FRAME, s);
        if (u)
            clv_row_get(attached_at(w, w->run, 6, origin), 6, V);
    }
    clv_row_put(o->start + st->lane, CLV_FRAME, s);
    double R[9], x[6], g[3];
    axes_of(w, strand, R);
    if (origin >= 0 && !clv_rows_floats(w, strand))
        folded_axes(w, strand, w->join[strand].R);
    to_strand(R, x, V), clv_mat3_transpose_times(g, R, gravity);
    clv_row_put(o->motion + st->lane, 6, x), clv_row_put(o->gravity + st->lane, 3, g);
    for (int i = w->held_first[strand]; i < w->held_first[strand + 1]; i++) {
        const int body = p->bodies[st->first + w->held[i]];
        double f[CLV_FRAME], run[6], *to = attached_at(w, w->frame, CLV_FRAME, body);
        clv_row_get(to, CLV_FRAME, f);
        frame_product(s, f);
        clv_row_put(to, CLV_FRAME, f);
        if (u) {
            clv_row_get(attached_at(w, w->run, 6, body), 6, run);
            add_run(s, f, V, run);
            clv_row_put(attached_at(w, w->run, 6, body), 6, run);
        }
        if (!(w->mark[body] & CLV_ROWS_BORDER) || (body == base && clv_rows_floats(w, strand)))
            continue;
        border_pose(k, body, f);
        if (u)
            memcpy(k->V + 6 * (size_t)body, run, sizeof run);
    }
}

static void star_start(clv_kinematics *k, int star, const double *q, const double *u)
{
    clv_rows_star_pose(k, star, q);
    if (u)
        clv_rows_star_move(k, star, u);
}

void clv_rows_scan(clv_rows *w, clv_kinematics *k, const double *q, const double *u, const double gravity[3])
{
    for (int i = 0; i < w->npiece; i++)
        if (w->piece[i] < w->plan->nstrand)
            scan_strand(w, k, w->piece[i], q, u, gravity);
        else
            star_start(k, w->piece[i] - w->plan->nstrand, q, u);
}

/* ------------------------------------------------------------------ solutions */

void clv_rows_outer(const clv_rows *w, const clv_kinematics *k, const double *c, double *x, double *u)
{
    const clv_plan *p = w->plan;
    for (int i = 0; i < w->nborder; i++) {
        clv_rows_motion(w, w->border[i], x + 6 * (size_t)w->border[i]);
    }
    for (int i = 0; i < w->npiece; i++) {
        const int b = clv_rows_base(w, i);
        const clv_tree_joint *t = &p->tree[b];
        double d[6] = {0};
        if (!clv_rows_floats(w, i) || !(t->detached || w->looped))
            continue;
        if (t->parent >= 0)
            clv_motion_shift(d, k->arm + 3 * (size_t)b, x + 6 * (size_t)t->parent);
        for (int n = 0; n < 6; n++)
            d[n] = x[6 * b + n] - d[n] - (c ? c[6 * b + n] : 0.0);
        for (int f = 0; f < t->f; f++)
            u[t->iu + f] = clv_dot6(k->G + clv_columns(p, (size_t)b) + 6 * (size_t)f, d);
    }
}

/* ------------------------------------------------------------------ wrenches from elsewhere, and sums */

/* P or Q */
static void clear(const clv_rows *w, double *array)
{
    memset(array, 0, 6 * G8 * (size_t)w->nattached * sizeof(double));
    for (int s = 0; s < w->plan->nstar; s++)
        for (int i = 0; i <= w->plan->model->flex[s].nnode; i++)
            memset(array == w->P ? w->star[s].hold[i].P : w->star[s].hold[i].Q, 0, 6 * sizeof(double));
}

void clv_rows_clear(clv_rows *w)
{
    memset(w->I, 0, 21 * G8 * (size_t)w->nattached * sizeof(double));
    clear(w, w->P), clear(w, w->Q);
}

/* W in strand axes */
static void attach(const clv_rows *w, double *array, int body, const double W[6])
{
    double *to = attached_at(w, array, 6, body);
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
    axes_of(w, w->strand_of[body], R);
    to_strand(R, x, W);
    attach(w, array, body, x);
}

void clv_rows_drive(clv_rows *w, const clv_kinematics *k, const double *tau)
{
    const clv_plan *p = w->plan;
    for (int i = 0; i < w->npiece; i++) {
        const int b = clv_rows_base(w, i);
        const clv_tree_joint *t = &p->tree[b];
        double W[6] = {0};
        if (!clv_rows_floats(w, i) || !(t->detached || w->looped))
            continue;
        for (int f = 0; f < t->f; f++)
            for (int n = 0; n < 6; n++)
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

/* inertias and forces of the limbs of a group, to the rows into which they fold; axes R (9 x 8) beside theirs */
static void fold_limbs(clv_rows *w, int group, const double *R)
{
    const clv_plan *p = w->plan;
    _Alignas(64) double I[21 * G8], F[6 * G8];
    double f[6];
    w->kernels->turn_limbs(w, group, R, I, F);
    for (int l = 0; l < p->group[group].nstrand; l++) {
        const int k = p->group[group].strand[l];
        if (p->strand[k].base != CLV_BASE_FOLD)
            continue;
        double *to = attached_at(w, w->I, 21, w->origin[k]);
        for (int i = 0; i < 21 * G8; i += G8)
            to[i] += I[i + l];
        clv_row_get(F + l, 6, f);
        attach(w, w->Q, w->origin[k], f);
    }
}

bool clv_rows_finish(clv_rows *w, int group)
{
    const clv_plan *p = w->plan;
    _Alignas(64) double R[9 * G8] = {0};
    bool limbs = false;
    for (int l = 0; l < p->group[group].nstrand; l++) {
        const int k = p->group[group].strand[l];
        if (w->engine->out[group].ok[l] != 1.0)
            return false;
        if (p->strand[k].base != CLV_BASE_FOLD)
            continue;
        clv_row_put(R + l, 9, w->join[k].R);
        limbs = true;
    }
    if (limbs)
        fold_limbs(w, group, R);
    return true;
}

static void start_folded(const clv_rows *w, int group)
{
    const clv_plan *p = w->plan;
    const clv_strand_out *o = &w->engine->out[group];
    for (int l = 0; l < p->group[group].nstrand; l++) {
        const int k = p->group[group].strand[l], slot = w->origin[k] < 0 ? 0 : w->slot[w->origin[k]];
        if (p->strand[k].base != CLV_BASE_FOLD)
            continue;
        double x[6], F[6] = {0};
        const double *R = w->join[k].R;
        clv_row_get(w->x + (size_t)(slot / G8) * 6 * G8 + slot % G8, 6, x);
        to_strand(R, x, x);
        clv_row_put(o->x + l, 6, x), clv_row_put(o->F + l, 6, F);
    }
}

void clv_rows_descend_group(const clv_rows *w, int group, bool biased)
{
    start_folded(w, group);
    w->kernels->down(w, group, biased);
}

void clv_rows_descend(const clv_rows *w, bool biased)
{
    for (int g = w->plan->ngroup - 1; g >= 0; g--)
        clv_rows_descend_group(w, g, biased);
}

/* Q about the start of a strand, strand axes, with what arrives at its rows in `array`; to global axes */
static void add_arrivals(const clv_rows *w, double *array, int strand, double Q[6])
{
    const clv_plan *p = w->plan;
    const clv_strand *st = &p->strand[strand];
    const double *start = ends_of(w, strand)->start + st->lane;
    double R[9];
    axes_of(w, strand, R);
    for (int i = w->held_first[strand]; i < w->held_first[strand + 1]; i++) {
        const int body = p->bodies[st->first + w->held[i]];
        const double *f = attached_at(w, w->frame, CLV_FRAME, body);
        double W[6], d[3], l[3];
        clv_row_get(attached_at(w, array, 6, body), 6, W);
        for (int x = 0; x < 3; x++)
            d[x] = f[(9 + x) * G8] - start[(9 + x) * G8];
        clv_mat3_transpose_times(l, R, d);
        clv_wrench_shift(W, l, W);
        clv_add6(Q, W);
    }
    to_global(R, Q, Q);
}

/* load of a strand about its start, global axes: gravity, and what arrives at its rows */
static void strand_load(const clv_rows *w, int strand, double Q[6])
{
    const clv_row_ends *o = ends_of(w, strand);
    const int lane = w->plan->strand[strand].lane;
    double m[4], gravity[3];
    clv_row_get(o->mass + lane, 4, m), clv_row_get(o->gravity + lane, 3, gravity);
    for (int x = 0; x < 3; x++)
        Q[x] = m[0] * gravity[x];
    clv_cross(Q + 3, m + 1, gravity);
    add_arrivals(w, w->Q, strand, Q);
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
        to_global(w->join[strand].R, P, P);
        attach(w, w->P, w->origin[strand], P);
        return;
    }
    if (!w->looped && w->attached[w->slot[tip] / G8] >= 0) { /* else clv_rows_edge_momenta */
        clv_row_get(o->F + st->lane, 6, W);
        for (int i = 0; i < 6; i++)
            P[i] = -W[i];
        attach(w, w->P, tip, P);
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
        double Q[6];
        if (i < p->nstrand)
            strand_momenta(w, i);
        else
            clv_rows_star_given(w, i - p->nstrand), clv_rows_star_sums(w, k, i - p->nstrand);
        detached_momenta(w, k, i);
        if (origin < 0)
            continue;
        if (i < p->nstrand)
            strand_load(w, i, Q);
        else
            memcpy(Q, clv_row_entry_of(w, i)->Q, sizeof Q);
        if (clv_rows_floats(w, i))
            clv_wrench_shift(Q, k->arm + 3 * (size_t)base, Q);
        clv_rows_attach(w, w->Q, origin, Q);
    }
}

/* P -= K sigma of the bodies that closings hold */
static void take_off_closings(clv_rows *w, const double *sigma)
{
    const clv_plan *p = w->plan;
    const clv_engine *e = w->engine;
    for (int i = 0; i < p->nedge; i++)
        for (int h = 0; p->edge[i].tree_body < 0 && h < p->edge[i].nhandle; h++) {
            const clv_edge *edge = &p->edge[i];
            double W[6] = {0};
            for (int j = 0; j < edge->m; j++)
                for (int n = 0; n < 6; n++)
                    W[n] -= e->block[edge->block[h] + 6 * j + n] * sigma[edge->row + j];
            clv_rows_attach(w, w->P, edge->body[h], W);
        }
}

void clv_rows_momenta(clv_rows *w, const clv_kinematics *k, const double *sigma)
{
    const clv_plan *p = w->plan;
    clear(w, w->P), clear(w, w->Q);
    for (int g = 0; g < p->ngroup; g++)
        w->kernels->travel(w, g), w->kernels->gather(w, g);
    if (sigma)
        take_off_closings(w, sigma);
    for (int n = w->npiece - 1; n >= 0; n--) {
        const int i = w->piece[n], base = clv_rows_base(w, i);
        double P[6];
        if (i >= p->nstrand)
            clv_rows_star_sums(w, k, i - p->nstrand);
        if (w->origin[i] < 0)
            continue;
        if (i >= p->nstrand)
            memcpy(P, clv_row_entry_of(w, i)->P, sizeof P);
        else
            clv_row_get(ends_of(w, i)->P + p->strand[i].lane, 6, P), add_arrivals(w, w->P, i, P);
        if (clv_rows_floats(w, i))
            clv_wrench_shift(P, k->arm + 3 * (size_t)base, P);
        clv_rows_attach(w, w->P, w->origin[i], P);
    }
    for (int g = 0; (sigma || w->npiece > 1) && g < p->ngroup; g++)
        w->kernels->gather(w, g);
}

void clv_rows_energy(const clv_rows *w, bool solved, const double gravity[3], double *kinetic, double *potential,
                     double *squares)
{
    const clv_plan *p = w->plan;
    *kinetic = *potential = *squares = 0;
    for (int g = 0; g < p->ngroup; g++) {
        const clv_row_ends *o = &w->end[g];
        w->kernels->energy(w, g, solved);
        for (int l = 0; l < p->group[g].nstrand; l++) {
            double s[3], m[4], G[3];
            clv_row_get(o->start + 9 * G8 + l, 3, s), clv_row_get(o->mass + l, 4, m), clv_row_get(o->gravity + l, 3, G);
            *kinetic += o->energy[l], *squares += o->energy[G8 + l];
            *potential -= m[0] * clv_dot3(gravity, s) + clv_dot3(G, m + 1);
        }
    }
}

void clv_rows_base_sums(const clv_rows *w, int strand, double P[6], double Q[6])
{
    if (strand >= w->plan->nstrand) {
        const clv_row_hold *hold = clv_row_entry_of(w, strand);
        memcpy(P, hold->P, 6 * sizeof(double)), memcpy(Q, hold->Q, 6 * sizeof(double));
        return;
    }
    const clv_row_ends *o = ends_of(w, strand);
    double R[9];
    axes_of(w, strand, R);
    clv_row_get(o->P + w->plan->strand[strand].lane, 6, P), to_global(R, P, P);
    clv_row_get(o->Q + w->plan->strand[strand].lane, 6, Q), to_global(R, Q, Q);
}

void clv_rows_motion(const clv_rows *w, int body, double x[6])
{
    const int slot = w->slot[body];
    double R[9];
    const clv_row_hold *hold = clv_row_hold_of(w, body);
    if (hold) {
        memcpy(x, hold->x, sizeof hold->x);
        return;
    }
    axes_of(w, w->strand_of[body], R);
    clv_row_get(w->x + (size_t)(slot / G8) * 6 * G8 + slot % G8, 6, x);
    to_global(R, x, x);
}

void clv_rows_strand_axes(const clv_rows *w, int strand, double R[9]) { axes_of(w, strand, R); }
