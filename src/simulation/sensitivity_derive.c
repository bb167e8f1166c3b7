/* SPDX-License-Identifier: Apache-2.0
 * Derivatives of a stage of a sensitivity run (T109): of its accelerations and closed loops, by coordinates, rates,
 * numbers of the model, inputs and held coordinates. */
#include "simulation/sensitivity.h"
#include <string.h>

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
    clv_chart_rows(w, x->theta);
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
