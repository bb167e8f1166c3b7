/* SPDX-License-Identifier: Apache-2.0
 * Walks of a mechanism that is divided into segments with loops (T160).  Once an evaluation they take wrenches on ports
 * from other segments.  Once a step they correct coordinates and rates, so that loops close, here and elsewhere. */
#include <string.h>
#include "formulation/walk_steps.h"
#include "kinematics/row_kernels.h"
#include "kinematics/row_ports.h"

/* wrenches on the ports; shifted: by how much bodies of ports differ from those of the segment before is taken away */
static bool join(clv_system *s, bool good, bool moving, bool shifted, bool motions)
{
    const clv_plan *p = s->plan;
    clv_rows_parts(&s->rows, &s->kin, moving, s->part);
    for (int i = 0; i < p->nsegment; i++) {
        clv_segment_part *part = &s->part[i];
        double gap[6 * CLV_SEGMENT_PORTS];
        part->rank = s->engine.rank, part->weakest = i == 0 ? s->engine.min_pivot : 1;
        part->truncated = i == 0 ? s->engine.truncated : 0;
        if (!shifted)
            continue;
        clv_rows_ports_gap(part, motions, gap);
        for (int r = 0; r < 6 * part->before; r++)
            part->x[r] += gap[r];
    }
    good = good && s->good && s->late.code == CLV_OK;
    s->joined = s->across->fit(s->across->owner, good, s->part);
    s->elsewhere = good && !s->joined;
    s->truncated = s->part[0].truncated, s->engine.min_pivot = s->part[0].weakest;
    clv_rows_give_parts(&s->rows, s->part);
    return s->joined;
}

bool clv_walk_join_ports(clv_system *s, bool good, bool moving) { return join(s, good, moving, false, false); }

/* ------------------------------------------------------------------ what is open */

static double largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fabs(x[i]) > most || isnan(x[i]) ? fabs(x[i]) : most;
    return most;
}

bool clv_walk_ports_open(clv_system *s, bool good, double *open, double *speed)
{
    const clv_plan *p = s->plan;
    clv_rows_ports_at(&s->rows, &s->kin, s->part);
    good = s->across->meet(s->across->owner, good, s->part);
    clv_kinematics_violation(&s->kin, s->a), *open = largest(s->a, p->nclosing_row);
    clv_kinematics_velocity_violation(&s->kin, s->a), *speed = largest(s->a, p->nclosing_row);
    for (int i = 0; i < p->nsegment; i++) {
        double gap[6 * CLV_SEGMENT_PORTS];
        clv_rows_ports_gap(&s->part[i], false, gap), *open = fmax(*open, largest(gap, 6 * s->part[i].before));
        clv_rows_ports_gap(&s->part[i], true, gap), *speed = fmax(*speed, largest(gap, 6 * s->part[i].before));
    }
    return good;
}

bool clv_walk_look_at_ports(clv_system *s, double t, const double *q, const double *u, double *open, double *speed)
{
    clv_walk_begin(s);
    clv_walk_start(s, t, q, u);
    return clv_walk_ports_open(s, s->good, open, speed);
}

/* ------------------------------------------------------------------ corrections */

static void go_down(clv_system *s, double *u)
{
    clv_rows *w = &s->rows;
    clv_rows_carry_down(w, &s->kin, false, u);
    clv_rows_give_rates(w, w->rates, u);
    clv_rows_outer(w, &s->kin, NULL, s->x, u);
}

static void turn_sign(double *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = -x[i];
}

bool clv_walk_close_ports(clv_system *s, double *row, double *du, double *dv)
{
    const clv_plan *p = s->plan;
    clv_rows *w = &s->rows;
    clv_rows_clear(w), clv_rows_know_nothing(w);
    memset(s->ud, 0, (size_t)p->nu * sizeof *s->ud);
    clv_kinematics_violation(&s->kin, row), turn_sign(row, p->nclosing_row);
    if (!join(s, clv_walk_factor_closings(s, s->ud, row), false, true, false))
        return false;
    go_down(s, du);
    clv_rows_clear_loads(w);
    clv_rows_take_rates(w, s->ud, w->tau), clv_rows_drive(w, &s->kin, s->ud);
    clv_kinematics_velocity_violation(&s->kin, row), turn_sign(row, p->nclosing_row);
    clv_rows_carry_begin(w, row);
    clv_rows_carry_respond(w, &s->kin);
    if (!join(s, true, false, true, true))
        return false;
    go_down(s, dv);
    return true;
}
