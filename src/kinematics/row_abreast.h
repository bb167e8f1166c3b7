/* SPDX-License-Identifier: Apache-2.0
 * Mechanisms abreast (T85): up to eight mechanisms of one structure, each in a lane of its own.  A group of these rows
 * is one strand of all of them.  Masses, frames and pitches may differ from lane to lane, the order of rows may not.
 * The kernels of row_kernels.h work on them as on any rows; what a strand gets from its plan is copied from the rows
 * that the mechanism has by itself. */
#ifndef CLV_KINEMATICS_ROW_ABREAST_H
#define CLV_KINEMATICS_ROW_ABREAST_H
#include "kinematics/row_balls.h"
#include "kinematics/row_floats.h"
#include "kinematics/row_kernels.h"

typedef struct clv_row_abreast {
    clv_rows rows;     /* a group for each strand                                              */
    clv_plan plan;     /* its groups alone                                                     */
    clv_engine engine; /* what strands show, alone                                             */
    int nplace;        /* rows, and behind them one for each mode and joint of a flexible body  */
    int *q_of, *u_of;  /* (nplace) index in the state vectors, -1: none                        */
    bool limbs;        /* strands fold into others, or float                                            */
    clv_row_limb *limb; /* (strands)                                                           */
    int npiece, *piece; /* strands, then flexible bodies; parents first                        */
    int *climb;        /* (strands) in the order in which they fold                            */
    clv_row_tip *tip;  /* (strands)                                                            */
    int nflex;
    clv_row_flex *flex; /* (nflex)                                                             */
    clv_flex_joint *joint; /* (npiece) of bases on flexible bodies, and of these               */
    double *arrive;    /* (narrive x 8) what is cleared before a fold, and before sums         */
    size_t narrive;
    double *gravity;   /* (3 x 8) m/s^2, global                                                */
    int nball;
    clv_row_lane_ball *ball; /* (nball) spherical joints                                       */
    const clv_ball_kernels *ball_kernels;
    int nfloat, *float_of; /* (strands) number among these, or -1                              */
    clv_row_float *floating; /* (nfloat) bases that float                                      */
    const clv_float_kernels *float_kernels;
    double *I, *F;     /* (21 x 8) (6 x 8) of a limb, in the axes of the strand before         */
    clv_arena arena;
} clv_row_abreast;

/* row_scan.c: the start s of the strand of a base that floats, its own frame, by its coordinates q (nq).  With rates u
 * (nu), or NULL, its motion V (6).  Into k: pose and directions, and motion, of the base. */
void clv_rows_floating_start(clv_kinematics *k, int base, const double *q, const double *u, double s[CLV_FRAME],
                             double V[6]);

/* Why a mechanism does not fit into lanes, in words; NULL: it does. */
const char *clv_row_abreast_refuses(const clv_rows *w);
/* Memory for mechanisms like that of `w`, and kernels at most `lanes` wide.  False: out of memory. */
bool clv_row_abreast_open(clv_row_abreast *a, const clv_rows *w, const clv_kinematics *k, bool momenta, int lanes);
void clv_row_abreast_close(clv_row_abreast *a);
/* Has a mechanism the same structure? */
bool clv_row_abreast_same(const clv_row_abreast *a, const clv_rows *w, const clv_kinematics *k);
/* Its constants go to a lane. */
void clv_row_abreast_put(clv_row_abreast *a, int lane, const clv_rows *w, const clv_kinematics *k,
                         const double gravity[3]);
/* The first n lanes are in use. */
void clv_row_abreast_use(clv_row_abreast *a, int n);
/* Poses after those of the strands: where strands start.  moving: how, too. */
void clv_row_abreast_scan(const clv_row_abreast *a, bool moving);
/* Nothing arrives at attached rows: inertias and loads, before a factor; or momenta and loads, before sums. */
void clv_row_abreast_clear(const clv_row_abreast *a, bool sums);
/* Factor and solve, velocities or accelerations (biased); and the way down, once motions of bases are there.  Drives,
 * or momenta, are in tau of the rows. */
void clv_row_abreast_climb(const clv_row_abreast *a, bool biased);
void clv_row_abreast_descend(const clv_row_abreast *a, bool biased);

/* The rates and motions found, as given ones (clv_rows_go_on). */
void clv_row_abreast_go_on(const clv_row_abreast *a);

/* row_abreast_ball.c: the parts of these for spherical joints; frames of their rows at the states y (n x 8), before the
 * poses; derivatives of their quaternions at the rates u (rows x 8) into ydot (n x 8). */
const char *clv_row_abreast_balls_refuse(const clv_rows *w);
void clv_row_abreast_balls_layout(clv_row_abreast *a, const clv_rows *of, clv_arena *m);
void clv_row_abreast_balls_take(clv_row_abreast *a, const clv_rows *of, int lanes);
bool clv_row_abreast_balls_same(const clv_row_abreast *a, const clv_rows *w);
void clv_row_abreast_balls_put(clv_row_abreast *a, int lane, const clv_rows *of);
void clv_row_abreast_balls_pose(const clv_row_abreast *a, const double *y);
void clv_row_abreast_balls_give(const clv_row_abreast *a, const double *y, const double *u, double *ydot);

/* row_abreast_float.c: the same for bases that float. */
void clv_row_abreast_floats_layout(clv_row_abreast *a, const clv_rows *of, clv_arena *m);
void clv_row_abreast_floats_take(clv_row_abreast *a, const clv_rows *of, int lanes);
bool clv_row_abreast_floats_same(const clv_row_abreast *a, const clv_rows *w);
void clv_row_abreast_floats_put(clv_row_abreast *a, int lane, const clv_rows *of);

/* row_abreast_flex.c, row_abreast_join.c: the parts of these for strands that join and flexible bodies. */
const char *clv_row_abreast_flex_refuses(const clv_rows *w);
void clv_row_abreast_flex_layout(clv_row_abreast *a, const clv_rows *of, clv_arena *m);
void clv_row_abreast_flex_take(clv_row_abreast *a, const clv_rows *of, const clv_kinematics *k, bool momenta);
bool clv_row_abreast_flex_same(const clv_row_abreast *a, const clv_rows *w, const clv_kinematics *k);
void clv_row_abreast_flex_put(clv_row_abreast *a, int lane, const clv_rows *of, const clv_kinematics *k);
void clv_row_abreast_flex_scan(const clv_row_abreast *a, int piece, bool moving);
void clv_row_abreast_flex_fold(const clv_row_abreast *a, bool biased);
void clv_row_abreast_flex_unfold(const clv_row_abreast *a, bool biased);
void clv_row_abreast_flex_collect(const clv_row_abreast *a, int piece);
/* dca, after the scan: derivatives of free directions, biases; velocity terms, off the drives (tau) of modes.  hdca,
 * after the way down: derivatives; at last rates of momenta of modes and joints. */
void clv_row_abreast_flex_terms(const clv_row_abreast *a);
void clv_row_abreast_flex_rates(const clv_row_abreast *a);
void clv_row_abreast_flex_pdot(const clv_row_abreast *a);
/* Loads of flexible bodies at the rates u (rows x 8), into tau (rows x 8) of modes; their power, off `power` (8). */
void clv_row_abreast_flex_weigh(const clv_row_abreast *a, const double *u, double *tau, double *power);
/* Every pivot was good, and every turn ordinary? */
bool clv_row_abreast_flex_sound(const clv_row_abreast *a, int lane);
/* Adds energies and squares of speeds of a lane, as clv_flexible_energies; momenta: hdca.  False: a body is faster than
 * its modes bear. */
bool clv_row_abreast_flex_energy(const clv_row_abreast *a, int lane, const double gravity[3], bool momenta,
                                 double *kinetic, double *potential, double *squares);
/* Momenta and loads to the rows on which strands hang, which are clear. */
void clv_row_abreast_collect(const clv_row_abreast *a);
/* Kinetic energy, that of gravity, and squares of speeds of a lane, after the energy kernel; as clv_rows_energy. */
void clv_row_abreast_energy(const clv_row_abreast *a, int lane, const clv_rows *w, const double gravity[3],
                            double *kinetic, double *potential, double *squares);

#endif
