/* SPDX-License-Identifier: Apache-2.0
 * Redundant or real: a dropped direction followed along a motion (T40).
 *
 * At one position a row that contradicts others by d, a weak but real row, and a singular position at the distance d
 * look alike: a singular value of order d.  Along a motion in which the direction is dropped they part.  A
 * contradiction stays of order d.  A real row opens in proportion to the way, and its pivot or its violation outgrows
 * d. */
#include <math.h>
#include <string.h>
#include "base/tolerance.h"
#include "simulation/sim.h"

enum { STEPS = 5 };
static const double STEP = 0.02; /* rad, or parts of the model's size, of the body that moves most */

/* ydot := half the difference of two opposite rates on the loops at the factor at hand; its largest motion */
static double direction(clv_sim *s, const double *towards)
{
    double moved;
    memset(s->ydot, 0, (size_t)s->plan->nu * sizeof(double));
    memset(s->P, 0, 6 * (size_t)s->plan->nbody * sizeof(double));
    for (int sign = 1; sign >= -1; sign -= 2) {
        for (int i = 0; i < s->plan->nu; i++)
            s->u[i] = sign * towards[i];
        clv_project_velocity(s, s->u, &moved);
        for (int i = 0; i < s->plan->nu; i++)
            s->ydot[i] += 0.5 * sign * s->u[i];
        for (size_t i = 0; i < 6 * (size_t)s->plan->nbody; i++)
            s->P[i] += 0.5 * sign * s->system.kin.V[i];
    }
    return clv_motion_part(s, s->P);
}

/* rates without meaning, no two alike: 0.5 .. 1.5 of each coordinate's size per second, alternating or not */
static void any_rates(const clv_sim *s, double *u, int number)
{
    for (int i = 0; i < s->plan->nu; i++)
        u[i] = clv_coordinate_size(s, i) * ((i + number) % 2 && number < 2 ? -1 : 1) *
               (0.5 + fmod(0.6180339887498949 * (i + 1 + 7 * number), 1.0));
}

/* Long chains magnify rounding of the violation. */
static bool closed(clv_sim *s)
{
    return clv_position_misfit(s) <= CLV_TOL_STILL || clv_removable(s) <= 1e-9;
}

double clv_walk(clv_sim *s, int number, double *open)
{
    const int dropped = s->system.engine.truncated;
    double most = clv_imbalance(s, NULL), moved;
    memcpy(s->seen_y, s->q, (size_t)s->plan->nq * sizeof(double));
    any_rates(s, s->trial, number);
    for (int k = 0; k < STEPS; k++) {
        const double speed = direction(s, s->trial);
        if (!(speed > 1e-3))
            return INFINITY;
        memcpy(s->trial, s->ydot, (size_t)s->plan->nu * sizeof(double));
        for (int i = 0; i < s->plan->nu; i++)
            s->ydot[i] *= STEP / speed;
        clv_displace(s, s->seen_y, s->ydot);
        if (clv_project_position(s, s->model->begin, s->seen_y, false, 20, &moved) != CLV_OK ||
            s->system.engine.truncated < dropped || !closed(s))
            return INFINITY;
        *open = fmax(*open, clv_position_misfit(s));
        most = fmax(most, fmax(*open, clv_imbalance(s, NULL)));
    }
    return most;
}
