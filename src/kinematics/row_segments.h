/* SPDX-License-Identifier: Apache-2.0
 * Segments of a divided mechanism in rows (T80): each is a tree that others hold at its root and that holds others at
 * its handle.  Root and handle are the two halves of one body, so what passes between two segments is the motion of one
 * body and one wrench.  Numbers at a root or handle are in the axes of that body, about its centre of mass.
 *
 *   move    after `pose`, before the scan: where the handle is beside the root, and how it moves beside it
 *   ports   after the fold: how root and handle respond to motions and wrenches
 *   ends    before the way down: motion of the root, wrench on the handle
 *   pairs   hdca, before `collect`: loads by the impulses that pass between segments */
#ifndef CLV_KINEMATICS_ROW_SEGMENTS_H
#define CLV_KINEMATICS_ROW_SEGMENTS_H
#include "kinematics/rows.h"

/* Where a body is, and how it moves: axes x, y, z (3 each), centre of mass; motion of the centre of mass. */
typedef struct clv_segment_move {
    double frame[CLV_FRAME], motion[6];
} clv_segment_move;

/* Rows by which a handle is held to ground (T128): D^T x = a, the wrench on the handle is D lambda. */
typedef struct clv_segment_hold {
    int m;                        /* 0: none                                                      */
    double D[36], a[6], scale[6]; /* scale: square roots of what a free body has on the diagonal  */
    double rank;                  /* scaled pivots below are dropped (T20)                        */
} clv_segment_hold;

/* wrench at the root inwards = p + K F - I x,  x of the handle = K^T x + L F + t; 6 x 6 row major */
typedef struct clv_segment_ports {
    double I[36], p[6], K[36], L[36], t[6];
    clv_segment_hold hold;
} clv_segment_ports;

typedef struct clv_segment_ends {
    double x[6], F[6], W[6]; /* motion of the root, wrench on the handle; wrench at the root inwards */
    int truncated;               /* rows of the hold that were dropped                                         */
} clv_segment_ends;

/* A segment with loops (T160), which is joined to others at ports: n of them, those of the segment before first.
 * Motions and wrenches are in the axes of the body of a port, about its centre of mass:  motions = X wrenches + x. */
enum { CLV_SEGMENT_PORTS = 32 };
typedef struct clv_segment_part {
    int n, before;     /* ports, those of the segment before                                                  */
    double *X, *x;     /* lower triangle, row by row; motions, of corrections two  (6 n (6 n + 1) / 2, 12 n)  */
    double *F;         /* wrenches on the ports, of corrections two                                    (12 n)  */
    double *free;      /* 1/kg, 1/(kg m^2): of the body of each port by itself                        (2 n)   */
    clv_segment_move *at;  /* of the bodies of the ports, global                                          (n) */
    double rank, weakest;  /* scaled pivots below are dropped (T20); the smallest one kept, here, then anywhere */
    int truncated;         /* rows dropped, here, then anywhere                                           */
} clv_segment_part;

/* By how much a body differs from another, in its axes: of poses (m, rad) or of motions. */
void clv_segment_differ(const clv_segment_move *own, const clv_segment_move *other, bool motions, double differ[6]);

/* Lists of segments; strands and pieces are listed. */
void clv_rows_list_segments(clv_rows *w);
/* The handle of segment k (or nothing, if it has none) beside its root, or beside a start, which moves if `moving`. */
void clv_rows_segment_move(const clv_rows *w, int k, bool moving, const clv_segment_move *start, clv_segment_move *to);
/* In the fold, after the join of a strand: what a wrench on the handle does to it. */
void clv_rows_segment_reach(clv_rows *w, const clv_kinematics *k, int strand);
/* In the way back: adds what the wrench on the handle does to motion and wrench of a tip. */
void clv_rows_segment_push(const clv_rows *w, int strand, double tip[6], double F[6]);
/* moving: the solution is for accelerations. */
void clv_rows_segment_ports(const clv_rows *w, const clv_kinematics *k, int segment, bool moving,
                            clv_segment_ports *to);
void clv_rows_segment_ends(clv_rows *w, int segment, const clv_segment_ends *ends);
/* hdca: the pairs of T10 of impulses where segments meet, at the velocities V of roots and handles, into Q; but for the
 * handle of segment `held`, if any. */
void clv_rows_segment_pairs(clv_rows *w, const clv_kinematics *k, int held);
/* What these impulses take off the momenta of handles, or of roots, times sign, into P. */
void clv_rows_segment_handle_momenta(clv_rows *w, const clv_kinematics *k, double sign);
void clv_rows_segment_root_momenta(clv_rows *w, const clv_kinematics *k, double sign);
/* Kinetic energy, that of gravity (J), squares of all speeds, of each segment (nsegment x 3), after
 * clv_rows_energy. */
void clv_rows_segment_energies(const clv_rows *w, const double gravity[3], double *each);

#endif
