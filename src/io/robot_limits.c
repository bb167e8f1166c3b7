/* SPDX-License-Identifier: Apache-2.0
 * Position limits of the joints of a robot: soft or rigid stops (T47, T157), or dropped.  Their dry friction (T158). */
#include "base/text.h"
#include "io/import.h"
#include "model/joint.h"
#include <math.h>
#include <string.h>

bool clv_robot_stops_soft(const clv_import *I)
{
    const char *word = I->r->robot.stops;
    return word && strcmp(word, "none") != 0 && strcmp(word, "rigid") != 0;
}

void clv_robot_stop(const clv_import *I, const double bound[2], clv_stop *to)
{
    const char *end;
    to->lower = bound[0], to->upper = bound[1];
    if (clv_robot_stops_soft(I))
        to->stiffness = clv_text_number(I->r->robot.stops, &end);
    else
        to->restitution = 0;
}

/* Rigid stops do not push back what starts beyond them, as springs do: it starts at the limit. */
static void start_inside(clv_import *I, clv_rod *j)
{
    const double q = j->has_q ? j->q[0] : j->reference, inside = fmin(fmax(q, j->bound[0]), j->bound[1]);
    if (inside == q || j->first >= 0)
        return;
    clv_import_drop(I, j->bounds, true, "start", "start of joint '%s' at %g, beyond its limits: it starts at %g",
                    j->name, q, inside);
    j->has_q = true, j->q[0] = inside;
}

/* Steps of `moreau` take friction of a joint as it is; other integrators need the smooth law, with small steps. */
static void keep_friction(clv_import *I, clv_rod *j, bool rigid)
{
    if (j->friction == 0 || I->r->robot.friction || (rigid && clv_joint_table[j->kind].nu == 1))
        return;
    clv_import_drop(I, j->friction_node, true, "friction", "dry friction of joint '%s': %g", j->name, j->friction);
    j->friction = 0;
}

void clv_robot_limits(clv_import *I)
{
    const char *word = I->r->robot.stops;
    const bool rigid = clv_robot_contacts_rigid(I), stops = word ? strcmp(word, "none") != 0 : rigid;
    for (size_t i = 0; i < I->nrod; i++) {
        clv_rod *j = &I->rod[i];
        j->stops = stops && j->bounded;
        if (j->bounded && !stops)
            clv_import_drop_limits(I, j);
        else if (j->bounded && !clv_robot_stops_soft(I))
            start_inside(I, j);
        keep_friction(I, j, rigid);
    }
}
