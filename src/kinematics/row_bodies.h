/* SPDX-License-Identifier: Apache-2.0
 * Bodies with coordinates of their own and joints with compliances, in rows (T23.8): poses, motions, what joints miss,
 * beside the factor of engine/compliant.h.  One row a body, its inboard joint inside a strand with it.
 *
 *   pose    axes, inertias; revolute joints: arms, directions, resistances, violations
 *   check   violations alone, at other poses
 *   move    motions; loads less velocity terms; right-hand sides of rows of accelerations
 *   slip    what motions miss, as right-hand sides
 *   miss    what the sum of all corrections so far misses, likewise
 *   add     a correction to that sum
 *
 * Revolute joints are in lanes. Joints of other kinds, prescribed and coupled ones, and those that nodes close are
 * evaluated one by one, with the bodies they hold, by the kinematics of the absolute plan. */
#ifndef CLV_KINEMATICS_ROW_BODIES_H
#define CLV_KINEMATICS_ROW_BODIES_H
#include "kinematics/row_compliant.h"
#include "math/lane.h"

typedef struct clv_row_kernels clv_row_kernels;

/* What a group shows, by lane: largest correction: translation, rotation, in axes of the bodies too; largest motion;
 * kinetic, potential energy (J), sum of squares of speeds. */
enum { CLV_SHOWN_SHIFT, CLV_SHOWN_TURN, CLV_SHOWN_RATE, CLV_SHOWN_SIZE, CLV_SHOWN_KINETIC, CLV_SHOWN_POTENTIAL,
       CLV_SHOWN_SQUARES, CLV_SHOWN };

/* A correction: motions and multipliers by rows, multipliers of nodes. */
typedef struct clv_row_direction {
    double *x, *sigma, *node;
} clv_row_direction;

typedef struct clv_row_bodies {
    clv_compliant c;
    clv_kinematics *kin;    /* of the absolute plan                                                              */
    const clv_row_kernels *kernels;
    double gravity[3];      /* m/s^2                                                                             */
    bool absolute, damped;  /* penalties in kg, kg m^2; some row has a gain                                      */
    unsigned char *lane;    /* (nedge of the absolute plan) evaluated in lanes                                   */
    int *other, nother;     /* bodies whose joint inside a strand is evaluated alone                             */
    int *alone, nalone;     /* edges of the absolute plan that are evaluated alone                               */
    int *border, nborder;   /* bodies these hold                                                                 */
    unsigned char *held;    /* (nbody) is it one of them                                                         */
    /* constants of rows, of lanes with a revolute joint: 1, else 0; 1 or -1: the joint's b is the child, or a   */
    double *plain, *sign;   /*                                                                          (1, 1)   */
    double *l, *p;          /* m, joint point to the own centre of mass, the parent's to it, body axes    (3, 3) */
    double *frame;          /* x, y, z of b's joint frame, body axes; x, z of a's                           (15) */
    double *J, *free;       /* kg m^2, body axes; 1/m of both bodies, 1/J of the child's and the parent's  (6, 3) */
    double *alpha, *gain;   /* by directions; on violations of positions, velocities                      (6, 12) */
    /* present state */
    double *X, *U;          /* centre of mass, Euler parameters; rates                                    (7, 6) */
    double *R, *V;          /* axes; motion, global                                                       (9, 6) */
    double *arm;            /* m, global: joint point to the own centre, the parent's to it                  (6) */
    double *phi, *target;   /* violations of positions; right-hand sides of rows, by directions           (6, 6) */
    double *cosine, *sine;  /* of the angle of a revolute joint                                           (1, 1) */
    double *x, *lambda;     /* sums of corrections                                                        (6, 6) */
    double *rate;           /* derivatives of X and U                                                       (13) */
    double *start_X, *start_V, *start_x; /* (ngroup x 7, 6, 6) of the bodies from which strands start             */
    long posed;             /* of the kinematics when joints were evaluated alone last                           */
    clv_row_direction g, d; /* of conjugate gradients                                                            */
    double *shown;          /* (ngroup x CLV_SHOWN)                                                              */
    /* edges evaluated alone, by rows of the absolute plan: right-hand sides, work; multipliers by rows of the tree */
    double *row_a, *row, *row_lambda;
    double *state;          /* (nq of the absolute plan) work                                                    */
} clv_row_bodies;

void clv_row_bodies_layout(clv_row_bodies *r, const clv_plan *tree, const clv_plan *absolute, clv_arena *a);
/* Constants and lists; after the carving layout. */
void clv_row_bodies_begin(clv_row_bodies *r, clv_kinematics *absolute, const clv_kernels *kernels);
/* alpha and gains (two arrays) by rows of the absolute plan. */
void clv_row_bodies_options(clv_row_bodies *r, const double *alpha, bool absolute, double *const gain[2]);

/* The poses q and rates u, or NULL. */
void clv_row_bodies_take(clv_row_bodies *r, const double *q, const double *u);
/* Poses from q at time t, blocks of edges that are evaluated alone. */
void clv_row_bodies_pose(clv_row_bodies *r, double t, const double *q);
/* The factor there, with alpha by rows of the absolute plan.  Errors: CLV_ERR_SINGULAR, where a joint has nothing
 * outboard with inertia in a free direction, or a base that floats lacks some. */
clv_status clv_row_bodies_factor(clv_row_bodies *r, const double *alpha);
/* The joints evaluated alone once more, at the same poses: the kinematics were elsewhere. */
void clv_row_bodies_refresh(clv_row_bodies *r, double t);
/* Motions from u. */
void clv_row_bodies_travel(clv_row_bodies *r, const double *u);
/* The same; loads less velocity terms, right-hand sides of rows less gains (by rows of the absolute plan, or NULL:
 * none) times violations.  Q: loads (nbody x 6), or NULL: weight. */
void clv_row_bodies_move(clv_row_bodies *r, const double *u, const double *Q, const double *const gain[2]);
/* No correction yet: right-hand sides of the first. */
void clv_row_bodies_start(clv_row_bodies *r);
/* Right-hand sides of all rows (all: else these are zero) less what the motions x of the rows give. */
void clv_row_bodies_rows(clv_row_bodies *r, double *x, bool all);
/* What the sum so far misses, as right-hand sides of the next. */
void clv_row_bodies_miss(clv_row_bodies *r);
/* Violations at the present poses.  Minus these as right-hand sides. */
void clv_row_bodies_check(clv_row_bodies *r);
void clv_row_bodies_oppose(clv_row_bodies *r);
/* Minus the violations of the present motions as right-hand sides. */
void clv_row_bodies_slip(clv_row_bodies *r);
/* Adds the correction to the sum, or to the motions; to the poses. */
void clv_row_bodies_add(clv_row_bodies *r, bool velocities);
void clv_row_bodies_displace(clv_row_bodies *r);
/* Present poses q, rates u, and rates ydot of both by motions and the sum of corrections; NULL: none. */
void clv_row_bodies_give(clv_row_bodies *r, double *q, double *u, double *ydot);
/* Continues by conjugate gradients from what the right-hand sides at hand miss (T23.4). The sum, or the motions, are
 * corrected until a change is within the tolerance, only directions with eigenvalues below `lost` are left, or by the
 * limit of further iterations. */
typedef struct clv_row_ending {
    int iterations;
    double change;
    bool limited, stalled;
} clv_row_ending;
clv_row_ending clv_row_bodies_conjugate(clv_row_bodies *r, bool velocities, double lost, double tolerance,
                                         int limit);
/* Violations of positions or of velocities, by rows of the absolute plan. */
void clv_row_bodies_violation(clv_row_bodies *r, bool velocities, double *c);
/* Poses of all bodies, blocks of all joints, into the kinematics and the engine of the absolute plan. */
void clv_row_bodies_show(clv_row_bodies *r);
/* J, of the present motions */
double clv_row_bodies_kinetic(const clv_row_bodies *r);
/* Takes the present angles of all joints as those near which they are measured from now on. */
void clv_row_bodies_keep_turns(clv_row_bodies *r);
/* Multipliers of the sum, by rows of the absolute plan. */
void clv_row_bodies_multipliers(const clv_row_bodies *r, double *lambda);
/* n numbers of a body in a row array, the first; the next one is 8 further */
double *clv_row_bodies_slot(const clv_row_bodies *r, double *array, int n, int body);
/* What the groups show: the largest (or NaN), the sum. */
double clv_row_bodies_most(const clv_row_bodies *r, int what);
double clv_row_bodies_sum(const clv_row_bodies *r, int what);

#endif
