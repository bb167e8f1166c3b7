/* SPDX-License-Identifier: Apache-2.0
 * The convex hull of the points of a mesh as a shape (T116): corners, plane faces, middle, widths.  Made when a body is
 * added; contacts only read it. */
#ifndef CLV_MODEL_HULL_H
#define CLV_MODEL_HULL_H
#include "cleave/cleave.h"
#include "model/hull_tree.h"

enum { CLV_HULL_RING = 32 }; /* most corners of the outline of a face */

/* A plane face: n.x = offset, about the middle. */
typedef struct clv_hull_face {
    double n[3], offset; /* outward, length 1; m                                              */
    int first, count;    /* of `ring`: corners, counterclockwise from outside, 3 to CLV_HULL_RING */
} clv_hull_face;

typedef struct clv_hull {
    int npoint, nface;
    double *x;           /* (npoint x 3) m, corners about the middle, shape axes               */
    double *point;       /* (npoint x 3) m, the same from the origin of the shape              */
    clv_hull_face *face; /* (nface)                                                            */
    int *ring;           /* corners of the faces                                               */
    double middle[3];    /* m, centre of mass of the homogeneous solid, shape axes             */
    double half[3];      /* m, largest |coordinate| of a corner about the middle               */
    double radius;       /* m, of the sphere about the middle that holds it                    */
    double width;        /* m, least distance of a face from the farthest corner               */
    double moment[6];    /* m^2: inertia per mass about the middle, xx yy zz xy xz yz          */
    clv_hull_tree tree;  /* of the corners x                                                   */
} clv_hull;

/* Hull of n points (3 each, finite); NULL: *flat says whether they lie in a plane, else memory is short. */
clv_hull *clv_hull_create(const double *point, int n, bool *flat);
void clv_hull_free(clv_hull *h);
/* The corner that is farthest along d (shape axes); of equal ones the first. */
int clv_hull_farthest(const clv_hull *h, const double d[3]);
/* The face whose normal is nearest to d (shape axes, unit vector); of equal ones the first. */
int clv_hull_facing(const clv_hull *h, const double d[3]);

#endif
