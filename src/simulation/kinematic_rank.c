/* SPDX-License-Identifier: Apache-2.0
 * Constraint rows that are redundant by kinematics alone (T163).
 *
 * Nodes decide by pivots of J M^-1 J^T, which are squares: near a singular position those of real directions come close
 * to rounding.  Here J itself is reduced, the rows of the closings in the coordinates of the tree. */
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "math/orthonormal.h"
#include "simulation/stress.h"

static const double ROUNDING = 1e-13, NEARLY = 1e-9; /* of the largest row: rests end there; redundant are less */
static const double RATIO = 1e3;                     /* of independent rows to what is left of the others         */
static const double MOST = 1.5e9;                    /* products of the reduction; larger mechanisms go without */

/* A (rows x nu): the rows of the closings, as parts of the units of their rows and directions */
static void fill(clv_sim *s, double *A)
{
    const size_t rows = (size_t)s->plan->nclosing_row, nu = (size_t)s->plan->nu;
    memset(s->row, 0, rows * sizeof(double));
    for (size_t r = 0; r < rows; r++) {
        s->row[r] = 1;
        clv_stress_loads(s, s->row);
        memcpy(A + r * nu, s->dq, nu * sizeof(double));
        s->row[r] = 0;
    }
}

/* How many rows are independent: those before the largest ratio of two pivots in a row.  -1: no ratio is large enough.
 * pivot (n). */
static int independent(const double *pivot, int n)
{
    double largest = RATIO;
    int found = -1;
    for (int k = 1; k <= n; k++) {
        const double next = fmax(k < n ? pivot[k] : 0, ROUNDING * pivot[0]);
        if (next <= NEARLY * pivot[0] && pivot[k - 1] >= largest * next)
            largest = pivot[k - 1] / next, found = k;
    }
    return found;
}

clv_status clv_kinematic_rank(clv_sim *s, int *redundant)
{
    const int rows = s->plan->nclosing_row, nu = s->plan->nu, less = rows < nu ? rows : nu;
    const size_t m = (size_t)rows, n = (size_t)nu, l = (size_t)less;
    *redundant = 0;
    if (s->plan->nstar > 0 || less == 0 || (double)rows * nu * less > MOST)
        return CLV_OK;
    double *A = clv_alloc(m * n + l * n + l * m + l, sizeof *A);
    int *order = clv_alloc(m, sizeof *order);
    const bool room = A && order;
    if (room) {
        double *Q = A + m * n, *R = Q + l * n, *pivot = R + l * m;
        fill(s, A);
        const int found = clv_orthonormal_rows(Q, R, order, A, rows, nu, ROUNDING, less);
        for (int k = 0; k < found; k++)
            pivot[k] = fabs(R[(size_t)k * m + (size_t)order[k]]);
        const int rank = independent(pivot, found);
        *redundant = rank > 0 ? rows - rank : 0;
    }
    clv_free(A), clv_free(order);
    return room ? CLV_OK : clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory for the rank of the constraints");
}
