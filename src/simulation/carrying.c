/* SPDX-License-Identifier: Apache-2.0
 * Loops carried by the tree (T101) in a simulation.  The start is with nodes: it looks at null directions of the rows,
 * which nodes have, and decides the rank.  So are runs whose redundant rows contradict each other (T40). */
#include "base/error.h"
#include "engine/kernels.h"
#include "simulation/sim.h"

clv_status clv_begin_carrying(clv_sim *s)
{
    clv_system *const system[] = {&s->system, &s->stage};
    if (!s->plan->carry || s->null || s->system.engine.redundant > 0)
        return CLV_OK;
    s->plan->carried = true;
    for (int i = 0; i < 2; i++)
        if (system[i]->plan && !clv_rows_begin(&system[i]->rows, s->kernels->lanes))
            return clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory");
    return CLV_OK;
}

clv_status clv_factor_in_nodes(clv_sim *s, double t)
{
    return s->system.rows.carried && s->system.engine.partial ? clv_system_place(&s->system, t, s->q) : CLV_OK;
}
