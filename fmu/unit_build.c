/* SPDX-License-Identifier: Apache-2.0
 * Model and simulation of an instance, made from the files in resources/; see unit.h.  The model is read anew with
 * the values of its parameters when the simulation is first needed. */
#include "fmu/unit.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/yaml_read.h"
#include "simulation/exchange.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PATH = 4096 };

static unit_status path_of(const unit *u, const char *file, char path[PATH])
{
    const int n = snprintf(path, PATH, "%s/%s", u->folder, file);
    return n < PATH ? UNIT_OK : unit_fail(u, "the path of the resources is too long");
}

/* ---------------------------------------------------------------- reading */

static unit_status model_fails(const unit *u, clv_status status, const clv_model *m)
{
    clv_error none = {.code = status, .time = NAN, .value = NAN};
    snprintf(none.message, sizeof none.message, "%s", clv_status_text(status));
    if (!m)
        return unit_fail_with(u, &none);
    return unit_fail_with(u, clv_model_error_count(m) > 0 ? clv_model_error_at(m, 0) : clv_model_error(m));
}

static const char *parameter_name(const unit *u, int i)
{
    return clv_model_parameter(u->model, u->table.variable[i].index)->name;
}

static bool is_set(const unit *u, int i)
{
    return u->given && u->given[i] && u->table.variable[i].kind == CLV_FMU_PARAMETER;
}

/* Was the parameter of "name=value" set to another value since the export? */
static bool set_again(const unit *u, const char *given)
{
    const size_t n = strcspn(given, "=");
    bool again = false;
    for (int i = 0; i < u->table.n; i++)
        again |= is_set(u, i) && strlen(parameter_name(u, i)) == n && strncmp(parameter_name(u, i), given, n) == 0;
    return again;
}

/* Values of parameters: those of the export, then those that were set.  NULL: out of memory. */
static const char **parameter_values(const unit *u, int *n)
{
    enum { ROOM = 128 };
    const size_t lists = ((size_t)u->settings.ngiven + (size_t)u->table.n) * sizeof(char *);
    char *block = clv_alloc(lists + (size_t)u->table.n * ROOM + 1, 1), *text = block ? block + lists : NULL;
    const char **list = (const char **)(void *)block;
    *n = 0;
    for (int i = 0; block && i < u->settings.ngiven; i++)
        if (!set_again(u, u->settings.given[i]))
            list[(*n)++] = u->settings.given[i];
    for (int i = 0; block && i < u->table.n; i++)
        if (is_set(u, i)) {
            snprintf(text, ROOM, "%s=%.17g", parameter_name(u, i), u->value[i]);
            list[(*n)++] = text, text += ROOM;
        }
    return list;
}

/* The model with the present values of parameters, in place of the one there. */
static unit_status read_model(unit *u)
{
    char path[PATH];
    int n;
    if (path_of(u, CLV_FMU_MODEL, path) != UNIT_OK)
        return UNIT_ERROR;
    const char **list = parameter_values(u, &n);
    clv_model *m = NULL;
    const clv_status status = list ? clv_model_read_with(&m, path, list, n) : CLV_ERR_MEMORY;
    clv_free(list);
    if (status != CLV_OK) {
        model_fails(u, status, m);
        clv_model_destroy(m);
        return UNIT_ERROR;
    }
    clv_model_destroy(u->model);
    u->model = m;
    return UNIT_OK;
}

/* The settings, and *whole: their text. */
static unit_status read_settings(unit *u, char **whole)
{
    char path[PATH];
    clv_error e;
    size_t size;
    if (path_of(u, CLV_FMU_SETTINGS, path) != UNIT_OK)
        return UNIT_ERROR;
    clv_error_clear(&e);
    char *loaded = clv_model_load(&e, path, &size);
    *whole = loaded ? clv_alloc(size + 1, 1) : NULL;
    if (*whole)
        memcpy(*whole, loaded, size);
    clv_free(loaded);
    u->text = *whole ? clv_copy_text(*whole) : NULL;
    if (!u->text)
        return e.code == CLV_OK ? unit_fail(u, "out of memory") : unit_fail_with(u, &e);
    if (clv_fmu_settings_read(&u->settings, u->text, &e) != CLV_OK)
        return unit_fail_with(u, &e);
    if (!(u->exchange ? u->settings.exchange : u->settings.steps))
        return unit_fail(u, "the unit is for %s, not for %s", u->exchange ? "co-simulation" : "model exchange",
                         u->exchange ? "model exchange" : "co-simulation");
    return UNIT_OK;
}

/* The simulation of the model at hand. */
static unit_status create_sim(unit *u)
{
    clv_sim_options o = u->settings.sim;
    o.threads = 1;
    if (!isnan(u->tolerance))
        o.rtol = u->tolerance, o.atol = NAN;
    if (u->exchange)
        o.integrator = CLV_EXCHANGE_INTEGRATOR, o.step = o.max_step = 0;
    if (clv_sim_create(&u->sim, u->model, &o) == CLV_OK &&
        (!u->settings.exchange || clv_exchange_open(u->sim) == CLV_OK))
        return UNIT_OK;
    u->sim ? unit_fail_with(u, clv_sim_error(u->sim)) : unit_fail(u, "out of memory");
    unit_unmake(u);
    return UNIT_ERROR;
}

/* The variables; of a unit for model exchange a simulation knows the states. */
static unit_status find_variables(unit *u)
{
    clv_error e;
    unit_status status = u->settings.exchange ? create_sim(u) : UNIT_OK;
    if (status != UNIT_OK)
        return status;
    u->nstate = u->sim ? clv_exchange_count(u->sim) : 0;
    u->nindicator = u->sim ? clv_exchange_indicators(u->sim) : 0;
    if (clv_fmu_table_create(&u->table, u->model, u->settings.outputs, u->sim, &e) != CLV_OK)
        status = unit_fail_with(u, &e);
    unit_unmake(u);
    return status;
}

unit_status unit_read(unit *u, const char *token)
{
    char own[CLV_FMU_TOKEN], *whole = NULL;
    u->tolerance = NAN;
    unit_status status = read_settings(u, &whole);
    if (status == UNIT_OK)
        status = read_model(u);
    if (status == UNIT_OK) {
        clv_fmu_token(own, u->model, whole);
        if (strcmp(own, token) != 0)
            status = unit_fail(u, "the token (GUID) %.60s is that of another unit; this one is %s", token, own);
    }
    clv_free(whole);
    return status == UNIT_OK ? find_variables(u) : status;
}

/* ---------------------------------------------------------------- values of the importer */

/* Other values of parameters may be another number of bodies: then the variables are no longer those of the unit. */
static unit_status compare_variables(unit *u)
{
    clv_fmu_table now;
    clv_error e;
    const char *other;
    if (clv_fmu_table_create(&now, u->model, u->settings.outputs, u->settings.exchange ? u->sim : NULL, &e) != CLV_OK)
        return unit_fail_with(u, &e);
    const bool same = clv_fmu_table_same(&u->table, &now, &other);
    const unit_status status =
        same ? UNIT_OK
             : unit_fail(u, "these values of parameters change the variables of the unit ('%.100s'); make a unit with "
                            "them: cleave fmu MODEL name=value", other);
    clv_fmu_table_release(&now);
    return status;
}

static bool any_set(const unit *u)
{
    bool any = false;
    for (int i = 0; i < u->table.n; i++)
        any |= is_set(u, i);
    return any;
}

static unit_status start_inputs(unit *u)
{
    for (int i = 0; i < u->table.n; i++) {
        const clv_fmu_variable *v = &u->table.variable[i];
        if (v->kind == CLV_FMU_INPUT && u->given[i] && !clv_model_start_input(u->model, v->index, u->origin[i]))
            return unit_fail(u, "input '%.100s': %g is outside its limits", v->name, u->origin[i]);
    }
    return UNIT_OK;
}

/* parameters as the model has them: derived ones, too */
static void take_parameters(unit *u)
{
    for (int i = 0; i < u->table.n; i++)
        if (u->table.variable[i].kind == CLV_FMU_DERIVED)
            u->value[i] = clv_model_parameter(u->model, u->table.variable[i].index)->shown;
}

unit_status unit_make(unit *u)
{
    if (u->sim)
        return UNIT_OK;
    unit_status status = read_model(u);
    if (status == UNIT_OK)
        status = start_inputs(u);
    if (status != UNIT_OK)
        return status;
    take_parameters(u);
    u->model->begin = u->start;
    status = create_sim(u);
    if (status == UNIT_OK && any_set(u))
        status = compare_variables(u);
    if (status != UNIT_OK)
        unit_unmake(u);
    return status;
}

void unit_unmake(unit *u)
{
    clv_sim_destroy(u->sim);
    u->sim = NULL;
    u->fresh = u->rated = u->shown = u->due = false;
}
