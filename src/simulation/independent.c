/* SPDX-License-Identifier: Apache-2.0
 * Independent directions of a mechanism (T50).  Rows of loops and couplings are those of the assembly (T36); the basis
 * of their null space is orthonormal where a coordinate counts in parts of its size. */
#include "simulation/independent.h"
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "math/orthonormal.h"
#include "math/spatial.h"

/* a row of the loops that is shorter, beside the largest, repeats others */
#define SAME_ROW 1e-8
enum { MOST = 3000 }; /* coordinates: the basis then takes 144 MB */

static void layout(clv_independent *x)
{
    const size_t n = (size_t)x->n, m = (size_t)x->a.nclosing, body = 6 * (size_t)x->s->plan->nbody;
    clv_arena *at = &x->arena;
    CLV_TAKE(at, x->N, n * n), CLV_TAKE(at, x->basis, n * n), CLV_TAKE(at, x->rows, m * n);
    CLV_TAKE(at, x->R, (m < n ? m : n) * m), CLV_TAKE(at, x->rest, n), CLV_TAKE(at, x->order, m + 1);
    CLV_TAKE(at, x->du, n), CLV_TAKE(at, x->x, body), CLV_TAKE(at, x->W, body);
}

clv_status clv_independent_open(clv_independent *x, clv_sim *s, double t, const double *q)
{
    memset(x, 0, sizeof *x);
    x->s = s, x->n = s->plan->nu;
    if (s->formulation->state == CLV_STATE_ABSOLUTE) {
        clv_fail(&s->error, CLV_ERR_USAGE, "formulation '%s' has the poses of bodies as its state; statics and "
                 "inverse dynamics need those of joints", s->formulation->name);
        clv_error_hint(&s->error, "use formulation dca");
        return s->error.code;
    }
    if (x->n > MOST)
        return clv_fail(&s->error, CLV_ERR_UNSUPPORTED,
                        "%d coordinates; statics and inverse dynamics take at most %d", x->n, MOST);
    clv_status st = clv_assembly_open(&x->a, s, t, q, NULL, false, false);
    if (st != CLV_OK)
        return st;
    if (!x->a.dense)
        return clv_fail(&s->error, CLV_ERR_UNSUPPORTED, "%d rows of loops are too many for independent directions",
                        x->a.nclosing);
    for (int i = 0; i < x->n; i++)
        x->a.ease[i] = 1;
    for (int k = 0; k < s->plan->nstar; k++)
        for (int m = 0; m < s->plan->star[k].nmode; m++)
            x->a.unit[s->plan->star[k].iu + m] = clv_coordinate_size(s, s->plan->star[k].iu + m);
    x->a.soft = false, x->a.exact = false;
    x->independent_rows = x->a.nclosing - s->base_nullity;
    layout(x);
    if (!clv_arena_open(&x->arena))
        return clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory: independent directions need %.3g MB",
                        (double)x->arena.used / 1e6);
    layout(x);
    return CLV_OK;
}

void clv_independent_close(clv_independent *x)
{
    clv_arena_close(&x->arena);
    clv_arena_close(&x->a.arena);
}

/* zeroes the rows that restrict velocities only */
static void drop_velocity_rows(const clv_independent *x)
{
    const clv_plan *p = x->s->plan;
    for (int e = 0; e < p->nedge; e++) {
        const clv_edge *edge = &p->edge[e];
        if (!clv_edge_closes(edge) || edge->joint < 0)
            continue;
        const int rows = clv_joint_velocity_rows(x->s->model->joint[edge->joint].kind);
        if (rows > 0)
            memset(x->rows + (size_t)(edge->row + edge->m - rows) * (size_t)x->n, 0,
                   (size_t)rows * (size_t)x->n * sizeof(double));
    }
}

clv_status clv_independent_rows(clv_independent *x, const double *q, int *r)
{
    const size_t n = (size_t)x->n, m = (size_t)x->a.nclosing;
    const clv_status st = clv_assembly_linearize(&x->a, q);
    *r = 0;
    if (st != CLV_OK || m == 0)
        return st;
    memcpy(x->rows, x->a.J, m * n * sizeof(double));
    if (x->positions)
        drop_velocity_rows(x);
    *r = clv_orthonormal_rows(x->basis, x->R, x->order, x->rows, (int)m, (int)n, SAME_ROW, x->independent_rows);
    return CLV_OK;
}

clv_status clv_independent_find(clv_independent *x, const double *q)
{
    const size_t n = (size_t)x->n;
    int r;
    const clv_status st = clv_independent_rows(x, q, &r);
    if (st != CLV_OK || (r == 0 && x->f == x->n))
        return st; /* all coordinates are independent, as before */
    clv_orthonormal_complete(x->basis, r, (int)n, x->rest);
    x->f = (int)n - r;
    for (size_t k = 0; k < (size_t)x->f; k++)
        for (size_t i = 0; i < n; i++)
            x->N[k * n + i] = x->a.unit[i] * x->basis[((size_t)r + k) * n + i];
    return CLV_OK;
}

void clv_independent_reduce(const clv_independent *x, const double *row, double *to)
{
    for (int k = 0; k < x->f; k++) {
        const double *N = x->N + (size_t)k * (size_t)x->n;
        to[k] = 0;
        for (int i = 0; i < x->n; i++)
            to[k] += N[i] * row[i];
    }
}

void clv_independent_expand(const clv_independent *x, const double *z, double *du)
{
    memset(du, 0, (size_t)x->n * sizeof(double));
    for (int k = 0; k < x->f; k++) {
        const double *N = x->N + (size_t)k * (size_t)x->n;
        for (int i = 0; i < x->n; i++)
            du[i] += N[i] * z[k];
    }
}

bool clv_independent_effort(const clv_independent *x, double *row, int joint, int c)
{
    const clv_plan *p = x->s->plan;
    const int child = p->child_of_joint[joint], e = p->edge_of_joint[joint];
    if (c < 0 || c >= clv_joint_table[x->s->model->joint[joint].kind].nu)
        return false;
    if (child >= 0) {
        if (p->tree[child].motion < 0)
            row[p->tree[child].iu + c] += 1;
        return p->tree[child].motion < 0;
    }
    if (e < 0 || p->edge[e].motion >= 0)
        return false;
    clv_assembly_carry_closing(x->s, row, e, c);
    return true;
}

void clv_independent_collect(const clv_independent *x, double *W, double *force)
{
    const clv_plan *p = x->s->plan;
    const clv_kinematics *k = &x->s->system.kin;
    clv_engine_accumulate(&x->s->system.engine, W);
    for (int b = 0; b < p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        for (int c = 0; c < t->f; c++)
            force[t->iu + c] = clv_dot6(k->H + clv_columns(p, (size_t)b) + 6 * (size_t)c, W + 6 * (size_t)b);
    }
    for (int i = 0; i < p->nstar; i++)
        memset(force + p->star[i].iu, 0, (size_t)p->star[i].nmode * sizeof(double));
    for (int b = 0; b < p->nbody; b++)
        for (int m = 0; m < clv_nmode(p, (size_t)b); m++)
            force[p->star[p->tree[b].link].iu + m] +=
                clv_dot6(x->s->system.engine.modes + clv_modes(p, (size_t)b) + 6 * (size_t)m, W + 6 * (size_t)b);
}

/* x: motions of the bodies by du alone */
static void move_bodies(clv_independent *x, const double *du)
{
    const clv_plan *p = x->s->plan;
    const clv_kinematics *k = &x->s->system.kin;
    for (int i = 0; i < p->nbody; i++) {
        const int b = p->order[i];
        const clv_tree_joint *t = &p->tree[b];
        double *to = x->x + 6 * (size_t)b;
        memset(to, 0, 6 * sizeof(double));
        if (t->parent >= 0)
            clv_motion_shift(to, k->arm + 3 * (size_t)b, x->x + 6 * (size_t)t->parent);
        for (int c = 0; c < t->f; c++)
            for (int r = 0; r < 6; r++)
                to[r] += k->H[clv_columns(p, (size_t)b) + 6 * (size_t)c + (size_t)r] * du[t->iu + c];
        for (int m = 0; m < clv_nmode(p, (size_t)b); m++)
            for (int r = 0; r < 6; r++)
                to[r] += x->s->system.engine.modes[clv_modes(p, (size_t)b) + 6 * (size_t)m + (size_t)r] *
                         du[p->star[t->link].iu + m];
    }
}

void clv_independent_inertia(clv_independent *x, const double *du, double *force)
{
    const clv_plan *p = x->s->plan;
    const clv_engine *e = &x->s->system.engine;
    double I[21];
    move_bodies(x, du);
    for (size_t b = 0; b < (size_t)p->nbody; b++)
        clv_inertia_times(x->W + 6 * b, clv_kinematics_inertia(&x->s->system.kin, b, I), x->x + 6 * b);
    for (int k = 0; k < p->nstar; k++) {
        double F[6];
        clv_star_inertia(e, k, x->x, du, F, NULL);
        for (int i = 0; i < 6; i++)
            x->W[6 * (size_t)p->star[k].frame + (size_t)i] += F[i];
    }
    clv_independent_collect(x, x->W, force);
    for (int i = 0; i < p->narmed; i++) /* rotors (T113) */
        for (int c = 0, b = p->armed[i]; c < p->tree[b].f; c++)
            force[p->tree[b].iu + c] += clv_armature_of(p, b, c) * du[p->tree[b].iu + c];
    for (int k = 0; k < p->nstar; k++) {
        double F[6];
        clv_star_inertia(e, k, x->x, du, F, x->rest);
        for (int m = 0; m < p->star[k].nmode; m++)
            force[p->star[k].iu + m] += x->rest[m];
    }
}

/* The name of the inboard joint of a body, or of the body. */
static const char *name_of(const clv_independent *x, int b)
{
    const int joint = x->s->plan->tree[b].joint;
    return joint >= 0 ? x->s->model->joint[joint].name : x->s->model->body[b].name;
}

const char *clv_independent_name(const clv_independent *x, const double *du)
{
    const clv_plan *p = x->s->plan;
    const char *name = "";
    double most = 0;
    for (int b = 0; b < p->nbody; b++)
        for (int c = 0; c < p->tree[b].f; c++) {
            const double part = fabs(du[p->tree[b].iu + c]) / x->a.unit[p->tree[b].iu + c];
            if (part > most * (1 + 1e-9))
                most = part, name = name_of(x, b);
        }
    for (int k = 0; k < p->nstar; k++)
        for (int i = 0; i < p->star[k].nmode; i++) {
            const double part = fabs(du[p->star[k].iu + i]) / x->a.unit[p->star[k].iu + i];
            if (part > most * (1 + 1e-9))
                most = part, name = x->s->model->body[p->star[k].frame].name;
        }
    return name;
}

void clv_independent_leave_out(const clv_independent *x, double *du, const char *name)
{
    const clv_plan *p = x->s->plan;
    for (int b = 0; b < p->nbody; b++)
        for (int c = 0; c < p->tree[b].f; c++)
            if (name_of(x, b) == name)
                du[p->tree[b].iu + c] = 0;
    for (int k = 0; k < p->nstar; k++)
        if (x->s->model->body[p->star[k].frame].name == name)
            memset(du + p->star[k].iu, 0, (size_t)p->star[k].nmode * sizeof(double));
}
