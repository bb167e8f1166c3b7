/* SPDX-License-Identifier: Apache-2.0
 * cleave equilibrium: the static equilibrium that the start comes to rest in (T58), its stability, and a model file
 * that starts there. */
#include "base/error.h"
#include "cli/file.h"
#include "cli/start_file.h"
#include "cli/summary.h"
#include "model/joint.h"
#include "model/model.h"
#include "simulation/react.h"
#include <math.h>
#include <string.h>

typedef struct equilibrium_settings {
    const char *out;
    clv_words inputs;
    bool leave, force, lenient, json;
} equilibrium_settings;

#define AT(field) offsetof(equilibrium_settings, field)
static const clv_option options[] = {
    {"out", CLV_OPTION_TEXT, AT(out), "NEW.yaml", "write a model file that starts there, at rest", 0, 0, false},
    {"leave", CLV_OPTION_FLAG, AT(leave), NULL, "from an unstable equilibrium continue to a stable one", 0, 0, false},
    {"input", CLV_OPTION_TEXTS, AT(inputs), "NAME=X", "value of an input of the model; may be repeated", 0, 0, false},
    {"force", CLV_OPTION_FLAG, AT(force), NULL, "replace an existing file", 0, 0, false},
    {"lenient", CLV_OPTION_FLAG, AT(lenient), NULL, "clip inertias that no rigid body has, and list them", 0, 0, false},
    {"json", CLV_OPTION_FLAG, AT(json), NULL, "print one JSON object instead of text", 0, 0, false},
    {0},
};

static const char *const word[] = {[CLV_STABLE] = "stable", [CLV_NEUTRAL] = "neutral", [CLV_UNSTABLE] = "unstable"};

static void print_kind(const clv_equilibrium *f)
{
    clv_label("equilibrium");
    if (f->freedoms == 0)
        printf("stable: nothing can move\n");
    else if (f->stability == CLV_STABLE)
        printf("stable, %d degree%s of freedom; least stiff at '%s', %.4g N m for 1 rad or the size of the model\n",
               f->freedoms, f->freedoms == 1 ? "" : "s", f->joint, f->stiffness);
    else if (f->stability == CLV_NEUTRAL)
        printf("neutral: of %d degree%s of freedom %d %s held by nothing, most at '%s'\n", f->freedoms,
               f->freedoms == 1 ? "" : "s", f->neutral, f->neutral == 1 ? "is" : "are", f->joint);
    else
        printf("UNSTABLE in %d of %d degree%s of freedom, most at '%s', %.4g N m for 1 rad or the size of the model; "
               "--leave continues to a stable one\n",
               f->unstable, f->freedoms, f->freedoms == 1 ? "" : "s", f->joint, f->stiffness);
    clv_label("found");
    printf("in %d step%s, moved by at most %.6g m or rad; loads left %.2g of the largest", f->iterations,
           f->iterations == 1 ? "" : "s", f->moved, f->residual);
    if (!isnan(f->acceleration))
        printf(", accelerations %.2g m/s^2 or rad/s^2", f->acceleration);
    printf("\n");
}

/* Coordinates of the joints and what acts there. */
static void print_joints(const clv_subject *s)
{
    enum { SHOWN = 30 };
    int shown = 0;
    for (int i = 0; i < s->model->njoint && clv_sim_react(s->sim) == CLV_OK; ++i) {
        clv_joint_result r;
        clv_sim_reaction(s->sim, i, &r);
        if (r.nq == 0 || ++shown > SHOWN)
            continue;
        clv_label(shown == 1 ? "joints" : "");
        printf("%-16s", s->model->joint[i].name);
        for (int c = 0; c < r.nq; ++c)
            printf(" %.9g", r.q[c]);
        printf(r.nq == r.nu && r.nu == 1 ? " %s\n" : "\n",
               clv_joint_shift(s->model->joint[i].kind, 0) ? "m" : "rad");
    }
    if (shown > SHOWN) {
        clv_label("");
        printf("and %d more (--json has all)\n", shown - SHOWN);
    }
}

static void print_json(const clv_subject *s, const clv_equilibrium *f, const char *out)
{
    clv_json j = clv_json_begin(stdout);
    clv_json_object(&j, NULL);
    clv_json_text(&j, "status", "ok");
    clv_json_text(&j, "model", clv_model_name(s->model));
    clv_json_text(&j, "stability", word[f->stability]);
    clv_json_integer(&j, "degrees_of_freedom", f->freedoms);
    clv_json_integer(&j, "unstable", f->unstable), clv_json_integer(&j, "neutral", f->neutral);
    clv_json_number(&j, "stiffness", f->stiffness);
    clv_json_text(&j, "joint", f->joint);
    clv_json_integer(&j, "steps", f->iterations);
    clv_json_number(&j, "residual", f->residual);
    clv_json_number(&j, "acceleration", f->acceleration);
    clv_json_number(&j, "moved", f->moved);
    clv_json_object(&j, "joints");
    for (int i = 0; i < s->model->njoint && clv_sim_react(s->sim) == CLV_OK; ++i) {
        clv_joint_result r;
        clv_sim_reaction(s->sim, i, &r);
        clv_json_object(&j, s->model->joint[i].name);
        clv_json_numbers(&j, "q", r.q, r.nq);
        clv_json_numbers(&j, "force", r.force, 3), clv_json_numbers(&j, "torque", r.torque, 3);
        clv_json_numbers(&j, "effort", r.effort, r.nu);
        clv_json_end(&j);
    }
    clv_json_end(&j);
    clv_json_object(&j, "bodies");
    const double *position = clv_sim_position(s->sim), *turn = clv_sim_quaternion(s->sim);
    for (int i = 0; i < s->model->nbody; ++i) {
        clv_json_object(&j, s->model->body[i].name);
        clv_json_numbers(&j, "position", position + 3 * (size_t)i, 3);
        clv_json_numbers(&j, "quaternion", turn + 4 * (size_t)i, 4);
        clv_json_end(&j);
    }
    clv_json_end(&j);
    if (out)
        clv_json_text(&j, "file", out);
    clv_json_end(&j);
}

/* The text of the new file is made last: it takes the model. */
static clv_exit write_file(clv_subject *s, const equilibrium_settings *set, const clv_equilibrium *f,
                           const clv_sim_options *o, const clv_output_rule *rule)
{
    clv_start_file file;
    clv_error e;
    char head[400], source[256];
    clv_error_text(source, sizeof source, s->source);
    snprintf(head, sizeof head, "%s in a %s equilibrium", source, word[f->stability]);
    const clv_status status = clv_start_file_make(&file, s->sim, s->model, head, o, &e);
    clv_exit code = CLV_EXIT_DONE;
    if (status != CLV_OK)
        code = clv_tell("equilibrium", set->json, clv_exit_of(status, true), "%s", e.message);
    else
        code = clv_file_write("equilibrium", set->out, file.text, file.size, rule);
    clv_start_file_release(&file);
    return code;
}

static clv_exit find(clv_subject *s, const equilibrium_settings *set, const clv_sim_options *o)
{
    clv_equilibrium found;
    const char *none[] = {NULL}, *const *input = clv_subject_inputs(s);
    const clv_output_rule rule = {.force = set->force, .input = input ? input : none};
    clv_exit code = set->out ? clv_file_check("equilibrium", set->out, &rule) : CLV_EXIT_DONE;
    if (code != CLV_EXIT_DONE)
        return code;
    const clv_status status = clv_sim_equilibrium(s->sim, set->leave, &found);
    if (status != CLV_OK)
        return clv_subject_fail(s, status);
    if (!set->json)
        print_kind(&found), print_joints(s);
    else
        print_json(s, &found, set->out);
    if (set->out)
        code = write_file(s, set, &found, o, &rule);
    if (set->out && !set->json && code == CLV_EXIT_DONE) {
        clv_label("written");
        printf("%s starts there, at rest.  Next: cleave run %s\n", set->out, set->out);
    }
    return code;
}

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    equilibrium_settings set = {0};
    clv_sim_options o = clv_sim_options_default();
    o.formulation = "dca";
    clv_exit code = clv_command_read(self, &set, &words, 1, CLV_WORDS_MAX, argc, argv);
    if (code != CLV_EXIT_DONE)
        return code;
    clv_subject s = {.command = "equilibrium", .json = set.json, .lenient = set.lenient, .inputs = &set.inputs};
    code = clv_subject_open(&s, &words, &o);
    if (code == CLV_EXIT_DONE)
        code = find(&s, &set, &o);
    clv_subject_close(&s);
    return code;
}

const clv_command clv_command_equilibrium = {
    "equilibrium",
    "MODEL [key=value ...]",
    "the position of rest, and is it stable",
    "  cleave equilibrium mine.yaml\n"
    "  cleave equilibrium mine.yaml --out rest.yaml\n"
    "  cleave equilibrium mine.yaml --input load=200 --json\n"
    "\n"
    "Moves the start to a static equilibrium: loops closed, motions held at their start, inputs at their values.  The\n"
    "way follows the work of all loads, so it leads to a stable equilibrium; a start that is in an unstable one stays\n"
    "there and is named, unless --leave is given.  NEW.yaml is the model with this start.",
    options,
    command,
};
