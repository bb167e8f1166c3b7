/* SPDX-License-Identifier: Apache-2.0
 * Events of a model (T60, T95): how they are added; event_rules.c has what they must obey.  An attachment adds a joint
 * that is absent until its event, so that results have a place for it. */
#include "base/memory.h"
#include "math/rotation.h"
#include "model/add.h"
#include "model/describe.h"
#include "model/joint.h"

static void check_condition(clv_adding *item, const clv_event_desc *d)
{
    const clv_model *m = item->m;
    if ((int)d->condition < 0 || d->condition >= CLV_WHEN_KINDS)
        clv_add_refuse(item, CLV_ERR_MODEL, "when", "unknown condition", d->condition);
    clv_add_index(item, "when", d->joint, -1, m->njoint);
    for (int i = 0; i < 2; i++)
        clv_add_index(item, "when", d->marker[i], -1, m->nmarker);
    if ((d->condition == CLV_WHEN_DISTANCE ? d->joint >= 0 : d->marker[0] >= 0 || d->marker[1] >= 0) ||
        (d->marker[0] < 0) != (d->marker[1] < 0))
        clv_add_refuse(item, CLV_ERR_MODEL, "when", "a distance has two markers, other conditions have a joint", NAN);
    clv_add_finite(item, "when", &d->value, 1);
    clv_add_finite(item, "at", &d->time, 1);
}

static void check_attachment(clv_adding *item, const clv_event_desc *d)
{
    const double none[3] = {0, 0, 0};
    double E[9];
    if ((int)d->kind < 0 || d->kind >= CLV_JOINT_KINDS)
        clv_add_refuse(item, CLV_ERR_MODEL, "joint", "unknown kind of joint", d->kind);
    clv_add_index(item, "attach", d->a, -1, item->m->nbody);
    clv_add_index(item, "attach", d->b, -1, item->m->nbody);
    clv_add_finite(item, "position", d->position, 3);
    clv_add_finite(item, "axis", d->axis, 3);
    if (item->status == CLV_OK && !clv_rotation_frame(E, d->axis, none))
        clv_add_refuse(item, CLV_ERR_MODEL, "axis", "its length is zero", 0);
}

static void check_action(clv_adding *item, const clv_event_desc *d)
{
    if ((int)d->action < 0 || d->action >= CLV_ACTIONS)
        clv_add_refuse(item, CLV_ERR_MODEL, "action", "unknown action", d->action);
    else if (d->action == CLV_ACTION_LOCK)
        clv_add_index(item, "lock", d->lock, 0, item->m->njoint);
    else if (d->action == CLV_ACTION_RELEASE && !d->release)
        clv_add_refuse(item, CLV_ERR_MODEL, "release", "it names nothing to release", NAN);
    else if (d->action == CLV_ACTION_ATTACH)
        check_attachment(item, d);
}

/* The joint of an attachment; its frame on b is that of the event. */
static clv_status add_joint(clv_model *m, int *joint, const clv_event_desc *d)
{
    const double none[3] = {0, 0, 0};
    clv_joint_desc x = clv_joint_desc_default(d->kind);
    x.name = d->name, x.a = d->a, x.b = d->b;
    clv_copy3(x.position_a, d->position);
    const clv_status st = clv_model_add_joint(m, joint, &x);
    if (st != CLV_OK) {
        clv_error_locate(&m->last, "events", d->name, NULL);
        clv_error_hint(&m->last, "an attachment is a joint of the name of its event: give the event another name");
        return st;
    }
    clv_joint *j = &m->joint[*joint];
    j->absent = true;
    clv_rotation_frame(j->Ea, d->axis, none);
    return CLV_OK;
}

static char *copy_text(const char *text)
{
    const size_t n = strlen(text) + 1;
    char *to = clv_alloc(n, 1);
    return to ? memcpy(to, text, n) : NULL;
}

clv_status clv_model_add_event(clv_model *m, int *index, const clv_event_desc *d)
{
    bool described = d && d->cookie == CLV_COOKIE_EVENT;
    clv_adding item = clv_add_begin(m, CLV_NAME_EVENT, described ? d->name : NULL, described);
    if (!described)
        return item.status;
    if (item.status == CLV_OK)
        check_condition(&item, d);
    if (item.status == CLV_OK)
        check_action(&item, d);
    if (item.status != CLV_OK)
        return item.status;
    int joint = -1;
    if (!CLV_ADD_ROOM(m, CLV_NAME_EVENT, m->event, m->nevent))
        return clv_add_out_of_memory(&item);
    const clv_status st = d->action == CLV_ACTION_ATTACH ? add_joint(m, &joint, d) : CLV_OK;
    if (st != CLV_OK)
        return st;
    clv_event *x = &m->event[m->nevent];
    *x = (clv_event){.condition = d->condition,
                     .joint = d->joint,
                     .marker = {d->marker[0], d->marker[1]},
                     .below = d->below,
                     .value = d->value,
                     .time = d->time,
                     .again = d->again,
                     .action = d->action,
                     .lock = d->action == CLV_ACTION_LOCK ? d->lock : -1,
                     .undone = -1,
                     .opened = -1,
                     .attached = joint};
    clv_copy3(x->axis, d->axis);
    if (d->action == CLV_ACTION_RELEASE && !(x->release = copy_text(d->release)))
        return clv_add_out_of_memory(&item);
    x->name = clv_add_name(&item, m->nevent);
    if (x->name)
        return clv_add_done(index, &m->nevent);
    clv_free(x->release);
    return clv_add_out_of_memory(&item);
}
