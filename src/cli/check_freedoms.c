/* SPDX-License-Identifier: Apache-2.0
 * Freedoms by counting and by rank, which joints move when nothing drives them, which stand still; see check.h. */
#include "cli/check.h"
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
    return clv_joint_table[m->joint[joint].kind].nu > 0 && clv_sim_joint_mobility(c->subject.sim, joint) == what &&
           !driven(m, joint);
}

/* "joints a and b <what they do>", a line of its own; nothing where there are none. */
static void print_line(const clv_check *c, unsigned what, const char *one, const char *many)
{
    const int n = clv_check_names(c, NULL, undriven, what);
    if (n == 0)
        return;
    printf("                    joint%s ", clv_plural(n));
    clv_check_names(c, stdout, undriven, what);
    printf(" %s\n", n == 1 ? one : many);
}

/* Which freedoms nothing prescribes. */
static void print_undriven(const clv_check *c)
{
    const int free = c->report.mobility_found, moving = clv_check_names(c, NULL, undriven, CLV_MOBILITY_MOVES);
    if (free <= 0)
        printf("undriven            none\n");
    else if (moving == 0)
        printf("undriven            %d freedom%s, of bodies without a joint\n", free, clv_plural(free));
    else {
        printf("undriven            %d freedom%s, which no motion prescribes: joint%s ", free, clv_plural(free),
               clv_plural(moving));
        clv_check_names(c, stdout, undriven, CLV_MOBILITY_MOVES);
        printf(" move%s%s\n", moving == 1 ? "s" : "", moving > free ? " together" : "");
    }
    print_line(c, CLV_MOBILITY_PAUSES, "rests at the start (a dead point) and moves beside it",
               "rest at the start (a dead point) and move beside it");
    print_line(c, CLV_MOBILITY_FOLLOWS, "follows the motions", "follow the motions");
    if (c->subject.model->nmotion > 0)
        print_line(c, CLV_MOBILITY_RESTS, "stands still, at the start at least", "stand still, at the start at least");
    else
        print_line(c, CLV_MOBILITY_RESTS, "stands still", "stand still");
}

void clv_check_print_freedoms(const clv_check *c)
{
    const clv_sim_report *r = &c->report;
    printf("%s: %d bod%s, %d joint%s, %d loop%s\n", clv_model_name(c->subject.model), r->bodies,
           r->bodies == 1 ? "y" : "ies", r->joints, clv_plural(r->joints), r->loops, clv_plural(r->loops));
    printf("freedoms            %d, by counting %d", r->mobility_found, r->mobility_counted);
    if (c->plan.closing_rows > 0)
        printf(" (%d of the joints, less %d that loops and couplings hold)", c->plan.freedoms, c->plan.closing_rows);
    printf("\n");
    printf("constraints         %lld, of rank %lld\n", 6LL * r->bodies - r->mobility_counted,
           6LL * r->bodies - r->mobility_found);
    if (r->mobility_found == 0 && c->subject.model->nmotion > 0)
        printf("                    it moves as its motions prescribe, and not otherwise\n");
    else if (r->mobility_found == 0)
        printf("                    note: it cannot move at all: a structure, not a mechanism\n");
    print_undriven(c);
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
    clv_json_integer(j, "joint_freedoms", c->plan.freedoms);
    clv_json_integer(j, "constraints", 6LL * c->report.bodies - c->report.mobility_counted);
    clv_json_integer(j, "rank", 6LL * c->report.bodies - c->report.mobility_found);
    json_names(j, c, "pausing_joints", CLV_MOBILITY_PAUSES);
    json_names(j, c, "following_joints", CLV_MOBILITY_FOLLOWS);
    json_names(j, c, "resting_joints", CLV_MOBILITY_RESTS);
}
