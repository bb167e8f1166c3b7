/* SPDX-License-Identifier: Apache-2.0
 * What commands share; see command.h. */
#include "base/cpu.h"
#include "base/team.h"
#include "cli/command.h"
#include "io/error_print.h"
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void clv_command_help(const clv_command *c)
{
    printf("cleave %s%s%s\n\n%s\n\n%s\n\nOptions:\n", c->name, *c->words ? " " : "", c->words, c->text, c->help);
    clv_options_help(c->options);
}

clv_exit clv_command_read(const clv_command *c, void *settings, clv_words *words, int least, int most, int argc,
                          char **argv)
{
    switch (clv_options_read(c->name, c->options, settings, words, argc, argv)) {
    case CLV_OPTIONS_HELP:
        clv_command_help(c);
        return CLV_EXIT_HELP;
    case CLV_OPTIONS_WRONG:
        return CLV_EXIT_USAGE;
    case CLV_OPTIONS_READ:
        break;
    }
    if (words->n >= least && words->n <= most)
        return CLV_EXIT_DONE;
    if (words->n < least)
        fprintf(stderr, "cleave %s: an argument is missing\n", c->name);
    else
        clv_tell(c->name, false, CLV_EXIT_USAGE, "unexpected word '%s'", words->word[most]);
    fprintf(stderr, "Use: cleave %s %s\nTry: cleave %s --help\n", c->name, c->words, c->name);
    return CLV_EXIT_USAGE;
}

clv_exit clv_exit_of(clv_status status, bool running)
{
    switch (status) {
    case CLV_OK:
        return CLV_EXIT_DONE;
    case CLV_STOPPED: /* the time is beyond the end */
    case CLV_ERR_USAGE:
        return CLV_EXIT_USAGE;
    case CLV_ERR_MEMORY:
        return CLV_EXIT_RESOURCES;
    case CLV_ERR_SINGULAR: /* at the start: inertia is missing */
        break;
    case CLV_ERR_NOT_FINITE:
    case CLV_ERR_STEP_SIZE:
    case CLV_ERR_NO_CONVERGENCE:
        return CLV_EXIT_NUMERICAL;
    case CLV_ERR_MODEL:
    case CLV_ERR_UNSUPPORTED:
    case CLV_ERR_SYNTAX:
    case CLV_ERR_INCONSISTENT:
    case CLV_ERR_IO: /* the only file the library reads is the model */
        break;
    }
    return running ? CLV_EXIT_NUMERICAL : CLV_EXIT_MODEL;
}

clv_exit clv_exit_of_run(clv_status status, const clv_error *e)
{
    return clv_exit_of(status, status != CLV_ERR_UNSUPPORTED || (e && isfinite(e->time)));
}

const char *clv_exit_word(clv_exit code)
{
    static const char *const word[] = {"ok", "wrong_use", "bad_model", "numerical_failure", "out_of_resources", "ok"};
    return word[code];
}

void clv_json_error(clv_json *j, const char *key, const clv_error *e)
{
    static const char *const code[] = {
#define X(name, text) #name,
        CLV_STATUS_LIST(X)
#undef X
    };
    clv_json_object(j, key);
    clv_json_text(j, "code", code[e->code]);
    clv_json_text(j, "message", e->message);
    clv_json_text(j, "file", e->file);
    clv_json_integer(j, "line", e->line);
    clv_json_integer(j, "column", e->column);
    clv_json_text(j, "path", e->path);
    clv_json_text(j, "body", e->body);
    clv_json_text(j, "joint", e->joint);
    clv_json_number(j, "time", e->time);
    clv_json_number(j, "value", e->value);
    clv_json_text(j, "hint", e->hint);
    clv_json_end(j);
}

static void show_owner(const char *lead, const char *name, const char *message)
{
    if (!*name || strstr(message, name))
        return;
    fputs(lead, stderr);
    clv_print_text(stderr, name);
    fputc(')', stderr);
}

void clv_error_show(const char *command, const clv_error *e)
{
    const char *message = *e->message ? e->message : clv_status_text(e->code);
    fprintf(stderr, "cleave %s: ", command);
    clv_print_text(stderr, message); /* which often names body, joint and time itself */
    show_owner(" (body ", e->body, message);
    show_owner(" (joint ", e->joint, message);
    if (isfinite(e->time) && !strstr(message, "t = "))
        fprintf(stderr, " (at %.6g s)", e->time);
    fprintf(stderr, "\n");
    if (*e->hint) {
        fputs("  ", stderr);
        clv_print_text(stderr, e->hint);
        fputc('\n', stderr);
    }
}

int clv_lanes(void)
{
    int lanes = 0;
    clv_error error;
    clv_cpu_lanes(&lanes, &error);
    return lanes;
}

clv_exit clv_tell(const char *command, bool json, clv_exit code, const char *format, ...)
{
    clv_error e = {.code = code == CLV_EXIT_USAGE       ? CLV_ERR_USAGE
                           : code == CLV_EXIT_RESOURCES ? CLV_ERR_IO
                                                        : CLV_ERR_MODEL,
                   .time = NAN,
                   .value = NAN};
    va_list list;
    va_start(list, format);
    vsnprintf(e.message, sizeof e.message, format, list);
    va_end(list);
    clv_error_show(command, &e);
    if (json) {
        clv_json j = clv_json_begin(stdout);
        clv_json_object(&j, NULL);
        clv_json_text(&j, "status", clv_exit_word(code));
        clv_json_error(&j, "error", &e);
        clv_json_end(&j);
    }
    return code;
}

clv_exit clv_finish_output(const char *command, clv_exit code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    fprintf(stderr, "cleave %s: standard output could not be written\n", command);
    return code == CLV_EXIT_DONE ? CLV_EXIT_RESOURCES : code;
}

int clv_cores(void)
{
    return clv_team_cores();
}

double clv_wall(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
