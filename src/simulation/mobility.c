/* SPDX-License-Identifier: Apache-2.0
 * Which joints can move at the start (T14): rates without meaning are moved onto the velocity constraints by mass-weighted
 * least change, and so are their opposites.  The difference is a motion that loops, couplings and prescribed motions
 * allow; a joint that rests in it rests in every motion, but for rates of measure zero. */
#include <math.h>
#include <string.h>
#include "simulation/sim.h"

static void add_rates(clv_sim *s, int joint, double sign, const double *rate)
{
    for (int c = 0; c < clv_joint_table[s->model->joint[joint].kind].nu; c++)
        s->swing[6 * joint + c] += sign * rate[c];
}

/* Rates of one sign, on the constraints; sign times them is added to swing. */
static void add_side(clv_sim *s, double sign)
{
    const clv_plan *p = s->plan;
    double moved, q[7], rate[6] = {0};
    for (int i = 0; i < p->nu; i++) /* 0.5 .. 1.5, no two alike, alternating */
        s->u[i] = sign * (i % 2 ? -1 : 1) * (0.5 + fmod(0.6180339887498949 * (i + 1), 1.0));
    if (s->any_loop)
        clv_project_velocity(s, s->u, &moved);
    else
        clv_kinematics_velocities(&s->system.kin, s->u);
    for (int b = 0; b < p->nbody; b++)
        if (p->tree[b].joint >= 0)
            add_rates(s, p->tree[b].joint, sign, s->system.kin.u + 6 * (size_t)b);
    for (int e = 0; e < p->nedge; e++)
        if (p->edge[e].joint >= 0 && p->edge[e].tree_body < 0) {
            clv_kinematics_closing_state(&s->system.kin, e, q, rate);
            add_rates(s, p->edge[e].joint, sign, rate);
        }
}

void clv_find_mobile(clv_sim *s)
{
    double most = 0;
    int n = 6 * s->model->njoint;
    memset(s->swing, 0, (size_t)n * sizeof(double));
    add_side(s, 1), add_side(s, -1);
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(s->swing[i]));
    for (int i = 0; i < n; i++)
        s->mobile[i / 6] |= fabs(s->swing[i]) > 1e-7 * most;
}

bool clv_sim_joint_moves(const clv_sim *s, int joint)
{
    return joint >= 0 && joint < s->model->njoint && s->mobile[joint];
}
