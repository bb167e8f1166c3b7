/* SPDX-License-Identifier: Apache-2.0
 * Rate evaluations as walks over groups of strands, in lanes (T43): trees without closed loops, whose joints inside
 * strands are revolute, prismatic, helical or fixed.  Other systems are evaluated body by body. */
#ifndef CLV_FORMULATION_WALK_H
#define CLV_FORMULATION_WALK_H
#include "formulation/system.h"

/* ydot of (q, p) by hdca, of (q, u) by dca.  False: the system does not fit, or something failed that the evaluation
 * body by body is to name; nothing but work has changed then. */
bool clv_walk_hdca(clv_system *s, double t, const double *y, double *ydot);
bool clv_walk_dca(clv_system *s, double t, const double *y, double *ydot);
/* Velocities of (q, p) in model order, with the bits that clv_walk_hdca gives them.  False: as there. */
bool clv_walk_velocities(clv_system *s, double t, const double *y);
/* The by-products in model order that a walk leaves out: poses, V, directions, loads of its last evaluation, at y. */
void clv_walk_view(clv_system *s, const double *y);

#endif
