/* SPDX-License-Identifier: Apache-2.0
 * cleave equilibrium: the static equilibrium that the start comes to rest in (T58), its stability, and a model file
 * that starts there. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
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
    bool leave, modes, force, lenient, json;
} equilibrium_settings;

#define AT(field) offsetof(equilibrium_settings, field)
static const clv_option options[] = {
    {"out", CLV_OPTION_TEXT, AT(out), "NEW.yaml", "write a model file that starts at this equilibrium", 0, 0, false},
    {"leave", CLV_OPTION_FLAG, AT(leave), NULL, "leave an unstable equilibrium for a stable one", 0, 0, false},
    {"modes", CLV_OPTION_FLAG, AT(modes), NULL, "natural frequencies there", 0, 0, false},
    {"input", CLV_OPTION_TEXTS, AT(inputs), "NAME=X", "value of an input of the model; may be repeated", 0, 0, false},
    {"force", CLV_OPTION_FLAG, AT(force), NULL, "replace an existing file", 0, 0, false},
    {"lenient", CLV_OPTION_FLAG, AT(lenient), NULL, "clip physically impossible inertias, and list them", 0, 0, false},
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
static void print_joints(const clv_subject *s, const clv_joint_result *joint)
{
    enum { SHOWN = 30 };
    int shown = 0;
    for (int i = 0; i < s->model->njoint; ++i) {
        const clv_joint_result *r = &joint[i];
        if (r->nq == 0 || ++shown > SHOWN)
            continue;
        clv_label(shown == 1 ? "joints" : "");
        printf("%-16s", s->model->joint[i].name);
        for (int c = 0; c < r->nq; ++c)
            printf(" %.9g", r->q[c]);
        printf(r->nq == r->nu && r->nu == 1 ? " %s\n" : "\n",
               clv_joint_shift(s->model->joint[i].kind, 0) ? "m" : "rad");
    }
    if (shown > SHOWN) {
        clv_label("");
        printf("and %d more (--json has all)\n", shown - SHOWN);
    }
}

/* Natural frequencies, the lowest first. */
static void print_modes(const clv_natural_mode *mode, int n)
{
    enum { SHOWN = 30 };
    for (int i = 0; i < n && i < SHOWN; ++i) {
        clv_label(i == 0 ? "natural modes" : "");
        if (mode[i].frequency < 0)
            printf("grows e-fold in %.6g s", 1 / (2 * 3.141592653589793 * -mode[i].frequency));
        else
            printf("%.9g Hz", mode[i].frequency);
        if (mode[i].damping > 1e-12)
            printf(", damping ratio %.3g", mode[i].damping);
        for (int k = 0; k < 3 && *mode[i].joint[k]; ++k)
            printf("%s '%s' %.3g", k == 0 ? ":" : ",", mode[i].joint[k], mode[i].part[k]);
        printf("\n");
    }
    if (n > SHOWN) {
        clv_label("");
        printf("and %d more (--json has all)\n", n - SHOWN);
    }
}

static void json_modes(clv_json *j, const clv_natural_mode *mode, int n)
{
    clv_json_array(j, "modes");
    for (int i = 0; i < n; ++i) {
        clv_json_object(j, NULL);
        clv_json_number(j, "frequency", mode[i].frequency);
        clv_json_number(j, "damping", mode[i].damping);
        clv_json_object(j, "joints");
        for (int k = 0; k < 3 && *mode[i].joint[k]; ++k)
            clv_json_number(j, mode[i].joint[k], mode[i].part[k]);
        clv_json_end(j);
        clv_json_end(j);
    }
    clv_json_end(j);
}

/* joint: of every joint; the model may have been written since. */
static void print_json(const clv_subject *s, const clv_equilibrium *f, const char *out, const clv_natural_mode *mode,
                       const clv_joint_result *joint)
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
    for (int i = 0; i < s->model->njoint; ++i) {
        const clv_joint_result *r = &joint[i];
        clv_json_object(&j, s->model->joint[i].name);
        clv_json_numbers(&j, "q", r->q, r->nq);
        clv_json_numbers(&j, "force", r->force, 3), clv_json_numbers(&j, "torque", r->torque, 3);
        clv_json_numbers(&j, "effort", r->effort, r->nu);
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
    if (mode)
        json_modes(&j, mode, f->freedoms);
    if (out)
        clv_json_text(&j, "file", out);
    clv_json_end(&j);
}

/* The new file; it takes the model. */
static clv_exit write_file(clv_subject *s, const equilibrium_settings *set, const clv_equilibrium *f,
                           const clv_sim_options *o, const clv_output_rule *rule)
{
    clv_start_file file;
    clv_output out;
    clv_error e;
    char head[400], source[256];
    clv_error_text(source, sizeof source, s->source);
    snprintf(head, sizeof head, "%s in a %s equilibrium", source, word[f->stability]);
    clv_status status = clv_start_file_make(&file, set->out, s->sim, s->model, head, o, &e);
    clv_exit code = status == CLV_OK ? CLV_EXIT_DONE
                                     : clv_tell("equilibrium", set->json, clv_exit_of_run(status, &e), "%s", e.message);
    if (code == CLV_EXIT_DONE) {
        status = clv_output_open(&out, set->out, rule, &e);
        if (status == CLV_OK) {
            fwrite(file.text, 1, file.size, out.stream); /* closing reports what went wrong */
            status = clv_output_close(&out, true, &e);
        }
        code = status == CLV_OK ? CLV_EXIT_DONE : clv_file_tell("equilibrium", set->json, &e);
    }
    clv_start_file_release(&file);
    return code;
}

/* What was found as text; then the new file; JSON only once that is there. */
static clv_exit show_and_write(clv_subject *s, const equilibrium_settings *set, const clv_equilibrium *found,
                               const clv_natural_mode *mode, const clv_sim_options *o, const clv_output_rule *rule)
{
    clv_exit code = CLV_EXIT_DONE;
    clv_joint_result *joint = clv_alloc((size_t)s->model->njoint + 1, sizeof *joint);
    if (!joint)
        return clv_tell("equilibrium", set->json, CLV_EXIT_RESOURCES, "out of memory");
    for (int i = 0; i < s->model->njoint; ++i)
        clv_sim_reaction(s->sim, i, &joint[i]);
    if (!set->json) {
        print_kind(found), print_joints(s, joint);
        print_modes(mode, mode ? found->freedoms : 0);
    }
    if (set->out)
        code = write_file(s, set, found, o, rule);
    if (set->json && code == CLV_EXIT_DONE)
        print_json(s, found, set->out, mode, joint);
    if (set->out && !set->json && code == CLV_EXIT_DONE) {
        char name[CLV_TEXT_WORD];
        clv_label("written");
        printf("%s starts there, at rest.  Next: cleave run %s\n", set->out, clv_text_word(set->out, name));
    }
    clv_free(joint);
    return code;
}

static clv_exit find(clv_subject *s, const equilibrium_settings *set, const clv_sim_options *o)
{
    clv_equilibrium found;
    clv_error e;
    clv_natural_mode *mode = NULL;
    const char *none[] = {NULL}, *const *input = clv_subject_inputs(s);
    const clv_output_rule rule = {.force = set->force, .input = input ? input : none};
    if (s->file && !input)
        return clv_tell("equilibrium", set->json, CLV_EXIT_RESOURCES, "out of memory");
    if (set->out && clv_output_check(set->out, &rule, &e) != CLV_OK)
        return clv_file_tell("equilibrium", set->json, &e);
    clv_status status = clv_sim_equilibrium(s->sim, set->leave, &found);
    if (status != CLV_OK)
        return clv_subject_fail(s, status);
    if (set->modes) {
        mode = clv_alloc((size_t)found.freedoms + 1, sizeof *mode);
        if (!mode)
            return clv_tell("equilibrium", set->json, CLV_EXIT_RESOURCES, "out of memory");
        status = clv_sim_natural_modes(s->sim, mode, found.freedoms, NULL);
    }
    if (status == CLV_OK)
        status = clv_sim_react(s->sim);
    const clv_exit code =
        status == CLV_OK ? show_and_write(s, set, &found, mode, o, &rule) : clv_subject_fail(s, status);
    clv_free(mode);
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
    "static equilibrium near the start, and whether it is stable",
    "  cleave equilibrium mine.yaml\n"
    "  cleave equilibrium mine.yaml --out rest.yaml\n"
    "  cleave equilibrium mine.yaml --modes                natural frequencies\n"
    "  cleave equilibrium mine.yaml --input load=200 --json\n"
    "\n"
    "Moves the start to a static equilibrium: loops closed, motions held at their start, inputs at their values.  The\n"
    "way follows the work of all loads, so it leads to a stable equilibrium; a start that is in an unstable one stays\n"
    "there and is named, unless --leave is given.  NEW.yaml is the model with this start.",
    options,
    command,
};
