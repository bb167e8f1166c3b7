/* SPDX-License-Identifier: Apache-2.0
 * Where the search for impulses begins, see moreau.h (T89.4): each point takes over the impulse of the point of the
 * same contact that was nearest to it on the second body.  Points of both lists come in order of contacts. */
#include "integrator/moreau.h"
#include "math/rotation.h"
#include <math.h>

static double distance(const double a[3], const double b[3])
{
    double d[3];
    clv_sub3(d, a, b);
    return clv_dot3(d, d);
}

/* the nearest of the points from..to that no point before has taken; -1: none */
static int nearest(const clv_warm_point *last, int from, int to, const double place[3], unsigned taken)
{
    double least = INFINITY;
    int best = -1;
    for (int i = from; i < to && i < from + 32; i++) {
        const double d = distance(last[i].place, place);
        if (!(taken >> (i - from) & 1u) && d < least)
            least = d, best = i;
    }
    return best;
}

void clv_warm_guess(const clv_warm_point *last, int nlast, double scale, const clv_contact_point *point, int n,
                    double *P)
{
    int from = 0, to = 0;
    unsigned taken = 0;
    for (int k = 0; k < n; k++) {
        if (k == 0 || point[k].contact != point[k - 1].contact) {
            for (from = to; from < nlast && last[from].contact < point[k].contact; from++)
                ;
            for (to = from; to < nlast && last[to].contact <= point[k].contact; to++)
                ;
            taken = 0;
        }
        const int i = nearest(last, from, to, point[k].place, taken);
        for (int axis = 0; axis < 3; axis++)
            P[3 * k + axis] = i < 0 ? 0 : scale * clv_dot3(last[i].impulse, point[k].axis[axis]);
        P[3 * k] = fmax(0, P[3 * k]);
        if (i >= 0)
            taken |= 1u << (i - from);
    }
}

void clv_warm_keep(clv_warm_point *last, const clv_contact_point *point, int n, const double *P)
{
    for (int k = 0; k < n; k++) {
        last[k] = (clv_warm_point){.contact = point[k].contact, .normal = P[3 * k]};
        clv_copy3(last[k].place, point[k].place);
        for (int axis = 0; axis < 3; axis++)
            clv_axpy3(last[k].impulse, P[3 * k + axis], point[k].axis[axis]);
    }
}
