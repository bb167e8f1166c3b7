/* SPDX-License-Identifier: Apache-2.0
 * Floating bases whose joint is passed from the base to the ground, of mechanisms abreast (T85.6).  What row_scan.c,
 * row_fold.c and the walks do is done lane by lane, in the kinematics of the mechanism's own system.  Called by
 * walk_abreast_base.c. */
#include <string.h>
#include "base/tolerance.h"
#include "formulation/walk_abreast_inward.h"
#include "formulation/walk_steps.h"
#include "math/rotation.h"
#include "math/spatial.h"
#include "math/symmetric.h"

enum { G8 = CLV_GROUP };

/* the base of a strand that floats, in one lane */
typedef struct base {
    clv_system *s;
    const clv_tree_joint *t;
    int body, strand, lane;
    double *G; /* dual free directions */
} base;

static base base_of(const clv_walk_abreast *a, int strand, int lane)
{
    clv_system *s = a->lane[lane].system;
    const int body = clv_rows_base(&s->rows, strand);
    return (base){s, &s->plan->tree[body], body, strand, lane, s->kin.G + clv_columns(s->plan, (size_t)body)};
}

/* row major: strand to global */
static void axes(const clv_walk_abreast *a, const base *b, double R[9])
{
    const double *s = a->rows.rows.end[b->strand].start + b->lane;
    for (int i = 0; i < 3; i++)
        for (int v = 0; v < 3; v++)
            R[3 * i + v] = s[(3 * v + i) * G8];
}
static void both(void (*times)(double *, const double *, const double *), const double R[9], double y[6])
{
    double z[6];
    times(z, R, y), times(z + 3, R, y + 3);
    memcpy(y, z, sizeof z);
}

/* its pose and motion, for joints that it holds */
static void show_base(const clv_walk_abreast *a, const base *b, const double V[6])
{
    const clv_row_limb *l = &a->rows.limb[b->strand];
    const clv_kinematics *k = &b->s->kin;
    const size_t body = (size_t)b->body;
    if (a->rows.nflex == 0)
        return;
    clv_row_put(l->R_base + b->lane, 9, k->R + 9 * body), clv_row_put(l->com_base + b->lane, 3, k->com + 3 * body);
    clv_row_put(l->ref_base + b->lane, 3, k->ref + 3 * body), clv_row_put(l->V_base + b->lane, 6, V);
}

static void start(clv_walk_abreast *a, const base *b, double *ydot)
{
    const double *y = a->y;
    const clv_tree_joint *t = b->t;
    double s[CLV_FRAME], V[6] = {0};
    (void)ydot;
    for (int i = t->iq; i < t->iq + t->nq; i++)
        a->state[i] = y[i * G8 + b->lane];
    for (int i = a->nq + t->iu; i < a->nq + t->iu + t->nu; i++)
        a->state[i] = y[i * G8 + b->lane];
    b->s->rows.posed = -1; /* its poses of the border are those of this state */
    b->s->kin.time = a->lane[b->lane].t;
    clv_rows_floating_start(&b->s->kin, b->body, a->state, a->momenta ? NULL : a->state + a->nq, s, V);
    clv_row_put(a->rows.rows.end[b->strand].start + b->lane, CLV_FRAME, s);
    clv_row_put(a->rows.limb[b->strand].V + b->lane, 6, V);
    show_base(a, b, V);
    if (a->momenta)
        return;
    memcpy(clv_kinematics_u(&b->s->kin, (size_t)b->body), a->state + a->nq + t->iu, (size_t)t->nu * sizeof(double));
    clv_kinematics_body_rates(&b->s->kin, b->body);
}

/* momenta along the joint, as a wrench on its row */
static void drive(clv_walk_abreast *a, const base *b, double *ydot)
{
    const double *y = a->y;
    const clv_row_limb *l = &a->rows.limb[b->strand];
    double W[6] = {0}, R[9], *Q = a->rows.rows.Q + (size_t)l->held[0] * 6 * G8 + b->lane;
    (void)ydot;
    for (int f = 0; f < b->t->f; f++)
        for (int n = 0; n < 6; n++)
            W[n] += b->G[6 * f + n] * y[(a->nq + b->t->iu + f) * G8 + b->lane];
    axes(a, b, R), both(clv_mat3_transpose_times, R, W);
    for (int i = 0; i < 6; i++)
        Q[i * G8] += W[i];
}

/* motion of a base that nothing holds */
static void solve(clv_walk_abreast *a, const base *b, double *ydot)
{
    const clv_strand_out *o = &a->rows.engine.out[b->strand];
    const clv_row_tip *t = &a->rows.tip[b->strand];
    double D[36], x[6];
    (void)ydot;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            D[6 * i + j] = t->any ? t->I[(6 * i + j) * G8 + b->lane] : o->I[CLV_SYM[i][j] * G8 + b->lane];
    clv_row_get((t->any ? t->p : o->p) + b->lane, 6, x);
    if (clv_cholesky(D, 6, CLV_TOL_PIVOT) < 0)
        clv_lower_solve(D, 6, x), clv_lower_transpose_solve(D, 6, x);
    else
        a->lane[b->lane].failed = true;
    clv_row_put(o->x + b->lane, 6, x);
}

/* unknowns u (nu of the joint) of the motion found; it goes to x, global axes */
static void unknowns(const clv_walk_abreast *a, const base *b, const double *c, double x[6], double *u)
{
    double R[9], d[6] = {0};
    clv_row_get(a->rows.rows.x + (size_t)a->rows.rows.first[b->strand] * 6 * G8 + b->lane, 6, x);
    axes(a, b, R), both(clv_mat3_times, R, x);
    for (int n = 0; n < 6; n++)
        d[n] = x[n] - d[n] - (c ? c[n] : 0.0);
    for (int f = 0; f < b->t->f; f++)
        u[f] = clv_dot6(b->G + 6 * f, d);
}

/* hdca: rates of the joint, and derivatives of its directions */
static void move(clv_walk_abreast *a, const base *b, double *ydot)
{
    double *u = b->s->u + b->t->iu;
    (void)ydot;
    unknowns(a, b, NULL, b->s->kin.V + 6 * (size_t)b->body, u);
    memcpy(clv_kinematics_u(&b->s->kin, (size_t)b->body), u, (size_t)b->t->nu * sizeof(double));
    clv_kinematics_body_rates(&b->s->kin, b->body);
}

static void put(double *ydot, int from, int n, int lane, const double *v)
{
    for (int i = 0; i < n; i++)
        ydot[(from + i) * G8 + lane] = v[i];
}

static void give(clv_walk_abreast *a, const base *b, double *ydot)
{
    const clv_tree_joint *t = b->t;
    const clv_kinematics *k = &b->s->kin;
    const size_t at = clv_columns(b->s->plan, (size_t)b->body);
    const double *u = a->momenta ? b->s->u + t->iu : a->state + a->nq + t->iu;
    double qdot[7], second[6] = {0}, P[6], Q[6], R[9], c[6];
    if (a->momenta) {
        axes(a, b, R);
        clv_row_get(a->rows.rows.end[b->strand].P + b->lane, 6, P), both(clv_mat3_times, R, P);
        clv_row_get(a->rows.rows.end[b->strand].Q + b->lane, 6, Q), both(clv_mat3_times, R, Q);
        for (int f = 0; f < t->f; f++)
            second[f] = clv_momentum_rate(k->H + at + 6 * f, k->Hd + at + 6 * f, k->V + 6 * (size_t)b->body, Q, P);
        for (int f = 0; a->loaded && f < t->f; f++)
            second[f] += b->s->tau[t->iu + f];
    } else {
        for (int i = 0; i < t->nu; i++)
            a->state[a->nq + t->iu + i] = clv_kinematics_u(k, (size_t)b->body)[i];
        clv_kinematics_body_bias(k, b->body, c);
        unknowns(a, b, c, P, second);
    }
    for (int i = t->iq; i < t->iq + t->nq; i++)
        a->state[i] = a->y[i * G8 + b->lane];
    clv_joint_qdot(t->kind, a->state + t->iq, u, qdot);
    put(ydot, t->iq, t->nq, b->lane, qdot), put(ydot, a->nq + t->iu, t->nu, b->lane, second);
}

typedef void base_step(clv_walk_abreast *a, const base *b, double *ydot);

/* all of them, lane by lane */
static void each(clv_walk_abreast *a, base_step *step, double *ydot)
{
    for (int k = 0; k < a->rows.plan.ngroup; k++)
        for (int i = 0; a->rows.limb[k].floats && !a->rows.limb[k].joint && a->rows.float_of[k] < 0 && i < a->lanes;
             i++) {
            if (!a->lane[i].required)
                continue;
            const base b = base_of(a, k, i);
            step(a, &b, ydot);
        }
}

void clv_walk_abreast_inward_start(clv_walk_abreast *a) { each(a, start, NULL); }
void clv_walk_abreast_inward_drive(clv_walk_abreast *a) { each(a, drive, NULL); }
void clv_walk_abreast_inward_solve(clv_walk_abreast *a) { each(a, solve, NULL); }
void clv_walk_abreast_inward_move(clv_walk_abreast *a) { each(a, move, NULL); }
void clv_walk_abreast_inward_give(clv_walk_abreast *a, double *ydot) { each(a, give, ydot); }
