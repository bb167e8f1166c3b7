/* SPDX-License-Identifier: Apache-2.0
 * Model exchange by FMI 2.0 and 3.0: units are for co-simulation, and say so. */
#include "fmu/fmi2.h"
#include "fmu/fmi3.h"
#include "fmu/unit.h"

#define WHY "the unit is for co-simulation, not for model exchange"

static fmi3Status refuse3(const unit *u, const char *function)
{
    if (u)
        unit_refuse(u, function, WHY);
    return fmi3Error;
}

static fmi2Status refuse2(const unit *u, const char *function)
{
    if (u)
        unit_refuse(u, function, WHY);
    return fmi2Error;
}

FMI3_CALL fmi3Status fmi3EnterEventMode(void *instance);
fmi3Status fmi3EnterEventMode(void *instance)
{
    return refuse3(instance, __func__);
}

FMI3_CALL fmi3Status fmi3UpdateDiscreteStates(void *instance, bool *again, bool *terminate, bool *nominals,
                                              bool *values, bool *has_time, double *time);
fmi3Status fmi3UpdateDiscreteStates(void *instance, bool *again, bool *terminate, bool *nominals,
                                    bool *values, bool *has_time, double *time)
{
    (void)again, (void)terminate, (void)nominals, (void)values, (void)has_time, (void)time;
    return refuse3(instance, __func__);
}

FMI3_CALL fmi3Status fmi3EnterContinuousTimeMode(void *instance);
fmi3Status fmi3EnterContinuousTimeMode(void *instance)
{
    return refuse3(instance, __func__);
}

FMI3_CALL fmi3Status fmi3CompletedIntegratorStep(void *instance, bool no_return, bool *event,
                                                 bool *terminate);
fmi3Status fmi3CompletedIntegratorStep(void *instance, bool no_return, bool *event, bool *terminate)
{
    (void)no_return, (void)event, (void)terminate;
    return refuse3(instance, __func__);
}

FMI3_CALL fmi3Status fmi3SetTime(void *instance, double time);
fmi3Status fmi3SetTime(void *instance, double time)
{
    (void)time;
    return refuse3(instance, __func__);
}

FMI3_CALL fmi3Status fmi3SetContinuousStates(void *instance, const double x[], size_t n);
fmi3Status fmi3SetContinuousStates(void *instance, const double x[], size_t n)
{
    (void)x, (void)n;
    return refuse3(instance, __func__);
}

FMI3_CALL fmi3Status fmi3GetContinuousStateDerivatives(void *instance, double x[], size_t n);
fmi3Status fmi3GetContinuousStateDerivatives(void *instance, double x[], size_t n)
{
    (void)x, (void)n;
    return refuse3(instance, __func__);
}

FMI3_CALL fmi3Status fmi3GetEventIndicators(void *instance, double x[], size_t n);
fmi3Status fmi3GetEventIndicators(void *instance, double x[], size_t n)
{
    (void)x, (void)n;
    return refuse3(instance, __func__);
}

FMI3_CALL fmi3Status fmi3GetContinuousStates(void *instance, double x[], size_t n);
fmi3Status fmi3GetContinuousStates(void *instance, double x[], size_t n)
{
    (void)x, (void)n;
    return refuse3(instance, __func__);
}

FMI3_CALL fmi3Status fmi3GetNominalsOfContinuousStates(void *instance, double x[], size_t n);
fmi3Status fmi3GetNominalsOfContinuousStates(void *instance, double x[], size_t n)
{
    (void)x, (void)n;
    return refuse3(instance, __func__);
}

FMI3_CALL fmi3Status fmi3GetNumberOfEventIndicators(void *instance, size_t *n);
fmi3Status fmi3GetNumberOfEventIndicators(void *instance, size_t *n)
{
    (void)n;
    return refuse3(instance, __func__);
}

FMI3_CALL fmi3Status fmi3GetNumberOfContinuousStates(void *instance, size_t *n);
fmi3Status fmi3GetNumberOfContinuousStates(void *instance, size_t *n)
{
    (void)n;
    return refuse3(instance, __func__);
}

FMI2_CALL fmi2Status fmi2EnterEventMode(void *instance);
fmi2Status fmi2EnterEventMode(void *instance)
{
    return refuse2(instance, __func__);
}

FMI2_CALL fmi2Status fmi2NewDiscreteStates(void *instance, void *info);
fmi2Status fmi2NewDiscreteStates(void *instance, void *info)
{
    (void)info;
    return refuse2(instance, __func__);
}

FMI2_CALL fmi2Status fmi2EnterContinuousTimeMode(void *instance);
fmi2Status fmi2EnterContinuousTimeMode(void *instance)
{
    return refuse2(instance, __func__);
}

FMI2_CALL fmi2Status fmi2CompletedIntegratorStep(void *instance, int no_return, int *event, int *terminate);
fmi2Status fmi2CompletedIntegratorStep(void *instance, int no_return, int *event, int *terminate)
{
    (void)no_return, (void)event, (void)terminate;
    return refuse2(instance, __func__);
}

FMI2_CALL fmi2Status fmi2SetTime(void *instance, double time);
fmi2Status fmi2SetTime(void *instance, double time)
{
    (void)time;
    return refuse2(instance, __func__);
}

FMI2_CALL fmi2Status fmi2SetContinuousStates(void *instance, const double x[], size_t n);
fmi2Status fmi2SetContinuousStates(void *instance, const double x[], size_t n)
{
    (void)x, (void)n;
    return refuse2(instance, __func__);
}

FMI2_CALL fmi2Status fmi2GetDerivatives(void *instance, double x[], size_t n);
fmi2Status fmi2GetDerivatives(void *instance, double x[], size_t n)
{
    (void)x, (void)n;
    return refuse2(instance, __func__);
}

FMI2_CALL fmi2Status fmi2GetEventIndicators(void *instance, double x[], size_t n);
fmi2Status fmi2GetEventIndicators(void *instance, double x[], size_t n)
{
    (void)x, (void)n;
    return refuse2(instance, __func__);
}

FMI2_CALL fmi2Status fmi2GetContinuousStates(void *instance, double x[], size_t n);
fmi2Status fmi2GetContinuousStates(void *instance, double x[], size_t n)
{
    (void)x, (void)n;
    return refuse2(instance, __func__);
}

FMI2_CALL fmi2Status fmi2GetNominalsOfContinuousStates(void *instance, double x[], size_t n);
fmi2Status fmi2GetNominalsOfContinuousStates(void *instance, double x[], size_t n)
{
    (void)x, (void)n;
    return refuse2(instance, __func__);
}
