/* SPDX-License-Identifier: Apache-2.0
 * Power of prescribed motions (T12), from the forces that a solution for accelerations gives them. */
#include "formulation/armature.h"
#include "formulation/walk_steps.h"
#include "math/spatial.h"

/* force of the drive of a prescribed base: along its direction H, or H^T of the wrench of its edge, by sigma */
static double base_reaction(const clv_system *s, int strand, int body, const double *sigma)
{
    const clv_edge *e = &s->plan->edge[s->plan->tree[body].edge];
    const double *H = s->kin.H + clv_columns(s->plan, (size_t)body);
    double force = 0;
    if (!s->rows.looped && !clv_plan_adrift(s->plan, body))
        return s->rows.join[strand].reaction;
    for (int r = 0; r < e->m; r++)
        force += clv_dot6(s->engine.block + e->block[0] + 6 * r, H) * sigma[e->row + r];
    return force;
}

void clv_walk_motion_power(clv_system *s)
{
    const clv_plan *p = s->plan;
    const clv_rows *w = &s->rows;
    s->power += clv_armature_power(s);
    for (int i = 0; i < w->ndrive; i++) {
        const clv_row_drive *d = &w->drive[i];
        s->power += (-w->rates[d->slot] - s->joint_tau[6 * (size_t)p->tree[d->body].joint]) * d->u;
    }
    for (int k = 0, b; (b = clv_walk_base(&s->rows, &k)) >= 0; k++) {
        if (p->tree[b].motion >= 0)
            s->power += (base_reaction(s, k, b, s->lambda) - s->joint_tau[6 * (size_t)p->tree[b].joint]) *
                        *clv_kinematics_u(&s->kin, (size_t)b);
    }
}

double clv_walk_push_work(const clv_system *s, const double *rate)
{
    const clv_rows *w = &s->rows;
    double work = 0;
    for (int i = 0; i < w->ndrive; i++)
        work -= w->rates[w->drive[i].slot] * rate[w->drive[i].motion];
    for (int k = 0, b; (b = clv_walk_base(w, &k)) >= 0; k++) {
        const int motion = s->plan->tree[b].motion;
        if (motion >= 0)
            work += base_reaction(s, k, b, s->engine.sigma) * rate[motion];
    }
    return work;
}
