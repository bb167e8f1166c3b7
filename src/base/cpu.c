/* SPDX-License-Identifier: Apache-2.0
 * What this CPU can do for lane kernels; the compiler options are in cmake/lanes.cmake.  Called when a simulation is
 * created, and by the command line to report the choice. */
#include "base/cpu.h"
#include <stdlib.h>
#include <string.h>

const int clv_cpu_width[CLV_CPU_WIDTHS] = {1, 2, 4, 8};

#if defined(__x86_64__) && !defined(CLV_LANES_BASELINE)
static const char *const instructions[CLV_CPU_WIDTHS] = {"SSE2, scalar", "SSE2", "AVX2", "AVX-512"};
static bool has(int lanes)
{
    __builtin_cpu_init();
    return lanes <= 2 || (lanes == 4 && __builtin_cpu_supports("avx2")) ||
           (lanes == 8 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"));
}
static int widest(void) { return has(8) ? 8 : has(4) ? 4 : 2; }
#else /* every width is compiled for the baseline, where a register holds two doubles */
#if defined(__aarch64__)
static const char *const instructions[CLV_CPU_WIDTHS] = {"NEON, scalar", "NEON", "NEON, in pairs", "NEON, in fours"};
#else
static const char *const instructions[CLV_CPU_WIDTHS] = {"baseline", "baseline", "baseline", "baseline"};
#endif
static bool has(int lanes) { return lanes > 0; }
static int widest(void) { return 2; }
#endif

static int index_of(int lanes)
{
    for (int i = 0; i < CLV_CPU_WIDTHS; i++)
        if (clv_cpu_width[i] == lanes)
            return i;
    return -1;
}

bool clv_cpu_runs(int lanes) { return index_of(lanes) >= 0 && has(lanes); }

const char *clv_cpu_instructions(int lanes)
{
    return index_of(lanes) >= 0 ? instructions[index_of(lanes)] : "none";
}

clv_status clv_cpu_lanes(int *lanes, clv_error *error)
{
    const char *text = getenv("CLV_LANES");
    if (!text || !*text) {
        *lanes = widest();
        return CLV_OK;
    }
    const int n = strlen(text) == 1 ? text[0] - '0' : 0;
    if (index_of(n) < 0) {
        clv_fail(error, CLV_ERR_USAGE, "the environment variable CLV_LANES is '%.40s'; it must be 1, 2, 4 or 8", text);
        clv_error_hint(error, "unset it: the width is then chosen for this CPU");
        return error->code;
    }
    if (!has(n)) {
        clv_fail(error, CLV_ERR_UNSUPPORTED, "the environment variable CLV_LANES is %d, but this CPU has no %s", n,
                 clv_cpu_instructions(n));
        clv_error_hint(error, "unset it, or use at most %d", widest());
        return error->code;
    }
    *lanes = n;
    return CLV_OK;
}
