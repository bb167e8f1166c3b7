/* SPDX-License-Identifier: Apache-2.0
 * Errors of evaluations: which body, joint, time and why.  Massless bodies that nothing holds (T5). */
#include "formulation/system.h"
#include "kinematics/place.h"
#include <math.h>
#include "base/error.h"
#include "math/rotation.h"
#include "math/spatial.h"

clv_status clv_system_fail(clv_system *s, clv_status code, int body, int joint, const char *what)
{
    const clv_model *m = s->model;
    const char *bn = body >= 0 ? m->body[body].name : "", *jn = joint >= 0 ? m->joint[joint].name : "";
    clv_fail(s->error, code, "%s%s%s%s%s at t = %.9g s", what, body >= 0 ? ", body " : "", bn,
             joint >= 0 ? ", joint " : "", jn, s->kin.time);
    clv_error_text(s->error->body, sizeof s->error->body, bn);
    clv_error_text(s->error->joint, sizeof s->error->joint, jn);
    s->error->time = s->kin.time;
    return code;
}

/* An angle beyond the range of sines (math/sincos.h) leaves no orientation, and no mass that could be factored. */
bool clv_system_lost(clv_system *s)
{
    for (int i = 0; i < s->plan->nbody; i++) {
        const int b = s->plan->order[i];
        if (isfinite(s->kin.R[9 * (size_t)b]))
            continue;
        clv_system_fail(s, CLV_ERR_NOT_FINITE, b, s->plan->tree[b].joint,
                        "an orientation is not finite: an angle is beyond 1.6e9 rad, or its rate is too high");
        clv_error_hint(s->error, "a load, a mass or a rate may be wrong by orders of magnitude");
        return true;
    }
    return false;
}

clv_status clv_system_singular(clv_system *s, int body, int joint)
{
    if (clv_system_lost(s))
        return s->error->code;
    clv_system_fail(s, CLV_ERR_SINGULAR, body, joint, "the mass seen by a joint is singular or not positive");
    clv_error_hint(s->error,
                   s->plan->absolute
                       ? "a body here has no mass and is not constrained, or a chain has more than 10^4 links; try "
                         "hdca or dca"
                       : "every joint direction needs inertia outboard of it; bodies at loop joints need mass "
                         "and inertia");
    return s->error->code;
}

/* inboard tree joint of a body; of one on an implicit free joint: the first joint of the model on it, or -1 */
static int joint_of(const clv_system *s, int body)
{
    int joint = s->plan->tree[body].joint;
    for (int j = 0; joint < 0 && j < s->model->njoint; j++)
        if (s->model->joint[j].a == body || s->model->joint[j].b == body)
            joint = j;
    return joint;
}

clv_status clv_system_solved(clv_system *s)
{
    if (!s->engine.stalled)
        return CLV_OK;
    int body = s->engine.loose_body;
    clv_system_fail(s, CLV_ERR_SINGULAR, body, joint_of(s, body),
                    "a body is loaded where nothing has inertia: it rotates or translates freely without moving any "
                    "mass");
    clv_error_hint(s->error, "give the body mass and inertia, or constrain it; massless bodies in series rotate "
                             "freely where two of their axes coincide (gimbal lock)");
    return s->error->code;
}

/* Does the motion x (nbody x 6) do more than spin a body between two joints that stay where they are? */
static bool drifts(const clv_system *s, int body, const double *x)
{
    int count = 0;
    const double *V = x + 6 * (size_t)body;
    double spin = sqrt(clv_dot3(V + 3, V + 3)), shift = sqrt(clv_dot3(V, V));
    for (int j = 0; j < s->model->njoint; j++)
        for (int side = 0; side < 2; side++) {
            const clv_joint *jt = &s->model->joint[j];
            if ((side ? jt->b : jt->a) != body || jt->absent)
                continue;
            double E[9], O[3], l[3], v[6];
            clv_frame_on(&s->kin, body, side ? jt->Eb : jt->Ea, side ? jt->pb : jt->pa, E, O);
            clv_sub3(l, O, s->kin.ref + 3 * (size_t)body);
            clv_motion_shift(v, l, V);
            if (sqrt(clv_dot3(v, v)) > 1e-6 * (s->engine.length * spin + shift))
                return true;
            count++;
        }
    return count < 2;
}

clv_status clv_system_held(clv_system *s)
{
    const double *x = s->engine.fix_x;
    int body = -1;
    double most = 0;
    if (s->engine.partial || !clv_extra_loose(&s->engine)) /* made in rows: an open tree without light bodies */
        return CLV_OK;
    for (int i = 0; i < 6 * s->plan->nbody; i++)
        most = fmax(most, fabs(x[i]));
    for (int b = 0; b < s->plan->nbody && body < 0; b++)
        for (int i = 0; i < 6 && body < 0; i++)
            if (s->model->body[b].mass <= 0 && s->model->body[b].flex < 0 && fabs(x[6 * b + i]) > 1e-6 * most &&
                drifts(s, b, x))
                body = b;
    if (body < 0)
        return CLV_OK;
    clv_system_fail(s, CLV_ERR_SINGULAR, body, joint_of(s, body),
                    "a massless body is not constrained: it can translate without moving any mass");
    clv_error_hint(s->error, "give the body mass, or connect it by joints to bodies with mass");
    return s->error->code;
}
