/* SPDX-License-Identifier: Apache-2.0
 * The interface of FMI 2.0, declared after the text of the standard (Functional Mock-up Interface 2.0.4, sections 2.1,
 * 3.2, 4.2). */
#ifndef CLV_FMU_FMI2_H
#define CLV_FMU_FMI2_H
#include <stddef.h>

#define FMI2_CALL __attribute__((visibility("default")))

typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;

/* Functions of the importer; the unit uses its own memory. */
typedef struct fmi2CallbackFunctions {
    void (*logger)(void *environment, const char *name, fmi2Status status, const char *category, const char *message,
                   ...);
    void *(*allocateMemory)(size_t count, size_t size);
    void (*freeMemory)(void *block);
    void (*stepFinished)(void *environment, fmi2Status status);
    void *componentEnvironment;
} fmi2CallbackFunctions;

/* What an update at an event has found. */
typedef struct fmi2EventInfo {
    int newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged,
        valuesOfContinuousStatesChanged, nextEventTimeDefined;
    double nextEventTime;
} fmi2EventInfo;

FMI2_CALL const char *fmi2GetTypesPlatform(void);
FMI2_CALL const char *fmi2GetVersion(void);
FMI2_CALL fmi2Status fmi2SetDebugLogging(void *instance, int on, size_t n, const char *const category[]);
FMI2_CALL void *fmi2Instantiate(const char *name, fmi2Type type, const char *guid, const char *resources,
                                const fmi2CallbackFunctions *functions, int visible, int logging);
FMI2_CALL void fmi2FreeInstance(void *instance);
FMI2_CALL fmi2Status fmi2SetupExperiment(void *instance, int has_tolerance, double tolerance, double start,
                                         int has_stop, double stop);
FMI2_CALL fmi2Status fmi2EnterInitializationMode(void *instance);
FMI2_CALL fmi2Status fmi2ExitInitializationMode(void *instance);
FMI2_CALL fmi2Status fmi2Terminate(void *instance);
FMI2_CALL fmi2Status fmi2Reset(void *instance);
FMI2_CALL fmi2Status fmi2GetReal(void *instance, const unsigned reference[], size_t n, double value[]);
FMI2_CALL fmi2Status fmi2SetReal(void *instance, const unsigned reference[], size_t n, const double value[]);
FMI2_CALL fmi2Status fmi2GetInteger(void *instance, const unsigned reference[], size_t n, int value[]);
FMI2_CALL fmi2Status fmi2SetInteger(void *instance, const unsigned reference[], size_t n, const int value[]);
FMI2_CALL fmi2Status fmi2GetBoolean(void *instance, const unsigned reference[], size_t n, int value[]);
FMI2_CALL fmi2Status fmi2SetBoolean(void *instance, const unsigned reference[], size_t n, const int value[]);
FMI2_CALL fmi2Status fmi2GetString(void *instance, const unsigned reference[], size_t n, const char *value[]);
FMI2_CALL fmi2Status fmi2SetString(void *instance, const unsigned reference[], size_t n, const char *const value[]);
FMI2_CALL fmi2Status fmi2GetFMUstate(void *instance, void **state);
FMI2_CALL fmi2Status fmi2SetFMUstate(void *instance, void *state);
FMI2_CALL fmi2Status fmi2FreeFMUstate(void *instance, void **state);
FMI2_CALL fmi2Status fmi2SerializedFMUstateSize(void *instance, void *state, size_t *size);
FMI2_CALL fmi2Status fmi2SerializeFMUstate(void *instance, void *state, char bytes[], size_t size);
FMI2_CALL fmi2Status fmi2DeSerializeFMUstate(void *instance, const char bytes[], size_t size, void **state);
FMI2_CALL fmi2Status fmi2GetDirectionalDerivative(void *instance, const unsigned unknown[], size_t nunknown,
                                                  const unsigned known[], size_t nknown, const double seed[],
                                                  double sensitivity[]);
FMI2_CALL fmi2Status fmi2SetRealInputDerivatives(void *instance, const unsigned reference[], size_t n,
                                                 const int order[], const double value[]);
FMI2_CALL fmi2Status fmi2GetRealOutputDerivatives(void *instance, const unsigned reference[], size_t n,
                                                  const int order[], double value[]);
FMI2_CALL fmi2Status fmi2EnterEventMode(void *instance);
FMI2_CALL fmi2Status fmi2NewDiscreteStates(void *instance, fmi2EventInfo *info);
FMI2_CALL fmi2Status fmi2EnterContinuousTimeMode(void *instance);
FMI2_CALL fmi2Status fmi2CompletedIntegratorStep(void *instance, int no_return, int *event, int *terminate);
FMI2_CALL fmi2Status fmi2SetTime(void *instance, double time);
FMI2_CALL fmi2Status fmi2SetContinuousStates(void *instance, const double x[], size_t n);
FMI2_CALL fmi2Status fmi2GetDerivatives(void *instance, double x[], size_t n);
FMI2_CALL fmi2Status fmi2GetEventIndicators(void *instance, double x[], size_t n);
FMI2_CALL fmi2Status fmi2GetContinuousStates(void *instance, double x[], size_t n);
FMI2_CALL fmi2Status fmi2GetNominalsOfContinuousStates(void *instance, double x[], size_t n);
FMI2_CALL fmi2Status fmi2DoStep(void *instance, double from, double length, int no_return);
FMI2_CALL fmi2Status fmi2CancelStep(void *instance);
FMI2_CALL fmi2Status fmi2GetStatus(void *instance, fmi2StatusKind kind, fmi2Status *value);
FMI2_CALL fmi2Status fmi2GetRealStatus(void *instance, fmi2StatusKind kind, double *value);
FMI2_CALL fmi2Status fmi2GetIntegerStatus(void *instance, fmi2StatusKind kind, int *value);
FMI2_CALL fmi2Status fmi2GetBooleanStatus(void *instance, fmi2StatusKind kind, int *value);
FMI2_CALL fmi2Status fmi2GetStringStatus(void *instance, fmi2StatusKind kind, const char **value);

#endif
