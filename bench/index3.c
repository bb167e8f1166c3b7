/* SPDX-License-Identifier: Apache-2.0
 * What docs/index3.md shows: the constraint errors and iterations of the 16-link chain over 20 s (the 2011 paper's
 * figure 4), iterations by penalty, and the time of chains of n links over 10 s at its settings (figure 5, one thread).
 *
 *   bench_index3 [--links MOST] > index3.json
 *
 * Figure 5: h = 0.0175 s, |dx| < 3e-4, alpha = 1e6, at most 4 iterations; the links go on along the same sine.  `exact`
 * is the same with eps = 0.  Its rival is aldca with RK4 at the same step: `rk4` with its own tolerances and limit,
 * `equal` with those of index3 (3e-4, 4 iterations), as the paper's conditions are the same for both. */
#include "cleave/cleave.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(clv_status st, const clv_error *e)
{
    if (st == CLV_OK)
        return;
    fprintf(stderr, "bench_index3: %s\n", e ? e->message : clv_status_text(st));
    exit(3);
}

/* n links of the paper: 1 kg, 1 kg m^2, joints every pi/8 along x on the sine */
static clv_model *sine_chain(int n)
{
    const double pi = 3.14159265358979323846, half = pi / 16;
    clv_model *m;
    need(clv_model_create(&m, "sine-chain"), NULL);
    const double gravity[3] = {0, -9.81, 0};
    need(clv_model_set_gravity(m, gravity), clv_model_error(m));
    for (int i = 0; i < n; i++) {
        char body[24], joint[24];
        int number;
        snprintf(body, sizeof body, "B%d", i + 1), snprintf(joint, sizeof joint, "J%d", i + 1);
        clv_body_desc b = clv_body_desc_default();
        b.name = body, b.mass = 1, b.placed = true;
        b.inertia[0] = b.inertia[1] = b.inertia[2] = 1;
        b.position[0] = (2 * i + 1) * half, b.position[1] = sin((2 * i + 1) * half);
        need(clv_model_add_body(m, &number, &b), clv_model_error(m));
        clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
        j.name = joint, j.a = number - 1, j.b = number, j.global = true;
        j.at[0] = 2 * i * half, j.at[1] = sin(2 * i * half), j.axis[2] = 1;
        need(clv_model_add_joint(m, NULL, &j), clv_model_error(m));
    }
    need(clv_model_finish(m), clv_model_error(m));
    return m;
}

static clv_sim *open_sim(const clv_model *m, const clv_sim_options *o)
{
    clv_sim *s;
    clv_status st = clv_sim_create(&s, m, o);
    need(st, s ? clv_sim_error(s) : NULL);
    return s;
}

static void figure_4(void)
{
    clv_model *m = sine_chain(16);
    clv_sim_options o = clv_sim_options_default();
    o.formulation = "index3", o.step = 0.01, o.alpha = 1e7, o.eps_p = 1e-6, o.iterations = 50;
    clv_sim *s = open_sim(m, &o);
    clv_sim_report r;
    printf("\"figure4\": [");
    for (int k = 1; k <= 2000; k++) {
        double position, velocity;
        need(clv_sim_advance(s, 0.01 * k), clv_sim_error(s));
        clv_sim_violation(s, &position, &velocity);
        clv_sim_summary(s, &r);
        printf("%s[%.4g, %.3g, %.3g, %.3g, %d]", k == 1 ? "" : ", ", 0.01 * k, position, velocity,
               r.acceleration_violation, r.last_iterations);
    }
    printf("],\n\"figure4_mean\": %.4g, \"figure4_missed\": %ld,\n", (double)r.iterations / (double)r.steps,
           r.missed_steps);
    clv_sim_destroy(s), clv_model_destroy(m);
}

static void penalties(void)
{
    static const double alpha[] = {1e5, 1e6, 1e7, 1e7, 1e9, NAN};
    clv_model *m = sine_chain(16);
    printf("\"penalties\": [");
    for (int k = 0; k < 6; k++) {
        clv_sim_options o = clv_sim_options_default();
        clv_sim_report r;
        o.formulation = "index3", o.step = 0.01, o.alpha = alpha[k], o.warm = k == 3, o.eps_p = 1e-6, o.iterations = 50;
        clv_sim *s = open_sim(m, &o);
        need(clv_sim_advance(s, 2), clv_sim_error(s));
        clv_sim_summary(s, &r);
        printf("%s{\"alpha\": %g, \"warm\": %d, \"mean\": %.4g, \"most\": %d, \"position\": %.3g, \"velocity\": %.3g, "
               "\"acceleration\": %.3g}",
               k ? ", " : "", isnan(alpha[k]) ? 0 : alpha[k], k == 3, (double)r.iterations / (double)r.steps,
               r.max_iterations, r.max_position_violation, r.max_velocity_violation, r.max_acceleration_violation);
        clv_sim_destroy(s);
    }
    printf("],\n");
    clv_model_destroy(m);
}

/* seconds of ten simulated ones; NaN: the run failed */
static double time_of(const clv_model *m, const clv_sim_options *o, clv_sim_report *r)
{
    clv_sim *s = open_sim(m, o);
    const double began = now();
    const clv_status st = clv_sim_advance(s, 10);
    const double seconds = now() - began;
    clv_sim_summary(s, r);
    clv_sim_destroy(s);
    return st == CLV_OK ? seconds : NAN;
}

static void number(const char *name, double x)
{
    if (isfinite(x))
        printf("\"%s\": %.4g, ", name, x);
    else
        printf("\"%s\": null, ", name);
}

static void violations(const char *name, const clv_sim_report *r)
{
    printf("\"%s\": [%.4g, %.4g, %.4g], ", name, r->max_position_violation, r->max_velocity_violation,
           r->max_acceleration_violation);
}

static void figure_5(int most)
{
    printf("\"rival\": \"aldca\",\n\"figure5\": [");
    for (int n = 4; n <= most; n *= 2) {
        clv_model *m = sine_chain(n);
        clv_sim_report r, exact, other, same;
        clv_sim_options o = clv_sim_options_default();
        o.formulation = "index3", o.step = 0.0175, o.alpha = 1e6, o.eps_p = 3e-4, o.iterations = 4;
        const double penalty = time_of(m, &o, &r);
        o.alpha = NAN;
        const double classical = time_of(m, &o, &exact);
        o = clv_sim_options_default();
        o.formulation = "aldca", o.integrator = "rk4", o.step = 0.0175;
        const double rk4 = time_of(m, &o, &other);
        o.eps_p = o.eps_v = o.eps_a = 3e-4, o.iterations = 4;
        const double equal = time_of(m, &o, &same);
        printf("%s{\"links\": %d, ", n == 4 ? "" : ", ", n);
        number("penalty", penalty), number("exact", classical), number("rk4", rk4);
        number("equal", equal), number("equal_drift", same.max_energy_drift);
        violations("violation", &r), violations("exact_violation", &exact);
        number("gap", r.max_position_violation), number("drift", r.max_energy_drift);
        number("exact_gap", exact.max_position_violation), number("exact_drift", exact.max_energy_drift);
        number("rk4_gap", other.max_position_violation), number("rk4_drift", other.max_energy_drift);
        printf("\"iterations\": %.3g, \"exact_iterations\": %.3g, \"missed\": %ld, \"steps\": %ld}",
               (double)r.iterations / (double)r.steps, (double)exact.iterations / (double)exact.steps, r.missed_steps,
               r.steps);
        fflush(stdout);
        clv_model_destroy(m);
    }
    printf("]\n");
}

int main(int argc, char **argv)
{
    const int most = argc == 3 && strcmp(argv[1], "--links") == 0 ? atoi(argv[2]) : 128;
    if (argc != 1 && argc != 3) {
        fprintf(stderr, "usage: bench_index3 [--links MOST]\n");
        return 1;
    }
    printf("{\n");
    figure_4();
    penalties();
    figure_5(most);
    printf("}\n");
    return 0;
}
