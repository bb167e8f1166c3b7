/* SPDX-License-Identifier: Apache-2.0
 * The lane kernels over rows, one table for each width, as engine/kernels.h. */
#ifndef CLV_KINEMATICS_ROW_KERNELS_H
#define CLV_KINEMATICS_ROW_KERNELS_H
#include "kinematics/row_mass.h"
#include "kinematics/row_bodies.h"
#include "kinematics/row_flex.h"
#include "kinematics/row_limbs.h"
#include "kinematics/row_runs.h"
#include "kinematics/row_springs.h"
#include "kinematics/row_trials.h"

/* name, arguments */
#define CLV_ROW_KERNELS(X)                                                                                            \
    /* row_motion.c: poses; dca: velocity terms; hdca: momenta */                                                     \
    X(pose, (clv_rows * w, int group, bool moving))                                                                   \
    X(velocity_terms, (clv_rows * w, int group))                                                                      \
    X(momentum, (clv_rows * w, int group))                                                                            \
    /* row_border_lane.c: motions of the border, to model order; wrenches from there; starts, poses of the border */   \
    X(show, (const clv_rows *w, int group, double *x))                                                                \
    X(attach, (const clv_rows *w, int group, double *array, const double *W))                                         \
    X(scan, (const clv_rows *w, int group, const clv_row_view *to, const double *gravity, bool moving))               \
    X(depart, (const clv_rows *w, int group))                                                                         \
    /* closing_pack_lane.c: loop joints in lanes, see closing_pack.h */                                               \
    X(closing_pose, (const clv_kinematics *k, const clv_closing_pack *p))                                             \
    X(closing_fill, (const clv_kinematics *k, const clv_closing_pack *p))                                             \
    X(closing_rate, (const clv_kinematics *k, const clv_closing_pack *p))                                             \
    X(closing_miss, (const clv_kinematics *k, const clv_closing_pack *p, const double *x, double *g))                 \
    X(closing_turning, (const clv_kinematics *k, const clv_closing_pack *p, const double *sigma, double *W))          \
    /* row_climb.c: factor and solve */                                                                               \
    X(up, (const clv_rows *w, int group, bool biased))                                                                \
    X(down, (const clv_rows *w, int group, bool biased))                                                              \
    /* row_join.c: one strand and what lies outboard of its tip, if it has one; what it shows goes to the strand on   \
     * which it hangs, or is kept */                                                                                  \
    X(join, (clv_row_join * s, clv_row_join *on, const clv_strand_out *o, int lane, bool tip, bool shows))            \
    X(reach, (const clv_row_join *s, const clv_strand_out *o, int lane, const double *J, double *Z))                  \
    /* row_runs_lane.c: blocks of long runs, see there */                                                             \
    X(run_gather, (const clv_row_block *b, bool moving))                                                              \
    X(run_start, (const clv_row_block *b, bool moving))                                                               \
    X(run_leave, (const clv_row_link *l, const clv_row_ends *o, const double *gravity))                               \
    X(run_join, (const clv_row_block *b))                                                                             \
    X(run_part, (const clv_row_block *b))                                                                             \
    X(run_take, (const clv_rows *w, const clv_row_link *l, bool moving))                                              \
    X(run_hold, (const clv_rows *w, const clv_row_link *l, bool moving))                                              \
    X(run_weigh, (const clv_rows *w, const clv_row_link *l, int group))                                               \
    X(run_give, (const clv_rows *w, const clv_row_link *l))                                                           \
    X(run_sum, (const clv_row_block *b))                                                                              \
    X(run_arrive, (const clv_row_block *b))                                                                           \
    /* row_energy.c: energies of strands, with V in x, or of the rates u */                                           \
    X(energy, (const clv_rows *w, int group, bool solved))                                                            \
    /* row_limbs.c: strand k, which folds into another */                                                             \
    X(limb_scan, (const clv_rows *w, int k, const clv_row_limb *l, const double *gravity, bool moving))               \
    X(limb_depart, (const clv_rows *w, int k, const clv_row_limb *l))                                                 \
    X(limb_collect, (const clv_rows *w, int k, const clv_row_limb *l))                                                \
    /* row_flex_pose.c, _rates.c: flexible bodies and joints on them; where strand k starts by its joint */           \
    X(flex_joint, (const clv_rows *w, const clv_flex_joint *j, bool moving))                                          \
    X(flex_start, (const clv_rows *w, int k, const clv_flex_joint *j, double *V, bool moving))                        \
    X(flex_pose, (const clv_rows *w, const clv_row_flex *f, bool moving))                                             \
    X(flex_rates, (const clv_rows *w, const clv_row_flex *f))                                                         \
    X(flex_biases, (const clv_rows *w, const clv_row_flex *f))                                                        \
    X(flex_joint_rates, (const clv_rows *w, const clv_flex_joint *j, const double *V, bool biased))                   \
    X(flex_motion, (const clv_rows *w, int k, int row, double *V))                                                    \
    /* row_flex_join.c, _fold.c, _joint.c: strands that join, flexible bodies, joints on them */                      \
    X(flex_join, (const clv_rows *w, int k, const clv_row_tip *t, const clv_row_tip *on, const double *R, double *I,  \
                  double *p))                                                                                         \
    X(flex_fold, (const clv_rows *w, const clv_row_flex *f, const double *tau, bool biased))                          \
    X(flex_leave, (const clv_rows *w, const clv_flex_joint *j, const double *tau, int k, int on, bool biased))        \
    X(flex_arrive, (const clv_rows *w, const clv_flex_joint *j, double *x, bool biased))                              \
    X(flex_tip, (const clv_rows *w, int k, const clv_row_tip *t, const clv_row_tip *on, const double *R))             \
    X(flex_unfold, (const clv_rows *w, const clv_row_flex *f, bool biased))                                           \
    /* deform_lane.c: modes of a flexible body, see there */                                                          \
    X(deform_integrals, (const clv_deformed *d, const double *eta))                                                   \
    X(deform_sums, (const clv_deformed *d, const double *f, double *S, double *H, double *E))                         \
    X(deform_columns, (double *to, int stride, const double *A, const double *x, const double *B, const double *y,    \
                       int n, int over, int along))                                                                   \
    X(deform_forces, (const clv_deformed *d, const double *w, double twice, const double *rate, const double *x,      \
                      double *to))                                                                                    \
    /* row_star_lane.c: flexible bodies of one mechanism, see there */                                                \
    X(star_hold, (const clv_star_fold *b, const double *H, const double *F, const double *Phi, const double *r))      \
    X(star_eliminate, (const clv_star_fold *b, double *A, double *G, double *y, bool *good))                          \
    /* row_flex_load.c: loads, velocity terms and sums of flexible bodies */                                          \
    X(flex_weigh, (const clv_rows *w, const clv_row_flex *f, const double *gravity, const double *rate, double *tau,  \
                   double *power))                                                                                    \
    X(flex_terms, (const clv_rows *w, const clv_row_flex *f, double *tau))                                            \
    X(flex_sums, (const clv_rows *w, const clv_row_flex *f))                                                          \
    X(flex_pdot, (const clv_rows *w, const clv_row_flex *f))                                                          \
    X(flex_joint_pdot, (const clv_rows *w, const clv_flex_joint *j, const double *V, const double *P,                  \
                        const double *Q, int k))                                                                      \
    X(flex_collect, (const clv_rows *w, int k, const clv_row_limb *l, const double *Q, const clv_flex_joint *j,        \
                     int on, int on_at))                                                                              \
    X(flex_given, (const clv_rows *w, int k, int at_tip))                                                             \
    /* row_springs.c: loads of joints at the rates u, and their potential */                                          \
    X(springs, (const clv_rows *w, clv_row_springs *s, const double *u))                                              \
    X(spring_energy, (const clv_rows *w, clv_row_springs *s))                                                         \
    /* row_rates.c: motions of attached rows and of all rows at the rates u; momenta along the joints */              \
    X(run, (const clv_rows *w, int group))                                                                            \
    X(travel, (const clv_rows *w, int group))                                                                         \
    X(gather, (const clv_rows *w, int group))                                                                         \
    /* row_respond.c: other right-hand sides with the factor of `up`; what joints miss */                             \
    X(respond, (const clv_rows *w, int group, const double *tau, const double *Q, bool all))                          \
    X(miss, (const clv_rows *w, int group, bool biased, bool loaded))                                                 \
    /* row_carry_lane.c: columns of closing rows along a strand */                                                    \
    X(bring, (const clv_rows *w, int strand, const clv_row_columns *c, bool biased))                                  \
    /* row_joined_lane.c: those that pass a flexible body, or a joint of a base on one */                              \
    X(joined_take, (const clv_row_columns *s, const double *from, const double *Phi, int n, const double *r,          \
                    const double *c))                                                                                 \
    X(joined_modes, (const clv_row_columns *s, const clv_row_star *o, int n))                                         \
    X(joined_joint, (const clv_row_columns *s, const clv_row_join *join, int f, bool driven, bool biased, bool hangs,  \
                     const double *R))                                                                                \
    X(joined_float, (const clv_row_columns *s, const clv_row_join *join))                                             \
    /* row_sheaf_lane.c: the same of a group, a lane is a strand: to the axes of the strands; along them; of other    \
     * right-hand sides; what multipliers do to the joints */                                                         \
    X(sheaf_turn, (const clv_rows *w, int group))                                                                     \
    X(sheaf_bring, (const clv_rows *w, int group, bool biased))                                                       \
    X(sheaf_again, (const clv_rows *w, int group))                                                                    \
    X(sheaf_load, (const clv_rows *w, int group))                                                                     \
    /* row_intake_lane.c: in the first lanes: clears components, or NULL, then takes n intakes */                      \
    X(take_up, (double *to, const clv_row_intake *clear, const clv_row_intake *x, int n, int lanes))                  \
    /* row_batch_lane.c: fronts in lanes: the factor, from L (lower triangle) of all their rows; right-hand sides in  \
     * g; multipliers of the rows left to those eliminated, in g */                                                   \
    X(batch_factor, (const clv_row_batch *b, const double *L, double threshold))                                      \
    X(batch_push, (const clv_row_batch *b))                                                                           \
    X(batch_give, (const clv_row_batch *b))                                                                           \
    /* row_turn.c: what strands show, to global axes; I (21 x 8) and p (6 x 8) of limbs, turned by R (9 x 8) */       \
    X(turn, (const clv_rows *w, int group))                                                                           \
    X(turn_limbs, (const clv_rows *w, int group, const double *R, double *I, double *p))                              \
    /* row_trial.c, row_trial_rates.c: bodies with coordinates of their own, see row_trials.h */                      \
    X(predict, (clv_row_trials * r, int group, const clv_row_rule *rule, const clv_row_border *from, bool first))     \
    X(place, (clv_row_trials * r, int group, double scale, bool last))                                                \
    X(move, (clv_row_trials * r, int group, const clv_row_rule *rule))                                                \
    X(tighten, (clv_row_trials * r, int group, double scale))                                                         \
    X(stop, (clv_row_trials * r, int group))                                                                          \
    X(slip, (clv_row_trials * r, int group))                                                                          \
    X(settle, (clv_row_trials * r, int group, bool corrected))                                                        \
    X(press, (clv_row_trials * r, int group))                                                                         \
    X(correct, (clv_row_trials * r, int group))                                                                       \
    X(give, (clv_row_trials * r, int group, const clv_row_rule *rule, const clv_row_border *to, bool first))          \
    /* row_compose.c: accelerations of given rates; sums outboard and composite inertias; columns of one strand, and  \
     * those from .. to: moved by r after a turn R to other axes, and H^T of them */                                  \
    X(ride, (const clv_rows *w, int group))                                                                           \
    X(sums, (const clv_row_mass *d, int group, bool compose, bool again))                                             \
    X(columns, (const clv_row_mass *d, int strand))                                                                   \
    X(carry, (const clv_row_mass *d, int from, int to, const double *R, const double *r))                             \
    X(project, (const clv_row_mass *d, int from, int to, const double *H))                                            \
    /* row_bodies_lane.c: the same with compliances, see row_bodies.h */                                              \
    X(bodies_pose, (clv_row_bodies * r, const clv_group *g))                                                          \
    X(bodies_check, (clv_row_bodies * r, const clv_group *g))                                                         \
    X(bodies_move, (clv_row_bodies * r, const clv_group *g, bool loaded, bool damped))                                \
    X(bodies_slip, (clv_row_bodies * r, const clv_group *g))                                                          \
    X(bodies_travel, (clv_row_bodies * r, const clv_group *g))                                                        \
    X(bodies_miss, (clv_row_bodies * r, const clv_group *g, double *x, bool all))                                     \
    X(bodies_add, (clv_row_bodies * r, const clv_group *g, bool velocities))                                          \
    X(bodies_displace, (clv_row_bodies * r, const clv_group *g))                                                      \
    X(bodies_give, (clv_row_bodies * r, const clv_group *g))

struct clv_row_kernels {
#define CLV_ROW_KERNEL_FIELD(name, arguments) void(*name) arguments; /* NOLINT(bugprone-macro-parentheses) */
    CLV_ROW_KERNELS(CLV_ROW_KERNEL_FIELD)
#undef CLV_ROW_KERNEL_FIELD
};

/* row_kernels_table.c, for each width */
extern const clv_row_kernels clv_row_kernels_1, clv_row_kernels_2, clv_row_kernels_4, clv_row_kernels_8;
static inline const clv_row_kernels *clv_row_kernels_of(int lanes)
{
    return lanes == 1   ? &clv_row_kernels_1
           : lanes == 2 ? &clv_row_kernels_2
           : lanes == 4 ? &clv_row_kernels_4
                        : &clv_row_kernels_8;
}

#endif
