/* SPDX-License-Identifier: Apache-2.0
 * What every item added to a model goes through; see add.h.  `add` refuses what cannot be stored sensibly.  That is a
 * description that did not come from its default function, a missing, reserved or taken name, an index that does not
 * exist, a number that is not finite.  Rules of mechanics are checked together by finish (validate.c), so that all
 * errors of a model are reported at once. */
#include "model/add.h"
#include "base/memory.h"
#include "base/text.h"
#include "math/rotation.h"

/* What an item belongs to, for messages. */
static const struct {
    const char *group, *noun;
} category_text[CLV_NAME_CATEGORIES] = {{"bodies", "body"},    {"joints", "joint"},       {"forces", "force"},
                                        {"motions", "motion"}, {"couplings", "coupling"}, {"markers", "marker"},
                                        {"branches", "branch"}, {"inputs", "input"},
                                        {"events", "event"},  {"visuals", "visual"}, {"shapes", "shape"}};

/* ------------------------------------------------------------------ checks of a description */

void clv_add_refuse(clv_adding *item, clv_status code, const char *field, const char *text, double value)
{
    const char *noun = category_text[item->category].noun;
    if (item->status != CLV_OK)
        return;
    item->status = clv_fail(&item->m->last, code, "%s '%s': %s", noun, item->name, text);
    clv_error_locate(&item->m->last, category_text[item->category].group, item->name, field);
    item->m->last.value = value;
}

void clv_add_index(clv_adding *item, const char *field, int index, int least, int count)
{
    if (index < least || index >= count)
        clv_add_refuse(item, CLV_ERR_MODEL, field,
                       "refers to an index that does not exist (add what it refers to first)", index);
}

void clv_add_quaternion(clv_adding *item, const char *field, double unit[4], const double e[4])
{
    double n = clv_quat_norm(e);
    clv_add_finite(item, field, e, 4);
    if (!(fabs(n - 1) <= 1e-3)) {
        clv_add_refuse(item, CLV_ERR_MODEL, field, "the quaternion (w, x, y, z) does not have length 1", n);
        return;
    }
    memcpy(unit, e, 4 * sizeof *unit);
    clv_quat_normalize(unit);
}

void clv_add_table(clv_adding *item, const clv_table *t)
{
    if (t->n < 0 || (t->n > 0 && (!t->time || !t->value))) {
        clv_add_refuse(item, CLV_ERR_USAGE, "table", "the table has a count but no numbers", t->n);
        return;
    }
    clv_add_finite(item, "table", t->time, t->n);
    clv_add_finite(item, "table", t->value, t->n);
}

clv_adding clv_add_begin(clv_model *m, clv_category category, const char *name, bool described)
{
    clv_adding item = {m, category, name ? name : "", m ? CLV_OK : CLV_ERR_USAGE};
    if (!m)
        return item;
    if (m->finished)
        clv_add_refuse(&item, CLV_ERR_USAGE, NULL, "the model is finished and cannot be changed", NAN);
    else if (!described)
        clv_add_refuse(&item, CLV_ERR_USAGE, NULL, "the description does not come from its default function", NAN);
    else if (!*item.name)
        clv_add_refuse(&item, CLV_ERR_MODEL, NULL, "a name is required", NAN);
    else if (!clv_text_plain(item.name))
        clv_add_refuse(&item, CLV_ERR_MODEL, NULL, "a name is UTF-8 text without control characters", NAN);
    else if (category == CLV_NAME_BODY && strcmp(name, "ground") == 0)
        clv_add_refuse(&item, CLV_ERR_MODEL, NULL, "this name is reserved for the ground", NAN);
    else if (clv_names_find(m->names, category, name) >= 0)
        clv_add_refuse(&item, CLV_ERR_MODEL, NULL, "this name is used twice; names are unique", NAN);
    return item;
}

/* ------------------------------------------------------------------ storage */

void *clv_add_grow(clv_model *m, clv_category category, void *list, int n, size_t size)
{
    size_t *capacity = &m->capacity[category];
    if ((size_t)n < *capacity)
        return list;
    size_t larger = *capacity ? 2 * *capacity : 8;
    void *moved = clv_resize(list, larger, size);
    if (moved)
        *capacity = larger;
    return moved;
}

bool clv_add_grown(void *place, void *moved)
{
    if (moved)
        memcpy(place, &moved, sizeof moved); /* any object pointer has this representation here (POSIX) */
    return moved != NULL;
}

clv_status clv_add_out_of_memory(clv_adding *item)
{
    clv_add_refuse(item, CLV_ERR_MEMORY, NULL, "out of memory", NAN);
    return item->status;
}

char *clv_add_name(clv_adding *item, int index)
{
    return clv_names_add(item->m->names, item->category, item->name, index);
}

void clv_series_free(clv_series *s)
{
    clv_free(s->time);
    memset(s, 0, sizeof *s);
}

bool clv_add_series(clv_series *s, const clv_table *t)
{
    size_t n = (size_t)t->n;
    memset(s, 0, sizeof *s);
    if (n == 0)
        return true;
    s->time = clv_alloc(4 * n, sizeof *s->time);
    if (!s->time)
        return false;
    s->n = t->n;
    s->value = s->time + n;
    s->curve = s->value + n;
    memcpy(s->time, t->time, n * sizeof *s->time);
    memcpy(s->value, t->value, n * sizeof *s->value);
    return true;
}

clv_status clv_add_done(int *index, int *count)
{
    if (index)
        *index = *count;
    ++*count;
    return CLV_OK;
}
