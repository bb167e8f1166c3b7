/* SPDX-License-Identifier: Apache-2.0
 * Parts of `cleave fmu` (T67): the description of a unit in XML, and the zip file that it is.
 *
 *   command_fmu.c       options; what is made
 *   fmu_description.c   modelDescription.xml of FMI 2.0 and 3.0
 *   fmu_pack.c          the program of the unit, model and settings in one file */
#ifndef CLV_CLI_FMU_H
#define CLV_CLI_FMU_H
#include "cli/command.h"
#include "io/fmu.h"
#include "io/output.h"
#include "io/zip.h"

typedef struct clv_fmu {
    int version;             /* 2 or 3                                          */
    bool saves;              /* states can be saved                             */
    char without[384];       /* why there is no model exchange, or ""           */
    const char *title;       /* of the model                                    */
    char identifier[80];     /* of the program of the unit: a name of C         */
    char token[CLV_FMU_TOKEN];
    clv_fmu_table table;
    int states;              /* for model exchange, number                      */
    clv_fmu_settings settings;
    double time;             /* s, suggested end of an experiment               */
} clv_fmu;

/* Writes modelDescription.xml into an open member. */
void clv_fmu_describe(clv_zip *z, const clv_fmu *f);
/* The program that units are made of; false: there is none (clv_tell is done). */
bool clv_fmu_program(char path[4096], bool json);
/* Writes the whole unit.  Errors are reported. */
clv_exit clv_fmu_pack(const clv_fmu *f, clv_subject *s, const char *path, const char *program,
                      const clv_output_rule *rule);

#endif
