/* SPDX-License-Identifier: Apache-2.0
 * What the program `cleave` does with its words: one table of commands. */
#include "base/cpu.h"
#include "cli/command.h"
#include "io/error_print.h"
#include <string.h>

static const clv_command *const commands[] = {
    &clv_command_demo,     &clv_command_run,    &clv_command_resume, &clv_command_export,
    &clv_command_sweep,
    &clv_command_plot,     &clv_command_report, &clv_command_view, &clv_command_check,  &clv_command_verify,
    &clv_command_eval,
    &clv_command_inverse, &clv_command_equilibrium, &clv_command_linearize, &clv_command_gradient,
    &clv_command_fmu,
    &clv_command_snapshot, &clv_command_examples, &clv_command_new,  &clv_command_import, &clv_command_schema,
    &clv_command_doctor,   &clv_command_bench,  &clv_command_flex,   &clv_command_completion,
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

const clv_command *clv_command_at(int i)
{
    return i >= 0 && i < COMMANDS ? commands[i] : NULL;
}

static const char *command_name(int i)
{
    return i < COMMANDS ? commands[i]->name : NULL;
}

static void overview(FILE *out)
{
    fprintf(out, "cleave %s: dynamics of mechanisms with closed loops\n\nUse: cleave COMMAND ...\n\n", clv_version());
    for (int i = 0; i < COMMANDS; ++i)
        fprintf(out, "  %-11s %s\n", commands[i]->name, commands[i]->text);
    fprintf(out, "\nNew here?  cleave demo\nMore:      cleave help COMMAND\n"
                 "Exit code: 0 done, 1 usage error, 2 invalid model, 3 numerical failure, 4 out of memory or disk\n");
}

static const clv_command *find(const char *name)
{
    for (int i = 0; i < COMMANDS; ++i)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int unknown(const char *word)
{
    const char *near = clv_word_nearest(word, command_name);
    fputs("cleave: there is no command '", stderr);
    clv_print_text(stderr, word);
    fputc('\'', stderr);
    if (near)
        fprintf(stderr, "; did you mean '%s'?", near);
    fprintf(stderr, "\nTry: cleave --help\n");
    return CLV_EXIT_USAGE;
}

static int help(int argc, char **argv)
{
    const clv_command *c = argc > 0 ? find(argv[0]) : NULL;
    if (argc > 0 && !c)
        return unknown(argv[0]);
    if (c)
        clv_command_help(c);
    else
        overview(stdout);
    return clv_finish_output("help", CLV_EXIT_DONE);
}

int clv_main(int argc, char **argv)
{
    if (argc < 2) {
        overview(stderr);
        return CLV_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("cleave %s\n", clv_version());
        return clv_finish_output("--version", CLV_EXIT_DONE);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
        return help(argc - 2, argv + 2);
    const clv_command *c = find(argv[1]);
    if (!c)
        return unknown(argv[1]);
    int lanes;
    clv_error error;
    if (clv_cpu_lanes(&lanes, &error) != CLV_OK) {
        clv_error_show(c->name, &error);
        return CLV_EXIT_USAGE;
    }
    int code = c->run(c, argc - 2, argv + 2);
    return clv_finish_output(c->name, code == CLV_EXIT_HELP ? CLV_EXIT_DONE : (clv_exit)code);
}
