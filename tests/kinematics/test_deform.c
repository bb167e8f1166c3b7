/* SPDX-License-Identifier: Apache-2.0
 * Integrals of flexible bodies at their present deformation, kept by components, against their sums over modes written
 * out (T31); the bias of a link against the rates of its mode columns. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "kinematics/deform.h"
#include "math/rotation.h"
#include "oracle/random_flexible.h"
#include "simulation/sim.h"

static void close_to(double x, double y, double size)
{
    if (!(fabs(x - y) <= 1e-13 * size))
        fail_msg("%.17g, not %.17g", x, y);
}

/* E_k = E0_k + sum of eta_l B_lk about the reference point, H_k, S, J out of the same */
static void integrals(const clv_kinematics *k, int star)
{
    const clv_flex *f = &k->plan->model->flex[star];
    const clv_body *b = &k->plan->model->body[f->body];
    const clv_deformed *d = &k->deformed[star];
    const double *eta = k->eta + k->plan->star[star].mode;
    double rho[3], S[3], J[9], l[3], size = 1;
    clv_sub3(l, k->com + 3 * f->body, k->ref + 3 * f->body);
    clv_mat3_transpose_times(rho, k->R + 9 * f->body, l);
    for (int i = 0; i < 3; i++)
        S[i] = b->mass * rho[i], rho[i] = b->com[i] - rho[i];
    for (int i = 0; i < 9; i++)
        J[i] = d->J0[i], size = fmax(size, fabs(J[i]));
    for (int m = 0; m < f->nmode; m++) {
        double E[9], half[9], H[3], x[3] = {0};
        for (int i = 0; i < 9; i++) {
            half[i] = E[i] = f->E[9 * m + i] - rho[i / 3] * f->S[3 * m + i % 3];
            for (int n = 0; n < f->nmode; n++)
                E[i] += eta[n] * f->B[9 * (f->nmode * n + m) + i];
            close_to(d->E[i * d->wide + m], E[i], size);
        }
        for (int n = 0; n < f->nmode; n++) { /* integral of phi_n cross phi_m */
            const double *B = f->B + 9 * (f->nmode * n + m);
            x[0] += eta[n] * (B[5] - B[7]), x[1] += eta[n] * (B[6] - B[2]), x[2] += eta[n] * (B[1] - B[3]);
        }
        clv_cross(H, rho, f->S + 3 * m);
        for (int i = 0; i < 3; i++)
            close_to(d->H[i * d->wide + m], f->h[3 * m + i] - H[i] + x[i], size), S[i] += eta[m] * f->S[3 * m + i];
        const double trace = half[0] + half[4] + half[8] + E[0] + E[4] + E[8];
        for (int i = 0; i < 9; i++)
            J[i] += eta[m] * ((i % 4 == 0 ? trace : 0) -
                              (half[i] + E[i] + half[3 * (i % 3) + i / 3] + E[3 * (i % 3) + i / 3]) / 2);
    }
    for (int i = 0; i < 9; i++)
        close_to(d->J[i], J[i], size), close_to(d->S[i % 3], S[i % 3], size);
}

/* the present rates of mode columns, summed over modes, and without them */
static int links(clv_kinematics *k)
{
    int count = 0;
    for (int b = 0; b < k->plan->nbody; b++) {
        const int star = k->plan->tree[b].link;
        double c[6] = {0}, sum[6] = {0}, size = 1;
        if (star < 0)
            continue;
        clv_deform_rates(k, b), clv_deform_bias(k, b, c);
        for (int m = 0; m < k->plan->star[star].nmode; m++)
            for (int i = 0; i < 6; i++) {
                const double x = k->Md[clv_modes(k->plan, (size_t)b) + (size_t)(6 * m + i)] *
                                 k->etad[k->plan->star[star].mode + m];
                sum[i] += x, size = fmax(size, fabs(x));
            }
        for (int i = 0; i < 6; i++)
            close_to(c[i], sum[i], size);
        count++;
    }
    return count;
}

static int check(clv_model *m)
{
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = "dca";
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
    clv_kinematics *k = &s->system.kin;
    for (int i = 0; i < s->plan->nstar; i++)
        for (int n = 0; n < s->plan->star[i].nmode; n++)
            s->y[s->plan->star[i].iq + n] += 0.05 * cos(3.0 * n + i),
                s->y[s->plan->nq + s->plan->star[i].iu + n] += 0.5 * sin(2.0 * n + i);
    clv_kinematics_poses(k, 0, s->y), clv_kinematics_fill(k), clv_kinematics_velocities(k, s->y + s->plan->nq);
    for (int i = 0; i < s->plan->nstar; i++)
        integrals(k, i);
    const int count = links(k);
    clv_sim_destroy(s);
    return count;
}

static void sums_over_modes(void **state)
{
    (void)state;
    int count = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        random_flexible *r = random_flexible_create(seed, seed % 2 != 0);
        count += check(r->model);
        random_flexible_destroy(r);
    }
    assert_true(count > 40);
    clv_model *m; /* bending in two planes: most components are zero */
    assert_int_equal(clv_example_create(&m, "mmsev-flexible", NULL, 0), CLV_OK);
    assert_int_equal(check(m), 10);
    clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_over_modes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
