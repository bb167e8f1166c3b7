/* SPDX-License-Identifier: Apache-2.0
 * Built-in examples: a table of names, each a file or a generator, and the small builder that generators are written
 * with.  The builder remembers the first failure, so a mechanism reads as a list of bodies and joints without a check
 * per line. */
#ifndef CLV_EXAMPLES_EXAMPLES_H
#define CLV_EXAMPLES_EXAMPLES_H
#include "model/model.h"

typedef struct clv_example_build {
    clv_model *model;
    clv_status status;
} clv_example_build;

typedef struct clv_example_param {
    const char *name;            /* NULL ends the list                          */
    double value, least, most;   /* default and permitted range                 */
    bool whole;                  /* whole numbers only                          */
} clv_example_param;

/* examples/NAME.yaml as embedded: its first line of comment, its text.  A row without a name ends the table, which is
 * made at build time (cmake/examples.cmake). */
typedef struct clv_example_file {
    const char *name, *text, *yaml;
    size_t size;                 /* bytes of yaml                               */
} clv_example_file;

extern const clv_example_file clv_example_files[];

typedef struct clv_example {
    const char *name;
    const char *text;            /* one line; this and the rest: of a generator */
    double time;                 /* s, suggested duration                       */
    double gravity[3];           /* m/s^2                                       */
    clv_example_param param[3];
    void (*build)(clv_example_build *b, const double *param); /* NULL: a file */
} clv_example;

extern const clv_example clv_example_table[];
extern const int clv_example_total;

/* Body description with its frame at the centre of mass, at `position`, body axes = global axes.  Name valid until the
 * next call with the same `name` buffer; J: principal moments. */
clv_body_desc clv_example_body(const char *name, double mass, const double J[3], const double position[3]);
/* Adds; returns the index, or -1 after a failure. */
int clv_example_add_body(clv_example_build *b, const clv_body_desc *desc);
int clv_example_add_joint(clv_example_build *b, clv_joint_desc *desc);
/* Revolute joint J<n+1> between bodies, place and axis global; axis NULL: z. */
int clv_example_hinge(clv_example_build *b, int inboard, int outboard, const double at[3], const double *axis);
void clv_example_marker(clv_example_build *b, const char *name, int body, double x, double y, double z);
void clv_example_force(clv_example_build *b, const clv_force_desc *desc);

/* examples_chain.c */
void clv_example_chain(clv_example_build *b, const double *param);
/* examples_mmsev.c */
void clv_example_mmsev_rigid(clv_example_build *b, const double *param);
void clv_example_mmsev_flexible(clv_example_build *b, const double *param);

#endif
