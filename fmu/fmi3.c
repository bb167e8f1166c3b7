/* SPDX-License-Identifier: Apache-2.0
 * FMI 3.0: its calls, translated into those of unit.h.  The importer finds these functions by name. */
#include "fmu/fmi3.h"
#include "fmu/unit.h"
#include <math.h>
#include <string.h>

/* The unit behind a handle, if it is in one of these modes. */
#define ENTER(modes)                                                                                                  \
    unit *u = instance;                                                                                              \
    if (!u || unit_expect(u, modes, __func__) != UNIT_OK)                                                            \
        return fmi3Error

static void tell(const unit *u, unit_status status, const char *category, const char *text)
{
    fmi3LogMessage *log = (fmi3LogMessage *)u->logger;
    if (log && (u->logging || status >= UNIT_ERROR))
        log(u->environment, (fmi3Status)status, category, text);
}

static fmi3Status of(unit_status status) { return (fmi3Status)status; }

/* ---------------------------------------------------------------- life */

const char *fmi3GetVersion(void) { return "3.0"; }

fmi3Status fmi3SetDebugLogging(void *instance, bool on, size_t n, const char *const category[])
{
    ENTER(UNIT_ANY);
    if (n > 0 && !category)
        return of(unit_fail(u, "%s: a pointer is NULL", __func__));
    u->logging = on;
    return fmi3OK;
}

void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources, bool visible,
                                  bool logging, bool event_mode, bool early_return, const uint32_t required[],
                                  size_t nrequired, void *environment, fmi3LogMessage *log,
                                  fmi3IntermediateUpdate *update)
{
    (void)visible, (void)early_return, (void)required, (void)nrequired, (void)update;
    const unit from = {.tell = tell, .logging = logging, .environment = environment, .logger = (void (*)(void))log};
    if (event_mode) {
        unit_fail(&from, "the unit has no event mode: events of the model happen inside a step");
        return NULL;
    }
    return unit_create(from, name, token, resources);
}

void *fmi3InstantiateModelExchange(const char *name, const char *token, const char *resources, bool visible,
                                   bool logging, void *environment, fmi3LogMessage *log)
{
    (void)visible;
    const unit from = {.tell = tell, .logging = logging, .environment = environment, .logger = (void (*)(void))log,
                       .exchange = true};
    return unit_create(from, name, token, resources);
}

void fmi3FreeInstance(void *instance) { unit_free(instance); }

fmi3Status fmi3EnterInitializationMode(void *instance, bool has_tolerance, double tolerance, double start,
                                       bool has_stop, double stop)
{
    ENTER(UNIT_NEW);
    const unit_status status = unit_set_experiment(u, start, has_stop ? stop : NAN, has_tolerance ? tolerance : NAN);
    return of(status == UNIT_OK ? unit_begin_initialization(u) : status);
}

fmi3Status fmi3ExitInitializationMode(void *instance)
{
    ENTER(UNIT_INITIALIZING);
    return of(unit_end_initialization(u));
}

fmi3Status fmi3Terminate(void *instance)
{
    ENTER(UNIT_STEPPING | UNIT_FAILED | UNIT_EVENT | UNIT_CONTINUOUS);
    u->mode = UNIT_ENDED;
    return fmi3OK;
}

fmi3Status fmi3Reset(void *instance)
{
    ENTER(UNIT_ANY);
    return of(unit_reset(u));
}

/* ---------------------------------------------------------------- values */

fmi3Status fmi3GetFloat64(void *instance, const uint32_t reference[], size_t nreference, double value[], size_t nvalue)
{
    ENTER(UNIT_ANY);
    if (nvalue != nreference)
        return of(unit_fail(u, "%s: %zu values of %zu variables; all are scalars", __func__, nvalue, nreference));
    return of(unit_get(u, reference, nreference, value, __func__));
}

fmi3Status fmi3SetFloat64(void *instance, const uint32_t reference[], size_t nreference, const double value[],
                          size_t nvalue)
{
    ENTER(UNIT_ANY);
    if (nvalue != nreference)
        return of(unit_fail(u, "%s: %zu values for %zu variables; all are scalars", __func__, nvalue, nreference));
    return of(unit_set(u, reference, nreference, value, __func__));
}

/* ---------------------------------------------------------------- saved states */

fmi3Status fmi3GetFMUState(void *instance, void **state)
{
    ENTER(UNIT_ANY);
    return of(state ? unit_save(u, (unit_bytes **)state) : unit_fail(u, "%s: a pointer is NULL", __func__));
}

fmi3Status fmi3SetFMUState(void *instance, void *state)
{
    ENTER(UNIT_ANY);
    const unit_bytes *saved = state;
    return of(unit_load(u, saved ? saved->data : NULL, saved ? saved->size : 0));
}

fmi3Status fmi3FreeFMUState(void *instance, void **state)
{
    ENTER(UNIT_ANY);
    if (state)
        unit_forget((unit_bytes **)state);
    return fmi3OK;
}

fmi3Status fmi3SerializedFMUStateSize(void *instance, void *state, size_t *size)
{
    ENTER(UNIT_ANY);
    if (!state || !size)
        return of(unit_fail(u, "%s: a pointer is NULL", __func__));
    *size = ((const unit_bytes *)state)->size;
    return fmi3OK;
}

fmi3Status fmi3SerializeFMUState(void *instance, void *state, uint8_t bytes[], size_t size)
{
    ENTER(UNIT_ANY);
    return of(unit_copy_out(u, state, bytes, size));
}

fmi3Status fmi3DeserializeFMUState(void *instance, const uint8_t bytes[], size_t size, void **state)
{
    ENTER(UNIT_ANY);
    return of(unit_copy_in(u, (unit_bytes **)state, bytes, size));
}

/* ---------------------------------------------------------------- co-simulation */

fmi3Status fmi3DoStep(void *instance, double from, double length, bool no_return, bool *event, bool *terminate,
                      bool *early, double *reached)
{
    (void)no_return;
    ENTER(UNIT_STEPPING);
    if (!event || !terminate || !early || !reached)
        return of(unit_fail(u, "%s: a pointer is NULL", __func__));
    const unit_status status = unit_step(u, from, length);
    *event = *early = false, *reached = u->time;
    *terminate = clv_sim_stopped(u->sim) >= 0;
    return of(status);
}

/* ---------------------------------------------------------------- model exchange */

fmi3Status fmi3EnterEventMode(void *instance)
{
    ENTER(UNIT_CONTINUOUS);
    u->mode = UNIT_EVENT;
    return fmi3OK;
}

fmi3Status fmi3UpdateDiscreteStates(void *instance, bool *again, bool *terminate, bool *nominals, bool *values,
                                    bool *has_next, double *next)
{
    unit_event e;
    ENTER(UNIT_EVENT);
    if (!again || !terminate || !nominals || !values || !has_next || !next)
        return of(unit_fail(u, "%s: a pointer is NULL", __func__));
    const unit_status status = unit_update(u, &e);
    *again = false, *terminate = e.stopped, *nominals = e.nominals;
    *values = e.values, *has_next = e.has_next, *next = e.has_next ? e.next : 0;
    return of(status);
}

fmi3Status fmi3EnterContinuousTimeMode(void *instance)
{
    ENTER(UNIT_EVENT);
    u->mode = UNIT_CONTINUOUS;
    return fmi3OK;
}

fmi3Status fmi3CompletedIntegratorStep(void *instance, bool no_return, bool *event, bool *terminate)
{
    (void)no_return;
    ENTER(UNIT_CONTINUOUS);
    if (!event || !terminate)
        return of(unit_fail(u, "%s: a pointer is NULL", __func__));
    *event = *terminate = false;
    return of(unit_complete(u, event));
}

fmi3Status fmi3SetTime(void *instance, double time)
{
    ENTER(UNIT_CONTINUOUS | UNIT_EVENT);
    return of(unit_set_time(u, time));
}

fmi3Status fmi3SetContinuousStates(void *instance, const double x[], size_t n)
{
    ENTER(UNIT_CONTINUOUS | UNIT_EVENT);
    return of(unit_set_states(u, x, n));
}

fmi3Status fmi3GetContinuousStateDerivatives(void *instance, double x[], size_t n)
{
    ENTER(UNIT_INITIALIZING | UNIT_CONTINUOUS | UNIT_EVENT);
    return of(unit_get_rates(u, x, n));
}

fmi3Status fmi3GetEventIndicators(void *instance, double x[], size_t n)
{
    ENTER(UNIT_INITIALIZING | UNIT_CONTINUOUS | UNIT_EVENT);
    return of(unit_get_indicators(u, x, n));
}

fmi3Status fmi3GetContinuousStates(void *instance, double x[], size_t n)
{
    ENTER(UNIT_INITIALIZING | UNIT_CONTINUOUS | UNIT_EVENT);
    const unit_status status = unit_make(u);
    return of(status == UNIT_OK ? unit_get_states(u, x, n) : status);
}

fmi3Status fmi3GetNominalsOfContinuousStates(void *instance, double x[], size_t n)
{
    ENTER(UNIT_INITIALIZING | UNIT_CONTINUOUS | UNIT_EVENT);
    return of(unit_get_nominals(u, x, n));
}

fmi3Status fmi3GetNumberOfEventIndicators(void *instance, size_t *n)
{
    ENTER(UNIT_ANY);
    if (!n)
        return of(unit_fail(u, "%s: a pointer is NULL", __func__));
    *n = (size_t)u->nindicator;
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfContinuousStates(void *instance, size_t *n)
{
    ENTER(UNIT_ANY);
    if (!n)
        return of(unit_fail(u, "%s: a pointer is NULL", __func__));
    *n = (size_t)u->nstate;
    return fmi3OK;
}

/* ---------------------------------------------------------------- derivatives */

fmi3Status fmi3GetDirectionalDerivative(void *instance, const uint32_t unknown[], size_t nunknown,
                                        const uint32_t known[], size_t nknown, const double seed[], size_t nseed,
                                        double sensitivity[], size_t nsensitivity)
{
    ENTER(UNIT_INITIALIZING | UNIT_STEPPING | UNIT_EVENT | UNIT_CONTINUOUS);
    if (nseed != nknown || nsensitivity != nunknown)
        return of(unit_fail(u, "%s: %zu seeds and %zu places do not fit %zu knowns and %zu unknowns", __func__, nseed,
                            nsensitivity, nknown, nunknown));
    return of(unit_directional(u, unknown, nunknown, known, nknown, seed, sensitivity, __func__));
}

fmi3Status fmi3GetAdjointDerivative(void *instance, const uint32_t unknown[], size_t nunknown, const uint32_t known[],
                                    size_t nknown, const double seed[], size_t nseed, double sensitivity[],
                                    size_t nsensitivity)
{
    ENTER(UNIT_INITIALIZING | UNIT_STEPPING | UNIT_EVENT | UNIT_CONTINUOUS);
    if (nseed != nunknown || nsensitivity != nknown)
        return of(unit_fail(u, "%s: %zu seeds and %zu places do not fit %zu unknowns and %zu knowns", __func__, nseed,
                            nsensitivity, nunknown, nknown));
    return of(unit_adjoint(u, unknown, nunknown, known, nknown, seed, sensitivity, __func__));
}
