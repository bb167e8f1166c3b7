/* SPDX-License-Identifier: Apache-2.0
 * Trial of a whole mechanism; see trial.h. */
#include "formulation/trial.h"
#include "math/rotation.h"
#include <math.h>
#include <string.h>

/* has it coordinates of its own? nodes of flexible bodies have not */
static bool own(const clv_plan *p, size_t b)
{
    return p->tree[b].link < 0;
}

void clv_trials_layout(clv_trials *d, const clv_plan *p, clv_arena *a)
{
    CLV_TAKE(a, d->start, p->nbody), CLV_TAKE(a, d->at, p->nbody), CLV_TAKE(a, d->modes, p->nmode),
        CLV_TAKE(a, d->mode, p->nmode);
    CLV_TAKE(a, d->q, p->nq), CLV_TAKE(a, d->u, p->nu), CLV_TAKE(a, d->ud, p->nu), CLV_TAKE(a, d->A, 6 * p->nbody);
}

int clv_trials_memory(const clv_plan *p)
{
    return 7 * p->nbody + p->nmode;
}

void clv_trials_predict(clv_trials *d, const clv_system *s, const clv_rule *rule, const double *y, const double *ydot,
                        double *aux, bool first)
{
    const clv_plan *p = s->plan;
    for (size_t b = 0; b < (size_t)p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        if (!own(p, b))
            continue;
        clv_rule_state(&d->start[b], y + t->iq, y + p->nq + t->iu, ydot + p->nq + t->iu);
        if (first)
            memcpy(aux + 7 * b, d->start[b].xdd, 7 * sizeof(double));
        clv_rule_predict(rule, &d->at[b], &d->start[b], aux + 7 * b);
    }
    for (int k = 0; k < p->nstar; k++)
        for (int m = 0; m < p->star[k].nmode; m++) {
            const int i = p->star[k].mode + m, iu = p->nq + p->star[k].iu + m;
            double *a = aux + 7 * p->nbody + i;
            d->modes[i] = (clv_mode_trial){y[p->star[k].iq + m], y[iu], ydot[iu]};
            if (first)
                *a = d->modes[i].xdd;
            clv_rule_predict_mode(rule, &d->mode[i], &d->modes[i], *a);
        }
}

clv_status clv_trials_place(clv_trials *d, clv_system *s, double t)
{
    const clv_plan *p = s->plan;
    for (size_t b = 0; b < (size_t)p->nbody; b++) {
        if (!own(p, b))
            continue;
        memcpy(d->q + p->tree[b].iq, d->at[b].x, 7 * sizeof(double));
        clv_rule_rates(&d->at[b], d->u + p->tree[b].iu, d->ud + p->tree[b].iu);
    }
    for (int k = 0; k < p->nstar; k++)
        for (int m = 0; m < p->star[k].nmode; m++) {
            const clv_mode_trial *at = &d->mode[p->star[k].mode + m];
            d->q[p->star[k].iq + m] = at->x, d->u[p->star[k].iu + m] = at->xd, d->ud[p->star[k].iu + m] = at->xdd;
        }
    clv_status st = clv_system_pose(s, t, d->q);
    if (st != CLV_OK)
        return st;
    clv_kinematics_velocities(&s->kin, d->u);
    for (size_t b = 0; b < (size_t)p->nbody; b++) {
        const double *ud = d->ud + p->tree[b].iu;
        memset(d->A + 6 * b, 0, 6 * sizeof(double));
        if (!own(p, b))
            continue;
        memcpy(d->A + 6 * b, ud, 3 * sizeof(double));
        clv_mat3_times(d->A + 6 * b + 3, s->kin.R + 9 * b, ud + 3);
    }
    return CLV_OK;
}

void clv_trials_nodes(clv_trials *d, const clv_system *s, const double *c)
{
    const clv_plan *p = s->plan;
    for (int k = 0; k < p->nstar; k++) {
        const clv_flex *f = &s->model->flex[k];
        for (int n = 0; n < f->nnode; n++) {
            const size_t b = (size_t)f->node[n].body;
            double *A = d->A + 6 * b;
            clv_motion_shift(A, s->engine.arm + 3 * b, d->A + 6 * (size_t)f->body);
            for (int m = 0; m < f->nmode; m++)
                for (size_t i = 0; i < 6; i++)
                    A[i] += s->engine.modes[clv_modes(p, b) + 6 * (size_t)m + i] * d->ud[p->star[k].iu + m];
            clv_add6(A, c + 6 * b);
        }
    }
}

double clv_trials_displace(clv_trials *d, const clv_system *s, const clv_rule *rule, const double *dx, const double *du,
                           int *worst)
{
    const clv_plan *p = s->plan;
    double sum = 0, most = -1;
    for (int b = 0; b < p->nbody; b++) {
        const int star = s->model->body[b].flex;
        double part = 0;
        if (!own(p, (size_t)b))
            continue;
        part = clv_rule_displace(rule, &d->at[b], dx + 6 * (size_t)b);
        for (int m = 0; star >= 0 && m < p->star[star].nmode; m++) {
            const clv_flex *f = &s->model->flex[star];
            const double x = du[p->star[star].iu + m], mass = s->model->body[b].mass;
            clv_rule_displace_mode(rule, &d->mode[p->star[star].mode + m], x);
            part += x * x * (mass > 0 ? f->Mff[m * f->nmode + m] / mass : 1.0);
        }
        sum += part;
        if (!(part <= most))
            most = part, *worst = b;
    }
    return sqrt(sum);
}

void clv_trials_next(const clv_trials *d, const clv_system *s, const clv_rule *rule, double *aux)
{
    const clv_plan *p = s->plan;
    for (size_t b = 0; b < (size_t)p->nbody; b++) {
        const int iu = p->tree[b].iu;
        clv_trial end;
        if (!own(p, b))
            continue;
        clv_rule_state(&end, d->at[b].x, d->u + iu, d->ud + iu);
        clv_rule_next(rule, aux + 7 * b, d->start[b].xdd, end.xdd, 7);
    }
    for (int k = 0; k < p->nstar; k++)
        for (int m = 0; m < p->star[k].nmode; m++)
            clv_rule_next(rule, aux + 7 * p->nbody + p->star[k].mode + m, &d->modes[p->star[k].mode + m].xdd,
                          d->ud + p->star[k].iu + m, 1);
}

double clv_trials_size(const clv_trials *d, const clv_system *s)
{
    double sum = 0;
    for (size_t b = 0; b < (size_t)s->plan->nbody; b++)
        if (own(s->plan, b))
            sum += clv_dot3(d->at[b].x, d->at[b].x) + 1;
    return sqrt(sum);
}
