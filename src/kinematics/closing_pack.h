/* SPDX-License-Identifier: Apache-2.0
 * Loop joints in lanes: revolute or fixed joints between two rigid bodies, up to eight at a time (T3, T43).  Places,
 * directions, blocks, scales and rates are those of kinematics.c and fill.c, which do the other joints one by one. */
#ifndef CLV_KINEMATICS_CLOSING_PACK_H
#define CLV_KINEMATICS_CLOSING_PACK_H
#include "kinematics/kinematics.h"
#include "math/lane.h"

/* Lanes beyond n are as the first one.  In lanes, a number every eight: */
struct clv_closing_pack {
    int n, rows;                           /* joints; rows of each: 5 of a revolute joint, 6 of a fixed one */
    int edge[CLV_GROUP], joint[CLV_GROUP]; /* of the plan, of the model                                  */
    int a[CLV_GROUP], b[CLV_GROUP];        /* bodies                                                     */
    int at_a[CLV_GROUP], at_b[CLV_GROUP];  /* where their blocks begin in those of the engine            */
    int row[CLV_GROUP];                    /* first row                                                  */
    double *E, *O, *d;                     /* axes of b's frame, row major; b's point; less a's point (9, 3, 3) */
    double *va, *vb, *Dd;                  /* revolute: velocities of the points; rates of the axes held (3, 3, 6) */
    double *missed;                        /* see below                                                     (1) */
    bool all;                              /* of the first pack: no other edge closes                           */
};

void clv_closing_packs_layout(clv_kinematics *k, const clv_plan *p, clv_arena *a);
/* Lists and constants. */
void clv_closing_packs_begin(clv_kinematics *k);
void clv_closing_packs_pose(clv_kinematics *k);
void clv_closing_packs_fill(clv_kinematics *k);
void clv_closing_packs_rates(clv_kinematics *k);
/* What the turning of revolute joints makes of impulses sigma, added to W (nbody x 6).  Sums over the six rows of fixed
 * joints would lose momentum by rounding where impulses are large. */
void clv_closing_packs_loads(const clv_kinematics *k, const double *sigma, double *W);
/* By how much motions x (nbody x 6) miss their rows: into g, by row; the largest of what T136 compares with 1e-14. */
double clv_closing_packs_residual(const clv_kinematics *k, const double *x, double *g);

/* Is an edge in a pack, and are packs in use?  Not where lanes of other kinds leave edges out. */
static inline bool clv_closing_packed(const clv_kinematics *k, int edge)
{
    return k->npack > 0 && !k->lane && k->packed[edge];
}
static inline bool clv_closing_turned(const clv_kinematics *k, int edge)
{
    return clv_closing_packed(k, edge) && k->plan->edge[edge].m == 5;
}
/* Are all that close, couplings too? */
static inline bool clv_closings_packed(const clv_kinematics *k)
{
    return k->npack > 0 && !k->lane && k->pack->all;
}

#endif
