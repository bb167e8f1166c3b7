/* SPDX-License-Identifier: Apache-2.0
 * Events: `when` or `at`, and what happens. */
#include "io/yaml_read.h"

/* The condition. */
static void read_when(clv_entry *e, const clv_value *when, clv_event_desc *d)
{
    clv_entry in;
    char path[160];
    clv_path_join(path, sizeof path, e->path, "when");
    if (!clv_entry_read_in(&in, e, when->node, NULL, CLV_IN_WHEN, path)) {
        e->good = false;
        return;
    }
    const clv_value *above = CLV_VALUE(&in, WHEN, ABOVE), *below = CLV_VALUE(&in, WHEN, BELOW);
    if ((above->node != NULL) == (below->node != NULL))
        clv_entry_fail(&in, below, "below", "write `above: 0` or `below: 0`",
                       above->node ? "a condition has one direction; above and below are both given"
                                   : "a condition needs a direction: above or below");
    if (clv_find_joint(&in, CLV_VALUE(&in, WHEN, JOINT)->node, "joint", &d->joint)) {
        const clv_joint *j = &e->reader->model->joint[d->joint];
        const bool turns = clv_coordinate_turns(j->kind, 0);
        d->below = below->node != NULL;
        d->value = d->below ? below->x[0] : above->x[0];
        clv_value_fits(&in, above, "above", turns, j->name);
        clv_value_fits(&in, below, "below", turns, j->name);
    }
    e->good = e->good && in.good;
}

bool clv_make_event(clv_entry *e, const char *name)
{
    const clv_value *when = CLV_VALUE(e, EVENT, WHEN), *at = CLV_VALUE(e, EVENT, AT);
    clv_event_desc d = clv_event_desc_default();
    d.name = name;
    if ((when->node != NULL) == (at->node != NULL))
        clv_entry_fail(e, at, "at", "write `when: {joint: a, above: 0}` or `at: 3`",
                       at->node ? "an event has one condition; when and at are both given"
                                : "an event needs a condition: when or at");
    else if (when->node)
        read_when(e, when, &d);
    else
        d.time = at->x[0];
    clv_find_joint(e, CLV_VALUE(e, EVENT, LOCK)->node, "lock", &d.lock);
    return e->good && clv_item_made(e, clv_model_add_event(e->reader->model, NULL, &d), CLV_AN_EVENT);
}
