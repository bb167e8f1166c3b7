/* SPDX-License-Identifier: Apache-2.0
 * Steps that do not pass over a contact (T73).  A thin body can lie between the states that an integrator looks at; no
 * error estimate sees it then.  So every pair of bodies in contact has a direction along which it was farthest apart
 * at the end of the last step.  Along that direction the bodies may come together, and sink into each other by a part
 * of their widths, but not change sides.  Adaptive steps are tried again, smaller; fixed ones end the run.
 * crowd.c does the same for contacts of many bodies. */
#include "simulation/spacing.h"
#include "base/error.h"
#include "math/rotation.h"
#include "model/apart.h"
#include "simulation/sim.h"
#include <math.h>

static bool paired(const clv_force *f)
{
    return f->kind == CLV_FORCE_CONTACT && f->a != CLV_GROUND && f->b != CLV_GROUND;
}

int clv_spacing_count(const clv_model *m)
{
    int n = 0;
    for (int i = 0; i < m->nforce; i++)
        n += paired(&m->force[i]);
    return n;
}

/* Finds the new direction; *width: mean of both.  The distance along the old direction, which moves with the first
 * body. */
static double look(clv_sim *s, clv_spacing *x, double *width)
{
    const clv_kinematics *k = &s->system.kin;
    const clv_force *f = &s->model->force[x->force];
    const double *R = k->R + 9 * (size_t)f->a;
    clv_solid a, b;
    double n[3];
    clv_contact_solids(s->model, f, k->com, k->R, &a, &b);
    *width = 0.5 * (clv_solid_width(&a) + clv_solid_width(&b));
    clv_mat3_times(n, R, x->n);
    const double before = isnan(x->gap) ? x->gap : clv_apart_along(&a, &b, n);
    x->new_gap = clv_apart(&a, &b, n);
    clv_mat3_transpose_times(x->new_n, R, n);
    return before;
}

void clv_spacing_begin(clv_sim *s)
{
    double width;
    for (int i = 0, k = 0; i < s->model->nforce; i++)
        if (paired(&s->model->force[i])) {
            s->spacing[k] = (clv_spacing){.force = i, .gap = NAN};
            (void)look(s, &s->spacing[k++], &width);
        }
    clv_crowd_begin(s);
    clv_spacing_keep(s);
}

void clv_spacing_forget(clv_sim *s)
{
    for (int k = 0; k < s->nspacing; k++)
        s->spacing[k].gap = NAN;
    clv_crowd_forget(s);
}

void clv_spacing_keep(clv_sim *s)
{
    for (int k = 0; k < s->nspacing; k++) {
        clv_spacing *x = &s->spacing[k];
        clv_copy3(x->n, x->new_n);
        x->gap = x->new_gap;
    }
    clv_crowd_keep(s);
}

clv_status clv_spacing_check(clv_sim *s, double t)
{
    for (int k = 0; k < s->nspacing; k++) {
        clv_spacing *x = &s->spacing[k];
        const clv_force *f = &s->model->force[x->force];
        double width;
        const double part = s->options.step > 0 ? CLV_SPACING_FIXED : CLV_SPACING_ADAPTIVE;
        const double reached = look(s, x, &width);
        if (!(reached < fmin(x->gap, 0) - part * width))
            continue;
        clv_fail(&s->error, CLV_ERR_NO_CONVERGENCE,
                 "a step of %.3g s moves bodies '%s' and '%s' through each other at t = %.9g s, beside contact '%s'",
                 t - s->integrator.t, s->model->body[f->a].name, s->model->body[f->b].name, t, f->name);
        clv_error_hint(&s->error, "use a smaller step, or an adaptive integrator");
        s->error.time = t;
        return s->error.code;
    }
    return clv_crowd_check(s, t);
}
