/* SPDX-License-Identifier: Apache-2.0
 * Whether a program was started as one of several; see ranks.h. */
#include "base/ranks.h"
#include <stdlib.h>

bool clv_ranks_wanted(void)
{
    static const char *const name[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}; /* Open MPI; MPICH and its kin */
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
        const char *size = getenv(name[i]);
        if (size && strtol(size, NULL, 10) > 0)
            return true;
    }
    return false;
}
