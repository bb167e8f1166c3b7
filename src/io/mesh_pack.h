/* SPDX-License-Identifier: Apache-2.0
 * A mesh with points on a grid, for pages: 16 bits a coordinate, equal points once, and coarser where it must be. */
#ifndef CLV_IO_MESH_PACK_H
#define CLV_IO_MESH_PACK_H
#include "io/mesh_file.h"
#include <stdint.h>

typedef struct clv_packed_mesh {
    double low[3], high[3]; /* corners of the box around it */
    double step; /* a point is low + step k, each k of 0 .. 65535, in the units of the file */
    size_t npoint, ncorner;
    uint16_t *point;  /* 3 numbers k each                 */
    unsigned *corner; /* indices of points, 3 each        */
} clv_packed_mesh;

/* The first point of each cell of a grid stands for all points of the cell.  Triangles that lose a corner are left out.
 * cell: its edge, at least the finest step.  False: out of memory; release it in any case. */
bool clv_mesh_pack(clv_packed_mesh *p, const clv_mesh *m, double cell);
void clv_packed_mesh_free(clv_packed_mesh *p);
/* Length of the longest edge of the box around a mesh. */
double clv_mesh_extent(const clv_mesh *m, double low[3], double high[3]);

#endif
