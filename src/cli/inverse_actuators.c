/* SPDX-License-Identifier: Apache-2.0
 * The actuators of inverse dynamics; see inverse.h.  An actuator at a joint becomes an input of the model, so that its
 * effort can be set like any other. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/inverse.h"
#include "io/columns.h"
#include "model/joint.h"
#include "model/names.h"
#include <math.h>
#include <string.h>

static bool is_effort(const clv_input *in) { return in->kind <= CLV_INPUT_TORQUE; }

/* Room for one more actuator. */
static bool widen(clv_actuation *a)
{
    const size_t n = (size_t)a->n + 1;
    void *input = clv_resize(a->input, n, sizeof *a->input);
    a->input = input ? input : a->input;
    void *of = clv_resize(a->of, n, sizeof *a->of);
    a->of = of ? of : a->of;
    void *name = clv_resize(a->name, n, sizeof *a->name);
    a->name = name ? name : a->name;
    void *unit = clv_resize(a->unit, n, sizeof *a->unit);
    a->unit = unit ? unit : a->unit;
    void *limit = clv_resize(a->limit, n, sizeof *a->limit);
    a->limit = limit ? limit : a->limit;
    void *line = clv_resize(a->line, n, sizeof *a->line);
    a->line = line ? line : a->line;
    return input && of && name && unit && limit && line;
}

static clv_status add_input(clv_actuation *a, clv_model *m, int input, const char *name, clv_error *e)
{
    clv_input *in = &m->input[input];
    for (int i = 0; i < a->n; ++i)
        if (a->input[i] == input)
            return clv_fail(e, CLV_ERR_USAGE, "the actuator '%s' is named twice", name);
    if (!widen(a))
        return clv_fail(e, CLV_ERR_MEMORY, "out of memory");
    const int i = a->n++;
    a->input[i] = input;
    a->of[i] = (clv_inverse_actuator){.input = input, .weight = NAN}; /* none given so far */
    snprintf(a->name[i], sizeof a->name[i], "%s", name);
    a->unit[i] = in->kind == CLV_INPUT_JOINT ? clv_effort_unit(m->joint[in->joint].kind, in->coordinate)
                 : in->kind == CLV_INPUT_FORCE ? "N" : "N m";
    memcpy(a->limit[i], in->limit, sizeof in->limit);
    a->line[i][0] = in->stall_effort, a->line[i][1] = in->no_load_speed;
    in->limit[0] = -INFINITY, in->limit[1] = INFINITY;
    in->rate_limit = in->stall_effort = in->no_load_speed = 0;
    in->value = 0;
    return CLV_OK;
}

/* A free direction of a joint becomes an input. */
static clv_status add_joint(clv_actuation *a, clv_model *m, int joint, int c, const char *name, clv_error *e)
{
    char *copy = clv_names_keep(m->names, name);
    clv_input *wider = copy ? clv_resize(m->input, (size_t)m->ninput + 1, sizeof *wider) : NULL;
    if (!wider)
        return clv_fail(e, CLV_ERR_MEMORY, "out of memory");
    m->input = wider;
    wider[m->ninput] = (clv_input){.name = copy, .kind = CLV_INPUT_JOINT, .joint = joint, .coordinate = c,
                                   .limit = {-INFINITY, INFINITY}};
    return add_input(a, m, m->ninput++, name, e);
}

/* All free directions of a joint, or the one with this suffix (".rx"). */
static clv_status add_directions(clv_actuation *a, clv_model *m, int joint, const char *suffix, bool *found,
                                 clv_error *e)
{
    const clv_joint *j = &m->joint[joint];
    clv_status status = CLV_OK;
    for (int c = 0; c < clv_joint_table[j->kind].nu && status == CLV_OK; ++c) {
        char name[128];
        const char *own = clv_coordinate_suffix(j->kind, true, c);
        if (*suffix && strcmp(suffix, own) != 0)
            continue;
        snprintf(name, sizeof name, "%s%s", j->name, own);
        *found = true;
        status = add_joint(a, m, joint, c, name, e);
    }
    return status;
}

/* One name of the list: an input, a joint, or a direction of a joint. */
static clv_status add_named(clv_actuation *a, clv_model *m, const char *name, clv_error *e)
{
    bool found = false;
    const int input = clv_model_find_input(m, name);
    if (input >= 0 && is_effort(&m->input[input]))
        return add_input(a, m, input, name, e);
    if (input >= 0)
        return clv_fail(e, CLV_ERR_USAGE, "input '%s' is neither an effort of a joint nor a load on a body", name);
    for (int j = 0; j < m->njoint && !found; ++j) {
        const size_t n = strlen(m->joint[j].name);
        if (strncmp(name, m->joint[j].name, n) != 0 || (name[n] && name[n] != '.'))
            continue;
        const clv_status status = add_directions(a, m, j, name + n, &found, e);
        if (status != CLV_OK)
            return status;
    }
    if (found)
        return CLV_OK;
    clv_fail(e, CLV_ERR_USAGE, "the model has no input and no joint with a degree of freedom named '%s'", name);
    clv_error_hint(e, "an actuator is an input, a joint, or a direction of a joint, as 'hip.rx'");
    return e->code;
}

/* The next word of a list with commas; false: there is none. */
static bool next_word(const char **list, char *word, size_t size)
{
    const char *at = *list + strspn(*list, ", ");
    const size_t n = strcspn(at, ",");
    snprintf(word, size, "%.*s", (int)n, at);
    *list = at + n;
    return n > 0;
}

static clv_status set_weight(clv_actuation *a, const char *word, clv_error *e)
{
    const char *equals = strrchr(word, '='), *end = word;
    const double weight = equals ? clv_text_number(equals + 1, &end) : NAN;
    if (!equals || end == equals + 1 || *end || !(weight > 0 && isfinite(weight)))
        return clv_fail(e, CLV_ERR_USAGE, "--weights has '%s'; it must be NAME=W with a positive number", word);
    for (int i = 0; i < a->n; ++i)
        if (strlen(a->name[i]) == (size_t)(equals - word) && strncmp(a->name[i], word, (size_t)(equals - word)) == 0) {
            if (!isnan(a->of[i].weight))
                return clv_fail(e, CLV_ERR_USAGE, "--weights names '%s' twice", a->name[i]);
            a->of[i].weight = weight;
            return CLV_OK;
        }
    return clv_fail(e, CLV_ERR_USAGE, "--weights names '%.*s', which is not an actuator here", (int)(equals - word),
                    word);
}

static clv_status choose(clv_actuation *a, clv_model *m, const char *names, const int *joint, int njoint, clv_error *e)
{
    clv_status status = CLV_OK;
    char word[256];
    bool found;
    while (names && status == CLV_OK && next_word(&names, word, sizeof word))
        status = add_named(a, m, word, e);
    if (names || status != CLV_OK)
        return status;
    for (int i = 0, n = m->ninput; i < n && status == CLV_OK; ++i)
        if (is_effort(&m->input[i]))
            status = add_input(a, m, i, m->input[i].name, e);
    for (int i = 0, any = a->n; any == 0 && i < njoint && status == CLV_OK; ++i)
        status = add_directions(a, m, joint[i], "", &found, e);
    return status;
}

clv_status clv_actuation_open(clv_actuation *a, clv_model *m, const char *names, const char *weights, const int *joint,
                              int njoint, clv_error *e)
{
    char word[256];
    memset(a, 0, sizeof *a);
    clv_error_clear(e);
    clv_status status = choose(a, m, names, joint, njoint, e);
    while (weights && status == CLV_OK && next_word(&weights, word, sizeof word))
        status = set_weight(a, word, e);
    for (int i = 0; i < a->n; ++i)
        a->of[i].weight = isnan(a->of[i].weight) ? 1 : a->of[i].weight;
    if (status == CLV_OK && a->n == 0)
        return clv_fail(e, CLV_ERR_USAGE, "there are no actuators");
    return status;
}

void clv_actuation_release(clv_actuation *a)
{
    clv_free(a->input), clv_free(a->of), clv_free(a->name), clv_free((void *)a->unit);
    clv_free(a->limit), clv_free(a->line);
    memset(a, 0, sizeof *a);
}
