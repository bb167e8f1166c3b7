/* SPDX-License-Identifier: Apache-2.0
 * The interface of FMI 3.0, declared after the text of the standard (Functional Mock-up Interface 3.0.1, sections 2.2,
 * 3.2, 4.2).  What the unit has nothing of (clocks, other types than numbers, scheduled execution) is in
 * fmi3_absent.c. */
#ifndef CLV_FMU_FMI3_H
#define CLV_FMU_FMI3_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FMI3_CALL __attribute__((visibility("default")))

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;

typedef void fmi3LogMessage(void *environment, fmi3Status status, const char *category, const char *message);
typedef void fmi3IntermediateUpdate(void *environment, double time, bool set, bool get, bool step, bool early,
                                    bool *request, double *early_time);
typedef void fmi3ClockUpdate(void *environment);
typedef void fmi3Preemption(void);

FMI3_CALL const char *fmi3GetVersion(void);
FMI3_CALL fmi3Status fmi3SetDebugLogging(void *instance, bool on, size_t n, const char *const category[]);
FMI3_CALL void *fmi3InstantiateModelExchange(const char *name, const char *token, const char *resources, bool visible,
                                             bool logging, void *environment, fmi3LogMessage *log);
FMI3_CALL void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources, bool visible,
                                            bool logging, bool event_mode, bool early_return,
                                            const uint32_t required[], size_t nrequired, void *environment,
                                            fmi3LogMessage *log, fmi3IntermediateUpdate *update);
FMI3_CALL void fmi3FreeInstance(void *instance);
FMI3_CALL fmi3Status fmi3EnterInitializationMode(void *instance, bool has_tolerance, double tolerance, double start,
                                                 bool has_stop, double stop);
FMI3_CALL fmi3Status fmi3ExitInitializationMode(void *instance);
FMI3_CALL fmi3Status fmi3Terminate(void *instance);
FMI3_CALL fmi3Status fmi3Reset(void *instance);
FMI3_CALL fmi3Status fmi3GetFloat64(void *instance, const uint32_t reference[], size_t nreference, double value[],
                                    size_t nvalue);
FMI3_CALL fmi3Status fmi3SetFloat64(void *instance, const uint32_t reference[], size_t nreference,
                                    const double value[], size_t nvalue);
FMI3_CALL fmi3Status fmi3GetFMUState(void *instance, void **state);
FMI3_CALL fmi3Status fmi3SetFMUState(void *instance, void *state);
FMI3_CALL fmi3Status fmi3FreeFMUState(void *instance, void **state);
FMI3_CALL fmi3Status fmi3SerializedFMUStateSize(void *instance, void *state, size_t *size);
FMI3_CALL fmi3Status fmi3SerializeFMUState(void *instance, void *state, uint8_t bytes[], size_t size);
FMI3_CALL fmi3Status fmi3DeserializeFMUState(void *instance, const uint8_t bytes[], size_t size, void **state);
FMI3_CALL fmi3Status fmi3EnterEventMode(void *instance);
FMI3_CALL fmi3Status fmi3UpdateDiscreteStates(void *instance, bool *again, bool *terminate, bool *nominals,
                                              bool *values, bool *has_next, double *next);
FMI3_CALL fmi3Status fmi3EnterContinuousTimeMode(void *instance);
FMI3_CALL fmi3Status fmi3CompletedIntegratorStep(void *instance, bool no_return, bool *event, bool *terminate);
FMI3_CALL fmi3Status fmi3SetTime(void *instance, double time);
FMI3_CALL fmi3Status fmi3SetContinuousStates(void *instance, const double x[], size_t n);
FMI3_CALL fmi3Status fmi3GetContinuousStateDerivatives(void *instance, double x[], size_t n);
FMI3_CALL fmi3Status fmi3GetEventIndicators(void *instance, double x[], size_t n);
FMI3_CALL fmi3Status fmi3GetContinuousStates(void *instance, double x[], size_t n);
FMI3_CALL fmi3Status fmi3GetNominalsOfContinuousStates(void *instance, double x[], size_t n);
FMI3_CALL fmi3Status fmi3GetNumberOfEventIndicators(void *instance, size_t *n);
FMI3_CALL fmi3Status fmi3GetNumberOfContinuousStates(void *instance, size_t *n);
FMI3_CALL fmi3Status fmi3DoStep(void *instance, double from, double length, bool no_return, bool *event,
                                bool *terminate, bool *early, double *reached);

FMI3_CALL fmi3Status fmi3GetDirectionalDerivative(void *instance, const uint32_t unknown[], size_t nunknown,
                                                  const uint32_t known[], size_t nknown, const double seed[],
                                                  size_t nseed, double sensitivity[], size_t nsensitivity);
FMI3_CALL fmi3Status fmi3GetAdjointDerivative(void *instance, const uint32_t unknown[], size_t nunknown,
                                              const uint32_t known[], size_t nknown, const double seed[],
                                              size_t nseed, double sensitivity[], size_t nsensitivity);

#endif
