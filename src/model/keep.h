/* SPDX-License-Identifier: Apache-2.0
 * Memory that lives as long as a model: names, and numbers that few items have.  It lies in blocks, one item after the
 * other; nothing is given back before the end.  A million bodies would else carry room for what one of them has. */
#ifndef CLV_MODEL_KEEP_H
#define CLV_MODEL_KEEP_H
#include "model/model.h"

typedef struct clv_keep clv_keep;

clv_keep *clv_keep_create(void); /* NULL when out of memory */
void clv_keep_destroy(clv_keep *k);
/* Room for so many bytes, not cleared, aligned as text or (`numbers`) as numbers; NULL when out of memory. */
void *clv_keep_take(clv_keep *k, size_t bytes, bool numbers);
/* A copy of n numbers, or of a struct; NULL when out of memory. */
double *clv_keep_numbers(clv_model *m, const double *x, int n);
void *clv_keep_copy(clv_model *m, const void *x, size_t bytes);

/* What a joint has that says nothing; a body without a shape. */
extern const clv_joint_more clv_joint_plain;
extern const clv_shape clv_shape_none;

/* Gives joint j of m start coordinates q (7) and rates u (6): as many as it has are copied.  False: out of memory. */
bool clv_keep_start(clv_model *m, clv_joint *j, const double *q, const double *u);
/* Gives it other numbers that few joints have; plain ones take no memory.  False: out of memory. */
bool clv_keep_more(clv_model *m, clv_joint *j, const clv_joint_more *more);
/* Gives body b a shape; those of neighbouring bodies that are equal take memory once.  False: out of memory. */
bool clv_keep_shape(clv_model *m, clv_body *b, const clv_shape *shape);

#endif
