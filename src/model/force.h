/* SPDX-License-Identifier: Apache-2.0
 * The table of load kinds.  A new kind is one row in force.c.  Loads know bodies and joint coordinates,
 * never topology. */
#ifndef CLV_MODEL_FORCE_H
#define CLV_MODEL_FORCE_H
#include "model/model.h"

/* State in, loads out; body rows in model order. */
typedef struct clv_load_frame {
    double time;
    const clv_model *model;
    const double *r;    /* m, centre of mass, global (nbody x 3)                         */
    const double *R;    /* body to global, row major (nbody x 9)                         */
    const double *V;    /* m/s of the centre of mass, rad/s; global (nbody x 6)          */
    const double *q;    /* joint coordinates, 7 per joint (njoint x 7)                    */
    const double *u;    /* joint rates, 6 per joint (njoint x 6)                          */
    double *wrench;     /* add: N, N m about the centre of mass, global (nbody x 6)      */
    double *tau;        /* add: generalized force on u, 6 per joint (njoint x 6)          */
    double power;       /* add: W, power of loads that have no potential                 */
    bool opaque;        /* set: power unknown (callbacks)                                */
    int failed;         /* set: index of the force that failed (callback returned nonzero, or not finite), else -1 */
    int answer;         /* set: what that callback returned; 0: a number is not finite */
} clv_load_frame;

typedef struct clv_force_row {
    const char *name;                                                    /* as in files */
    void (*apply)(const clv_force *f, int index, clv_load_frame *at);
    double (*potential)(const clv_force *f, const clv_load_frame *at);   /* J; NULL: none */
} clv_force_row;

extern const clv_force_row clv_force_table[CLV_FORCE_KINDS];

/* Zeroes wrench, tau, power, opaque; sets failed = -1; applies gravity and all forces.  T8. */
void clv_loads(clv_load_frame *at);
/* Potential energy of gravity and springs, J. */
double clv_potential(const clv_load_frame *at);

#endif
