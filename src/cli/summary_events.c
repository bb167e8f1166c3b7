/* SPDX-License-Identifier: Apache-2.0
 * What the events of the model have done (T60, T95): joints locked and released, bodies attached, runs ended; see
 * summary.h. */
#include "cli/summary.h"
#include "model/joint.h"
#include "model/model.h"
#include <math.h>
#include <stdio.h>

static const char *body_name(const clv_model *m, int body)
{
    return body < 0 ? "ground" : m->body[body].name;
}

static int action_text(const clv_model *m, const clv_event *e, const clv_event_result *r, char *to, size_t size)
{
    const clv_joint *j = e->lock >= 0 ? &m->joint[e->lock] : e->attached >= 0 ? &m->joint[e->attached] : NULL;
    const double *w = r->angular;
    if (j && e->action == CLV_ACTION_LOCK)
        return snprintf(to, size, "'%.60s' locked at %.9g s, impulse %.4g %s, energy lost %.4g J", j->name, r->time,
                        r->impulse, clv_joint_angle(j->kind, 0) ? "N m s" : "N s", r->energy_lost);
    if (j && e->action == CLV_ACTION_ATTACH)
        return snprintf(to, size,
                        "'%.60s' and '%.60s' attached at %.9g s, impulse %.4g N s and %.4g N m s, energy lost %.4g J",
                        body_name(m, j->a), body_name(m, j->b), r->time, r->impulse,
                        sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), r->energy_lost);
    if (e->action == CLV_ACTION_RELEASE)
        return snprintf(to, size, "'%.60s' released at %.9g s", e->release, r->time);
    return snprintf(to, size, "the run ended at %.9g s", r->time);
}

void clv_event_text(const clv_model *m, int i, const clv_event_result *r, char *text, size_t size)
{
    size_t n = (size_t)snprintf(text, size, "%.60s: ", m->event[i].name);
    if (!r->happened)
        n += (size_t)snprintf(text + n, size - n, "did not happen");
    else
        n += (size_t)action_text(m, &m->event[i], r, text + n, size - n);
    if (r->count > 1 && n < size)
        snprintf(text + n, size - n, ", the last of %ld times", r->count);
}

void clv_summary_print_events(const clv_subject *s)
{
    const clv_model *m = s->model;
    clv_event_result r;
    for (int i = 0; i < m->nevent && clv_sim_event(s->sim, i, &r); ++i) {
        char text[400];
        clv_event_text(m, i, &r, text, sizeof text);
        clv_label(i == 0 ? "events" : "");
        printf("%s\n", text);
    }
}

static void json_action(clv_json *j, const clv_model *m, const clv_event *e)
{
    if (e->action == CLV_ACTION_LOCK)
        clv_json_text(j, "lock", m->joint[e->lock].name);
    else if (e->action == CLV_ACTION_RELEASE)
        clv_json_text(j, "release", e->release);
    else if (e->action == CLV_ACTION_ATTACH) {
        clv_json_array(j, "attach");
        clv_json_text(j, NULL, body_name(m, m->joint[e->attached].a));
        clv_json_text(j, NULL, body_name(m, m->joint[e->attached].b));
        clv_json_end(j);
    } else
        clv_json_bool(j, "stop", true);
}

void clv_summary_json_events(clv_json *j, const clv_subject *s)
{
    const clv_model *m = s->model;
    clv_event_result r;
    if (m->nevent == 0)
        return;
    clv_json_object(j, "model_events");
    for (int i = 0; i < m->nevent && clv_sim_event(s->sim, i, &r); ++i) {
        const clv_event *e = &m->event[i];
        clv_json_object(j, e->name);
        json_action(j, m, e);
        clv_json_number(j, "time", r.time);
        clv_json_integer(j, "count", r.count);
        if (e->action == CLV_ACTION_LOCK)
            clv_json_number(j, "q", r.q);
        clv_json_number(j, "impulse", r.impulse);
        clv_json_number(j, "energy_lost", r.energy_lost);
        if (e->action == CLV_ACTION_ATTACH)
            clv_json_numbers(j, "linear", r.linear, 3), clv_json_numbers(j, "angular", r.angular, 3);
        clv_json_end(j);
    }
    clv_json_end(j);
}
