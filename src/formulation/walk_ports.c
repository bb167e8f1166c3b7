/* SPDX-License-Identifier: Apache-2.0
 * Walks of a mechanism that is divided into segments with loops (T160).  Once an evaluation they take wrenches on ports
 * from other segments.  Once a step they correct coordinates and rates, so that loops close, here and elsewhere. */
#include <string.h>
#include "formulation/walk_steps.h"
#include "kinematics/row_kernels.h"
#include "kinematics/row_ports.h"

/* wrenches on the ports */
static bool fit(clv_system *s, bool good, bool corrections)
{
    for (int i = 0; i < s->plan->nsegment; i++) {
        clv_segment_part *part = &s->part[i];
        part->rank = s->engine.rank, part->weakest = i == 0 ? s->engine.min_pivot : 1;
        part->truncated = i == 0 ? s->engine.truncated : 0;
    }
    good = good && s->good && s->late.code == CLV_OK;
    s->joined = s->across->fit(s->across->owner, good, corrections, s->part);
    s->elsewhere = good && !s->joined;
    s->truncated = s->part[0].truncated, s->engine.min_pivot = s->part[0].weakest;
    return s->joined;
}

bool clv_walk_join_ports(clv_system *s, bool good, bool moving)
{
    clv_rows_parts(&s->rows, &s->kin, moving, s->part);
    const bool all = fit(s, good, false);
    clv_rows_give_parts(&s->rows, s->part, 0);
    return all;
}

/* ------------------------------------------------------------------ what is open */

static double largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fabs(x[i]) > most || isnan(x[i]) ? fabs(x[i]) : most;
    return most;
}

void clv_walk_ports_open(clv_system *s, double *open, double *speed)
{
    clv_rows_ports_at(&s->rows, &s->kin, s->part);
    clv_kinematics_violation(&s->kin, s->a), *open = largest(s->a, s->plan->nclosing_row);
    clv_kinematics_velocity_violation(&s->kin, s->a), *speed = largest(s->a, s->plan->nclosing_row);
}

void clv_walk_look_at_ports(clv_system *s, double t, const double *q, const double *u, double *open, double *speed)
{
    clv_walk_begin(s);
    clv_walk_start(s, t, q, u);
    clv_walk_ports_open(s, open, speed);
}

/* ------------------------------------------------------------------ corrections */

static void turn_sign(double *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = -x[i];
}

/* other right-hand sides of closings, by the factor at hand: minus violations of coordinates, or of rates */
static void respond(clv_system *s, bool rates, double *row)
{
    clv_rows *w = &s->rows;
    if (rates)
        clv_kinematics_velocity_violation(&s->kin, row);
    else
        clv_kinematics_violation(&s->kin, row);
    turn_sign(row, s->plan->nclosing_row);
    clv_rows_clear_loads(w);
    clv_rows_take_rates(w, s->ud, w->tau), clv_rows_drive(w, &s->kin, s->ud);
    clv_rows_carry_begin(w, NULL, row);
    clv_rows_carry_respond(w, &s->kin, NULL);
}

static void go_down(clv_system *s, int set, double *u)
{
    clv_rows *w = &s->rows;
    clv_rows_give_parts(w, s->part, set);
    clv_rows_carry_down(w, &s->kin, NULL, false, u);
    clv_rows_give_rates(w, w->rates, u);
    clv_rows_outer(w, &s->kin, NULL, s->x, u);
}

/* Both go up before one goes down, so that they share a sweep; coordinates go up once more. */
bool clv_walk_close_ports(clv_system *s, double t, const double *q, const double *u, double *row, double *du,
                          double *dv)
{
    const clv_plan *p = s->plan;
    clv_rows *w = &s->rows;
    clv_walk_begin(s);
    clv_walk_start(s, t, q, u);
    clv_rows_ports_at(w, &s->kin, s->part);
    clv_rows_clear(w), clv_rows_know_nothing(w);
    memset(s->ud, 0, (size_t)p->nu * sizeof *s->ud);
    clv_kinematics_violation(&s->kin, row), turn_sign(row, p->nclosing_row);
    const bool good = clv_walk_factor_closings(s, s->ud, row);
    clv_rows_parts(w, &s->kin, false, s->part);
    respond(s, true, row);
    clv_rows_more_parts(w, s->part);
    if (!fit(s, good, true))
        return false;
    go_down(s, 1, dv);
    respond(s, false, row);
    go_down(s, 0, du);
    return true;
}
