/* SPDX-License-Identifier: Apache-2.0
 * How many threads share out the evaluations and steps of a simulation, and why (T44).  The number changes the speed
 * and no bit of a result. */
#include "base/error.h"
#include "simulation/sim.h"

enum { PAYS = 2 }; /* shares of the work (kinematics/row_share.c) from which on a second thread pays */

/* Are the evaluations of this formulation shared out? */
static bool shares(const clv_sim *s)
{
    return s->formulation->threads && s->system.rows.fit &&
           s->integrator.method->asks == CLV_ASK_RATES;
}

void clv_sim_join_team(clv_sim *s, clv_team *team, int least)
{
    if (s->system.rows.fit)
        clv_rows_list_shares(&s->system.rows, least);
    s->system.rows.team = s->system.engine.team = s->integrator.team = team;
}

clv_status clv_sim_open_team(clv_sim *s)
{
    const int wanted = s->options.threads == 0 ? clv_team_cores() : s->options.threads;
    s->threads_why = s->options.threads == 0 ? "all cores" : "as requested";
    if (wanted == 1)
        return CLV_OK;
    if (!shares(s)) {
        s->threads_why = "this formulation or integrator runs on one thread";
        return CLV_OK;
    }
    if (s->system.rows.nshare < PAYS) {
        s->threads_why = "more threads do not pay for a model of this size";
        return CLV_OK;
    }
    s->team = clv_team_create(wanted);
    if (!s->team)
        return clv_fail(&s->error, CLV_ERR_MEMORY, "%d threads could not be started", wanted);
    clv_sim_join_team(s, s->team, 0);
    return CLV_OK;
}

int clv_sim_threads(const clv_sim *s) { return s && s->ready ? clv_team_size(s->system.rows.team) : 0; }

const char *clv_sim_threads_why(const clv_sim *s) { return s && s->ready ? s->threads_why : NULL; }
