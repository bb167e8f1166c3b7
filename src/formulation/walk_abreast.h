/* SPDX-License-Identifier: Apache-2.0
 * Rates of several mechanisms at once, a mechanism a lane (T85): the walks of hdca and dca without what is done strand
 * by strand.  Every number is made by the operations that make it for the mechanism alone, so its bits are the same. */
#ifndef CLV_FORMULATION_WALK_ABREAST_H
#define CLV_FORMULATION_WALK_ABREAST_H
#include "formulation/walk.h"
#include "kinematics/row_abreast.h"
#include "math/lane_vector.h"

/* A mechanism in its lane. */
typedef struct clv_walk_lane {
    clv_system *system;   /* its own; NULL: the lane is empty                                  */
    bool simple;          /* its loads are springs and dampers of joints                       */
    bool required;        /* rates are                                                         */
    double t;             /* s                                                                 */
    bool weighed;         /* energies are required, too                                        */
    clv_energies energies;
    bool failed;          /* what its own walk has to name                                     */
} clv_walk_lane;

/* A joint that follows a motion. */
typedef struct clv_walk_drive {
    int row, joint, motion;
    double u[CLV_GROUP], ud[CLV_GROUP]; /* its present rates and accelerations                 */
} clv_walk_drive;

typedef struct clv_walk_abreast {
    clv_row_abreast rows;
    const clv_lane_vectors *vectors;
    clv_row_springs springs;
    clv_walk_lane lane[CLV_GROUP];
    int lanes, n, nq;     /* n: numbers of a state; of these coordinates                       */
    bool momenta;         /* hdca, else dca                                                    */
    bool loaded;          /* something acts in joints                                          */
    const double *y;      /* (n x 8) present states                                             */
    double *state;        /* (n) of one lane                                                   */
    int ndrive;
    clv_walk_drive *drive; /* (ndrive)                                                         */
    clv_arena arena;
} clv_walk_abreast;

/* Why a mechanism has to be evaluated alone, in words; NULL: it may share lanes with others of its structure. */
const char *clv_walk_abreast_refuses(const clv_system *s, bool momenta);
/* Lanes for mechanisms like that one; kernels at most `width` wide.  False: out of memory. */
bool clv_walk_abreast_open(clv_walk_abreast *a, const clv_system *s, bool momenta, int lanes, int width);
void clv_walk_abreast_close(clv_walk_abreast *a);
/* Has a mechanism the structure of these lanes? */
bool clv_walk_abreast_same(const clv_walk_abreast *a, const clv_system *s);
/* The mechanism `s`, of the same structure, takes a lane. */
void clv_walk_abreast_put(clv_walk_abreast *a, int lane, clv_system *s);
/* All rates that are required, at the states y (n x 8, number i of lane l at 8 i + l), into ydot (n x 8). */
void clv_walk_abreast_rates(clv_walk_abreast *a, const double *y, double *ydot);

#endif
