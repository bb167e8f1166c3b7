/* SPDX-License-Identifier: Apache-2.0
 * Columns chosen by names and patterns, and found again by the names in a run file; see columns.h. */
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "io/columns_offer.h"
#include "io/schema.h"

/* ---------------------------------------------------------------- patterns */

/* Does a pattern with * and ? match a text of that length? */
static bool match(const char *p, size_t np, const char *text, size_t n)
{
    size_t i = 0, k = 0, star = np, from = 0;
    while (k < n) {
        if (i < np && p[i] == '*')
            star = i++, from = k;
        else if (i < np && (p[i] == '?' || p[i] == text[k]))
            i++, k++;
        else if (star < np)
            i = star + 1, k = ++from;
        else
            return false;
    }
    while (i < np && p[i] == '*')
        i++;
    return i == np;
}

typedef struct pattern {
    const char *text;
    size_t length;
    bool met; /* matched a column */
} pattern;

typedef struct choice {
    pattern *pattern;
    int n;
    bool added; /* to the usual columns: the text begins with + */
} choice;

static clv_status read_patterns(choice *c, const char *text, clv_error *e)
{
    int most = 1;
    c->added = *text == '+';
    text += c->added;
    for (const char *s = text; *s; s++)
        most += *s == ',';
    c->pattern = clv_alloc((size_t)most, sizeof *c->pattern);
    if (!c->pattern)
        return clv_fail(e, CLV_ERR_MEMORY, "out of memory");
    for (;;) {
        size_t length = strcspn(text, ","), end = length;
        size_t begin = strspn(text, " ");
        while (end > begin && text[end - 1] == ' ')
            end--;
        if (end <= begin)
            return clv_fail(e, CLV_ERR_USAGE, "the columns hold an empty name; names have commas between them");
        c->pattern[c->n++] = (pattern){text + begin, end - begin, false};
        if (!text[length])
            return CLV_OK;
        text += length + 1;
    }
}

/* Is this text chosen?  Every pattern that matches has met something. */
static bool chosen(choice *c, const char *text, size_t n)
{
    bool any = false;
    for (int i = 0; i < c->n; i++)
        if (match(c->pattern[i].text, c->pattern[i].length, text, n))
            any = c->pattern[i].met = true;
    return any;
}

/* Is this very name among them? */
static bool named(const choice *c, const char *name)
{
    bool any = false;
    for (int i = 0; i < c->n; i++)
        any |= strlen(name) == c->pattern[i].length && memcmp(name, c->pattern[i].text, c->pattern[i].length) == 0;
    return any;
}

/* Is the column chosen as a whole: by its name or its owner's? */
static bool chosen_whole(choice *c, const char *owner, const char *name)
{
    const size_t n = *owner ? strlen(owner) : strcspn(name, ".");
    const bool by_owner = chosen(c, name, n), by_name = chosen(c, name, strlen(name));
    return by_owner || by_name;
}

/* Bit k: component k is chosen. */
static unsigned chosen_parts(choice *c, const char *name, const char *axes, int count, char *scratch, size_t size)
{
    unsigned bits = 0;
    for (int k = 0; k < count && count > 1; k++) {
        snprintf(scratch, size, "%s.%c", name, axes[2 * k]);
        bits |= (unsigned)chosen(c, scratch, strlen(scratch)) << k;
    }
    return bits;
}

/* ---------------------------------------------------------------- a list that grows */

static bool append(clv_columns *c, const clv_column *column, const char *owner, const char *name, int part)
{
    if (c->n == c->capacity) {
        const int capacity = 2 * c->capacity + 64;
        clv_column *wider = clv_resize(c->column, (size_t)capacity, sizeof *wider);
        if (!wider)
            return false;
        c->column = wider, c->capacity = capacity;
    }
    clv_column *to = &c->column[c->n];
    *to = *column;
    to->first = c->width, to->part = part;
    char *text = clv_alloc(strlen(name) + 3, 1);
    if (text && part < 0)
        memcpy(text, name, strlen(name) + 1);
    else if (text) {
        snprintf(text, strlen(name) + 3, "%s.%c", name, column->axes[2 * part]);
        to->count = 1, to->axes[0] = 0;
    }
    to->name = text, to->owner = clv_copy_text(owner);
    c->n++, c->width += to->count;
    return to->name && to->owner;
}

/* The column, or those of its components that are chosen. */
static bool append_chosen(clv_columns *c, choice *by, const clv_column *column, const char *owner, const char *name,
                          char *scratch, size_t size)
{
    bool go = true;
    if (strcmp(name, "time") == 0 || chosen_whole(by, owner, name)) {
        (void)chosen_parts(by, name, column->axes, column->count, scratch, size); /* they are met, too */
        (void)chosen_whole(by, owner, name);
        return append(c, column, owner, name, -1);
    }
    const unsigned bits = chosen_parts(by, name, column->axes, column->count, scratch, size);
    for (int k = 0; k < column->count && go; k++)
        if ((bits >> k) & 1)
            go = append(c, column, owner, name, k);
    return go;
}

/* ---------------------------------------------------------------- from a model */

typedef struct chooser {
    clv_offer offer;
    clv_columns *to;
    choice by;        /* no patterns: the usual columns */
    bool reactions;
    char *scratch;    /* two names */
    size_t size;      /* of one */
    clv_column *list; /* of a file: to be bound */
    int nlist, at;
} chooser;

static clv_column column_of(const char *kind, int item, const clv_quantity *q)
{
    clv_column c = {.count = q->count, .get = q->get, .item = item, .index = q->index, .part = -1};
    snprintf(c.kind, sizeof c.kind, "%s", kind);
    snprintf(c.unit, sizeof c.unit, "%s", q->unit);
    snprintf(c.axes, sizeof c.axes, "%s", q->axes);
    return c;
}

static const char *name_of(const chooser *x, const char *owner, const clv_quantity *q)
{
    snprintf(x->scratch, x->size, "%s%s%s", owner ? owner : "", owner ? "." : "", q->name);
    return x->scratch;
}

static bool take_chosen(clv_offer *o, const char *kind, const char *owner, int item, const clv_quantity *q)
{
    chooser *x = (chooser *)o;
    const bool usual = q->set == CLV_SET_USUAL && (x->by.n == 0 || x->by.added);
    if (q->set == CLV_SET_IDLE && !named(&x->by, name_of(x, owner, q)))
        return true;
    if (x->by.n == 0 && !usual && !(q->set == CLV_SET_REACTIONS && x->reactions))
        return true;
    const clv_column c = column_of(kind, item, q);
    const char *name = name_of(x, owner, q);
    if (usual || (q->set == CLV_SET_REACTIONS && x->reactions)) {
        (void)chosen_whole(&x->by, owner ? owner : "", name);
        return append(x->to, &c, owner ? owner : "", name, -1);
    }
    return append_chosen(x->to, &x->by, &c, owner ? owner : "", name, x->scratch + x->size, x->size);
}

/* Room for the longest name of the model. */
static clv_status make_room(chooser *x, clv_error *e)
{
    const clv_model *m = x->offer.model;
    size_t most = 0;
    for (int i = 0; i < m->nbody; i++)
        most = strlen(m->body[i].name) > most ? strlen(m->body[i].name) : most;
    for (int i = 0; i < m->njoint; i++)
        most = strlen(m->joint[i].name) > most ? strlen(m->joint[i].name) : most;
    for (int i = 0; i < m->nmarker; i++)
        most = strlen(m->marker[i].name) > most ? strlen(m->marker[i].name) : most;
    for (int i = 0; i < m->nforce; i++) /* behind "contacts.", as markers behind "markers." */
        most = strlen(m->force[i].name) > most ? strlen(m->force[i].name) : most;
    x->size = 2 * most + 64; /* of a member of a contact of many: both names */
    x->scratch = clv_alloc(2, x->size);
    return x->scratch ? CLV_OK : clv_fail(e, CLV_ERR_MEMORY, "out of memory");
}

/* ---------------------------------------------------------------- unknown names */

typedef struct nearest {
    char wanted[128], best[128];
    int distance;
} nearest;

static void compare(nearest *x, const char *name)
{
    const char *best = NULL;
    clv_nearest(&best, &x->distance, x->wanted, name);
    if (best)
        snprintf(x->best, sizeof x->best, "%s", best);
}

typedef struct nearest_offer {
    chooser names;
    nearest found;
} nearest_offer;

static bool take_nearest(clv_offer *o, const char *kind, const char *owner, int item, const clv_quantity *q)
{
    nearest_offer *x = (nearest_offer *)o;
    (void)kind, (void)item;
    compare(&x->found, name_of(&x->names, owner, q));
    return true;
}

/* What acts on a joint is named by its own name: "lift.effort". */
static const char *joint_acted_by(const clv_model *m, const char *name)
{
    for (int i = 0; i < m->nmotion; i++)
        if (strcmp(m->motion[i].name, name) == 0)
            return m->joint[m->motion[i].joint].name;
    for (int i = 0; i < m->ninput; i++)
        if (m->input[i].kind == CLV_INPUT_JOINT && strcmp(m->input[i].name, name) == 0)
            return m->joint[m->input[i].joint].name;
    for (int i = 0; i < m->nforce; i++)
        if (m->force[i].kind == CLV_FORCE_JOINT && strcmp(m->force[i].name, name) == 0)
            return m->joint[m->force[i].joint].name;
    return NULL;
}

static clv_status refuse(const pattern *p, const char *best, clv_error *e)
{
    clv_fail(e, CLV_ERR_USAGE, "there is no column '%.*s'%s%s%s", (int)(p->length < 100 ? p->length : 100), p->text,
             *best ? "; did you mean '" : "", best, *best ? "'?" : "");
    return CLV_ERR_USAGE;
}

static void suggest(const chooser *x, const pattern *p, clv_error *e)
{
    nearest_offer near = {.names = *x};
    near.names.offer.take = take_nearest;
    snprintf(near.found.wanted, sizeof near.found.wanted, "%.*s", (int)(p->length < 100 ? p->length : 100), p->text);
    char *dot = strchr(near.found.wanted, '.');
    if (dot)
        *dot = 0;
    const char *joint = joint_acted_by(x->offer.model, near.found.wanted);
    if (joint) {
        static const char *const what[] = {"q",     "u",      "udot",        "effort",
                                           "force", "torque", "drive_force", "drive_torque"};
        const char *best = NULL, *wanted = dot ? dot + 1 : "effort";
        int distance = clv_near_enough(wanted) + 1;
        for (size_t i = 0; i < sizeof what / sizeof what[0]; i++)
            clv_nearest(&best, &distance, wanted, what[i]);
        snprintf(near.found.best, sizeof near.found.best, "%.60s.%s", joint, best ? best : "effort");
    } else if (!memchr(p->text, '*', p->length)) {
        if (dot)
            *dot = '.';
        near.found.distance = clv_near_enough(near.found.wanted) + 1;
        clv_columns_offer(&near.names.offer);
    }
    refuse(p, near.found.best, e);
    clv_error_hint(e, "columns are named OWNER.WHAT: BODY.position, JOINT.q, JOINT.u, JOINT.effort, JOINT.force, "
                      "MARKER.acceleration, system.momentum, energy.kinetic; patterns: '*.effort' (docs/commands.md)");
}

/* ---------------------------------------------------------------- public */

clv_status clv_columns_create(clv_columns *c, const clv_model *model, const char *selection, bool reactions,
                              clv_error *e)
{
    chooser x = {.offer = {model, take_chosen}, .to = c, .reactions = reactions};
    *c = (clv_columns){0};
    clv_error_clear(e);
    clv_status status = make_room(&x, e);
    if (status == CLV_OK && selection)
        status = read_patterns(&x.by, selection, e);
    if (status == CLV_OK && !clv_columns_offer(&x.offer))
        status = clv_fail(e, CLV_ERR_MEMORY, "out of memory");
    for (int i = 0; i < x.by.n && status == CLV_OK; i++)
        if (!x.by.pattern[i].met) {
            suggest(&x, &x.by.pattern[i], e);
            status = CLV_ERR_USAGE;
        }
    clv_free(x.by.pattern), clv_free(x.scratch);
    if (status != CLV_OK)
        clv_columns_release(c);
    return status;
}

/* The component of a quantity that a column is: -1 all, -2 it is another quantity. */
static int part_bound(const clv_column *c, const char *owner, const clv_quantity *q)
{
    const size_t no = owner ? strlen(owner) : 0, nq = strlen(q->name);
    const char *name = c->name;
    if (owner && (strncmp(name, owner, no) != 0 || name[no] != '.'))
        return -2;
    name += owner ? no + 1 : 0;
    if (strncmp(name, q->name, nq) != 0)
        return -2;
    name += nq;
    if (!*name)
        return c->count == q->count ? -1 : -2;
    for (int k = 0; k < q->count && q->count > 1; k++)
        if (name[0] == '.' && name[1] == q->axes[2 * k] && !name[2])
            return c->count == 1 ? k : -2;
    return -2;
}

/* The next columns of the list that are this one, or components of it. */
static bool take_bound(clv_offer *o, const char *kind, const char *owner, int item, const clv_quantity *q)
{
    chooser *x = (chooser *)o;
    for (; x->at < x->nlist; x->at++) {
        clv_column *c = &x->list[x->at];
        const int part = strcmp(c->kind, kind) == 0 ? part_bound(c, owner, q) : -2;
        if (part == -2)
            return true;
        c->get = q->get, c->item = item, c->index = q->index, c->part = part;
    }
    return true;
}

clv_status clv_columns_bind(clv_column *column, int n, const clv_model *model, clv_error *e)
{
    chooser x = {.offer = {model, take_bound}, .list = column, .nlist = n};
    if (!clv_columns_offer(&x.offer))
        return clv_fail(e, CLV_ERR_MEMORY, "out of memory");
    if (x.at < n)
        return clv_fail(e, CLV_ERR_SYNTAX, "its column '%.100s' does not belong to its model", column[x.at].name);
    return CLV_OK;
}

clv_status clv_columns_select(clv_columns *c, const clv_column *from, int n, const char *selection, clv_error *e)
{
    choice by = {0};
    size_t most = 64;
    *c = (clv_columns){0};
    clv_error_clear(e);
    clv_status status = read_patterns(&by, selection, e);
    for (int i = 0; i < n; i++)
        most = strlen(from[i].name) + 3 > most ? strlen(from[i].name) + 3 : most;
    char *scratch = clv_alloc(most, 1);
    for (int i = 0; i < n && status == CLV_OK; i++) {
        const int before = c->n;
        if (!scratch || !append_chosen(c, &by, &from[i], from[i].owner, from[i].name, scratch, most))
            status = clv_fail(e, CLV_ERR_MEMORY, "out of memory");
        for (int k = before; k < c->n; k++) /* where it is in the frames of the list */
            c->column[k].item = from[i].first;
    }
    for (int i = 0; i < by.n && status == CLV_OK; i++)
        if (!by.pattern[i].met) {
            nearest near = {.distance = 0};
            snprintf(near.wanted, sizeof near.wanted, "%.*s",
                     (int)(by.pattern[i].length < 100 ? by.pattern[i].length : 100), by.pattern[i].text);
            near.distance = clv_near_enough(near.wanted) + 1;
            for (int k = 0; k < n; k++)
                compare(&near, from[k].name);
            status = refuse(&by.pattern[i], near.best, e);
        }
    clv_free(by.pattern), clv_free(scratch);
    if (status != CLV_OK)
        clv_columns_release(c);
    return status;
}
