/* SPDX-License-Identifier: Apache-2.0
 * FMI 2.0: its calls, translated into those of unit.h.  The importer finds these functions by name. */
#include "fmu/fmi2.h"
#include "fmu/unit.h"
#include <math.h>
#include <string.h>

/* The unit behind a handle, if it is in one of these modes. */
#define ENTER(modes)                                                                                                  \
    unit *u = instance;                                                                                              \
    if (!u || unit_expect(u, modes, __func__) != UNIT_OK)                                                            \
        return fmi2Error

static void tell(const unit *u, unit_status status, const char *category, const char *text)
{
    const fmi2CallbackFunctions *functions = u->callbacks;
    if (functions && functions->logger && (u->logging || status >= UNIT_ERROR))
        functions->logger(functions->componentEnvironment, u->name ? u->name : "", (fmi2Status)status, category, "%s",
                          text);
}

static fmi2Status of(unit_status status) { return (fmi2Status)status; }

/* ---------------------------------------------------------------- life */

const char *fmi2GetTypesPlatform(void) { return "default"; }

const char *fmi2GetVersion(void) { return "2.0"; }

fmi2Status fmi2SetDebugLogging(void *instance, int on, size_t n, const char *const category[])
{
    ENTER(UNIT_ANY);
    if (n > 0 && !category)
        return of(unit_fail(u, "%s: a pointer is NULL", __func__));
    u->logging = on;
    return fmi2OK;
}

static int hex(char c)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) % 16 : -1;
}

/* The path of a URI file:///path or file:/path with %20 and the like; any other text is a path.  false: too long. */
static bool path_of(char *path, size_t size, const char *uri)
{
    const bool is_uri = strncmp(uri, "file:", 5) == 0;
    size_t n = 0;
    if (is_uri) {
        uri += 5;
        if (strncmp(uri, "//", 2) == 0) /* //host/path; the host is this machine */
            uri += 2 + strcspn(uri + 2, "/");
    }
    for (; *uri && n + 1 < size; n++) {
        const int high = is_uri && *uri == '%' ? hex(uri[1]) : -1, low = high >= 0 ? hex(uri[2]) : -1;
        path[n] = low >= 0 ? (char)(16 * high + low) : *uri;
        uri += low >= 0 ? 3 : 1;
    }
    path[n] = 0;
    return !*uri;
}

void *fmi2Instantiate(const char *name, fmi2Type type, const char *guid, const char *resources,
                      const fmi2CallbackFunctions *functions, int visible, int logging)
{
    char folder[4096];
    (void)visible;
    const unit from = {.tell = tell, .logging = logging, .callbacks = functions,
                       .exchange = type == fmi2ModelExchange};
    if (resources && !path_of(folder, sizeof folder, resources)) {
        unit_fail(&from, "the path of the resources is too long");
        return NULL;
    }
    return unit_create(from, name, guid, resources ? folder : NULL);
}

void fmi2FreeInstance(void *instance) { unit_free(instance); }

fmi2Status fmi2SetupExperiment(void *instance, int has_tolerance, double tolerance, double start, int has_stop,
                               double stop)
{
    ENTER(UNIT_NEW);
    return of(unit_set_experiment(u, start, has_stop ? stop : NAN, has_tolerance ? tolerance : NAN));
}

fmi2Status fmi2EnterInitializationMode(void *instance)
{
    ENTER(UNIT_NEW);
    return of(unit_begin_initialization(u));
}

fmi2Status fmi2ExitInitializationMode(void *instance)
{
    ENTER(UNIT_INITIALIZING);
    return of(unit_end_initialization(u));
}

fmi2Status fmi2Terminate(void *instance)
{
    ENTER(UNIT_STEPPING | UNIT_FAILED | UNIT_EVENT | UNIT_CONTINUOUS);
    u->mode = UNIT_ENDED;
    return fmi2OK;
}

fmi2Status fmi2Reset(void *instance)
{
    ENTER(UNIT_ANY);
    return of(unit_reset(u));
}

/* ---------------------------------------------------------------- values */

fmi2Status fmi2GetReal(void *instance, const unsigned reference[], size_t n, double value[])
{
    ENTER(UNIT_ANY);
    return of(unit_get(u, reference, n, value, __func__));
}

fmi2Status fmi2SetReal(void *instance, const unsigned reference[], size_t n, const double value[])
{
    ENTER(UNIT_ANY);
    return of(unit_set(u, reference, n, value, __func__));
}

static fmi2Status no_such(const unit *u, size_t n, const char *function)
{
    return n == 0 ? fmi2OK : of(unit_refuse(u, function, "all variables of this unit are Real"));
}

fmi2Status fmi2GetInteger(void *instance, const unsigned reference[], size_t n, int value[])
{
    (void)reference, (void)value;
    ENTER(UNIT_ANY);
    return no_such(u, n, __func__);
}

fmi2Status fmi2SetInteger(void *instance, const unsigned reference[], size_t n, const int value[])
{
    (void)reference, (void)value;
    ENTER(UNIT_ANY);
    return no_such(u, n, __func__);
}

fmi2Status fmi2GetBoolean(void *instance, const unsigned reference[], size_t n, int value[])
{
    (void)reference, (void)value;
    ENTER(UNIT_ANY);
    return no_such(u, n, __func__);
}

fmi2Status fmi2SetBoolean(void *instance, const unsigned reference[], size_t n, const int value[])
{
    (void)reference, (void)value;
    ENTER(UNIT_ANY);
    return no_such(u, n, __func__);
}

fmi2Status fmi2GetString(void *instance, const unsigned reference[], size_t n, const char *value[])
{
    (void)reference, (void)value;
    ENTER(UNIT_ANY);
    return no_such(u, n, __func__);
}

fmi2Status fmi2SetString(void *instance, const unsigned reference[], size_t n, const char *const value[])
{
    (void)reference, (void)value;
    ENTER(UNIT_ANY);
    return no_such(u, n, __func__);
}

/* ---------------------------------------------------------------- saved states */

fmi2Status fmi2GetFMUstate(void *instance, void **state)
{
    ENTER(UNIT_ANY);
    return of(state ? unit_save(u, (unit_bytes **)state) : unit_fail(u, "%s: a pointer is NULL", __func__));
}

fmi2Status fmi2SetFMUstate(void *instance, void *state)
{
    ENTER(UNIT_ANY);
    const unit_bytes *saved = state;
    return of(unit_load(u, saved ? saved->data : NULL, saved ? saved->size : 0));
}

fmi2Status fmi2FreeFMUstate(void *instance, void **state)
{
    ENTER(UNIT_ANY);
    if (state)
        unit_forget((unit_bytes **)state);
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(void *instance, void *state, size_t *size)
{
    ENTER(UNIT_ANY);
    if (!state || !size)
        return of(unit_fail(u, "%s: a pointer is NULL", __func__));
    *size = ((const unit_bytes *)state)->size;
    return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(void *instance, void *state, char bytes[], size_t size)
{
    ENTER(UNIT_ANY);
    return of(unit_copy_out(u, state, (unsigned char *)bytes, size));
}

fmi2Status fmi2DeSerializeFMUstate(void *instance, const char bytes[], size_t size, void **state)
{
    ENTER(UNIT_ANY);
    return of(unit_copy_in(u, (unit_bytes **)state, (const unsigned char *)bytes, size));
}

/* ---------------------------------------------------------------- derivatives */

fmi2Status fmi2GetDirectionalDerivative(void *instance, const unsigned unknown[], size_t nunknown,
                                        const unsigned known[], size_t nknown, const double seed[],
                                        double sensitivity[])
{
    ENTER(UNIT_INITIALIZING | UNIT_STEPPING | UNIT_EVENT | UNIT_CONTINUOUS);
    return of(unit_directional(u, unknown, nunknown, known, nknown, seed, sensitivity, __func__));
}

fmi2Status fmi2SetRealInputDerivatives(void *instance, const unsigned reference[], size_t n, const int order[],
                                       const double value[])
{
    (void)reference, (void)n, (void)order, (void)value;
    ENTER(UNIT_ANY);
    return n == 0 ? fmi2OK : of(unit_refuse(u, __func__, "inputs are constant in a step"));
}

fmi2Status fmi2GetRealOutputDerivatives(void *instance, const unsigned reference[], size_t n, const int order[],
                                        double value[])
{
    (void)reference, (void)n, (void)order, (void)value;
    ENTER(UNIT_ANY);
    return n == 0 ? fmi2OK : of(unit_refuse(u, __func__, "the unit gives no derivatives with respect to time"));
}

/* ---------------------------------------------------------------- co-simulation */

fmi2Status fmi2DoStep(void *instance, double from, double length, int no_return)
{
    (void)no_return;
    ENTER(UNIT_STEPPING);
    return of(unit_step(u, from, length));
}

fmi2Status fmi2CancelStep(void *instance)
{
    ENTER(UNIT_ANY);
    return of(unit_refuse(u, __func__, "a step ends before its call returns"));
}

fmi2Status fmi2GetStatus(void *instance, fmi2StatusKind kind, fmi2Status *value)
{
    ENTER(UNIT_ANY);
    if (kind != fmi2DoStepStatus || !value)
        return fmi2Discard;
    *value = u->mode == UNIT_FAILED ? fmi2Error : fmi2OK;
    return fmi2OK;
}

fmi2Status fmi2GetRealStatus(void *instance, fmi2StatusKind kind, double *value)
{
    ENTER(UNIT_ANY);
    if (kind != fmi2LastSuccessfulTime || !value)
        return fmi2Discard;
    *value = u->time;
    return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(void *instance, fmi2StatusKind kind, int *value)
{
    (void)kind, (void)value;
    ENTER(UNIT_ANY);
    return fmi2Discard;
}

fmi2Status fmi2GetBooleanStatus(void *instance, fmi2StatusKind kind, int *value)
{
    ENTER(UNIT_ANY);
    if (kind != fmi2Terminated || !value)
        return fmi2Discard;
    *value = clv_sim_stopped(u->sim) >= 0;
    return fmi2OK;
}

fmi2Status fmi2GetStringStatus(void *instance, fmi2StatusKind kind, const char **value)
{
    (void)kind, (void)value;
    ENTER(UNIT_ANY);
    return fmi2Discard;
}

/* ---------------------------------------------------------------- model exchange */

fmi2Status fmi2EnterEventMode(void *instance)
{
    ENTER(UNIT_CONTINUOUS | UNIT_EVENT);
    u->mode = UNIT_EVENT;
    return fmi2OK;
}

fmi2Status fmi2NewDiscreteStates(void *instance, fmi2EventInfo *info)
{
    unit_event e;
    ENTER(UNIT_EVENT);
    if (!info)
        return of(unit_fail(u, "%s: a pointer is NULL", __func__));
    const unit_status status = unit_update(u, &e);
    *info = (fmi2EventInfo){.terminateSimulation = e.stopped, .nominalsOfContinuousStatesChanged = e.nominals,
                            .valuesOfContinuousStatesChanged = e.values, .nextEventTimeDefined = e.has_next,
                            .nextEventTime = e.has_next ? e.next : 0};
    return of(status);
}

fmi2Status fmi2EnterContinuousTimeMode(void *instance)
{
    ENTER(UNIT_EVENT);
    u->mode = UNIT_CONTINUOUS;
    return fmi2OK;
}

fmi2Status fmi2CompletedIntegratorStep(void *instance, int no_return, int *event, int *terminate)
{
    bool due = false;
    (void)no_return;
    ENTER(UNIT_CONTINUOUS);
    if (!event || !terminate)
        return of(unit_fail(u, "%s: a pointer is NULL", __func__));
    const unit_status status = unit_complete(u, &due);
    *event = due, *terminate = 0;
    return of(status);
}

fmi2Status fmi2SetTime(void *instance, double time)
{
    ENTER(UNIT_CONTINUOUS | UNIT_EVENT);
    return of(unit_set_time(u, time));
}

fmi2Status fmi2SetContinuousStates(void *instance, const double x[], size_t n)
{
    ENTER(UNIT_CONTINUOUS | UNIT_EVENT);
    return of(unit_set_states(u, x, n));
}

fmi2Status fmi2GetDerivatives(void *instance, double x[], size_t n)
{
    ENTER(UNIT_INITIALIZING | UNIT_CONTINUOUS | UNIT_EVENT);
    return of(unit_get_rates(u, x, n));
}

fmi2Status fmi2GetEventIndicators(void *instance, double x[], size_t n)
{
    ENTER(UNIT_INITIALIZING | UNIT_CONTINUOUS | UNIT_EVENT);
    return of(unit_get_indicators(u, x, n));
}

fmi2Status fmi2GetContinuousStates(void *instance, double x[], size_t n)
{
    ENTER(UNIT_INITIALIZING | UNIT_CONTINUOUS | UNIT_EVENT);
    const unit_status status = unit_make(u);
    return of(status == UNIT_OK ? unit_get_states(u, x, n) : status);
}

fmi2Status fmi2GetNominalsOfContinuousStates(void *instance, double x[], size_t n)
{
    ENTER(UNIT_NEW | UNIT_INITIALIZING | UNIT_CONTINUOUS | UNIT_EVENT);
    return of(unit_get_nominals(u, x, n));
}
