/* SPDX-License-Identifier: Apache-2.0
 * The option reader; see options.h. */
#include "cli/options.h"
#include "base/text.h"
#include "io/error_print.h"
#include "io/schema.h"
#include "simulation/names.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *clv_word_nearest(const char *word, const char *(*name)(int))
{
    const char *best = NULL;
    int distance = clv_near_enough(word) + 1;
    for (int i = 0; name(i); ++i)
        clv_nearest(&best, &distance, word, name(i));
    return best;
}

/* ---------------------------------------------------------------- one value */

static bool read_number(const char *text, double *value, const char **end)
{
    *value = clv_text_number(text, end);
    return *end != text && isfinite(*value);
}

static bool in_range(const clv_option *o, double x)
{
    if (o->least == 0 && o->most == 0 && !o->open)
        return true;
    return (o->open ? x > o->least : x >= o->least) && x <= o->most;
}

static bool wrong_value(const char *command, const clv_option *o, const char *text)
{
    const bool threads = o->kind == CLV_OPTION_THREADS;
    const char *what = o->kind == CLV_OPTION_WHOLE || threads ? "a whole number"
                       : o->kind == CLV_OPTION_PAIR ? "two numbers A,B"
                                                    : "a number";
    fprintf(stderr, "cleave %s: --%s is '", command, o->name);
    clv_print_text(stderr, text);
    fprintf(stderr, "'; it must be %s", what);
    if (o->most > 1e300)
        fprintf(stderr, " %s %g", o->open ? "above" : "of at least", o->least);
    else if (o->least != 0 || o->most != 0)
        fprintf(stderr, " %s %g and at most %g", o->open ? "above" : "of at least",
                threads ? 1.0 : o->least, o->most);
    fprintf(stderr, "%s\n", threads ? ", or auto" : "");
    return false;
}

/* `auto`, or a number from 1 on */
static bool set_threads(const char *command, const clv_option *o, char *field, const char *text)
{
    const char *end = text;
    double x = 0;
    if (strcmp(text, "auto") != 0 && (!read_number(text, &x, &end) || *end || x != floor(x) || x < 1 || x > o->most))
        return wrong_value(command, o, text);
    const int threads = (int)x;
    memcpy(field, &threads, sizeof threads);
    return true;
}

static bool set_value(const char *command, const clv_option *o, void *settings, const char *text)
{
    char *field = (char *)settings + o->offset;
    double x[2] = {0, 0};
    const char *end = text;
    if (o->kind == CLV_OPTION_TEXT || o->kind == CLV_OPTION_FORMULATION || o->kind == CLV_OPTION_INTEGRATOR) {
        *(const char **)(void *)field = text;
        return true;
    }
    if (o->kind == CLV_OPTION_TEXTS) {
        clv_words *w = (void *)field;
        if (w->n == CLV_WORDS_MAX) {
            fprintf(stderr, "cleave %s: --%s more than %d times\n", command, o->name, CLV_WORDS_MAX);
            return false;
        }
        w->word[w->n++] = text;
        return true;
    }
    if (o->kind == CLV_OPTION_THREADS)
        return set_threads(command, o, field, text);
    if (!read_number(text, &x[0], &end) || !in_range(o, x[0]))
        return wrong_value(command, o, text);
    if (o->kind == CLV_OPTION_PAIR && (*end != ',' || !read_number(end + 1, &x[1], &end) || !in_range(o, x[1])))
        return wrong_value(command, o, text);
    if (*end || (o->kind == CLV_OPTION_WHOLE && (x[0] != floor(x[0]) || fabs(x[0]) > 2e9)))
        return wrong_value(command, o, text);
    if (o->kind == CLV_OPTION_WHOLE) {
        int whole = (int)x[0];
        memcpy(field, &whole, sizeof whole);
    } else {
        memcpy(field, x, o->kind == CLV_OPTION_PAIR ? sizeof x : sizeof x[0]);
    }
    return true;
}

/* ---------------------------------------------------------------- all words */

/* Row named by text up to `length`, or NULL. */
static const clv_option *find(const clv_option *table, const char *text, size_t length)
{
    for (; table->name; ++table)
        if (strlen(table->name) == length && strncmp(table->name, text, length) == 0)
            return table;
    return NULL;
}

static clv_options_result unknown(const char *command, const clv_option *table, const char *word, size_t length)
{
    char name[48];
    const char *best = NULL;
    snprintf(name, sizeof name, "%.*s", (int)(length < 40 ? length : 40), word);
    int distance = clv_near_enough(name) + 1;
    for (const clv_option *o = table; o->name; ++o)
        clv_nearest(&best, &distance, name, o->name);
    fprintf(stderr, "cleave %s: unknown option --", command);
    clv_print_text(stderr, name);
    if (best)
        fprintf(stderr, "; did you mean --%s?", best);
    fprintf(stderr, "\nTry: cleave %s --help\n", command);
    return CLV_OPTIONS_WRONG;
}

/* The option at argv[*i]; moves *i past its value. */
static clv_options_result read_option(const char *command, const clv_option *table, void *settings, int argc,
                                      char **argv, int *i)
{
    const char *word = argv[*i] + 2;
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    const clv_option *o = find(table, word, length);
    if (length == 4 && strncmp(word, "help", 4) == 0)
        return CLV_OPTIONS_HELP;
    if (!o)
        return unknown(command, table, word, length);
    if (o->kind == CLV_OPTION_FLAG) {
        if (equals) {
            fprintf(stderr, "cleave %s: --%s takes no value\n", command, o->name);
            return CLV_OPTIONS_WRONG;
        }
        *(bool *)((char *)settings + o->offset) = true;
        return CLV_OPTIONS_READ;
    }
    if (!equals && *i + 1 >= argc) {
        fprintf(stderr, "cleave %s: --%s needs a value: --%s %s\n", command, o->name, o->name, o->value);
        return CLV_OPTIONS_WRONG;
    }
    const char *value = equals ? equals + 1 : argv[++*i];
    return set_value(command, o, settings, value) ? CLV_OPTIONS_READ : CLV_OPTIONS_WRONG;
}

clv_options_result clv_options_read(const char *command, const clv_option *table, void *settings, clv_words *words,
                                    int argc, char **argv)
{
    bool options = true;
    words->n = 0;
    for (int i = 0; i < argc; ++i) {
        if (options && strcmp(argv[i], "--") == 0) {
            options = false;
        } else if (options && strcmp(argv[i], "-h") == 0) {
            return CLV_OPTIONS_HELP;
        } else if (options && strncmp(argv[i], "--", 2) == 0) {
            clv_options_result result = read_option(command, table, settings, argc, argv, &i);
            if (result != CLV_OPTIONS_READ)
                return result;
        } else if (options && argv[i][0] == '-' && argv[i][1]) {
            fprintf(stderr, "cleave %s: unknown option ", command);
            clv_print_text(stderr, argv[i]);
            fputs("; options have two dashes\n", stderr);
            return CLV_OPTIONS_WRONG;
        } else if (words->n == CLV_WORDS_MAX) {
            fprintf(stderr, "cleave %s: more than %d words\n", command, CLV_WORDS_MAX);
            return CLV_OPTIONS_WRONG;
        } else {
            words->word[words->n++] = argv[i];
        }
    }
    return CLV_OPTIONS_READ;
}

const char *clv_option_text(const clv_option *o, char line[CLV_OPTION_LINE])
{
    const char *(*name)(int) = o->kind == CLV_OPTION_FORMULATION  ? clv_formulation_name
                               : o->kind == CLV_OPTION_INTEGRATOR ? clv_integrator_name
                                                                  : NULL;
    size_t end = 0;
    if (!name)
        return o->text;
    for (int i = 0; name(i) && end < CLV_OPTION_LINE; ++i)
        end += (size_t)snprintf(line + end, CLV_OPTION_LINE - end, "%s%s%s", i ? ", " : "", name(i),
                                i ? "" : " (default)");
    if (end < CLV_OPTION_LINE)
        snprintf(line + end, CLV_OPTION_LINE - end, "%s", o->text);
    return line;
}

/* Within 120 columns, broken at spaces. */
static void print_wrapped(const char *left, const char *text)
{
    enum { INDENT = 25, ROOM = 120 - INDENT };
    int n = (int)strlen(text);
    for (; n > ROOM; left = "", n = (int)strlen(text)) {
        int cut = ROOM;
        while (cut > 1 && text[cut] != ' ')
            --cut;
        printf("  %-22s %.*s\n", left, cut, text);
        for (text += cut; *text == ' '; ++text)
            ;
    }
    printf("  %-22s %s\n", left, text);
}

void clv_options_help(const clv_option *table)
{
    for (const clv_option *o = table; o->name; ++o) {
        char left[48], line[CLV_OPTION_LINE];
        snprintf(left, sizeof left, "--%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
        print_wrapped(left, clv_option_text(o, line));
    }
    printf("  %-22s %s\n", "--help", "this text");
}
