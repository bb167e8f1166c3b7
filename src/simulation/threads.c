/* SPDX-License-Identifier: Apache-2.0
 * How many threads share out the evaluations and steps of a simulation, and why (T44).  The number changes the speed
 * and no bit of a result. */
#include <math.h>
#include <stdio.h>
#include <time.h>
#include "base/error.h"
#include "simulation/sim.h"

enum {
    PAYS = 2,  /* shares of the work (kinematics/row_share.c) from which on a second thread can pay     */
    TRIALS = 5 /* pairs of evaluations, by one thread and by all, that `auto` compares before the start */
};
static const double GAIN = 1.1; /* the fewest evaluations in the time of one that `auto` takes more threads for */

/* The rows whose work is shared out: of the state, or of the trials of a step.  NULL: none. */
static clv_rows *shared_rows(clv_sim *s)
{
    if (!s->formulation->threads)
        return NULL;
    if (s->formulation->rule)
        return s->system.trials ? &s->system.trials->rows : NULL;
    return s->system.rows.fit && s->integrator.method->asks == CLV_ASK_RATES ? &s->system.rows : NULL;
}

void clv_sim_join_team(clv_sim *s, clv_team *team, int least)
{
    clv_rows *w = shared_rows(s);
    if (w)
        clv_rows_list_shares(w, least), w->team = team;
    s->system.engine.team = s->integrator.team = team;
    if (s->system.trials)
        s->system.trials->engine.team = team;
}

/* Why threads share out nothing, whatever the size of the model. */
static void name_what_runs_alone(clv_sim *s)
{
    const bool integrator = s->formulation->threads && !s->formulation->rule && s->system.rows.fit;
    snprintf(s->threads_text, sizeof s->threads_text, "%s%s runs on one thread",
             integrator ? s->integrator.method->name : s->formulation->name,
             s->formulation->threads && !integrator ? ", for this model and options," : "");
    s->threads_why = s->threads_text;
}

clv_status clv_sim_open_team(clv_sim *s)
{
    const int wanted = s->options.threads == 0 ? clv_team_cores() : s->options.threads;
    s->threads_why = s->options.threads == 0 ? "all cores" : "as requested";
    if (wanted == 1)
        return CLV_OK;
    const clv_rows *w = shared_rows(s);
    if (!w) {
        name_what_runs_alone(s);
        return CLV_OK;
    }
    if (w->nshare < PAYS) {
        s->threads_why = "more threads are not faster for a model of this size";
        return CLV_OK;
    }
    s->team = clv_team_create(wanted);
    if (!s->team)
        return clv_fail(&s->error, CLV_ERR_MEMORY, "%d threads could not be started", wanted);
    clv_sim_join_team(s, s->team, 0);
    return CLV_OK;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* time of one evaluation at the start, as the stages of a step make them; poses anew */
static clv_status timed(clv_sim *s, clv_team *team, double *least)
{
    clv_sim_join_team(s, team, 0);
    s->system.rows.posed = -1;
    const double began = seconds();
    const clv_status st = clv_system_rates(&s->system, s->formulation, s->model->begin, s->y, s->ydot);
    *least = fmin(*least, seconds() - began);
    return st;
}

/* The least times of an evaluation by the team and by one thread, in turn; the first pair wakes the threads. */
static clv_status compare(clv_sim *s, clv_team *team, double *one, double *all)
{
    clv_status st = CLV_OK;
    *one = *all = INFINITY;
    for (int i = 0; i <= TRIALS && st == CLV_OK; i++) {
        st = timed(s, team, all);
        if (st == CLV_OK)
            st = timed(s, NULL, one);
        if (i == 0)
            *one = *all = INFINITY;
    }
    return st;
}

/* Half, a quarter .. of the threads.  Small models have fewer pieces than a large machine has cores, and threads
 * without a piece disturb the others.  s->team becomes the fastest of these teams. */
static clv_status try_fewer(clv_sim *s, double *one, double *all)
{
    clv_status st = CLV_OK;
    for (int n = clv_team_size(s->team) / 2; n >= 2 && st == CLV_OK; n /= 2) {
        double alone, time;
        clv_team *team = clv_team_create(n);
        if (!team)
            return clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory");
        st = compare(s, team, &alone, &time);
        *one = fmin(*one, alone);
        clv_team *left = st == CLV_OK && time < *all ? s->team : team;
        if (left == s->team) {
            s->team = team, *all = time;
            s->threads_why = "the fastest number at the start";
        }
        clv_sim_join_team(s, s->team, 0);
        clv_team_destroy(left);
    }
    return st;
}

clv_status clv_sim_try_team(clv_sim *s)
{
    if (!s->team || s->options.threads != 0)
        return CLV_OK;
    double one, all;
    s->system.lean = true;
    clv_status st = compare(s, s->team, &one, &all);
    if (st == CLV_OK)
        st = try_fewer(s, &one, &all);
    s->system.lean = false;
    if (st != CLV_OK)
        return st;
    if (one < GAIN * all) {
        s->threads_why = "more threads were no faster at the start";
        clv_team_destroy(s->team);
        s->team = NULL;
    }
    clv_sim_join_team(s, s->team, 0);
    /* what the first evaluation has left */
    return clv_system_rates(&s->system, s->formulation, s->model->begin, s->y, s->ydot);
}

int clv_sim_threads(const clv_sim *s) { return s && s->ready ? clv_team_size(s->integrator.team) : 0; }

const char *clv_sim_threads_why(const clv_sim *s) { return s && s->ready ? s->threads_why : NULL; }
