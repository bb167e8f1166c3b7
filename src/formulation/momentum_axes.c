/* SPDX-License-Identifier: Apache-2.0
 * Momenta along joints turned into axes of their body, and back; see momentum_axes.h (T9.4). */
#include "formulation/momentum_axes.h"
#include <string.h>
#include "math/rotation.h"
#include "math/spatial.h"

static const clv_momentum_axes *axes(const clv_system *s)
{
    static const clv_momentum_axes none = {0};
    return s->private_state && !s->joint_momenta ? s->private_state : &none;
}

static void load(const clv_momentum_triple *t, const double *p, double x[3])
{
    for (int i = 0; i < 3; i++)
        x[i] = p[t->momentum[i]];
}

static void store(const clv_momentum_triple *t, double *p, const double x[3])
{
    for (int i = 0; i < 3; i++)
        p[t->momentum[i]] = x[i];
}

/* L with h_i.L = p_i */
static void solve(const clv_system *s, const clv_momentum_triple *t, const double p[3], double L[3])
{
    const double *h0 = s->kin.H + t->h[0], *h1 = s->kin.H + t->h[1], *h2 = s->kin.H + t->h[2];
    double n[3];
    clv_cross(n, h0, h1);
    const double volume = clv_dot3(n, h2);
    for (int i = 0; i < 3; i++)
        L[i] = p[2] / volume * n[i];
    clv_cross(n, h1, h2), clv_axpy3(L, p[0] / volume, n);
    clv_cross(n, h2, h0), clv_axpy3(L, p[1] / volume, n);
}

/* every L without those that are attached to it */
static void separate(const clv_momentum_axes *m)
{
    for (int k = 0; k < m->count; k++)
        if (m->triple[k].parent >= 0)
            clv_axpy3(m->triple[m->triple[k].parent].L, -1.0, m->triple[k].L);
}

void clv_momentum_axes_directions(clv_system *s)
{
    const clv_momentum_axes *m = axes(s);
    for (int k = 0; k < m->count; k++)
        for (int i = 0; i < 3; i++) {
            const int b = m->triple[k].joint[i];
            if (i == 0 || b != m->triple[k].joint[i - 1])
                clv_kinematics_joint_between(&s->kin, b);
        }
}

void clv_momentum_axes_derivatives(clv_system *s)
{
    const clv_momentum_axes *m = axes(s);
    for (int k = 0; k < m->count; k++)
        for (int i = 0; i < 3; i++) {
            const int b = m->triple[k].joint[i];
            if (i == 0 || b != m->triple[k].joint[i - 1])
                clv_kinematics_body_rates(&s->kin, b);
        }
}

static const double *frame(const clv_system *s, const clv_momentum_triple *t)
{
    return s->kin.R + 9 * (size_t)t->body;
}

void clv_momentum_axes_turn(const clv_system *s, double *p)
{
    const clv_momentum_axes *m = axes(s);
    double x[3];
    for (int k = 0; k < m->count; k++) {
        load(&m->triple[k], p, x);
        solve(s, &m->triple[k], x, m->triple[k].L);
    }
    separate(m);
    for (int k = 0; k < m->count; k++) {
        clv_mat3_transpose_times(x, frame(s, &m->triple[k]), m->triple[k].L);
        store(&m->triple[k], p, x);
    }
}

void clv_momentum_axes_turn_back(const clv_system *s, double *p)
{
    const clv_momentum_axes *m = axes(s);
    double x[3];
    for (int k = 0; k < m->count; k++) {
        load(&m->triple[k], p, x);
        clv_mat3_times(m->triple[k].L, frame(s, &m->triple[k]), x);
    }
    for (int k = m->count - 1; k >= 0; k--) {
        const clv_momentum_triple *t = &m->triple[k];
        if (t->parent >= 0)
            clv_axpy3(m->triple[t->parent].L, 1.0, t->L);
        for (int i = 0; i < 3; i++)
            x[i] = clv_dot3(s->kin.H + t->h[i], t->L);
        store(t, p, x);
    }
}

/* p_i' = h_i'.L + h_i.L';  (R^T L)' = R^T (L' - w x L), and L without those that are attached to it comes out of p */
void clv_momentum_axes_turn_rates(const clv_system *s, double *p, double *pdot)
{
    const clv_momentum_axes *m = axes(s);
    double x[3], L[3], wxL[3];
    for (int k = 0; k < m->count; k++) {
        clv_momentum_triple *t = &m->triple[k];
        load(t, p, x);
        solve(s, t, x, L);
        load(t, pdot, x);
        for (int i = 0; i < 3; i++)
            x[i] -= clv_dot3(s->kin.Hd + t->h[i], L);
        solve(s, t, x, t->L);
    }
    separate(m);
    for (int k = 0; k < m->count; k++)
        store(&m->triple[k], pdot, m->triple[k].L);
    clv_momentum_axes_turn(s, p);
    for (int k = 0; k < m->count; k++) {
        const clv_momentum_triple *t = &m->triple[k];
        clv_cross(wxL, s->kin.V + 6 * (size_t)t->body + 3, t->L);
        load(t, pdot, x);
        clv_axpy3(x, -1.0, wxL);
        clv_mat3_transpose_times(L, frame(s, t), x);
        store(t, pdot, L);
    }
}

const double *clv_momentum_axes_along_joints(clv_system *s, const double *p)
{
    clv_momentum_axes *m = s->private_state;
    if (!m || m->count == 0 || s->joint_momenta)
        return p;
    memcpy(m->p, p, (size_t)s->plan->nu * sizeof(double));
    clv_momentum_axes_directions(s);
    clv_momentum_axes_turn_back(s, m->p);
    return m->p;
}
