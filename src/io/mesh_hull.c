/* SPDX-License-Identifier: Apache-2.0
 * A mesh as its convex hull (T53). */
#include "base/memory.h"
#include "io/mesh_file.h"
#include "math/quickhull.h"

bool clv_mesh_hull(clv_mesh *out, const clv_mesh *m)
{
    int *corner;
    const int n = clv_quickhull(m->point, (int)m->npoint, &corner);
    bool good = n > 0;
    for (size_t i = 0; i < m->npoint && good; i++)
        good = clv_mesh_point(out, m->point + 3 * i);
    for (int f = 0; f < n && good; f++) {
        const int *c = corner + 3 * (size_t)f;
        good = clv_mesh_face(out, (unsigned)c[0], (unsigned)c[1], (unsigned)c[2], false);
    }
    out->memory |= n < 0;
    clv_free(corner);
    return good;
}
