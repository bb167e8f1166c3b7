/* SPDX-License-Identifier: Apache-2.0
 * Joints with a compliance on every constraint row (T23.8): the spanning tree of an absolute plan, body by body along
 * its strands in lanes, with the loops closed by nodes.
 *
 *   M x = b + K sigma,   K^T x = a - eps sigma
 *
 * A joint inside a strand has six directions T of relative motion, first its free ones, then the duals of its rows; a
 * row resists motion along its direction by w = 1 / eps.  All six are eliminated, one after the other.  Axes are
 * global, motions and wrenches those of the centres of mass. */
#ifndef CLV_ENGINE_COMPLIANT_H
#define CLV_ENGINE_COMPLIANT_H
#include "engine/engine.h"

enum { CLV_DIRECTIONS = 6 };

typedef struct clv_compliant clv_compliant;
struct clv_compliant {
    clv_engine engine;     /* of the spanning tree: what strands show, nodes; bodies and joints are not in its rows  */
    const clv_plan *absolute;
    int *edge;             /* (nbody) edge of the absolute plan that is the inboard joint inside a strand, or -1 */
    int *edge_of;          /* (nedge of the tree) the same of the edges that nodes close                            */
    int *limb;             /* (nrow) place of what limbs fold into bodies of this row, or -1                        */
    int nlimb;
    /* rows of eight slots as in the engine: component k of a row at [8 k .. 8 k + 7] */
    double *mass, *J, *r;  /* kg; kg m^2, global; m, parent's centre over the joint's point to the own      (1, 6, 3) */
    double *T, *w;         /* directions; resistance of the row, 0: free                                 (36, 6) */
    double *N, *inverse, *kappa, *Kh; /* factor: U / d, 1 / d, T^T U, T^T K                       (36, 6, 6, 36) */
    double *b, *a;         /* loads; right-hand sides by directions                                       (6, 6) */
    double *h, *u0;        /* T^T p; u without the motion inboard                                         (6, 6) */
    double *x, *sigma;     /* solution: motions; multipliers by directions                                (6, 6) */
    double *limb_I, *limb_p; /* (nlimb x 8) inertia and load of limbs                                    (21, 6) */
};

void clv_compliant_layout(clv_compliant *c, const clv_plan *tree, clv_arena *a);
/* Index maps, masses, padding; after the carving layout. */
void clv_compliant_begin(clv_compliant *c, const clv_plan *absolute, const clv_kernels *kernels);
/* May an absolute plan be solved so?  Rigid bodies, without springs in rows. */
bool clv_compliant_fits(const clv_plan *absolute);
/* Puts the arm r, the directions T (by columns) and resistances w of the joint of a body inside a strand. */
void clv_compliant_joint(clv_compliant *c, int body, const double r[3], const double T[36], const double w[6]);
/* J and the joints inside strands must be there; edges of nodes are taken from the engine of the absolute plan.
 * Errors: CLV_ERR_SINGULAR, engine.failed_body or failed_edge (of the tree) shows where. */
clv_status clv_compliant_factor(clv_compliant *c, const clv_engine *absolute);
/* Solves for the right-hand sides a of the rows and those of the engine, with the loads b or without. */
void clv_compliant_pass(clv_compliant *c, bool loaded);

#endif
