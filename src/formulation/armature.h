/* SPDX-License-Identifier: Apache-2.0
 * Rotors of joints (T113): what they add to momenta, energies and powers. */
#ifndef CLV_FORMULATION_ARMATURE_H
#define CLV_FORMULATION_ARMATURE_H
#include "formulation/system.h"

/* Adds R u of the rates u (nu) to the momenta p (nu), both along the joints. */
void clv_armature_momenta(const clv_system *s, const double *u, double *p);
/* J, of the rates u (nu) and the motions at the present time */
double clv_armature_kinetic(const clv_system *s, const double *u);
/* Of a divided mechanism, added to each[stride k] of segment k. */
void clv_armature_segments(const clv_system *s, const double *u, int stride, double *each);
/* W that motions spend on rotors at the present time */
double clv_armature_power(const clv_system *s);
/* kg m^2 or kg of a prescribed inboard joint of a body; else 0 */
double clv_armature_of_motion(const clv_system *s, int body);

#endif
