/* SPDX-License-Identifier: Apache-2.0
 * cleave eval: accelerations, momenta, efforts, reactions and energy of one state: the start, or that at --time.  The
 * text is in eval_text.c. */
#include "base/memory.h"
#include "cli/contacts.h"
#include "cli/eval.h"
#include "cli/summary.h"
#include "io/columns.h"
#include <math.h>
#include <string.h>

typedef struct eval_settings {
    clv_sim_options sim;
    clv_words inputs;
    double time; /* s */
    const char *columns;
    bool json, lenient;
} eval_settings;

#define AT(field) offsetof(eval_settings, field)
static const clv_option options[] = {
    {"time", CLV_OPTION_NUMBER, AT(time), "T", "state to look at, in simulated seconds; default: 0, the start", 0,
     INFINITY, false},
    {"columns", CLV_OPTION_TEXT, AT(columns), "LIST",
     "print these numbers only: names and patterns with commas, as 'L.effort,tip.*'", 0, 0, false},
    CLV_STEP_OPTIONS,
    CLV_SIM_OPTION(rank, AT(sim.rank)),
    CLV_SIM_OPTION(contradiction, AT(sim.contradiction)),
    CLV_SIM_OPTION(threads, AT(sim.threads)),
    {"input", CLV_OPTION_TEXTS, AT(inputs), "NAME=X", "value of an input of the model; may be repeated", 0, 0, false},
    {"lenient", CLV_OPTION_FLAG, AT(lenient), NULL, "clip physically impossible inertias, and list them", 0, 0, false},
    {"json", CLV_OPTION_FLAG, AT(json), NULL, "print one JSON object instead of text", 0, 0, false},
    {0},
};

/* ---------------------------------------------------------------- JSON */

static void json_bodies(clv_json *j, const clv_subject *s)
{
    const double *r = clv_sim_position(s->sim), *e = clv_sim_quaternion(s->sim);
    const double *V = clv_sim_velocity(s->sim), *A = clv_sim_acceleration(s->sim);
    clv_json_object(j, "bodies");
    for (int i = 0; i < clv_model_body_count(s->model); ++i) {
        clv_json_object(j, clv_model_body_name(s->model, i));
        clv_json_numbers(j, "position", r + 3 * i, 3);
        clv_json_numbers(j, "quaternion", e + 4 * i, 4);
        clv_json_numbers(j, "velocity", V + 6 * i, 3);
        clv_json_numbers(j, "angular_velocity", V + 6 * i + 3, 3);
        clv_json_numbers(j, "acceleration", A + 6 * i, 3);
        clv_json_numbers(j, "angular_acceleration", A + 6 * i + 3, 3);
        clv_summary_json_modes(j, s->sim, i, true);
        clv_json_end(j);
    }
    clv_json_end(j);
}

static void json_joint(clv_json *j, const char *name, const clv_joint_result *x)
{
    clv_json_object(j, name);
    clv_json_bool(j, "tree", x->tree);
    clv_json_numbers(j, "q", x->q, x->nq);
    clv_json_numbers(j, "u", x->u, x->nu);
    clv_json_numbers(j, "udot", x->udot, x->nu);
    clv_json_numbers(j, "p", x->p, x->nu);
    clv_json_numbers(j, "pdot", x->pdot, x->nu);
    clv_json_numbers(j, "force", x->force, 3);
    clv_json_numbers(j, "torque", x->torque, 3);
    clv_json_numbers(j, "drive_force", x->drive_force, 3);
    clv_json_numbers(j, "drive_torque", x->drive_torque, 3);
    clv_json_numbers(j, "effort", x->effort, x->nu);
    clv_json_array(j, "unique");
    for (int k = 0; k < 6; ++k)
        clv_json_bool(j, NULL, x->unique[k]);
    clv_json_end(j);
    clv_json_bool(j, "effort_unique", x->effort_unique);
    clv_json_end(j);
}

static void json_markers(clv_json *j, const clv_subject *s)
{
    const double *x = clv_sim_marker(s->sim), *A = clv_sim_marker_acceleration(s->sim);
    clv_json_object(j, "markers");
    for (int i = 0; i < clv_model_marker_count(s->model); ++i) {
        clv_json_object(j, clv_model_marker_name(s->model, i));
        clv_json_numbers(j, "position", x + 6 * i, 3);
        clv_json_numbers(j, "velocity", x + 6 * i + 3, 3);
        clv_json_numbers(j, "acceleration", A + 3 * i, 3);
        clv_json_end(j);
    }
    clv_json_end(j);
}

static clv_status print_json(const clv_subject *s, const clv_sim_report *r)
{
    double kinetic, potential, work;
    clv_sim_energy(s->sim, &kinetic, &potential, &work);
    clv_status status = CLV_OK;
    clv_json j = clv_json_begin(stdout);
    clv_json_object(&j, NULL);
    clv_json_text(&j, "status", "ok");
    clv_summary_json_size(&j, s, r, true);
    clv_json_number(&j, "time", clv_sim_time(s->sim));
    clv_json_number(&j, "energy", clv_sim_time(s->sim) > 0 ? kinetic + potential : r->energy_initial);
    clv_summary_json_momentum(&j, s->sim);
    json_bodies(&j, s);
    json_markers(&j, s);
    clv_json_object(&j, "joints");
    for (int i = 0; i < clv_model_joint_count(s->model) && status == CLV_OK; ++i) {
        clv_joint_result x;
        status = clv_sim_joint(s->sim, i, &x);
        if (status == CLV_OK)
            json_joint(&j, clv_model_joint_name(s->model, i), &x);
    }
    clv_json_end(&j);
    if (status == CLV_OK)
        status = clv_contacts_json(&j, s);
    clv_json_end(&j);
    return status;
}

/* ---------------------------------------------------------------- text */

/* One number a line: name, value, unit. */
static clv_exit print_columns(const clv_subject *s, const eval_settings *set)
{
    clv_columns c;
    clv_error e;
    clv_status status = clv_columns_create(&c, s->model, set->columns, false, &e);
    double *frame = status == CLV_OK ? clv_alloc((size_t)c.width, sizeof(double)) : NULL;
    if (!frame) {
        const clv_exit code =
            clv_tell("eval", set->json, clv_exit_of(status == CLV_OK ? CLV_ERR_MEMORY : status, false), "%s",
                     status == CLV_OK ? "out of memory" : e.message);
        if (status != CLV_OK && *e.hint)
            fprintf(stderr, "  %s\n", e.hint);
        clv_columns_release(&c);
        return code;
    }
    clv_columns_fill(c.column, c.n, s->sim, frame);
    clv_json j = clv_json_begin(stdout);
    if (set->json)
        clv_json_object(&j, NULL);
    for (int i = 0; i < c.n; ++i)
        for (int k = 0; k < c.column[i].count; ++k) {
            char name[256];
            snprintf(name, sizeof name, c.column[i].count > 1 ? "%s.%c" : "%s", c.column[i].name,
                     c.column[i].axes[2 * k]);
            if (set->json)
                clv_json_number(&j, name, frame[c.column[i].first + k]);
            else
                printf("%-28s %16.9g %s\n", name, frame[c.column[i].first + k], c.column[i].unit);
        }
    if (set->json)
        clv_json_end(&j);
    clv_free(frame), clv_columns_release(&c);
    return CLV_EXIT_DONE;
}

static clv_exit show(clv_subject *s, const eval_settings *set)
{
    clv_sim_report report;
    clv_status status = set->time > 0 ? clv_sim_advance(s->sim, set->time) : CLV_OK;
    if (status == CLV_OK)
        status = clv_sim_evaluate(s->sim);
    clv_sim_summary(s->sim, &report);
    if (status != CLV_OK)
        return clv_subject_fail(s, status);
    if (set->columns)
        return print_columns(s, set);
    status = set->json ? print_json(s, &report) : clv_eval_print(s, &report);
    return status == CLV_OK ? CLV_EXIT_DONE : CLV_EXIT_NUMERICAL;
}

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    eval_settings set = {.sim = clv_sim_options_default()};
    set.sim.threads = 0; /* auto */
    clv_exit code = clv_command_read(self, &set, &words, 1, CLV_WORDS_MAX, argc, argv);
    if (code != CLV_EXIT_DONE)
        return code;
    clv_subject s = {.command = "eval", .json = set.json, .lenient = set.lenient, .inputs = &set.inputs};
    code = clv_subject_open(&s, &words, &set.sim);
    if (code == CLV_EXIT_DONE)
        code = show(&s, &set);
    clv_subject_close(&s);
    return code;
}

const clv_command clv_command_eval = {
    "eval",
    "MODEL [key=value ...]",
    "accelerations, efforts, reactions and energy at one time",
    "  cleave eval hdca-case1\n"
    "  cleave eval mine.yaml --time 1.5\n"
    "  cleave eval mine.yaml --time 1.5 --columns 'L.effort,A.force'   inverse dynamics: the force of a driven joint\n"
    "  cleave eval mine.yaml --json\n"
    "\n"
    "Prints accelerations of bodies and markers, efforts of actuators, reactions of joints, energy and momentum at\n"
    "the start, or at --time after a run to there.  Components of reactions that are not unique (redundant "
    "constraints)\n"
    "stand in brackets: one of many sets that give this motion; another formulation may choose another.",
    options,
    command,
};
