/* SPDX-License-Identifier: Apache-2.0
 * Contacts of a robot (T105): what the sources of its shapes and forces share. */
#ifndef CLV_IO_ROBOT_CONTACT_H
#define CLV_IO_ROBOT_CONTACT_H
#include "io/import.h"

/* robot_contact.c: N/m^1.5; 0: rigid */
double clv_robot_stiffness(const clv_import *I);
/* the shape in the axes of its body, or of the ground */
clv_shape clv_robot_placed(const clv_import *I, const clv_hard *h);
/* Do bits let two shapes touch?  Their friction. */
bool clv_robot_meet(const clv_hard *a, const clv_hard *b, double *friction);
/* The link that carries a link; the link inboard of one, over hidden ones too; -1: the ground. */
int clv_robot_base(const clv_import *I, int link);
int clv_robot_parent(const clv_import *I, int link);
int clv_robot_inboard(const clv_import *I, int link);

/* robot_contact_force.c: forces between the shapes that are made */
void clv_robot_contact_forces(clv_import *I);

static inline bool clv_hard_is_plane(const clv_hard *h)
{
    return h->shape.kind == CLV_SHAPE_NONE;
}

#endif
