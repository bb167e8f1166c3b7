/* SPDX-License-Identifier: Apache-2.0
 * cleave eval: accelerations, momenta, reactions and energy of the start state; nothing is advanced. */
#include "cli/summary.h"
#include <math.h>
#include <string.h>

typedef struct eval_settings {
    clv_sim_options sim;
    clv_words inputs;
    bool json, lenient;
} eval_settings;

#define AT(field) offsetof(eval_settings, field)
static const clv_option options[] = {
    CLV_SIM_OPTION(formulation, AT(sim.formulation)),
    CLV_SIM_OPTION(method, AT(sim.method)),
    CLV_SIM_OPTION(bracketing, AT(sim.bracketing)),
    CLV_SIM_OPTION(rank, AT(sim.rank)),
    CLV_SIM_OPTION(contradiction, AT(sim.contradiction)),
    CLV_SIM_OPTION(threads, AT(sim.threads)),
    {"input", CLV_OPTION_TEXTS, AT(inputs), "NAME=X", "value of an input of the model; may be repeated", 0, 0, false},
    {"lenient", CLV_OPTION_FLAG, AT(lenient), NULL, "clip inertias that no rigid body has, and list them", 0, 0, false},
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
        clv_summary_json_modes(j, s->sim, i);
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
    clv_json_array(j, "unique");
    for (int k = 0; k < 6; ++k)
        clv_json_bool(j, NULL, x->unique[k]);
    clv_json_end(j);
    clv_json_end(j);
}

static clv_status print_json(const clv_subject *s, const clv_sim_report *r)
{
    clv_status status = CLV_OK;
    clv_json j = clv_json_begin(stdout);
    clv_json_object(&j, NULL);
    clv_json_text(&j, "status", "ok");
    clv_summary_json_size(&j, s, r);
    clv_json_number(&j, "time", clv_sim_time(s->sim));
    clv_json_number(&j, "energy", r->energy_initial);
    clv_summary_json_momentum(&j, s->sim);
    json_bodies(&j, s);
    clv_json_object(&j, "joints");
    for (int i = 0; i < clv_model_joint_count(s->model) && status == CLV_OK; ++i) {
        clv_joint_result x;
        status = clv_sim_joint(s->sim, i, &x);
        if (status == CLV_OK)
            json_joint(&j, clv_model_joint_name(s->model, i), &x);
    }
    clv_json_end(&j);
    clv_json_end(&j);
    return status;
}

/* ---------------------------------------------------------------- text */

static void print_six(const char *name, const double *a, const double *b)
{
    printf("  %-14s %12.6g %12.6g %12.6g   %12.6g %12.6g %12.6g", name, a[0], a[1], a[2], b[0], b[1], b[2]);
}

static clv_status print_text(const clv_subject *s, const clv_sim_report *r)
{
    const double *A = clv_sim_acceleration(s->sim);
    bool doubtful = false;
    clv_summary_print_size(s, r);
    clv_momentum m;
    clv_sim_momentum(s->sim, &m);
    printf("momentum            %.6g %.6g %.6g kg m/s; angular, about the centre of mass: %.6g %.6g %.6g kg m^2/s\n",
           m.linear[0], m.linear[1], m.linear[2], m.angular[0], m.angular[1], m.angular[2]);
    printf(
        "energy              %.10g J\n\nacceleration of the centres of mass (m/s^2), angular acceleration (rad/s^2)\n",
        r->energy_initial);
    for (int i = 0; i < clv_model_body_count(s->model); ++i) {
        print_six(clv_model_body_name(s->model, i), A + 6 * i, A + 6 * i + 3);
        printf("\n");
    }
    printf("\nconstraint force (N) and torque (N m) of every joint on its second body, global axes\n");
    for (int i = 0; i < clv_model_joint_count(s->model); ++i) {
        clv_joint_result x;
        bool unique = true;
        clv_status status = clv_sim_joint(s->sim, i, &x);
        if (status != CLV_OK)
            return status;
        for (int k = 0; k < 6; ++k)
            unique = unique && x.unique[k];
        doubtful = doubtful || !unique;
        print_six(clv_model_joint_name(s->model, i), x.force, x.torque);
        printf("%s\n", unique ? "" : "  *");
    }
    if (doubtful)
        printf("  * the motion does not determine every component; one of the possible sets is shown\n");
    return CLV_OK;
}

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    eval_settings set = {.sim = clv_sim_options_default()};
    clv_exit code = clv_command_read(self, &set, &words, 1, CLV_WORDS_MAX, argc, argv);
    if (code != CLV_EXIT_DONE)
        return code;
    clv_subject s = {.command = "eval", .json = set.json, .lenient = set.lenient, .inputs = &set.inputs};
    code = clv_subject_open(&s, &words, &set.sim);
    if (code == CLV_EXIT_DONE) {
        clv_sim_report report;
        clv_status status = clv_sim_evaluate(s.sim);
        clv_sim_summary(s.sim, &report);
        if (status != CLV_OK)
            code = clv_subject_fail(&s, status);
        else if ((set.json ? print_json(&s, &report) : print_text(&s, &report)) != CLV_OK)
            code = CLV_EXIT_NUMERICAL;
    }
    clv_subject_close(&s);
    return code;
}

const clv_command clv_command_eval = {
    "eval", "MODEL [key=value ...]", "accelerations, reactions and energy at the start",
    "  cleave eval hdca-case1\n"
    "  cleave eval mine.yaml --json\n"
    "\n"
    "No time passes: what are the accelerations of the bodies, the forces in the joints and the energy in the start\n"
    "state?  A joint force that the motion does not determine (redundant constraints) is marked; it is one\n"
    "of many that give this motion, and another formulation may choose another.",
    options, command,
};
