/* SPDX-License-Identifier: Apache-2.0
 * Impulses by complementary pivots, see pivot.h and T142.  Friction acts along directions e_j of a pyramid, or along
 * both senses of the one direction that has a response.  Unknown are P_n, parts b_j of the friction, and the slip s:
 *
 *   U_n - leave >= 0, P_n >= 0     e_j U_t + s >= 0, b_j >= 0     friction P_n - sum b_j >= 0, s >= 0
 *
 * Of a dry point (T158): x = P_n + bound >= 0 and U_n + s >= 0,  2 bound - x >= 0 and s >= 0.
 * Of each pair one is zero.  Lemke's method follows the solutions of the problem with z_0 c added, from large z_0 to 0.
 */
#include "integrator/pivot.h"
#include "integrator/across.h"
#include <math.h>
#include <string.h>

#define SMALL 1e-11 /* of entries near one: no pivot                      */
#define TIE   1e-14 /* of the largest constant: ratios that are equal     */
#define NOTHING 1e-9 /* the same: z_0 that counts as zero                 */
enum { SIDES = 8, OWN = SIDES + 2, MOST = 700, PIVOTS = 3 }; /* most unknowns, and pivots of each */

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
    int slip[CLV_ISLAND_POINTS]; /* unknown that is the slip of a point, or -1 */
    int basic[MOST], free[MOST + 2];
    double *T;
} table;

size_t clv_pivot_scratch(int points)
{
    const size_t n = (size_t)(points < CLV_ISLAND_POINTS ? points : CLV_ISLAND_POINTS);
    const size_t m = n * OWN < MOST ? n * OWN : MOST;
    return 3 * n * (2 + m) + m * (m + 2);
}

static void add(table *t, int point, double a, double b, double c, double friction, double side)
{
    t->of[t->m++] = (unknown){.point = point, .along = {a, b, c}, .friction = friction, .side = side};
}

/* The unknowns of point i, in units that make responses one.  U: its velocity, along which the pyramid has a side */
static void list(table *t, const clv_island *g, int i, const double *U)
{
    const clv_contact_point *p = &g->x->point[g->points[i]];
    const double w = g->across[i];
    add(t, i, 1 / sqrt(p->W[0]), 0, 0, w > 0 ? p->friction * sqrt(w / p->W[0]) : 0, 0);
    t->slip[i] = -1;
    if (p->dry) {
        t->of[t->m - 1].side = 1, t->slip[i] = t->m;
        add(t, i, 0, 0, 0, 0, 0);
        return;
    }
    if (!(w > 0))
        return;
    double e[2];
    const bool one = clv_across_one(p->W, e);
    const double slip = sqrt(U[1] * U[1] + U[2] * U[2]);
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

/* V (m x rows) := velocities by units of the unknowns */
static void answer(const table *t, const clv_island *g, double *V)
{
    for (int j = 0; j < t->m; j++) {
        const unknown *u = &t->of[j];
        double *to = V + j * g->rows;
        memset(to, 0, (size_t)g->rows * sizeof *to);
        for (int a = 0; a < g->at[u->point + 1] - g->at[u->point]; a++)
            for (int i = 0; i < g->rows && u->along[a] != 0; i++)
                to[i] += u->along[a] * g->W[(g->at[u->point] + a) * g->rows + i];
    }
}

/* rows of the velocities: constant, of z_0, of the unknowns; U: with unknowns that are zero */
static void fill(table *t, const clv_island *g, const double *U, const double *V, int turn)
{
    t->width = t->m + 2;
    for (int i = 0; i < t->m; i++) {
        const unknown *row = &t->of[i];
        const int s = t->slip[row->point], at = g->at[row->point], axes = g->at[row->point + 1] - at;
        double *to = t->T + (size_t)i * (size_t)t->width;
        memset(to, 0, (size_t)t->width * sizeof *to);
        const clv_contact_point *p = &g->x->point[g->points[row->point]];
        for (int a = 0; a < axes; a++)
            to[0] += row->along[a] * U[at + a];
        if (i == s && p->dry)
            to[0] = 2 * p->bound * sqrt(p->W[0]);
        to[1] = 1 + (double)(i % (7 + 4 * turn)) / 16; /* unequal, so few ratios are */
        for (int j = 0; j < t->m; j++) {
            const unknown *col = &t->of[j];
            for (int a = 0; a < axes; a++)
                to[2 + j] += row->along[a] * V[j * g->rows + at + a];
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

/* z_0 of the present solution, beside one of the constants */
static double left_over(const table *t)
{
    for (int i = 0; i < t->m; i++)
        if (t->basic[i] == 2 * t->m)
            return t->T[(size_t)i * (size_t)t->width];
    return 0;
}

/* Lemke's method.  Where redundant points leave rounding for pivots, it can end at infinity with z_0 = 0 in all but
 * name.  False: it ends at infinity, or takes too long. */
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
            return left_over(t) < NOTHING;
    }
    return r < 0;
}

/* unknowns of the island, at most */
static int unknowns_of(const clv_island *g)
{
    int most = 0;
    for (int i = 0; i < g->n; i++)
        most += g->across[i] > 0 ? OWN : g->x->point[g->points[i]].dry ? 2 : 1;
    return most;
}

bool clv_pivot_solve(const clv_island *g, int turn, double *scratch, double *to)
{
    table t = {.m = 0};
    if (unknowns_of(g) > MOST)
        return false;
    double *P = scratch, *U = P + g->rows, *V = U + g->rows;
    for (int i = 0; i < g->n; i++)
        for (int c = g->at[i]; c < g->at[i + 1]; c++)
            P[c] = g->x->P[3 * g->points[i] + c - g->at[i]];
    clv_island_velocities(g, P, U);
    for (int i = 0; i < g->n; i++)
        list(&t, g, i, U + g->at[i]);
    memset(P, 0, (size_t)g->rows * sizeof *P);
    for (int i = 0; i < g->n; i++) /* unknown are their distances from the lower end */
        P[g->at[i]] = -g->x->point[g->points[i]].bound;
    clv_island_velocities(g, P, U);
    answer(&t, g, V);
    t.T = V + t.m * g->rows;
    fill(&t, g, U, V, turn);
    if (!follow(&t))
        return false;
    memset(to, 0, 3 * (size_t)g->n * sizeof *to);
    for (int i = 0; i < g->n; i++)
        to[3 * i] = -g->x->point[g->points[i]].bound;
    for (int i = 0; i < t.m; i++)
        for (int a = 0; a < 3 && t.basic[i] >= t.m && t.basic[i] < 2 * t.m; a++) {
            const unknown *u = &t.of[t.basic[i] - t.m];
            to[3 * u->point + a] += t.unit * t.T[(size_t)i * (size_t)t.width] * u->along[a];
        }
    return true;
}
