/* SPDX-License-Identifier: Apache-2.0
 * cleave linearize: the linear system about a state (T64), its eigenvalues, and a file with A, B, C, D. */
#include "base/error.h"
#include "base/memory.h"
#include "cli/file.h"
#include "cli/linearize.h"
#include "cli/summary.h"
#include <math.h>
#include <string.h>

typedef struct linearize_settings {
    clv_sim_options sim;
    clv_words inputs;
    double time; /* s */
    const char *outputs, *out;
    bool equilibrium, force, lenient, json;
} linearize_settings;

#define AT(field) offsetof(linearize_settings, field)
static const clv_option options[] = {
    {"outputs", CLV_OPTION_TEXT, AT(outputs), "LIST", "outputs y: names and patterns with commas, as 'tip.position.y'",
     0, 0, false},
    {"out", CLV_OPTION_TEXT, AT(out), "FILE", "write A, B, C, D and names: .npz (NumPy) or .mat (MATLAB)", 0, 0, false},
    {"time", CLV_OPTION_NUMBER, AT(time), "T", "state after a run to T, s; default: 0, the start", 0, INFINITY, false},
    {"equilibrium", CLV_OPTION_FLAG, AT(equilibrium), NULL, "state: the static equilibrium near the start", 0, 0,
     false},
    {"formulation", CLV_OPTION_TEXT, AT(sim.formulation), "NAME", "dca (default), hdca, connection, massmatrix", 0, 0,
     false},
    {"input", CLV_OPTION_TEXTS, AT(inputs), "NAME=X", "value of an input of the model; may be repeated", 0, 0, false},
    {"force", CLV_OPTION_FLAG, AT(force), NULL, "replace an existing file", 0, 0, false},
    {"lenient", CLV_OPTION_FLAG, AT(lenient), NULL, "clip physically impossible inertias, and list them", 0, 0, false},
    {"json", CLV_OPTION_FLAG, AT(json), NULL, "print one JSON object instead of text", 0, 0, false},
    {0},
};

/* ------------------------------------------------------------------ the outputs */

/* y: the chosen columns; the time, which comes first, is none */
typedef struct outputs {
    clv_columns columns;
    double *frame;
} outputs;

static clv_status fill_outputs(void *user, clv_sim *sim, double *y)
{
    outputs *o = user;
    clv_columns_fill(o->columns.column, o->columns.n, sim, o->frame);
    memcpy(y, o->frame + 1, (size_t)(o->columns.width - 1) * sizeof(double));
    return CLV_OK;
}

static clv_exit open_outputs(outputs *o, const clv_subject *s, const linearize_settings *set)
{
    clv_error e;
    const clv_status status =
        clv_columns_create(&o->columns, s->model, set->outputs ? set->outputs : "time", false, &e);
    if (status == CLV_OK)
        o->frame = clv_alloc((size_t)o->columns.width, sizeof(double));
    if (status == CLV_OK && o->frame)
        return CLV_EXIT_DONE;
    const clv_exit code = clv_tell("linearize", set->json, clv_exit_of(status ? status : CLV_ERR_MEMORY, false), "%s",
                                   status ? e.message : "out of memory");
    if (status && *e.hint)
        fprintf(stderr, "  %s\n", e.hint);
    return code;
}

/* ------------------------------------------------------------------ text and JSON */

static const double CHANGES = 1e-4; /* of A, see clv_linear_change: more than rounding and steps */

static void print_names(const char *label, const char *const *name, int n, const char *none)
{
    enum { SHOWN = 12 };
    clv_label(label);
    printf("%s", n == 0 ? none : "");
    for (int i = 0; i < n && i < SHOWN; i++)
        printf("%s%s", i ? ", " : "", name[i]);
    printf(n > SHOWN ? " and %d more\n" : "\n", n - SHOWN);
}

static void print_value(const clv_linear_system *x, const clv_eigenvalue *e)
{
    const double size = hypot(e->re, e->im), twice = 2 * 3.141592653589793;
    if (clv_eigenvalue_is_zero(e))
        printf("0 1/s");
    else if (e->im > 0)
        printf("%.7g +- %.7gi 1/s: %.6g Hz, damping ratio %.4g", e->re, e->im, size / twice, 0 - e->re / size);
    else
        printf("%.7g 1/s: %s e-fold in %.4g s", e->re, e->re < 0 ? "decays" : "grows", 1 / fabs(e->re));
    for (int k = 0; k < 3 && e->mover[k] >= 0 && e->part[k] > 1e-6; k++)
        printf("%s '%s' %.3g", k == 0 ? ":" : ",", x->state[e->mover[k]], e->part[k]);
    printf("\n");
}

/* Real parts that differ from zero by no more than the derivatives' error say nothing. */
static double least_part(const clv_linear_system *x)
{
    double most = 0;
    for (int i = 0; i < x->values; i++)
        most = fmax(most, hypot(x->value[i].re, x->value[i].im));
    return fmax(1e-9, sqrt(x->linear->error)) * most;
}

static void print_stability(const clv_linear_system *x)
{
    int grow = 0, stay = 0;
    const double least = least_part(x);
    for (int i = 0; i < x->values; i++) {
        const double re = clv_eigenvalue_is_zero(&x->value[i]) ? 0 : x->value[i].re;
        grow += re > least, stay += fabs(re) <= least;
    }
    clv_label("stability");
    if (x->change > CHANGES)
        printf("not known: A changes along the motion, by %.2g of its largest element in %.2g s\n", x->change,
               x->within);
    else if (grow > 0)
        printf("UNSTABLE: %d eigenvalue%s or pair%s with a positive real part\n", grow, grow == 1 ? "" : "s",
               grow == 1 ? "" : "s");
    else
        printf(stay > 0 ? "not asymptotically stable: %d of %d eigenvalues or pairs have no real part\n"
                        : "asymptotically stable: all real parts are negative\n",
               stay, x->values);
}

static void print_values(const clv_linear_system *x)
{
    enum { SHOWN = 30 };
    print_stability(x);
    for (int i = 0; i < x->values && i < SHOWN; i++)
        clv_label(i == 0 ? "eigenvalues" : ""), print_value(x, &x->value[i]);
    if (x->values > SHOWN)
        clv_label(""), printf("and %d more (--json has all)\n", x->values - SHOWN);
}

static void print_text(const clv_linear_system *x, const linearize_settings *set, const clv_subject *s)
{
    const clv_linear *l = x->linear;
    printf("%s: linear system of %d states, %d input%s, %d output%s\n", clv_model_name(s->model), l->states, l->inputs,
           l->inputs == 1 ? "" : "s", l->outputs, l->outputs == 1 ? "" : "s");
    clv_label("about");
    if (set->equilibrium)
        printf("the static equilibrium near the start\n");
    else if (set->time > 0)
        printf("the state at %g s\n", set->time);
    else
        printf("the start\n");
    const int coordinates = clv_linear_coordinates(l);
    print_names("coordinates", x->state, coordinates, "none: nothing can move");
    if (l->states < 2 * coordinates)
        print_names("rates", x->state + coordinates, l->states - coordinates, "none: nothing can move");
    print_names("inputs", x->input, l->inputs, "none; see `inputs` of the model file");
    print_names("outputs", x->output, l->outputs, "none; choose them by --outputs");
    clv_label("derivatives");
    if (l->differences)
        printf("differences, with an estimated error of %.1e of the largest: %s\n", l->error, l->differences);
    else if (l->outputs > 0)
        printf("exact; those of outputs are differences, with an estimated error of %.1e of the largest\n", l->error);
    else
        printf("exact\n");
    if (x->value && l->states > 0)
        print_values(x);
    else if (l->states > 0)
        clv_label("eigenvalues"), printf("not found: they need LAPACK (Debian, Ubuntu: liblapack3)\n");
}

static void json_names(clv_json *j, const char *key, const char *const *name, int n)
{
    clv_json_array(j, key);
    for (int i = 0; i < n; i++)
        clv_json_text(j, NULL, name[i]);
    clv_json_end(j);
}

static void json_matrix(clv_json *j, const char *key, const double *A, int rows, int columns)
{
    clv_json_array(j, key);
    for (int i = 0; i < rows; i++)
        clv_json_numbers(j, NULL, A + (size_t)i * (size_t)columns, columns);
    clv_json_end(j);
}

static void json_values(clv_json *j, const clv_linear_system *x)
{
    clv_json_array(j, "eigenvalues");
    for (int i = 0; i < x->values; i++) {
        const clv_eigenvalue *e = &x->value[i];
        clv_json_object(j, NULL);
        clv_json_number(j, "real", e->re), clv_json_number(j, "imaginary", e->im);
        clv_json_number(j, "error", e->error);
        clv_json_object(j, "coordinates");
        for (int k = 0; k < 3 && e->mover[k] >= 0; k++)
            clv_json_number(j, x->state[e->mover[k]], e->part[k]);
        clv_json_end(j);
        clv_json_end(j);
    }
    clv_json_end(j);
}

static void print_json(const clv_linear_system *x, const linearize_settings *set, const clv_subject *s)
{
    const clv_linear *l = x->linear;
    clv_json j = clv_json_begin(stdout);
    clv_json_object(&j, NULL);
    clv_json_text(&j, "status", "ok"), clv_json_text(&j, "model", clv_model_name(s->model));
    clv_json_number(&j, "time", x->time);
    json_names(&j, "states", x->state, l->states), json_names(&j, "inputs", x->input, l->inputs);
    json_names(&j, "outputs", x->output, l->outputs);
    clv_json_numbers(&j, "x", l->x, l->states), clv_json_numbers(&j, "u", l->u, l->inputs);
    clv_json_numbers(&j, "y", l->y, l->outputs);
    json_matrix(&j, "A", l->A, l->states, l->states), json_matrix(&j, "B", l->B, l->states, l->inputs);
    json_matrix(&j, "C", l->C, l->outputs, l->states), json_matrix(&j, "D", l->D, l->outputs, l->inputs);
    clv_json_number(&j, "error", l->error);
    clv_json_text(&j, "differences", l->differences ? l->differences : "");
    clv_json_number(&j, "change", x->change);
    if (x->value)
        json_values(&j, x);
    if (set->out)
        clv_json_text(&j, "file", set->out);
    clv_json_end(&j);
}

/* ------------------------------------------------------------------ the command */

static bool is_mat(const char *name)
{
    const size_t n = strlen(name);
    return n > 4 && strcmp(name + n - 4, ".mat") == 0;
}

static clv_exit write_file(const clv_linear_system *x, const linearize_settings *set, const clv_output_rule *rule)
{
    clv_output out;
    clv_error e;
    clv_status status = clv_output_open(&out, set->out, rule, &e);
    if (status == CLV_OK) {
        clv_linear_write(x, is_mat(set->out), out.stream);
        status = clv_output_close(&out, true, &e); /* it reports what went wrong */
    }
    return status == CLV_OK ? CLV_EXIT_DONE : clv_file_tell("linearize", set->json, &e);
}

static clv_exit show(clv_linear_system *x, clv_subject *s, const linearize_settings *set, const outputs *o,
                     const clv_output_rule *rule)
{
    if (clv_linear_name(x, s->model, &o->columns) != CLV_OK)
        return clv_tell("linearize", set->json, CLV_EXIT_RESOURCES, "out of memory");
    x->time = clv_sim_time(s->sim), x->change = NAN;
    if (clv_linear_eigenvalues(x) && !set->equilibrium)
        clv_linear_look_on(x, s->sim);
    const clv_exit code = set->out ? write_file(x, set, rule) : CLV_EXIT_DONE;
    if (code != CLV_EXIT_DONE)
        return code;
    if (set->json)
        print_json(x, set, s);
    else
        print_text(x, set, s);
    if (set->out && !set->json)
        clv_label("written"), printf("%s: A, B, C, D, x, u, y and their names\n", set->out);
    return CLV_EXIT_DONE;
}

static clv_status go_there(clv_subject *s, const linearize_settings *set)
{
    if (set->equilibrium)
        return clv_sim_equilibrium(s->sim, false, NULL);
    return set->time > 0 ? clv_sim_advance(s->sim, set->time) : CLV_OK;
}

static clv_exit linearize(clv_subject *s, const linearize_settings *set)
{
    clv_error e;
    clv_linear *linear = NULL;
    clv_linear_system x = {0};
    outputs o = {0};
    const char *none[] = {NULL}, *const *input = clv_subject_inputs(s);
    const clv_output_rule rule = {.force = set->force, .input = input ? input : none};
    if (s->file && !input)
        return clv_tell("linearize", set->json, CLV_EXIT_RESOURCES, "out of memory");
    if (set->out && clv_output_check(set->out, &rule, &e) != CLV_OK)
        return clv_file_tell("linearize", set->json, &e);
    clv_exit code = open_outputs(&o, s, set);
    if (code == CLV_EXIT_DONE) {
        clv_status status = go_there(s, set);
        if (status == CLV_OK)
            status = clv_sim_linearize(s->sim, o.columns.width - 1, fill_outputs, &o, &linear);
        x.linear = linear;
        code = status == CLV_OK ? show(&x, s, set, &o, &rule) : clv_subject_fail(s, status);
    }
    clv_linear_release(&x), clv_linear_destroy(linear);
    clv_columns_release(&o.columns), clv_free(o.frame);
    return code;
}

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    linearize_settings set = {.sim = clv_sim_options_default()};
    set.sim.formulation = "dca";
    clv_exit code = clv_command_read(self, &set, &words, 1, CLV_WORDS_MAX, argc, argv);
    if (code != CLV_EXIT_DONE)
        return code;
    const size_t n = set.out ? strlen(set.out) : 0;
    if (set.out && !is_mat(set.out) && !(n > 4 && strcmp(set.out + n - 4, ".npz") == 0))
        return clv_tell("linearize", set.json, CLV_EXIT_USAGE, "%s: the name of the file must end in .npz or .mat",
                        set.out);
    if (set.equilibrium && set.time > 0)
        return clv_tell("linearize", set.json, CLV_EXIT_USAGE, "--equilibrium and --time exclude each other");
    clv_subject s = {.command = "linearize", .json = set.json, .lenient = set.lenient, .inputs = &set.inputs};
    code = clv_subject_open(&s, &words, &set.sim);
    if (code == CLV_EXIT_DONE)
        code = linearize(&s, &set);
    clv_subject_close(&s);
    return code;
}

const clv_command clv_command_linearize = {
    "linearize",
    "MODEL [key=value ...]",
    "linear system A, B, C, D about a state, and its eigenvalues",
    "  cleave linearize mine.yaml --equilibrium\n"
    "  cleave linearize mine.yaml --equilibrium --outputs tip.position,m1.effort --out mine.mat\n"
    "  cleave linearize mine.yaml --time 2 --json\n"
    "\n"
    "States are independent coordinates of joints, and their rates; loops stay closed, motions run as at that time.\n"
    "Inputs are those of the model (`inputs`), without their limits.  Outputs are columns, as of `run --columns`.",
    options,
    command,
};
