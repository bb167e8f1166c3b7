/* SPDX-License-Identifier: Apache-2.0
 * A flexible body in the making: its rigid numbers, and the modes with their integrals (T32).  Filled from mass points
 * (an integral is a sum over points), from the built-in beam (flex_beam.h), from a finite-element model
 * (flex_reduce.h), or from a file.  Then added by clv_model_add_body and clv_model_add_flex. */
#ifndef CLV_FLEXIBLE_FLEX_BODY_H
#define CLV_FLEXIBLE_FLEX_BODY_H
#include "model/flex.h"

#define CLV_FLEX_MOST_MODES 200 /* modes of one body */
#define CLV_FLEX_SPIN       0.3 /* standard limit on |w|, over the first bending frequency (T32.5) */

typedef struct clv_flex_body {
    double mass;   /* kg                                                  */
    double com[3]; /* m, undeformed, body axes                            */
    double J[6];   /* kg m^2 xx yy zz xy xz yz about com, undeformed      */
    clv_flex flex; /* owns its arrays; flex.body is not set               */
} clv_flex_body;

/* A mass element: point mass with rotary inertia about itself and the mode shapes at it. */
typedef struct clv_flex_point {
    double mass, position[3]; /* kg; m, body axes                                      */
    double inertia[6];        /* kg m^2, as J                                          */
    const double *shape;      /* (nmode x 6) as clv_flex_node.shape                    */
} clv_flex_point;

/* Takes memory for all arrays (zeroed) and nnode nodes without names.  False: out of memory; nothing is held then. */
bool clv_flex_body_open(clv_flex_body *b, int nmode, int nnode);
void clv_flex_body_close(clv_flex_body *b);
/* mass, com, J, S, h, E, B, Mff as sums over points (T32.1).  Every such body has a kinetic energy >= 0 for all
 * motions. */
void clv_flex_body_sum(clv_flex_body *b, const clv_flex_point *point, int n);
/* Natural frequencies with the frame held: omega (nmode) rad/s, ascending; scratch: 4 nmode^2 doubles.  False: modal
 * mass not positive definite. */
bool clv_flex_frequencies(double *omega, const clv_flex *f, double *scratch);
/* C so that every mode of (K, Mff) has the damping ratio `ratio`; scratch as above.  False as above. */
bool clv_flex_damp(clv_flex *f, double ratio, double *scratch);

#endif
