/* SPDX-License-Identifier: Apache-2.0
 * Assembly of the start (T36): attempts to close the loops, the least intrusive first.
 *
 *   1  directions move of which the start says nothing      2  and coordinates that follow from given body poses
 *   3  and given coordinates, stiffer than the others
 *
 * 2 and 3 are tried anew from perturbed starts (always the same ones) where the way down ends in a stationary point.
 * The first attempt that closes is taken; else the place of the least violation. */
#include "base/tolerance.h"
#include "simulation/assemble.h"
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "math/rank.h"
#include "math/spatial.h"
#include "model/joint.h"

enum { TRIES = 60 };

static bool dense_enough(const clv_assembly *a)
{
    return (double)a->m * a->m * (a->n + a->m) <= 3e8;
}

static void layout_modes(clv_assembly *a, clv_arena *at)
{
    const clv_plan *p = a->s->plan;
    size_t most = 0;
    CLV_TAKE(at, a->compliance, p->nstar);
    for (int k = 0; k < p->nstar; k++) {
        size_t size = (size_t)p->star[k].nmode * (size_t)p->star[k].nmode;
        double *counting, **to = at->base ? &a->compliance[k] : &counting;
        CLV_TAKE(at, *to, size);
        most = size > most ? size : most;
    }
    CLV_TAKE(at, a->work, most);
    CLV_TAKE(at, a->from, p->nstar ? p->nq : 0), CLV_TAKE(at, a->way, p->nstar ? a->n : 0);
}

static void layout(clv_assembly *a)
{
    size_t n = (size_t)a->n, m = (size_t)a->m, nq = (size_t)a->s->plan->nq, dense = a->dense;
    clv_arena *at = &a->arena;
    CLV_TAKE(at, a->hold, n + 1), CLV_TAKE(at, a->unit, n), CLV_TAKE(at, a->ease, n);
    CLV_TAKE(at, a->scale, m), CLV_TAKE(at, a->r, m), CLV_TAKE(at, a->r_trial, m), CLV_TAKE(at, a->lambda, m);
    CLV_TAKE(at, a->y, n), CLV_TAKE(at, a->du, n);
    CLV_TAKE(at, a->first, nq), CLV_TAKE(at, a->q, nq), CLV_TAKE(at, a->trial, nq), CLV_TAKE(at, a->best, nq);
    CLV_TAKE(at, a->J, dense * m * n), CLV_TAKE(at, a->S, dense * m * m), CLV_TAKE(at, a->Z, dense * m * m);
    CLV_TAKE(at, a->rank, dense * CLV_RANK_SIZE(m));
    layout_modes(a, at);
}

/* ------------------------------------------------------------------ sizes and holds */

static bool is_placed(const clv_model *m, int body)
{
    return body < 0 || m->body[m->body[body].flex < 0 ? body : m->flex[m->body[body].flex].body].placed;
}

/* how the start speaks of a tree joint's coordinates */
static char hold_of(const clv_sim *s, int body, const bool *held, bool firm)
{
    const clv_tree_joint *t = &s->plan->tree[body];
    if (held && t->joint >= 0 && held[t->joint])
        return CLV_HOLD_FIRM;
    if (t->joint >= 0 && s->given[t->joint].has_q)
        return firm ? CLV_HOLD_FIRM : CLV_HOLD_GIVEN;
    return is_placed(s->model, body) && is_placed(s->model, t->parent) ? CLV_HOLD_POSE : CLV_HOLD_NOT;
}

static void fill_directions(clv_assembly *a, const bool *held, bool firm)
{
    const clv_sim *s = a->s;
    const clv_plan *p = s->plan;
    for (int b = 0; b < p->nbody; b++)
        for (int c = 0; c < p->tree[b].f; c++) {
            a->hold[p->tree[b].iu + c] = hold_of(s, b, held, firm);
            a->unit[p->tree[b].iu + c] = clv_joint_shift(p->tree[b].kind, c) ? s->size : 1.0;
        }
    for (int k = 0; k < p->nstar; k++)
        for (int m = 0; m < p->star[k].nmode; m++)
            a->hold[p->star[k].iu + m] = CLV_HOLD_MODE, a->unit[p->star[k].iu + m] = 1.0;
}

/* coordinates given for the closing joint of an edge: rows of their own */
static int targets_of(const clv_sim *s, int e)
{
    const clv_edge *edge = &s->plan->edge[e];
    bool given = clv_edge_closes(edge) && edge->joint >= 0 && edge->motion < 0 && s->given[edge->joint].has_q;
    return given ? clv_joint_table[s->model->joint[edge->joint].kind].nu : 0;
}

/* rows of closings by their wrenches at the start: with a force, the violation is a length */
static void fill_scales(clv_assembly *a)
{
    const clv_sim *s = a->s;
    const clv_model *m = s->model;
    int given = a->nclosing;
    for (int e = 0; e < s->plan->nedge; e++) {
        const clv_edge *edge = &s->plan->edge[e];
        if (!clv_edge_closes(edge))
            continue;
        const clv_coupling *c = edge->coupling >= 0 ? &m->coupling[edge->coupling] : NULL;
        for (int r = 0; r < edge->m; r++) {
            const double *f = s->system.engine.block + edge->block[0] + 6 * r;
            a->scale[edge->row + r] = !c && clv_dot3(f, f) > 1e-6 ? s->size : 1.0;
        }
        for (int i = 0; c && i < c->nterm; i++) {
            const double size = clv_joint_shift(m->joint[c->term[i].joint].kind, 0) ? s->size : 1.0;
            a->scale[edge->row] = fmax(i > 0 ? a->scale[edge->row] : 0, fabs(c->term[i].factor) * size);
        }
        const clv_joint *j = edge->joint >= 0 ? &s->given[edge->joint] : NULL;
        for (int k = 0; j && j->has_q && edge->motion < 0 && k < clv_joint_table[j->kind].nu; k++)
            a->scale[given++] = clv_joint_shift(j->kind, k) ? s->size : 1.0;
    }
    for (int i = 0; i < a->nmoving; i++) /* translations come first */
        a->scale[given++] = i % 6 < 3 ? s->size : 1.0;
}

static int count_targets(const clv_sim *s)
{
    int n = 0;
    for (int e = 0; e < s->plan->nedge; e++)
        n += targets_of(s, e);
    return n;
}

static int count_moving(const clv_sim *s)
{
    int n = 0;
    for (int b = 0; b < s->plan->nbody; b++)
        n += s->model->body[b].moving ? 6 : 0;
    return n;
}

clv_status clv_assembly_open(clv_assembly *a, clv_sim *s, double t, const double *q, const bool *held, bool firm,
                             bool moving)
{
    memset(a, 0, sizeof *a);
    a->s = s, a->time = t, a->n = s->plan->nu, a->nclosing = s->plan->nclosing_row, a->ngiven = count_targets(s);
    a->nmoving = moving ? count_moving(s) : 0;
    a->m = a->nclosing + a->ngiven + a->nmoving;
    a->dense = dense_enough(a);
    a->soft = s->model->strained && a->dense && s->plan->nstar > 0;
    if (!a->dense)
        a->m = a->nclosing, a->ngiven = a->nmoving = 0;
    a->least = INFINITY;
    layout(a);
    if (!clv_arena_open(&a->arena))
        return clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory: the assembly of the start needs %.3g MB",
                        (double)a->arena.used / 1e6);
    layout(a);
    memcpy(a->first, q, (size_t)s->plan->nq * sizeof(double));
    memcpy(a->best, q, (size_t)s->plan->nq * sizeof(double));
    clv_status st = clv_system_pose(&s->system, t, q);
    if (st == CLV_OK)
        fill_directions(a, held, firm), fill_scales(a);
    return st;
}

/* ------------------------------------------------------------------ attempts */

/* Lets the directions below the level move; false if none is. */
static bool release(clv_assembly *a, int level)
{
    static const double ease[] = {[CLV_HOLD_NOT] = 1, [CLV_HOLD_POSE] = 0.1, [CLV_HOLD_GIVEN] = 0.01};
    bool any = false;
    a->level = level;
    for (int i = 0; i < a->n; i++) {
        a->ease[i] = a->hold[i] < level ? ease[(int)a->hold[i]] : 0.0;
        any |= a->ease[i] > 0;
    }
    return any;
}

/* in [-1, 1); a generator of fixed seed (splitmix64) */
static double next_random(clv_assembly *a)
{
    unsigned long long x = a->random += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    x ^= x >> 31;
    return (double)(x >> 11) * 0x1p-52 - 1.0;
}

/* q of the joints and modes with du > 0 := that of the start */
static void take_start(clv_assembly *a)
{
    const clv_plan *p = a->s->plan;
    for (int b = 0; b < p->nbody; b++)
        if (p->tree[b].f > 0 && a->du[p->tree[b].iu] > 0)
            memcpy(a->q + p->tree[b].iq, a->first + p->tree[b].iq, (size_t)p->tree[b].nq * sizeof(double));
}

/* toggles y of the directions between the bodies an edge holds: what all of its paths to the root share drops out */
static void toggle_paths(clv_assembly *a, const clv_edge *e)
{
    const clv_plan *p = a->s->plan;
    for (int h = 0; h < e->nhandle; h++)
        for (int b = e->body[h]; b >= 0; b = p->tree[b].parent)
            for (int c = 0; c < p->tree[b].f; c++)
                a->y[p->tree[b].iu + c] = 1 - a->y[p->tree[b].iu + c];
}

/* du: 1 for directions in loops and couplings still open at the best place, else 0; loops that close and share no joint
 * with those stay as they are */
static void mark_open(clv_assembly *a)
{
    const clv_plan *p = a->s->plan;
    int given = a->nclosing;
    memset(a->du, 0, (size_t)a->n * sizeof(double));
    clv_assembly_measure(a, a->best, a->r);
    for (int e = 0; e < p->nedge; e++) {
        const clv_edge *edge = &p->edge[e];
        bool open = false;
        if (!clv_edge_closes(edge))
            continue;
        for (int r = 0; r < edge->m; r++)
            open |= !(fabs(a->r[edge->row + r]) <= CLV_TOL_ASSEMBLED);
        for (int n = targets_of(a->s, e); n > 0 && given < a->m; n--)
            open |= !(fabs(a->r[given++]) <= CLV_TOL_ASSEMBLED);
        memset(a->y, 0, (size_t)a->n * sizeof(double));
        if (open)
            toggle_paths(a, edge);
        for (int j = 0; open && j < a->n; j++)
            a->du[j] = fmax(a->du[j], a->y[j]);
    }
}

/* q := the best place so far, or on every other try the start, displaced in the directions that concern open rows */
static void perturb(clv_assembly *a, int try)
{
    static const double amplitude[] = {0.02, 0.1, 0.3, 0.6, 1.0, 1.5, 2.2, 3.1416};
    const double size = amplitude[try / 2 < 8 ? try / 2 : 7];
    size_t nq = (size_t)a->s->plan->nq;
    mark_open(a);
    for (int i = 0; i < a->n; i++) {
        double x = next_random(a);
        a->y[i] = a->du[i] > 0 && a->ease[i] > 0 ? size * x * (a->unit[i] == 1.0 ? 1.0 : 0.3) : 0.0;
    }
    memcpy(a->q, a->best, nq * sizeof(double));
    if (try % 2)
        take_start(a);
    clv_assembly_move(a, 1.0);
    memcpy(a->q, a->trial, nq * sizeof(double));
}

static bool attempt(clv_assembly *a)
{
    double worst = clv_assembly_close(a), sum = 0;
    if (a->soft && worst <= CLV_TOL_ASSEMBLED)
        clv_assembly_relax(a);
    int open = 0;
    for (int i = 0; i < a->m; i++)
        open += fabs(a->r[i]) > CLV_TOL_ASSEMBLED, sum += a->r[i] * a->r[i];
    if (open < a->open || (open == a->open && sum < a->sum) || a->open < 0) {
        a->open = open, a->sum = sum, a->least = worst;
        memcpy(a->best, a->q, (size_t)a->s->plan->nq * sizeof(double));
    }
    return worst <= CLV_TOL_ASSEMBLED;
}

/* as many perturbed starts as a few seconds allow */
static int tries(const clv_assembly *a)
{
    double work = 400.0 * a->s->plan->nbody + (a->dense ? (double)a->m * a->m * (a->n + a->m) : 2e4 * a->n);
    return (int)fmin(TRIES, 2e9 / (50 * work));
}

/* Attempts at one level: from the start, then from perturbed ones. */
static bool attempts_at(clv_assembly *a, int level, bool exact, bool perturbed)
{
    a->exact = exact;
    a->open = -1; /* places of other rows and holds do not compare */
    if (!release(a, level) && !a->soft)
        return false;
    memcpy(a->q, a->first, (size_t)a->s->plan->nq * sizeof(double));
    if (a->soft && clv_assembly_soften(a) != CLV_OK)
        return false;
    if (attempt(a))
        return true;
    for (int k = 0; perturbed && a->least > CLV_TOL_ASSEMBLED_NEAR && k < tries(a); k++) {
        perturb(a, k);
        if (attempt(a))
            return true;
    }
    return false;
}

/* Does any direction have this hold? */
static bool any_held(const clv_assembly *a, int hold)
{
    return memchr(a->hold, hold, (size_t)a->n) != NULL;
}

static bool rigid_attempts(clv_assembly *a)
{
    bool posed = any_held(a, CLV_HOLD_POSE), given = any_held(a, CLV_HOLD_GIVEN);
    if (posed && attempts_at(a, CLV_HOLD_POSE, true, false))
        return true;
    if (attempts_at(a, CLV_HOLD_GIVEN, true, true))
        return true;
    if (given && attempts_at(a, CLV_HOLD_MODE, true, true))
        return true;
    return a->ngiven > 0 && attempts_at(a, CLV_HOLD_MODE, false, true);
}

/* what the given velocities of bodies miss, at their reference points, into r */
static void velocity_rows(const clv_sim *s, double *r)
{
    double given[6];
    for (int b = 0; b < s->plan->nbody; b++) {
        if (!s->model->body[b].moving)
            continue;
        clv_start_velocity(s, b, given);
        for (int i = 0; i < 6; i++)
            *r++ = s->system.kin.V[6 * (size_t)b + (size_t)i] - given[i];
    }
}

/* scaled violations of the rates u: of loops and couplings, then of given rates and velocities; and the largest */
static double rate_rows(clv_assembly *a, const double *u)
{
    clv_sim *s = a->s;
    double most = 0;
    clv_kinematics_velocities(&s->system.kin, u);
    clv_kinematics_velocity_violation(&s->system.kin, a->r);
    for (int e = 0, i = a->nclosing; a->exact && e < s->plan->nedge; e++) {
        double q[7], now[6];
        if (!clv_assembly_target(s, e))
            continue;
        const clv_joint *j = &s->given[s->plan->edge[e].joint];
        clv_kinematics_closing_state(&s->system.kin, e, q, now);
        for (int k = 0; k < clv_joint_table[j->kind].nu; k++)
            a->r[i++] = now[k] - j->u[k];
    }
    if (a->exact && a->nmoving > 0)
        velocity_rows(s, a->r + a->nclosing + a->ngiven);
    for (int i = 0; i < a->m; i++)
        a->r[i] /= a->scale[i], most = fmax(most, fabs(a->r[i]));
    return most;
}

clv_status clv_assemble_rates(clv_sim *s, double t, const double *q, bool bodies, double *u, double *left)
{
    clv_assembly a;
    double missed;
    clv_status st = clv_assembly_open(&a, s, t, q, NULL, true, bodies);
    if (st == CLV_OK) {
        a.exact = a.dense;
        release(&a, CLV_HOLD_MODE);
        st = clv_assembly_linearize(&a, q);
    }
    *left = INFINITY;
    for (int k = 0; k < 6 && st == CLV_OK && a.m > 0; k++) {
        const double now = rate_rows(&a, u);
        if (!(now < 0.5 * *left))
            break;
        *left = now;
        st = clv_assembly_step(&a, 1e-14, &missed);
        for (int i = 0; i < a.n && st == CLV_OK; i++)
            u[i] += a.y[i] * a.unit[i];
    }
    if (st == CLV_OK)
        *left = rate_rows(&a, u);
    clv_arena_close(&a.arena);
    return st;
}

/* Loops that do not close as they are: flexible bodies are strained, as little as can be. */
static bool strain(clv_assembly *a)
{
    if (!a->dense || a->soft || a->s->plan->nstar == 0)
        return false;
    release(a, CLV_HOLD_MODE);
    memcpy(a->q, a->best, (size_t)a->s->plan->nq * sizeof(double));
    a->soft = true, a->exact = false, a->open = -1;
    if (clv_assembly_soften(a) != CLV_OK || !attempt(a))
        return false;
    return true;
}

/* Whole turns that angles have made on the way mean nothing, but to couplings. */
static void unwind(clv_assembly *a)
{
    const clv_plan *p = a->s->plan;
    const clv_model *m = a->s->model;
    const double turn = 6.283185307179586;
    memset(a->hold, 0, (size_t)a->n);
    for (int k = 0; k < m->ncoupling; k++)
        for (int i = 0; i < m->coupling[k].nterm; i++) {
            int b = p->child_of_joint[m->coupling[k].term[i].joint];
            if (b >= 0 && p->tree[b].f > 0)
                a->hold[p->tree[b].iu] = CLV_HOLD_FIRM;
        }
    for (int b = 0; b < p->nbody; b++)
        for (int c = 0; c < p->tree[b].f; c++) {
            int i = p->tree[b].iq + c;
            if (clv_joint_angle(p->tree[b].kind, c) && a->hold[p->tree[b].iu + c] != CLV_HOLD_FIRM)
                a->best[i] += turn * floor((a->first[i] - a->best[i]) / turn + 0.5);
        }
}

clv_status clv_assemble(clv_sim *s, double t, double *q, const bool *held, bool firm)
{
    clv_assembly a;
    clv_status st = clv_assembly_open(&a, s, t, q, held, firm, false);
    if (st == CLV_OK) {
        if (!rigid_attempts(&a))
            strain(&a);
        unwind(&a);
        memcpy(q, a.best, (size_t)s->plan->nq * sizeof(double));
        s->assembly_iterations = a.iterations, s->assembly_attempts = a.attempts;
        st = clv_system_pose(&s->system, t, q);
    }
    clv_arena_close(&a.arena);
    return st;
}
