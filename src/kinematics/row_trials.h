/* SPDX-License-Identifier: Apache-2.0
 * Bodies in rows with coordinates of their own (T43.10): each has the place of its centre of mass and Euler parameters,
 * and joints between them are not quite met.  Implicit steps iterate on them (T25, T27); the rows of the spanning tree
 * find the corrections.
 *
 *   predict   the trial at the end of a step, from the state and its rates
 *   place     axes, arms, inertias; loads less inertia forces as right-hand sides; what joints miss as biases
 *   tighten   stiffness of forces in joints
 *   move      the trial by the motions of the last solve
 *   stop      motions of the trial, and what they miss as biases
 *   settle    the motions corrected by the last solve; accelerations
 *   press     what accelerations miss as biases
 *   finish    accelerations corrected, states and rates, energies, what is missed
 *
 * All axes are global: strands start as if on ground.  Revolute joints are met in lanes, joints of other kinds one by
 * one (row_trial_joints.c). */
#ifndef CLV_KINEMATICS_ROW_TRIALS_H
#define CLV_KINEMATICS_ROW_TRIALS_H
#include "kinematics/rows.h"

/* A rule on coordinates, as clv_rule: x'' = dx / scale, x' = to_rate dx. */
typedef struct clv_row_rule {
    double h, am, af, beta, gamma, scale, to_rate, damp;
    bool still; /* the trial starts at the positions of the state */
} clv_row_rule;

enum { /* numbers of a body beside its state: x, u, u', auxiliary accelerations; qdot beside them on the way back */
    CLV_TRIAL_X = 0,
    CLV_TRIAL_U = 7,
    CLV_TRIAL_UD = 13,
    CLV_TRIAL_AUX = 19,
    CLV_TRIAL_QDOT = 26,
    CLV_TRIAL_GIVEN = 33
};
enum { CLV_TRIAL_BLOCK = 8 }; /* rows whose numbers cross the border together */

/* What a group shows, by lane: |dx|^2; kinetic, potential energy (J), sum of squares of speeds; largest violations of
 * positions (m, rad), velocities, accelerations; |x|^2 of the prediction; sum of f (N). */
enum { CLV_TRIAL_MOVED, CLV_TRIAL_KINETIC, CLV_TRIAL_POTENTIAL, CLV_TRIAL_SQUARES, CLV_TRIAL_GAP, CLV_TRIAL_GAP_SPEED,
       CLV_TRIAL_GAP_RATE, CLV_TRIAL_SIZE, CLV_TRIAL_FORCE, CLV_TRIAL_SHOWN = CLV_TRIAL_FORCE + 3 };

/* Vectors in the order of an absolute plan, between which and the rows a step passes its numbers: states y = [q; u],
 * their rates, auxiliary accelerations (nbody x 7).  Where one is NULL: none is taken, or given. */
typedef struct clv_row_border {
    const clv_plan *absolute;
    const double *y, *ydot, *aux; /* taken */
    double *to_y, *to_ydot, *to_aux; /* given */
} clv_row_border;

/* Rows of a group on their way across the border: the first one, and the next body of each strand from there on. */
typedef struct clv_row_block_place {
    int group, row, next[CLV_GROUP];
} clv_row_block_place;

/* A spring or damper of a joint: body, column of its directions, slot of the degree of freedom. */
typedef struct clv_row_stiff {
    int force, body, column, slot;
} clv_row_stiff;

typedef struct clv_row_trials {
    clv_engine engine;      /* of the plan with a spanning tree */
    clv_kinematics kin;
    clv_rows rows;
    double gravity[3];      /* m/s^2; zero where loads are given one by one                                       */
    int *other, *other_first; /* bodies on other joints than revolute ones, by groups; first of a group (ngroup + 1) */
    double *near;           /* coordinates near which angles are measured: turn of the absolute plan's kinematics  */
    int *edge;              /* (nbody) edge of the inboard joint in the absolute plan                             */
    const int *edge_of_joint; /* (njoint) of the absolute plan                                                    */
    double *c, *a;          /* where loops are closed: what joints between strands and closing rows lack (nbody x 6,
                             * nclosing_row)                                                                      */
    double on_rate, on_place; /* s, s^2: how springs and dampers count in the matrix (T26)                        */
    clv_row_stiff *spring; /* (nforce) springs and dampers of joints inside strands, by groups            */
    int *spring_first;      /* (ngroup + 1) first of a group                                                      */
    double *drive;          /* (nmotion) N, N m: forces of motions, of the last iteration and projection          */
    double *sigma;          /* (nsigma) N, N m: forces of edges in the last iteration, or step                    */
    double *state;          /* (nq + nu) of the absolute plan: work                                               */
    double *none, *unknown; /* (nu) of the tree: no drives; unknowns of a solve                                   */

    /* Constants of rows, 8 lanes each.  Masks of slots that are bodies, on a joint, on a revolute joint.  In body axes
     * (kg, m): joint point beside the centre of mass, inertia, axis of the joint.  On the body before, in its axes:
     * joint point beside the centre of mass, axis.  Kernels read those of row i in row alike[i], the first of rows
     * with the same numbers.                                                                                       */
    int *alike;
    double *own, *joined, *turns, *mass;
    double *l, *J, *axis, *point, *axis_before; /*                                             (3, 6, 3, 3, 3) */
    double *x_axis, *x_before, *y_before; /* x of the joint frame on the body; x, y of that before          (3, 3, 3) */
    double *angle;          /* of a revolute joint, from the body before, to 0.08 rad                         (1) */
    double *x;              /* trial: x, x', x''                                                             (21) */
    double *before;         /* x'' at the start of the step                                                   (7) */
    double *arm, *at;       /* joint point beside the centre of mass, global; place of the joint point      (3, 3) */
    double *V, *A;          /* motion and acceleration of the joint point, global                           (6, 6) */
    double *f;              /* N, what joints and outboard bodies give together: inertia force less load        (3) */
    double *tension;        /* N m, sum of the symmetric parts of l F^T where other strands are attached to it (6) */
    double *moved;          /* |dx|^2 of the last correction                                                  (1) */
    /* of the bodies from which the strands of a group start */
    double *origin_x, *origin_at, *origin_V, *origin_A; /* (ngroup x 7, 3, 6, 6)                                  */
    double *shown;          /* (ngroup x CLV_TRIAL_SHOWN)                                                         */
} clv_row_trials;

void clv_row_trials_layout(clv_row_trials *r, const clv_plan *tree, clv_arena *a);
/* May exact steps of an absolute plan be made in the rows of its spanning tree?  A mechanism of rigid bodies. */
bool clv_row_trials_fit(const clv_plan *absolute);
/* After the carving layout.  False: not a mechanism of rigid bodies. */
bool clv_row_trials_begin(clv_row_trials *r, const clv_kinematics *absolute, double rank, const clv_kernels *kernels);
/* Takes the present angles of joints as those near which they are measured from now on. */
void clv_row_trials_keep_turns(clv_row_trials *r);
/* joint point of a body (m, global) */
void clv_row_trials_point(const clv_row_trials *r, int body, double at[3]);
/* pose x (7) of the trial and its rates u (6), as clv_rule_rates */
void clv_row_trials_of(const clv_row_trials *r, int body, double x[7], double u[6]);
/* The kernels over all groups, with the joints that are not revolute. */
/* From the state and rates of `from`, with the forces of these accelerations in the joints; first: there are no
 * auxiliary accelerations yet, they are x''. */
void clv_row_trials_predict(clv_row_trials *r, const clv_row_border *from, const clv_row_rule *rule, bool first);
/* Axes, arms, inertias; scale times loads less inertia forces; what joints miss: of all groups. */
void clv_row_trials_place(clv_row_trials *r, double scale);
/* One iteration for the pose, with what forces in joints do when bodies rotate: those of the prediction, or of the
 * iteration before.  If `placed`, clv_row_trials_place has been made.  False: a pivot is missing. */
bool clv_row_trials_iterate(clv_row_trials *r, const clv_row_rule *rule, bool placed);
/* One iteration for the pose onto the joints alone, M dx = wrenches of the joints, after clv_row_trials_place with
 * scale 0.  False: a pivot is missing. */
bool clv_row_trials_close(clv_row_trials *r);
/* Velocities and accelerations onto their constraints.  False: a pivot is missing. */
bool clv_row_trials_project(clv_row_trials *r, const clv_row_rule *rule);
/* Accelerations with the loads that `place` has made right-hand sides, x'' = 0 before.  False: a pivot is missing. */
bool clv_row_trials_accelerate(clv_row_trials *r, const clv_row_rule *still);
/* After these: states, rates and auxiliary accelerations to `to`, energies, what joints miss; first: as above. */
void clv_row_trials_give(clv_row_trials *r, const clv_row_border *to, const clv_row_rule *rule, bool first);
/* acceleration of the centre of mass and angular acceleration of a body, global axes */
void clv_row_trials_acceleration(const clv_row_trials *r, int body, double x[6]);
/* Adds a wrench about the centre of mass (global axes), times `scale`, to the right-hand side of a body. */
void clv_row_trials_load(clv_row_trials *r, int body, double scale, const double W[6]);
/* What the groups show: the sum, the largest. */
double clv_row_trials_sum(const clv_row_trials *r, int what);
double clv_row_trials_most(const clv_row_trials *r, int what);
/* the body that the last correction has moved most */
int clv_row_trials_worst(const clv_row_trials *r);

/* row_trial_joints.c: arms, directions, biases of joints that are not revolute; what they miss at the end of a step */
void clv_row_trial_places(clv_row_trials *r, int group);
void clv_row_trial_keep_turn(clv_row_trials *r, int body);
void clv_row_trial_speeds(clv_row_trials *r, int group);
void clv_row_trial_accelerations(clv_row_trials *r, int group);
void clv_row_trial_misses(clv_row_trials *r, int group);
/* Of one body: its pose to the kinematics.  What its pose, velocity, acceleration lack to those that its joint allows;
 * directions and rates of the joint are left in the kinematics.  What it misses in the end. */
void clv_row_trial_show_pose(clv_row_trials *r, int body);
void clv_row_trial_lacking(clv_row_trials *r, int body, double c[6]);
void clv_row_trial_lacking_speed(const clv_row_trials *r, int body, double c[6]);
void clv_row_trial_lacking_rate(clv_row_trials *r, int body, double c[6]);
void clv_row_trial_miss(clv_row_trials *r, int body);

/* row_trial_edges.c: the same of edges, where loops are closed; else nothing happens.  Blocks, c and a of poses,
 * velocities, accelerations.  What they miss, shown by strands.  Whole turns of loop joints between the two plans. */
void clv_row_trial_edge_places(clv_row_trials *r);
void clv_row_trial_edge_gaps(clv_row_trials *r);
void clv_row_trial_edge_speeds(clv_row_trials *r);
void clv_row_trial_edge_accelerations(clv_row_trials *r);
void clv_row_trial_edge_misses(clv_row_trials *r);
void clv_row_trial_edge_turns(clv_row_trials *r, bool back);
/* row_trial_drives.c: lists springs and dampers of joints inside strands; then their part of the matrix. */
void clv_row_trial_list_springs(clv_row_trials *r);
void clv_row_trial_stiffen(clv_row_trials *r, double on_rate, double on_place);
/* Biases have a part along free directions, which the solution takes up; springs there are not stretched by it. */
void clv_row_trial_relax(clv_row_trials *r, int group);
/* Forces of motions in the last solve, whose wrenches are `scale` forces; more: added to those before.  Power (W). */
void clv_row_trial_drives(clv_row_trials *r, double scale, bool more);
double clv_row_trials_power(const clv_row_trials *r);
/* Forces sigma on the bodies of edges, for `tighten`; sigma of the last solve, whose wrenches are `scale` forces. */
void clv_row_trial_edge_forces(clv_row_trials *r);
void clv_row_trial_edge_solved(clv_row_trials *r, double scale);
/* A body gives the force F at l beside its centre of mass to others (N, m, global). */
void clv_row_trials_pull(clv_row_trials *r, int body, const double l[3], const double F[3]);

/* what a strand shows */
static inline double *clv_row_trials_lane(const clv_row_trials *r, int strand, int what)
{
    const clv_strand *s = &r->rows.plan->strand[strand];
    return r->shown + ((size_t)s->group * CLV_TRIAL_SHOWN + (size_t)what) * CLV_GROUP + s->lane;
}
/* numbers of a slot: component k at [8 k] */
static inline double *clv_row_slot(double *array, int n, int slot)
{
    return array + (size_t)(slot / CLV_GROUP) * (size_t)n * CLV_GROUP + slot % CLV_GROUP;
}

#endif
