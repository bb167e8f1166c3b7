/* SPDX-License-Identifier: Apache-2.0
 * Rigid end stops (T157) and dry friction (T158) of joints: points with one direction, the rate of the coordinate.
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

static void close_loop(const clv_sim *s, const stopping *x, int edge, clv_contact_point *to)
{
    double H[36], D[36], duals[36], O[3];
    const double *G = duals + 6 * (size_t)x->f->coordinate;
    clv_joint_table[x->j->kind].basis(x->j, &s->system.kin.closing[edge], H, D);
    clv_joint_dual(x->j, H, duals);
    clv_closing_point(&s->system.kin, x->j, O);
    for (int side = 0; side < 2; side++) {
        const int body = side ? x->j->a : x->j->b;
        const double scale = side ? -x->sign : x->sign;
        if (body != CLV_GROUND && to->part[0].component >= 0)
            clv_touching_carry(s, body, O, G, scale, s->touching.J + to->part[0].at);
        for (int end = 0; end < 2 && s->model->nmotion > 0; end++) {
            double V[6] = {0};
            clv_touching_drive(s, body, O, s->touching.drive + end * s->model->nmotion, scale, V);
            (end ? to->after : to->before)[0] += clv_dot6(G, V);
        }
    }
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

/* the point becomes one along the coordinate of a joint */
static void place(clv_sim *s, const stopping *x, clv_contact_point *to, size_t *used)
{
    to->axis[0][0] = 1; /* its impulse is found again by this */
    to->part[1].component = -1;
    for (int side = 0; side < 2; side++) {
        const int body = side ? x->j->a : x->j->b;
        if (body != CLV_GROUND && s->model->body[body].mass > 0)
            to->alone += 1 / s->model->body[body].mass;
    }
    to->part[0] = clv_touching_part(&s->touching, x->j->b != CLV_GROUND ? x->j->b : x->j->a, used);
    direct(s, x, to);
}

int clv_touching_stop(clv_sim *s, int force, int n, size_t *used)
{
    stopping x = {.f = &s->model->force[force]};
    x.j = &s->model->joint[x.f->joint];
    if (!reaches(s, &x))
        return n;
    clv_contact_point *to = &s->touching.point[n];
    *to = (clv_contact_point){.contact = force, .pair = x.upper, .restitution = x.f->stop.restitution};
    place(s, &x, to, used);
    return n + 1;
}

void clv_touching_friction(clv_sim *s, int force, int n, size_t *used)
{
    const clv_force *f = &s->model->force[force];
    const stopping x = {.f = f, .j = &s->model->joint[f->joint], .sign = 1};
    clv_contact_point *to = &s->touching.point[n];
    *to = (clv_contact_point){.contact = force, .pair = CLV_TOUCHING_FRICTION, .dry = true};
    place(s, &x, to, used);
}

void clv_touching_bind(void *owner, int k, double h, double rate)
{
    const clv_sim *s = owner;
    clv_contact_point *p = &s->touching.point[k];
    p->bound = h * clv_friction_most(&s->model->force[p->contact].friction, rate);
}
