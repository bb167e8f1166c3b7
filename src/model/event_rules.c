/* SPDX-License-Identifier: Apache-2.0
 * The rules of events (T60, T95), and the names they release; called by clv_model_validate. */
#include "math/rotation.h"
#include "model/add.h"
#include "model/joint.h"
#include <stdarg.h>
#include <stdio.h>

static void note(clv_model *m, const clv_event *x, const char *field, const char *hint, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

static void note(clv_model *m, const clv_event *x, const char *field, const char *hint, const char *format, ...)
{
    char text[256];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    clv_error_hint(clv_model_note(m, "events", x->name, field, "event '%s': %s", x->name, text), "%s", hint);
}

static void check_one_degree(clv_model *m, const clv_event *x, const char *field, int joint)
{
    const clv_joint_row *row = &clv_joint_table[m->joint[joint].kind];
    if (row->nu != 1)
        note(m, x, field, "use a revolute, prismatic or helical joint", "joint '%s' (%s) has %d free directions, not 1",
             m->joint[joint].name, row->name, row->nu);
}

/* ------------------------------------------------------------------ when */

static void check_condition(clv_model *m, const clv_event *x)
{
    const bool holds = x->condition == CLV_WHEN_FORCE || x->condition == CLV_WHEN_TORQUE;
    if (x->joint >= 0 && !holds)
        check_one_degree(m, x, "when", x->joint);
    else if (holds && !(x->value > 0))
        note(m, x, "when", "give its size, as `above: 500`", "the size of a force never crosses %g", x->value);
    else if (x->marker[0] >= 0 && m->marker[x->marker[0]].body == m->marker[x->marker[1]].body)
        note(m, x, "when", "name markers of two bodies",
             "markers '%s' and '%s' are on one body: their distance does not change", m->marker[x->marker[0]].name,
             m->marker[x->marker[1]].name);
    else if (x->marker[0] >= 0 && !(x->value > 0))
        note(m, x, "when", "give a distance in m, as `below: 0.01`", "a distance never crosses %g m", x->value);
    else if (!clv_event_waits(x) && !(x->time > 0))
        note(m, x, "at", "give a time after the start, in s; to lock a joint from the start make it fixed",
             "it has no time > 0 and no condition");
    if (x->again && !clv_event_waits(x))
        note(m, x, "again", "leave it out, or give a condition: `when`", "an event at a given time happens once");
    if (x->again && x->action == CLV_ACTION_STOP)
        note(m, x, "again", "leave it out", "an event that ends the run happens once");
}

/* ------------------------------------------------------------------ what */

static void check_lock(clv_model *m, const clv_event *x)
{
    check_one_degree(m, x, "lock", x->lock);
    for (int k = 0; k < m->nmotion; k++)
        if (m->motion[k].joint == x->lock)
            note(m, x, "lock", "lock another joint", "a motion prescribes the joint it locks");
}

static void check_attachment(clv_model *m, const clv_event *x)
{
    const clv_joint *j = &m->joint[x->attached];
    if (j->a == j->b)
        note(m, x, "attach", "name two different bodies", "it attaches '%.60s' to itself",
             j->a < 0 ? "ground" : m->body[j->a].name);
    if (j->kind == CLV_JOINT_FREE || j->kind == CLV_JOINT_HELICAL || j->kind == CLV_JOINT_DISTANCE ||
        j->kind >= CLV_JOINT_ROLLING_DISC)
        note(m, x, "joint", "use fixed, revolute, prismatic, cylindrical, universal, planar, spherical or point",
             "bodies cannot be attached by a %s joint", clv_joint_table[j->kind].name);
}

/* What acts on a joint would hang in the air where the joint is not there. */
static void check_opened(clv_model *m, const clv_event *x, int joint)
{
    const char *name = NULL, *what = NULL;
    for (int k = 0; k < m->nmotion; k++)
        if (m->motion[k].joint == joint)
            name = m->motion[k].name, what = "motion";
    for (int k = 0; k < m->nforce; k++)
        if (m->force[k].kind == CLV_FORCE_JOINT && m->force[k].joint == joint)
            name = m->force[k].name, what = "force";
    for (int k = 0; k < m->ninput; k++)
        if (m->input[k].kind == CLV_INPUT_JOINT && m->input[k].joint == joint)
            name = m->input[k].name, what = "input";
    for (int k = 0; k < m->ncoupling; k++)
        for (int i = 0; i < m->coupling[k].nterm; i++)
            if (m->coupling[k].term[i].joint == joint)
                name = m->coupling[k].name, what = "coupling";
    if (name)
        note(m, x, x->action == CLV_ACTION_RELEASE ? "release" : "attach",
             "let it act between bodies, or release another joint",
             "events add or remove joint '%s', and %s '%.60s' acts on it", m->joint[joint].name, what, name);
}

/* the event that locks the joint, or -1 */
static int locked_by(const clv_model *m, int joint)
{
    for (int i = 0; i < m->nevent; i++)
        if (m->event[i].action == CLV_ACTION_LOCK && m->event[i].lock == joint)
            return i;
    return -1;
}

/* A name is that of an event first, then of a joint. */
static void find_released(clv_model *m, clv_event *x)
{
    const int event = clv_names_find(m->names, CLV_NAME_EVENT, x->release),
              joint = clv_names_find(m->names, CLV_NAME_JOINT, x->release);
    const clv_event *other = event >= 0 ? &m->event[event] : NULL;
    x->undone = x->opened = -1;
    if (event >= 0 && other->action != CLV_ACTION_LOCK && other->action != CLV_ACTION_ATTACH)
        note(m, x, "release", "name an event with lock or attach, or a joint",
             "event '%.60s' neither locks nor attaches", x->release);
    else if (event >= 0 && joint >= 0 && other->attached != joint)
        note(m, x, "release", "give the event or the joint another name", "'%.60s' is an event and a joint",
             x->release);
    else if (event >= 0)
        x->undone = event;
    else if (joint < 0)
        note(m, x, "release", "name an event with lock or attach, or a joint", "there is no event or joint '%.60s'",
             x->release);
    else if (locked_by(m, joint) >= 0)
        note(m, x, "release", "name the event, to take back its lock; no event can open a joint that events lock",
             "event '%.60s' locks joint '%.60s'", m->event[locked_by(m, joint)].name, x->release);
    else
        x->opened = joint, check_opened(m, x, joint);
}

bool clv_model_comes_and_goes(const clv_model *m, int joint)
{
    for (int i = 0; i < m->nevent; i++)
        if (m->event[i].attached == joint || m->event[i].opened == joint)
            return true;
    return false;
}

void clv_model_validate_events(clv_model *m)
{
    for (int i = 0; i < m->nevent; i++) {
        clv_event *x = &m->event[i];
        check_condition(m, x);
        if (x->action == CLV_ACTION_LOCK)
            check_lock(m, x);
        else if (x->action == CLV_ACTION_RELEASE)
            find_released(m, x);
        else if (x->action == CLV_ACTION_ATTACH)
            check_attachment(m, x), check_opened(m, x, x->attached);
    }
}
