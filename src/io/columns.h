/* SPDX-License-Identifier: Apache-2.0
 * The table of output columns: what a run can report, with names and units.  CSV files, run files, NumPy archives and
 * `--columns` are all made from it.  A new quantity is one row in columns.c (or, of joints, in joint_columns).
 *
 * A column is a number or a small vector of one owner: "crank.position" in m with the axes x y z, "L.effort" in N. */
#ifndef CLV_IO_COLUMNS_H
#define CLV_IO_COLUMNS_H
#include "cleave/cleave.h"
#include "model/model.h"

typedef struct clv_seen clv_seen;

typedef struct clv_column {
    int first, count;        /* numbers from the start of a frame; components                       */
    char kind[8];            /* run, body, marker, mode, joint, contact                              */
    char *owner, *name;      /* "crank", "crank.position"; the owner is empty for kind run           */
    char unit[16], axes[16]; /* "m"; "x y z", "" for a single number                                 */
    /* where the numbers come from; get NULL: read from a file */
    void (*get)(clv_seen *seen, int item, int index, double *to);
    int item, index;         /* number of the owner; of the mode, coordinate or direction            */
    int part;                /* the one component that is chosen, or -1: all                         */
} clv_column;

typedef struct clv_columns {
    int n, width;            /* columns; numbers in a frame */
    clv_column *column;      /* (n) */
    int capacity;
} clv_columns;

/* The columns of a model.  selection NULL: the usual ones, and with `reactions` the forces of all joints.  Else it is
 * names and patterns (* and ?) with commas between them, each of a column ("L.effort"), a component ("tip.position.y")
 * or an owner ("L").  Time comes first in any case; the order is that of the model.  Errors: CLV_ERR_USAGE (an unknown
 * name, with message and hint), CLV_ERR_MEMORY. */
clv_status clv_columns_create(clv_columns *c, const clv_model *model, const char *selection, bool reactions,
                              clv_error *error);
/* The columns of a model that a file lists: sets where their numbers come from.  CLV_ERR_SYNTAX: one of them is none of
 * this model; CLV_ERR_MEMORY. */
clv_status clv_columns_bind(clv_column *column, int n, const clv_model *model, clv_error *error);
/* Those of a list that are selected, as clv_columns_create does; what a column gives is not copied, names are. */
clv_status clv_columns_select(clv_columns *c, const clv_column *from, int n, const char *selection, clv_error *error);
/* The numbers (width) at the output state.  Evaluates where a column needs it; NaN where that fails. */
void clv_columns_fill(const clv_column *column, int n, clv_sim *sim, double *to);
void clv_columns_release(clv_columns *c);

/* Name of coordinate or rate i of a kind of joint, behind "q" or "u": "" of a single one, else ".x", ".rz". */
const char *clv_coordinate_suffix(clv_joint_kind kind, bool rate, int i);
/* Unit of the effort along free direction i: "N" or "N m". */
const char *clv_effort_unit(clv_joint_kind kind, int i);
/* Unit of the value of an input; "" of a plain number, as the multiple of a vector. */
const char *clv_input_unit(const clv_model *model, const clv_input *input);
/* Does a motion, an input, a drive, a spring or a damper act on the joint itself? */
bool clv_joint_acted(const clv_model *model, int joint);

#endif
