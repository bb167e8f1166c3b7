/* SPDX-License-Identifier: Apache-2.0
 * Rows of the assembly and a damped step (T36).
 *
 * Rows: violations of loops and couplings, then coordinates given for closing joints, of rates also velocities given
 * for bodies, all divided by their natural sizes.  A row is a wrench on bodies.  Carried from a body to its root it
 * meets the free directions of every joint on the way.  So J costs the lengths of paths.
 *
 *   dense     (J E J^T + mu) lambda = r,   y = -E J^T lambda          E = ease
 *   engine    M x = K sigma,  K^T x = -phi - eps sigma,  eps = mu scale^2     (large models; E is the mass matrix) */
#include <math.h>
#include <string.h>
#include "base/tolerance.h"
#include "kinematics/place.h"
#include "math/rank.h"
#include "simulation/assemble.h"

/* ------------------------------------------------------------------ violations */

/* q of a closing joint minus the one given, by its rates (nu) */
static void coordinate_error(clv_assembly *a, int e, double *c)
{
    const clv_joint *j = &a->s->given[a->s->plan->edge[e].joint];
    int nq = clv_joint_table[j->kind].nq, nu = clv_joint_table[j->kind].nu, k = nq > nu ? nu - 3 : nu;
    double q[7], u[6], back[4], turn[4];
    clv_kinematics_closing_state(&a->s->system.kin, e, q, u);
    for (int i = 0; i < k; i++)
        c[i] = q[i] - j->q[i];
    if (nq == nu)
        return;
    clv_quat_conjugate(back, j->q + k);
    clv_quat_product(turn, back, q + k);
    clv_quat_log(c + k, turn);
}

bool clv_assembly_target(const clv_sim *s, int e)
{
    const clv_edge *edge = &s->plan->edge[e];
    return clv_edge_closes(edge) && edge->joint >= 0 && edge->motion < 0 && s->given[edge->joint].has_q &&
           clv_joint_table[s->model->joint[edge->joint].kind].nu > 0;
}

double clv_assembly_measure(clv_assembly *a, const double *q, double *r)
{
    clv_sim *s = a->s;
    double sum = 0;
    clv_kinematics_poses(&s->system.kin, a->time, q);
    clv_kinematics_violation(&s->system.kin, s->row);
    memcpy(r, s->row, (size_t)a->nclosing * sizeof(double));
    memset(r + a->nclosing, 0, (size_t)a->ngiven * sizeof(double));
    for (int e = 0, i = a->nclosing; a->exact && e < s->plan->nedge; e++)
        if (clv_assembly_target(s, e)) {
            coordinate_error(a, e, r + i);
            i += clv_joint_table[s->model->joint[s->plan->edge[e].joint].kind].nu;
        }
    a->worst = 0;
    for (int i = 0; i < a->m; i++) {
        r[i] /= a->scale[i];
        a->worst = fabs(r[i]) > a->worst || isnan(r[i]) ? fabs(r[i]) : a->worst;
        sum += r[i] * r[i];
    }
    return sum;
}

/* ------------------------------------------------------------------ Jacobian */

void clv_assembly_carry(const clv_sim *s, double *row, int body, const double wrench[6])
{
    const clv_plan *p = s->plan;
    const clv_kinematics *k = &s->system.kin;
    double W[6];
    memcpy(W, wrench, sizeof W);
    while (body >= 0) {
        const clv_tree_joint *t = &p->tree[body];
        for (int c = 0; c < t->f; c++)
            row[t->iu + c] += clv_dot6(k->H + clv_columns(p, (size_t)body) + 6 * (size_t)c, W);
        for (int m = 0; m < clv_nmode(p, (size_t)body); m++)
            row[p->star[t->link].iu + m] +=
                clv_dot6(s->system.engine.modes + clv_modes(p, (size_t)body) + 6 * (size_t)m, W);
        if (t->parent >= 0)
            clv_wrench_shift(W, k->arm + 3 * (size_t)body, W);
        body = t->parent;
    }
}

void clv_assembly_carry_closing(const clv_sim *s, double *row, int e, int c)
{
    const clv_kinematics *k = &s->system.kin;
    const clv_joint *j = &s->model->joint[s->plan->edge[e].joint];
    double G[36], O[3], l[3], W[6];
    clv_joint_dual(j, k->cut_H + 36 * (size_t)e, G);
    clv_closing_point(k, j, O);
    for (int side = 0; side < 2; side++) {
        int body = side ? j->a : j->b;
        if (body < 0)
            continue;
        clv_sub3(l, O, k->ref + 3 * (size_t)body);
        clv_wrench_shift(W, l, G + 6 * c);
        for (int i = 0; side && i < 6; i++)
            W[i] = -W[i];
        clv_assembly_carry(s, row, body, W);
    }
}

/* rows of the velocities given for bodies: unit wrenches at their reference points */
static void form_velocities(const clv_assembly *a, double *row)
{
    for (int b = 0; b < a->s->plan->nbody; b++)
        for (int i = 0; i < 6 && a->s->model->body[b].moving; i++, row += a->n) {
            double W[6] = {0};
            W[i] = 1;
            clv_assembly_carry(a->s, row, b, W);
        }
}

static void form_J(clv_assembly *a)
{
    const clv_plan *p = a->s->plan;
    size_t n = (size_t)a->n;
    memset(a->J, 0, (size_t)a->m * n * sizeof(double));
    for (int e = 0, given = a->nclosing; e < p->nedge; e++) {
        const clv_edge *edge = &p->edge[e];
        for (int h = 0; clv_edge_closes(edge) && h < edge->nhandle; h++)
            for (int r = 0; r < edge->m; r++)
                clv_assembly_carry(a->s, a->J + (size_t)(edge->row + r) * n, edge->body[h],
                                   a->s->system.engine.block + edge->block[h] + 6 * r);
        if (!clv_assembly_target(a->s, e))
            continue;
        const int nu = clv_joint_table[a->s->model->joint[edge->joint].kind].nu;
        for (int c = 0; a->exact && c < nu; c++)
            clv_assembly_carry_closing(a->s, a->J + (size_t)(given + c) * n, e, c);
        given += nu;
    }
    if (a->exact && a->nmoving > 0)
        form_velocities(a, a->J + (size_t)(a->nclosing + a->ngiven) * n);
    for (size_t i = 0; i < (size_t)a->m; i++)
        for (size_t j = 0; j < n; j++)
            a->J[i * n + j] *= a->unit[j] / a->scale[i];
}

void clv_assembly_ease(const clv_assembly *a, const double *v, double *y)
{
    const clv_plan *p = a->s->plan;
    for (int j = 0; j < a->n; j++)
        y[j] = a->ease[j] * v[j];
    for (int k = 0; a->soft && k < p->nstar; k++)
        for (int i = 0, n = p->star[k].nmode; i < n; i++) {
            double sum = 0;
            for (int j = 0; j < n; j++)
                sum += a->compliance[k][i * n + j] * v[p->star[k].iu + j];
            y[p->star[k].iu + i] = sum;
        }
}

/* lower triangle of S = J E J^T */
static void form_S(clv_assembly *a)
{
    size_t n = (size_t)a->n, m = (size_t)a->m;
    for (size_t i = 0; i < m; i++) {
        clv_assembly_ease(a, a->J + i * n, a->y);
        for (size_t k = 0; k <= i; k++) {
            double sum = 0;
            for (size_t j = 0; j < n; j++)
                sum += a->y[j] * a->J[k * n + j];
            a->S[i * m + k] = sum;
        }
    }
}

clv_status clv_assembly_linearize(clv_assembly *a, const double *q)
{
    clv_status st = clv_system_pose(&a->s->system, a->time, q);
    if (st != CLV_OK || !a->dense)
        return st;
    form_J(a);
    form_S(a);
    return CLV_OK;
}

double clv_assembly_slope(const clv_assembly *a)
{
    double most = 0, size = 0;
    if (!a->dense)
        return INFINITY;
    for (int i = 0; i < a->m; i++)
        size += a->r[i] * a->r[i];
    for (int j = 0; j < a->n; j++) {
        double sum = 0;
        for (int i = 0; a->ease[j] > 0 && i < a->m; i++)
            sum += a->J[(size_t)i * (size_t)a->n + (size_t)j] * a->r[i];
        most = fmax(most, fabs(sum));
    }
    return size > 0 ? most / sqrt(size) : 0;
}

/* ------------------------------------------------------------------ steps */

static clv_status dense_step(clv_assembly *a, double mu, double *left)
{
    size_t n = (size_t)a->n, m = (size_t)a->m;
    double trace = 0, pivot;
    for (size_t i = 0; i < m; i++)
        trace += a->S[i * m + i];
    mu *= trace > 0 ? trace / (double)m : 1.0;
    memcpy(a->Z, a->S, m * m * sizeof(double));
    for (size_t i = 0; i < m; i++)
        a->Z[i * m + i] += mu;
    clv_rank f = clv_rank_view(a->m, a->m, a->rank);
    int r = clv_rank_factor(&f, a->Z, NULL, CLV_TOL_PIVOT, &pivot);
    if (r < 0)
        return CLV_ERR_NOT_FINITE;
    f = clv_rank_view(a->m, r, a->rank);
    memcpy(a->lambda, a->r, m * sizeof(double));
    clv_rank_solve(&f, a->lambda);
    memset(a->du, 0, n * sizeof(double));
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++)
            a->du[j] -= a->J[i * n + j] * a->lambda[i];
    clv_assembly_ease(a, a->du, a->y);
    *left = 0; /* r + J y = r - S lambda */
    for (size_t i = 0; i < m; i++) {
        double x = a->r[i];
        for (size_t k = 0; k < m; k++)
            x -= (k <= i ? a->S[i * m + k] : a->S[k * m + i]) * a->lambda[k];
        *left += x * x;
    }
    return CLV_OK;
}

/* in the metric of the masses; directions that are held are left out of the step */
static clv_status engine_step(clv_assembly *a, double mu, double *left)
{
    clv_sim *s = a->s;
    clv_system *y = &s->system;
    const clv_plan *p = s->plan;
    for (int i = 0; i < a->nclosing; i++) {
        y->engine.eps[i] = mu * y->engine.scale[i] * y->engine.scale[i];
        s->row[i] = -a->r[i] * a->scale[i];
    }
    clv_status st = clv_system_factor(y);
    if (st == CLV_OK) {
        memset(y->b, 0, 6 * (size_t)p->nbody * sizeof(double));
        clv_engine_solve(&y->engine, y->x, a->y, y->b, NULL, NULL, s->row);
    }
    *left = 0;
    for (int i = 0; i < a->nclosing; i++) { /* what is missed is eps sigma */
        double x = y->engine.eps[i] * y->engine.sigma[i] / a->scale[i];
        *left += x * x;
        y->engine.eps[i] = 0;
    }
    for (int j = 0; j < a->n; j++)
        a->y[j] = a->ease[j] > 0 ? a->y[j] / a->unit[j] : 0;
    return st;
}

clv_status clv_assembly_step(clv_assembly *a, double mu, double *left)
{
    return a->dense ? dense_step(a, mu, left) : engine_step(a, mu, left);
}

void clv_assembly_move(clv_assembly *a, double f)
{
    for (int j = 0; j < a->n; j++)
        a->du[j] = f * a->y[j] * a->unit[j];
    memcpy(a->trial, a->q, (size_t)a->s->plan->nq * sizeof(double));
    clv_displace(a->s, a->trial, a->du);
}
