/* SPDX-License-Identifier: Apache-2.0
 * The mass matrix of the tree joints in rows (T18, T43.11): composite inertias tip to base, and sums outboard of every
 * joint.
 *
 *   ride     base to tip   x_B = S^T x_A + H u' + c, strand by strand and lane by lane
 *   sums     tip to base   W = sum outboard of (loads - velocity terms - I x): what u' leaves of every joint is
 *                          tau + H^T W
 *            with it       composite inertias I_c, and U = I_c H of every unknown
 *   columns  tip to base   U of all unknowns outboard, and the wrenches of closings there, moved from joint to joint:
 *                          row i of M is H_i^T U_j, that of J is H_i^T D_r
 *
 * Unknowns have places from the tips to the bases of a tree, so that those outboard of one are a run of places before
 * its own.  A COLUMN is a 6-vector of such a run: a place, or a row of a closing at one of its bodies.  Columns of a
 * strand, of the strands on a body, of a closing at a body start at multiples of eight: eight are moved at once.
 * Spherical joints passed from b to a have the unknowns of their rows (row_state.c). */
#ifndef CLV_KINEMATICS_ROW_MASS_H
#define CLV_KINEMATICS_ROW_MASS_H
#include "engine/block.h"
#include "kinematics/rows.h"

enum { CLV_COMPOSITE = 10 }; /* kg, kg m, kg m^2: mass, first moment, inertia (xx xy xz yy yz zz) about a point */

/* What a piece, with all that is outboard, shows at the body from which it starts, or at its base if that has a joint
 * of its own; after `sums`. */
typedef struct clv_row_mass_piece {
    int start, end;       /* columns of what is outboard of the joint of its base                           */
    int next;             /* next piece on the same body, or -1                                             */
    double motion[6];     /* there, global axes                                                             */
    double W[6];          /* sum of wrenches, global axes                                                   */
    double I[CLV_COMPOSITE]; /* composite inertia, axes of the piece                                        */
    double U[36];         /* joint of the base: composite inertia times its directions, global axes         */
    double reaction;      /* N, N m: of a prescribed joint of the base, along its direction                  */
} clv_row_mass_piece;

/* A body of a flexible body: global axes. */
typedef struct clv_row_mass_hold {
    int start, end;       /* columns of pieces and closings on it                                           */
    double W[6];          /* sums of pieces on it                                                           */
    double I[CLV_COMPOSITE]; /* composite inertia of pieces on it                                           */
} clv_row_mass_hold;

typedef struct clv_row_mass {
    clv_rows *w;
    clv_kinematics *kin;
    clv_block block;          /* M and J, then L and Y                                                       */
    int n, ncolumn, nhandle;  /* unknowns, columns, handles of closings                                      */
    int *upto;                /* (nrow x 8) columns outboard of the joint of a slot; a free one has the next  */
    int *place_of;            /* (ncolumn) place of a column; -1: none; -2 - r: row r of the closings        */
    int *unknown;             /* (n) slot of a place, or -1 - index in u (nu)                                */
    int *owner;               /* (n) body of a place, or -1 - flexible body                                  */
    int *handle;              /* (nhandle x 3) edge, number in the edge, first column                        */
    int *on;                  /* (nbody) first piece on a body, or -1                                        */
    bool *arrives;            /* (ngroup) a strand of the group carries pieces                               */
    clv_row_mass_piece *piece; /* (npiece)                                                                   */
    clv_row_mass_hold *hold;  /* (nbody, or 0 without flexible bodies)                                       */
    double *modal;            /* per flexible body: U of its modes at its entry (6 x nmode), and M of the modes */
    double *column, *line;    /* (6 x ncolumn) component k of column j at [k ncolumn + j]; H^T of all        */
    int *what;                /* (ncolumn) used while columns are ordered                                     */
    double *U, *left;         /* (nrow x 6 x 8, nrow x 8) composite inertia times directions; tau + H^T W    */
    double *ends;             /* (ngroup x 10 x 8) composite inertias at the starts of strands               */
    bool begun;
} clv_row_mass;

/* rows and kinematics must be laid out; counted, then carved */
void clv_row_mass_layout(clv_row_mass *d, clv_rows *w, clv_kinematics *k, clv_arena *a);
/* places and columns; once, when the rows have begun (row_mass_order.c) */
void clv_row_mass_begin(clv_row_mass *d);

/* row_mass.c.  Accelerations of all unknowns z (places) and of prescribed joints: motions of all bodies, with the
 * velocity terms of the rows and biases c (nbody x 6) of joints between strands and of links. */
void clv_row_mass_ride(clv_row_mass *d, const double *z, const double *c);
/* What these motions, with z as unknowns of modes, leave: h (places) of tau (nu: drives, modal forces) and all loads of
 * the rows (Q, P, velocity terms).  compose: composite inertias too. */
void clv_row_mass_sums(clv_row_mass *d, const double *tau, const double *z, bool compose, double *h);
/* row_mass_columns.c.  After sums with composites: M and J into the block. */
void clv_row_mass_matrices(clv_row_mass *d, bool full);
void clv_row_mass_set_column(const clv_row_mass *d, int at, const double W[6]);
/* H^T of the columns from .. to, added to place p of M and of J */
void clv_row_mass_meet(const clv_row_mass *d, int p, int from, int to, const double H[6]);

/* row_mass_star.c: the same for one flexible body */
void clv_row_mass_star_ride(clv_row_mass *d, int star, const double *u, const double *c);
void clv_row_mass_star_sums(clv_row_mass *d, int star, const double *tau, const double *u, bool compose, double *left);
void clv_row_mass_star_columns(clv_row_mass *d, int star);
/* places of z into u (nu), of unknowns that are not in rows */
void clv_row_mass_outer(const clv_row_mass *d, const double *z, double *u);

/* composite inertias, 10 numbers: I += other; about a point from which l leads to the present one; to other axes R;
 * y = I x of a 6-vector */
void clv_composite_add(double I[CLV_COMPOSITE], const double other[CLV_COMPOSITE]);
void clv_composite_shift(double I[CLV_COMPOSITE], const double l[3]);
void clv_composite_turn(double I[CLV_COMPOSITE], const double R[9]);
void clv_composite_times(double y[6], const double I[CLV_COMPOSITE], const double x[6]);

#endif
