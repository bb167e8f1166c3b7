/* SPDX-License-Identifier: Apache-2.0
 * Outputs of a sensitivity run at a state, and their derivatives (T109.4). */
#include "base/error.h"
#include "math/rotation.h"
#include "simulation/sensitivity.h"
#include <string.h>

static clv_status check_joint(clv_sim *s, const clv_observed *x)
{
    const clv_joint_kind kind = s->model->joint[x->item].kind;
    const clv_joint_row *row = &clv_joint_table[kind];
    const char *name = s->model->joint[x->item].name;
    if (s->plan->child_of_joint[x->item] < 0) {
        clv_fail(&s->error, CLV_ERR_UNSUPPORTED,
                 "joint '%s' closes a loop: its coordinates cannot be outputs of a "
                 "sensitivity run",
                 name);
        clv_error_hint(&s->error, "give the joint `cut: false`, or take a marker of its body");
        return s->error.code;
    }
    if (x->component < 0 || x->component >= row->nu)
        return clv_fail(&s->error, CLV_ERR_USAGE, "joint '%s' has no component %d", name, x->component);
    if (x->kind == CLV_OBSERVED_COORDINATE && row->nq > row->nu && x->component >= row->nu - 3)
        return clv_fail(&s->error, CLV_ERR_UNSUPPORTED,
                        "joint '%s': components of a quaternion cannot be outputs of a "
                        "sensitivity run",
                        name);
    return CLV_OK;
}

clv_status clv_sensitivity_check_outputs(clv_sim *s, const clv_observed *output, int outputs)
{
    const clv_model *m = s->model;
    clv_status st = CLV_OK;
    for (int i = 0; i < outputs && st == CLV_OK; i++) {
        const clv_observed *x = &output[i];
        const bool joint = x->kind == CLV_OBSERVED_COORDINATE || x->kind == CLV_OBSERVED_RATE;
        if ((int)x->kind < 0 || x->kind >= CLV_OBSERVED_KINDS || x->item < 0 ||
            x->item >= (joint ? m->njoint : m->nmarker) || x->component < 0 || (!joint && x->component > 2))
            st =
                clv_fail(&s->error, CLV_ERR_USAGE, "the model does not have output %d (kind %d, item %d, component %d)",
                         i, (int)x->kind, x->item, x->component);
        else if (joint)
            st = check_joint(s, x);
    }
    return st;
}

/* ------------------------------------------------------------------ values */

/* a marker's place from the centre of mass of its body; global */
static void arm_of(const clv_sensitivity_work *w, const clv_marker *m, double arm[3])
{
    double c[3];
    clv_copy3(c, m->position);
    if (m->body >= 0) {
        clv_sub3(c, m->position, w->s->model->body[m->body].com);
        clv_mat3_times(arm, w->s->system.kin.R + 9 * (size_t)m->body, c);
    } else {
        clv_copy3(arm, c);
    }
}

static double marker_output(const clv_sensitivity_work *w, const clv_observed *o)
{
    const clv_kinematics *k = &w->s->system.kin;
    const clv_marker *m = &w->s->model->marker[o->item];
    double arm[3], v[3], r[3];
    arm_of(w, m, arm);
    if (m->body < 0)
        return o->kind == CLV_OBSERVED_POSITION ? arm[o->component] : 0;
    const size_t b = (size_t)m->body;
    clv_axpy3(arm, 1, k->com + 3 * b); /* the place itself */
    if (o->kind == CLV_OBSERVED_POSITION)
        return arm[o->component];
    clv_sub3(r, arm, k->ref + 3 * b);
    clv_cross(v, k->V + 6 * b + 3, r);
    return k->V[6 * b + (size_t)o->component] + v[o->component];
}

void clv_sensitivity_outputs(const clv_sensitivity_work *w, double *y)
{
    const clv_kinematics *k = &w->s->system.kin;
    for (int i = 0; i < w->shown.outputs; i++) {
        const clv_observed *o = &w->output[i];
        if (o->kind == CLV_OBSERVED_POSITION || o->kind == CLV_OBSERVED_VELOCITY) {
            y[i] = marker_output(w, o);
            continue;
        }
        const size_t child = (size_t)w->plan->child_of_joint[o->item];
        y[i] = o->kind == CLV_OBSERVED_COORDINATE ? clv_kinematics_q(k, child)[o->component]
                                                  : clv_kinematics_u(k, child)[o->component];
    }
}

/* ------------------------------------------------------------------ derivatives */

/* velocity of a point at p from the origin, of a body that moves with x */
static double at_point(const double x[6], const double p[3], int component)
{
    double y[3];
    clv_cross(y, x + 3, p);
    return x[component] + y[component];
}

/* change of that velocity: the body is displaced by x, and its motion changes by dv */
static double velocity_change(const double v[6], const double x[6], const double dv[6], const double p[3],
                              int component)
{
    double shift[3], y[3];
    clv_cross(shift, x + 3, p), clv_axpy3(shift, 1, x);
    clv_cross(y, v + 3, shift);
    return at_point(dv, p, component) + y[component];
}

static void marker_slopes(clv_sensitivity_work *w, const clv_observed *o, double *y_x, double *y_u)
{
    const clv_derivative *d = &w->d;
    const clv_marker *m = &w->s->model->marker[o->item];
    double p[3];
    if (m->body < 0)
        return;
    const double *v = d->v + 6 * (size_t)m->body;
    arm_of(w, m, p);
    clv_axpy3(p, 1, d->kin->com + 3 * (size_t)m->body), clv_axpy3(p, -1, d->origin);
    for (int b = m->body; b >= 0; b = w->plan->tree[b].parent)
        for (int c = 0; c < w->plan->tree[b].f; c++) {
            const int k = w->plan->tree[b].iu + c;
            const double *S = d->S + 6 * (size_t)k;
            double dv[6];
            if (o->kind == CLV_OBSERVED_POSITION) {
                y_x[k] = at_point(S, p, o->component);
                continue;
            }
            clv_motion_cross(dv, S, v);
            clv_add6(dv, d->vq + 6 * (size_t)k);
            y_x[k] = velocity_change(v, S, dv, p, o->component);
            y_u[k] = at_point(S, p, o->component);
        }
}

/* markers move with offsets of joints inboard of them (T112) */
static void offset_slope(clv_sensitivity_work *w, const clv_observed *o, const clv_derivative_offset *g, double *y_p)
{
    const clv_derivative *d = &w->d;
    const clv_marker *m = &w->s->model->marker[o->item];
    double p[3], dv[6];
    if (m->body < 0 || g->child < 0 || !clv_derivative_outboard(d, m->body, g->child))
        return;
    const double *v = d->v + 6 * (size_t)m->body;
    arm_of(w, m, p);
    clv_axpy3(p, 1, d->kin->com + 3 * (size_t)m->body), clv_axpy3(p, -1, d->origin);
    clv_motion_cross(dv, g->S, v);
    clv_add6(dv, g->v);
    *y_p = o->kind == CLV_OBSERVED_POSITION ? at_point(g->S, p, o->component)
                                            : velocity_change(v, g->S, dv, p, o->component);
}

static void offset_slopes(clv_sensitivity_work *w, int output)
{
    clv_derivative_offset g;
    for (int i = 0; i < w->shown.numbers; i++) {
        double *to = w->y_p + (size_t)output * (size_t)w->shown.numbers + (size_t)i;
        *to = 0;
        if (!clv_derivative_is_offset(&w->number[i]))
            continue;
        clv_derivative_offset_of(&w->d, &w->number[i], &g);
        offset_slope(w, &w->output[output], &g, to);
    }
}

/* by the coordinates that are held: of markers outboard, and of the joint itself */
static void held_slopes(clv_sensitivity_work *w, int output)
{
    const clv_observed *o = &w->output[output];
    clv_derivative_offset g;
    for (int i = 0; i < w->nheld; i++) {
        double *to = w->y_held + (size_t)output * (size_t)w->nheld + (size_t)i;
        *to = o->kind == CLV_OBSERVED_COORDINATE && o->item == w->held[i];
        if (o->kind != CLV_OBSERVED_POSITION && o->kind != CLV_OBSERVED_VELOCITY)
            continue;
        if (clv_closed_held_offset(w, i, &g) < 0)
            offset_slope(w, o, &g, to);
    }
}

void clv_sensitivity_output_slopes(clv_sensitivity_work *w)
{
    const size_t n = (size_t)w->n, all = (size_t)w->shown.outputs * n * sizeof(double);
    memset(w->y_x, 0, all), memset(w->y_u, 0, all);
    for (int i = 0; i < w->shown.outputs; i++) {
        const clv_observed *o = &w->output[i];
        double *y_x = w->y_x + (size_t)i * n, *y_u = w->y_u + (size_t)i * n;
        held_slopes(w, i);
        if (o->kind == CLV_OBSERVED_POSITION || o->kind == CLV_OBSERVED_VELOCITY) {
            marker_slopes(w, o, y_x, y_u);
            offset_slopes(w, i);
            continue;
        }
        const clv_tree_joint *t = &w->plan->tree[w->plan->child_of_joint[o->item]];
        if (t->f > 0)
            (o->kind == CLV_OBSERVED_COORDINATE ? y_x : y_u)[t->iu + o->component] = 1;
    }
}
