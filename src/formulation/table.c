/* SPDX-License-Identifier: Apache-2.0
 * The table of formulations: a new one is one file and one line here. */
#include <string.h>
#include "formulation/system.h"

extern const clv_formulation clv_formulation_hdca, clv_formulation_dca, clv_formulation_connection,
    clv_formulation_massmatrix, clv_formulation_aldca, clv_formulation_index3;

static const clv_formulation *const table[] = {&clv_formulation_hdca,       &clv_formulation_dca,
                                               &clv_formulation_connection, &clv_formulation_massmatrix,
                                               &clv_formulation_aldca,      &clv_formulation_index3};

const clv_formulation *clv_formulation_at(int i)
{
    return i >= 0 && i < (int)(sizeof table / sizeof table[0]) ? table[i] : NULL;
}

const clv_formulation *clv_formulation_find(const char *name)
{
    for (int i = 0; clv_formulation_at(i); i++)
        if (strcmp(table[i]->name, name) == 0)
            return table[i];
    return NULL;
}
