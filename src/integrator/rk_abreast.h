/* SPDX-License-Identifier: Apache-2.0
 * Vectors of Runge-Kutta steps that are made side by side, a step a lane (T85).  What a step decides is clv_rk_try's;
 * here are the combinations of stages and the errors, for all lanes at once.  Lanes in the middle of a try are at the
 * same column of the tableau; others wait at the beginning of theirs.  Number i of lane l lies at [8 i + l]. */
#ifndef CLV_INTEGRATOR_RK_ABREAST_H
#define CLV_INTEGRATOR_RK_ABREAST_H
#include "integrator/runge_kutta.h"
#include "math/lane_vector.h"

typedef struct clv_rk_abreast {
    const clv_tableau *rule;
    const clv_lane_vectors *vectors;
    int n, lanes;
    double *y, *k;         /* (n x 8) (columns + 1 blocks) states; stages, and behind them rates that are looked at */
    double *point, *fresh; /* (n x 8) where rates are required; new states                                      */
    double *scale, *bound; /* (n x 8) as of clv_ode                                                             */
    double *h, *rtol, *atol; /* (8)                                                                             */
    double *norm, *other, *worst; /* (8) work                                                                   */
    double *error, *root, *of_root; /* (8) errors of tries, their roots or NAN; work                            */
    double *arrived;       /* (8) 1: the next step begins with the new state and the rates there                */
    double *check;         /* (8) 0 where the last rates are finite                                             */
    clv_arena arena;
} clv_rk_abreast;

/* For `lanes` integrators like that one, with kernels of `width`.  False: out of memory. */
bool clv_rk_abreast_open(clv_rk_abreast *a, const clv_integrator *like, int lanes, int width);
void clv_rk_abreast_close(clv_rk_abreast *a);
/* An integrator takes a lane; and before each of its steps, after clv_rk_open. */
void clv_rk_abreast_put(clv_rk_abreast *a, int lane, const clv_integrator *s);
void clv_rk_abreast_begin(clv_rk_abreast *a, int lane, const clv_integrator *s);
/* Instead: the step begins where the last one of this lane has ended, for rules with rates at the end. */
static inline void clv_rk_abreast_continue(clv_rk_abreast *a, int lane) { a->arrived[lane] = 1.0; }
/* Before the first rates of tries. */
void clv_rk_abreast_depart(clv_rk_abreast *a);
/* The size of the try of a lane, after every clv_rk_open and clv_rk_take. */
static inline void clv_rk_abreast_try(clv_rk_abreast *a, int lane, const clv_rk_try *x) { a->h[lane] = x->h; }
/* The states (n x 8) at which the rates of this column are required, and where they go (n x 8). */
const double *clv_rk_abreast_point(clv_rk_abreast *a, int column);
double *clv_rk_abreast_rates(const clv_rk_abreast *a, int column);
/* The rates of this column are there: are they finite? */
void clv_rk_abreast_check(clv_rk_abreast *a, int column);
/* New states and errors, where they follow from these rates. */
void clv_rk_abreast_arrive(clv_rk_abreast *a, int column);
/* Are rates of this column inside steps, with others behind them? */
static inline bool clv_rk_abreast_inside(const clv_rk_abreast *a, int column) { return column + 1 < a->rule->stages; }
/* The same as clv_rk_take of such rates, if they are there. */
static inline void clv_rk_abreast_pass(const clv_rk_abreast *a, const clv_integrator *s, clv_rk_try *x)
{
    x->column++;
    x->t = s->t + a->rule->c[x->column] * x->h;
}
/* What the try of a lane is judged by, before clv_rk_take; and what a step that may be accepted leaves. */
void clv_rk_abreast_judge(const clv_rk_abreast *a, int lane, clv_rk_try *x);
void clv_rk_abreast_show(const clv_rk_abreast *a, int lane, clv_integrator *s, const clv_rk_try *x);
/* Numbers of one lane, n of them, out of a block and into it */
void clv_rk_abreast_get(const clv_rk_abreast *a, const double *block, int lane, double *v);
void clv_rk_abreast_set(const clv_rk_abreast *a, double *block, int lane, const double *v);

#endif
