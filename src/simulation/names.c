/* SPDX-License-Identifier: Apache-2.0
 * Names of formulations for floors that do not know formulations; see names.h. */
#include "simulation/names.h"
#include "formulation/system.h"

const char *clv_formulation_name(int i)
{
    return clv_formulation_at(i) ? clv_formulation_at(i)->name : 0;
}

const char *clv_formulation_text(int i)
{
    return clv_formulation_at(i) ? clv_formulation_at(i)->text : 0;
}
