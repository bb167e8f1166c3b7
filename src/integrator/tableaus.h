/* SPDX-License-Identifier: Apache-2.0
 * Explicit Runge-Kutta pairs as data (theory T16).  The stepper is runge_kutta.c; a new pair is one row here and one in
 * integrator.c. */
#ifndef CLV_INTEGRATOR_TABLEAUS_H
#define CLV_INTEGRATOR_TABLEAUS_H
#include <stdbool.h>

enum { CLV_RK_COLUMNS = 16 }; /* most stages, dense ones included */

/* Stages k_0 .. k_{stages-1} give the new state.  Where `end` is true column `stages` is f(t + h, y_new), the first
 * stage of the next step (FSAL).  Columns behind it serve dense output alone.  Rows have `columns` numbers. */
typedef struct clv_tableau {
    int stages, columns;
    bool end;            /* f(t + h, y_new) is a column                                               */
    bool end_in_error;   /* and belongs to the error estimate                                         */
    int root;            /* the error estimate is O(h^root): h_new ~ err^(-1/root)                    */
    const double *c;     /* nodes                                             (columns)               */
    const double *a;     /* stages                                            (columns x columns)     */
    const double *b;     /* new state                                         (columns)               */
    const double *e;     /* new state minus embedded state; NULL: no estimate (columns)               */
    const double *e3;    /* second, cruder estimate of dop853; else NULL      (columns)               */
    int slope;           /* dense output: column that stands for the slope at the end                 */
    int rows;            /* dense output: terms beyond the cubic                                      */
    const double *d;     /* their weights                                     (rows x columns)        */
} clv_tableau;

extern const clv_tableau clv_tableau_rk4, clv_tableau_bs23, clv_tableau_dopri5, clv_tableau_dop853;

#endif
