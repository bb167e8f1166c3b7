/* SPDX-License-Identifier: Apache-2.0
 * The same bits from every compiler, optimisation level, instruction set and lane width: hashes (FNV-1a over the bits
 * of every double) of short runs by every lane width that this CPU has, compared with the values below.
 * tools/check_bits.sh runs this test for compilers and options.
 *
 * A change of the engine's arithmetic changes the values: then this test prints the new table; look at the reason, let
 * tools/check_bits.sh confirm that all builds agree, and paste it.
 *
 * Rows with a step are runs of fixed steps.  Rows without one choose their steps (clv_root, not pow, so that the choice
 * has the same bits too). */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/cpu.h"
#include "engine/kernels.h"
#include "simulation/sim.h"

typedef struct run {
    const char *example, *parameter, *formulation, *integrator;
    double step;  /* s; 0: adaptive */
    int count;    /* steps, or output times of 10 ms */
    uint64_t hash;
} run;

static const run table[] = {
    {"hdca-case3", NULL, "hdca", "rk4", 1e-3, 200, UINT64_C(0x93e2c9c501ef550d)},
    {"hdca-case3", NULL, "dca", "rk4", 1e-3, 200, UINT64_C(0x308efed4169d9c42)},
    {"hdca-case3", NULL, "massmatrix", "rk4", 1e-3, 100, UINT64_C(0x59a4db25605cd70e)},
    {"four-bar-ladder", "windows=40", "hdca", "rk4", 1e-3, 50, UINT64_C(0xb88d29106da15add)},
    {"four-bar-ladder", "windows=40", "dca", "rk4", 1e-3, 50, UINT64_C(0xb0d681e0235999b6)},
    {"tree-robot", NULL, "hdca", "rk4", 1e-3, 200, UINT64_C(0x3eee4bea266d1a93)},
    {"tree-robot", NULL, "dca", "rk4", 1e-3, 200, UINT64_C(0xcecd73e098a9875d)},
    {"chain", "links=512", "hdca", "rk4", 1e-4, 50, UINT64_C(0xbaa99fabff0c9ec2)},
    {"chain", "links=512", "dca", "rk4", 1e-4, 50, UINT64_C(0xf447613876fa18db)},
    {"chain-closed", "links=300", "hdca", "rk4", 1e-4, 50, UINT64_C(0x9af03c0c9586c0b3)},
    {"bricard", NULL, "hdca", "rk4", 1e-3, 200, UINT64_C(0x3a0c65bf9fa96669)},
    {"bricard", NULL, "dca", "rk4", 1e-3, 200, UINT64_C(0xcbf7b47d61de48a4)},
    {"satellite", NULL, "hdca", "rk4", 1e-3, 200, UINT64_C(0x2102f289f458435a)},
    {"satellite", NULL, "dca", "rk4", 1e-3, 200, UINT64_C(0x5bed252b75aad2b4)},
    {"andrews", NULL, "hdca", "rk4", 1e-5, 200, UINT64_C(0xe51edc25fd4c60fe)},
    {"mmsev-rigid", NULL, "hdca", "rk4", 1e-3, 50, UINT64_C(0x28111cfeb946b270)},
    {"mmsev-flexible", NULL, "hdca", "rk4", 2e-4, 25, UINT64_C(0x47646e01b97f3b78)},
    {"mmsev-flexible", NULL, "dca", "rk4", 2e-4, 25, UINT64_C(0x9abd510d1ccb2782)},
    {"loop-7r", NULL, "hdca", "dopri5", 1e-3, 100, UINT64_C(0x304316779cdd0b25)},
    {"loop-7r", NULL, "hdca", "dop853", 1e-2, 30, UINT64_C(0x805a1ebbddb8aa8c)},
    {"hdca-case3", NULL, "hdca", "dopri5", 0, 50, UINT64_C(0x957aa68b22b15b9e)},
    {"tree-robot", NULL, "hdca", "adams", 0, 50, UINT64_C(0x4b916f82c5421641)},
    {"satellite", NULL, "dca", "dop853", 0, 50, UINT64_C(0xb9d13cbf47338670)},
    {"four-bar-ladder", "windows=40", "connection", "rk4", 1e-3, 20, UINT64_C(0x9dc4d993378a5fff)},
    {"hdca-case3", NULL, "connection", "rk4", 1e-3, 100, UINT64_C(0xe010239fc056018a)},
    {"bricard", NULL, "hdca", "bs23", 0, 20, UINT64_C(0x4846caae592661e9)},
    {"hdca-case3", NULL, "aldca", "rk4", 1e-3, 100, UINT64_C(0xf2f2b76202169845)},
    {"tree-robot", NULL, "aldca", "dopri5", 0, 20, UINT64_C(0x07e197c8cf1114a7)},
    {"four-bar-ladder", "windows=9", "aldca", "dop853", 0, 20, UINT64_C(0xc9fcda1520112036)},
    {"flex-arm", NULL, "hdca", "dopri5", 0, 20, UINT64_C(0xdd6da7dec33c05cb)},
    {"flex-arm", NULL, "dca", "rk4", 1e-4, 100, UINT64_C(0x15fec5d22a595397)},
    {"flex-arm", NULL, "massmatrix", "rk4", 1e-4, 100, UINT64_C(0xdc6b6dfe4e41aa33)},
    {"flex-arm", NULL, "aldca", "rk4", 1e-4, 50, UINT64_C(0x857517a535839c5e)},
};

static uint64_t mix(uint64_t h, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        double v = x[i] == 0 ? 0.0 : x[i]; /* no difference between the two zeros */
        memcpy(&bits, &v, sizeof bits);
        for (int k = 0; k < 64; k += 8)
            h = (h ^ ((bits >> k) & 0xFF)) * UINT64_C(1099511628211);
    }
    return h;
}

static uint64_t mix_joints(uint64_t h, clv_sim *s, int njoint)
{
    for (int j = 0; j < njoint; j++) {
        clv_joint_result r;
        assert_int_equal(clv_sim_joint(s, j, &r), CLV_OK);
        h = mix(h, r.q, (size_t)r.nq), h = mix(h, r.u, (size_t)r.nu);
        if (r.tree)
            h = mix(h, r.udot, (size_t)r.nu);
        h = mix(h, r.force, 3), h = mix(h, r.torque, 3), h = mix(h, r.drive_force, 3), h = mix(h, r.drive_torque, 3);
    }
    return h;
}

/* lanes: the width that must be in use; 0: any */
static uint64_t hash_of(const run *r, int lanes)
{
    clv_model *m;
    clv_sim *s;
    clv_sim_options o = clv_sim_options_default();
    assert_int_equal(clv_example_create(&m, r->example, r->parameter ? &r->parameter : NULL, r->parameter != NULL),
                     CLV_OK);
    o.formulation = r->formulation, o.integrator = r->integrator, o.step = r->step;
    assert_int_equal(clv_sim_create(&s, m, &o), CLV_OK);
    if (lanes > 0)
        assert_int_equal(s->kernels->lanes, lanes);
    uint64_t h = UINT64_C(14695981039346656037);
    size_t n = (size_t)clv_model_body_count(m);
    for (int k = 1; k <= r->count; k++) {
        assert_int_equal(clv_sim_advance(s, k * (r->step > 0 ? r->step : 1e-2)), CLV_OK);
        h = mix(h, clv_sim_position(s), 3 * n), h = mix(h, clv_sim_velocity(s), 6 * n);
    }
    assert_int_equal(clv_sim_evaluate(s), CLV_OK);
    h = mix(h, clv_sim_quaternion(s), 4 * n), h = mix(h, clv_sim_acceleration(s), 6 * n);
    h = mix(h, s->integrator.y, (size_t)s->n);
    h = mix_joints(h, s, clv_model_joint_count(m));
    clv_sim_destroy(s), clv_model_destroy(m);
    return h;
}

/* The runs of the table with one lane width; how many differ from it. */
static int wrong_hashes(int lanes)
{
    char text[8];
    int wrong = 0;
    snprintf(text, sizeof text, "%d", lanes);
    assert_int_equal(setenv("CLV_LANES", text, 1), 0);
    printf("    lanes: %d\n", lanes);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const run *r = &table[i];
        uint64_t h = hash_of(r, lanes);
        printf("    {\"%s\", %s%s%s, \"%s\", \"%s\", %g, %d, UINT64_C(0x%016" PRIx64 ")},%s\n", r->example,
               r->parameter ? "\"" : "", r->parameter ? r->parameter : "NULL", r->parameter ? "\"" : "", r->formulation,
               r->integrator, r->step, r->count, h, h == r->hash ? "" : " /* differs */");
        wrong += h != r->hash;
    }
    return wrong;
}

static void runs_have_the_recorded_bits_in_every_width(void **state)
{
    (void)state;
    int wrong = 0, widths = 0;
    for (int i = 0; i < CLV_CPU_WIDTHS; i++)
        if (clv_cpu_runs(clv_cpu_width[i])) {
            wrong += wrong_hashes(clv_cpu_width[i]);
            widths++;
        } else
            printf("    lanes: %d: not tested, this CPU has no %s\n", clv_cpu_width[i],
                   clv_cpu_instructions(clv_cpu_width[i]));
    unsetenv("CLV_LANES");
    assert_true(widths >= 2);
    assert_int_equal(wrong, 0);
}

static void repeated_runs_have_equal_bits(void **state)
{
    (void)state;
    assert_true(hash_of(&table[0], 0) == hash_of(&table[0], 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_have_the_recorded_bits_in_every_width),
        cmocka_unit_test(repeated_runs_have_equal_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
