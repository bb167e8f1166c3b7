/* SPDX-License-Identifier: Apache-2.0
 * What the events of the model have done (T60): joints locked in mid-run; see summary.h. */
#include "cli/summary.h"
#include "model/joint.h"
#include "model/model.h"
#include <stdio.h>

void clv_summary_print_events(const clv_subject *s)
{
    const clv_model *m = s->model;
    clv_event_result r;
    for (int i = 0; i < m->nevent && clv_sim_event(s->sim, i, &r); ++i) {
        const clv_joint *joint = &m->joint[m->event[i].lock];
        const bool turns = clv_joint_angle(joint->kind, 0);
        clv_label(i == 0 ? "events" : "");
        if (r.happened)
            printf("%s: '%s' locked at %.9g s, impulse %.4g %s, energy lost %.4g J\n", m->event[i].name, joint->name,
                   r.time, r.impulse, turns ? "N m s" : "N s", r.energy_lost);
        else
            printf("%s: did not happen\n", m->event[i].name);
    }
}

void clv_summary_json_events(clv_json *j, const clv_subject *s)
{
    const clv_model *m = s->model;
    clv_event_result r;
    if (m->nevent == 0)
        return;
    clv_json_object(j, "model_events");
    for (int i = 0; i < m->nevent && clv_sim_event(s->sim, i, &r); ++i) {
        clv_json_object(j, m->event[i].name);
        clv_json_text(j, "lock", m->joint[m->event[i].lock].name);
        clv_json_number(j, "time", r.time);
        clv_json_number(j, "q", r.q);
        clv_json_number(j, "impulse", r.impulse);
        clv_json_number(j, "energy_lost", r.energy_lost);
        clv_json_end(j);
    }
    clv_json_end(j);
}
