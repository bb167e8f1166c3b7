/* SPDX-License-Identifier: Apache-2.0
 * The loop of hdca-case1 from any start: four links of 1 m, 1 kg and 1 kg m^2 about their middle between pins at (0, 0)
 * and (2, 0), gravity -y, two freedoms.  Angles and rates are absolute; the caller gives ones that close. Used by
 * test_loop_40j.c, test_singular.c, cli/test_verify.c and bench/loop_40j.c.
 *
 *  o       o
 *  |       |    FORTY_JOULES: the U of hdca-case1 thrown off with 40 J, E0 = -29.43 J + 40.25 J; fast and chaotic
 *  o---o---o */
#ifndef CLV_TESTS_LAWS_FOUR_LINK_LOOP_H
#define CLV_TESTS_LAWS_FOUR_LINK_LOOP_H
#include <math.h>
#include "cleave/cleave.h"

typedef struct four_link_start {
    double angle[4], rate[4]; /* rad, rad/s */
} four_link_start;

static const four_link_start FORTY_JOULES = {{-1.57079632679489662, 0, 0, 1.57079632679489662}, {3, 4, -4, 3}};

/* A loop of two freedoms on its way past the in-line position (met 0.07 s later, smallest pivot 5e-10). */
static const four_link_start NEAR_MISS = {
    {0.0462530754273261, -0.037977738082433765, -2.9240917231023298, 0.20904126608506417},
    {-0.4191904785997651, 0.38647990389437925, -3.1398413682939403, -3.1008291037391982},
};

static inline clv_status four_link_loop(clv_model **model, const four_link_start *start)
{
    static const char *const body_name[4] = {"B1", "B2", "B3", "B4"}, *const joint_name[5] = {"J1", "J2", "J3", "J4",
                                                                                              "J5"};
    const double down[3] = {0, -9.81, 0};
    double x = 0, y = 0, vx = 0, vy = 0; /* of the link's first pin */
    clv_status st = clv_model_create(model, "four-link-loop");
    if (st == CLV_OK)
        st = clv_model_set_gravity(*model, down);
    for (int i = 0; st == CLV_OK && i < 4; i++) {
        double lx = cos(start->angle[i]), ly = sin(start->angle[i]), w = start->rate[i];
        clv_body_desc d = clv_body_desc_default();
        d.name = body_name[i];
        d.mass = d.inertia[0] = d.inertia[1] = d.inertia[2] = 1;
        d.placed = d.moving = true;
        d.position[0] = x + lx / 2, d.position[1] = y + ly / 2;
        d.orientation[0] = cos(start->angle[i] / 2), d.orientation[3] = sin(start->angle[i] / 2);
        d.velocity[0] = vx - w * ly / 2, d.velocity[1] = vy + w * lx / 2;
        d.angular_velocity[2] = w;
        x += lx, y += ly, vx -= w * ly, vy += w * lx;
        st = clv_model_add_body(*model, NULL, &d);
    }
    for (int i = 0; st == CLV_OK && i < 5; i++) {
        clv_joint_desc j = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
        j.name = joint_name[i];
        j.a = i - 1, j.b = i < 4 ? i : CLV_GROUND;
        j.position_a[0] = i > 0 ? 0.5 : 0;
        j.position_b[0] = i < 4 ? -0.5 : 2;
        st = clv_model_add_joint(*model, NULL, &j);
    }
    return st == CLV_OK ? clv_model_finish(*model) : st;
}
#endif
