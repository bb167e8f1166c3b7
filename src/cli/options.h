/* SPDX-License-Identifier: Apache-2.0
 * Reads the words of a command by a table: `--key value`, `--key=value`, flags, and everything else in order.  A row
 * says where in the command's settings the value goes, its range, and the line of help.  `--` ends the options.
 * Mistakes are reported on standard error, with the nearest known name. */
#ifndef CLV_CLI_OPTIONS_H
#define CLV_CLI_OPTIONS_H
#include <stdbool.h>
#include <stddef.h>
#include "simulation/option_rows.h"

#define CLV_WORDS_MAX 32

typedef struct clv_words { /* texts in order: what is not an option, or an option given several times */
    int n;
    const char *word[CLV_WORDS_MAX];
} clv_words;

typedef enum clv_option_kind {
    CLV_OPTION_FLAG,   /* bool: becomes true            */
    CLV_OPTION_TEXT,   /* const char *                  */
    CLV_OPTION_TEXTS,  /* clv_words; may be given again */
    CLV_OPTION_NUMBER, /* double                        */
    CLV_OPTION_WHOLE,  /* int                           */
    CLV_OPTION_THREADS, /* int; 0 for the word auto     */
    CLV_OPTION_PAIR,   /* double[2], written as A,B     */
    CLV_OPTION_FORMULATION, /* const char *; the help lists the names, the first is the default */
    CLV_OPTION_INTEGRATOR   /* likewise                                                         */
} clv_option_kind;

typedef struct clv_option {
    const char *name; /* without the dashes; NULL ends the table                */
    clv_option_kind kind;
    size_t offset;      /* of the field in the settings                          */
    const char *value;  /* name of the value in the help; NULL for flags         */
    const char *text;   /* one line of help; of the last two kinds only what goes behind the names */
    double least, most; /* closed range of numbers; both 0: any finite number    */
    bool open;          /* `least` itself is not allowed                         */
} clv_option;

/* The row of an option of the simulation (simulation/option_rows.h): CLV_SIM_OPTION(rank, AT(sim.rank)) */
#define CLV_SIM_OPTION(name, at) CLV_OPTION_##name(CLV_SIM_OPTION_ROW, at)
#define CLV_SIM_OPTION_ROW(at, kind, field, name, word, usual, least, most, open, of, saved, value, help)            \
    {word, CLV_OPTION_##kind, at, value, help, least, most, open}

/* Rows that commands share: the equations, their integrator and its step; constraints and penalty forms.  AT(field) is
 * the offset of a field of the settings, which have `sim`, and no_project and no_regauge for constraints. */
#define CLV_STEP_OPTIONS                                                                                               \
    CLV_SIM_OPTION(formulation, AT(sim.formulation)), CLV_SIM_OPTION(method, AT(sim.method)),                          \
    CLV_SIM_OPTION(bracketing, AT(sim.bracketing)), CLV_SIM_OPTION(integrator, AT(sim.integrator)),                    \
    CLV_SIM_OPTION(rtol, AT(sim.rtol)), CLV_SIM_OPTION(atol, AT(sim.atol)), CLV_SIM_OPTION(step, AT(sim.step))
#define CLV_CONSTRAINT_OPTIONS                                                                                         \
    CLV_SIM_OPTION(rank, AT(sim.rank)), CLV_SIM_OPTION(contradiction, AT(sim.contradiction)),                          \
    {"no-project", CLV_OPTION_FLAG, AT(no_project), NULL, "no projection onto position constraints", 0, 0, false},     \
    {"no-regauge", CLV_OPTION_FLAG, AT(no_regauge), NULL, "hdca: no re-gauge, loop impulses grow", 0, 0, false},       \
    CLV_SIM_OPTION(plain_tolerance, AT(sim.plain_tolerance)),                                                          \
    {"baumgarte", CLV_OPTION_PAIR, AT(sim.baumgarte), "A,B",                                                           \
     "dca, connection, massmatrix: gains on violation (1/s^2) and its rate (1/s)", 0, 1e12, false},                    \
    CLV_SIM_OPTION(alpha, AT(sim.alpha)), CLV_SIM_OPTION(absolute_alpha, AT(sim.absolute_alpha)),                      \
    CLV_SIM_OPTION(omega, AT(sim.omega)), CLV_SIM_OPTION(mu, AT(sim.mu)), CLV_SIM_OPTION(eps_p, AT(sim.eps_p)),        \
    CLV_SIM_OPTION(eps_v, AT(sim.eps_v)), CLV_SIM_OPTION(eps_a, AT(sim.eps_a)),                                        \
    CLV_SIM_OPTION(iterations, AT(sim.iterations)), CLV_SIM_OPTION(rho, AT(sim.rho)),                                  \
    CLV_SIM_OPTION(warm, AT(sim.warm)), CLV_SIM_OPTION(no_predictor, AT(sim.no_predictor)),                            \
    CLV_SIM_OPTION(projections, AT(sim.projections))

typedef enum clv_options_result { CLV_OPTIONS_READ, CLV_OPTIONS_HELP, CLV_OPTIONS_WRONG } clv_options_result;

/* Fills settings and words from argv[0 .. argc-1] (the words after the command). */
clv_options_result clv_options_read(const char *command, const clv_option *table, void *settings, clv_words *words,
                                    int argc, char **argv);
/* One line of help; `line` is there for texts that are made. */
enum { CLV_OPTION_LINE = 160 };
const char *clv_option_text(const clv_option *o, char line[CLV_OPTION_LINE]);
/* Prints the rows as help lines. */
void clv_options_help(const clv_option *table);
/* The nearest of name(0), name(1), ... up to NULL, if it is near enough to be meant; else NULL. */
const char *clv_word_nearest(const char *word, const char *(*name)(int));

#endif
