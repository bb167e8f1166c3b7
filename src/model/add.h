/* SPDX-License-Identifier: Apache-2.0
 * One item being added to a model: checks of its description, room and name for it.  For add.c and the other
 * add_*.c alone. */
#ifndef CLV_MODEL_ADD_H
#define CLV_MODEL_ADD_H
#include "base/error.h"
#include "model/model.h"
#include "model/names.h"
#include <math.h>
#include <string.h>

/* The item: where errors go, and the first of them. */
typedef struct clv_adding {
    clv_model *m;
    clv_category category;
    const char *name;
    clv_status status;
} clv_adding;

/* Common to all kinds of item; described: by its default function. */
clv_adding clv_add_begin(clv_model *m, clv_category category, const char *name, bool described);
/* The first error counts. */
void clv_add_refuse(clv_adding *item, clv_status code, const char *field, const char *text, double value);
static inline void clv_add_finite(clv_adding *item, const char *field, const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            clv_add_refuse(item, CLV_ERR_MODEL, field, "a number is not finite", x[i]);
}
void clv_add_index(clv_adding *item, const char *field, int index, int least, int count);
/* Unit to 1e-3: normalised; else refused. */
void clv_add_quaternion(clv_adding *item, const char *field, double unit[4], const double e[4]);
/* Kind, sizes, place and colour of a shape that is not CLV_SHAPE_NONE; fields of its name. */
void clv_add_shape(clv_adding *item, const clv_shape *s);
/* The hull of a mesh, in place of its points, and a unit quaternion; NULL hull: no mesh, or an error. */
struct clv_hull *clv_add_hull(clv_adding *item, clv_shape *s);
/* Place, turn and colour alone. */
void clv_add_shape_place(clv_adding *item, const clv_shape *s);
void clv_add_table(clv_adding *item, const clv_table *t);
clv_status clv_add_out_of_memory(clv_adding *item);

/* Room for one more of n items; the list (moved or not), or NULL when out of memory. */
void *clv_add_grow(clv_model *m, clv_category category, void *list, int n, size_t size);
/* Makes room in an array of the model; false when out of memory. */
#define CLV_ADD_ROOM(m, category, list, n)                                                                           \
    clv_add_grown((void *)&(list), clv_add_grow((m), (category), (list), (n), sizeof *(list)))
bool clv_add_grown(void *place, void *moved);
/* Copies the name and enters it into the index; NULL when out of memory. */
char *clv_add_name(clv_adding *item, int index);
/* One block: times, values, second derivatives, work space of the spline (n each). */
bool clv_add_series(clv_series *s, const clv_table *t);
void clv_series_free(clv_series *s);
/* Counts the item that was filled at the end of its list. */
clv_status clv_add_done(int *index, int *count);

#endif
