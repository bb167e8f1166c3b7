/* SPDX-License-Identifier: Apache-2.0
 * The columns of joint kinds by code, for joint.c and joint_derivative.c alone: LINEAR or ANGULAR half, axis of frame A
 * or B; or one of the computed ones. */
#ifndef CLV_MODEL_JOINT_COLUMNS_H
#define CLV_MODEL_JOINT_COLUMNS_H
#include "cleave/cleave.h"

enum { LINEAR = 0, ANGULAR = 8, OF_A = 0, OF_B = 4, X = 0, Y = 1, Z = 2, COMPUTED = 16 };
enum { COUPLE = COMPUTED, SCREW_FREE, SCREW_FIXED, SIGHT, ROLL_X, ROLL_Y, ROLL_Z, CURVE_1, CURVE_2 };

typedef struct clv_joint_columns {
    unsigned char H[6], D[6];
} clv_joint_columns;

extern const clv_joint_columns clv_joint_column_table[CLV_JOINT_KINDS];

#endif
