/* SPDX-License-Identifier: Apache-2.0
 * Kinematics against finite differences along a path q(t) with constant rates u: velocities of poses, bias terms of
 * velocities, closing rows and their bias of the rows' own velocities, load pairs of closing impulses, gyroscopic terms
 * of momenta.  For every kind of joint, in the tree and closing a loop, from a to b and reversed, prescribed and
 * coupled. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/error.h"
#include "engine/kernels.h"
#include "kinematics/kinematics.h"
#include "graph.h"
#include "math/rotation.h"
#include "near.h"
#include "oracle/random_system.h"

static const double STEP = 1e-4, ALLOWED = 3e-6; /* central differences: error of the order STEP^2 */

typedef struct machine {
    clv_model *m;
    clv_plan *plan;
    clv_engine e;
    clv_kinematics k;
    clv_arena arena;
    double *q, *u, *x; /* start coordinates, rates, scratch (nq) */
    double time;
} machine;

/* ------------------------------------------------------------------ models */

static void random_vector(random_stream *s, double x[3])
{
    for (int i = 0; i < 3; i++)
        x[i] = random_normal(s);
}

static int body(random_stream *s, clv_model *m)
{
    clv_body_desc d = clv_body_desc_default();
    char name[16];
    int b;
    double axis[3];
    snprintf(name, sizeof name, "b%d", clv_model_body_count(m));
    d.name = name;
    d.mass = exp(random_normal(s));
    random_vector(s, d.com);
    d.inertia[0] = 0.5, d.inertia[1] = 0.6, d.inertia[2] = 0.7, d.inertia[3] = 0.1, d.inertia[4] = -0.05,
    d.inertia[5] = 0.02;
    random_vector(s, d.position), random_vector(s, axis);
    clv_quat_axis_angle(d.orientation, axis, random_normal(s));
    d.placed = true;
    graph_check(m, clv_model_add_body(m, &b, &d));
    return b;
}

/* frames anywhere on both bodies; they meet nowhere: closing joints are open, tree joints follow from their coordinates
 */
static int joint(random_stream *s, clv_model *m, clv_joint_kind kind, int a, int b, int cut)
{
    clv_joint_desc d = clv_joint_desc_default(kind);
    char name[16];
    int j;
    double axis[3];
    snprintf(name, sizeof name, "j%d", clv_model_joint_count(m));
    d.name = name, d.a = a, d.b = b, d.cut = cut;
    random_vector(s, d.position_a), random_vector(s, d.position_b);
    random_vector(s, axis), clv_quat_axis_angle(d.orientation_a, axis, random_normal(s));
    random_vector(s, axis), clv_quat_axis_angle(d.orientation_b, axis, random_normal(s));
    if (kind == CLV_JOINT_HELICAL)
        d.pitch = 0.3;
    if (kind == CLV_JOINT_DISTANCE)
        d.distance = 1.5;
    if (clv_joint_rolls(kind))
        d.radius = 0.4;
    static const double ring[15] = {2, 0, 0.3, 0, 2, -0.2, -2, 0.1, 0.4, -1, -2, 0, 1, -1.5, -0.5};
    if (kind == CLV_JOINT_POINT_ON_CURVE)
        d.curve = ring, d.ncurve = 5, d.curve_closed = true;
    graph_check(m, clv_model_add_joint(m, &j, &d));
    return j;
}

static machine *start_with(random_stream *s, clv_model *m, clv_plan_options o)
{
    machine *w = calloc(1, sizeof *w);
    clv_error error;
    w->m = graph_finish(m);
    assert_int_equal(clv_plan_create(&w->plan, m, &o, &error), CLV_OK);
    for (int pass = 0; pass < 2; pass++) {
        clv_engine_layout(&w->e, w->plan, &w->arena);
        clv_kinematics_layout(&w->k, w->plan, &w->e, &w->arena);
        if (pass == 0)
            assert_true(clv_arena_open(&w->arena));
    }
    clv_engine_begin(&w->e, 1e-8, clv_kernels_of(1));
    clv_kinematics_begin(&w->k);
    w->q = calloc((size_t)w->plan->nq + 1, sizeof(double)), w->x = calloc((size_t)w->plan->nq + 1, sizeof(double));
    w->u = calloc((size_t)w->plan->nu + 1, sizeof(double));
    for (int b = 0; b < w->plan->nbody; b++) {
        const clv_tree_joint *t = &w->plan->tree[b];
        if (t->iq < 0)
            continue;
        for (int i = 0; i < t->nq; i++)
            w->q[t->iq + i] = 0.7 * random_normal(s);
        clv_joint_normalize(t->kind, w->q + t->iq);
        for (int i = 0; i < t->nu; i++)
            w->u[t->iu + i] = random_normal(s);
    }
    w->time = 0.3;
    return w;
}

static machine *start(random_stream *s, clv_model *m, bool edges)
{
    return start_with(s, m, (clv_plan_options){.edges = edges});
}

static void stop(machine *w)
{
    clv_arena_close(&w->arena);
    clv_plan_destroy(w->plan);
    clv_model_destroy(w->m);
    free(w->q), free(w->u), free(w->x), free(w);
}

/* goes to time + h on the path of constant rates */
static void go(machine *w, double h)
{
    const clv_plan *p = w->plan;
    double du[6];
    memcpy(w->x, w->q, (size_t)p->nq * sizeof(double));
    for (int b = 0; b < p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        for (int i = 0; i < t->nu && t->iu >= 0; i++)
            du[i] = h * w->u[t->iu + i];
        if (t->iq >= 0)
            clv_joint_displace(t->kind, w->x + t->iq, du);
    }
    clv_kinematics_poses(&w->k, w->time + h, w->x);
    clv_kinematics_fill(&w->k);
    clv_kinematics_velocities(&w->k, w->u);
    clv_kinematics_rates(&w->k);
}

static double *copy(const double *x, size_t n)
{
    double *y = malloc((n + 1) * sizeof(double));
    memcpy(y, x, n * sizeof(double));
    return y;
}

/* ------------------------------------------------------------------ laws */

static void velocities_are_rates_of_poses(machine *w)
{
    size_t n = (size_t)w->plan->nbody;
    go(w, STEP);
    double *com1 = copy(w->k.com, 3 * n), *R1 = copy(w->k.R, 9 * n);
    go(w, -STEP);
    double *com0 = copy(w->k.com, 3 * n), *R0 = copy(w->k.R, 9 * n);
    go(w, 0);
    for (size_t b = 0; b < n; b++) {
        double l[3], V[6], R[9], turn[3];
        clv_sub3(l, w->k.com + 3 * b, w->k.ref + 3 * b);
        clv_motion_shift(V, l, w->k.V + 6 * b);
        clv_mat3_product_transpose(R, R1 + 9 * b, R0 + 9 * b);
        clv_rotation_log(turn, R);
        for (int i = 0; i < 3; i++) {
            CLV_NEAR((com1[3 * b + (size_t)i] - com0[3 * b + (size_t)i]) / (2 * STEP), V[i],
                     ALLOWED * (1 + fabs(V[i])));
            CLV_NEAR(turn[i] / (2 * STEP), V[3 + i], ALLOWED * (1 + fabs(V[3 + i])));
        }
    }
    free(com1), free(R1), free(com0), free(R0);
}

/* accelerations of the reference points along the path, from the bias terms alone */
static double *path_accelerations(machine *w, double *a)
{
    const clv_plan *p = w->plan;
    double *c = calloc(6 * (size_t)p->nbody + 1, sizeof(double)), *x = calloc(6 * (size_t)p->nbody + 1, sizeof(double));
    clv_kinematics_acceleration_bias(&w->k, c, a);
    for (int i = 0; i < p->nbody; i++) {
        int b = p->order[i], parent = p->tree[b].parent;
        if (parent >= 0)
            clv_motion_shift(x + 6 * b, w->k.arm + 3 * (size_t)b, x + 6 * parent);
        clv_add6(x + 6 * b, c + 6 * b);
    }
    free(c);
    return x;
}

static void bias_terms_are_rates_of_velocities(machine *w)
{
    size_t n = 6 * (size_t)w->plan->nbody;
    go(w, STEP);
    double *V1 = copy(w->k.V, n);
    go(w, -STEP);
    double *V0 = copy(w->k.V, n), *a = calloc((size_t)w->plan->nclosing_row + 1, sizeof(double));
    go(w, 0);
    double *x = path_accelerations(w, a);
    for (size_t i = 0; i < n; i++)
        CLV_NEAR((V1[i] - V0[i]) / (2 * STEP), x[i], ALLOWED * (10 + fabs(x[i])));
    free(V1), free(V0), free(a), free(x);
}

/* rows: d/dt (sum of block^T V) = block^T x - a; what a solve with `a` makes zero */
static void closing_bias_is_what_the_rows_miss(machine *w)
{
    const clv_plan *p = w->plan;
    size_t m = (size_t)p->nclosing_row;
    double *v1 = calloc(m + 1, sizeof(double)), *v0 = calloc(m + 1, sizeof(double)), *a = calloc(m + 1, sizeof(double));
    go(w, STEP), clv_kinematics_velocity_violation(&w->k, v1);
    go(w, -STEP), clv_kinematics_velocity_violation(&w->k, v0);
    go(w, 0);
    double *x = path_accelerations(w, a);
    for (int e = 0; e < p->nedge; e++)
        for (int r = 0; r < p->edge[e].m && p->edge[e].tree_body < 0; r++) {
            double t = -a[p->edge[e].row + r], size = fabs(t);
            for (int h = 0; h < p->edge[e].nhandle; h++)
                t += clv_dot6(w->e.block + p->edge[e].block[h] + 6 * r, x + 6 * p->edge[e].body[h]);
            size_t i = (size_t)(p->edge[e].row + r);
            CLV_NEAR((v1[i] - v0[i]) / (2 * STEP), t, ALLOWED * (30 + size + fabs(t)));
        }
    free(v1), free(v0), free(a), free(x);
}

/* The block on a body, times sigma, is a wrench at its reference point.  Its rate at a point at rest, with the opposite
 * sign, is the load: -d/dt (S(ref(t) - P) block sigma), P = ref(0). */
static void closing_loads_are_rates_of_impulses(machine *w, random_stream *s)
{
    const clv_plan *p = w->plan;
    size_t n = (size_t)p->nbody;
    double *sigma = calloc((size_t)p->nsigma + 1, sizeof(double)), *load = calloc(6 * n, sizeof(double)), *W[2];
    for (int i = 0; i < p->nclosing_row; i++)
        sigma[i] = random_normal(s);
    go(w, 0);
    double *P = copy(w->k.ref, 3 * n);
    clv_kinematics_closing_loads(&w->k, sigma, load);
    for (int side = 0; side < 2; side++) {
        W[side] = calloc(6 * n, sizeof(double));
        go(w, side ? STEP : -STEP);
        clv_engine_closing_wrenches(&w->e, W[side], sigma, 1.0);
        for (size_t b = 0; b < n; b++) {
            double r[3], at[6];
            clv_sub3(r, w->k.ref + 3 * b, P + 3 * b);
            clv_wrench_shift(at, r, W[side] + 6 * b);
            memcpy(W[side] + 6 * b, at, sizeof at);
        }
    }
    for (size_t i = 0; i < 6 * n; i++)
        CLV_NEAR(-(W[1][i] - W[0][i]) / (2 * STEP), load[i], ALLOWED * (30 + fabs(load[i])));
    free(sigma), free(load), free(W[0]), free(W[1]), free(P);
}

/* d/dt of the momentum about a point at rest = I x + gyroscopic terms */
static void gyroscopic_terms_complete_the_rate_of_momentum(machine *w)
{
    size_t n = (size_t)w->plan->nbody;
    double *a = calloc((size_t)w->plan->nclosing_row + 1, sizeof(double)), *W = calloc(6 * n, sizeof(double)), *P[2];
    go(w, 0);
    double *at = copy(w->k.ref, 3 * n), *x = path_accelerations(w, a);
    clv_kinematics_gyroscopic(&w->k, W);
    for (size_t b = 0; b < n; b++) {
        double Ix[6];
        clv_inertia_times(Ix, w->e.mass + 21 * b, x + 6 * b);
        clv_add6(W + 6 * b, Ix);
    }
    for (int side = 0; side < 2; side++) {
        P[side] = calloc(6 * n, sizeof(double));
        go(w, side ? STEP : -STEP);
        clv_kinematics_momentum(&w->k, P[side]);
        for (size_t b = 0; b < n; b++) {
            double r[3], shifted[6];
            clv_sub3(r, w->k.ref + 3 * b, at + 3 * b);
            clv_wrench_shift(shifted, r, P[side] + 6 * b);
            memcpy(P[side] + 6 * b, shifted, sizeof shifted);
        }
    }
    for (size_t i = 0; i < 6 * n; i++)
        CLV_NEAR((P[1][i] - P[0][i]) / (2 * STEP), W[i], ALLOWED * (100 + fabs(W[i])));
    free(a), free(W), free(x), free(at), free(P[0]), free(P[1]);
}

static void check_all(machine *w, random_stream *s)
{
    velocities_are_rates_of_poses(w);
    bias_terms_are_rates_of_velocities(w);
    closing_bias_is_what_the_rows_miss(w);
    closing_loads_are_rates_of_impulses(w, s);
    gyroscopic_terms_complete_the_rate_of_momentum(w);
}

/* ------------------------------------------------------------------ cases */

/* ground - free - b0 - kind - b1 - spherical - b2, the middle joint from a to b or reversed */
static void every_tree_joint_forwards_and_reversed(void **state)
{
    (void)state;
    random_stream s = {1};
    for (int kind = 0; kind < CLV_JOINT_KINDS; kind++)
        for (int turn = 0; turn < 2 && clv_joint_table[kind].tree; turn++)
            for (int edges = 0; edges < 2; edges++)
                for (int k = 0; k < 4; k++) {
                    clv_model *m = graph_create();
                    for (int b = 0; b < 3; b++)
                        body(&s, m);
                    joint(&s, m, CLV_JOINT_FREE, turn ? 0 : CLV_GROUND, turn ? CLV_GROUND : 0, -1);
                    joint(&s, m, (clv_joint_kind)kind, turn ? 1 : 0, turn ? 0 : 1, -1);
                    joint(&s, m, CLV_JOINT_SPHERICAL, 1, 2, -1);
                    machine *w = start(&s, m, edges);
                    assert_int_equal(w->plan->tree[1].reversed, turn);
                    assert_int_equal(w->plan->tree[1].joint, 1);
                    check_all(w, &s);
                    stop(w);
                }
}

static void first_joint_on_ground_forwards_and_reversed(void **state)
{
    (void)state;
    random_stream s = {2};
    for (int kind = 0; kind < CLV_JOINT_KINDS; kind++)
        for (int turn = 0; turn < 2 && clv_joint_table[kind].tree; turn++) {
            clv_model *m = graph_create();
            body(&s, m), body(&s, m);
            joint(&s, m, (clv_joint_kind)kind, turn ? 0 : CLV_GROUND, turn ? CLV_GROUND : 0, -1);
            joint(&s, m, CLV_JOINT_UNIVERSAL, 0, 1, -1);
            machine *w = start(&s, m, false);
            check_all(w, &s);
            stop(w);
        }
}

/* open closings: their rows are those of the joint where it happens to be, on the manifold or off it */
static void every_closing_joint(void **state)
{
    (void)state;
    random_stream s = {3};
    for (int kind = 0; kind < CLV_JOINT_KINDS; kind++)
        for (int way = 0; way < 4 && clv_joint_table[kind].nc > 0;
             way++) /* between bodies both ways, to ground both ways */
            for (int k = 0; k < 8; k++) {
                clv_model *m = graph_create();
                for (int b = 0; b < 3; b++)
                    body(&s, m);
                joint(&s, m, CLV_JOINT_SPHERICAL, CLV_GROUND, 0, -1);
                joint(&s, m, CLV_JOINT_CYLINDRICAL, 0, 1, -1);
                joint(&s, m, CLV_JOINT_UNIVERSAL, 2, 1, -1);
                int other = way < 2 ? 0 : CLV_GROUND;
                joint(&s, m, (clv_joint_kind)kind, way % 2 ? 2 : other, way % 2 ? other : 2, 1);
                machine *w = start_with(&s, m, (clv_plan_options){.absolute = k >= 4});
                assert_true(w->plan->closing[3]);
                assert_int_equal(w->plan->nclosing, k >= 4 ? 4 : 1);
                check_all(w, &s);
                stop(w);
            }
}

static void prescribed_and_coupled_joints(void **state)
{
    (void)state;
    random_stream s = {4};
    for (int k = 0; k < 48; k++) {
        static const clv_joint_kind kind[3] = {CLV_JOINT_REVOLUTE, CLV_JOINT_PRISMATIC, CLV_JOINT_HELICAL};
        clv_model *m = graph_create();
        bool turn = k % 2;
        for (int b = 0; b < 4; b++)
            body(&s, m);
        joint(&s, m, CLV_JOINT_SPHERICAL, CLV_GROUND, 0, -1);
        for (int b = 1; b < 4; b++)
            joint(&s, m, kind[(k / 2 + b) % 3], turn ? b : b - 1, turn ? b - 1 : b, -1);
        clv_motion_desc d = clv_motion_desc_default();
        d.name = "drive", d.joint = 1, d.offset = 0.2, d.rate = 0.7, d.amplitude = 0.4, d.frequency = 3, d.phase = 0.5;
        graph_check(m, clv_model_add_motion(m, NULL, &d));
        clv_coupling_desc g = clv_coupling_desc_default();
        g.name = "gear", g.first = k % 3 ? 3 : 1, g.second = 2, g.ratio = -1.7; /* to a free or to the driven joint */
        graph_check(m, clv_model_add_coupling(m, NULL, &g));
        bool absolute = k >= 24;
        machine *w = start_with(&s, m, (clv_plan_options){.edges = k % 4 == 3, .absolute = absolute});
        assert_int_equal(w->plan->edge[w->plan->edge_of_joint[1] < 0 ? 0 : w->plan->edge_of_joint[1]].motion,
                         absolute ? 0 : -1);
        check_all(w, &s);
        stop(w);
    }
}

/* where the loop is closed the position error grows at the rate of the velocity error */
static void violation_grows_at_the_velocity_of_the_rows(void **state)
{
    (void)state;
    random_stream s = {5};
    for (int kind = 0; kind < CLV_JOINT_KINDS; kind++)
        for (int way = 0; way < 4 && clv_joint_table[kind].nc > 0; way++) {
            if (clv_joint_velocity_rows((clv_joint_kind)kind) > 0 || kind == CLV_JOINT_POINT_ON_CURVE)
                continue; /* rows without a position, no short form: model/test_joint */
            clv_model *m = graph_create();
            for (int b = 0; b < 3; b++)
                body(&s, m);
            joint(&s, m, CLV_JOINT_SPHERICAL, CLV_GROUND, 0, -1);
            joint(&s, m, CLV_JOINT_CYLINDRICAL, 0, 1, -1);
            joint(&s, m, CLV_JOINT_UNIVERSAL, 1, 2, -1);
            machine *w = start(&s, m, false); /* poses of this one; then the loop is closed there */
            clv_model *closed = graph_create();
            go(w, 0);
            for (int b = 0; b < 3; b++) {
                clv_body_desc d = clv_body_desc_default();
                double x[3];
                d.name = m->body[b].name, d.mass = 1, d.placed = true;
                d.inertia[0] = d.inertia[1] = d.inertia[2] = 1;
                memcpy(d.com, m->body[b].com, sizeof d.com);
                clv_mat3_times(x, w->k.R + 9 * b, d.com);
                clv_sub3(d.position, w->k.com + 3 * b, x);
                clv_quat_from_rotation(d.orientation, w->k.R + 9 * b);
                graph_check(closed, clv_model_add_body(closed, NULL, &d));
            }
            static const clv_joint_kind tree[3] = {CLV_JOINT_SPHERICAL, CLV_JOINT_CYLINDRICAL, CLV_JOINT_UNIVERSAL};
            double at[3], axis[3];
            for (int b = 0; b < 3; b++)
                random_vector(&s, at), random_vector(&s, axis),
                    graph_joint_cut(closed, tree[b], b - 1, b, at, axis, -1);
            clv_joint_desc d = clv_joint_desc_default((clv_joint_kind)kind);
            int other = way < 2 ? 0 : CLV_GROUND;
            d.name = "close", d.a = way % 2 ? 2 : other, d.b = way % 2 ? other : 2, d.cut = 1, d.global = true;
            random_vector(&s, d.at), random_vector(&s, d.at_b), random_vector(&s, d.axis);
            d.pitch = kind == CLV_JOINT_HELICAL ? 0.4 : 0;
            graph_check(closed, clv_model_add_joint(closed, NULL, &d));
            machine *c = start(&s, closed, false);
            for (int b = 0; b < 3; b++) { /* at the start the short forms coincide */
                clv_joint_zero(c->plan->tree[b].kind, c->q + c->plan->tree[b].iq);
                assert_int_equal(c->plan->tree[b].joint, b);
            }
            double now[6], v[6], plus[6], minus[6];
            go(c, 0), clv_kinematics_violation(&c->k, now), clv_kinematics_velocity_violation(&c->k, v);
            go(c, STEP), clv_kinematics_violation(&c->k, plus);
            go(c, -STEP), clv_kinematics_violation(&c->k, minus);
            for (int r = 0; r < clv_joint_table[kind].nc; r++) {
                CLV_NEAR(now[r], 0, 1e-13);
                CLV_NEAR((plus[r] - minus[r]) / (2 * STEP), v[r], ALLOWED * (30 + fabs(v[r])));
            }
            stop(c), stop(w);
        }
}

static void random_systems(void **state)
{
    (void)state;
    random_stream s = {6};
    for (int kind = 0; kind < RANDOM_KINDS; kind++)
        for (uint64_t seed = 100; seed < 112; seed++) {
            clv_model *m;
            assert_int_equal(random_system_create(seed, (random_kind)kind, 8, &m, NULL), CLV_OK);
            machine *w = start(&s, m, seed % 2);
            velocities_are_rates_of_poses(w);
            stop(w);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tree_joint_forwards_and_reversed),
        cmocka_unit_test(first_joint_on_ground_forwards_and_reversed),
        cmocka_unit_test(every_closing_joint),
        cmocka_unit_test(prescribed_and_coupled_joints),
        cmocka_unit_test(violation_grows_at_the_velocity_of_the_rows),
        cmocka_unit_test(random_systems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
