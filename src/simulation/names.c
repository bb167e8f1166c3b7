/* SPDX-License-Identifier: Apache-2.0
 * Names of formulations and integrators for floors that do not know them; see names.h. */
#include "simulation/names.h"
#include "formulation/system.h"
#include "integrator/integrator.h"

const char *clv_formulation_name(int i)
{
    return clv_formulation_at(i) ? clv_formulation_at(i)->name : 0;
}

const char *clv_integrator_name(int i)
{
    return clv_method_at(i) ? clv_method_at(i)->name : 0;
}

const char *clv_formulation_rule(int i)
{
    return clv_formulation_at(i) && clv_formulation_at(i)->rule ? "trapezoidal" : NULL;
}
