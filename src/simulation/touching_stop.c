/* SPDX-License-Identifier: Apache-2.0
 * Rigid end stops of joints (T157): points of rigid contacts with one direction, which is the rate of the coordinate.
 * Of a joint of the tree this is a rate of the state.  Of one that closes a loop it is the relative rate of the two
 * bodies.  Its direction is then the pair of wrenches +-G of the joint, carried down to the ground. */
#include "kinematics/place.h"
#include "simulation/sim.h"
#include "simulation/touching.h"
#include <math.h>

/* The state of a joint at the middle of a step. */
typedef struct stopping {
    const clv_force *f;
    const clv_joint *j;
    int upper;   /* 1: the upper limit is reached, 0: the lower one */
    double sign; /* of the rate that leaves the limit               */
} stopping;

/* Is a limit reached?  Ranges are wider by rounding. */
static bool reaches(const clv_sim *s, stopping *x)
{
    const clv_stop *stop = &x->f->stop;
    const double q = clv_kinematics_coordinate(&s->system.kin, x->f->joint, x->f->coordinate);
    const double range = stop->upper - stop->lower, margin = CLV_CONTACT_MARGIN * (isfinite(range) ? range : 1);
    x->upper = q > stop->upper - margin;
    x->sign = x->upper ? -1 : 1;
    return x->upper || q < stop->lower + margin;
}

/* J (of the part) and velocities at both ends of the step += scale times what a wrench G at O does to a body, down to
 * the ground */
static void carry_down(const clv_sim *s, int body, const double O[3], const double G[6], double scale,
                       clv_contact_point *to)
{
    const clv_plan *p = s->plan;
    const clv_contact_part *part = &to->part[0];
    for (int b = body; b >= 0; b = p->tree[b].parent) {
        const clv_tree_joint *joint = &p->tree[b];
        const double *H = s->system.kin.H + clv_columns(p, (size_t)b);
        double w[6], arm[3];
        clv_sub3(arm, O, s->system.kin.ref + 3 * (size_t)b);
        clv_wrench_shift(w, arm, G);
        for (int c = 0; c < joint->f && part->component >= 0; c++)
            s->touching.J[part->at + (size_t)(s->touching.place[joint->iu + c] - part->first)] +=
                scale * clv_dot6(H + 6 * (size_t)c, w);
        if (joint->motion < 0)
            continue;
        const double *rate = s->touching.drive + joint->motion, by = scale * clv_dot6(H, w);
        to->before[0] += by * rate[0];
        to->after[0] += by * rate[s->model->nmotion];
    }
}

static void close_loop(const clv_sim *s, const stopping *x, int edge, clv_contact_point *to)
{
    double H[36], D[36], G[36], O[3];
    clv_joint_table[x->j->kind].basis(x->j, &s->system.kin.closing[edge], H, D);
    clv_joint_dual(x->j, H, G);
    clv_closing_point(&s->system.kin, x->j, O);
    for (int side = 0; side < 2; side++)
        carry_down(s, side ? x->j->a : x->j->b, O, G + 6 * (size_t)x->f->coordinate, side ? -x->sign : x->sign, to);
}

/* A prescribed rate gives way to no impulse. */
static void prescribe(const clv_sim *s, const stopping *x, int motion, clv_contact_point *to)
{
    to->before[0] = x->sign * s->touching.drive[motion];
    to->after[0] = x->sign * s->touching.drive[s->model->nmotion + motion];
}

static void direct(const clv_sim *s, const stopping *x, clv_contact_point *to)
{
    const clv_plan *p = s->plan;
    const int child = p->child_of_joint[x->f->joint], edge = p->edge_of_joint[x->f->joint];
    const clv_contact_part *part = &to->part[0];
    const int motion = child >= 0 ? p->tree[child].motion : p->edge[edge].motion;
    if (motion >= 0)
        prescribe(s, x, motion, to);
    else if (child < 0)
        close_loop(s, x, edge, to);
    else if (x->f->coordinate < p->tree[child].f && part->component >= 0)
        s->touching.J[part->at + (size_t)(s->touching.place[p->tree[child].iu + x->f->coordinate] - part->first)] =
            x->sign;
}

int clv_touching_stop(clv_sim *s, int force, int n, size_t *used)
{
    stopping x = {.f = &s->model->force[force]};
    x.j = &s->model->joint[x.f->joint];
    if (!reaches(s, &x))
        return n;
    clv_contact_point *to = &s->touching.point[n];
    *to = (clv_contact_point){.contact = force, .pair = x.upper, .restitution = x.f->stop.restitution,
                              .axis = {{1, 0, 0}}, /* its impulse is found again by this */
                              .part[1].component = -1};
    for (int side = 0; side < 2; side++) {
        const int body = side ? x.j->a : x.j->b;
        if (body != CLV_GROUND && s->model->body[body].mass > 0)
            to->alone += 1 / s->model->body[body].mass;
    }
    to->part[0] = clv_touching_part(&s->touching, x.j->b != CLV_GROUND ? x.j->b : x.j->a, used);
    direct(s, &x, to);
    return n + 1;
}
