/* SPDX-License-Identifier: Apache-2.0
 * How points of rigid contacts move beside the impulses, see touching.h.  Prescribed motions give them velocities at
 * both ends of a step (T154).  What goes round inside a bore leaves along the chord (T148), which also joints bend that
 * carry the pin or the bore (T155). */
#include "math/rotation.h"
#include "math/spatial.h"
#include "simulation/sim.h"
#include "simulation/touching.h"

void clv_touching_drives(clv_sim *s, double t, double h)
{
    const double when[3] = {t, t + h, t + 0.5 * h};
    const int n = s->model->nmotion;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < n; i++)
            s->touching.drive[k * n + i] = clv_sim_motion_rate(s, i, when[k], s->until);
    s->touching.moved = false;
}

void clv_touching_drive(const clv_sim *s, int body, const double at[3], const double *w, double scale, double V[6])
{
    const clv_plan *p = s->plan;
    for (int b = body; b >= 0; b = p->tree[b].parent) {
        const double *H = s->system.kin.H + clv_columns(p, (size_t)b);
        double arm[3], turned[3];
        if (p->tree[b].motion < 0)
            continue;
        const double by = scale * w[p->tree[b].motion];
        clv_sub3(arm, at, s->system.kin.ref + 3 * (size_t)b);
        clv_cross(turned, H + 3, arm);
        clv_axpy3(V, by, H), clv_axpy3(V, by, turned);
        clv_axpy3(V + 3, by, H + 3);
    }
}

static void drive_point(const clv_sim *s, int a, int b, const double at[3], clv_contact_point *to)
{
    for (int end = 0; end < 2 && s->model->nmotion > 0; end++) {
        const double *w = s->touching.drive + end * s->model->nmotion;
        double V[6] = {0};
        clv_touching_drive(s, b, at, w, 1, V), clv_touching_drive(s, a, at, w, -1, V);
        for (int axis = 0; axis < 3; axis++)
            (end ? to->after : to->before)[axis] = clv_dot3(V, to->axis[axis]);
    }
}

/* Velocities of all bodies at rates u (nu), and the rates of their directions. */
static void find_velocities(clv_sim *s, const double *u)
{
    clv_kinematics_velocities(&s->system.kin, u);
    for (int b = 0; b < s->plan->nbody; b++)
        clv_kinematics_body_rates(&s->system.kin, b);
    s->touching.moved = true;
}

/* v, a += scale times velocity and acceleration of a point of a body, while all rates stay */
static void move(const clv_sim *s, int body, const double at[3], double scale, double v[3], double a[3])
{
    const clv_kinematics *k = &s->system.kin;
    double arm[3], x[3];
    if (body == CLV_GROUND)
        return;
    const double *V = k->V + 6 * (size_t)body;
    clv_sub3(arm, at, k->ref + 3 * (size_t)body);
    clv_cross(x, V + 3, arm);
    clv_axpy3(v, scale, V), clv_axpy3(v, scale, x);
    clv_cross(x, V + 3, x);
    clv_axpy3(a, scale, x);
    for (int b = body; b >= 0; b = s->plan->tree[b].parent) {
        double c[6];
        clv_kinematics_body_bias(k, b, c);
        for (int i = 0; i < 6 && s->plan->tree[b].motion >= 0; i++)
            c[i] -= k->H[clv_columns(s->plan, (size_t)b) + (size_t)i] * k->ud[6 * (size_t)b];
        clv_sub3(arm, at, k->ref + 3 * (size_t)b);
        clv_cross(x, c + 3, arm);
        clv_axpy3(a, scale, c), clv_axpy3(a, scale, x);
    }
}

/* m/s^2: half the rate at which a pin that goes round comes nearer to the wall while all rates stay (T155.1) */
static double bend(const clv_sim *s, int a, int b, const clv_touch *x)
{
    double pin[3], bore[3], v[3] = {0, 0, 0}, acceleration[3] = {0, 0, 0};
    clv_copy3(pin, x->at);
    clv_axpy3(pin, x->axis, x->n);
    clv_copy3(bore, pin);
    clv_axpy3(bore, (x->axis > 0 ? 1 : -1) / x->hollow, x->n);
    move(s, b, x->axis > 0 ? pin : bore, 1, v, acceleration);
    move(s, a, x->axis > 0 ? bore : pin, -1, v, acceleration);
    const double round = clv_dot3(v, x->round);
    return 0.5 * (x->hollow * round * round - clv_dot3(acceleration, x->n));
}

void clv_touching_move(clv_sim *s, int a, int b, const clv_touch *found, const double *u, clv_contact_point *to)
{
    drive_point(s, a, b, found->at, to);
    if (found->hollow == 0)
        return;
    if (!s->touching.moved)
        find_velocities(s, u);
    to->bend = bend(s, a, b, found);
}
