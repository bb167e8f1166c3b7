/* SPDX-License-Identifier: Apache-2.0
 * Sizes by which closing is judged (T40): the model's own length, violations and motions as parts of it.
 *
 * A row of a closing measures a length or an angle.  Lengths are divided by the size of the model, so that a model has
 * the same numbers in micrometres and in kilometres.  Where rows are redundant and their data contradict each other,
 * the violation has a part that no motion of the bodies removes: the contradiction.  The rest is what the projection
 * can still remove, and that has to vanish. */
#include <math.h>
#include <string.h>
#include "base/tolerance.h"
#include "simulation/sim.h"

/* m: extent of the reference points and centres of mass with the origin; at least a tenth of a radius of gyration */
void clv_model_size(clv_sim *s)
{
    double lo[3] = {0}, hi[3] = {0}, gyration = 0;
    for (size_t b = 0; b < (size_t)s->plan->nbody; b++) {
        const clv_body *body = &s->model->body[b];
        for (size_t i = 0; i < 3; i++) {
            double x = s->system.kin.com[3 * b + i], y = s->system.kin.ref[3 * b + i];
            lo[i] = fmin(lo[i], fmin(x, y)), hi[i] = fmax(hi[i], fmax(x, y));
        }
        if (body->mass > 0)
            gyration = fmax(gyration, fmax(fmax(body->J[0], body->J[1]), body->J[2]) / body->mass);
    }
    s->size = fmax(fmax(hi[0] - lo[0], hi[1] - lo[1]), fmax(hi[2] - lo[2], 0.1 * sqrt(gyration)));
    if (s->divided)
        s->size = s->divided->across.size;
    if (!(s->size > 0))
        s->size = 1;
}

/* slides (nu): the free direction of a joint turns nothing.  Directions must be there. */
void clv_find_slides(clv_sim *s)
{
    const clv_plan *p = s->plan;
    for (size_t b = 0; b < (size_t)p->nbody; b++)
        for (int c = 0; c < p->tree[b].f; c++) {
            const double *H = s->system.kin.H + clv_columns(p, b) + 6 * (size_t)c;
            s->slides[p->tree[b].iu + c] = H[3] == 0 && H[4] == 0 && H[5] == 0;
        }
}

double clv_row_size(const clv_sim *s, int edge, int r)
{
    return clv_system_row_size(&s->system, edge, r, s->size);
}

static double largest_part(const clv_sim *s)
{
    const clv_plan *p = s->plan;
    double most = 0;
    for (int e = 0; e < p->nedge; e++)
        for (int r = 0; clv_edge_closes(&p->edge[e]) && r < p->edge[e].m; r++) {
            double x = fabs(s->row[p->edge[e].row + r]) / clv_row_size(s, e, r);
            most = x > most || isnan(x) ? x : most;
        }
    return most;
}

double clv_position_misfit(clv_sim *s)
{
    clv_look_at_violation(s, false);
    return largest_part(s);
}

double clv_velocity_misfit(clv_sim *s)
{
    clv_look_at_violation(s, true);
    return largest_part(s);
}

double clv_motion_part(const clv_sim *s, const double *x)
{
    double most = 0;
    for (size_t b = 0; b < (size_t)s->plan->nbody; b++)
        for (int i = 0; i < 6; i++) {
            const double part = i < 3 ? fabs(x[6 * b + (size_t)i]) / s->size : fabs(x[6 * b + (size_t)i]);
            most = part > most || isnan(part) ? part : most;
        }
    return most;
}

double clv_coordinate_size(const clv_sim *s, int iu)
{
    const clv_plan *p = s->plan;
    for (int k = 0; k < p->nstar; k++)
        if (iu >= p->star[k].iu && iu < p->star[k].iu + p->star[k].nmode) {
            const clv_flex *f = &s->model->flex[k];
            const double mass = s->model->body[f->body].mass;
            const double Mff = f->Mff[(iu - p->star[k].iu) * (f->nmode + 1)];
            return mass > 0 && Mff > 0 ? s->size * sqrt(mass / Mff) : 1;
        }
    return s->slides[iu] ? s->size : 1;
}

double clv_change_part(const clv_sim *s, const double *du)
{
    double most = 0;
    for (int i = 0; i < s->plan->nu; i++) {
        double part = fabs(du[i]) / clv_coordinate_size(s, i);
        most = part > most || isnan(part) ? part : most;
    }
    return most;
}

double clv_removable(clv_sim *s)
{
    if (s->system.border_only && s->system.bodies)
        clv_row_bodies_show(s->system.bodies);
    clv_kinematics_violation(&s->system.kin, s->row);
    clv_correction(s, s->dq);
    return clv_change_part(s, s->dq);
}

bool clv_is_closed(clv_sim *s, double tolerance, double contradiction, double *misfit)
{
    *misfit = clv_position_misfit(s);
    if (*misfit <= tolerance)
        return true;
    if (s->base_nullity == 0 || *misfit > contradiction)
        return false;
    /* close to singular positions, and by a factor of aldca, a contradiction is not parted from what can be removed */
    const bool alike = s->null || (s->formulation->accelerate && s->report.contradiction > CLV_TOL_CONSISTENT);
    return (alike && *misfit <= fmax(100 * s->report.contradiction, s->options.contradiction)) ||
           clv_removable(s) <= tolerance;
}
