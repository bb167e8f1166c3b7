/* SPDX-License-Identifier: Apache-2.0
 * FMI 3.0: functions that importers look for and the unit has nothing of: variables of other types, clocks, structural
 * parameters, scheduled execution, derivatives.  Reading no variables succeeds, all else is refused by name. */
#include "fmu/fmi3.h"
#include "fmu/unit.h"

static fmi3Status refuse(const unit *u, const char *function, const char *why)
{
    if (u)
        unit_refuse(u, function, why);
    return fmi3Error;
}

static fmi3Status nothing(const unit *u, const char *function, size_t n, const char *why)
{
    return u && n == 0 ? fmi3OK : refuse(u, function, why);
}

/* ---------------------------------------------------------------- other types */

#define NO_TYPE "all variables of this unit are Float64"
#define ABSENT(type, ctype)                                                                                          \
    FMI3_CALL fmi3Status fmi3Get##type(void *instance, const uint32_t reference[], size_t n, ctype value[],         \
                                       size_t nvalue);                                                               \
    fmi3Status fmi3Get##type(void *instance, const uint32_t reference[], size_t n, ctype value[], size_t nvalue)    \
    {                                                                                                                \
        (void)reference, (void)value, (void)nvalue;                                                                  \
        return nothing(instance, __func__, n, NO_TYPE);                                                              \
    }                                                                                                                \
    FMI3_CALL fmi3Status fmi3Set##type(void *instance, const uint32_t reference[], size_t n, const ctype value[],   \
                                       size_t nvalue);                                                               \
    fmi3Status fmi3Set##type(void *instance, const uint32_t reference[], size_t n, const ctype value[],             \
                             size_t nvalue)                                                                          \
    {                                                                                                                \
        (void)reference, (void)value, (void)nvalue;                                                                  \
        return nothing(instance, __func__, n, NO_TYPE);                                                              \
    }

typedef const char *text;
/* NOLINTBEGIN(bugprone-macro-parentheses) */
ABSENT(Float32, float)
ABSENT(Int8, int8_t)
ABSENT(UInt8, uint8_t)
ABSENT(Int16, int16_t)
ABSENT(UInt16, uint16_t)
ABSENT(Int32, int32_t)
ABSENT(UInt32, uint32_t)
ABSENT(Int64, int64_t)
ABSENT(UInt64, uint64_t)
ABSENT(Boolean, bool)
ABSENT(String, text)
/* NOLINTEND(bugprone-macro-parentheses) */

FMI3_CALL fmi3Status fmi3GetBinary(void *instance, const uint32_t reference[], size_t n, size_t size[],
                                   const uint8_t *value[], size_t nvalue);
fmi3Status fmi3GetBinary(void *instance, const uint32_t reference[], size_t n, size_t size[], const uint8_t *value[],
                         size_t nvalue)
{
    (void)reference, (void)size, (void)value, (void)nvalue;
    return nothing(instance, __func__, n, NO_TYPE);
}

FMI3_CALL fmi3Status fmi3SetBinary(void *instance, const uint32_t reference[], size_t n, const size_t size[],
                                   const uint8_t *const value[], size_t nvalue);
fmi3Status fmi3SetBinary(void *instance, const uint32_t reference[], size_t n, const size_t size[],
                         const uint8_t *const value[], size_t nvalue)
{
    (void)reference, (void)size, (void)value, (void)nvalue;
    return nothing(instance, __func__, n, NO_TYPE);
}

/* ---------------------------------------------------------------- clocks */

#define NO_CLOCK "this unit has no clocks"

FMI3_CALL fmi3Status fmi3GetClock(void *instance, const uint32_t reference[], size_t n, bool value[]);
fmi3Status fmi3GetClock(void *instance, const uint32_t reference[], size_t n, bool value[])
{
    (void)reference, (void)value;
    return nothing(instance, __func__, n, NO_CLOCK);
}

FMI3_CALL fmi3Status fmi3SetClock(void *instance, const uint32_t reference[], size_t n, const bool value[]);
fmi3Status fmi3SetClock(void *instance, const uint32_t reference[], size_t n, const bool value[])
{
    (void)reference, (void)value;
    return nothing(instance, __func__, n, NO_CLOCK);
}

FMI3_CALL fmi3Status fmi3GetIntervalDecimal(void *instance, const uint32_t reference[], size_t n, double interval[],
                                            int qualifier[]);
fmi3Status fmi3GetIntervalDecimal(void *instance, const uint32_t reference[], size_t n, double interval[],
                                  int qualifier[])
{
    (void)reference, (void)interval, (void)qualifier;
    return nothing(instance, __func__, n, NO_CLOCK);
}

FMI3_CALL fmi3Status fmi3GetIntervalFraction(void *instance, const uint32_t reference[], size_t n, uint64_t count[],
                                             uint64_t resolution[], int qualifier[]);
fmi3Status fmi3GetIntervalFraction(void *instance, const uint32_t reference[], size_t n, uint64_t count[],
                                   uint64_t resolution[], int qualifier[])
{
    (void)reference, (void)count, (void)resolution, (void)qualifier;
    return nothing(instance, __func__, n, NO_CLOCK);
}

FMI3_CALL fmi3Status fmi3GetShiftDecimal(void *instance, const uint32_t reference[], size_t n, double shift[]);
fmi3Status fmi3GetShiftDecimal(void *instance, const uint32_t reference[], size_t n, double shift[])
{
    (void)reference, (void)shift;
    return nothing(instance, __func__, n, NO_CLOCK);
}

FMI3_CALL fmi3Status fmi3GetShiftFraction(void *instance, const uint32_t reference[], size_t n, uint64_t count[],
                                          uint64_t resolution[]);
fmi3Status fmi3GetShiftFraction(void *instance, const uint32_t reference[], size_t n, uint64_t count[],
                                uint64_t resolution[])
{
    (void)reference, (void)count, (void)resolution;
    return nothing(instance, __func__, n, NO_CLOCK);
}

FMI3_CALL fmi3Status fmi3SetIntervalDecimal(void *instance, const uint32_t reference[], size_t n,
                                            const double interval[]);
fmi3Status fmi3SetIntervalDecimal(void *instance, const uint32_t reference[], size_t n, const double interval[])
{
    (void)reference, (void)interval;
    return nothing(instance, __func__, n, NO_CLOCK);
}

FMI3_CALL fmi3Status fmi3SetIntervalFraction(void *instance, const uint32_t reference[], size_t n,
                                             const uint64_t count[], const uint64_t resolution[]);
fmi3Status fmi3SetIntervalFraction(void *instance, const uint32_t reference[], size_t n, const uint64_t count[],
                                   const uint64_t resolution[])
{
    (void)reference, (void)count, (void)resolution;
    return nothing(instance, __func__, n, NO_CLOCK);
}

FMI3_CALL fmi3Status fmi3SetShiftDecimal(void *instance, const uint32_t reference[], size_t n, const double shift[]);
fmi3Status fmi3SetShiftDecimal(void *instance, const uint32_t reference[], size_t n, const double shift[])
{
    (void)reference, (void)shift;
    return nothing(instance, __func__, n, NO_CLOCK);
}

FMI3_CALL fmi3Status fmi3SetShiftFraction(void *instance, const uint32_t reference[], size_t n,
                                          const uint64_t count[], const uint64_t resolution[]);
fmi3Status fmi3SetShiftFraction(void *instance, const uint32_t reference[], size_t n, const uint64_t count[],
                                const uint64_t resolution[])
{
    (void)reference, (void)count, (void)resolution;
    return nothing(instance, __func__, n, NO_CLOCK);
}

FMI3_CALL fmi3Status fmi3EvaluateDiscreteStates(void *instance);
fmi3Status fmi3EvaluateDiscreteStates(void *instance) { return nothing(instance, __func__, 0, NO_CLOCK); }

FMI3_CALL void *fmi3InstantiateScheduledExecution(const char *name, const char *token, const char *resources,
                                                  bool visible, bool logging, void *environment, fmi3LogMessage *log,
                                                  fmi3ClockUpdate *clock, fmi3Preemption *lock,
                                                  fmi3Preemption *unlock);
void *fmi3InstantiateScheduledExecution(const char *name, const char *token, const char *resources, bool visible,
                                        bool logging, void *environment, fmi3LogMessage *log, fmi3ClockUpdate *clock,
                                        fmi3Preemption *lock, fmi3Preemption *unlock)
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)clock, (void)lock, (void)unlock;
    if (log)
        log(environment, fmi3Error, "logStatusError", "the unit is not for scheduled execution");
    return NULL;
}

FMI3_CALL fmi3Status fmi3ActivateModelPartition(void *instance, uint32_t clock, double time);
fmi3Status fmi3ActivateModelPartition(void *instance, uint32_t clock, double time)
{
    (void)clock, (void)time;
    return refuse(instance, __func__, NO_CLOCK);
}

/* ---------------------------------------------------------------- structure and derivatives */

#define NO_DEPENDENCIES "dependencies are those of modelDescription.xml; they do not change"

FMI3_CALL fmi3Status fmi3GetNumberOfVariableDependencies(void *instance, uint32_t reference, size_t *n);
fmi3Status fmi3GetNumberOfVariableDependencies(void *instance, uint32_t reference, size_t *n)
{
    (void)reference, (void)n;
    return refuse(instance, __func__, NO_DEPENDENCIES);
}

FMI3_CALL fmi3Status fmi3GetVariableDependencies(void *instance, uint32_t dependent, size_t element[],
                                                 uint32_t independent[], size_t independent_element[], int kind[],
                                                 size_t n);
fmi3Status fmi3GetVariableDependencies(void *instance, uint32_t dependent, size_t element[], uint32_t independent[],
                                       size_t independent_element[], int kind[], size_t n)
{
    (void)dependent, (void)element, (void)independent, (void)independent_element, (void)kind, (void)n;
    return refuse(instance, __func__, NO_DEPENDENCIES);
}

FMI3_CALL fmi3Status fmi3EnterConfigurationMode(void *instance);
fmi3Status fmi3EnterConfigurationMode(void *instance)
{
    return refuse(instance, __func__, "the unit has no structural parameters");
}

FMI3_CALL fmi3Status fmi3ExitConfigurationMode(void *instance);
fmi3Status fmi3ExitConfigurationMode(void *instance)
{
    return refuse(instance, __func__, "the unit has no structural parameters");
}

#define NO_DERIVATIVES "the unit gives no derivatives with respect to time"

FMI3_CALL fmi3Status fmi3GetOutputDerivatives(void *instance, const uint32_t reference[], size_t n,
                                              const int32_t order[], double value[], size_t nvalue);
fmi3Status fmi3GetOutputDerivatives(void *instance, const uint32_t reference[], size_t n, const int32_t order[],
                                    double value[], size_t nvalue)
{
    (void)reference, (void)order, (void)value, (void)nvalue;
    return nothing(instance, __func__, n, NO_DERIVATIVES);
}

FMI3_CALL fmi3Status fmi3EnterStepMode(void *instance);
fmi3Status fmi3EnterStepMode(void *instance)
{
    return refuse(instance, __func__, "co-simulation has no event mode here: events happen inside a step");
}
