/* SPDX-License-Identifier: Apache-2.0
 * A stage of a sensitivity run (T109): loops closed by the dependent coordinates, and accelerations.  Its chart is in
 * sensitivity_chart.c, its derivatives in sensitivity_derive.c. */
#include "base/error.h"
#include "formulation/walk.h"
#include "simulation/assemble.h"
#include "simulation/sensitivity.h"
#include <math.h>
#include <string.h>

enum { MOST = 30 }; /* iterations that close the loops of a stage */

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
    clv_chart_rows(w, x->theta);
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

clv_status clv_closed_evaluate(clv_sensitivity_work *w, const clv_closed_state *x)
{
    const clv_status st = clv_system_place(&w->s->system, x->t, x->q);
    return st == CLV_OK ? accelerate(w, x) : st;
}
