/* SPDX-License-Identifier: Apache-2.0
 * Andrews' squeezer in the coordinates of the IVP Test Set, from the example "andrews". */
#ifndef CLV_TESTS_REFERENCE_SQUEEZER_H
#define CLV_TESTS_REFERENCE_SQUEEZER_H
#include "reference/run.h"

static const double TWO_PI = 6.283185307179586;

/* the test set's coordinates beta, Theta, gamma, Phi, delta, Omega, epsilon from absolute values of K1 .. K7 */
static inline void relative(const double k[7], double q[7])
{
    const double x[7] = {k[0], k[1] - k[0], k[2], k[3] - k[4], k[4], k[5] - k[6], k[6]};
    memcpy(q, x, sizeof x);
}

typedef struct squeezer {
    double q[7], v[7], a[7], lambda[6]; /* rad, rad/s, rad/s^2, N */
} squeezer;

static inline squeezer squeezer_at(clv_sim *s)
{
    squeezer x;
    double angle[7], w[7], a[7];
    assert_int_equal(clv_sim_evaluate(s), CLV_OK);
    for (int b = 0; b < 7; b++) {
        const double *e = clv_sim_quaternion(s) + 4 * b;
        angle[b] = 2 * atan2(e[3], e[0]);
        w[b] = clv_sim_velocity(s)[6 * b + 5], a[b] = clv_sim_acceleration(s)[6 * b + 5];
    }
    relative(angle, x.q), relative(w, x.v), relative(a, x.a);
    for (int j = 0; j < 3; j++) { /* the three pins at F: force on K3, K4, K6 */
        clv_joint_result r;
        assert_int_equal(clv_sim_joint(s, 7 + j, &r), CLV_OK);
        x.lambda[2 * j] = r.force[0], x.lambda[2 * j + 1] = r.force[1];
    }
    return x;
}

/* error of angles (up to whole turns), rates, accelerations, forces against q, v, a, lambda in a row */
static inline void squeezer_error(const squeezer *x, const double *y, double error[4])
{
    for (int i = 0; i < 7; i++)
        error[0] = fmax(error[0], fabs(remainder(x->q[i] - y[i], TWO_PI)));
    error[1] = fmax(error[1], largest_difference(x->v, y + 7, 7));
    error[2] = fmax(error[2], largest_difference(x->a, y + 14, 7));
    error[3] = fmax(error[3], largest_difference(x->lambda, y + 21, 6));
}
#endif
