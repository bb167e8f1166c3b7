/* SPDX-License-Identifier: Apache-2.0
 * How columns.c offers the columns of a model to those who choose: private to columns*.c. */
#ifndef CLV_IO_COLUMNS_OFFER_H
#define CLV_IO_COLUMNS_OFFER_H
#include "io/columns.h"

typedef enum clv_column_set {
    CLV_SET_USUAL,     /* in every output                    */
    CLV_SET_REACTIONS, /* with --reactions                   */
    CLV_SET_NAMED,     /* where --columns names or matches it */
    CLV_SET_IDLE       /* where --columns names it exactly    */
} clv_column_set;

typedef struct clv_quantity {
    const char *name, *unit, *axes; /* name: behind "owner.", or all of it; NULL ends a list */
    int count;
    clv_column_set set;
    int index;                      /* for get */
    void (*get)(clv_seen *seen, int item, int index, double *to);
} clv_quantity;

typedef struct clv_offer clv_offer;
struct clv_offer {
    const clv_model *model;
    /* One column; false ends. */
    bool (*take)(clv_offer *o, const char *kind, const char *owner, int item, const clv_quantity *q);
};

/* Offers every column of a model in the order of frames; false: ended early, or out of memory. */
bool clv_columns_offer(clv_offer *o);

#endif
