/* SPDX-License-Identifier: Apache-2.0
 * What acts between two bodies, and how that changes when one of them is displaced (T75, T76): shared by the files
 * that go through closings and loads.
 *
 *   derivative_pair.c     changes along every direction, for columns
 *   derivative_closing.c  closings, couplings: rows and wrenches
 *   derivative_load.c     loads
 *   derivative_back.c, derivative_back_pair.c  products with cotangents, without columns (T124) */
#ifndef CLV_KINEMATICS_DERIVATIVE_PAIR_H
#define CLV_KINEMATICS_DERIVATIVE_PAIR_H
#include "kinematics/derivative.h"

/* How the two bodies change along a direction: displacement, change of velocity and of acceleration. */
typedef struct clv_acting_change {
    double xa[6], xb[6], va[6], vb[6], aa[6], ab[6];
    double pa[3], pb[3]; /* of the points of a closing on its bodies, beyond that of the bodies (T112) */
} clv_acting_change;

/* What a pair does, and the change of that. */
typedef struct clv_acting_effect {
    double Wa[6], Wb[6], dWa[6], dWb[6]; /* loads on the bodies                                     */
    double acceleration[6], rate[6], row[6]; /* of its rows: changes; row: velocity of the displacement */
} clv_acting_effect;

typedef struct clv_acting clv_acting;
struct clv_acting {
    clv_derivative *d;
    int a, b;          /* bodies or ground                                     */
    int row, m;        /* first of its rows, and how many                      */
    int edge;          /* of a closing; of a load: -1                          */
    const clv_force *force;
    const clv_input *input;
    double value;      /* of the input                                         */
    const double *term; /* of a coupling: f'(q), f''(q), f'''(q); else NULL    */
    void (*find)(const clv_acting *p, const clv_acting_change *x, clv_acting_effect *to);
    clv_jet *H, *D;    /* (36) (36) columns of a closing along the displacement of this direction, or NULL */
    bool again;        /* they are there, and the direction is a rate          */
};

/* Relative motion of the bodies of a pair, and its change. */
typedef struct clv_acting_motion {
    double v[6], a[6], x[6], dv[6], da[6];
} clv_acting_motion;

typedef void (*clv_acting_visitor)(const clv_acting *p, void *user);
/* The term f (f', f'', f''') of a coupling that a tree joint has: its child. */
typedef void (*clv_acting_term)(clv_derivative *d, const clv_edge *e, int child, const double f[3], void *user);

/* derivative_closing.c: closing joints, and couplings term by term; those of tree joints go to `term` unless it is
 * NULL. */
void clv_acting_closings(clv_derivative *d, clv_acting_visitor visit, clv_acting_term term, void *user);
clv_acting_motion clv_acting_motion_of(const clv_acting *p, const clv_acting_change *x);
/* Jets of the rows (6 x m), and of the duals of the free directions, along x; y belongs to x. */
void clv_acting_rows(const clv_acting *p, const clv_acting_change *x, const clv_acting_motion *y, clv_jet G[36],
                     clv_jet D[36]);

/* derivative_load.c: loads between two bodies, or a body and the ground */
void clv_acting_loads(clv_derivative *d, clv_acting_visitor visit, void *user);
/* d->slope */
void clv_acting_slopes(clv_derivative *d);

/* velocity field at a point relative to the origin */
static inline void clv_field_at(double y[3], const double V[6], const double r[3])
{
    clv_cross(y, V + 3, r);
    clv_axpy3(y, 1, V);
}

#endif
