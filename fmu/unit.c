/* SPDX-License-Identifier: Apache-2.0
 * Life and states of an instance; see unit.h. */
#include "fmu/unit.h"
#include "base/memory.h"
#include <math.h>
#include <stdarg.h>
#include <string.h>

/* ---------------------------------------------------------------- messages */

unit_status unit_fail(const unit *u, const char *format, ...)
{
    char text[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    u->tell(u, UNIT_ERROR, "logStatusError", text);
    return UNIT_ERROR;
}

unit_status unit_fail_with(const unit *u, const clv_error *e)
{
    const char *hint = e->hint;
    return unit_fail(u, "%s%s%s%s%s", *e->path ? e->path : "", *e->path ? ": " : "", e->message,
                     *hint ? "; hint: " : "", hint);
}

unit_status unit_refuse(const unit *u, const char *function, const char *why)
{
    return unit_fail(u, "%s: %s", function, why);
}

static const char *mode_name(int mode)
{
    return mode == UNIT_NEW            ? "before its initialization"
           : mode == UNIT_INITIALIZING ? "in initialization"
           : mode == UNIT_STEPPING     ? "between steps"
           : mode == UNIT_EVENT        ? "at an event"
           : mode == UNIT_CONTINUOUS   ? "in continuous time"
           : mode == UNIT_ENDED        ? "after its end"
                                       : "after a failure";
}

unit_status unit_expect(const unit *u, int modes, const char *function)
{
    if (u->mode & modes)
        return UNIT_OK;
    return unit_fail(u, "%s is not allowed %s", function, mode_name(u->mode));
}

/* ---------------------------------------------------------------- life */

static bool open_values(unit *u)
{
    u->value = clv_alloc((size_t)u->table.n, sizeof *u->value);
    u->origin = clv_alloc((size_t)u->table.n, sizeof *u->origin);
    u->given = clv_alloc((size_t)u->table.n, sizeof *u->given);
    u->frame = clv_alloc((size_t)u->table.columns.width + 1, sizeof *u->frame);
    u->rate = clv_alloc((size_t)u->nstate + 1, sizeof *u->rate);
    u->closed = clv_alloc((size_t)u->nstate + 1, sizeof *u->closed);
    u->indicator = clv_alloc((size_t)u->nindicator + 1, sizeof *u->indicator);
    return u->value && u->origin && u->given && u->frame && u->rate && u->closed && u->indicator;
}

static unit_status open_unit(unit *u, const char *name, const char *token, const char *folder)
{
    if (!name || !token || !folder || !*folder)
        return unit_fail(u, "%s is missing", !name    ? "the name of the instance"
                                             : !token ? "the token (GUID)"
                                                      : "the path of the resources");
    u->name = clv_copy_text(name), u->folder = clv_copy_text(folder);
    if (!u->name || !u->folder)
        return unit_fail(u, "out of memory");
    for (size_t n = strlen(u->folder); n > 1 && u->folder[n - 1] == '/'; n--)
        u->folder[n - 1] = 0;
    const unit_status status = unit_read(u, token);
    if (status != UNIT_OK)
        return status;
    if (!open_values(u))
        return unit_fail(u, "out of memory");
    return unit_reset(u);
}

unit *unit_create(unit from, const char *name, const char *token, const char *folder)
{
    unit *u = clv_alloc(1, sizeof *u);
    if (!u) {
        unit_fail(&from, "out of memory");
        return NULL;
    }
    *u = from;
    if (open_unit(u, name, token, folder) == UNIT_OK)
        return u;
    unit_free(u);
    return NULL;
}

void unit_free(unit *u)
{
    if (!u)
        return;
    unit_unmake(u);
    clv_model_destroy(u->model);
    clv_fmu_table_release(&u->table);
    clv_fmu_settings_release(&u->settings);
    clv_free(u->text), clv_free(u->value), clv_free(u->origin), clv_free(u->given), clv_free(u->frame);
    clv_free(u->rate), clv_free(u->closed), clv_free(u->indicator);
    clv_free(u->name), clv_free(u->folder);
    clv_free(u);
}

unit_status unit_reset(unit *u)
{
    unit_unmake(u);
    u->mode = UNIT_NEW;
    u->start = u->time = 0;
    u->stop = u->tolerance = NAN;
    unit_start_values(u);
    return UNIT_OK;
}

/* ---------------------------------------------------------------- initialization */

unit_status unit_set_experiment(unit *u, double start, double stop, double tolerance)
{
    if (!isfinite(start) || isinf(stop) || stop < start)
        return unit_fail(u, "an experiment from %g s to %g s is not possible", start, stop);
    if (!isnan(tolerance) && !(tolerance >= 1e-14 && tolerance <= 0.5))
        return unit_fail(u, "a tolerance of %g is outside 1e-14 to 0.5", tolerance);
    unit_unmake(u);
    u->start = u->time = start, u->stop = stop, u->tolerance = tolerance;
    return UNIT_OK;
}

unit_status unit_begin_initialization(unit *u)
{
    u->mode = UNIT_INITIALIZING;
    return UNIT_OK;
}

unit_status unit_end_initialization(unit *u)
{
    const unit_status status = unit_make(u);
    if (status == UNIT_OK)
        u->mode = u->exchange ? UNIT_EVENT : UNIT_STEPPING;
    return status;
}
