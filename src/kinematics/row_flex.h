/* SPDX-License-Identifier: Apache-2.0
 * Strands that join, and flexible bodies, of mechanisms abreast (T85, T132): what row_fold.c, row_star.c, deform.c and
 * deform_mass.c do for one mechanism, in lanes.  Number i of lane l lies at [8 i + l]; n numbers are called (n).
 * Coordinates, rates, momenta and loads of modes, and of joints on flexible bodies, are rows of their own behind those
 * of the strands. */
#ifndef CLV_KINEMATICS_ROW_FLEX_H
#define CLV_KINEMATICS_ROW_FLEX_H
#include "base/memory.h"
#include "kinematics/kinematics.h"
#include "math/lane.h"

/* What lies outboard of the tip of a strand, and the strand with it (clv_row_join). */
typedef struct clv_row_tip {
    bool any;           /* the strand has columns for its tip                        */
    double *H, *h;      /* (36, 6) F = h - H x_tip                                   */
    double *X, *y;      /* (36, 6) x_tip = X x_base + y                              */
    double *I, *p;      /* (36, 6) at a base that floats, outboard included          */
    double *x;          /* (6) motion of the tip in the last solve                   */
} clv_row_tip;

/* A body of a flexible body: its frame, or a node. */
typedef struct clv_flex_body {
    double *shape, *at, *R0;  /* constants of a node: (6 nmode) mode shapes, (3) m, (9) undeformed, body axes */
    double *R, *com, *ref, *arm; /* (9, 3, 3, 3) pose, global; from the body before   */
    double *V;                /* (6) motion, at the reference point                  */
    double *turn;             /* (8) of a node: theta, a, b, c and slopes of b, c, see math/turn.h */
    double *M;                /* (6 nmode) columns of its link                       */
    double *rates;            /* (18) hdca: what changes them, see row_flex_rates.c  */
    double *c;                /* (6) bias of its link                                */
    bool hangs;               /* something is attached to it                         */
    double *H, *h;            /* (36, 6) F = h - H x                                 */
    double *x, *P, *Q;        /* (6) as in clv_row_hold                              */
} clv_flex_body;

/* A flexible body. */
typedef struct clv_row_flex {
    int n, wide, nbody, entry; /* modes, made even; bodies, the frame first; where the tree enters */
    int row;                   /* of its first mode                                  */
    int npair, pair[9], begin[10], nmoment, moment[9]; /* as in clv_deformed         */
    int *of;                   /* (npair n)                                          */
    bool natural;
    clv_flex_body *body;       /* (nbody)                                            */
    /* constants, as in clv_deformed and clv_flex */
    double *mass, *com, *rest, *J0, *phi, *h0, *E0; /* (1, 3, 3, 9, 3 wide, 3 wide, 9 wide) */
    double *B;                 /* (begin[npair] wide)                                */
    double *Mff, *K, *C, *limit; /* (n n, n n, n n, 1)                               */
    /* as it is deformed now */
    double *S, *J, *Hm, *E;    /* (3, 9, 3 wide, 9 wide)                             */
    double *I, *Mrf;           /* (21, 6 n) inertia of the frame; of modes beside it */
    double *odd;               /* (1) 0 where all turns are ordinary                 */
    /* fold */
    double *A, *G, *y;         /* (n n, 6 n, n)                                      */
    double *left, *p;          /* (36, 6) at the entry, without the modes            */
    double *ok;                /* (1)                                                */
} clv_row_flex;

/* A body that holds a joint on a flexible body: of a flexible body, or of a strand. */
typedef struct clv_flex_port {
    bool ground;
    clv_flex_body *body;       /* or NULL:                                           */
    int strand, row, at;       /* its strand, its row, and that among attached ones  */
    bool base;                 /* it is the base of a strand that floats: its pose is that of its joint */
    double *E, *l;             /* constants: (9) own frame, (3) its point to the centre of mass, body axes */
    double *R, *com, *ref, *V; /* (9, 3, 3, 6) global                                */
} clv_flex_port;

/* A joint on a flexible body, or between one and a strand, as the base of a piece (row_fold.c). */
typedef struct clv_flex_joint {
    clv_joint_kind kind;       /* fixed, revolute or prismatic                       */
    int f, row;                /* degrees of freedom, 0 or 1; its row                */
    clv_flex_port port;        /* what holds it                                      */
    double *A, *a;             /* constants: (9) frame on the port, (3) its origin from the centre of mass there */
    double *B, *b;             /* (9) frame on the child, (3) from there to its centre of mass */
    double *armature;          /* (1) kg, kg m^2                                     */
    /* child */
    double *R, *com, *ref, *arm, *V; /* those of its body                            */
    double *axis, *H, *Hd, *c; /* (3, 6, 6, 6) of the joint; bias                    */
    /* elimination, axes of the piece */
    double *turn, *r, *G, *bias, *N, *root, *u0; /* (9, 3, 6, 6, 6, 1, 1)            */
    double *I, *p, *ok;        /* (36, 6, 1) of the piece, then without the joint; every pivot was good */
    clv_row_tip *tip;          /* of the strand to which it is handed on, or NULL    */
} clv_flex_joint;

#endif
