/* SPDX-License-Identifier: Apache-2.0
 * Bodies without mass, or without inertia about an axis (T5). */
#ifndef CLV_MODEL_LIGHT_H
#define CLV_MODEL_LIGHT_H
#include "model/model.h"
#include <stdbool.h>

/* Longest arm from a centre of mass to a joint point (m); 1 m where all points coincide. */
double clv_typical_length(const clv_model *m);
/* Does the body lack inertia about an axis?  Judged beside its mass with that length (m), and its other moments. */
bool clv_body_lacks_turn(const clv_body *b, double length);
/* Does the body lack mass, or inertia about an axis?  Alone it then has a motion without kinetic energy. */
bool clv_body_light(const clv_body *b, double length);
/* How many bodies are light, with the length above. */
int clv_light_bodies(const clv_model *m);

#endif
