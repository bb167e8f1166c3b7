/* SPDX-License-Identifier: Apache-2.0
 * Extra inertia of bodies that cannot be condensed alone (T5): extra.c decides, conjugate.c takes it out again. */
#ifndef CLV_ENGINE_EXTRA_H
#define CLV_ENGINE_EXTRA_H
#include "engine/engine.h"

typedef enum clv_extra_answer { CLV_EXTRA_ENOUGH, CLV_EXTRA_ADDED, CLV_EXTRA_SINGULAR } clv_extra_answer;

void clv_extra_layout(clv_engine *e, const clv_plan *plan, clv_arena *a);
/* what is typical of the model, which bodies lack inertia; after the carving layout */
void clv_extra_begin(clv_engine *e);
/* before a factor */
void clv_extra_clear(clv_engine *e);
/* mass (kg) and moment of inertia (kg m^2) that the factor of a body holds too much, about its reference point */
void clv_extra_add(clv_engine *e, int body, double mass, double turn);
/* A strand of the group just factored whose lane is marked.  Gives inertia to the first body from the tip whose joint
 * lacks it (refill the group and factor it again).  Or finds that every pivot is positive, or that one is lost. */
clv_extra_answer clv_extra_strand(clv_engine *e, const clv_strand *s);
/* Inertia of a group's bodies, with extra, and of the limbs folded into them, as before its factor. */
void clv_extra_refill(clv_engine *e, int group);
/* Factor of the inertia I (of its group, 21 x 8) at the floating base of a strand, with extra where it needs some.
 * False: not even that helps. */
bool clv_extra_base(clv_engine *e, const clv_strand *s, double F[36], const double *I);
/* factor.c: adds the inertia a limb shows at its base to the body it is attached to */
void clv_fold_inertia(clv_engine *e, int strand);

/* How conjugate.c solves with the factor at hand, and where the solution is kept. */
typedef struct clv_extra_passes {
    void *owner;
    void (*pass)(void *owner, const double *load); /* solves for wrenches at extended bodies (nextended x 6) alone */
    void (*answer)(void *owner, double *motion);   /* of these bodies in the last pass (nextended x 6)            */
    double (*add)(void *owner, double alpha);      /* adds alpha times the last pass; largest change of a motion  */
    double (*largest)(void *owner);                /* motion of the last pass                                     */
} clv_extra_passes;
/* passes of the engine body by body, the engine is the owner: motions are left in fix_x */
void clv_extra_pass(void *owner, const double *load);
void clv_extra_answer_of(void *owner, double *motion);

/* conjugate.c: the solution that is kept solves the problem with the extra inertia, or is such a one changed by a pass,
 * by d at the extended bodies (nextended x 6).  Takes the extra inertia out of that change, to a residual of
 * `tolerance` times its size.  load: largest number among the loads and multipliers.  Returns the largest change made,
 * or -1 where a direction without inertia is loaded by more than rounding of these (e->loose_body).  One that is not
 * loaded keeps what the extra inertia gave it. */
double clv_extra_remove(clv_engine *e, const clv_extra_passes *by, const double *d, double tolerance, double load);
/* a little of what is typical, where a body of a strand lacks it */
void clv_extra_extend(clv_engine *e, int body);
/* bodies that can get some, at most */
int clv_extra_most(const clv_plan *p);

#endif
