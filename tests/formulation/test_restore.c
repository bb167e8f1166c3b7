/* SPDX-License-Identifier: Apache-2.0
 * Poses that rows have moved at the border are restored with the bits of new poses of all bodies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "oracle/random_system.h"
#include "simulation/sim.h"

/* everything that poses and fill leave behind, one number after the other */
static double *snapshot(const clv_system *s, size_t *count)
{
    const clv_plan *p = s->plan;
    const size_t n = (size_t)p->nbody, h = 6 * (size_t)p->nh, e = (size_t)p->nedge;
    const clv_kinematics *k = &s->kin;
    const struct {
        const double *x;
        size_t n;
    } part[] = {{k->R, 9 * n},
                {k->ref, 3 * n},
                {k->com, 3 * n},
                {k->Jc, 6 * n},
                {s->engine.mass, s->engine.mass ? 21 * n : 0},
                {k->arm, 3 * n},
                {k->q, (size_t)p->nc},
                {k->H, h},
                {k->G, h},
                {k->D, 36 * e},
                {k->cut_H, 36 * e},
                {s->engine.block, (size_t)p->nblock},
                {s->engine.scale, (size_t)p->nsigma}};
    double *all = malloc((100 * n + 2 * h + 80 * e + (size_t)(p->nblock + p->nsigma) + 1) * sizeof(double));
    *count = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        for (size_t c = 0; c < part[i].n; c++)
            all[(*count)++] = part[i].x[c];
    return all;
}

/* Rows pose the border elsewhere; then all is as before.  How many bodies they have posed. */
static int check(clv_sim *s)
{
    clv_system *k = &s->system;
    const clv_rows *w = &k->rows;
    const size_t nq = (size_t)s->plan->nq;
    size_t n, m;
    double *other = malloc((nq + 1) * sizeof(double));
    memcpy(other, s->q, nq * sizeof(double));
    for (size_t i = 0; i < nq; i++)
        other[i] += 0.2;
    clv_system_pose_all(k, 0, other);
    assert_false(clv_system_restore(k, 0, s->q));
    clv_system_pose_all(k, 0, s->q);
    double *before = snapshot(k, &n);
    for (int i = 0; i < w->nborder; i++)
        clv_kinematics_body_pose(&k->kin, w->border[i], other), clv_kinematics_fill_body(&k->kin, w->border[i]);
    assert_false(clv_system_restore(k, 0.5, other));
    const long posed = k->kin.posed;
    assert_true(clv_system_restore(k, 0.5, s->q));
    assert_true(k->kin.time == 0.5 && k->kin.posed == posed + 1);
    double *after = snapshot(k, &m);
    assert_int_equal(n, m);
    assert_memory_equal(before, after, n * sizeof(double));
    clv_kinematics_poses(&k->kin, 0, s->q); /* by others, and not filled */
    assert_false(clv_system_restore(k, 0, s->q));
    free(before), free(after), free(other);
    return w->nborder;
}

static void poses_that_rows_moved_are_restored(void **state)
{
    (void)state;
    int moved = 0;
    for (uint64_t seed = 300; seed < 316; seed++) {
        clv_model *m;
        clv_sim *s;
        const random_kind kind = seed % 2 ? RANDOM_MIXED : RANDOM_TREE;
        assert_int_equal(random_system_create(seed, kind, 8, &m, NULL), CLV_OK);
        if (clv_sim_create(&s, m, NULL) == CLV_OK && m->nmotion == 0 && m->nflex == 0 && s->system.rows.fit)
            moved += check(s);
        clv_sim_destroy(s), clv_model_destroy(m);
    }
    assert_true(moved >= 10);
}

/* motions depend on more than the coordinates */
static void poses_of_motions_are_not_restored(void **state)
{
    (void)state;
    clv_model *m;
    clv_sim *s;
    assert_int_equal(clv_example_create(&m, "four-bar-ladder", NULL, 0), CLV_OK);
    assert_int_equal(clv_sim_create(&s, m, NULL), CLV_OK);
    clv_system_pose_all(&s->system, 0, s->q);
    assert_true(clv_system_restore(&s->system, 0, s->q));
    clv_sim_destroy(s), clv_model_destroy(m);
    assert_int_equal(clv_example_create(&m, "andrews", NULL, 0), CLV_OK);
    assert_int_equal(clv_sim_create(&s, m, NULL), CLV_OK);
    const bool driven = m->nmotion > 0;
    clv_system_pose_all(&s->system, 0, s->q);
    assert_int_equal(clv_system_restore(&s->system, 0, s->q), !driven);
    clv_sim_destroy(s), clv_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_that_rows_moved_are_restored),
        cmocka_unit_test(poses_of_motions_are_not_restored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
