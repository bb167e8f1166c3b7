/* SPDX-License-Identifier: Apache-2.0
 * Newmark's rule and generalized-alpha on the absolute coordinates x = [r; e] of one body (T25): centre of mass and
 * Euler parameters of length one.  rho = 1 is the trapezoidal rule of the paper.
 *
 *   (1 - am) a_1 + am a_0 = (1 - af) x''_1 + af x''_0
 *   x_1 = x_0 + h x'_0 + h^2 ((1/2 - beta) a_0 + beta a_1),   x'_1 = x'_0 + h ((1 - gamma) a_0 + gamma a_1)
 *
 * Everything is kept as increments: a displacement dx of the pose brings x' += to_rate dx and x'' += dx / scale. */
#ifndef CLV_FORMULATION_RULE_H
#define CLV_FORMULATION_RULE_H
#include <stdbool.h>

typedef struct clv_rule {
    double h, am, af, beta, gamma;
    double scale;   /* s^2: dx / dx'' (trapezoidal: h^2/4)    */
    double damp;    /* s: dx' / dx'' (trapezoidal: h/2)       */
    double to_rate; /* 1/s: dx' / dx (trapezoidal: 2/h)       */
    bool still;     /* prediction leaves the positions        */
} clv_rule;

/* One body's trial at the end of a step. */
typedef struct clv_trial {
    double x[7], xd[7], xdd[7]; /* m and 1; per s; per s^2 */
} clv_trial;

/* One mode's, a coordinate without constraint of its own. */
typedef struct clv_mode_trial {
    double x, xd, xdd; /* in its unit, per s, per s^2 */
} clv_mode_trial;

/* rho in [0, 1]: spectral radius at infinite frequency. */
clv_rule clv_rule_of(double h, double rho);
/* Coordinates of the motion: from r, e, velocity v, angular velocity w and their rates vd, wd (both angular ones in
 * body axes). */
void clv_rule_state(clv_trial *t, const double x[7], const double u[6], const double ud[6]);
/* The trial with x''_1 = x''_0 (the paper's (23)), pulled back to unit length; of a still rule that with x_1 = x_0.
 * a: auxiliary acceleration a_0. */
void clv_rule_predict(const clv_rule *s, clv_trial *t, const clv_trial *start, const double a[7]);
/* Moves a trial by dx (6: translation, rotation; global axes).  Returns |dx|^2 over the seven coordinates. */
double clv_rule_displace(const clv_rule *s, clv_trial *t, const double dx[6]);
/* [v; w] and [v'; w'] of a trial, angular parts in body axes: the parts of e', e'' along e are left out. */
void clv_rule_rates(const clv_trial *t, double u[6], double ud[6]);
/* a := a_1 of n accelerations x''_0, x''_1 */
void clv_rule_next(const clv_rule *s, double *a, const double *xdd0, const double *xdd1, int n);
/* The same for a mode. */
void clv_rule_predict_mode(const clv_rule *s, clv_mode_trial *t, const clv_mode_trial *start, double a);
void clv_rule_displace_mode(const clv_rule *s, clv_mode_trial *t, double dx);

#endif
