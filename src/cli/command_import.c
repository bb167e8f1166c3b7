/* SPDX-License-Identifier: Apache-2.0
 * cleave import: a robot (URDF, MJCF) as a model file, with a list of what the model does not carry. */
#include "base/memory.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/file.h"
#include "io/error_print.h"
#include "io/yaml_write.h"
#include "model/model.h"
#include "io/yaml_read.h"
#include <math.h>
#include <string.h>

typedef struct import_settings {
    clv_robot_options robot;
    bool strict, force;
} import_settings;

#define AT(field) offsetof(import_settings, field)
static const clv_option options[] = {
    {"floating", CLV_OPTION_FLAG, AT(robot.floating), NULL,
     "URDF: the root link moves freely; else it is fixed to the ground", 0, 0, false},
    {"friction", CLV_OPTION_FLAG, AT(robot.friction), NULL,
     "dry friction of joints is carried over, as `friction` of joint-loads", 0, 0, false},
    {"stops", CLV_OPTION_TEXT, AT(robot.stops), "WORD",
     "limits of joints become stops: none, rigid, or their stiffness in N m/rad and N/m; default: rigid where contacts "
     "are, else none", 0, 0, false},
    {"contacts", CLV_OPTION_TEXT, AT(robot.contacts), "WORD",
     "contacts: none, rigid, or their stiffness in N/m^1.5; default: MJCF rigid, URDF none", 0, 0, false},
    {"floor", CLV_OPTION_TEXT, AT(robot.floor), "Z",
     "with contacts: a floor at the height Z, in m", 0, 0, false},
    {"lenient", CLV_OPTION_FLAG, AT(robot.lenient), NULL, "clip physically impossible inertias, and list them", 0, 0,
     false},
    {"strict", CLV_OPTION_FLAG, AT(strict), NULL, "fail if something that can change the motion is not carried over", 0,
     0, false},
    {"force", CLV_OPTION_FLAG, AT(force), NULL, "replace an existing file", 0, 0, false},
    {0},
};

/* Everything that is not carried over; the number of those that can change the motion. */
static int list(const clv_model *m)
{
    int harmful = 0;
    for (int i = 0; i < clv_model_dropped_count(m); ++i) {
        const clv_dropped *d = clv_model_dropped_at(m, i);
        clv_print_text(stderr, d->file);
        fprintf(stderr, ":%d:%d: not carried over: ", d->line, d->column);
        clv_print_text(stderr, d->text);
        fputs(d->harmful ? " (can change the motion)\n" : "\n", stderr);
        harmful += d->harmful;
    }
    return harmful;
}

static bool lacks(const clv_model *m, const char *kind, const char *text)
{
    for (int i = 0; i < clv_model_dropped_count(m); ++i) {
        const clv_dropped *d = clv_model_dropped_at(m, i);
        if (strcmp(d->kind, kind) == 0 && strncmp(d->text, text, strlen(text)) == 0)
            return true;
    }
    return false;
}

/* The options that would carry more over. */
static void offer(const clv_model *m, const clv_robot_options *given)
{
    const bool stops = !given->stops && lacks(m, "position limit", "position limits of joint");
    const bool friction = !given->friction && lacks(m, "friction", "dry friction of joint");
    if (stops || friction)
        fprintf(stderr, "cleave import: %s%s%s\n",
                stops ? "--stops K makes soft stops of the limits of joints, --stops rigid rigid ones" : "",
                stops && friction ? ", " : "", friction ? "--friction keeps their dry friction" : "");
}

/* ---------------------------------------------------------------- the model file */

typedef struct text {
    char *text;
    size_t used, capacity;
    bool full;
} text;

static void put(text *t, const char *s)
{
    const size_t n = strlen(s);
    if (t->used + n + 1 > t->capacity && !t->full) {
        char *wider = clv_resize(t->text, 2 * t->capacity + n + 1024, 1);
        t->full = !wider;
        t->text = wider ? wider : t->text;
        t->capacity = wider ? 2 * t->capacity + n + 1024 : t->capacity;
    }
    if (t->full)
        return;
    memcpy(t->text + t->used, s, n + 1);
    t->used += n;
}

/* Text of a comment: what has an effect on a terminal is spelt out, so that it stays on its line. */
static void put_shown(text *t, const char *s)
{
    for (char shown[CLV_SHOWN]; *s; put(t, shown))
        s += clv_text_next(s, shown);
}

/* The model with a comment on where it is from and what is missing, as text of a file (NULL: none). */
static clv_status write_model(text *t, const clv_model *m, const char *source, const char *path)
{
    char *model = NULL, line[64];
    const clv_status status = clv_model_write_text_for(m, path, &model, NULL);
    const int n = clv_model_dropped_count(m);
    int i = 0;
    put(t, "# Written by `cleave import ");
    put_shown(t, source);
    put(t, "`.\n");
    for (; i < n && clv_model_dropped_at(m, i)->harmful; ++i) {
        snprintf(line, sizeof line, "# Not carried over (line %d): ", clv_model_dropped_at(m, i)->line);
        put(t, line);
        put_shown(t, clv_model_dropped_at(m, i)->text);
        put(t, "\n");
    }
    if (i < n) {
        snprintf(line, sizeof line, "# Nor %d other item%s, which cannot change the motion.\n", n - i,
                 n - i > 1 ? "s" : "");
        put(t, line);
    }
    put(t, model ? model : "");
    clv_free(model);
    return status == CLV_OK && t->full ? CLV_ERR_MEMORY : status;
}

/* To the file, or to standard output. */
static clv_exit put_out(const clv_subject *s, const char *path, const import_settings *set, const char *const *input)
{
    text t = {0};
    const clv_output_rule rule = {.force = set->force, .input = input};
    const clv_status status = write_model(&t, s->model, s->source, path);
    clv_exit code = CLV_EXIT_DONE;
    if (status != CLV_OK)
        code = clv_tell("import", false, clv_exit_of(status, false), "%s", clv_status_text(status));
    else if (path)
        code = clv_file_write("import", path, t.text, t.used, &rule);
    else
        fwrite(t.text, 1, t.used, stdout);
    clv_free(t.text);
    return code;
}

static clv_exit convert(clv_subject *s, const clv_words *words, const import_settings *set)
{
    const char *path = words->n > 1 ? words->word[1] : NULL;
    const clv_words robot = {1, {words->word[0]}};
    clv_exit code = clv_subject_model(s, &robot);
    if (code != CLV_EXIT_DONE)
        return code;
    const int harmful = list(s->model), all = clv_model_dropped_count(s->model);
    offer(s->model, &set->robot);
    if (set->strict && harmful > 0)
        return clv_tell("import", false, CLV_EXIT_MODEL, "--strict: %d item%s can change the motion and would be lost",
                        harmful, harmful > 1 ? "s" : "");
    const char *const *input = clv_subject_inputs(s);
    code = input ? put_out(s, path, set, input) : clv_tell("import", false, CLV_EXIT_RESOURCES, "out of memory");
    if (code == CLV_EXIT_DONE && path)
        printf("%s is written: %d bodies, %d joints; %d item%s not carried over, %d of them can change the motion\n",
               path, clv_model_body_count(s->model), clv_model_joint_count(s->model), all, all == 1 ? "" : "s",
               harmful);
    return code;
}

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    import_settings set = {0};
    clv_exit code = clv_command_read(self, &set, &words, 1, 2, argc, argv);
    if (code != CLV_EXIT_DONE)
        return code;
    if (set.robot.contacts && !clv_robot_word_known(set.robot.contacts))
        return clv_tell("import", false, CLV_EXIT_USAGE, "--contacts %s: give none, rigid, or a stiffness > 0",
                        set.robot.contacts);
    if (set.robot.stops && !clv_robot_word_known(set.robot.stops))
        return clv_tell("import", false, CLV_EXIT_USAGE, "--stops %s: give none, rigid, or a stiffness > 0",
                        set.robot.stops);
    if (set.robot.floor && !clv_robot_floor_known(set.robot.floor))
        return clv_tell("import", false, CLV_EXIT_USAGE, "--floor %s: give a height in m", set.robot.floor);
    clv_subject s = {.command = "import", .lenient = set.robot.lenient, 
                     .robot = &set.robot, .listed = true};
    code = convert(&s, &words, &set);
    clv_subject_close(&s);
    return code;
}

const clv_command clv_command_import = {
    "import",
    "ROBOT [MODEL.yaml]",
    "convert a robot (URDF, MJCF or SDF) to a model file",
    "  cleave import arm.urdf arm.yaml\n"
    "  cleave import dog.urdf dog.yaml --floating\n"
    "  cleave import humanoid.xml humanoid.yaml\n"
    "  cleave import gripper.sdf gripper.yaml\n"
    "  cleave import hand.urdf hand.yaml --stops 100 --friction\n"
    "  cleave import dog.urdf dog.yaml --floating --contacts rigid --floor 0\n"
    "  cleave import arm.urdf > arm.yaml\n"
    "\n"
    "Writes the model.  What is not converted is listed on standard error with its line: first what can change the\n"
    "motion (limits, friction), then what cannot (meshes).  Every command that reads a model reads these, too.\n"
    "What becomes what: docs/robots.md.",
    options,
    command,
};
