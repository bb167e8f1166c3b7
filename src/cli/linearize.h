/* SPDX-License-Identifier: Apache-2.0
 * What the files of `cleave linearize` share: the system with names, its eigenvalues, and what is written of it. */
#ifndef CLV_CLI_LINEARIZE_H
#define CLV_CLI_LINEARIZE_H
#include "cli/command.h"
#include "io/columns.h"

/* An eigenvalue; of a complex pair the one with positive imaginary part. */
typedef struct clv_eigenvalue {
    double re, im;     /* 1/s                                                  */
    double error;      /* 1/s, by rounding of A: much for those that coincide  */
    int mover[3];      /* coordinates (of states) that move most, or -1        */
    double part[3];    /* their size beside the first                          */
} clv_eigenvalue;

typedef struct clv_linear_system {
    const clv_linear *linear;
    const char **state, **input, **output; /* names, "low.q", "force", "seat.position.z" */
    char *text;                            /* of those that are made here                */
    clv_eigenvalue *value;                 /* (values), or NULL                          */
    int values;
    double time;   /* s                                                                          */
    double change; /* of A along the motion within a short time, see clv_linear_look_on; or NaN  */
    double within; /* s, that time                                                               */
} clv_linear_system;

/* Is it zero as far as rounding lets it be known?  A degree of freedom that nothing holds has two such. */
bool clv_eigenvalue_is_zero(const clv_eigenvalue *e);
/* How many of the states are coordinates: the first ones. */
int clv_linear_coordinates(const clv_linear *l);

/* Names of states; outputs are those of the columns. CLV_ERR_MEMORY. */
clv_status clv_linear_name(clv_linear_system *x, const clv_model *m, const clv_columns *outputs);
/* Eigenvalues by LAPACK; false: there is none, or no memory.  x->value stays NULL then. */
bool clv_linear_eigenvalues(clv_linear_system *x);
/* Moves `sim` on for a part of the time of the fastest eigenvalue.  x->change: the largest change of an element of A,
 * beside the largest element.  NaN: not known, as where other coordinates are the states there. */
void clv_linear_look_on(clv_linear_system *x, clv_sim *sim);
void clv_linear_release(clv_linear_system *x);
/* The file: .npz or .mat by its name. */
void clv_linear_write(const clv_linear_system *x, bool mat, FILE *out);

#endif
