/* SPDX-License-Identifier: Apache-2.0
 * Impulses by complementary pivots, see pivot.h and T142.  Friction acts along directions e_j of a pyramid, or along
 * both senses of the one direction that has a response.  Unknown are P_n, parts b_j of the friction, and the slip s:
 *
 *   U_n - leave >= 0, P_n >= 0     e_j U_t + s >= 0, b_j >= 0     friction P_n - sum b_j >= 0, s >= 0
 *
 * Of a point with a bound (T158): x = P_n + bound >= 0 and U_n + s >= 0,  2 bound - x >= 0 and s >= 0.
 * Of each pair one is zero.  Lemke's method follows the solutions of the problem with z_0 c added, from large z_0 to 0.
 */
#include "integrator/pivot.h"
#include "integrator/across.h"
#include "integrator/active.h"
#include <math.h>
#include <string.h>

#define SMALL 1e-11 /* of entries near one: no pivot                      */
#define TIE   1e-14 /* of the largest constant: ratios that are equal     */
enum { SIDES = 8, OWN = SIDES + 2, MOST = CLV_PIVOT_POINTS * OWN, PIVOTS = 20 };

/* An unknown: of which point, and along which axes its unit acts; a slip acts along none. */
typedef struct unknown {
    int point;
    double along[3];
    double friction, side; /* what it adds to the row of the slip: of P_n, of b_j */
} unknown;

/* basic variables (rows) = first column + others times free variables; numbers: i of its velocity, m + i of unknown i
 */
typedef struct table {
    int m, width;
    double unit; /* of the constants */
    unknown of[MOST];
    int slip[CLV_PIVOT_POINTS]; /* unknown that is the slip of a point, or -1 */
    int basic[MOST], free[MOST + 2];
    double *T;
} table;

size_t clv_pivot_scratch(int points)
{
    const size_t n = (size_t)(points < CLV_PIVOT_POINTS ? points : CLV_PIVOT_POINTS), m = n * OWN;
    return 9 * n * n + 3 * n + m * (m + 2);
}

static void add(table *t, int point, double a, double b, double c, double friction, double side)
{
    t->of[t->m++] = (unknown){.point = point, .along = {a, b, c}, .friction = friction, .side = side};
}

/* The unknowns of point i, in units that make responses one.  U: its velocity, along which the pyramid has a side */
static void list(table *t, int i, const clv_contact_point *p, const double U[3])
{
    double e[2];
    const bool one = clv_across_one(p->W, e);
    const double w = clv_across_response(p->W), slip = sqrt(U[1] * U[1] + U[2] * U[2]);
    add(t, i, 1 / sqrt(p->W[0]), 0, 0, w > 0 ? p->friction * sqrt(w / p->W[0]) : 0, 0);
    t->slip[i] = -1;
    if (p->bound > 0) {
        t->of[t->m - 1].side = 1, t->slip[i] = t->m;
        add(t, i, 0, 0, 0, 0, 0);
        return;
    }
    if (!(w > 0 && p->friction > 0))
        return;
    if (!one)
        e[0] = slip > 0 ? U[1] : 1, e[1] = slip > 0 ? U[2] : 0;
    const double scale = 1 / sqrt(w * (e[0] * e[0] + e[1] * e[1]));
    const double r = sqrt(0.5), turn[SIDES][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {r, r}, {-r, -r}, {r, -r}, {-r, r}};
    for (int j = 0; j < (one ? 2 : SIDES); j++)
        add(t, i, 0, scale * (turn[j][0] * e[0] - turn[j][1] * e[1]), scale * (turn[j][0] * e[1] + turn[j][1] * e[0]),
            0, 1);
    t->slip[i] = t->m;
    add(t, i, 0, 0, 0, 0, 0);
}

/* rows of the velocities: constant, of z_0, of the unknowns */
static void fill(table *t, const clv_impulse_problem *x, const int *points, int n, const double *W, const double *U)
{
    t->width = t->m + 2;
    for (int i = 0; i < t->m; i++) {
        const unknown *row = &t->of[i];
        const int s = t->slip[row->point];
        double *to = t->T + (size_t)i * (size_t)t->width;
        memset(to, 0, (size_t)t->width * sizeof *to);
        const clv_contact_point *p = &x->point[points[row->point]];
        for (int a = 0; a < 3; a++)
            to[0] += row->along[a] * (U[3 * row->point + a] - (a == 0 ? x->leave[points[row->point]] : 0));
        if (i == s && p->bound > 0)
            to[0] = 2 * p->bound * sqrt(p->W[0]);
        to[1] = 1 + (double)(i % 7) / 16; /* unequal, so few ratios are */
        for (int j = 0; j < t->m; j++) {
            const unknown *col = &t->of[j];
            for (int a = 0; a < 9; a++)
                to[2 + j] += row->along[a / 3] * W[(3 * row->point + a / 3) * 3 * n + 3 * col->point + a % 3] *
                             col->along[a % 3];
            if (i == s && col->point == row->point)
                to[2 + j] += col->friction - col->side;
            if (j == s && s != i)
                to[2 + j] += row->side;
        }
        t->basic[i] = i, t->free[2 + i] = t->m + i;
        t->unit = fmax(t->unit, fabs(to[0]));
    }
    t->free[1] = 2 * t->m;
    for (int i = 0; i < t->m && t->unit > 0; i++)
        t->T[(size_t)i * (size_t)t->width] /= t->unit;
}

/* the variable of row r and that of column j change places */
static void exchange(table *t, int r, int j)
{
    double *row = t->T + (size_t)r * (size_t)t->width;
    const double pivot = 1 / row[j];
    for (int k = 0; k < t->width; k++)
        row[k] = k == j ? pivot : -row[k] * pivot;
    for (int i = 0; i < t->m; i++) {
        double *to = t->T + (size_t)i * (size_t)t->width;
        const double f = to[j];
        if (i == r || f == 0)
            continue;
        to[j] = 0;
        for (int k = 0; k < t->width; k++)
            to[k] += f * row[k];
        to[0] = fmax(0, to[0]);
    }
    row[0] = fmax(0, row[0]);
    const int swap = t->basic[r];
    t->basic[r] = t->free[j], t->free[j] = swap;
}

/* Row whose variable becomes zero first as that of column j grows; z_0 before others, then the largest pivot; -1: none
 */
static int first_row(const table *t, int j)
{
    double least = INFINITY;
    int best = -1;
    for (int i = 0; i < t->m; i++) {
        const double *row = t->T + (size_t)i * (size_t)t->width;
        if (row[j] < -SMALL)
            least = fmin(least, (row[0] + TIE) / -row[j]);
    }
    for (int i = 0; i < t->m; i++) {
        const double *row = t->T + (size_t)i * (size_t)t->width;
        if (!(row[j] < -SMALL) || row[0] / -row[j] > least)
            continue;
        if (t->basic[i] == 2 * t->m)
            return i;
        if (best < 0 || row[j] < t->T[(size_t)best * (size_t)t->width + (size_t)j])
            best = i;
    }
    return best;
}

/* row that is violated most with z_0 = 0, in units of c; -1: none is */
static int worst_row(const table *t)
{
    double least = 0;
    int best = -1;
    for (int i = 0; i < t->m; i++) {
        const double *row = t->T + (size_t)i * (size_t)t->width;
        if (row[0] / row[1] < least)
            least = row[0] / row[1], best = i;
    }
    return best;
}

/* Lemke's method.  False: it ends at infinity, or takes too long. */
static bool follow(table *t)
{
    int r = worst_row(t), j = 1;
    for (int pivots = 0; r >= 0 && pivots < PIVOTS * t->m; pivots++) {
        const int left = t->basic[r];
        exchange(t, r, j);
        if (left == 2 * t->m)
            return true;
        const int enters = left < t->m ? left + t->m : left - t->m;
        for (j = 1; t->free[j] != enters;)
            j++;
        r = first_row(t, j);
        if (r < 0)
            return false;
    }
    return r < 0;
}

/* of point i at the last impulses */
static void find_velocity(const clv_impulse_problem *x, const int *points, int n, int i, const double *W,
                          const double *free, double U[3])
{
    for (int a = 0; a < 3; a++) {
        U[a] = free[3 * i + a];
        for (int j = 0; j < 3 * n; j++)
            U[a] += W[(3 * i + a) * 3 * n + j] * x->P[3 * (size_t)points[j / 3] + (size_t)(j % 3)];
    }
}

bool clv_pivot_solve(const clv_impulse_problem *x, const int *points, int n, double *scratch, double *to)
{
    table t = {.m = 0};
    if (n > CLV_PIVOT_POINTS)
        return false;
    double *W = scratch, *U = W + 9 * (size_t)n * (size_t)n;
    t.T = U + 3 * (size_t)n;
    clv_active_matrix(x, points, n, W, U);
    for (int i = 0; i < n; i++) {
        double now[3];
        if (!(x->point[points[i]].W[0] > 0))
            return false;
        find_velocity(x, points, n, i, W, U, now);
        list(&t, i, &x->point[points[i]], now);
    }
    for (int i = 0; i < n; i++) /* unknown are their distances from the lower end */
        for (int r = 0; r < 3 * n && x->point[points[i]].bound > 0; r++)
            U[r] -= W[r * 3 * n + 3 * i] * x->point[points[i]].bound;
    fill(&t, x, points, n, W, U);
    if (!follow(&t))
        return false;
    memset(to, 0, 3 * (size_t)n * sizeof *to);
    for (int i = 0; i < n; i++)
        to[3 * i] = -x->point[points[i]].bound;
    for (int i = 0; i < t.m; i++)
        for (int a = 0; a < 3 && t.basic[i] >= t.m; a++) {
            const unknown *u = &t.of[t.basic[i] - t.m];
            to[3 * u->point + a] += t.unit * t.T[(size_t)i * (size_t)t.width] * u->along[a];
        }
    return true;
}
