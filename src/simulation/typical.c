/* SPDX-License-Identifier: Apache-2.0
 * Typical sizes of the numbers of a state, beside which errors are judged (integrator.h).  Called at the creation. */
#include <math.h>
#include "math/rotation.h"
#include "math/sincos.h"
#include "simulation/sim.h"

/* Modes: a deformation of the model's size rms, whatever their normalisation, and the momentum of that per second. */
static void modal_sizes(clv_sim *s, int star, bool momenta)
{
    const clv_plan *p = s->plan;
    const clv_flex *f = &s->model->flex[star];
    double mass = s->model->body[f->body].mass;
    for (int m = 0; m < f->nmode; m++) {
        double Mff = f->Mff[m * f->nmode + m];
        if (!(mass > 0 && Mff > 0))
            continue;
        s->scale[p->star[star].iq + m] = s->size * sqrt(mass / Mff);
        s->scale[p->nq + p->star[star].iu + m] = s->size * (momenta ? sqrt(mass * Mff) : sqrt(mass / Mff));
    }
}

/* J: energy that moves about, of the start, of a fall through the model's size, of the motions at their fastest */
static double typical_energy(const clv_sim *s)
{
    const clv_model *m = s->model;
    double mass = 0, speed = 0;
    for (int b = 0; b < m->nbody; b++)
        mass += m->body[b].mass;
    for (int i = 0; i < m->nmotion; i++) {
        const bool turns = clv_joint_angle(m->joint[m->motion[i].joint].kind, 0);
        speed = fmax(speed, clv_motion_speed(&m->motion[i]) * (turns ? s->size : 1.0));
    }
    const double fall = mass * sqrt(clv_dot3(m->gravity, m->gravity)) * s->size;
    const double energy = fmax(fmax(clv_system_kinetic(&s->system), fall), mass * speed * speed);
    return energy > 0 ? fmin(energy, 1e300) : 1.0;
}

/* Coordinates and rates that are lengths: the size of the model, and that per second. */
static void slide_sizes(clv_sim *s, int b)
{
    const clv_plan *p = s->plan;
    const clv_tree_joint *t = &p->tree[b];
    for (int c = 0; c < t->f; c++)
        if (s->slides[t->iu + c])
            s->scale[t->iq + c] = s->scale[p->nq + t->iu + c] = s->size;
}

/* Momenta: what the inertia a joint moves has at its typical rate. */
static void momentum_sizes(clv_sim *s)
{
    const clv_plan *p = s->plan;
    /* H^T (inertia of everything outboard, as one rigid body) H: column by column through accumulate */
    for (size_t i = 0; i < 6 * (size_t)p->nbody; i++)
        s->P[i] = 0;
    for (int i = p->nbody - 1; i >= 0; i--) { /* mass, and mass times squared distance, per outboard part */
        int b = p->order[i], a = p->tree[b].parent;
        double room[21];
        const double *I = clv_kinematics_inertia(&s->system.kin, (size_t)b, room);
        const double *arm = s->system.kin.arm + 3 * (size_t)b;
        double *w = s->P + 6 * (size_t)b;
        w[0] += I[0], w[1] += I[15] + I[18] + I[20];
        if (a >= 0) {
            double *v = s->P + 6 * (size_t)a;
            v[0] += w[0], v[1] += w[1] + w[0] * clv_dot3(arm, arm);
        }
    }
    for (size_t b = 0; b < (size_t)p->nbody; b++)
        for (int c = 0; c < p->tree[b].f; c++) {
            const double *H = s->system.kin.H + clv_columns(p, b) + 6 * (size_t)c;
            double x = s->P[6 * b] * clv_dot3(H, H) + s->P[6 * b + 1] / 3 * clv_dot3(H + 3, H + 3);
            s->scale[p->nq + p->tree[b].iu + c] = x > 0 ? x * clv_coordinate_size(s, p->tree[b].iu + c) : 1.0;
        }
}

/* An angle that has passed a turn is no larger than one: its errors are those of a position. */
static void turn_bounds(clv_sim *s)
{
    const clv_plan *p = s->plan;
    for (int b = 0; b < p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        for (int c = 0; t->iq >= 0 && t->nq == t->nu && c < t->nq; c++)
            if (clv_joint_angle(t->kind, c))
                s->bound[t->iq + c] = 2 * CLV_PI;
    }
}

void clv_find_sizes(clv_sim *s)
{
    const clv_plan *p = s->plan;
    for (int i = 0; i < s->n; i++)
        s->scale[i] = 1.0, s->bound[i] = INFINITY;
    /* that of a part of a mechanism depends on who has the rest */
    s->scale[s->n - 1] = s->model->nmotion > 0 && !s->divided ? typical_energy(s) : 0.0;
    for (int b = 0; !s->options.plain_tolerance && b < p->nbody; b++)
        slide_sizes(s, b);
    if (!s->options.plain_tolerance)
        turn_bounds(s);
    for (int k = 0; !s->options.plain_tolerance && k < p->nstar; k++)
        modal_sizes(s, k, s->formulation->state == CLV_STATE_MOMENTA);
    if (!s->options.plain_tolerance && s->formulation->state == CLV_STATE_MOMENTA)
        momentum_sizes(s);
}
