/* SPDX-License-Identifier: Apache-2.0
 * What of `cleave check` is said of prescribed motions: where they jump in velocity, and where a spline leaves the
 * range of its rows. */
#include "cli/check.h"
#include "cli/summary.h"
#include "model/break.h"
#include "model/joint.h"
#include "model/model.h"
#include <math.h>

/* A spline that leaves the range of two neighbouring rows by less than this part of the table's range passes. */
static const double OVERSHOOT = 0.01;

static const char *unit(const clv_model *m, const clv_motion *x)
{
    return clv_joint_angle(m->joint[x->joint].kind, 0) ? "rad" : "m";
}

/* First row from k on, later than the start, at which the motion jumps in velocity; n: none. */
static int next_jump(const clv_motion *x, int k, double *jump)
{
    while (k < x->table.n && !(x->table.time[k] > 0 && clv_motion_break(x, k, jump) == CLV_BREAK_VELOCITY))
        ++k;
    return k;
}

static double range(const clv_series *s)
{
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < s->n; ++k)
        low = fmin(low, s->value[k]), high = fmax(high, s->value[k]);
    return high - low;
}

static void print_jumps(const clv_model *m, const clv_motion *x)
{
    enum { MOST = 3 };
    double jump;
    int count = 0;
    for (int k = next_jump(x, 0, &jump); k < x->table.n; k = next_jump(x, k + 1, &jump))
        if (++count <= MOST) {
            clv_summary_warn();
            printf("motion '%s' jumps in velocity by %.3g %s/s at t = %.9g s\n", x->name, jump, unit(m, x),
                   x->table.time[k]);
        }
    if (count > MOST)
        printf("                      and at %d more times\n", count - MOST);
    if (count > 0)
        printf("                      an impulsive drive; `profile: smooth` or `clamped` avoids it\n");
}

void clv_check_print_motions(const clv_check *c)
{
    const clv_model *m = c->subject.model;
    for (int i = 0; i < m->nmotion; ++i) {
        const clv_motion *x = &m->motion[i];
        int row;
        const double off = clv_motion_overshoot(x, &row);
        print_jumps(m, x);
        if (row >= 0 && off > OVERSHOOT * range(&x->table))
            printf("note                  motion '%s' overshoots its table by %.2g %s between t = %.9g and %.9g s;\n"
                   "                      `profile: monotone` or `smooth` stays between neighbouring rows\n",
                   x->name, off, unit(m, x), x->table.time[row], x->table.time[row + 1]);
    }
}

void clv_check_json_motions(clv_json *j, const clv_check *c)
{
    const clv_model *m = c->subject.model;
    clv_json_object(j, "motions");
    for (int i = 0; i < m->nmotion; ++i) {
        const clv_motion *x = &m->motion[i];
        double jump;
        int row;
        clv_json_object(j, x->name);
        clv_json_number(j, "poses_overridden_by", clv_summary_overridden(m, i));
        clv_json_array(j, "velocity_jumps");
        for (int k = next_jump(x, 0, &jump); k < x->table.n; k = next_jump(x, k + 1, &jump)) {
            clv_json_object(j, NULL);
            clv_json_number(j, "time", x->table.time[k]);
            clv_json_number(j, "jump", jump);
            clv_json_end(j);
        }
        clv_json_end(j);
        clv_json_number(j, "overshoot", clv_motion_overshoot(x, &row));
        clv_json_end(j);
    }
    clv_json_end(j);
}
