/* SPDX-License-Identifier: Apache-2.0
 * Time stepping of Moreau and Jean (T62).  Half a step has the rates at its beginning, the other half those at its end.
 * Forces and the impulses of rigid contacts change them in the middle; impulses.c finds the impulses, warm.c what
 * they begin with. */
#ifndef CLV_INTEGRATOR_MOREAU_H
#define CLV_INTEGRATOR_MOREAU_H
#include "integrator/impulses.h"
#include "integrator/integrator.h"

/* Plain numbers. */
typedef struct clv_moreau_state {
    int points;  /* in contact in the last step, whose impulses begin the next iteration */
    double step; /* s, its length                                                        */
} clv_moreau_state;

void clv_moreau_layout(clv_integrator *s, clv_arena *a);
clv_status clv_moreau_begin(clv_integrator *s);
clv_status clv_moreau_step(clv_integrator *s);
void clv_moreau_dense(const clv_integrator *s, double t, double *y);

/* ------------------------------------------------------------------ warm.c */

/* A point of the last step and its impulse, so that the next step finds it again. */
typedef struct clv_warm_point {
    double contact;    /* whole number                                    */
    double pair;       /* of its bodies, whole number below 2^53          */
    double place[3];   /* m, on the second body, in its axes              */
    double impulse[3]; /* N s, global                                     */
    double normal;     /* N s, its normal part                            */
} clv_warm_point;

/* P (3 a point) := impulses of the points of the same contacts nearest to them, times `scale`. */
void clv_warm_guess(const clv_warm_point *last, int nlast, double scale, const clv_contact_point *point, int n,
                    double *P);
/* Remembers them. */
void clv_warm_keep(clv_warm_point *last, const clv_contact_point *point, int n, const double *P);

/* The points of the last step (*n of them), with their impulses, in order of contacts; *step: its length, s. */
const clv_warm_point *clv_moreau_points(const clv_integrator *s, int *n, double *step);

/* Tail of a row of the method table. */
#define CLV_MOREAU_METHOD                                                                                              \
    .asks = CLV_ASK_RESPONSE, .state_size = sizeof(clv_moreau_state), .layout = clv_moreau_layout,                     \
    .begin = clv_moreau_begin, .step = clv_moreau_step, .dense = clv_moreau_dense

#endif
