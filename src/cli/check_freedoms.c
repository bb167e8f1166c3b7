/* SPDX-License-Identifier: Apache-2.0
 * Degrees of freedom by rank and by counting, which joints move, which rest; see check.h. */
#include "cli/check.h"
#include "cli/summary.h"
#include "model/joint.h"
#include "model/model.h"

/* Does a motion prescribe it? */
static bool driven(const clv_model *m, int joint)
{
    for (int i = 0; i < m->nmotion; ++i)
        if (m->motion[i].joint == joint)
            return true;
    return false;
}

/* A joint of that mobility that no motion prescribes itself. */
static bool undriven(const clv_check *c, int joint, unsigned what)
{
    const clv_model *m = c->subject.model;
    return !m->joint[joint].absent && clv_joint_table[m->joint[joint].kind].nu > 0 &&
           clv_sim_joint_mobility(c->subject.sim, joint) == what && !driven(m, joint);
}

/* "joints a and b <what they do>", a line of its own; nothing where there are none. */
static void print_line(const clv_check *c, unsigned what, const char *one, const char *many)
{
    const int n = clv_check_names(c, NULL, undriven, what);
    if (n == 0)
        return;
    printf("                      joint%s ", clv_plural(n));
    clv_check_names(c, stdout, undriven, what);
    printf(" %s\n", n == 1 ? one : many);
}

/* Rates of the joints that move, of floating bases and of modes. */
static int moving_rates(const clv_check *c)
{
    const clv_model *m = c->subject.model;
    int n = clv_check_floating_rates(c);
    for (int j = 0; j < m->njoint; ++j)
        n += undriven(c, j, CLV_MOBILITY_MOVES) ? clv_joint_table[m->joint[j].kind].nu : 0;
    return n;
}

/* what leaves fewer degrees of freedom than rates that move */
static const char *tied_by(const clv_check *c)
{
    if (c->subject.model->ncoupling == 0)
        return c->report.loops > 0 ? " (coupled by the loops)" : "";
    return c->report.loops == 0 ? " (coupled by couplings)" : " (coupled by loops and couplings)";
}

/* Which joints move, and how. */
static void print_moving(const clv_check *c)
{
    const int free = c->report.mobility_found, moving = clv_check_names(c, NULL, undriven, CLV_MOBILITY_MOVES);
    if (free > 0)
        clv_check_print_floating(c);
    if (free > 0 && moving > 0) {
        printf("                      free: joint%s ", clv_plural(moving));
        clv_check_names(c, stdout, undriven, CLV_MOBILITY_MOVES);
        printf("%s\n", moving_rates(c) > free ? tied_by(c) : "");
    }
    print_line(c, CLV_MOBILITY_PAUSES, "is at rest at the start (a dead point) and moves beside it",
               "are at rest at the start (a dead point) and move beside it");
    print_line(c, CLV_MOBILITY_FOLLOWS, "follows the motions", "follow the motions");
    if (c->subject.model->nmotion > 0)
        print_line(c, CLV_MOBILITY_RESTS, "rests, at the start at least", "rest, at the start at least");
    else
        print_line(c, CLV_MOBILITY_RESTS, "rests", "rest");
}

/* constraints on velocities only (T68) */
static int velocity_rows(const clv_check *c)
{
    int n = 0;
    for (int i = 0; i < c->subject.model->njoint; ++i)
        n += clv_joint_velocity_rows(c->subject.model->joint[i].kind);
    return n;
}

void clv_check_print_freedoms(const clv_check *c)
{
    const clv_sim_report *r = &c->report;
    clv_summary_print_size(&c->subject, r);
    const int rows = velocity_rows(c);
    if (rows > 0)
        printf("                      of velocities; positions have %s%d%s: %d constraint%s restrict%s velocities "
               "only\n",
               r->redundant_constraints > 0 ? "at most " : "", r->mobility_found + rows,
               c->subject.model->nmotion > 0 ? " free" : "", rows, rows == 1 ? "" : "s", rows == 1 ? "s" : "");
    if (r->mobility_found == 0 && c->subject.model->nmotion == 0)
        printf("                      a structure, not a mechanism: it cannot move\n");
    print_moving(c);
}

void clv_check_print_counts(const clv_check *c)
{
    const clv_sim_report *r = &c->report;
    clv_label("constraints");
    printf("%lld, of rank %lld", 6LL * r->bodies - r->mobility_counted, 6LL * r->bodies - r->mobility_found);
    if (c->plan.closing_rows > 0)
        printf("; %d degrees of freedom of the tree - %d constraints of loops and couplings", c->plan.freedoms,
               c->plan.closing_rows);
    printf("\n");
}

static void json_names(clv_json *j, const clv_check *c, const char *key, unsigned what)
{
    clv_json_array(j, key);
    for (int i = 0; i < clv_model_joint_count(c->subject.model); ++i)
        if (undriven(c, i, what))
            clv_json_text(j, NULL, clv_model_joint_name(c->subject.model, i));
    clv_json_end(j);
}

void clv_check_json_freedoms(clv_json *j, const clv_check *c)
{
    clv_json_integer(j, "joint_degrees_of_freedom", c->plan.freedoms);
    clv_json_integer(j, "velocity_constraints", velocity_rows(c));
    clv_json_integer(j, "constraints", 6LL * c->report.bodies - c->report.mobility_counted);
    clv_json_integer(j, "rank", 6LL * c->report.bodies - c->report.mobility_found);
    clv_check_json_floating(j, c);
    json_names(j, c, "pausing_joints", CLV_MOBILITY_PAUSES);
    json_names(j, c, "following_joints", CLV_MOBILITY_FOLLOWS);
    json_names(j, c, "resting_joints", CLV_MOBILITY_RESTS);
}
