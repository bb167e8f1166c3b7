/* SPDX-License-Identifier: Apache-2.0
 * The reader's list of errors: the first 100 in the order found, the rest counted; sorted by place before the model
 * gets them. */
#include "base/error.h"
#include "base/memory.h"
#include "io/yaml_read.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool clv_read_reserve(clv_reader *r, void *array, size_t *capacity, size_t need, size_t size)
{
    void *old;
    if (need <= *capacity)
        return true;
    size_t wider = 2 * *capacity + 64 < need ? need : 2 * *capacity + 64;
    memcpy(&old, array, sizeof old);
    void *p = clv_resize(old, wider, size);
    if (!p) {
        clv_read_out_of_memory(r);
        return false;
    }
    memcpy(array, &p, sizeof p);
    *capacity = wider;
    return true;
}

void clv_path_join(char *path, size_t size, const char *parent, const char *name)
{
    clv_error_text(path, size, parent);
    size_t n = strlen(path);
    if (n > 0 && n + 2 < size)
        path[n++] = '.';
    clv_error_text(path + n, size - n, name);
}

void clv_read_out_of_memory(clv_reader *r)
{
    r->memory = true;
}

/* A cleared record located at a node, or NULL if the list is full. */
static clv_error *new_error(clv_reader *r, const clv_yaml_node *at)
{
    size_t capacity = (size_t)r->capacity;
    if (r->nerror >= CLV_MOST_ERRORS) {
        r->more++;
        return NULL;
    }
    if (!clv_read_reserve(r, &r->error, &capacity, (size_t)r->nerror + 2, sizeof *r->error))
        return NULL;
    r->capacity = (int)capacity;
    clv_error *e = &r->error[r->nerror++];
    clv_error_clear(e);
    clv_error_text(e->file, sizeof e->file, r->file);
    e->line = at ? (int)at->line : 0;
    e->column = at ? (int)at->column : 0;
    return e;
}

void clv_read_fail(clv_reader *r, clv_status code, const clv_yaml_node *at, const char *path, const char *key,
                   const char *hint, const char *format, ...)
{
    char text[640];
    va_list args;
    clv_error *e = new_error(r, at);
    if (!e)
        return;
    e->code = code;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    clv_error_text(e->message, sizeof e->message, text);
    snprintf(text, sizeof text, "%s%s%s", path, *path && key ? "." : "", key ? key : "");
    clv_error_text(e->path, sizeof e->path, text);
    clv_error_text(e->hint, sizeof e->hint, hint);
}

void clv_read_fail_model(clv_reader *r, const clv_error *model, const clv_yaml_node *at, const char *path)
{
    clv_error *e = new_error(r, at);
    if (!e)
        return;
    clv_error place = *e;
    *e = *model;
    memcpy(e->file, place.file, sizeof e->file);
    e->line = place.line;
    e->column = place.column;
    if (path)
        clv_error_text(e->path, sizeof e->path, path);
}

void clv_read_errors_join(clv_reader *r, const clv_reader *other)
{
    for (int i = 0; i < other->nerror; ++i) {
        clv_error *e = new_error(r, NULL);
        if (e)
            *e = other->error[i];
    }
    r->more += other->more;
    r->memory = r->memory || other->memory;
}

static int by_place(const void *a, const void *b)
{
    const clv_error *x = a, *y = b;
    if (strcmp(x->file, y->file) != 0) /* of a file of modes */
        return strcmp(x->file, y->file);
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    return strcmp(x->message, y->message);
}

clv_status clv_read_errors_hand_over(clv_reader *r)
{
    clv_model *m = r->model;
    clv_free(m->error);
    m->error = NULL;
    m->nerror = m->error_capacity = 0;
    if (r->memory)
        return clv_fail(&m->last, CLV_ERR_MEMORY, "out of memory while reading %s", r->file);
    if (r->nerror == 0) {
        clv_error_clear(&m->last);
        return CLV_OK;
    }
    qsort(r->error, (size_t)r->nerror, sizeof *r->error, by_place);
    m->last = r->error[0];
    if (r->more > 0) { /* new_error keeps one record in reserve */
        clv_error *e = &r->error[r->nerror++];
        clv_fail(e, CLV_ERR_MODEL, "and %ld more", r->more);
        clv_error_text(e->file, sizeof e->file, r->file);
    }
    m->error = r->error;
    m->nerror = r->nerror;
    m->error_capacity = r->capacity;
    r->error = NULL;
    r->nerror = r->capacity = 0;
    return m->last.code;
}
