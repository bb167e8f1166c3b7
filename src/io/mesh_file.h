/* SPDX-License-Identifier: Apache-2.0
 * Triangles of a surface, from files in STL, OBJ, COLLADA or MSH (the old binary format of MuJoCo), and the solid
 * that they enclose. */
#ifndef CLV_IO_MESH_FILE_H
#define CLV_IO_MESH_FILE_H
#include <stdbool.h>
#include <stddef.h>

typedef struct clv_mesh {
    double *point; /* 3 coordinates each, as the file has them (single precision) */
    size_t npoint, point_capacity;
    unsigned *corner; /* indices of points, 3 each */
    size_t ncorner, corner_capacity;
    bool *more; /* of every triangle: it is of the same plane face as the one before */
    size_t more_capacity;
    bool memory;         /* it was short                          */
    const char *problem; /* what is wrong with the file, or NULL  */
} clv_mesh;

typedef struct clv_solid {
    double volume, com[3], J[6]; /* m^3; m; m^5: xx yy zz xy xz yz about com, of density 1 */
} clv_solid;

/* `text` (size bytes) is the content of a file of that name; the ending of the name is its format.  False: problem or
 * memory is set. */
bool clv_mesh_read(clv_mesh *m, const char *name, const char *text, size_t size);
bool clv_mesh_point(clv_mesh *m, const double x[3]);
/* A triangle, points from 0; more: it continues the plane face of the one before. */
bool clv_mesh_face(clv_mesh *m, unsigned a, unsigned b, unsigned c, bool more);
/* A quadrilateral, cut along its shorter diagonal. */
bool clv_mesh_quad(clv_mesh *m, const unsigned corner[4]);
/* mesh_collada.c: the text of a COLLADA file into an empty mesh; as clv_mesh_read. */
bool clv_mesh_collada(clv_mesh *m, const char *text, size_t size);
void clv_mesh_free(clv_mesh *m);
/* T53: the convex hull of all points, with triangles turned outwards, appended to an empty mesh.  False: the points
 * lie in a plane, or memory is set. */
bool clv_mesh_hull(clv_mesh *out, const clv_mesh *m);
/* The sum of pyramids over all triangles, with their tips at the centroid of the surface and then at the centre of
 * mass.  Closed surfaces have signed pyramids; unsigned ones are what MuJoCo takes by default (`legacy`).  False: there
 * is no volume. */
bool clv_mesh_solid(clv_solid *s, const clv_mesh *m, bool unsigned_pyramids);

#endif
