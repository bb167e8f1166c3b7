/* SPDX-License-Identifier: Apache-2.0
 * A stage of a sensitivity run (T109): the chart of a step, loops closed by the dependent coordinates, accelerations,
 * and the derivatives of all that. */
#include "base/error.h"
#include "formulation/walk.h"
#include "math/rotation.h"
#include "simulation/assemble.h"
#include "simulation/sensitivity.h"
#include <math.h>
#include <string.h>

enum { MOST = 30 }; /* iterations that close the loops of a stage */

/* ------------------------------------------------------------------ the chart (T109.1) */

/* first of the three rotations of a quaternion among the rates of a joint, and of the quaternion in q; -1: none */
static int turn_of(const clv_tree_joint *t)
{
    return t->f > 0 && t->nq > t->nu ? t->nu - 3 : -1;
}

void clv_chart_move(const clv_sensitivity_work *w, double *to, const double *from, const double *theta)
{
    memcpy(to, from, (size_t)w->nq * sizeof(double));
    for (int b = 0; b < w->plan->nbody; b++) {
        const clv_tree_joint *t = &w->plan->tree[b];
        const int turn = turn_of(t);
        for (int c = 0; c < (turn < 0 ? t->f : turn); c++)
            to[t->iq + c] += theta[t->iu + c];
        if (turn >= 0) {
            const double *x = theta + t->iu + turn, s = 1 / sqrt(1 + 0.25 * clv_dot3(x, x));
            const double step[4] = {s, 0.5 * s * x[0], 0.5 * s * x[1], 0.5 * s * x[2]};
            clv_quat_product(to + t->iq + turn, from + t->iq + turn, step);
            clv_quat_normalize(to + t->iq + turn);
        }
    }
}

/* k := (1 + x~ / 2 + x x^T / 4) u */
static void turn_rate(double k[3], const double x[3], const double u[3])
{
    const double along = 0.25 * clv_dot3(x, u);
    clv_cross(k, x, u);
    for (int i = 0; i < 3; i++)
        k[i] = u[i] + 0.5 * k[i] + along * x[i];
}

void clv_chart_rate(const clv_sensitivity_work *w, double *k, const double *theta, const double *u)
{
    memcpy(k, u, (size_t)w->n * sizeof(double));
    for (int b = 0; b < w->plan->nbody; b++) {
        const int turn = turn_of(&w->plan->tree[b]), at = w->plan->tree[b].iu + turn;
        if (turn >= 0)
            turn_rate(k + at, theta + at, u + at);
    }
}

void clv_chart_rate_back(const clv_sensitivity_work *w, const double *k_bar, const double *theta, const double *u,
                         double *theta_bar, double *u_bar)
{
    for (int b = 0; b < w->plan->nbody; b++) {
        const clv_tree_joint *t = &w->plan->tree[b];
        const int turn = turn_of(t), at = t->iu + turn;
        for (int c = 0; c < (turn < 0 ? t->f : turn); c++)
            u_bar[t->iu + c] += k_bar[t->iu + c];
        if (turn < 0)
            continue;
        const double *x = theta + at, *v = u + at, *k = k_bar + at, xk = clv_dot3(x, k), xu = clv_dot3(x, v);
        double a[3], b3[3];
        clv_cross(a, k, x), clv_cross(b3, v, k);
        for (int i = 0; i < 3; i++) {
            u_bar[at + i] += k[i] + 0.5 * a[i] + 0.25 * xk * x[i];
            theta_bar[at + i] += 0.5 * b3[i] + 0.25 * (xu * k[i] + xk * v[i]);
        }
    }
}

static void get3(double y[3], const double *A, int at, int P, int c)
{
    for (int i = 0; i < 3; i++)
        y[i] = A[(size_t)(at + i) * (size_t)P + (size_t)c];
}

static void put3(double *A, int at, int P, int c, const double y[3])
{
    for (int i = 0; i < 3; i++)
        A[(size_t)(at + i) * (size_t)P + (size_t)c] = y[i];
}

void clv_chart_rate_change(const clv_sensitivity_work *w, const double *theta, const double *u, const double *dtheta,
                           const double *du, double *dk, int P)
{
    memcpy(dk, du, (size_t)w->n * (size_t)P * sizeof(double));
    for (int b = 0; b < w->plan->nbody; b++) {
        const int turn = turn_of(&w->plan->tree[b]), at = w->plan->tree[b].iu + turn;
        for (int c = 0; c < P && turn >= 0; c++) {
            double dx[3], dv[3], k[3], y[3];
            get3(dx, dtheta, at, P, c), get3(dv, du, at, P, c);
            turn_rate(k, theta + at, dv);
            clv_cross(y, dx, u + at);
            const double xu = clv_dot3(theta + at, u + at), dxu = clv_dot3(dx, u + at);
            for (int i = 0; i < 3; i++)
                k[i] += 0.5 * y[i] + 0.25 * (dx[i] * xu + theta[at + i] * dxu);
            put3(dk, at, P, c, k);
        }
    }
}

/* C of Cayley's map of x */
static void turn_matrix(double C[9], const double x[3])
{
    const double s = 1 / sqrt(1 + 0.25 * clv_dot3(x, x)), e[4] = {s, 0.5 * s * x[0], 0.5 * s * x[1], 0.5 * s * x[2]};
    clv_quat_rotation(C, e);
}

/* y := (v - sign x~ v / 2) / (1 + x^2 / 4): B v, or B^T v with sign -1 */
static void turn_of_change(double y[3], const double x[3], const double v[3], double sign)
{
    const double s = 1 / (1 + 0.25 * clv_dot3(x, x));
    clv_cross(y, x, v);
    for (int i = 0; i < 3; i++)
        y[i] = s * (v[i] - 0.5 * sign * y[i]);
}

void clv_chart_change(const clv_sensitivity_work *w, const double *theta, const double *dx0, const double *dtheta,
                      double *dx, int P)
{
    for (size_t i = 0; i < (size_t)w->n * (size_t)P; i++)
        dx[i] = dx0[i] + dtheta[i];
    for (int b = 0; b < w->plan->nbody; b++) {
        const int turn = turn_of(&w->plan->tree[b]), at = w->plan->tree[b].iu + turn;
        double C[9];
        if (turn < 0)
            continue;
        turn_matrix(C, theta + at);
        for (int c = 0; c < P; c++) {
            double v[3], y[3], z[3];
            get3(v, dx0, at, P, c);
            clv_mat3_transpose_times(y, C, v);
            get3(v, dtheta, at, P, c);
            turn_of_change(z, theta + at, v, 1);
            clv_axpy3(y, 1, z);
            put3(dx, at, P, c, y);
        }
    }
}

void clv_chart_find(const clv_sensitivity_work *w, const double *theta, const double *dx0, const double *dx,
                    double *dtheta, int P)
{
    for (size_t i = 0; i < (size_t)w->n * (size_t)P; i++)
        dtheta[i] = dx[i] - dx0[i];
    for (int b = 0; b < w->plan->nbody; b++) {
        const int turn = turn_of(&w->plan->tree[b]), at = w->plan->tree[b].iu + turn;
        double C[9];
        if (turn < 0)
            continue;
        turn_matrix(C, theta + at);
        for (int c = 0; c < P; c++) {
            double v[3], y[3], z[3];
            get3(v, dx0, at, P, c), get3(z, dx, at, P, c);
            clv_mat3_transpose_times(y, C, v);
            clv_axpy3(z, -1, y);
            turn_rate(y, theta + at, z);
            put3(dtheta, at, P, c, y);
        }
    }
}

void clv_chart_change_back(const clv_sensitivity_work *w, const double *theta, const double *x_bar, double *x0_bar,
                           double *theta_bar)
{
    for (int b = 0; b < w->plan->nbody; b++) {
        const clv_tree_joint *t = &w->plan->tree[b];
        const int turn = turn_of(t), at = t->iu + turn;
        double C[9], y[3];
        for (int c = 0; c < (turn < 0 ? t->f : turn); c++)
            x0_bar[t->iu + c] += x_bar[t->iu + c], theta_bar[t->iu + c] += x_bar[t->iu + c];
        if (turn < 0)
            continue;
        turn_matrix(C, theta + at);
        clv_mat3_times(y, C, x_bar + at), clv_axpy3(x0_bar + at, 1, y);
        turn_of_change(y, theta + at, x_bar + at, -1), clv_axpy3(theta_bar + at, 1, y);
    }
}

/* ------------------------------------------------------------------ loops */

void clv_closed_rows(clv_sensitivity_work *w)
{
    const clv_plan *p = w->plan;
    const clv_engine *engine = &w->s->system.engine;
    memset(w->J, 0, (size_t)w->m * (size_t)w->n * sizeof(double));
    for (int e = 0; e < p->nedge; e++) {
        const clv_edge *edge = &p->edge[e];
        for (int h = 0; clv_edge_closes(edge) && h < edge->nhandle; h++)
            for (int r = 0; r < edge->m; r++)
                clv_assembly_carry(w->s, w->J + (size_t)(edge->row + r) * (size_t)w->n, edge->body[h],
                                   engine->block + edge->block[h] + 6 * r);
    }
}

/* w->JB := J B */
static void chart_rows(clv_sensitivity_work *w, const double *theta)
{
    const size_t n = (size_t)w->n;
    memcpy(w->JB, w->J, (size_t)w->m * n * sizeof(double));
    for (int b = 0; b < w->plan->nbody; b++) {
        const int turn = turn_of(&w->plan->tree[b]), at = w->plan->tree[b].iu + turn;
        for (size_t i = 0; i < (size_t)w->m && turn >= 0; i++) {
            double y[3];
            turn_of_change(y, theta + at, w->J + i * n + at, -1);
            clv_copy3(w->JB + i * n + at, y);
        }
    }
}

clv_status clv_closed_singular(clv_sensitivity_work *w, double t)
{
    clv_sim *s = w->s;
    clv_fail(&s->error, CLV_ERR_SINGULAR,
             "the loops are in a singular position at t = %.9g s: the run has no "
             "sensitivities",
             t);
    s->error.time = t;
    return s->error.code;
}

/* the factor of the rows at theta, for coordinates that are far from closed */
static clv_status refresh(clv_sensitivity_work *w, const clv_closed_state *x)
{
    const clv_status st = clv_system_pose(&w->s->system, x->t, x->q);
    if (st != CLV_OK)
        return st;
    clv_closed_rows(w);
    chart_rows(w, x->theta);
    return clv_partition_factor(w, w->JB, w->LB, w->pivot_B) ? CLV_OK : clv_closed_singular(w, x->t);
}

static double along(const double *a, const double *b, int r)
{
    double sum = 0;
    for (int i = 0; i < r; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Correction number k of the dependent entries, w->x by an old factor, with what those before it show of the
 * rows (Broyden's first method, T109.3); it is kept as the next one.  False: no improvement. */
static bool improve(clv_sensitivity_work *w, int k)
{
    const int r = w->r;
    const clv_partition *p = w->partition;
    double *now = w->moved + (size_t)k * (size_t)r;
    for (int i = 0; i < r; i++)
        now[i] = w->x[i] / w->unit[p->column[i]];
    for (int j = 0; j < k; j++) {
        const double *last = w->moved + (size_t)j * (size_t)r, *next = last + r;
        const double part = along(last, now, r) / along(last, last, r);
        if (j == k - 1 && !(fabs(part) < 0.5))
            return false;
        for (int i = 0; i < r; i++)
            now[i] = j < k - 1 ? now[i] + next[i] * part : now[i] / (1 - part);
    }
    for (int i = 0; i < r; i++)
        w->x[i] = now[i] * w->unit[p->column[i]];
    return true;
}

/* Dependent entries of theta, by Newton's method with the rows of the stage before, improved.  Where the next
 * correction would be rounding, the last one is applied and not looked at. */
static clv_status close_positions(clv_sensitivity_work *w, const double *from, clv_closed_state *x)
{
    clv_kinematics *kin = &w->s->system.kin;
    const clv_partition *p = w->partition;
    double before = INFINITY;
    bool fresh = false;
    for (int k = 0, kept = 0; k < MOST; k++) {
        double size = 0;
        clv_chart_move(w, x->q, from, x->theta);
        clv_kinematics_poses(kin, x->t, x->q);
        clv_kinematics_violation(kin, w->gap);
        for (int i = 0; i < w->r; i++)
            w->x[i] = w->gap[p->row[i]];
        clv_partition_solve(w->r, fresh ? w->LB : w->LU, fresh ? w->pivot_B : w->pivot, w->x, 1);
        kept = kept < CLV_MOVED && improve(w, kept) ? kept + 1 : 0;
        for (int i = 0; i < w->r; i++)
            size = fmax(size, fabs(w->x[i]) / w->unit[p->column[i]]) + (isnan(w->x[i]) ? NAN : 0);
        if (!(size < 1))
            break;
        if (size < 1e-13 && (size < 1e-15 || size >= 0.5 * before))
            return CLV_OK;
        for (int i = 0; i < w->r; i++)
            x->theta[p->column[i]] -= w->x[i];
        if (k > 0 && size * (size / before) < 1e-16) {
            clv_chart_move(w, x->q, from, x->theta);
            return CLV_OK;
        }
        if (k > 1 && size > 0.1 * before) {
            clv_chart_move(w, x->q, from, x->theta);
            const clv_status st = refresh(w, x);
            if (st != CLV_OK)
                return st;
            fresh = true, kept = 0;
        }
        before = size;
    }
    clv_fail(&w->s->error, CLV_ERR_NO_CONVERGENCE, "the loops do not close in a step at t = %.9g s", x->t);
    w->s->error.time = x->t;
    return w->s->error.code;
}

static clv_status close_rates(clv_sensitivity_work *w, clv_closed_state *x)
{
    clv_kinematics *kin = &w->s->system.kin;
    const clv_partition *p = w->partition;
    clv_closed_rows(w);
    if (!clv_partition_factor(w, w->J, w->LU, w->pivot))
        return clv_closed_singular(w, x->t);
    for (int again = 0; again < 2; again++) {
        clv_kinematics_velocities(kin, x->u);
        clv_kinematics_velocity_violation(kin, w->gap);
        for (int i = 0; i < w->r; i++)
            w->x[i] = w->gap[p->row[i]];
        clv_partition_solve(w->r, w->LU, w->pivot, w->x, 1);
        for (int i = 0; i < w->r; i++)
            x->u[p->column[i]] -= w->x[i];
    }
    return CLV_OK;
}

/* accelerations of the placed system */
static clv_status accelerate(clv_sensitivity_work *w, const clv_closed_state *x)
{
    clv_system *k = &w->s->system;
    clv_kinematics_velocities(&k->kin, x->u);
    clv_kinematics_rates(&k->kin);
    const clv_status st = clv_system_loads(k);
    if (st != CLV_OK)
        return st;
    clv_system_accelerate(k);
    w->shown.evaluations++;
    return k->truncated > w->s->base_nullity ? clv_closed_singular(w, x->t) : clv_system_solved(k);
}

/* the same of open trees, in rows */
static clv_status accelerate_in_rows(clv_sensitivity_work *w, clv_closed_state *x)
{
    clv_system *k = &w->s->system;
    const size_t n = (size_t)w->n, nq = (size_t)w->nq;
    memcpy(w->rows_y, x->q, nq * sizeof(double)), memcpy(w->rows_y + nq, x->u, n * sizeof(double));
    k->lean = true;
    const clv_status st = clv_dca_rates(k, x->t, w->rows_y, w->rows_y + nq + n + 1);
    k->lean = k->walked = false;
    w->shown.evaluations++;
    if (st == CLV_OK)
        memcpy(x->udot, w->rows_y + 2 * nq + n + 1, n * sizeof(double));
    return st;
}

clv_status clv_closed_show(clv_sensitivity_work *w, const clv_closed_state *x)
{
    const clv_status st = clv_system_pose(&w->s->system, x->t, x->q);
    if (st == CLV_OK)
        clv_kinematics_velocities(&w->s->system.kin, x->u);
    return st;
}

clv_status clv_closed_find(clv_sensitivity_work *w, const double *from, clv_closed_state *x)
{
    clv_system *k = &w->s->system;
    clv_status st = CLV_OK;
    if (w->r > 0)
        st = close_positions(w, from, x);
    else
        clv_chart_move(w, x->q, from, x->theta);
    if (w->m == 0 && clv_walk_fits(k) && w->s->model->nmotion == 0)
        return accelerate_in_rows(w, x);
    if (st == CLV_OK)
        st = clv_system_place(k, x->t, x->q);
    if (st == CLV_OK && w->r > 0)
        st = close_rates(w, x);
    if (st == CLV_OK)
        st = accelerate(w, x);
    if (st == CLV_OK)
        memcpy(x->udot, k->ud, (size_t)w->n * sizeof(double));
    return st;
}

/* ------------------------------------------------------------------ derivatives */

clv_status clv_closed_evaluate(clv_sensitivity_work *w, const clv_closed_state *x)
{
    const clv_status st = clv_system_place(&w->s->system, x->t, x->q);
    return st == CLV_OK ? accelerate(w, x) : st;
}

clv_status clv_closed_derive(clv_sensitivity_work *w, const clv_closed_state *x)
{
    clv_system *k = &w->s->system;
    const clv_status st = clv_closed_evaluate(w, x);
    if (st != CLV_OK)
        return st;
    clv_system_reactions(k);
    w->d.kin = &k->kin, w->d.loads = &k->loads, w->d.plan = w->plan;
    w->d.x = k->x, w->d.ud = k->ud, w->d.lambda = k->lambda, w->d.T = k->T;
    clv_derivative_find(&w->d);
    if (w->r > 0)
        memcpy(w->J, w->d.row, (size_t)w->m * (size_t)w->n * sizeof(double));
    return clv_closed_factor(w, x);
}

/* multipliers of the rows that count: J_D^T lambda is what is missing along the dependent rates */
static void find_multipliers(clv_sensitivity_work *w)
{
    const clv_partition *p = w->partition;
    memset(w->lambda, 0, (size_t)w->m * sizeof(double));
    if (w->r == 0)
        return;
    clv_derivative_missing(&w->d, w->s->system.tau, w->force);
    for (int i = 0; i < w->r; i++)
        w->x[i] = w->force[p->column[i]];
    clv_partition_solve_transpose(w->r, w->LU, w->pivot, w->x);
    for (int i = 0; i < w->r; i++)
        w->lambda[p->row[i]] = w->x[i];
}

clv_status clv_closed_return(clv_sensitivity_work *w, const clv_closed_state *x)
{
    clv_system *k = &w->s->system;
    clv_kinematics_poses(&k->kin, x->t, x->q);
    clv_kinematics_fill_open(&k->kin);
    k->posed = -1; /* nothing else was filled */
    clv_kinematics_velocities(&k->kin, x->u);
    clv_kinematics_closing_rates(&k->kin);
    clv_status st = clv_system_loads(k);
    if (st != CLV_OK)
        return st;
    w->d.kin = &k->kin, w->d.loads = &k->loads, w->d.plan = w->plan;
    w->d.ud = x->udot, w->d.lambda = w->lambda;
    clv_derivative_move(&w->d, k->Q);
    if (w->r > 0)
        clv_closed_rows(w);
    st = clv_closed_factor(w, x);
    if (st == CLV_OK)
        find_multipliers(w);
    return st;
}

clv_status clv_closed_factor(clv_sensitivity_work *w, const clv_closed_state *x)
{
    if (w->r == 0)
        return CLV_OK;
    chart_rows(w, x->theta);
    return clv_partition_factor(w, w->J, w->LU, w->pivot) && clv_partition_factor(w, w->JB, w->LB, w->pivot_B)
               ? CLV_OK
               : clv_closed_singular(w, x->t);
}

void clv_closed_number(clv_sensitivity_work *w, int number)
{
    const size_t rows = (size_t)w->m * sizeof(double);
    memset(w->force, 0, (size_t)w->n * sizeof(double));
    memset(w->row, 0, rows), memset(w->rate_row, 0, rows), memset(w->gap_row, 0, rows);
    if (clv_derivative_is_offset(&w->number[number])) {
        clv_derivative_offset g;
        clv_derivative_offset_of(&w->d, &w->number[number], &g);
        clv_derivative_by_offset(&w->d, &g, w->force, w->row, w->rate_row, w->gap_row);
        return;
    }
    clv_derivative_number(&w->d, &w->number[number], w->force);
}

void clv_closed_input(clv_sensitivity_work *w, int input)
{
    memset(w->force, 0, (size_t)w->n * sizeof(double));
    clv_derivative_input(&w->d, &w->s->model->input[input], w->force);
}

int clv_closed_held_offset(const clv_sensitivity_work *w, int held, clv_derivative_offset *g)
{
    const clv_derivative *d = &w->d;
    const int joint = w->held[held], child = w->plan->child_of_joint[joint];
    double S[36], y[6];
    *g = (clv_derivative_offset){.joint = joint, .child = child};
    if (child < 0) {
        const clv_edge *e = &w->plan->edge[w->plan->edge_of_joint[joint]];
        return e->row + e->m - 1;
    }
    const double *v = d->v + 6 * (size_t)child, *a = d->a + 6 * (size_t)child;
    clv_derivative_columns(d, child, S);
    memcpy(g->S, S, sizeof g->S);
    clv_motion_cross(g->v, v, S);
    clv_motion_cross(g->A, a, S), clv_motion_cross(y, g->v, v);
    for (int i = 0; i < 6; i++)
        g->A[i] -= y[i];
    return -1;
}

void clv_closed_held(clv_sensitivity_work *w, int held)
{
    const size_t rows = (size_t)w->m * sizeof(double);
    clv_derivative_offset g;
    memset(w->force, 0, (size_t)w->n * sizeof(double));
    memset(w->row, 0, rows), memset(w->rate_row, 0, rows), memset(w->gap_row, 0, rows);
    const int row = clv_closed_held_offset(w, held, &g);
    if (row >= 0)
        w->gap_row[row] = -1;
    else
        clv_derivative_by_offset(&w->d, &g, w->force, w->row, w->rate_row, w->gap_row);
}
