/* SPDX-License-Identifier: Apache-2.0
 * From a width to its table of lane kernels; see kernels.h.  Sources of lanes are compiled once for each width, with
 * the instructions of that width; every table gives the same bits. */
#include "engine/kernels.h"

const clv_kernels *clv_kernels_of(int lanes)
{
    static const clv_kernels *const table[] = {&clv_kernels_1, &clv_kernels_2, &clv_kernels_4, &clv_kernels_8};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i]->lanes == lanes)
            return table[i];
    return NULL;
}
