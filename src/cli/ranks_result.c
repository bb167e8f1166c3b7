/* SPDX-License-Identifier: Apache-2.0
 * How a run on ranks has ended, as rank 0 reports it; see ranks_running.h. */
#include "base/error.h"
#include "cli/ranks_running.h"
#include "cli/summary.h"
#include "model/model.h"
#include <math.h>

static void json_bodies(clv_json *j, const clv_ranks_running *x)
{
    const clv_ranked_state *s = &x->frame.state;
    clv_json_object(j, "final");
    for (size_t i = 0; i < (size_t)x->subject.model->nbody; ++i) {
        clv_json_object(j, x->subject.model->body[i].name);
        clv_json_numbers(j, "position", s->position + 3 * i, 3);
        clv_json_numbers(j, "velocity", s->velocity + 6 * i, 3);
        clv_json_numbers(j, "quaternion", s->orientation + 4 * i, 4);
        clv_json_numbers(j, "angular_velocity", s->velocity + 6 * i + 3, 3);
        clv_json_end(j);
    }
    clv_json_end(j);
}

static void json_events(clv_json *j, const clv_ranks_running *x)
{
    const int n = clv_ranked_events(x->r);
    double time;
    if (n == 0)
        return;
    clv_json_object(j, "model_events");
    for (int i = 0; i < n; i++) {
        clv_json_object(j, clv_ranked_event(x->r, i, &time));
        clv_json_bool(j, "stop", true);
        clv_json_number(j, "time", time);
        clv_json_integer(j, "count", isnan(time) ? 0 : 1);
        clv_json_end(j);
    }
    clv_json_end(j);
}

/* What event i has done, in words. */
static void event_text(const clv_ranks_running *x, int i, char *text, size_t size)
{
    double time;
    const char *name = clv_ranked_event(x->r, i, &time);
    if (isnan(time))
        snprintf(text, size, "%.60s: did not happen", name);
    else
        snprintf(text, size, "%.60s: the run ended at %.9g s", name, time);
}

static bool record_events(const clv_ranks_running *x)
{
    double time;
    char text[128];
    for (int i = 0; i < clv_ranked_events(x->r); i++) {
        (void)clv_ranked_event(x->r, i, &time);
        event_text(x, i, text, sizeof text);
        if (!isnan(time) && clv_runfile_put_event(x->file, time, "stop", text) != CLV_OK)
            return false;
    }
    return true;
}

static void print_json(const clv_ranks_running *x, const clv_sim_report *report, double wall, clv_exit code,
                       const clv_error *error)
{
    clv_json j = clv_json_begin(stdout);
    long messages, bytes;
    clv_ranked_sent(x->r, &messages, &bytes);
    clv_json_object(&j, NULL);
    clv_json_text(&j, "status", clv_exit_word(code));
    clv_json_text(&j, "model", x->name);
    clv_json_text(&j, "formulation", report->formulation);
    clv_json_text(&j, "integrator", report->integrator);
    clv_json_integer(&j, "ranks", x->ranks->size);
    clv_json_integer(&j, "segments", clv_ranked_segments(x->r));
    clv_json_integer(&j, "threads", clv_sim_threads(clv_ranked_sim(x->r)));
    clv_json_integer(&j, "messages", messages);
    clv_json_integer(&j, "message_bytes", bytes);
    clv_json_integer(&j, "bodies", report->bodies);
    clv_json_integer(&j, "joints", report->joints);
    clv_json_number(&j, "time", clv_ranks_now(x));
    clv_summary_json_run(&j, report, wall);
    json_events(&j, x);
    if (error->code != CLV_OK)
        clv_json_error(&j, "error", error);
    json_bodies(&j, x);
    clv_json_end(&j);
}

static void print_text(const clv_ranks_running *x, const clv_sim_report *report, double wall)
{
    char text[24];
    printf("%s: %d bodies, %d joints\n", x->name, report->bodies, report->joints);
    clv_label("ranks");
    printf("%d of %s, %d segments\n", x->ranks->size, x->ranks->how, clv_ranked_segments(x->r));
    clv_summary_print_time(report, clv_ranks_now(x), wall);
    clv_label("steps");
    printf("%ld, %ld rejected, %ld evaluations of %s each\n", report->steps, report->rejected_steps,
           report->rate_evaluations, clv_duration(text, wall / (double)report->rate_evaluations));
    clv_summary_print_accuracy(report, NAN);
    for (int i = 0; i < clv_ranked_events(x->r); i++) {
        char event[128];
        event_text(x, i, event, sizeof event);
        clv_label(i == 0 ? "events" : "");
        printf("%s\n", event);
    }
    if (x->set.out) {
        clv_label("written");
        printf("%s\n", x->set.out);
    }
}

void clv_ranks_number(clv_error *e, int rank)
{
    char text[sizeof e->message];
    snprintf(text, sizeof text, "rank %d: %.*s", rank, (int)sizeof text - 24, e->message);
    clv_error_text(e->message, sizeof e->message, text);
}

clv_exit clv_ranks_finish(clv_ranks_running *x, clv_status st, bool broken)
{
    const double wall = clv_wall() - x->began;
    clv_exit code = broken ? CLV_EXIT_RESOURCES : clv_exit_of(st, true);
    clv_error error = {.code = CLV_OK}, late;
    clv_sim_report report;
    clv_sim_summary(clv_ranked_sim(x->r), &report);
    report.bodies = x->bodies, report.joints = x->joints;
    report.loops = clv_ranked_closed(x->r) ? 1 : 0, report.mobility_counted = -1;
    report.mobility_found = report.mobility_beside = -1;
    if (st != CLV_OK) {
        error = x->failure;
        clv_ranks_number(&error, x->failed_rank);
        if (x->file && clv_runfile_put_event(x->file, report.time, "failure", error.message) != CLV_OK)
            broken = true;
    }
    if (x->file && !broken)
        broken = !record_events(x);
    if (x->file && !broken)
        broken = clv_runfile_finish_with(x->file, &report, clv_ranks_now(x), clv_exit_word(code), wall) != CLV_OK;
    if (x->file && broken)
        error = *clv_runfile_error(x->file), code = CLV_EXIT_RESOURCES;
    if (x->file && clv_runfile_close(x->file, &late) != CLV_OK)
        error = late, code = CLV_EXIT_RESOURCES;
    x->file = NULL;
    if (clv_output_close(&x->csv, true, &late) != CLV_OK)
        error = late, code = CLV_EXIT_RESOURCES;
    if (error.code != CLV_OK)
        clv_error_show(x->subject.command, &error);
    if (x->set.json)
        print_json(x, &report, wall, code, &error);
    else
        print_text(x, &report, wall);
    return code;
}
