/* SPDX-License-Identifier: Apache-2.0
 * What a functional mock-up unit (FMI 2.0, 3.0; docs/fmi.md, T67) is made of, known to both sides: `cleave fmu` writes
 * it, the unit itself (fmu/) finds the same again.
 *
 *   fmu_table.c     its variables: time, inputs, parameters, outputs; the value reference of each is its number
 *   fmu_settings.c  resources/unit.txt: options of the simulation, chosen outputs, values given to parameters */
#ifndef CLV_IO_FMU_H
#define CLV_IO_FMU_H
#include "io/columns.h"
#include "io/yaml_read_map.h"
#include <stdint.h>
#include <stdio.h>

#define CLV_FMU_SETTINGS "unit.txt"
#define CLV_FMU_MODEL "model.yaml"

/* ---------------------------------------------------------------- variables */

typedef enum clv_fmu_kind {
    CLV_FMU_TIME,
    CLV_FMU_INPUT,
    CLV_FMU_PARAMETER,
    CLV_FMU_DERIVED,   /* parameter whose value in the file is a formula of others: it cannot be set */
    CLV_FMU_OUTPUT,
    CLV_FMU_STATE,      /* for model exchange: of the formulation */
    CLV_FMU_RATE,       /* its derivative                         */
    CLV_FMU_INDICATOR,  /* for model exchange: of an event that waits for a condition */
} clv_fmu_kind;

typedef struct clv_fmu_variable {
    char *name;
    clv_fmu_kind kind;
    int index;           /* number of the input, of the parameter, in a frame of outputs, of the state or indicator */
    char unit[64];       /* "" for pure numbers                                          */
    bool new_unit;       /* it is the first variable with this unit                      */
    double start;        /* inputs, parameters: in `unit`                                */
    double least, most;  /* the same; infinite: no limit                                 */
    bool direct;         /* output, derivative: an input acts on it without delay        */
    bool comes;          /* output of a joint that comes and goes: NaN where it is not there */
    double nominal;      /* state: its typical size                                      */
} clv_fmu_variable;

typedef struct clv_fmu_table {
    int n, capacity;
    clv_fmu_variable *variable;
    clv_columns columns; /* of the outputs; the first is the time */
    clv_map names, units; /* of all variables                     */
} clv_fmu_table;

/* outputs: names and patterns as of `--columns`, NULL: the usual ones.  sim: its states are variables, too; NULL: none.
 * Errors: CLV_ERR_USAGE (an unknown output), CLV_ERR_MODEL (two variables with one name), CLV_ERR_MEMORY; the table is
 * then empty. */
clv_status clv_fmu_table_create(clv_fmu_table *t, const clv_model *model, const char *outputs,
                                const clv_sim *sim, clv_error *e);
void clv_fmu_table_release(clv_fmu_table *t);
/* Variables of a kind. */
int clv_fmu_count(const clv_fmu_table *t, clv_fmu_kind kind);
/* Have both the same variables, apart from values and limits?  If not, *other: the first that differs (of b, else of
 * a). */
bool clv_fmu_table_same(const clv_fmu_table *a, const clv_fmu_table *b, const char **other);

/* ---------------------------------------------------------------- settings */

typedef struct clv_fmu_settings {
    clv_sim_options sim;
    bool steps, exchange;     /* co-simulation, model exchange: what the unit can    */
    const char *outputs;      /* NULL: the usual ones                               */
    const char *const *given; /* (ngiven) "name=value": values given at the export  */
    int ngiven;
    const char **list;        /* of settings that were read: where `given` lies     */
} clv_fmu_settings;

/* As lines of text, with an end; clv_free it.  NULL: out of memory. */
char *clv_fmu_settings_text(const clv_fmu_settings *s);
/* From such text, which is cut up and must outlive the settings.  Errors: CLV_ERR_SYNTAX, CLV_ERR_MEMORY. */
clv_status clv_fmu_settings_read(clv_fmu_settings *s, char *text, clv_error *e);
void clv_fmu_settings_release(clv_fmu_settings *s);

/* It differs between units: a hash of the model, of the settings, and of this version. */
enum { CLV_FMU_TOKEN = 40 };
void clv_fmu_token(char token[CLV_FMU_TOKEN], const clv_model *model, const char *settings);

#endif
