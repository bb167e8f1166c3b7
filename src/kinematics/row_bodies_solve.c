/* SPDX-License-Identifier: Apache-2.0
 * Corrections of bodies in rows, and what is given back in model order; see row_bodies.h (T23.8). */
#include <math.h>
#include <string.h>
#include "kinematics/row_kernels.h"
#include "math/rotation.h"
#include "math/sincos.h"
#include "math/spatial.h"

enum { G8 = CLV_GROUP, NDIR = CLV_DIRECTIONS };

void clv_row_bodies_add(clv_row_bodies *r, bool velocities)
{
    const clv_plan *p = r->c.engine.plan;
    for (int g = 0; g < p->ngroup; g++)
        r->kernels->bodies_add(r, &p->group[g], velocities);
    for (int i = 0; !velocities && i < p->nsigma; i++)
        r->row_lambda[i] += r->c.engine.sigma[i];
}

void clv_row_bodies_displace(clv_row_bodies *r)
{
    const clv_plan *p = r->c.engine.plan;
    for (int g = 0; g < p->ngroup; g++)
        r->kernels->bodies_displace(r, &p->group[g]);
}

void clv_row_bodies_give(clv_row_bodies *r, double *q, double *u, double *ydot)
{
    const clv_plan *p = r->kin->plan;
    for (int g = 0; g < r->c.engine.plan->ngroup; g++)
        r->kernels->bodies_give(r, &r->c.engine.plan->group[g]);
    for (int b = 0; b < p->nbody; b++) {
        const int slot = r->c.engine.plan->slot[b];
        double rate[13];
        if (q)
            clv_slot_get(r->X, 7, slot, q + p->tree[b].iq);
        if (u)
            clv_slot_get(r->U, 6, slot, u + p->tree[b].iu);
        if (!ydot)
            continue;
        clv_slot_get(r->rate, 13, slot, rate);
        memcpy(ydot + p->tree[b].iq, rate, 7 * sizeof(double));
        memcpy(ydot + p->nq + p->tree[b].iu, rate + 7, 6 * sizeof(double));
    }
}

void clv_row_bodies_multipliers(const clv_row_bodies *r, double *lambda)
{
    const clv_compliant *c = &r->c;
    const clv_plan *p = r->kin->plan, *tree = c->engine.plan;
    for (int b = 0; b < p->nbody; b++) {
        double sigma[NDIR];
        if (c->edge[b] < 0)
            continue;
        const clv_edge *e = &p->edge[c->edge[b]];
        clv_slot_get(r->lambda, NDIR, tree->slot[b], sigma);
        memcpy(lambda + e->row, sigma + NDIR - e->m, (size_t)e->m * sizeof(double));
    }
    for (int k = 0; k < tree->nedge; k++)
        memcpy(lambda + p->edge[c->edge_of[k]].row, r->row_lambda + tree->edge[k].row,
               (size_t)tree->edge[k].m * sizeof(double));
}

double clv_row_bodies_most(const clv_row_bodies *r, int what)
{
    const clv_plan *p = r->c.engine.plan;
    double most = 0;
    for (int g = 0; g < p->ngroup; g++)
        for (int l = 0; l < p->group[g].nstrand; l++) {
            const double x = r->shown[((size_t)g * CLV_SHOWN + (size_t)what) * G8 + (size_t)l];
            most = x > most || isnan(x) ? x : most;
        }
    return most;
}

double clv_row_bodies_sum(const clv_row_bodies *r, int what)
{
    const clv_plan *p = r->c.engine.plan;
    double sum = 0;
    for (int g = 0; g < p->ngroup; g++)
        for (int l = 0; l < p->group[g].nstrand; l++)
            sum += r->shown[((size_t)g * CLV_SHOWN + (size_t)what) * G8 + (size_t)l];
    return sum;
}

void clv_row_bodies_violation(clv_row_bodies *r, bool velocities, double *c)
{
    const clv_plan *p = r->kin->plan;
    const double *from = velocities ? r->c.a : r->phi, sign = velocities ? -1.0 : 1.0;
    if (velocities) /* right-hand sides: minus the violations */
        clv_row_bodies_slip(r);
    else
        clv_row_bodies_check(r);
    for (int i = 0; i < r->nalone; i++)
        memcpy(c + p->edge[r->alone[i]].row, r->row + p->edge[r->alone[i]].row,
               (size_t)p->edge[r->alone[i]].m * sizeof(double));
    for (int b = 0; b < p->nbody; b++) {
        const int e = r->c.edge[b];
        double row[NDIR];
        if (e < 0 || !r->lane[e])
            continue;
        clv_slot_get(from, NDIR, r->c.engine.plan->slot[b], row);
        memcpy(c + p->edge[e].row, row + NDIR - p->edge[e].m, (size_t)p->edge[e].m * sizeof(double));
    }
    for (int i = 0; i < p->nclosing_row; i++)
        c[i] *= sign;
}

double clv_row_bodies_kinetic(const clv_row_bodies *r)
{
    const clv_plan *p = r->c.engine.plan;
    double sum = 0;
    for (int b = 0; b < p->nbody; b++) {
        double V[6], J[6], *w = V + 3;
        clv_slot_get(r->V, 6, p->slot[b], V), clv_slot_get(r->c.J, 6, p->slot[b], J);
        sum += p->model->body[b].mass * clv_dot3(V, V) + J[0] * w[0] * w[0] + J[3] * w[1] * w[1] + J[5] * w[2] * w[2] +
               2 * (J[1] * w[0] * w[1] + J[2] * w[0] * w[2] + J[4] * w[1] * w[2]);
    }
    return 0.5 * sum;
}

/* An angle is kept to 0.08 rad: it only determines whole turns. */
static double angle_near(double c, double s, double near)
{
    const double size = fabs(c) + fabs(s), part = size > 0 ? s / size : 0;
    const double angle = 0.5 * CLV_PI * (c >= 0 ? part : s >= 0 ? 2 - part : -2 - part);
    return angle + 2 * CLV_PI * floor((near - angle) / (2 * CLV_PI) + 0.5);
}

void clv_row_bodies_keep_turns(clv_row_bodies *r)
{
    clv_kinematics *k = r->kin;
    k->lane = r->lane;
    clv_kinematics_keep_turns(k);
    k->lane = NULL;
    for (int b = 0; b < k->plan->nbody; b++) {
        const int e = r->c.edge[b], slot = r->c.engine.plan->slot[b];
        if (e >= 0 && r->lane[e])
            k->turn[6 * (size_t)e] = angle_near(r->cosine[slot], r->sine[slot], k->turn[6 * (size_t)e]);
    }
}
