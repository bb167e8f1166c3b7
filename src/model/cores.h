/* SPDX-License-Identifier: Apache-2.0
 * Distance of two convex shapes by their cores (T106): a shape is a core, whose farthest points are known, and a ball
 * that rolls on it.  Overlapping cores are moved apart along the best direction that is found. */
#ifndef CLV_MODEL_CORES_H
#define CLV_MODEL_CORES_H
#include "model/touch.h"

/* A core in its place. */
typedef struct clv_core {
    clv_shape_kind kind; /* of the core: a box, cylinder, hull, a segment (capsule) or a point (sphere) */
    double half[3];      /* m, box: half edges; cylinder: radius, -, half length; segment: -, -, half length */
    double scale;        /* of the core about its middle; 1                                       */
    const struct clv_hull *hull; /* half: of the box about its middle                             */
    double radius;       /* m, of the ball                                                        */
    const double *at, *E; /* of the shape                                                         */
} clv_core;

/* Where two shapes are nearest, or overlap the least. */
typedef struct clv_nearest_points {
    double n[3];   /* unit vector, from the first to the second                                 */
    double gap;    /* m, distance along it; below 0 they overlap                                */
    double at[3];  /* m, middle between the two surfaces, global                                */
} clv_nearest_points;

/* Cores of a pair: edges of a cylinder are rounded by 1 % of its size where the other shape has no radius. */
void clv_cores_of(const clv_solid *a, const clv_solid *b, clv_core *x, clv_core *y);
/* The farthest point of the core along the direction d, global. */
void clv_core_farthest(const clv_core *c, const double d[3], double p[3]);
/* m, distance along the unit vector n from a to b; below 0 they overlap. */
double clv_cores_apart(const clv_core *a, const clv_core *b, const double n[3]);
clv_nearest_points clv_cores_nearest(const clv_core *a, const clv_core *b);

#endif
