/* SPDX-License-Identifier: Apache-2.0
 * Where the search for impulses begins, see moreau.h (T89.4).  Each point takes over the impulse of the point of the
 * same contact and pair that was nearest to it on the second body.  Points of both lists come in order of these. */
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

/* < 0: x comes before the pair of p, 0: it is of it */
static int place_of(const clv_warm_point *x, const clv_contact_point *p)
{
    if (x->contact != p->contact)
        return x->contact < p->contact ? -1 : 1;
    return x->pair < (double)p->pair ? -1 : x->pair > (double)p->pair;
}

void clv_warm_guess(const clv_warm_point *last, int nlast, double scale, const clv_contact_point *point, int n,
                    double *P)
{
    int from = 0, to = 0;
    unsigned taken = 0;
    for (int k = 0; k < n; k++) {
        if (k == 0 || point[k].contact != point[k - 1].contact || point[k].pair != point[k - 1].pair) {
            for (from = to; from < nlast && place_of(&last[from], &point[k]) < 0; from++)
                ;
            for (to = from; to < nlast && place_of(&last[to], &point[k]) <= 0; to++)
                ;
            taken = 0;
        }
        const int i = nearest(last, from, to, point[k].place, taken);
        const int axes = point[k].friction > 0 ? 3 : 1; /* normals turn: some would come along the surface */
        P[3 * k + 1] = P[3 * k + 2] = 0;
        for (int axis = 0; axis < axes; axis++)
            P[3 * k + axis] = i < 0 ? 0 : scale * clv_dot3(last[i].impulse, point[k].axis[axis]);
        P[3 * k] = clv_impulse_clamp(&point[k], P[3 * k]);
        if (i >= 0)
            taken |= 1u << (i - from);
    }
}

void clv_warm_keep(clv_warm_point *last, const clv_contact_point *point, int n, const double *P)
{
    for (int k = 0; k < n; k++) {
        last[k] = (clv_warm_point){.contact = point[k].contact, .pair = (double)point[k].pair,
                                    .normal = P[3 * k]};
        clv_copy3(last[k].place, point[k].place);
        for (int axis = 0; axis < 3; axis++)
            clv_axpy3(last[k].impulse, P[3 * k + axis], point[k].axis[axis]);
    }
}
