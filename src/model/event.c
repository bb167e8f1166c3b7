/* SPDX-License-Identifier: Apache-2.0
 * Events of a model (T60): added, and their rules. */
#include "math/rotation.h"
#include "model/add.h"
#include "model/describe.h"
#include "model/joint.h"
#include <stdio.h>

clv_status clv_model_add_event(clv_model *m, int *index, const clv_event_desc *d)
{
    bool described = d && d->cookie == CLV_COOKIE_EVENT;
    clv_adding item = clv_add_begin(m, CLV_NAME_EVENT, described ? d->name : NULL, described);
    if (!described)
        return item.status;
    if (item.status == CLV_OK) {
        clv_add_index(&item, "when", d->joint, -1, m->njoint);
        clv_add_index(&item, "lock", d->lock, 0, m->njoint);
        clv_add_finite(&item, "when", &d->value, 1);
        clv_add_finite(&item, "at", &d->time, 1);
    }
    if (item.status != CLV_OK)
        return item.status;
    if (!CLV_ADD_ROOM(m, CLV_NAME_EVENT, m->event, m->nevent))
        return clv_add_out_of_memory(&item);
    clv_event *x = &m->event[m->nevent];
    *x = (clv_event){.name = clv_add_name(&item, m->nevent), .joint = d->joint, .below = d->below, .value = d->value,
                     .time = d->time, .lock = d->lock};
    return x->name ? clv_add_done(index, &m->nevent) : clv_add_out_of_memory(&item);
}

static void note(clv_model *m, const clv_event *x, const char *field, double value, const char *hint, const char *what)
{
    clv_error *e = clv_model_note(m, "events", x->name, field, "event '%s': %s", x->name, what);
    clv_error_hint(e, "%s", hint);
    e->value = value;
}

static void check_freedom(clv_model *m, const clv_event *x, const char *field, int joint)
{
    const clv_joint_row *row = &clv_joint_table[m->joint[joint].kind];
    char text[200];
    if (row->nu == 1)
        return;
    snprintf(text, sizeof text, "joint '%s' (%s) has %d free directions, not 1", m->joint[joint].name, row->name,
                    row->nu);
    note(m, x, field, row->nu, "use a revolute, prismatic or helical joint", text);
}

void clv_model_validate_events(clv_model *m)
{
    for (int i = 0; i < m->nevent; i++) {
        const clv_event *x = &m->event[i];
        if (x->joint >= 0)
            check_freedom(m, x, "when", x->joint);
        else if (!(x->time > 0))
            note(m, x, "at", x->time, "give a time after the start, in s; to lock a joint from the start make it fixed",
                 "it has no time > 0 and no condition");
        check_freedom(m, x, "lock", x->lock);
        for (int k = 0; k < m->nmotion; k++)
            if (m->motion[k].joint == x->lock)
                note(m, x, "lock", NAN, "lock another joint",
                     "a motion prescribes the joint it locks");
    }
}
