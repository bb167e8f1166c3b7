/* SPDX-License-Identifier: Apache-2.0
 * Inverse dynamics (T50): efforts of actuators for requested accelerations of joints.
 *
 *   ud0                 accelerations by the loads alone, loops closed
 *   ud = ud0 + N^T z    all that loops allow; z by least squares from the accelerations requested
 *   N M N^T z = N B e   e: efforts of least weighted norm */
#include "model/force.h"
#include "simulation/inverse.h"
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "kinematics/place.h"
#include "math/orthonormal.h"
#include "math/rotation.h"
#include "math/spatial.h"
#include "simulation/independent.h"
#include "simulation/react.h"

/* directions of accelerations and efforts with less than this share of the largest count as none */
#define NO_DIRECTION 1e-9

typedef struct inverse {
    clv_sim *s;
    clv_independent x;
    const clv_joint_acceleration *wanted;
    const clv_inverse_actuator *actuator;
    int nwanted, nactuator, nrow; /* rows: directions of these joints                                     */
    double *missing;   /* (nrow) acceleration requested less that by the loads                            */
    double *W;         /* (nrow x f) rows of the accelerations requested, by z                            */
    double *B;         /* (f x nactuator) efforts by independent directions                               */
    double *row;       /* (n)                                                                             */
    double *z, *force, *needed; /* (f) (n) (f)                                                            */
    double *work;
    int *order;
    clv_arena arena;
} inverse;

static clv_status refuse_joint(clv_sim *s, int joint, const char *what)
{
    clv_fail(&s->error, CLV_ERR_USAGE, "joint '%s': %s", s->model->joint[joint].name, what);
    clv_error_text(s->error.joint, sizeof s->error.joint, s->model->joint[joint].name);
    return s->error.code;
}

static int directions(const clv_sim *s, int joint)
{
    return clv_joint_table[s->model->joint[joint].kind].nu;
}

static clv_status check_wanted(inverse *v)
{
    const clv_sim *s = v->s;
    for (int i = 0; i < v->nwanted; i++) {
        const int j = v->wanted[i].joint;
        if (j < 0 || j >= s->model->njoint)
            return clv_fail(&v->s->error, CLV_ERR_USAGE, "there is no joint number %d", j);
        for (int c = 0; c < directions(s, j); c++)
            if (!isfinite(v->wanted[i].udot[c]))
                return refuse_joint(v->s, j, "an acceleration is not finite");
        for (int k = 0; k < i; k++)
            if (v->wanted[k].joint == j)
                return refuse_joint(v->s, j, "its acceleration is given twice");
        v->nrow += directions(s, j);
    }
    return CLV_OK;
}

static clv_status check_actuators(inverse *v)
{
    clv_sim *s = v->s;
    for (int i = 0; i < v->nactuator; i++) {
        const clv_inverse_actuator *a = &v->actuator[i];
        if (!(a->weight > 0 && isfinite(a->weight)))
            return clv_fail(&s->error, CLV_ERR_USAGE, "the weight of actuator %d is %g; it must be positive", i,
                            a->weight);
        if (a->input >= s->model->ninput || (a->input < 0 && (a->joint < 0 || a->joint >= s->model->njoint)))
            return clv_fail(&s->error, CLV_ERR_USAGE, "actuator %d is neither an input nor a joint of the model", i);
        if (a->input < 0 && (a->coordinate < 0 || a->coordinate >= directions(s, a->joint)))
            return refuse_joint(s, a->joint, "it has no free direction of that number to actuate");
        if (a->input >= 0 && s->model->input[a->input].kind > CLV_INPUT_TORQUE)
            return clv_fail(&s->error, CLV_ERR_USAGE, "input '%s' is neither an effort of a joint nor a load on a body",
                            s->model->input[a->input].name);
    }
    return CLV_OK;
}

static void layout(inverse *v, int f)
{
    const size_t F = (size_t)f, rows = (size_t)v->nrow, acts = (size_t)v->nactuator, n = (size_t)v->s->plan->nu;
    const size_t wants = CLV_LEAST_NORM_SIZE(rows, F), needs = CLV_LEAST_NORM_SIZE(F, acts);
    const size_t most = rows > F ? rows : F;
    CLV_TAKE(&v->arena, v->missing, rows), CLV_TAKE(&v->arena, v->W, rows * F), CLV_TAKE(&v->arena, v->B, F * acts);
    CLV_TAKE(&v->arena, v->row, n), CLV_TAKE(&v->arena, v->z, F), CLV_TAKE(&v->arena, v->force, n);
    CLV_TAKE(&v->arena, v->needed, F), CLV_TAKE(&v->arena, v->work, (wants > needs ? wants : needs) + F * F);
    CLV_TAKE(&v->arena, v->order, most > acts ? most : acts);
}

/* What is missing to the accelerations by the loads; while the output state is evaluated. */
static void find_missing(inverse *v)
{
    for (int i = 0, row = 0; i < v->nwanted; i++) {
        clv_joint_result now;
        clv_sim_reaction(v->s, v->wanted[i].joint, &now);
        for (int c = 0; c < now.nu; c++)
            v->missing[row++] = v->wanted[i].udot[c] - now.udot[c];
    }
}

/* Rows of the accelerations requested, in parts of the sizes of their coordinates. */
static clv_status find_rows(inverse *v)
{
    clv_independent *x = &v->x;
    for (int i = 0, row = 0; i < v->nwanted; i++) {
        const int j = v->wanted[i].joint;
        for (int c = 0; c < directions(v->s, j); c++, row++) {
            const double size = clv_joint_shift(v->s->model->joint[j].kind, c) ? v->s->size : 1;
            memset(v->row, 0, (size_t)x->n * sizeof(double));
            if (!clv_independent_effort(x, v->row, j, c))
                return refuse_joint(v->s, j, "a motion prescribes it; its acceleration cannot be requested");
            clv_independent_reduce(x, v->row, v->W + (size_t)row * (size_t)x->f);
            for (int k = 0; k < x->f; k++)
                v->W[(size_t)row * (size_t)x->f + (size_t)k] /= size;
            v->missing[row] /= size;
        }
    }
    return CLV_OK;
}

/* CLV_ERR_USAGE: the joint that moves most while all accelerations requested stay. */
static clv_status undetermined(inverse *v, int rank)
{
    clv_independent *x = &v->x;
    const size_t f = (size_t)x->f, rows = (size_t)v->nrow;
    double *Q = v->work, *R = Q + f * f;
    const int r = clv_orthonormal_rows(Q, R, v->order, v->W, (int)rows, (int)f, NO_DIRECTION, (int)f);
    clv_orthonormal_complete(Q, r, (int)f, v->z);
    clv_independent_expand(x, Q + (size_t)r * f, v->force);
    const char *name = clv_independent_name(x, v->force);
    clv_fail(&v->s->error, CLV_ERR_USAGE,
             "the accelerations do not determine the motion: %d of %d degrees of freedom are left, such as that of "
             "'%s'", x->f - rank, x->f, name);
    clv_error_text(v->s->error.joint, sizeof v->s->error.joint, name);
    clv_error_hint(&v->s->error, "give the motion of more joints");
    return v->s->error.code;
}

static clv_status find_motion(inverse *v, clv_inverse_result *result)
{
    const int rank = clv_least_norm(v->z, v->W, v->missing, v->nrow, v->x.f, NO_DIRECTION, v->work, v->order);
    if (rank < v->x.f)
        return undetermined(v, rank);
    for (int i = 0, row = 0; i < v->nwanted; i++)
        for (int c = 0; c < directions(v->s, v->wanted[i].joint); c++, row++) {
            double off = v->missing[row];
            for (int k = 0; k < v->x.f; k++)
                off -= v->W[(size_t)row * (size_t)v->x.f + (size_t)k] * v->z[k];
            off = fabs(off) * (clv_joint_shift(v->s->model->joint[v->wanted[i].joint].kind, c) ? v->s->size : 1);
            if (off > result->missed)
                result->missed = off, result->joint = v->wanted[i].joint;
        }
    return CLV_OK;
}

/* What a unit of an input on a body does along every direction. */
static void input_on_body(inverse *v, const clv_input *in)
{
    const clv_kinematics *k = &v->s->system.kin;
    const size_t b = (size_t)in->body;
    double f[3], from[3], arm[3], w[6] = {0}, W[6], l[3];
    clv_copy3(f, in->vector);
    if (in->in_body)
        clv_mat3_times(f, k->R + 9 * b, in->vector);
    if (in->kind == CLV_INPUT_TORQUE) {
        clv_copy3(w + 3, f);
    } else {
        clv_sub3(from, in->point, v->s->model->body[b].com);
        clv_mat3_times(arm, k->R + 9 * b, from);
        clv_copy3(w, f), clv_cross(w + 3, arm, f);
    }
    clv_sub3(l, k->com + 3 * b, k->ref + 3 * b);
    clv_wrench_shift(W, l, w);
    clv_assembly_carry(v->s, v->row, in->body, W);
}

/* B, its columns divided by the square roots of the weights */
static clv_status find_efforts(inverse *v)
{
    const size_t acts = (size_t)v->nactuator;
    for (size_t i = 0; i < acts; i++) {
        const clv_inverse_actuator *a = &v->actuator[i];
        const clv_input *in = a->input >= 0 ? &v->s->model->input[a->input] : NULL;
        const int joint = in ? in->joint : a->joint;
        memset(v->row, 0, (size_t)v->x.n * sizeof(double));
        if (in && in->kind != CLV_INPUT_JOINT)
            input_on_body(v, in);
        else if (!clv_independent_effort(&v->x, v->row, joint, in ? in->coordinate : a->coordinate))
            return refuse_joint(v->s, joint, "a motion prescribes it; an actuator there moves nothing");
        clv_independent_reduce(&v->x, v->row, v->force); /* force: room for f */
        for (size_t k = 0; k < (size_t)v->x.f; k++)
            v->B[k * acts + i] = v->force[k] / sqrt(a->weight);
    }
    return CLV_OK;
}

static void solve_efforts(inverse *v, double *effort, clv_inverse_result *result)
{
    const size_t acts = (size_t)v->nactuator;
    double left = 0, all = 0;
    result->rank =
        clv_least_norm(effort, v->B, v->needed, v->x.f, v->nactuator, NO_DIRECTION, v->work, v->order);
    for (size_t k = 0; k < (size_t)v->x.f; k++) {
        double off = v->needed[k];
        for (size_t i = 0; i < acts; i++)
            off -= v->B[k * acts + i] * effort[i];
        left += off * off, all += v->needed[k] * v->needed[k];
    }
    result->unbalanced = all > 0 ? sqrt(left / all) : 0;
    for (size_t i = 0; i < acts; i++) {
        const int input = v->actuator[i].input;
        double on_value, on_rate;
        effort[i] = effort[i] / sqrt(v->actuator[i].weight) +
                    (input >= 0 ? clv_input_acting(&v->s->system.loads, input, &on_value, &on_rate) : 0);
    }
}

static clv_status work_out(inverse *v, double *effort, clv_inverse_result *result)
{
    clv_sim *s = v->s;
    clv_status st = clv_independent_open(&v->x, s, s->out_time, s->out_y);
    if (st == CLV_OK)
        st = clv_independent_find(&v->x, s->out_y);
    if (st != CLV_OK)
        return st;
    result->freedoms = v->x.f;
    st = find_rows(v);
    if (st == CLV_OK)
        st = find_motion(v, result);
    if (st == CLV_OK)
        st = find_efforts(v);
    if (st != CLV_OK)
        return st;
    clv_independent_expand(&v->x, v->z, v->x.du);
    clv_independent_inertia(&v->x, v->x.du, v->force);
    clv_independent_reduce(&v->x, v->force, v->needed);
    solve_efforts(v, effort, result);
    return CLV_OK;
}

static clv_status inverse_dynamics(inverse *v, double *effort, clv_inverse_result *result)
{
    clv_sim *s = v->s;
    if (v->nwanted < 0 || v->nactuator < 0 || (v->nwanted > 0 && !v->wanted) ||
        (v->nactuator > 0 && (!v->actuator || !effort)))
        return clv_fail(&s->error, CLV_ERR_USAGE, "there are no accelerations, actuators or efforts");
    clv_status st = clv_touching_exclude(s, "inverse dynamics");
    if (st == CLV_OK)
        st = check_wanted(v);
    if (st == CLV_OK)
        st = check_actuators(v);
    if (st != CLV_OK)
        return st;
    layout(v, s->plan->nu);
    if (!clv_arena_open(&v->arena))
        return clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory during inverse dynamics");
    layout(v, s->plan->nu);
    find_missing(v);
    st = work_out(v, effort, result);
    clv_independent_close(&v->x);
    s->evaluated = false; /* poses and directions were found anew */
    s->seen_t = NAN, s->system.held = 0, s->shown = 0;
    return st;
}

clv_status clv_sim_inverse(clv_sim *s, const clv_joint_acceleration *wanted, int nwanted,
                           const clv_inverse_actuator *actuator, int nactuator, double *effort,
                           clv_inverse_result *result)
{
    inverse v = {.s = s, .wanted = wanted, .nwanted = nwanted, .actuator = actuator, .nactuator = nactuator};
    clv_inverse_result found = {.joint = -1};
    if (result)
        *result = found;
    clv_status st = clv_sim_react(s);
    if (st == CLV_OK)
        st = clv_sim_enter(s, __func__);
    if (st != CLV_OK)
        return st;
    st = inverse_dynamics(&v, effort, &found);
    clv_arena_close(&v.arena);
    if (result)
        *result = found;
    return clv_sim_leave(s, st);
}

static clv_status go_to(clv_sim *s, double time)
{
    clv_break kind;
    if (!isfinite(time))
        return clv_fail(&s->error, CLV_ERR_USAGE, "time %g s is not finite", time);
    s->out_time = time;
    clv_sim_span(s, clv_break_next(s->model, time * (1 - 2 * CLV_BREAK_MERGE), &kind));
    s->evaluated = false;
    return CLV_OK;
}

clv_status clv_sim_set_at(clv_sim *s, double time, const clv_joint_setting *setting, int n)
{
    clv_status st = clv_sim_enter(s, __func__);
    if (st == CLV_OK)
        st = clv_sim_leave(s, go_to(s, time));
    return st == CLV_OK ? clv_sim_set_joints(s, setting, n) : st;
}

/* ------------------------------------------------------------------ joints that determine the others */

/* Adds the directions of a joint to the orthonormal rows Q (*r x f) if each of them is new by more than `least`. */
static bool add_directions(const clv_independent *x, int joint, double least, double *row, double *Q, int *r)
{
    const size_t f = (size_t)x->f;
    const int nu = directions(x->s, joint), before = *r;
    for (int c = 0; c < nu; c++) {
        double *q = Q + (size_t)*r * f, all = 0, rest = 0;
        memset(row, 0, (size_t)x->n * sizeof(double));
        if (*r == x->f || !clv_independent_effort(x, row, joint, c))
            break;
        clv_independent_reduce(x, row, q);
        for (size_t i = 0; i < f; i++)
            all += q[i] * q[i];
        for (int k = 0; k < 2 * *r; k++) { /* every one twice */
            const double *p = Q + (size_t)(k % *r) * f;
            double part = 0;
            for (size_t i = 0; i < f; i++)
                part += p[i] * q[i];
            for (size_t i = 0; i < f; i++)
                q[i] -= part * p[i];
        }
        for (size_t i = 0; i < f; i++)
            rest += q[i] * q[i];
        if (!(rest > least * least * all))
            break;
        for (size_t i = 0; i < f; i++)
            q[i] /= sqrt(rest);
        ++*r;
    }
    const bool whole = *r - before == nu;
    *r = whole ? *r : before;
    return whole && nu > 0;
}

static clv_status choose_joints(clv_sim *s, const int *joint, int n, bool *chosen)
{
    static const double least[] = {0.1, 1e-3, 1e-6};
    clv_independent x;
    clv_status st = clv_independent_open(&x, s, s->out_time, s->out_y);
    if (st == CLV_OK)
        st = clv_independent_find(&x, s->out_y);
    double *Q = st == CLV_OK ? clv_alloc((size_t)x.f * (size_t)x.f + (size_t)x.n + 1, sizeof *Q) : NULL;
    if (st == CLV_OK && !Q)
        st = clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory during inverse dynamics");
    int r = 0;
    for (int i = 0; i < n; i++)
        chosen[i] = false;
    for (int pass = 0; pass < 3 && st == CLV_OK; pass++)
        for (int i = 0; i < n && r < x.f; i++)
            if (!chosen[i])
                chosen[i] = add_directions(&x, joint[i], least[pass], Q + (size_t)x.f * (size_t)x.f, Q, &r);
    clv_free(Q);
    clv_independent_close(&x);
    s->evaluated = false, s->seen_t = NAN, s->system.held = 0, s->shown = 0;
    return st;
}

clv_status clv_sim_choose_joints(clv_sim *s, const int *joint, int n, bool *chosen)
{
    clv_status st = clv_sim_enter(s, __func__);
    return st == CLV_OK ? clv_sim_leave(s, choose_joints(s, joint, n, chosen)) : st;
}
