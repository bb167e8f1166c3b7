/* SPDX-License-Identifier: Apache-2.0
 * The three closed examples of the 2017 HDCA paper and what is measured on them, from the public views alone: gaps and
 * velocity gaps of all pins, and how far the motion has left its mirror image.  Used by test_hdca_cases.c and
 * bench/paper_hdca.c. */
#ifndef CLV_TESTS_LAWS_HDCA_CASES_H
#define CLV_TESTS_LAWS_HDCA_CASES_H
#include <math.h>
#include "math/rotation.h"
#include "math/sincos.h"
#include "math/spatial.h"
#include "model/model.h"

/* The mirror maps x to `across` - x and body i of a run of `run` bodies to the one as far from its other end. */
typedef struct hdca_case {
    const char *example;
    int bodies, run;
    double across; /* m; also the size of the mechanism */
} hdca_case;

enum { HDCA_CASES = 3, HDCA_BODIES = 8 };
static const hdca_case HDCA_CASE[HDCA_CASES] = {
    {"hdca-case1", 4, 4, 2}, {"hdca-case2", 8, 8, 4}, {"hdca-case3", 8, 4, 2}};

static inline int hdca_mirror_body(const hdca_case *c, int i)
{
    return i / c->run * c->run + c->run - 1 - i % c->run;
}

/* angle of a body turned about z, rad, in (-pi, pi] */
static inline double hdca_angle(const double e[4])
{
    return 2 * atan2(e[0] < 0 ? -e[3] : e[3], fabs(e[0]));
}

/* Largest difference between the motion and its mirror image: m, rad */
static inline double hdca_asymmetry(const clv_sim *s, const hdca_case *c)
{
    const double *r = clv_sim_position(s), *e = clv_sim_quaternion(s);
    double most = 0;
    for (int i = 0; i < c->bodies; i++) {
        int k = hdca_mirror_body(c, i);
        double turn = hdca_angle(e + 4 * i) + hdca_angle(e + 4 * k);
        most = fmax(most, fabs(r[3 * i] + r[3 * k] - c->across));
        most = fmax(most, fabs(r[3 * i + 1] - r[3 * k + 1]));
        most = fmax(most, fabs(turn - 2 * CLV_PI * round(turn / (2 * CLV_PI))));
    }
    return most;
}

/* point and z axis of a joint frame on one of its bodies, global; velocity of the point, angular velocity */
static inline void hdca_frame(const clv_sim *s, const clv_model *m, int body, const double p[3], const double E[9],
                              double x[3], double z[3], double v[6])
{
    double R[9], l[3], from[3], a[3] = {E[2], E[5], E[8]};
    if (body < 0) {
        for (int i = 0; i < 3; i++)
            x[i] = p[i], z[i] = a[i], v[i] = v[3 + i] = 0;
        return;
    }
    const double *r = clv_sim_position(s) + 3 * body, *V = clv_sim_velocity(s) + 6 * body;
    clv_quat_rotation(R, clv_sim_quaternion(s) + 4 * body);
    clv_sub3(from, p, m->body[body].com);
    clv_mat3_times(l, R, from);
    clv_mat3_times(z, R, a);
    clv_cross(v, V + 3, l);
    for (int i = 0; i < 3; i++)
        x[i] = r[i] + l[i], v[i] += V[i], v[3 + i] = V[3 + i];
}

/* Largest gap (m, rad) and velocity gap (m/s, rad/s) of all hinges at the output state. */
static inline void hdca_gaps(const clv_sim *s, const clv_model *m, double *position, double *velocity)
{
    *position = *velocity = 0;
    for (int j = 0; j < m->njoint; j++) {
        const clv_joint *k = &m->joint[j];
        double xa[3], za[3], va[6], xb[3], zb[3], vb[6], turn[3], w[3], across[3];
        hdca_frame(s, m, k->a, k->pa, k->Ea, xa, za, va);
        hdca_frame(s, m, k->b, k->pb, k->Eb, xb, zb, vb);
        clv_cross(turn, za, zb);
        clv_sub3(w, vb + 3, va + 3);
        clv_cross(across, za, w);
        for (int i = 0; i < 3; i++) {
            *position = fmax(*position, fmax(fabs(xb[i] - xa[i]), fabs(turn[i])));
            *velocity = fmax(*velocity, fmax(fabs(vb[i] - va[i]), fabs(across[i])));
        }
    }
}

/* Largest speed of a centre of mass or turn, m/s or rad/s */
static inline double hdca_speed(const clv_sim *s, int bodies)
{
    double most = 0;
    for (int i = 0; i < 6 * bodies; i++)
        most = fmax(most, fabs(clv_sim_velocity(s)[i]));
    return most;
}
#endif
