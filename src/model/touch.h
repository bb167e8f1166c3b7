/* SPDX-License-Identifier: Apache-2.0
 * Where two shapes touch (T61.1): depth, normal and place of every point, by formula for each pair of kinds.  Shapes
 * know no bodies. */
#ifndef CLV_MODEL_TOUCH_H
#define CLV_MODEL_TOUCH_H
#include "cleave/cleave.h"

enum { CLV_TOUCH_POINTS = 8 }; /* at most, of a pair */

/* A shape in its place.  Kind CLV_SHAPE_NONE: the half-space below a plane. */
typedef struct clv_solid {
    clv_shape_kind kind;
    double size[3]; /* m, as of clv_shape; of a mesh [0] is what it was grown by  */
    double at[3];   /* m, middle; a point of the plane; global                    */
    double E[9];    /* its axes as columns, row major; of a plane z is the normal */
    int closed;     /* of a bore, as of clv_shape                                */
    const struct clv_hull *hull; /* of a mesh */
} clv_solid;

/* A point of contact. */
typedef struct clv_touch {
    double depth; /* m, > 0                                    */
    double n[3];  /* unit normal from the first to the second  */
    double at[3]; /* m, middle between the surfaces, global    */
    /* An axis goes round inside a bore (T148): at the distance `axis` (m) along n, negative if it is that of the first.
     * It moves along the unit vector `round`, on a circle of curvature `hollow` (1/m); 0: there is none. */
    double hollow, axis, round[3];
} clv_touch;

/* The shape with its surface moved outwards by m metres; planes stay. */
void clv_solid_grow(clv_solid *s, double m);
/* Most points of a pair of kinds; 0: this pair is not supported. */
int clv_touch_most(clv_shape_kind a, clv_shape_kind b);
/* The points of a pair that is supported; returns how many. */
int clv_touch_find(const clv_solid *a, const clv_solid *b, clv_touch x[CLV_TOUCH_POINTS]);

#endif
