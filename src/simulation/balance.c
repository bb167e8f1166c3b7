/* SPDX-License-Identifier: Apache-2.0
 * How far the self-stresses of the dropped directions are out of balance (T20, T162).
 *
 * Nodes follow a self-stress through the compliances of their parts.  These hold the motion of a whole part beside its
 * deformation, so a chain of n links loses n^3 eps there.  Where that may be more than rounding, the directions of a
 * node are made orthonormal by what they do at the edges that it closes.  Each is followed along the tree by statics,
 * from the multipliers of closings.  Rounding of these is taken out by conjugate gradients.  Redundant directions are
 * in balance then to the rounding of moments.  Real ones stay out of it, or depend on each other at the edges of the
 * node.  What vanishes at these edges belongs to nodes below: it may be large beside the rest, and does not count.
 *
 * Multipliers v and loads of joints are parts of the units of their rows and directions: A v = J^T sigma. */
#include <float.h>
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "base/tolerance.h"
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
    int n;        /* numbers of what is done at the edges of the node        */
    double *v;    /* (m x rows) multipliers of closings                       */
    double *x;    /* (m x n) what they do at the edges, orthonormal           */
    double *d;    /* (rows) work                                              */
    double *in;   /* (rows) 1: a closing that some direction loads; else 0    */
    double *done; /* (n) work                                                 */
} directions;

static double length(const double *v, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

/* largest load of a joint that v leaves, beside the largest wrench */
static double by_statics(clv_sim *s, double *v)
{
    clv_stress m = {.s = s};
    clv_stress_multipliers(s, true, v);
    clv_stress_measure_paths(&m);
    return m.terms > 0 ? m.left / m.terms : INFINITY;
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

static const clv_part *node_of(const clv_sim *s, const directions *of) { return &s->plan->part[of->part]; }

/* x (n): what v does at the edges of the node (T162.2).  Multipliers of its closings, and wrenches of its tree joints,
 * which the last statics have left; forces times the size. */
static void at_edges(const clv_sim *s, const directions *of, const double *v, double *x)
{
    const clv_part *q = node_of(s, of);
    for (int k = 0; k < q->nedge; k++) {
        const clv_edge *e = &s->plan->edge[s->plan->edges_of[q->edge + k]];
        if (e->tree_body < 0) {
            memcpy(x, v + e->row, (size_t)(clv_edge_closes(e) ? e->m : 0) * sizeof *x);
            x += clv_edge_closes(e) ? e->m : 0;
            continue;
        }
        const double *W = s->system.W + 6 * (size_t)e->tree_body;
        for (int i = 0; i < 6; i++)
            x[i] = W[i] * (i < 3 ? s->size : 1);
        x += 6;
    }
}

static int numbers_at_edges(const clv_sim *s, const clv_part *q)
{
    int n = 0;
    for (int k = 0; k < q->nedge; k++) {
        const clv_edge *e = &s->plan->edge[s->plan->edges_of[q->edge + k]];
        n += e->tree_body >= 0 ? 6 : clv_edge_closes(e) ? e->m : 0;
    }
    return n;
}

/* joints that no closing loads any more carry nothing */
static void clear_edges(clv_sim *s, const directions *of)
{
    const clv_part *q = node_of(s, of);
    for (int k = 0; k < q->nedge; k++) {
        const clv_edge *e = &s->plan->edge[s->plan->edges_of[q->edge + k]];
        if (e->tree_body >= 0)
            memset(s->system.W + 6 * (size_t)e->tree_body, 0, 6 * sizeof(double));
    }
}

/* d := A^T u at the closings of the directions; returns the square of its length */
static double gradient(clv_sim *s, const directions *of, const double *u)
{
    const int rows = s->plan->nclosing_row;
    motions_of(s, u);
    for (int i = 0; i < rows; i++)
        s->row[i] *= of->in[i];
    const double g = length(s->row, rows);
    return g * g;
}

/* how far all changes have gone: of all multipliers, and at the edges of the node */
typedef struct way_gone {
    double all, edges;
} way_gone;

/* A step for T162.1.  ydot: A v; d: direction; *g: square of the gradient.  False: the changes are no rounding any
 * more.  size: of v. */
static bool step(clv_sim *s, const directions *of, double *v, double size, double *g, way_gone *gone)
{
    const int rows = s->plan->nclosing_row, nu = s->plan->nu;
    double *d = of->d;
    clear_edges(s, of);
    clv_stress_loads(s, d);
    at_edges(s, of, d, of->done);
    const double q = length(s->dq, nu), a = *g / (q * q);
    gone->all += a * length(d, rows) / size, gone->edges += a * length(of->done, of->n);
    if (!(gone->all <= SMALL && gone->edges <= SMALL))
        return false;
    for (int i = 0; i < rows; i++)
        v[i] -= a * d[i];
    for (int i = 0; i < nu; i++)
        s->ydot[i] -= a * s->dq[i];
    const double before = *g;
    *g = gradient(s, of, s->ydot);
    for (int i = 0; i < rows; i++)
        d[i] = s->row[i] + *g / before * d[i];
    return true;
}

/* the least imbalance of v on the way to T162.1 */
static double least(clv_sim *s, const directions *of, double *v)
{
    const int rows = s->plan->nclosing_row;
    const double size = length(v, rows);
    way_gone gone = {0, 0};
    double left = by_statics(s, v);
    if (left <= CLV_TOL_CONSISTENT || left > SMALL)
        return left;
    clv_stress_loads(s, v);
    memcpy(s->ydot, s->dq, (size_t)s->plan->nu * sizeof(double));
    double g = gradient(s, of, s->ydot);
    memcpy(of->d, s->row, (size_t)rows * sizeof(double));
    for (int k = 0; k < STEPS && left > CLV_TOL_CONSISTENT && step(s, of, v, size, &g, &gone); k++)
        left = fmin(left, by_statics(s, v));
    return left;
}

/* x -= (x . y) y, v -= (x . y) w */
static void take_out(double *x, const double *y, int n, double *v, const double *w, int rows)
{
    double c = 0;
    for (int i = 0; i < n; i++)
        c += x[i] * y[i];
    for (int i = 0; i < n; i++)
        x[i] -= c * y[i];
    for (int i = 0; i < rows; i++)
        v[i] -= c * w[i];
}

/* Direction k is made independent of those before at the edges of the node; false: it is not. */
static bool make_independent(clv_sim *s, const directions *of, int k)
{
    const int rows = s->plan->nclosing_row;
    double *v = of->v + (size_t)k * (size_t)rows, *x = of->x + (size_t)k * (size_t)of->n;
    clear_edges(s, of);
    (void)by_statics(s, v);
    at_edges(s, of, v, x);
    const double before = length(x, of->n);
    for (int again = 0; again < 2; again++)
        for (int j = 0; j < k; j++)
            take_out(x, of->x + (size_t)j * (size_t)of->n, of->n, v, of->v + (size_t)j * (size_t)rows, rows);
    const double size = length(x, of->n);
    if (!(size > INDEPENDENT * before))
        return false;
    for (int i = 0; i < of->n; i++)
        x[i] /= size;
    for (int i = 0; i < rows; i++)
        v[i] /= size;
    return true;
}

/* the largest imbalance of the directions by statics; INFINITY: they depend on each other */
static double in_statics(clv_sim *s, const directions *of)
{
    const int rows = s->plan->nclosing_row;
    double most = 0;
    for (int k = 0; k < of->m; k++) {
        double *v = of->v + (size_t)k * (size_t)rows;
        memset(s->system.engine.sigma, 0, (size_t)s->plan->nsigma * sizeof(double));
        clv_engine_self_stress(&s->system.engine, of->part, k);
        clv_stress_multipliers(s, false, v);
        for (int i = 0; i < rows; i++)
            of->in[i] = of->in[i] != 0 || v[i] != 0;
    }
    for (int k = 0; k < of->m; k++)
        if (!make_independent(s, of, k))
            return INFINITY;
    for (int k = 0; k < of->m; k++)
        most = fmax(most, least(s, of, of->v + (size_t)k * (size_t)rows));
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
    const size_t n = (size_t)numbers_at_edges(s, &s->plan->part[part]);
    of.n = (int)n, of.v = clv_alloc((m + 2) * rows + (m + 1) * n, sizeof *of.v);
    if (of.v) {
        of.d = of.v + m * rows, of.in = of.d + rows, of.x = of.in + rows, of.done = of.x + m * n;
        left = in_statics(s, &of);
    } else
        clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory for self-stresses of redundant constraints");
    clv_free(of.v);
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
