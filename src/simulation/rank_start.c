/* SPDX-License-Identifier: Apache-2.0
 * The rank of the start (T20), and how far redundant rows contradict each other there (T40). */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/tolerance.h"
#include "base/error.h"
#include "formulation/walk.h"
#include "simulation/blind.h"
#include "simulation/sim.h"

static const double DOUBTFUL = 1e-5;            /* scaled pivot: a direction that a contradiction of 3e-3 would keep */
static const double ERROR = 1e-7, STRONGEST = 1e-3; /* relative, of velocities by a contradiction; scaled pivot */
static const double CONTRADICTION = 2e-3;       /* more is a dimension */
static const double GROWTH = 100;               /* of a pivot of rounding along a motion */

/* Forgets why a factor or a motion was not possible; out of memory is not forgotten. */
static clv_status forget(clv_sim *s)
{
    if (s->error.code != CLV_ERR_MEMORY)
        clv_error_clear(&s->error);
    return s->error.code;
}

/* degrees of freedom by the rank at hand */
static int mobility(const clv_sim *s)
{
    return s->plan->nu - s->plan->nclosing_row + s->system.engine.truncated;
}

/* the factor of the start with a threshold */
static clv_status place(clv_sim *s, double rank)
{
    s->system.engine.rank = rank;
    return clv_system_place(&s->system, s->model->begin, s->q);
}

/* From now on that many directions are dropped at least, wherever they are weakest (T40.8). */
static clv_status drop_together(clv_sim *s, int redundant, double strong, double rank)
{
    s->system.engine.redundant = redundant, s->system.engine.strong = strong;
    return place(s, rank);
}

/* The same.  How strong other directions must be shows what rows leave open along short motions: self-stresses of light
 * bodies are out of balance by rounding too.  strong: at least. */
static clv_status drop_contradicting(clv_sim *s, double rank, double strong)
{
    const int redundant = s->system.engine.truncated;
    double open = 0;
    for (int number = 0; number < 3; number++) {
        clv_status st = place(s, rank);
        if (st != CLV_OK)
            return st;
        clv_walk(s, number, &open);
    }
    if (forget(s) != CLV_OK)
        return s->error.code;
    return drop_together(s, redundant, fmax(strong, fmin(open / ERROR * (open / ERROR), STRONGEST)), rank);
}

/* How strong directions must be that are kept beside redundant ones below `rank`, whose pivots are rounding: that
 * grows along a motion. */
static double strength(const clv_engine *e, double rank)
{
    return fmax(rank, fmin(fmax(DOUBTFUL, GROWTH * e->max_dropped), 0.1 * e->min_pivot));
}

/* The directions below `rank` are redundant, and their pivots are as large as the threshold, or may become so. */
static clv_status drop_balanced(clv_sim *s, double rank)
{
    clv_engine *e = &s->system.engine;
    const double strong = strength(e, rank);
    if (s->report.contradiction <= CLV_TOL_CONSISTENT)
        return drop_together(s, e->truncated, strong, s->options.rank);
    clv_status st = clv_open_consistent(s);
    if (st == CLV_OK)
        st = drop_contradicting(s, rank, strong);
    return st == CLV_OK ? place(s, s->options.rank) : st;
}

/* Are the self-stresses in balance, as those of redundant rows?  Rows that contradict each other count only where nodes
 * lose more by rounding: *lossy, of balance and of pivots. */
static bool balanced(clv_sim *s, bool *lossy)
{
    double nodes;
    const double left = s->report.contradiction = clv_imbalance(s, &nodes);
    *lossy = nodes > CLV_TOL_WEAK_ROW && left <= 0.1 * nodes;
    return left <= CLV_TOL_CONSISTENT || (left <= CLV_TOL_WEAK_ROW && left <= 0.1 * nodes);
}

/* Directions in balance are redundant, however large their pivots: in long chains those of rounding reach the threshold
 * (T162). */
static clv_status find_balanced(clv_sim *s)
{
    clv_engine *e = &s->system.engine;
    const int kept = e->truncated;
    const bool is_long = s->plan->nclosing_row > 0 && clv_loses_by_length(s), weak = is_long && e->min_pivot < DOUBTFUL;
    bool lossy;
    for (double rank = DOUBTFUL; weak && rank > s->options.rank; rank *= 0.1) {
        if (place(s, rank) != CLV_OK || e->truncated <= kept)
            break;
        if (balanced(s, &lossy))
            return drop_balanced(s, rank);
    }
    clv_status st = forget(s);
    if (st == CLV_OK && weak)
        st = place(s, s->options.rank);
    if (st != CLV_OK || !balanced(s, &lossy) || !is_long || !(lossy || e->max_dropped > CLV_TOL_LOOP_PIVOT))
        return st == CLV_OK ? forget(s) : st;
    return drop_balanced(s, s->options.rank);
}

/* Directions that are only weak are kept: the threshold of the run is lowered until the others are in balance. */
static clv_status keep_weak(clv_sim *s)
{
    clv_engine *e = &s->system.engine;
    clv_status st = CLV_OK;
    bool lossy = false;
    while (st == CLV_OK && s->system.redundant == 0 && s->report.contradiction > CLV_TOL_WEAK_ROW &&
           e->rank > CLV_TOL_PIVOT) {
        st = place(s, fmax(0.1 * fmin(e->rank, e->max_dropped), CLV_TOL_PIVOT));
        balanced(s, &lossy);
        st = st == CLV_OK ? forget(s) : st;
    }
    if (st != CLV_OK || !lossy || e->truncated == 0)
        return st;
    return drop_together(s, e->truncated, strength(e, e->rank), e->rank);
}

/* The largest contradiction along short motions with the directions below `rank` dropped; INFINITY: they are real. */
static clv_status follow(clv_sim *s, double rank, double *contradiction)
{
    double open = 0;
    *contradiction = 0;
    for (int number = 0; number < 3 && *contradiction <= CONTRADICTION; number++) {
        clv_status st = place(s, rank);
        if (st != CLV_OK)
            return st;
        *contradiction = fmax(*contradiction, clv_walk(s, number, &open));
    }
    return forget(s) == CLV_OK ? place(s, rank) : s->error.code;
}

/* Directions that contradict others, if they are found, are dropped from now on.  Directions above the threshold of the
 * run are doubtful only where the mechanism cannot move with them. */
static clv_status find_contradiction(clv_sim *s)
{
    clv_engine *e = &s->system.engine;
    const int kept = e->truncated;
    const bool weak = s->report.contradiction > CLV_TOL_WEAK_ROW, rigid = mobility(s) == 0 && s->plan->nclosing_row > 0;
    clv_status st = CLV_OK;
    if (s->options.contradiction == 0 || (!weak && !rigid))
        return CLV_OK;
    for (double rank = fmax(rigid ? DOUBTFUL : s->options.rank, s->options.rank); st == CLV_OK; rank *= 0.1) {
        double contradiction = 0;
        rank = fmax(rank, s->options.rank);
        st = place(s, rank);
        if (st == CLV_OK)
            st = clv_open_consistent(s);
        if (st == CLV_OK && e->truncated > (weak ? 0 : kept))
            st = follow(s, rank, &contradiction);
        if (st == CLV_OK && contradiction > 0 && contradiction <= CONTRADICTION) {
            s->report.contradiction = contradiction;
            s->system.redundant = e->truncated;
            st = drop_contradicting(s, rank, 0);
            return st == CLV_OK ? place(s, s->options.rank) : st;
        }
        if (rank <= s->options.rank)
            break;
    }
    return st == CLV_OK ? place(s, s->options.rank) : st;
}

/* Redundant rows: what the nodes drop, or more where kinematics say so.  Near a singular position nodes keep rounding
 * of rows that repeat a weak one: no motion is lost by that, but the count would be wrong (T163). */
static clv_status count(clv_sim *s)
{
    const clv_engine *e = &s->system.engine;
    const bool doubtful = e->rank < s->options.rank || s->report.contradiction > CLV_TOL_CONSISTENT || mobility(s) < 0;
    int redundant = 0;
    const clv_status st = doubtful ? clv_kinematic_rank(s, &redundant) : CLV_OK;
    s->kinematic = redundant > e->truncated;
    s->base_nullity = s->kinematic ? redundant : e->truncated;
    return st;
}

bool clv_starts_in_rows(const clv_sim *s)
{
    return s->formulation->lanes && s->system.rows.fit && !clv_rows_closed(&s->system.rows) && !s->system.rows.lacking;
}

clv_status clv_factor_open(clv_sim *s)
{
    clv_system *k = &s->system;
    if (clv_sim_blind(s)) /* the first rates factor, too: rows take no memory before poses have given theirs back */
        return CLV_OK;
    return clv_starts_in_rows(s) ? clv_walk_place(k, k->kin.time, s->q) : clv_system_factor(k);
}

/* The poses of s->q are there.
 * A truncated direction must be redundant at the start: its self-stress must be one.  If it is only weak (light bodies
 * between heavy ones, a start close to a singular position), the threshold of the run is lowered until it is kept.
 * `follow`: what looks weak is followed along a motion first. */
static clv_status decide(clv_sim *s, bool follow)
{
    clv_engine *e = &s->system.engine;
    s->system.redundant = e->redundant = 0, e->strong = 0, e->begun = false;
    e->rank = s->options.rank;
    clv_status st = s->plan->nclosing_row > 0 ? place(s, s->options.rank) : clv_factor_open(s);
    if (st != CLV_OK)
        return st;
    clv_find_slides(s);
    st = find_balanced(s);
    if (st == CLV_OK)
        st = clv_open_consistent(s);
    if (st == CLV_OK && follow)
        st = find_contradiction(s);
    if (st == CLV_OK)
        st = keep_weak(s);
    if (st == CLV_OK)
        st = count(s);
    s->report.rank = e->rank;
    if (st == CLV_OK)
        st = clv_system_held(&s->system);
    if (st == CLV_OK && follow && e->redundant == 0 && s->report.contradiction > CLV_TOL_CONSISTENT && e->truncated > 0)
        st = drop_contradicting(s, e->rank, 0);
    e->begun = true;
    return st == CLV_OK ? clv_open_consistent(s) : st;
}

clv_status clv_decide_rank(clv_sim *s)
{
    return decide(s, true);
}

clv_status clv_decide_rank_as(clv_sim *s, const clv_sim *from)
{
    clv_engine *e = &s->system.engine;
    const int redundant = from->system.redundant;
    const double strong = from->system.engine.strong;
    clv_status st = clv_system_pose(&s->system, s->model->begin, s->q);
    if (st == CLV_OK)
        st = decide(s, false);
    if (st == CLV_OK && redundant == 0)
        st = strong > 0 ? drop_together(s, e->truncated, strong, e->rank) : st;
    if (redundant == 0 || st != CLV_OK)
        return st;
    for (double rank = s->options.rank; st == CLV_OK && rank <= 1e-2; rank *= 2) {
        st = place(s, rank);
        if (st == CLV_OK && e->truncated >= redundant)
            break;
    }
    s->system.redundant = e->truncated;
    s->report.rank = s->options.rank;
    return st == CLV_OK ? drop_together(s, e->truncated, strong, s->options.rank) : st;
}

/* names of the joints with redundant rows, the first ones */
static void name_redundant(clv_sim *s, char *text, size_t size)
{
    enum { MOST = 8 };
    int n = 0;
    size_t end = 0;
    text[0] = 0;
    clv_find_unique(s);
    for (int j = 0; j < s->model->njoint && end < size; j++) {
        bool unique = true;
        for (int i = 0; i < 6; i++)
            unique = unique && s->unique[6 * j + i];
        if (!unique && n++ < MOST)
            end += (size_t)snprintf(text + end, size - end, "%s'%s'", n == 1 ? "" : ", ", s->model->joint[j].name);
    }
    if (n > MOST && end < size)
        snprintf(text + end, size - end, " and %d more", n - MOST);
}

clv_status clv_check_contradiction(clv_sim *s, double misfit)
{
    char names[240];
    if (s->base_nullity == 0)
        return CLV_OK;
    const bool told = s->system.redundant > 0 || s->report.contradiction <= CLV_TOL_WEAK_ROW; /* else only weak */
    s->report.contradiction = fmax(told ? s->report.contradiction : 0, misfit);
    s->report.max_contradiction = misfit;
    if (s->report.contradiction <= (s->options.contradiction > 0 ? s->options.contradiction : CLV_TOL_WEAK_ROW))
        return CLV_OK;
    name_redundant(s, names, sizeof names);
    clv_fail(&s->error, CLV_ERR_INCONSISTENT,
             "redundant constraints contradict each other by %.2g (rad, or relative to the model's size), more than "
             "the limit of %.2g: joints %s",
             s->report.contradiction, s->options.contradiction, names);
    clv_error_hint(&s->error,
                   "give their axes and points more digits; or raise `contradiction` to drop such constraints, or set "
                   "it to 0 to keep all that are independent");
    s->error.value = s->report.contradiction;
    return s->error.code;
}
