/* SPDX-License-Identifier: Apache-2.0
 * One rate evaluation, for comparison with other programs (bench/compare.py, bench/peers/loops.py).
 *
 *   bench_rates FORMULATION EXAMPLE [key=value ...]     best time of nine samples, and sums to compare
 *   bench_rates FORMULATION FILE                        the same of a model file; one with loops at rest
 *   bench_rates text EXAMPLE [key=value ...]            an open tree of rigid bodies as text, for bench/peers
 *
 * State: coordinates of the start; rates or, for hdca, momenta of degree of freedom i = 0, 1, ... (bodies in the
 * model's order) are cos(2.3 i), those of modes after them; modal coordinates 1e-3 cos(1.7 i).  Sums: of u, and of the
 * rates of u or p, times sin(i).
 *
 * The text has a line `gravity` with three numbers, and a line for each body: parent (-1: ground), joint (R: revolute
 * about z, F: free), joint frame on the parent's joint frame (rotation row major, position), mass, centre of mass and
 * inertia about it (xx yy zz xy xz yz) in joint axes, then q and u as of the joint.  A body's joint frame is the one on
 * the body. */
#include "base/cpu.h"
#include "engine/kernels.h"
#include "math/rotation.h"
#include "simulation/sim.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SAMPLES = 9 };

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "bench_rates: %s: %s\n", what, why);
    exit(3);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static clv_status rates(clv_sim *s, const double *y, double *ydot)
{
    s->system.lean = true; /* as stages of a step */
    clv_status st = s->formulation->rates(&s->system, 0, y, ydot);
    s->system.lean = false;
    return st;
}

/* the state described above: rates or momenta into their places, and small deformations */
static void set_state(const clv_sim *s, double *y)
{
    const clv_plan *p = s->plan;
    int i = 0;
    for (int b = 0; b < p->nbody; b++)
        for (int c = 0; c < p->tree[b].nu; c++)
            y[p->nq + p->tree[b].iu + c] = cos(2.3 * i++);
    for (int f = 0; f < p->nstar; f++)
        for (int m = 0; m < p->star[f].nmode; m++, i++)
            y[p->star[f].iq + m] = 1e-3 * cos(1.7 * i), y[p->nq + p->star[f].iu + m] = cos(2.3 * i);
}

/* Poses of the same coordinates are kept; so the first of them differs by 1e-12 from one evaluation to the next. */
static double best_of_nine(clv_sim *s, double *y, double *ydot)
{
    const long repeats = 20000 / s->plan->nbody + 1;
    const double first = y[0];
    double best = INFINITY;
    for (int e = 0; e < SAMPLES; e++) {
        double began = now();
        for (long i = 0; i < repeats; i++)
            if (y[0] = first + 1e-12 * (double)(i % 2), rates(s, y, ydot) != CLV_OK)
                stop("rates", s->error.message);
        best = fmin(best, (now() - began) / (double)repeats);
    }
    return best;
}

static void measure(clv_sim *s, const char *name)
{
    const clv_plan *p = s->plan;
    const bool momenta = s->formulation->state == CLV_STATE_MOMENTA;
    double *y = malloc((size_t)s->n * sizeof *y), *ydot = malloc((size_t)s->n * sizeof *ydot), sum[2] = {0};
    if (!y || !ydot)
        stop(name, "out of memory");
    memcpy(y, s->y, (size_t)s->n * sizeof *y);
    if (p->nclosing_row == 0)
        set_state(s, y);
    if (s->formulation->rates(&s->system, 0, y, ydot) != CLV_OK)
        stop(name, s->error.message);
    for (int b = 0, i = 0; b < p->nbody; b++)
        for (int c = 0; c < p->tree[b].nu; c++, i++) {
            sum[0] += sin(i) * s->system.u[p->tree[b].iu + c]; /* there after rates that are not lean */
            sum[1] += sin(i) * ydot[p->nq + p->tree[b].iu + c];
        }
    double best = best_of_nine(s, y, ydot);
    printf("cleave %s %s lanes=%d n=%d %.3f us %.2f ns/link u=%.12g %s=%.12g\n", s->formulation->name, name,
           s->kernels->lanes, p->nbody, 1e6 * best, 1e9 * best / p->nbody, sum[0], momenta ? "pdot" : "udot", sum[1]);
    free(y), free(ydot);
}

/* ------------------------------------------------------------------ as text */

static void print(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        printf(" %.17g", x[i]);
}

/* the joint frame on a body, body axes from its origin; ground and free bodies: their own frame */
static void frame_on(const clv_sim *s, int body, double E[9], double at[3])
{
    const int joint = body < 0 ? -1 : s->plan->tree[body].joint;
    clv_mat3_identity(E);
    memset(at, 0, 3 * sizeof *at);
    if (joint >= 0)
        memcpy(E, s->model->joint[joint].Eb, 9 * sizeof *E), memcpy(at, s->model->joint[joint].pb, 3 * sizeof *at);
}

static void print_inertia(const clv_body *body, const double E[9], const double at[3])
{
    double c[3], com[3], J[9], JE[9], R[9];
    const double *x = body->J, full[9] = {x[0], x[3], x[4], x[3], x[1], x[5], x[4], x[5], x[2]};
    for (int i = 0; i < 3; i++)
        c[i] = body->com[i] - at[i];
    clv_mat3_transpose_times(com, E, c);
    memcpy(J, full, sizeof J);
    clv_mat3_product(JE, J, E);
    clv_mat3_transpose_product(R, E, JE);
    const double out[6] = {R[0], R[4], R[8], R[1], R[2], R[5]};
    print(&body->mass, 1), print(com, 3), print(out, 6);
}

static void print_body(const clv_sim *s, const double *y, int b)
{
    const clv_tree_joint *t = &s->plan->tree[b];
    const clv_joint *j = t->joint < 0 ? NULL : &s->model->joint[t->joint];
    double E[9], at[3], Ep[9], atp[3], R[9], x[3], p[3] = {0};
    if (j && (j->kind != CLV_JOINT_REVOLUTE || j->b != b))
        stop(j->name, "only revolute joints from the inboard to the outboard body");
    frame_on(s, b, E, at), frame_on(s, t->parent, Ep, atp);
    clv_mat3_identity(R);
    if (j) {
        clv_mat3_transpose_product(R, Ep, j->Ea);
        for (int i = 0; i < 3; i++)
            x[i] = j->pa[i] - atp[i];
        clv_mat3_transpose_times(p, Ep, x);
    }
    printf("%d %s", t->parent, j ? "R" : "F");
    print(R, 9), print(p, 3), print_inertia(&s->model->body[b], E, at);
    print(y + t->iq, j ? 1 : 7), print(y + s->plan->nq + t->iu, t->nu);
    printf("\n");
}

static void print_text(const clv_sim *s)
{
    double *y = malloc((size_t)s->n * sizeof *y);
    if (!y)
        stop("text", "out of memory");
    memcpy(y, s->y, (size_t)s->n * sizeof *y);
    set_state(s, y);
    printf("gravity");
    print(s->model->gravity, 3);
    printf("\n");
    for (int b = 0; b < s->plan->nbody; b++)
        print_body(s, y, b);
    free(y);
}

int main(int argc, char **argv)
{
    clv_model *m;
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    if (argc < 3) {
        fprintf(stderr, "usage: bench_rates FORMULATION|text EXAMPLE [key=value ...]\n");
        return 1;
    }
    const bool text = strcmp(argv[1], "text") == 0;
    o.formulation = text ? "dca" : argv[1];
    const bool file = strpbrk(argv[2], "./") != NULL;
    if ((file ? clv_model_read(&m, argv[2])
              : clv_example_create(&m, argv[2], (const char *const *)argv + 3, argc - 3)) != CLV_OK)
        stop(argv[2], clv_model_error(m)->message);
    if (clv_sim_create(&s, m, &o) != CLV_OK)
        stop(argv[2], clv_sim_error(s)->message);
    if (text && (s->plan->nmode > 0 || s->plan->nclosing_row > 0))
        stop(argv[2], "only open trees of rigid bodies");
    if (text)
        print_text(s);
    else
        measure(s, argv[2]);
    clv_sim_destroy(s), clv_model_destroy(m);
    return 0;
}
