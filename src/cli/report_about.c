/* SPDX-License-Identifier: Apache-2.0
 * What a page says about a run, as JSON: results as `run --json` has them, peaks, settings, events, and who computed it
 * from what. */
#include "cli/peaks.h"
#include "cli/report.h"
#include "cli/summary.h"
#include "base/memory.h"
#include "simulation/option_rows.h"
#include "simulation/report_rows.h"
#include <math.h>
#include <string.h>

enum { EVENTS_MOST = 200, TEXT_MOST = CLV_REPORT_TEXT };

static void results_json(clv_json *j, clv_report *r)
{
    static const char *const more[] = {"time", "wall_seconds", "frames"};
    char word[64];
    double x;
    clv_json_object(j, "results");
    const bool finished = clv_runfile_summary(r->file, "status", &x, word, sizeof word);
    clv_json_text(j, "status", finished ? word : "not finished");
    for (size_t i = 0; i < sizeof more / sizeof more[0]; ++i)
        if (clv_runfile_summary(r->file, more[i], &x, NULL, 0))
            clv_json_number(j, more[i], x);
    const clv_report_row *row;
    for (int i = 0; (row = clv_report_row_at(i)) != NULL; ++i)
        if (clv_runfile_summary(r->file, row->name, &x, NULL, 0))
            clv_json_number(j, row->name, x);
    clv_json_end(j);
    clv_json_object(j, "meanings"); /* of these names */
    for (int i = 0; (row = clv_report_row_at(i)) != NULL; ++i)
        clv_json_text(j, row->name, row->text);
    clv_json_end(j);
}

static void settings_json(clv_json *j, const clv_runfile_settings *s)
{
    const clv_option_row *row;
    clv_json_object(j, "settings");
    clv_json_text(j, "formulation", s->sim.formulation ? s->sim.formulation : "default");
    clv_json_text(j, "integrator", s->sim.integrator ? s->sim.integrator : "default");
    clv_json_number(j, "end", s->end);
    clv_json_number(j, "every", s->every);
    for (int i = 0; (row = clv_option_row_at(i)) != NULL; ++i) {
        const double x = clv_option_number(&s->sim, row);
        if (!clv_option_is_default(row, x) || strcmp(row->name, "rtol") == 0 || strcmp(row->name, "atol") == 0)
            clv_json_number(j, row->name, x);
    }
    clv_json_end(j);
}

static void events_json(clv_json *j, clv_report *r)
{
    clv_runfile_event e;
    clv_json_array(j, "events");
    for (int i = 0; i < EVENTS_MOST && clv_runfile_event_at(r->file, i, &e) == CLV_OK; ++i) {
        clv_json_object(j, NULL);
        clv_json_number(j, "time", e.time);
        clv_json_text(j, "kind", e.kind);
        clv_json_text(j, "text", e.text);
        clv_json_end(j);
    }
    clv_json_end(j);
}

static void sessions_json(clv_json *j, clv_report *r)
{
    clv_runfile_session s;
    clv_json_array(j, "sessions");
    for (int i = 0; i < EVENTS_MOST && clv_runfile_session_at(r->file, i, &s) == CLV_OK; ++i) {
        clv_json_object(j, NULL);
        clv_json_text(j, "started", s.started);
        clv_json_text(j, "version", s.version);
        clv_json_text(j, "compiler", s.compiler);
        clv_json_text(j, "system", s.system);
        clv_json_text(j, "cpu", s.cpu);
        clv_json_integer(j, "lanes", s.lanes);
        clv_json_number(j, "wall_seconds", s.wall);
        clv_json_end(j);
    }
    clv_json_end(j);
}

/* The text of the model, or its beginning. */
static void text_json(clv_json *j, const clv_report *r)
{
    size_t size;
    const char *text = clv_runfile_text(r->file, &size);
    char *part = size > TEXT_MOST ? clv_alloc(TEXT_MOST + 1, 1) : NULL;
    if (part)
        memcpy(part, text, TEXT_MOST);
    clv_json_text(j, "text", size <= TEXT_MOST ? text : part ? part : "");
    clv_json_integer(j, "text_bytes", (long long)size);
    clv_free(part);
}

static void size_json(clv_json *j, const clv_report *r)
{
    clv_sim_report now;
    clv_plan_report plan;
    clv_sim_summary(r->sim, &now);
    clv_sim_plan(r->sim, &plan);
    clv_json_object(j, "size");
    clv_json_integer(j, "bodies", now.bodies);
    clv_json_integer(j, "joints", now.joints);
    clv_json_integer(j, "loops", now.loops);
    clv_json_integer(j, "mobility_found", now.mobility_found);
    clv_json_integer(j, "mobility_counted", now.mobility_counted);
    clv_json_integer(j, "redundant_constraints", now.redundant_constraints);
    clv_json_integer(j, "strands", plan.limbs + plan.branches);
    clv_json_integer(j, "tree_depth", plan.depth);
    clv_json_integer(j, "tree_nodes", plan.nodes);
    clv_json_integer(j, "tree_leaves", plan.leaves);
    clv_json_end(j);
    char text[CLV_FREEDOMS_TEXT];
    clv_summary_freedoms(text, r->model, r->sim, &now);
    clv_json_text(j, "freedoms", text);
}

void clv_report_about_json(clv_json *j, clv_report *r)
{
    clv_json_text(j, "program", clv_version());
    clv_json_text(j, "source", clv_runfile_source(r->file));
    size_json(j, r);
    results_json(j, r);
    settings_json(j, clv_runfile_get_settings(r->file));
    events_json(j, r);
    sessions_json(j, r);
    text_json(j, r);
}
