/* SPDX-License-Identifier: Apache-2.0
 * How far the self-stresses of the dropped directions are out of balance (T20, T162).
 *
 * Nodes follow a self-stress through the compliances of their parts.  These hold the motion of a whole part beside its
 * deformation, so a chain of n links loses n^3 eps there.  Where that may be more than rounding, the multipliers of
 * closings in all directions of a node are made orthonormal, and each is followed along the tree by statics.  Rounding
 * of the multipliers is taken out by conjugate gradients.  Redundant directions are in balance then to the rounding of
 * moments.  Real ones stay out of it, or depend on each other in the closings.
 *
 * Multipliers v and loads of joints are parts of the units of their rows and directions: A v = J^T sigma. */
#include <float.h>
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "base/tolerance.h"
#include "math/orthonormal.h"
#include "math/rotation.h"
#include "simulation/stress.h"

static const double MOST = 4e6;         /* numbers in all directions of a node; larger nodes are taken as they are */
static const double LOST = 1e-8;        /* n^3 eps: 356 bodies */
static const double NEARLY = 1e-6;      /* beyond, a direction may be a weak one: both ways to measure it differ */
static const double INDEPENDENT = 1e-8; /* of two unit vectors: less depends */
static const double SMALL = 0.05;       /* a larger imbalance, or a larger change, is no rounding */
enum { STEPS = 12 };

typedef struct directions { /* of one node */
    int part, m;
    double *given, *Q, *R; /* (m x rows) as found, then work; (m x rows) orthonormal; (m x m) */
    int *order;            /* (m) */
} directions;

static double length(const double *v, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

/* the engine's sigma of closings from v, or v from it */
typedef enum way { TO_SIGMA, FROM_SIGMA } way;
static void multipliers(clv_sim *s, way to, double *v)
{
    const clv_plan *p = s->plan;
    double *sigma = s->system.engine.sigma;
    for (int i = 0; i < p->nedge; i++)
        for (int r = 0; clv_edge_closes(&p->edge[i]) && r < p->edge[i].m; r++) {
            const int at = p->edge[i].row + r;
            const double size = clv_row_size(s, i, r);
            if (to == TO_SIGMA)
                sigma[at] = v[at] / size;
            else
                v[at] = sigma[at] * size;
        }
}

/* largest load of a joint that v leaves, beside the largest wrench */
static double by_statics(clv_sim *s, double *v)
{
    clv_stress m = {.s = s};
    multipliers(s, TO_SIGMA, v);
    clv_stress_measure_paths(&m);
    return m.terms > 0 ? m.left / m.terms : INFINITY;
}

/* dq: loads along the way of a closing */
static void take_load(clv_stress *m, int edge, double (*W)[6])
{
    const clv_plan *p = m->s->plan;
    for (int h = 0; h < p->edge[edge].nhandle; h++)
        for (int b = p->edge[edge].body[h]; b >= 0; b = p->tree[b].parent)
            for (int c = 0; c < p->tree[b].f; c++) {
                const double *H = m->s->system.kin.H + clv_columns(p, (size_t)b) + 6 * (size_t)c;
                m->s->dq[p->tree[b].iu + c] = clv_dot6(H, W[b]) / clv_stress_unit(m->s, H);
            }
}

/* dq := A v */
static void loads_of(clv_sim *s, double *v)
{
    clv_stress m = {.s = s};
    multipliers(s, TO_SIGMA, v);
    clv_stress_measure_paths(&m);
    memset(s->dq, 0, (size_t)s->plan->nu * sizeof(double));
    clv_stress_paths(&m, take_load);
}

/* row := A^T u */
static void motions_of(clv_sim *s, const double *u)
{
    const clv_plan *p = s->plan;
    double *x = s->system.x;
    for (int i = 0; i < p->nbody; i++) {
        const int b = p->order[i], a = p->tree[b].parent;
        double *V = x + 6 * (size_t)b;
        memset(V, 0, 6 * sizeof *V);
        if (a >= 0)
            clv_motion_shift(V, s->system.kin.arm + 3 * (size_t)b, x + 6 * (size_t)a);
        for (int c = 0; c < p->tree[b].f; c++) {
            const double *H = s->system.kin.H + clv_columns(p, (size_t)b) + 6 * (size_t)c;
            for (int k = 0; k < 6; k++)
                V[k] += H[k] / clv_stress_unit(s, H) * u[p->tree[b].iu + c];
        }
    }
    for (int i = 0; i < p->nedge; i++)
        for (int r = 0; clv_edge_closes(&p->edge[i]) && r < p->edge[i].m; r++) {
            double sum = 0;
            for (int h = 0; h < p->edge[i].nhandle; h++)
                sum += clv_dot6(s->system.engine.block + p->edge[i].block[h] + 6 * r,
                                x + 6 * (size_t)p->edge[i].body[h]);
            s->row[p->edge[i].row + r] = sum / clv_row_size(s, i, r);
        }
}

/* A step for T162.1.  ydot: A v; d: direction; *g: square of the gradient; *path: sum of all changes.  False: the
 * changes are no rounding any more. */
static bool step(clv_sim *s, double *v, double *d, double *g, double *path)
{
    const int rows = s->plan->nclosing_row, nu = s->plan->nu;
    loads_of(s, d);
    const double q = length(s->dq, nu), a = *g / (q * q);
    *path += a * length(d, rows);
    if (!(*path <= SMALL))
        return false;
    for (int i = 0; i < rows; i++)
        v[i] -= a * d[i];
    for (int i = 0; i < nu; i++)
        s->ydot[i] -= a * s->dq[i];
    motions_of(s, s->ydot);
    const double before = *g, now = length(s->row, rows);
    *g = now * now;
    for (int i = 0; i < rows; i++)
        d[i] = s->row[i] + *g / before * d[i];
    return true;
}

/* the least imbalance of the unit vector v on the way to T162.1; d: work */
static double least(clv_sim *s, double *v, double *d)
{
    const int rows = s->plan->nclosing_row;
    double path = 0, left = by_statics(s, v);
    if (left <= CLV_TOL_CONSISTENT || left > SMALL)
        return left;
    loads_of(s, v);
    memcpy(s->ydot, s->dq, (size_t)s->plan->nu * sizeof(double));
    motions_of(s, s->ydot);
    memcpy(d, s->row, (size_t)rows * sizeof(double));
    double g = length(d, rows) * length(d, rows);
    for (int k = 0; k < STEPS && left > CLV_TOL_CONSISTENT && step(s, v, d, &g, &path); k++)
        left = fmin(left, by_statics(s, v));
    return left;
}

/* the largest imbalance of the directions by statics; INFINITY: they depend on each other */
static double in_statics(clv_sim *s, const directions *of)
{
    const int rows = s->plan->nclosing_row;
    double most = 0;
    for (int k = 0; k < of->m; k++) {
        double *v = of->given + (size_t)k * (size_t)rows;
        memset(s->system.engine.sigma, 0, (size_t)s->plan->nsigma * sizeof(double));
        clv_engine_self_stress(&s->system.engine, of->part, k);
        multipliers(s, FROM_SIGMA, v);
        const double size = length(v, rows);
        for (int i = 0; size > 0 && i < rows; i++)
            v[i] /= size;
    }
    if (clv_orthonormal_rows(of->Q, of->R, of->order, of->given, of->m, rows, INDEPENDENT, of->m) < of->m)
        return INFINITY;
    for (int k = 0; k < of->m; k++)
        most = fmax(most, least(s, of->Q + (size_t)k * (size_t)rows, of->given));
    return most;
}

/* in_statics where it is small, and far less than what the nodes have found; else that */
static double without_rounding(clv_sim *s, int part, double found)
{
    const size_t m = (size_t)s->system.engine.nullity[part], rows = (size_t)s->plan->nclosing_row;
    if (s->plan->nstar > 0 || (double)m * (double)rows > MOST)
        return found;
    directions of = {.part = part, .m = (int)m};
    double left = INFINITY;
    of.given = clv_alloc(2 * m * rows + m * m, sizeof *of.given);
    of.order = clv_alloc(m, sizeof *of.order);
    if (of.given && of.order) {
        of.Q = of.given + m * rows, of.R = of.Q + m * rows;
        left = in_statics(s, &of);
    } else
        clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory for self-stresses of redundant constraints");
    clv_free(of.given), clv_free(of.order);
    return left <= fmin(NEARLY, 0.1 * found) ? left : found;
}

bool clv_loses_by_length(const clv_sim *s)
{
    const double n = s->plan->nbody;
    return n * n * n * DBL_EPSILON >= LOST;
}

double clv_imbalance(clv_sim *s, double *nodes)
{
    double most = 0, worst = 0;
    for (int k = 0; k < s->plan->npart; k++) {
        double found = 0;
        for (int n = 0; n < s->system.engine.nullity[k]; n++) {
            clv_engine_self_stress(&s->system.engine, k, n);
            found = fmax(found, clv_stress_imbalance(s));
        }
        worst = fmax(worst, found);
        const bool doubtful = clv_loses_by_length(s) && found > fmax(most, CLV_TOL_CONSISTENT);
        most = fmax(most, doubtful ? without_rounding(s, k, found) : found);
    }
    if (nodes)
        *nodes = worst;
    return most;
}
