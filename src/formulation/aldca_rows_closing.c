/* SPDX-License-Identifier: Apache-2.0
 * The projections of aldca in rows; see aldca_rows.h. */
#include <math.h>
#include "formulation/aldca_rows.h"

clv_status clv_aldca_rows_close_position(clv_system *s, double t, double *q, double *moved)
{
    const clv_aldca *d = s->private_state;
    clv_row_bodies *r = s->bodies;
    clv_stage *stage = &s->stage[CLV_STAGE_POSITION];
    *stage = (clv_stage){0};
    *moved = 0;
    const clv_status st = clv_aldca_rows_place(s, t, q);
    if (st != CLV_OK)
        return st;
    double change;
    clv_row_bodies_check(r);
    do {
        clv_row_bodies_oppose(r);
        clv_compliant_pass(&r->c, false);
        clv_row_bodies_displace(r);
        change = fmax(clv_row_bodies_most(r, CLV_SHOWN_SHIFT) / s->size, clv_row_bodies_most(r, CLV_SHOWN_TURN));
        *moved += clv_row_bodies_most(r, CLV_SHOWN_RATE);
        clv_row_bodies_check(r);
    } while (clv_multiplier_goes_on(stage, change, d->eps[CLV_STAGE_POSITION], d->limit));
    clv_row_bodies_give(r, q, NULL, NULL);
    ((clv_aldca *)s->private_state)->m.t = NAN; /* the poses are not those of the factor any more */
    if (!s->border_only)
        clv_row_bodies_show(r);
    return CLV_OK;
}

clv_status clv_aldca_rows_close_velocity(clv_system *s, double t, const double *q, double *u)
{
    const clv_aldca *d = s->private_state;
    clv_row_bodies *r = s->bodies;
    clv_stage *stage = &s->stage[CLV_STAGE_VELOCITY];
    *stage = (clv_stage){0};
    const clv_status st = clv_aldca_rows_place(s, t, q);
    if (st != CLV_OK)
        return st;
    clv_row_bodies_travel(r, u);
    double change = INFINITY, before, tolerance;
    for (;;) {
        clv_row_bodies_slip(r);
        clv_compliant_pass(&r->c, false);
        clv_row_bodies_add(r, true);
        before = change, change = clv_aldca_rows_largest(r);
        tolerance = d->eps[CLV_STAGE_VELOCITY] * fmax(1, clv_row_bodies_most(r, CLV_SHOWN_SIZE));
        if (!clv_multiplier_goes_on(stage, change, tolerance, d->limit))
            break;
        if (!clv_aldca_insists(s) || !clv_multiplier_slow(stage, before, change))
            continue;
        clv_aldca_rows_conjugate(s, true, stage, tolerance, d->limit);
        break;
    }
    clv_row_bodies_give(r, NULL, u, NULL);
    if (!s->border_only)
        clv_row_bodies_show(r), clv_kinematics_velocities(&s->kin, u);
    return CLV_OK;
}
