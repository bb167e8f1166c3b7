/* SPDX-License-Identifier: Apache-2.0
 * Newton's method of a step of index3 (T25): when its iterations end, and what is reported where they do not converge.
 * Called by index3.c; an iteration is one of index3_equations.c or index3_rows.c. */
#include <math.h>
#include <stdio.h>
#include "base/error.h"
#include "base/tolerance.h"
#include "formulation/index3.h"
#include "formulation/index3_rows.h"

/* before: |dx| of the iteration before the last */
static clv_status not_converged(clv_system *s, double moved, double before, int worst, int n)
{
    worst = s->trials ? clv_row_trials_worst(s->trials) : worst;
    const bool stagnates = moved > 0.5 * before && moved < 2 * before;
    char what[128];
    snprintf(what, sizeof what, "%d iterations of the implicit step have not converged, |dx| = %.3g%s", n, moved,
             stagnates ? " does not decrease further" : "");
    clv_system_fail(s, CLV_ERR_NO_CONVERGENCE, worst, -1, what);
    s->error->value = moved;
    clv_error_hint(s->error, stagnates && s->step.alpha == 0
                                 ? "a larger eps_p (at least this |dx|), or another step; a smaller step alone does "
                                   "not help"
                                 : "a smaller step, or a larger eps_p; with a finite alpha a larger alpha or warm "
                                   "multipliers");
    return s->error->code;
}

/* What the next iteration in rows would move at most (T27), of the last three: |dx| falls by theta, before by theta_0.
 * The next factor is taken between theta and one that falls on by the same ratio.  Infinite where it is not known. */
static double next_move(const clv_system *s, const double moved[3])
{
    const double theta_0 = moved[1] / moved[0], theta = moved[2] / moved[1];
    if (!s->trials || !(moved[0] < INFINITY && theta < 0.1 && theta < theta_0))
        return INFINITY;
    return moved[2] * fmax(theta * sqrt(theta / theta_0), CLV_TOL_CONTRACTION);
}

clv_status clv_index3_converge(clv_system *s, double t, const clv_rule *rule, int *n)
{
    const clv_index3 *d = s->private_state;
    const double rounding = 2.2e-16 * (s->trials ? clv_index3_rows_size(s) : clv_trials_size(&d->at, s));
    const double floor = rounding * fmax(1000, 1 / sqrt(fmin(s->engine.rank, 1e-8)));
    double last[3] = {INFINITY, INFINITY, INFINITY}, moved = INFINITY, before = INFINITY;
    int worst = -1;
    for (*n = 0; *n < s->step.iterations;) {
        before = moved;
        clv_status st = s->trials ? clv_index3_rows_iterate(s, t, rule, &moved)
                                  : clv_index3_iterate(s, t, rule, &moved, &worst);
        if (st != CLV_OK)
            return st;
        ++*n;
        if (s->nbearing > 0 && *n == 1) /* made without the friction of bearings, whose reactions it has found (T99) */
            continue;
        last[0] = last[1], last[1] = last[2], last[2] = moved;
        if (moved < s->step.tolerance || moved <= 4 * rounding || (moved > 0.5 * before && moved <= floor) ||
            next_move(s, last) < CLV_TOL_SPARED * s->step.tolerance)
            return CLV_OK;
        if (!isfinite(moved))
            return not_converged(s, moved, before, worst, *n);
    }
    if (!s->step.accept)
        return not_converged(s, moved, before, worst, *n);
    s->counts.missed++;
    return CLV_OK;
}
