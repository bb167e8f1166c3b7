/* SPDX-License-Identifier: Apache-2.0
 * Flexible bodies: small deformations of a floating frame (T30).
 *
 *   position of a mass element  r + R (x + sum phi_k eta_k)        r, R: the frame;  eta: modal coordinates
 *   kinetic energy              1/2 integral |v + w x (x + phi eta) + phi eta'|^2 dm
 *
 * A flexible body is one FRAME body (rigid numbers of the undeformed body) and its interface NODES.  Every node is a
 * hidden massless body of the model, `frame.node`, added right after its frame: joints, markers and loads take it like
 * any other body. */
#ifndef CLV_MODEL_FLEX_H
#define CLV_MODEL_FLEX_H
#include "cleave/cleave.h"
#include "math/turn.h"

typedef struct clv_flex_node {
    char *name;
    int body;               /* its hidden body                                                                   */
    double position[3];     /* m, undeformed node frame in body axes                                             */
    double orientation[4];  /* w x y z                                                                           */
    double *shape; /* (nmode x 6) mode k at [6 k ..]: translation (m per unit), rotation (rad per unit), body axes */
} clv_flex_node;

typedef struct clv_flex {
    int body;               /* the frame                                                                         */
    int nmode, nnode;
    clv_flex_node *node;
    double *K, *C, *Mff;    /* (nmode x nmode) symmetric: stiffness, damping, modal mass                         */
    double *S;              /* (nmode x 3) integral of phi_k dm                                                  */
    double *h;              /* (nmode x 3) integral of x cross phi_k dm, and rotary inertia                      */
    double *E;              /* (nmode x 9) integral of x phi_k^T dm, row major                                   */
    double *B;              /* (nmode x nmode x 9) integral of phi_k phi_l^T dm                                  */
    double *eta, *etad;     /* (nmode) at the start                                                              */
    double limit;           /* rad/s: |w| of the frame beyond which the linear frame is refused; 0: none         */
} clv_flex;

/* Makes the body added last (d->body) flexible and adds its nodes as bodies `frame.node`; everything is copied
 * (node[].body is not read). Errors: CLV_ERR_USAGE (another body than the last, no modes), CLV_ERR_MODEL (a number that
 * is not finite, a name missing or taken), CLV_ERR_MEMORY. */
clv_status clv_model_add_flex(clv_model *m, int *index, const clv_flex *d);
/* Frees what a flexible body owns. */
void clv_flex_free(clv_flex *f);
/* Pose of a node in body axes at the modal coordinates eta: position (m), rotation (row major);
 * theta: its turn, or NULL. */
void clv_flex_node_pose(const clv_flex *f, const clv_flex_node *n, const double *eta, double position[3], double R[9],
                        double theta[3]);
/* The same with the turn. */
void clv_flex_node_turn(const clv_flex *f, const clv_flex_node *n, const double *eta, double position[3], double R[9],
                        clv_turn *turn);

#endif
