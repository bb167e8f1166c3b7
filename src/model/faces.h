/* SPDX-License-Identifier: Apache-2.0
 * The surface of a convex hull or of a bore as triangles, for pages and exports. */
#ifndef CLV_MODEL_FACES_H
#define CLV_MODEL_FACES_H
#include "cleave/cleave.h"

struct clv_hull;

typedef struct clv_faces {
    int npoint, ncorner;
    double *point; /* (npoint x 3) m, from the middle of what clv_shape_drawn gives, its axes            */
    int *corner;   /* (ncorner) points, three a triangle, counterclockwise from outside               */
} clv_faces;

/* Has a shape such a surface? */
bool clv_faces_has(const clv_shape *s);
/* False: out of memory; release it in any case. */
bool clv_faces_make(clv_faces *f, const clv_shape *s, const struct clv_hull *hull);
void clv_faces_release(clv_faces *f);

#endif
