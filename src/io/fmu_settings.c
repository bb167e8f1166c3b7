/* SPDX-License-Identifier: Apache-2.0
 * Settings of a functional mock-up unit as text; see fmu.h.  A line each: a word, a blank, its value.
 *
 *   cleave-fmu 1
 *   kind both
 *   formulation hdca
 *   rtol 9.9999999999999995e-07
 *   outputs tip.position,L.effort
 *   given l=0.5 */
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/fmu.h"
#include "model/fingerprint.h"
#include "simulation/option_rows.h"
#include <math.h>
#include <string.h>

static const char first_line[] = "cleave-fmu 1";

/* ---------------------------------------------------------------- writing */

typedef struct lines {
    char *text; /* NULL: counting */
    size_t size, used;
} lines;

static void line(lines *l, const char *word, const char *value)
{
    if (value)
        l->used += (size_t)snprintf(l->text ? l->text + l->used : NULL, l->text ? l->size - l->used : 0, "%s %s\n",
                                    word, value);
}

static void all_lines(lines *l, const clv_fmu_settings *s)
{
    const clv_option_row *row;
    char number[40];
    l->used = (size_t)snprintf(l->text, l->size, "%s\n", first_line);
    line(l, "kind", !s->exchange ? "cs" : s->steps ? "both" : "me");
    line(l, "formulation", s->sim.formulation);
    line(l, "integrator", s->sim.integrator);
    line(l, "bracketing", s->sim.bracketing);
    for (int i = 0; (row = clv_option_row_at(i)) != NULL; i++) {
        const double x = clv_option_number(&s->sim, row);
        snprintf(number, sizeof number, "%.17g", x);
        if (!clv_option_is_default(row, x))
            line(l, row->name, number);
    }
    line(l, "outputs", s->outputs);
    for (int i = 0; i < s->ngiven; i++)
        line(l, "given", s->given[i]);
}

char *clv_fmu_settings_text(const clv_fmu_settings *s)
{
    lines l = {0};
    all_lines(&l, s);
    l.size = l.used + 1;
    l.text = clv_alloc(l.size, 1);
    if (l.text)
        all_lines(&l, s);
    return l.text;
}

/* ---------------------------------------------------------------- reading */

static bool take(clv_fmu_settings *s, const char *word, const char *value)
{
    const clv_option_row *row = clv_option_row_named(word);
    if (strcmp(word, "formulation") == 0)
        s->sim.formulation = value;
    else if (strcmp(word, "integrator") == 0)
        s->sim.integrator = value;
    else if (strcmp(word, "bracketing") == 0)
        s->sim.bracketing = value;
    else if (strcmp(word, "kind") == 0)
        s->steps = strcmp(value, "me") != 0, s->exchange = strcmp(value, "cs") != 0;
    else if (strcmp(word, "outputs") == 0)
        s->outputs = value;
    else if (strcmp(word, "given") == 0)
        s->list[s->ngiven++] = value;
    else if (row) {
        const char *end;
        const double x = clv_text_number(value, &end);
        if (end == value || *end || !clv_option_in_range(row, x))
            return false;
        clv_option_set_number(&s->sim, row, x);
    } else
        return false;
    return true;
}

clv_status clv_fmu_settings_read(clv_fmu_settings *s, char *text, clv_error *e)
{
    size_t count = 1;
    clv_error_clear(e);
    *s = (clv_fmu_settings){.sim = clv_sim_options_default()};
    for (const char *p = text; *p; p++)
        count += *p == '\n';
    s->list = clv_alloc(count, sizeof *s->list);
    if (!s->list)
        return clv_fail(e, CLV_ERR_MEMORY, "out of memory");
    s->given = s->list;
    bool good = strncmp(text, first_line, strlen(first_line)) == 0, first = true;
    while (*text && good) {
        char *end = text + strcspn(text, "\n"), *next = *end ? end + 1 : end, *blank = text + strcspn(text, " \n");
        good = *blank == ' ';
        *end = 0;
        if (good && !first)
            *blank = 0, good = take(s, text, blank + 1);
        first = false, text = next;
    }
    if (good)
        return CLV_OK;
    clv_fmu_settings_release(s);
    return clv_fail(e, CLV_ERR_SYNTAX, "resources/%s is not what `cleave fmu` of this version writes",
                    CLV_FMU_SETTINGS);
}

void clv_fmu_settings_release(clv_fmu_settings *s)
{
    clv_free(s->list);
    *s = (clv_fmu_settings){0};
}

/* ---------------------------------------------------------------- token */

void clv_fmu_token(char token[CLV_FMU_TOKEN], const clv_model *model, const char *settings)
{
    const uint64_t a = clv_model_fingerprint(model);
    const uint64_t b = clv_hash_text(clv_hash_text(CLV_HASH_START, settings), clv_version());
    snprintf(token, CLV_FMU_TOKEN, "{%08x-%04x-%04x-%04x-%08x%04x}", (unsigned)(a >> 32),
             (unsigned)(a >> 16) & 0xffffu, (unsigned)a & 0xffffu, (unsigned)(b >> 48), (unsigned)(b >> 16),
             (unsigned)b & 0xffffu);
}
