/* SPDX-License-Identifier: Apache-2.0
 * Springs, dampers and constant drives of joints, for rows whose lanes are mechanisms (T85): the loads of
 * model/force.c that need neither tables nor friction nor stops. */
#ifndef CLV_KINEMATICS_ROW_SPRINGS_H
#define CLV_KINEMATICS_ROW_SPRINGS_H
#include "math/lane.h"

typedef struct clv_row_springs {
    int rows;           /* that may be loaded                                                         */
    int n;              /* loads, in the order of the model                                           */
    int *row;           /* (n) row of the coordinate                                                  */
    double *stiffness, *damping, *rest, *drive; /* (n x 8) N m/rad, N m s/rad, rad, N m, or N/m ..     */
    double *tau;        /* (rows x 8) sum of the loads of a row                                       */
    double *power;      /* (8) W, of what has no potential                                            */
    double *energy;     /* (8) J                                                                      */
    double *sound;      /* (8) 0 where all loads are finite                                           */
} clv_row_springs;

#endif
