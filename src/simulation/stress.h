/* SPDX-License-Identifier: Apache-2.0
 * A self-stress measured (T13, T20): wrenches in equilibrium that move nothing, as multipliers in the engine's sigma.
 * unique.c follows it down the nodes, balance.c along the tree. */
#ifndef CLV_SIMULATION_STRESS_H
#define CLV_SIMULATION_STRESS_H
#include "simulation/sim.h"

/* sizes met in one self-stress, and what is out of balance: moments, forces times the size */
typedef struct clv_stress {
    clv_sim *s;
    double largest, left, terms;
    double noise; /* below it a component is rounding: what is out of balance shows how much */
    bool found;   /* closings from .. to - 1 contain all that have a part in sigma */
    int from, to;
} clv_stress;

/* Wrench of an edge with the engine's sigma: on the child of a tree edge at its point, or on b of a closing at b's
 * point. */
void clv_stress_wrench(const clv_sim *s, int edge, double w[6]);
/* Sizes of what an edge puts on its bodies. */
void clv_stress_edge(clv_stress *m, int edge);
/* Unit of the rate of a free direction: 1 rad, or the size of the model. */
double clv_stress_unit(const clv_sim *s, const double H[6]);
/* to: a clv_stress.  Sizes of the wrench T (6) on a child at its reference point, and what its joint cannot carry. */
void clv_stress_joint(void *to, int child, const double T[6]);
/* W (nbody x 6): of the bodies inboard of closings that have a part in sigma */
typedef void (*clv_stress_visit)(clv_stress *m, int edge, double (*W)[6]);
void clv_stress_paths(clv_stress *m, clv_stress_visit visit);
/* Sizes along these paths, with the wrenches that follow by statics from the closings alone: they are left in
 * system.W. */
void clv_stress_measure_paths(clv_stress *m);
/* Multipliers v (nclosing_row) of closings, parts of the units of their rows, become the engine's sigma; or these
 * become v. */
void clv_stress_multipliers(clv_sim *s, bool to_sigma, double *v);
/* s->dq := J^T v: loads of the joints in the units of their directions, by statics.  v becomes the engine's sigma; uses
 * system.W; directions of joints and rows must be there. */
void clv_stress_loads(clv_sim *s, double *v);

#endif
