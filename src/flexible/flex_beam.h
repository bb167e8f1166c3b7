/* SPDX-License-Identifier: Apache-2.0
 * The built-in flexible body: a uniform straight beam after Euler and Bernoulli along body x, clamped in the body frame
 * at x = 0, with bending along y and z, twist and stretch (T32.3). */
#ifndef CLV_FLEXIBLE_FLEX_BEAM_H
#define CLV_FLEXIBLE_FLEX_BEAM_H
#include "flexible/flex_body.h"

/* Families of modes, in the order of the modal coordinates. */
typedef enum clv_beam_family {
    CLV_BEAM_BEND_Y, /* deflection along y: stiffness E I_z */
    CLV_BEAM_BEND_Z, /* deflection along z: stiffness E I_y */
    CLV_BEAM_TWIST,
    CLV_BEAM_STRETCH,
    CLV_BEAM_FAMILIES
} clv_beam_family;

#define CLV_BEAM_MOST 20 /* modes of one family */

typedef struct clv_beam {
    double length;                       /* m                                                                 */
    double mass, polar;                  /* per length: kg/m, and rotary inertia about x kg m                 */
    double stiffness[CLV_BEAM_FAMILIES]; /* E I_z, E I_y (N m^2), G I_t (N m^2), E A (N); > 0 where modes are */
    int modes[CLV_BEAM_FAMILIES];        /* 0 .. CLV_BEAM_MOST of each family                                 */
    bool clamped_free;                   /* natural modes with a free tip; else after Craig and Bampton       */
    int nnode;                           /* nodes                                                             */
    const char *const *name;
    const double *at; /* m, 0 .. length                                                    */
} clv_beam;

/* Area, second moments I_y, I_z (m^4), torsion constant I_t (m^4) of a section: tube (outer and inner radius),
 * rectangle (edges along y and z). */
typedef struct clv_beam_section {
    double area, Iy, Iz, It;
} clv_beam_section;
clv_beam_section clv_beam_tube(double outer, double inner);
clv_beam_section clv_beam_rectangle(double y, double z);

/* Shares a number of modes among the families by their lowest clamped frequencies; stiffness 0: no part. */
void clv_beam_share(clv_beam *beam, int modes);
/* Builds the body; modes are mass-normalised (Mff = 1, K = omega^2), the tip moving along + axes.  damping: ratio of
 * every mode.  False: out of memory. */
bool clv_beam_make(clv_flex_body *b, const clv_beam *beam, double damping);

#endif
