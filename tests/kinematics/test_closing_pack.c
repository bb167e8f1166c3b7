/* SPDX-License-Identifier: Apache-2.0
 * Revolute and fixed loop joints in lanes (closing_pack.h): places, directions, blocks, scales and rates are those of
 * the joints one by one, and so is what their turning does to bodies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "kinematics/closing_pack.h"
#include "near.h"
#include "simulation/sim.h"

typedef struct found { /* what a joint has */
    clv_joint_place place;
    double D[36], Dd[36], H[6], Gd[6], block[2][36], scale[6];
} found;

static void look(const clv_kinematics *k, int edge, found *f)
{
    const clv_edge *e = &k->plan->edge[edge];
    f->place = k->closing[edge];
    const size_t m = (size_t)e->m;
    memcpy(f->D, k->D + 36 * edge, 6 * m * sizeof(double)), memcpy(f->Dd, k->Dd + 36 * edge, 6 * m * sizeof(double));
    memcpy(f->H, k->cut_H + 36 * edge, sizeof f->H), memcpy(f->Gd, k->cut_Gd + 6 * edge, sizeof f->Gd);
    for (int h = 0; h < 2; h++)
        memcpy(f->block[h], k->engine->block + e->block[h], 6 * m * sizeof(double));
    memcpy(f->scale, k->engine->scale + e->row, m * sizeof(double));
}

static void evaluate(clv_kinematics *k, const double *sigma, double *W)
{
    clv_kinematics_closing_poses(k);
    clv_kinematics_fill_closings(k);
    clv_kinematics_closing_rates(k);
    memset(W, 0, 6 * (size_t)k->plan->nbody * sizeof *W);
    clv_kinematics_closing_loads(k, sigma, W);
}

/* of a mechanism with so many joints that close loops, all of them revolute or fixed */
static void compare(clv_model *m, int joints)
{
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    o.formulation = "dca";
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
    clv_kinematics *k = &s->system.kin;
    const clv_plan *p = s->plan;
    const size_t n = 6 * (size_t)p->nbody;
    double *W = calloc(2 * n, sizeof *W), *sigma = calloc((size_t)p->nsigma, sizeof *sigma), most = 0;
    unsigned char *leaves = calloc((size_t)p->nedge, 1);
    found (*f)[2] = calloc((size_t)p->nedge, sizeof *f);
    for (int i = 0; i < p->nsigma; i++)
        sigma[i] = sin(1.7 * i);
    for (size_t i = 0; i < n; i++)
        k->V[i] = cos(2.3 * (double)i);
    assert_int_equal(k->npack, (joints + CLV_GROUP - 1) / CLV_GROUP);
    assert_true(clv_closings_packed(k));
    for (int one = 0; one < 2; one++) {
        k->lane = one ? leaves : NULL; /* where lanes of other kinds leave edges out, packs rest */
        evaluate(k, sigma, W + (one ? n : 0));
        for (int e = 0; e < p->nedge; e++)
            look(k, e, &f[e][one]);
    }
    k->lane = NULL;
    for (int e = 0, packed = 0; e < p->nedge; e++) {
        const double *a = (const double *)&f[e][0], *b = (const double *)&f[e][1];
        packed += k->packed[e];
        for (size_t i = 0; k->packed[e] && clv_edge_closes(&p->edge[e]) && i < sizeof(found) / sizeof(double); i++)
            CLV_NEAR(a[i], b[i], 1e-14);
        assert_true(e + 1 < p->nedge || packed == joints);
    }
    for (size_t i = 0; i < n; i++) {
        CLV_NEAR(W[i], W[n + i], 1e-13);
        most = fmax(most, fabs(W[i]));
    }
    assert_true(most > 0.1);
    free(W), free(sigma), free(leaves), free(f);
    clv_sim_destroy(s), clv_model_destroy(m);
}

/* a ladder of so many windows has as many joints, in kernels of one, two, or all lanes */
static void ladder(const char *size, int windows)
{
    clv_model *m;
    assert_int_equal(clv_example_create(&m, "four-bar-ladder", &size, 1), CLV_OK);
    compare(m, windows);
}

static void lanes_and_one_by_one(void **state)
{
    (void)state;
    ladder("windows=1", 1), ladder("windows=2", 2), ladder("windows=13", 13);
}

/* a walking robot with three of them */
static void fixed_joints(void **state)
{
    (void)state;
    clv_model *m;
    assert_int_equal(clv_model_read(&m, CLV_SOURCE_DIR "/tests/models/digit_like_closed.yaml"), CLV_OK);
    compare(m, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lanes_and_one_by_one), cmocka_unit_test(fixed_joints)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
