/* SPDX-License-Identifier: Apache-2.0
 * What a contact does at the output state.  Forces of a compliant one are those of its law (T61), forces of a rigid one
 * the impulses of the last step (T62).  Depth, place and slip are those of the shapes. */
#include "base/error.h"
#include "integrator/moreau.h"
#include "math/rotation.h"
#include "math/spatial.h"
#include "model/apart.h"
#include "model/contact.h"
#include "model/sweep.h"
#include "simulation/react.h"
#include "simulation/sim.h"
#include <math.h>
#include <string.h>

/* velocities of the centres of mass of both bodies, where clv_contact_slide looks for them */
static void find_motions(clv_system *k, int a, int b)
{
    for (int side = 0; side < 2; side++) {
        const int body = side ? a : b;
        double l[3];
        if (body == CLV_GROUND)
            continue;
        clv_sub3(l, k->kin.com + 3 * (size_t)body, k->kin.ref + 3 * (size_t)body);
        clv_motion_shift(k->com_V + 6 * (size_t)body, l, k->kin.V + 6 * (size_t)body);
    }
}

/* a point at a place of the sum for the mean */
static void add(double sum[4], const double at[3], double weight)
{
    clv_axpy3(sum, weight, at);
    sum[3] += weight;
}

/* A pair of a contact: its number among them, as in points of a step; its bodies. */
typedef struct touching_pair {
    int force, a, b;
    long number;
} touching_pair;

/* Forces of a rigid contact: impulses of its points over the step, at the places that these have now.  Points are in
 * order of contacts and pairs, so the search begins at *from. */
static void by_impulses(const clv_sim *s, const touching_pair *p, int *from, clv_contact_result *r, double mean[4])
{
    const clv_kinematics *k = &s->system.kin;
    const size_t b = (size_t)p->b;
    int n;
    double step;
    const clv_warm_point *x = clv_moreau_points(&s->integrator, &n, &step);
    for (; *from < n; ++*from) {
        const clv_warm_point *w = &x[*from];
        if (w->contact > p->force || (w->contact == p->force && w->pair > (double)p->number))
            break;
        if (w->contact < p->force || w->pair < (double)p->number)
            continue;
        double at[3];
        const double N = w->normal / step;
        clv_mat3_times(at, k->R + 9 * b, w->place);
        clv_axpy3(at, 1, k->com + 3 * b);
        clv_axpy3(r->force, 1 / step, w->impulse);
        r->normal_force += N;
        add(mean, at, N);
    }
}

void clv_touching_press(clv_sim *s, bool on)
{
    clv_load_press *to = s->touching.press;
    int n = 0;
    double step;
    const bool any = on && s->integrator.method->asks == CLV_ASK_RESPONSE && s->touching.most > 0;
    const clv_warm_point *x = any ? clv_moreau_points(&s->integrator, &n, &step) : NULL;
    for (int i = 0; i < n; i++, to++) {
        const clv_force *f = &s->model->force[(int)x[i].contact];
        *to = (clv_load_press){.a = f->a, .b = f->b, .joint = -1};
        if (f->kind == CLV_FORCE_JOINT) { /* pair 1: the upper stop, which pushes back */
            to->joint = f->joint, to->coordinate = f->coordinate;
            to->F[0] = (x[i].pair == 1 ? -1 : 1) * x[i].normal / step;
            continue;
        }
        if (f->group)
            clv_touching_bodies(f, (long)x[i].pair, &to->a, &to->b);
        clv_copy3(to->place, x[i].place);
        for (int c = 0; c < 3; c++)
            to->F[c] = x[i].impulse[c] / step;
    }
    s->system.press = s->touching.press, s->system.npress = n;
}

/* forces, depth, place and slip of a pair that touches at n points */
static void look(clv_sim *s, const touching_pair *p, const clv_touch *x, int n, int *from, clv_contact_result *r)
{
    clv_system *k = &s->system;
    const clv_force *f = &s->model->force[p->force];
    double pressed[4] = {0}, sunk[4] = {0};
    memset(r, 0, sizeof *r);
    find_motions(k, p->a, p->b);
    r->points = n;
    for (int i = 0; i < n; i++) {
        double v[3], F[3], loss;
        clv_contact_slide(p->a, p->b, x[i].at, k->kin.com, k->com_V, v);
        if (!clv_contact_rigid(f)) {
            const double N = clv_contact_force(&f->contact, &x[i], v, F, &loss);
            clv_axpy3(r->force, 1, F);
            r->normal_force += N;
            add(pressed, x[i].at, N);
        }
        clv_axpy3(v, -clv_dot3(v, x[i].n), x[i].n);
        r->depth = fmax(r->depth, x[i].depth);
        r->slip = fmax(r->slip, clv_norm3(v));
        add(sunk, x[i].at, x[i].depth);
    }
    if (clv_contact_rigid(f) && s->integrator.method->asks == CLV_ASK_RESPONSE)
        by_impulses(s, p, from, r, pressed);
    const double *mean = pressed[3] > 0 ? pressed : sunk;
    for (int c = 0; c < 3; c++)
        r->point[c] = mean[3] > 0 ? mean[c] / mean[3] : NAN;
}

/* points of surfaces that just touch: their depth is rounding */
static int flatten(clv_touch *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i].depth = 0;
    return n;
}

static void look_at_two(clv_sim *s, int force, int *from, clv_contact_result *r)
{
    const clv_force *f = &s->model->force[force];
    const touching_pair p = {.force = force, .a = f->a, .b = f->b};
    clv_touch x[CLV_TOUCH_POINTS];
    clv_solid a, b;
    clv_contact_solids(s->model, f, s->system.kin.com, s->system.kin.R, &a, &b);
    int n = clv_touch_find(&a, &b, x);
    if (n == 0) {
        clv_solid_grow(&b, CLV_CONTACT_MARGIN * clv_solid_width(&b));
        n = flatten(x, clv_touch_find(&a, &b, x));
    }
    look(s, &p, x, n, from, r);
}

/* does anything happen there? */
static bool counts(const clv_contact_result *r)
{
    return r->points > 0 || r->normal_force > 0;
}

void clv_sim_contact_forces(clv_sim *s, int force, clv_contact_result *r)
{
    int from = 0;
    look_at_two(s, force, &from, r);
}

static clv_status contact_result(clv_sim *s, int force, clv_contact_result *r)
{
    if (!r)
        return clv_fail(&s->error, CLV_ERR_USAGE, "the pointer to the result is NULL");
    const clv_force_kind kind = force >= 0 && force < s->model->nforce ? s->model->force[force].kind : CLV_FORCE_KINDS;
    if (kind == CLV_FORCE_CONTACTS)
        return clv_fail(&s->error, CLV_ERR_USAGE, "contact '%s' is of many bodies: clv_sim_contacts has its pairs",
                        s->model->force[force].name);
    if (kind != CLV_FORCE_CONTACT)
        return clv_fail(&s->error, CLV_ERR_USAGE, "there is no contact number %d", force);
    const clv_status st = clv_sim_react_inside(s);
    if (st == CLV_OK)
        clv_sim_contact_forces(s, force, r);
    return st;
}

clv_status clv_sim_contact(clv_sim *s, int force, clv_contact_result *r)
{
    if (r)
        memset(r, 0, sizeof *r);
    clv_status st = clv_sim_enter(s, __func__);
    return st == CLV_OK ? clv_sim_leave(s, contact_result(s, force, r)) : st;
}

/* ------------------------------------------------------------------ many bodies */

static void share(clv_crowd_share *to, const clv_contact_result *r, double sign)
{
    to->pairs++, to->points += r->points;
    clv_axpy3(to->force, sign, r->force);
    to->normal_force += r->normal_force;
    to->depth = fmax(to->depth, r->depth), to->slip = fmax(to->slip, r->slip);
}

/* pair k of a sweep; false: nothing happens there */
static bool look_at_pair(clv_sim *s, int force, const clv_sweep *w, int k, int *from, clv_contact_pair *to)
{
    const clv_force *f = &s->model->force[force];
    clv_touch x[CLV_TOUCH_POINTS];
    touching_pair p = {.force = force, .number = clv_touching_pair(f, w->pair[k])};
    int n = clv_contact_touch(f, w, k, 0, &p.a, &p.b, x);
    if (n == 0)
        n = flatten(x, clv_contact_touch(f, w, k, CLV_CONTACT_MARGIN, &p.a, &p.b, x));
    to->force = force, to->a = p.a, to->b = p.b;
    to->shape_a = w->pair[k][0] < 0 ? -1 : f->group->member[w->pair[k][0]].shape;
    to->shape_b = f->group->member[w->pair[k][1]].shape;
    look(s, &p, x, n, from, &to->result);
    return counts(&to->result);
}

static clv_status sweep(clv_sim *s, int force, const clv_sweep **w)
{
    const clv_force *f = &s->model->force[force];
    clv_sweep *to = &s->system.sweep[f->group->number];
    *w = to;
    return clv_sweep_find(to, s->model, f, s->system.kin.com, s->system.kin.R)
               ? CLV_OK
               : clv_contact_crowded(&s->error, f, s->out_time);
}

clv_status clv_sim_contact_shares(clv_sim *s, int force, const clv_crowd_share **all, const clv_crowd_share **each)
{
    const clv_touch_group *g = s->model->force[force].group;
    clv_crowd *x = &s->crowd[g->number];
    const clv_sweep *w;
    int from = 0;
    memset(x->share, 0, (size_t)g->n * sizeof *x->share), memset(&x->all, 0, sizeof x->all);
    *all = &x->all, *each = x->share;
    const clv_status st = sweep(s, force, &w);
    for (int k = 0; st == CLV_OK && k < w->pairs; k++) {
        clv_contact_pair p;
        if (!look_at_pair(s, force, w, k, &from, &p))
            continue;
        share(&x->share[w->pair[k][1]], &p.result, 1), share(&x->all, &p.result, 1);
        if (w->pair[k][0] >= 0)
            share(&x->share[w->pair[k][0]], &p.result, -1);
    }
    return st;
}

static clv_status contacts(clv_sim *s, int most, clv_contact_pair *pair, int *count)
{
    int from = 0;
    if (!count || most < 0 || (most > 0 && !pair))
        return clv_fail(&s->error, CLV_ERR_USAGE, "a pointer to results is NULL, or their number negative");
    clv_status st = clv_sim_react_inside(s);
    for (int i = 0; i < s->model->nforce && st == CLV_OK; i++) {
        const clv_force *f = &s->model->force[i];
        const clv_sweep *w = NULL;
        clv_contact_pair p = {.force = i, .a = f->a, .b = f->b, .shape_a = -1, .shape_b = -1};
        if (f->kind == CLV_FORCE_CONTACT) {
            look_at_two(s, i, &from, &p.result);
            if (counts(&p.result) && (*count)++ < most)
                pair[*count - 1] = p;
        } else if (f->kind == CLV_FORCE_CONTACTS)
            st = sweep(s, i, &w);
        for (int k = 0; w && st == CLV_OK && k < w->pairs; k++)
            if (look_at_pair(s, i, w, k, &from, &p) && (*count)++ < most)
                pair[*count - 1] = p;
    }
    return st;
}

clv_status clv_sim_contacts(clv_sim *s, int most, clv_contact_pair *pair, int *count)
{
    if (count)
        *count = 0;
    clv_status st = clv_sim_enter(s, __func__);
    return st == CLV_OK ? clv_sim_leave(s, contacts(s, most, pair, count)) : st;
}
