/* SPDX-License-Identifier: Apache-2.0
 * Forces between shapes that touch (T61).  They know poses and motions of bodies, never topology. */
#ifndef CLV_MODEL_CONTACT_H
#define CLV_MODEL_CONTACT_H
#include "model/force.h"
#include "model/touch.h"

#define CLV_CONTACT_MARGIN 1e-10 /* of the least width of a shape: surfaces that are nearer than that touch */

struct clv_sweep;

struct clv_touch_member;

/* The shape of a member of a group in its place, for the poses r (nbody x 3, centres of mass) and R (nbody x 9). */
void clv_contact_place(const clv_model *m, const struct clv_touch_member *x, const double *r, const double *R,
                       clv_solid *s);
/* The plane of a contact. */
void clv_contact_plane(const clv_contact *c, clv_solid *s);
/* The shapes of a contact of two, posed, for the arguments of clv_contact_find. */
void clv_contact_solids(const clv_model *m, const clv_force *f, const double *r, const double *R, clv_solid *a,
                        clv_solid *b);
/* Where the bodies of a contact touch, for the poses r (nbody x 3, centres of mass) and R (nbody x 9); returns how
 * many points. */
int clv_contact_find(const clv_model *m, const clv_force *f, const double *r, const double *R,
                     clv_touch x[CLV_TOUCH_POINTS]);
/* A contact whose impulses an integrator finds (T62)? */
static inline bool clv_contact_rigid(const clv_force *f)
{
    return (f->kind == CLV_FORCE_CONTACT || f->kind == CLV_FORCE_CONTACTS) && f->contact.restitution >= 0;
}
/* A load whose impulses an integrator finds: a rigid contact, or rigid end stops of a joint (T157)? */
static inline bool clv_force_rigid(const clv_force *f)
{
    return clv_contact_rigid(f) || (f->kind == CLV_FORCE_JOINT && clv_stop_rigid(&f->stop));
}
/* Points at which pair k of a sweep touches, its second shape larger by `margin` of its width; *a, *b: its bodies. */
int clv_contact_touch(const clv_force *f, const struct clv_sweep *s, int k, double margin, int *a, int *b,
                      clv_touch x[CLV_TOUCH_POINTS]);
/* Most points of a contact; of many bodies those there is room for. */
int clv_contact_points(const clv_model *m, const clv_force *f);
/* CLV_ERR_UNSUPPORTED: more members are near each other, or touch at more points, than there is room for. */
clv_status clv_contact_crowded(clv_error *e, const clv_force *f, double time);
/* Velocity of b seen from a at a point (m, global), for the motions V (nbody x 6) of the centres of mass. */
void clv_contact_slide(int a, int b, const double at[3], const double *r, const double *V, double v[3]);
/* Force F of a compliant contact on b at a point, for the velocity v of clv_contact_slide; returns its normal part, N.
 * *loss (W): what dissipation and friction give, negative. */
double clv_contact_force(const clv_contact *c, const clv_touch *x, const double v[3], double F[3], double *loss);
/* What a point adds to the matrix of an implicit step (T26): not negative, along the axes in the columns of E: slip,
 * across it, normal. */
void clv_contact_tangent(const clv_contact *c, const clv_touch *x, const double v[3], double on_rate, double on_place,
                         double E[9], double weight[3]);

#endif
