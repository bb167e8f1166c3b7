/* SPDX-License-Identifier: Apache-2.0
 * Instances of units as an importer of FMI 3.0 sees them: functions found by name, a journal of messages.  Include
 * behind cmocka.h. */
#ifndef CLV_TESTS_FMU_INSTANCE_H
#define CLV_TESTS_FMU_INSTANCE_H
#include "fmu/fmi3.h"
#include "tests/fmu/unpack.h"
#include <math.h>

typedef struct calls {
    void *(*create)(const char *, const char *, const char *, bool, bool, bool, bool, const uint32_t *, size_t, void *,
                    fmi3LogMessage *, fmi3IntermediateUpdate *);
    void (*drop)(void *);
    fmi3Status (*enter)(void *, bool, double, double, bool, double);
    fmi3Status (*leave)(void *);
    fmi3Status (*end)(void *);
    fmi3Status (*reset)(void *);
    fmi3Status (*get)(void *, const uint32_t *, size_t, double *, size_t);
    fmi3Status (*set)(void *, const uint32_t *, size_t, const double *, size_t);
    fmi3Status (*step)(void *, double, double, bool, bool *, bool *, bool *, double *);
    void *(*create_exchange)(const char *, const char *, const char *, bool, bool, void *, fmi3LogMessage *);
    fmi3Status (*event)(void *);
    fmi3Status (*update)(void *, bool *, bool *, bool *, bool *, bool *, double *);
    fmi3Status (*go_on)(void *);
    fmi3Status (*complete)(void *, bool, bool *, bool *);
    fmi3Status (*time)(void *, double);
    fmi3Status (*put)(void *, const double *, size_t);
    fmi3Status (*rates)(void *, double *, size_t);
    fmi3Status (*states)(void *, double *, size_t);
    fmi3Status (*nominals)(void *, double *, size_t);
    fmi3Status (*count)(void *, size_t *);
    fmi3Status (*indicators)(void *, double *, size_t);
    fmi3Status (*count_indicators)(void *, size_t *);
    fmi3Status (*save)(void *, void **);
    fmi3Status (*load)(void *, void *);
    fmi3Status (*forget)(void *, void **);
    fmi3Status (*size)(void *, void *, size_t *);
    fmi3Status (*write)(void *, void *, uint8_t *, size_t);
    fmi3Status (*read)(void *, const uint8_t *, size_t, void **);
} calls;

static inline void find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    if (!found)
        print_message("there is no %s\n", name);
    assert_non_null(found);
    memcpy(function, &found, sizeof found);
}

static inline calls calls_of(void *library)
{
    calls c;
    find(library, "fmi3InstantiateCoSimulation", &c.create), find(library, "fmi3FreeInstance", &c.drop);
    find(library, "fmi3EnterInitializationMode", &c.enter), find(library, "fmi3ExitInitializationMode", &c.leave);
    find(library, "fmi3Terminate", &c.end), find(library, "fmi3Reset", &c.reset);
    find(library, "fmi3GetFloat64", &c.get), find(library, "fmi3SetFloat64", &c.set);
    find(library, "fmi3DoStep", &c.step), find(library, "fmi3GetFMUState", &c.save);
    find(library, "fmi3SetFMUState", &c.load), find(library, "fmi3FreeFMUState", &c.forget);
    find(library, "fmi3SerializedFMUStateSize", &c.size), find(library, "fmi3SerializeFMUState", &c.write);
    find(library, "fmi3DeserializeFMUState", &c.read);
    find(library, "fmi3InstantiateModelExchange", &c.create_exchange), find(library, "fmi3EnterEventMode", &c.event);
    find(library, "fmi3UpdateDiscreteStates", &c.update), find(library, "fmi3EnterContinuousTimeMode", &c.go_on);
    find(library, "fmi3CompletedIntegratorStep", &c.complete), find(library, "fmi3SetTime", &c.time);
    find(library, "fmi3SetContinuousStates", &c.put), find(library, "fmi3GetContinuousStates", &c.states);
    find(library, "fmi3GetContinuousStateDerivatives", &c.rates);
    find(library, "fmi3GetNominalsOfContinuousStates", &c.nominals);
    find(library, "fmi3GetNumberOfContinuousStates", &c.count);
    find(library, "fmi3GetEventIndicators", &c.indicators);
    find(library, "fmi3GetNumberOfEventIndicators", &c.count_indicators);
    return c;
}

typedef struct journal {
    char text[2000];
    int count;
} journal;

static inline void note(void *environment, fmi3Status status, const char *category, const char *message)
{
    journal *j = environment;
    assert_int_equal(status, fmi3Error);
    assert_string_equal(category, "logStatusError");
    snprintf(j->text, sizeof j->text, "%s", message);
    j->count++;
}

typedef struct fixture {
    unpacked unit;
    calls c;
    journal said;
    void *u;
} fixture;

static inline void *create(fixture *f, const char *token)
{
    return f->c.create("one", token, f->unit.resources, false, false, false, false, NULL, 0, &f->said, note, NULL);
}

static inline double get(fixture *f, void *u, uint32_t reference)
{
    double x = NAN;
    assert_int_equal(f->c.get(u, &reference, 1, &x, 1), fmi3OK);
    return x;
}

static inline fmi3Status set(fixture *f, void *u, uint32_t reference, double x)
{
    return f->c.set(u, &reference, 1, &x, 1);
}

static inline void begin(fixture *f, void *u)
{
    assert_int_equal(f->c.enter(u, false, 0, 0, false, 0), fmi3OK);
    assert_int_equal(f->c.leave(u), fmi3OK);
}

static inline fmi3Status step(fixture *f, void *u, double from, double length)
{
    bool event, terminate, early;
    double reached = NAN;
    const fmi3Status status = f->c.step(u, from, length, true, &event, &terminate, &early, &reached);
    if (status == fmi3OK) {
        assert_false(event || terminate || early);
        assert_true(reached == from + length);
    }
    return status;
}

#endif
