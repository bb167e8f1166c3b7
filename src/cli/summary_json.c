/* SPDX-License-Identifier: Apache-2.0
 * What a run has done, as members of JSON; see summary.h. */
#include "cli/summary.h"
#include "model/model.h"
#include "simulation/report_rows.h"
#include <math.h>
#include <string.h>

const char *const clv_stage_name[3] = {"position", "velocity", "acceleration"};

/* a row of the report, if it belongs to a part */
static void json_row(clv_json *j, const clv_sim_report *r, const clv_report_row *row, clv_report_part part)
{
    if (row->part == part && row->type == CLV_REPORT_NUMBER)
        clv_json_number(j, row->name, clv_report_number(r, row));
    else if (row->part == part)
        clv_json_integer(j, row->name, (long)clv_report_number(r, row));
}

/* the rows of the report that belong to a part */
static void json_rows(clv_json *j, const clv_sim_report *r, clv_report_part part)
{
    const clv_report_row *row;
    for (int i = 0; (row = clv_report_row_at(i)) != NULL; i++)
        json_row(j, r, row, part);
}

void clv_summary_json_size(clv_json *j, const clv_subject *s, const clv_sim_report *r, bool listed)
{
    const clv_report_row *row;
    clv_json_text(j, "model", clv_model_name(s->model));
    clv_json_text(j, "formulation", r->formulation);
    for (int i = 0; (row = clv_report_row_at(i)) != NULL; i++)
        if (!listed || (strcmp(row->name, "bodies") != 0 && strcmp(row->name, "joints") != 0))
            json_row(j, r, row, CLV_REPORT_SIZE);
    clv_json_array(j, "redundant_joints");
    for (int i = 0; i < clv_model_joint_count(s->model); ++i)
        if (clv_sim_joint_redundant(s->sim, i))
            clv_json_text(j, NULL, clv_model_joint_name(s->model, i));
    clv_json_end(j);
}

/* only of formulations that iterate */
static void json_iterations(clv_json *j, const clv_sim_report *r)
{
    if (r->stage[0].runs + r->stage[1].runs + r->stage[2].runs == 0)
        return;
    clv_json_object(j, "iterations");
    for (int i = 0; i < 3; ++i) {
        const clv_stage_report *g = &r->stage[i];
        clv_json_object(j, clv_stage_name[i]);
        clv_json_integer(j, "runs", g->runs);
        clv_json_number(j, "mean", g->runs > 0 ? (double)g->iterations / (double)g->runs : NAN);
        clv_json_integer(j, "most", g->most);
        clv_json_integer(j, "limited", g->limited);
        clv_json_integer(j, "stalled", g->stalled);
        clv_json_end(j);
    }
    clv_json_end(j);
}

/* only of formulations with their time step built in */
static void json_step_iterations(clv_json *j, const clv_sim_report *r)
{
    if (r->iterations == 0)
        return;
    clv_json_object(j, "step_iterations");
    clv_json_number(j, "mean", (double)r->iterations / (double)r->steps);
    clv_json_integer(j, "most", r->max_iterations);
    clv_json_integer(j, "missed_steps", r->missed_steps);
    clv_json_end(j);
    clv_json_number(j, "max_acceleration_violation", r->max_acceleration_violation);
}

void clv_summary_json_run(clv_json *j, const clv_sim_report *r, double wall)
{
    json_rows(j, r, CLV_REPORT_WORK);
    clv_json_number(j, "wall_seconds", wall);
    clv_json_number(j, "seconds_per_evaluation", r->rate_evaluations > 0 ? wall / (double)r->rate_evaluations : NAN);
    json_rows(j, r, CLV_REPORT_RUN);
    json_iterations(j, r);
    if (r->step > 0)
        clv_json_number(j, "step", r->step);
    json_step_iterations(j, r);
}

void clv_summary_json_modes(clv_json *j, const clv_sim *sim, int body, bool accelerations)
{
    const double *q, *u, *udot;
    int n = clv_sim_modes(sim, body, &q, &u, &udot);
    if (n == 0)
        return;
    clv_json_object(j, "modes");
    clv_json_numbers(j, "q", q, n);
    clv_json_numbers(j, "u", u, n);
    if (udot && accelerations)
        clv_json_numbers(j, "udot", udot, n);
    clv_json_end(j);
}

void clv_summary_json_momentum(clv_json *j, const clv_sim *sim)
{
    clv_momentum m;
    clv_sim_momentum(sim, &m);
    clv_json_object(j, "momentum");
    clv_json_number(j, "mass", m.mass);
    clv_json_numbers(j, "centre", m.centre, 3);
    clv_json_numbers(j, "linear", m.linear, 3);
    clv_json_numbers(j, "angular", m.angular, 3);
    clv_json_end(j);
}

void clv_summary_json_bodies(clv_json *j, const clv_subject *s)
{
    const double *r = clv_sim_position(s->sim), *e = clv_sim_quaternion(s->sim), *V = clv_sim_velocity(s->sim);
    clv_json_object(j, "final");
    for (int i = 0; i < clv_model_body_count(s->model); ++i) {
        clv_json_object(j, clv_model_body_name(s->model, i));
        clv_json_numbers(j, "position", r + 3 * i, 3);
        clv_json_numbers(j, "velocity", V + 6 * i, 3);
        clv_json_numbers(j, "quaternion", e + 4 * i, 4);
        clv_json_numbers(j, "angular_velocity", V + 6 * i + 3, 3);
        clv_summary_json_modes(j, s->sim, i, false);
        clv_json_end(j);
    }
    clv_json_end(j);
}

void clv_summary_json_limit(clv_json *j, const clv_subject *s)
{
    clv_step_limit x = {-1, -1, -1, NAN, NAN};
    const bool known = clv_sim_step_limit(s->sim, &x);
    clv_json_object(j, "step_limit");
    clv_json_text(j, "body", known ? clv_model_body_name(s->model, x.body) : "");
    clv_json_text(j, "joint", known && x.joint >= 0 ? clv_model_joint_name(s->model, x.joint) : "");
    clv_json_integer(j, "mode", known && x.mode >= 0 ? x.mode + 1 : 0);
    clv_json_number(j, "frequency", x.frequency);
    clv_json_number(j, "share", x.share);
    clv_json_end(j);
}
