/* SPDX-License-Identifier: Apache-2.0
 * The error list of a model: every error a reader or the checks find, located and named; the first CLV_ERROR_LIMIT
 * are kept. */
#include "base/error.h"
#include "base/memory.h"
#include "model/group.h"
#include "model/model.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void clv_error_locate(clv_error *e, const char *group, const char *name, const char *field)
{
    char path[sizeof e->path + 1];
    snprintf(path, sizeof path, "%s.%s%s%s", group, name, field ? "." : "", field ? field : "");
    clv_error_text(e->path, sizeof e->path, path);
    if (strcmp(group, "bodies") == 0)
        clv_error_text(e->body, sizeof e->body, name);
    else if (strcmp(group, "markers") != 0)
        clv_error_text(e->joint, sizeof e->joint, name);
}

/* A place for one more record; NULL when the list is full or memory is out (then only the count grows). */
static clv_error *append(clv_model *m)
{
    if (m->nerror >= CLV_ERROR_LIMIT) {
        m->error_more++;
        return NULL;
    }
    if (m->nerror == m->error_capacity) {
        int capacity = m->error_capacity ? 2 * m->error_capacity : 8;
        clv_error *list = clv_resize(m->error, (size_t)capacity, sizeof *list);
        if (!list) {
            m->error_more++;
            return NULL;
        }
        m->error = list;
        m->error_capacity = capacity;
    }
    clv_error_clear(&m->error[m->nerror]);
    return &m->error[m->nerror++];
}

void clv_model_log(clv_model *m, const clv_error *e)
{
    clv_error *place = append(m);
    if (place)
        *place = *e;
}

clv_error *clv_model_note(clv_model *m, const char *group, const char *name, const char *field, const char *format, ...)
{
    char text[sizeof m->last.message];
    va_list args;
    clv_error *e = append(m);
    if (!e)
        e = &m->last;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    clv_fail(e, CLV_ERR_MODEL, "%s", text);
    clv_error_locate(e, group, name, field);
    return e;
}

const clv_error *clv_model_error(const clv_model *model) { return model ? &model->last : clv_error_of_null(); }

/* When some were left out, one more record shows how many. */
int clv_model_error_count(const clv_model *model) { return model ? model->nerror : 0; }

const clv_error *clv_model_error_at(const clv_model *model, int i)
{
    return i >= 0 && i < clv_model_error_count(model) ? &model->error[i] : NULL;
}

/* Turns the count of left-out errors into a record. */
static void close_list(clv_model *m)
{
    int more = m->error_more;
    if (more == 0 || m->nerror == 0)
        return;
    clv_error e;
    clv_fail(&e, CLV_ERR_MODEL, "and %d more errors", more);
    clv_error_hint(&e, "repair the ones above and check again");
    if (m->nerror == m->error_capacity) {
        clv_error *list = clv_resize(m->error, (size_t)m->nerror + 1, sizeof *list);
        if (!list)
            return;
        m->error = list;
        m->error_capacity = m->nerror + 1;
    }
    m->error[m->nerror++] = e;
}

/* the first of the errors that are noted */
static clv_status show_errors(clv_model *m)
{
    close_list(m);
    m->last = m->error[0];
    return m->last.code;
}

/* it is wrong, but there was no room to say how */
static bool speechless(const clv_model *m) { return m->nerror == 0 && m->error_more > 0; }

static clv_status no_room(clv_model *m)
{
    return clv_fail(&m->last, CLV_ERR_MEMORY, "out of memory while checking the model");
}

/* contacts of many bodies: who may touch whom */
static clv_status settle_groups(clv_model *m)
{
    for (int i = 0; i < m->nforce; i++)
        if (m->force[i].kind == CLV_FORCE_CONTACTS && !clv_touch_group_settle(m, i))
            return clv_fail(&m->last, CLV_ERR_MEMORY, "out of memory");
    for (int i = 0; i < m->nforce; i++)
        if (m->force[i].kind == CLV_FORCE_CONTACTS)
            clv_model_validate_pairs(m, &m->force[i]);
    if (speechless(m))
        return no_room(m);
    return m->nerror > 0 ? show_errors(m) : CLV_OK;
}

/* Checks once, and again only after a failure: the errors of the last try are forgotten, those of a reader stay. */
clv_status clv_model_finish(clv_model *m)
{
    clv_status status;
    if (!m)
        return CLV_ERR_USAGE;
    if (m->finished)
        return CLV_OK;
    if (m->error_mark >= 0)
        m->nerror = m->error_mark, m->error_more = 0;
    m->error_mark = m->nerror;
    clv_model_validate(m);
    status = m->nerror + m->error_more == 0 ? clv_model_resolve(m) : CLV_OK;
    if (speechless(m))
        return no_room(m);
    if (m->nerror == 0 && status != CLV_OK)
        return status; /* out of memory, m->last shows */
    if (m->nerror > 0)
        return show_errors(m);
    status = settle_groups(m);
    if (status != CLV_OK)
        return status;
    clv_error_clear(&m->last);
    m->finished = true;
    return CLV_OK;
}
