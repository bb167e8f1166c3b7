/* SPDX-License-Identifier: Apache-2.0
 * Loops carried by the tree (T101) in a simulation.  The start is with nodes: it looks at null directions of the rows,
 * which nodes have, and decides the rank. */
#include "base/error.h"
#include "engine/kernels.h"
#include "formulation/walk.h"
#include "model/light.h"
#include "simulation/sim.h"

static clv_status carry(clv_sim *s, bool carried)
{
    clv_system *const system[] = {&s->system, &s->stage};
    s->plan->carried = carried;
    for (int i = 0; i < 2; i++)
        if (system[i]->plan && !clv_rows_begin(&system[i]->rows, s->kernels->lanes))
            return clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory");
    return CLV_OK;
}

clv_status clv_begin_carrying(clv_sim *s)
{
    if (!s->plan->carry || s->plan->ported)
        return CLV_OK;
    clv_status st = carry(s, true);
    if (st != CLV_OK || (clv_light_bodies(s->model) == 0 && s->plan->nstar == 0))
        return st;
    /* bodies between two joints about one axis, and modes, may have no inertia about it: nodes know a way (T5) */
    const bool sound = clv_walk_place(&s->system, s->model->begin, s->q) == CLV_OK;
    clv_error_clear(&s->error);
    st = sound ? CLV_OK : carry(s, false);
    return st == CLV_OK ? clv_system_place(&s->system, s->model->begin, s->q) : st;
}

clv_status clv_factor_in_nodes(clv_sim *s, double t)
{
    return s->system.rows.carried && s->system.engine.partial ? clv_system_place(&s->system, t, s->q) : CLV_OK;
}
