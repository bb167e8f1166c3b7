/* SPDX-License-Identifier: Apache-2.0
 * What acts along joints between bodies with coordinates of their own (row_trials.h): springs and dampers of joints
 * inside strands in the matrix of a step (T26), the forces of prescribed motions (T43.6). */
#include <string.h>
#include "kinematics/row_joints.h"
#include "kinematics/row_trials.h"
#include "math/spatial.h"
#include "model/force.h"

enum { G8 = CLV_GROUP };

/* Slot of a coordinate of a joint inside a strand, or -1.  Rows of a spherical joint that is passed from b to a have no
 * rate of their own; they follow its coordinates. */
static int slot_of(const clv_rows *w, int body, int coordinate)
{
    const clv_plan *p = w->plan;
    for (int k = 0, n = clv_row_count(p, body); k < n; k++) {
        const int slot = w->slot[body] - (n - 1 - k) * G8;
        if ((w->rate[slot] >= 0 ? w->rate[slot] - p->tree[body].iu : k) == coordinate)
            return slot;
    }
    return -1;
}

/* body whose inboard joint has a spring or damper and is eliminated in its strand, or -1 */
static int sprung(const clv_plan *p, const clv_force *f)
{
    if (f->kind != CLV_FORCE_JOINT || !clv_force_has_tangent(f))
        return -1;
    const int body = p->child_of_joint[f->joint];
    return body >= 0 && clv_row_inside(p, body) && p->tree[body].motion < 0 ? body : -1;
}

static int group_of(const clv_row_trials *r, int body)
{
    return r->rows.plan->strand[r->rows.strand_of[body]].group;
}

void clv_row_trial_list_springs(clv_row_trials *r)
{
    const clv_plan *p = r->rows.plan;
    const clv_model *m = p->model;
    for (int i = 0; i < m->nforce; i++)
        if (sprung(p, &m->force[i]) >= 0)
            r->spring_first[group_of(r, sprung(p, &m->force[i])) + 1]++;
    for (int g = 0; g < p->ngroup; g++)
        r->spring_first[g + 1] += r->spring_first[g];
    for (int i = m->nforce - 1; i >= 0; i--) { /* from the ends of the groups, whose places then are their starts */
        const int body = sprung(p, &m->force[i]);
        if (body < 0)
            continue;
        const int slot = slot_of(&r->rows, body, m->force[i].coordinate);
        r->spring[--r->spring_first[group_of(r, body) + 1]] =
            (clv_row_stiff){.force = i, .body = body, .column = m->force[i].coordinate, .slot = slot};
        r->rows.flags[slot / G8] |= CLV_ROW_STIFF;
    }
    int n = 0;
    for (int i = 0; i < m->nforce; i++)
        n += sprung(p, &m->force[i]) >= 0;
    for (int g = 0; g < p->ngroup; g++)
        r->spring_first[g] = r->spring_first[g + 1];
    r->spring_first[p->ngroup] = n;
}

void clv_row_trial_stiffen(clv_row_trials *r, double on_rate, double on_place)
{
    const clv_plan *p = r->rows.plan;
    r->on_rate = on_rate, r->on_place = on_place;
    for (int i = 0; i < r->spring_first[p->ngroup]; i++)
        r->rows.stiff[r->spring[i].slot] = 0.0;
    for (int i = 0; i < r->spring_first[p->ngroup]; i++) { /* several may load one joint */
        const clv_force *f = &p->model->force[r->spring[i].force];
        r->rows.stiff[r->spring[i].slot] += clv_force_tangent(f, 0, r->kin.load_q, r->kin.load_u, on_rate, on_place);
    }
}

/* How fast the row of a spring goes in the motion c of its joint.  A translation counts at the point of the child, as
 * rows do: a planar or free joint that is passed from b to a turns about another point. */
static double along_row(const clv_row_trials *r, const clv_row_stiff *s, const double c[6])
{
    const clv_rows *w = &r->rows;
    const size_t at = clv_columns(w->plan, (size_t)s->body) + 6 * (size_t)s->column;
    const double *H = r->kin.H + at;
    double h[3];
    clv_row_get(clv_row_slot(w->h, 3, s->slot), 3, h);
    if (r->turns[s->slot] != 0) /* a screw: the direction is alpha h */
        return clv_dot3(h, c + 3) * (w->flags[s->slot / G8] & CLV_ROW_SHIFTS ? w->alpha[s->slot] : 1.0);
    return w->alpha[s->slot] == 0 ? clv_dot3(H, c) / clv_dot3(H, H) : clv_dot6(r->kin.G + at, c);
}

void clv_row_trial_relax(clv_row_trials *r, int group)
{
    const clv_rows *w = &r->rows;
    for (int i = r->spring_first[group]; i < r->spring_first[group + 1]; i++) {
        const clv_row_stiff *s = &r->spring[i];
        double c[6];
        clv_row_get(clv_row_slot(w->bias, 6, w->slot[s->body]), 6, c);
        w->tau[s->slot] = -w->stiff[s->slot] * along_row(r, s, c);
    }
}

/* force along the direction of a prescribed joint of the wrench that the last solve has found for it */
static double force_along(const clv_row_trials *r, int body)
{
    const clv_plan *p = r->rows.plan;
    const clv_tree_joint *t = &p->tree[body];
    double force = 0;
    if (clv_row_inside(p, body))
        return -r->rows.rates[r->rows.slot[body]];
    const clv_edge *e = &p->edge[t->edge];
    const double *H = r->kin.H + clv_columns(p, (size_t)body);
    for (int i = 0; i < e->m; i++)
        force += clv_dot6(r->engine.block + e->block[0] + 6 * i, H) * r->engine.sigma[e->row + i];
    return force;
}

void clv_row_trial_drives(clv_row_trials *r, double scale, bool more)
{
    const clv_model *m = r->rows.plan->model;
    for (int i = 0; i < m->nmotion; i++) {
        const double force = force_along(r, r->rows.plan->child_of_joint[m->motion[i].joint]) / scale;
        r->drive[i] = more ? r->drive[i] + force : force;
    }
}

double clv_row_trials_power(const clv_row_trials *r)
{
    const clv_model *m = r->rows.plan->model;
    double power = 0, q, u, ud;
    for (int i = 0; i < m->nmotion; i++) {
        clv_kinematics_motion(&r->kin, i, &q, &u, &ud);
        power += r->drive[i] * u;
    }
    return power;
}
