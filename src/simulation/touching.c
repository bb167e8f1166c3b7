/* SPDX-License-Identifier: Apache-2.0
 * Rigid contacts as an integrator sees them, see touching.h (T62, T89).
 *
 *   poses | points | directions J | factor | responses Y, own blocks J Y (touching_respond.c) */
#include "simulation/touching.h"
#include "base/error.h"
#include "formulation/walk.h"
#include "math/rotation.h"
#include "math/spatial.h"
#include "model/apart.h"
#include "model/sweep.h"
#include "simulation/sim.h"
#include <math.h>
#include <string.h>

void clv_touching_carry(const clv_sim *s, int body, const double at[3], const double G[6], double scale, double *J)
{
    const clv_plan *p = s->plan;
    const int first = s->touching.first[s->touching.of[body]];
    for (int b = body; b >= 0; b = p->tree[b].parent) {
        const clv_tree_joint *joint = &p->tree[b];
        const double *H = s->system.kin.H + clv_columns(p, (size_t)b);
        double w[6], arm[3];
        clv_sub3(arm, at, s->system.kin.ref + 3 * (size_t)b);
        clv_wrench_shift(w, arm, G);
        for (int c = 0; c < joint->f; c++)
            J[s->touching.place[joint->iu + c] - first] += scale * clv_dot6(H + 6 * (size_t)c, w);
    }
}

clv_contact_part clv_touching_part(const clv_touching *x, int body, size_t *used)
{
    clv_contact_part part = {.component = -1};
    if (body == CLV_GROUND)
        return part;
    const int c = x->of[body], n = x->first[c + 1] - x->first[c];
    if (n == 0)
        return part;
    part = (clv_contact_part){.component = c, .first = x->first[c], .n = n, .at = *used};
    *used += 3 * (size_t)n;
    memset(x->J + part.at, 0, 3 * (size_t)n * sizeof *x->J);
    return part;
}

static const clv_contact_part *part_with(const clv_contact_point *p, int component)
{
    return component < 0                            ? NULL
           : p->part[0].component == component ? &p->part[0]
           : p->part[1].component == component ? &p->part[1]
                                               : NULL;
}

static void direct(const clv_sim *s, int a, int b, const double at[3], clv_contact_point *to, size_t *used)
{
    const clv_touching *x = &s->touching;
    to->part[0] = clv_touching_part(x, b, used);
    to->part[1] = (clv_contact_part){.component = -1};
    if (a != CLV_GROUND && x->of[a] != x->of[b])
        to->part[to->part[0].component < 0 ? 0 : 1] = clv_touching_part(x, a, used);
    for (int side = 0; side < 2; side++) {
        const int body = side ? a : b;
        const clv_contact_part *part = body == CLV_GROUND ? NULL : part_with(to, x->of[body]);
        for (int axis = 0; axis < 3 && part; axis++) {
            const double G[6] = {to->axis[axis][0], to->axis[axis][1], to->axis[axis][2]};
            clv_touching_carry(s, body, at, G, side ? -1 : 1, x->J + part->at + (size_t)(axis * part->n));
        }
    }
}

/* of pair `pair` of a contact, whose bodies are a and b; u: rates */
static void add_point(clv_sim *s, int contact, long pair, int a, int b, const clv_touch *found, const double *u,
                      clv_contact_point *to, size_t *used)
{
    const clv_force *f = &s->model->force[contact];
    const double none[3] = {0, 0, 0};
    double E[9], arm[3];
    *to = (clv_contact_point){.contact = contact, .pair = pair, .restitution = f->contact.restitution,
                              .friction = f->contact.dynamic_friction};
    for (int side = 0; side < 2; side++) {
        const int body = side ? a : b;
        if (body != CLV_GROUND && s->model->body[body].mass > 0)
            to->alone += 1 / s->model->body[body].mass;
    }
    clv_rotation_frame(E, found->n, none);
    for (int axis = 0; axis < 3; axis++) /* the normal first */
        clv_mat3_column(to->axis[axis], E, (axis + 2) % 3);
    clv_sub3(arm, found->at, s->system.kin.com + 3 * (size_t)b);
    clv_mat3_transpose_times(to->place, s->system.kin.R + 9 * (size_t)b, arm);
    clv_touching_move(s, a, b, found, u, to);
    direct(s, a, b, found->at, to, used);
}

/* points of a contact of two bodies behind the first n; returns how many there are then */
static int add_two(clv_sim *s, int i, int n, const double *u, size_t *used)
{
    const clv_force *f = &s->model->force[i];
    clv_touch x[CLV_TOUCH_POINTS];
    clv_solid a, b;
    clv_contact_solids(s->model, f, s->system.kin.com, s->system.kin.R, &a, &b);
    clv_solid_grow(&b, CLV_CONTACT_MARGIN * clv_solid_width(&b));
    const int found = clv_touch_find(&a, &b, x);
    for (int p = 0; p < found; p++)
        add_point(s, i, 0, f->a, f->b, &x[p], u, &s->touching.point[n++], used);
    return n;
}

long clv_touching_pair(const clv_force *f, const int pair[2]) { return ((long)pair[0] + 1) * f->group->n + pair[1]; }

void clv_touching_bodies(const clv_force *f, long pair, int *a, int *b)
{
    const clv_touch_group *g = f->group;
    const long first = pair / g->n - 1;
    *a = first < 0 ? CLV_GROUND : g->member[first].body, *b = g->member[pair % g->n].body;
}

/* the same of many bodies; -1: there is no room for them */
static int add_many(clv_sim *s, int i, int n, const double *u, size_t *used)
{
    const clv_force *f = &s->model->force[i];
    clv_sweep *near = &s->system.sweep[f->group->number];
    const int first = n;
    if (!clv_sweep_find(near, s->model, f, s->system.kin.com, s->system.kin.R))
        return -1;
    for (int k = 0; k < near->pairs; k++) {
        clv_touch x[CLV_TOUCH_POINTS];
        int a, b;
        const int found = clv_contact_touch(f, near, k, CLV_CONTACT_MARGIN, &a, &b, x);
        if (n - first + found > f->group->points)
            return -1;
        for (int p = 0; p < found; p++)
            add_point(s, i, clv_touching_pair(f, near->pair[k]), a, b, &x[p], u, &s->touching.point[n++], used);
    }
    return n;
}

/* all points that touch at the poses of the system */
static clv_status find_points(clv_sim *s, double t, const double *u, int *n)
{
    size_t used = 0;
    *n = 0;
    for (int i = 0; i < s->model->nforce; i++) {
        const clv_force *f = &s->model->force[i];
        if (clv_force_rigid(f))
            *n = f->kind == CLV_FORCE_JOINT ? clv_touching_stop(s, i, *n, &used)
                 : f->group ? add_many(s, i, *n, u, &used)
                            : add_two(s, i, *n, u, &used);
        if (*n < 0)
            return clv_contact_crowded(&s->error, f, t);
        if (s->touching.dry[i])
            clv_touching_friction(s, i, (*n)++, &used);
    }
    return CLV_OK;
}

/* what motions do against impulses, along the mean of their rates before and after */
static clv_status carry(void *owner, double t, double h, const double *tau, double *work)
{
    clv_sim *s = owner;
    const int n = s->model->nmotion;
    clv_touching_drives(s, t, h);
    double *mean = s->touching.drive + 2 * n;
    for (int i = 0; i < n; i++)
        mean[i] = 0.5 * (s->touching.drive[i] + s->touching.drive[n + i]);
    memset(s->row, 0, (size_t)s->plan->nclosing_row * sizeof(double));
    const clv_status st = clv_walk_push(&s->system, tau, s->row, s->touching.du);
    *work = st == CLV_OK ? clv_walk_push_work(&s->system, mean) : 0;
    return st;
}

static clv_status touch(void *owner, double start, double h, const double *q, clv_contact_set *set)
{
    clv_sim *s = owner;
    const clv_touching *x = &s->touching;
    const double t = start + 0.5 * h;
    clv_touching_drives(s, start, h);
    s->seen_t = NAN;
    clv_walk_show_poses(&s->system, t, q);
    s->system.held = 0;
    *set = (clv_contact_set){.point = x->point, .J = x->J, .Y = x->Y};
    clv_status st = find_points(s, t, q + s->plan->nq, &set->n);
    if (st != CLV_OK || set->n == 0)
        return st;
    st = s->mechanics.factor(s, t, q);
    return st == CLV_OK ? clv_touching_respond(s, set->n) : st;
}

/* dampers of joints are part of the factor for a step of h, or no longer (T118) */
static void ease(void *owner, double h, const double *u)
{
    clv_sim *s = owner;
    clv_system *k = &s->system;
    k->eased = u, k->held = 0, s->seen_t = NAN;
    for (int i = 0; i < s->plan->nu && u; i++)
        k->rows.lag[i] = h * k->damping[i];
    clv_rows_ease(&k->rows, u != NULL);
}

/* Of joints inside strands with linear dampers; others stay explicit. */
static void find_dampers(clv_sim *s)
{
    const clv_plan *p = s->plan;
    for (int i = 0; i < s->model->nforce; i++) {
        const clv_force *f = &s->model->force[i];
        const int b = f->kind == CLV_FORCE_JOINT ? p->child_of_joint[f->joint] : -1;
        if (b < 0 || !(f->damping > 0) || f->limit > 0)
            continue;
        const clv_tree_joint *t = &p->tree[b];
        if (clv_row_inside(p, b) && t->kind != CLV_JOINT_SPHERICAL && t->motion < 0 && f->coordinate < t->f)
            s->system.damping[t->iu + f->coordinate] += f->damping;
    }
}

static void struck(void *owner, int iterations, double residual, bool limited, int jam, double t)
{
    clv_sim_report *r = &((clv_sim *)owner)->report;
    r->contact_steps++;
    r->contact_iterations += iterations;
    r->contact_limited += limited;
    r->contact_residual = fmax(r->contact_residual, residual);
    r->contact_jams += jam > 0;
    if (jam > 0 && r->contact_jam == 0)
        r->contact_jam = jam, r->contact_jam_time = t;
}

static const char *name_of(const clv_sim *s, int body)
{
    return body == CLV_GROUND ? "the ground" : s->model->body[body].name;
}

static clv_status pressed(void *owner, const clv_contact_point *point, double t)
{
    clv_sim *s = owner;
    const clv_force *f = &s->model->force[point->contact];
    int a = f->a, b = f->b;
    if (f->kind == CLV_FORCE_JOINT) {
        const char *joint = s->model->joint[f->joint].name;
        clv_fail(&s->error, CLV_ERR_INCONSISTENT,
                 "stops '%s': at t = %.9g s motions drive joint '%s' beyond its %s limit, and nothing can give way",
                 f->name, t, joint, point->pair ? "upper" : "lower");
        clv_error_text(s->error.joint, sizeof s->error.joint, joint);
        clv_error_hint(&s->error, "give the stops a stiffness, let the motion turn back, or drive by a force");
        s->error.time = t;
        return s->error.code;
    }
    if (f->group)
        clv_touching_bodies(f, (long)point->pair, &a, &b);
    clv_fail(&s->error, CLV_ERR_INCONSISTENT,
             "contact '%s': at t = %.9g s motions press body '%s' into %s, and nothing can give way", f->name, t,
             name_of(s, b), name_of(s, a));
    clv_error_text(s->error.body, sizeof s->error.body, name_of(s, b));
    clv_error_hint(&s->error, "give the contact a stiffness, let the motion turn back, or drive by a force");
    s->error.time = t;
    return s->error.code;
}

void clv_touching_mechanics(clv_sim *s, clv_mechanics *m)
{
    m->touching = s->touching.most;
    m->components = s->touching.components;
    m->component_rate = s->touching.rate;
    m->touch = touch, m->bind = clv_touching_bind, m->struck = struck, m->pressed = pressed;
    m->carry = s->model->nmotion > 0 ? carry : NULL;
    s->system.dry = s->touching.dry;
    if (s->system.rows.lag && s->system.rows.fit) {
        find_dampers(s);
        m->ease = ease, m->damping = s->system.damping;
    }
}
