/* SPDX-License-Identifier: Apache-2.0
 * Steps of a divided mechanism (T80.6).  Roots of segments are states as others.  Each step moves them to the handles
 * that hold them before its last rates are found, so nothing is evaluated twice.  What a step is judged by goes up and
 * down once: energies and work, whether anything has failed, and the error norm where it needs the last rates.
 *
 * hdca: impulses between segments are those of closings (T10), and are removed (T11) where they outgrow the momenta. */
#include "base/error.h"
#include "base/tolerance.h"
#include "formulation/walk.h"
#include "integrator/vector.h"
#include "math/rotation.h"
#include "simulation/blind.h"
#include "simulation/divided.h"
#include "simulation/sim.h"
#include <math.h>
#include <string.h>

enum { KINETIC, POTENTIAL, SQUARES, WORK, SUMS };               /* of what is added */
enum { NORM, WORST, OPEN, SPEED };                             /* of what the largest counts */
enum { GAUGE = 2, FAILED = 8 };             /* the larger one counts */

/* Loops in segments and between them (T160), by one correction too. */
static bool close_ports(clv_sim *s, double t, double *q, double *u)
{
    if (!clv_walk_close_ports(&s->system, t, q, u, s->row, s->trial, s->p))
        return false;
    clv_displace(s, q, s->trial);
    for (int i = 0; u && i < s->plan->nu; i++) /* rates are the state with dca */
        u[i] += s->p[i];
    return true;
}

/* Roots to their handles.  A loop over all segments is closed by one correction of coordinates and rates, which leaves
 * the square of what was open. */
static bool settle(clv_sim *s, double t, double *q, double *u, bool closes)
{
    clv_system *k = &s->system;
    if (s->plan->ported)
        return !closes || close_ports(s, t, q, u);
    if (!clv_walk_settle(k, t, q, u))
        return false;
    if (!s->divided->closed || !closes)
        return true;
    if (!clv_walk_close_segments(k, t, q, u, s->trial, s->p))
        return false;
    clv_displace(s, q, s->trial);
    for (int i = 0; u && i < s->plan->nu; i++)
        u[i] += s->p[i];
    return clv_walk_settle(k, t, q, u);
}

/* m or rad: what the loops miss at q; with ports, *speed at rates u, and *fastest: the largest rate of a joint */
static double find_gap(clv_sim *s, double t, const double *q, const double *u, double *speed, double *fastest)
{
    const clv_across *a = &s->divided->across;
    double most[CLV_ACROSS_MOST] = {0}, *each = s->system.segment_sum, sum[1], open = 0;
    if (s->plan->ported) {
        memset(each, 0, (size_t)s->plan->nsegment * sizeof *each);
        clv_walk_look_at_ports(&s->system, t, q, u, &most[OPEN], &most[SPEED]);
        for (int i = 0; i < s->plan->nu; i++)
            most[NORM] = fmax(most[NORM], fabs(u[i]));
        a->look(a->owner, 1, each, sum, most, s->system.part);
        *speed = most[SPEED], *fastest = most[NORM];
        return most[OPEN];
    }
    if (s->system.close) {
        clv_segment_hold unused;
        clv_kinematics_poses(&s->system.kin, t, q);
        clv_segment_close_place(&s->close, &s->system.kin, &unused);
        open = clv_segment_close_violation(&s->close);
    }
    return a->largest(a->owner, open);
}

static clv_status start_open(clv_sim *s, const char *what, double open)
{
    clv_fail(&s->error, CLV_ERR_INCONSISTENT, "the loops %s by %.3g m or rad (per s) at the start", what, open);
    clv_error_hint(&s->error, "give start poses and rates that fit; without mpirun the program assembles them");
    return clv_divided_all_failed(s);
}

/* Where loops are not those of one run, no more than last digits of a file are corrected: who closes more, chooses. */
static clv_status check_start(clv_sim *s, double t, double size)
{
    double speed, fastest;
    if (!s->plan->ported)
        return CLV_OK;
    const double open = find_gap(s, t, s->q, s->u, &speed, &fastest);
    if (!(open <= CLV_TOL_ASSEMBLED_NEAR * size))
        return start_open(s, "are open", open);
    if (!(speed <= CLV_TOL_ASSEMBLED_NEAR * size * fmax(1, fastest)))
        return start_open(s, "open", speed);
    return CLV_OK;
}

/* Redundant rows of data with too few digits look like weak ones (T40): they would lock the mechanism. */
static clv_status check_weak(clv_sim *s)
{
    const double DOUBTFUL = 1e-5, weakest = s->system.engine.min_pivot;
    if (!s->plan->ported || weakest > DOUBTFUL)
        return CLV_OK;
    clv_fail(&s->error, CLV_ERR_UNSUPPORTED,
             "a mechanism on several ranks cannot have loops whose rows are nearly redundant (scaled pivot %.2g)",
             weakest);
    clv_error_hint(&s->error, "give axes and points more digits, or another start position; or run it without mpirun");
    return clv_divided_all_failed(s);
}

clv_status clv_divided_place(clv_sim *s)
{
    enum { TRIES = 20 };
    const double t = s->model->begin, size = fmax(1, s->size);
    double open = INFINITY, speed, fastest;
    clv_status st = clv_divided_agree(s, CLV_OK);
    if (st == CLV_OK)
        st = check_start(s, t, size);
    if (st != CLV_OK)
        return st;
    for (int i = 0; i < TRIES && open > 0; i++) {
        if (!settle(s, t, s->q, s->u, true))
            return clv_fail(&s->error, CLV_ERR_SINGULAR, CLV_DIVIDED_ELSEWHERE);
        const double now = s->divided->closed || s->plan->ported ? find_gap(s, t, s->q, s->u, &speed, &fastest) : 0;
        if (i > 0 && !(now < 0.5 * open))
            break;
        open = now;
    }
    s->base_nullity = s->system.truncated;
    if (open <= CLV_TOL_ASSEMBLED * size)
        return check_weak(s);
    if (s->plan->ported)
        return start_open(s, "stay open", open);
    clv_fail(&s->error, CLV_ERR_INCONSISTENT, "the loop from ground to ground is open by %.3g m or rad at the start",
             open);
    clv_error_hint(&s->error, "give start poses that close it; without mpirun the program assembles it");
    return clv_divided_all_failed(s);
}

clv_status clv_divided_settle(void *owner, double t, double *y)
{
    clv_sim *s = owner;
    double *u = s->formulation->state == CLV_STATE_MOMENTA ? NULL : y + s->plan->nq;
    s->settled = 0, s->judgement.known = false;
    if (settle(s, t, y, u, s->options.project))
        return CLV_OK;
    return clv_vector_finite(NULL, y, s->n) ? clv_fail(&s->error, CLV_ERR_SINGULAR, CLV_DIVIDED_ELSEWHERE)
                                      : clv_fail(&s->error, CLV_ERR_NOT_FINITE, "a coordinate or a rate is not finite");
}

bool clv_divided_seen(const clv_sim *s, double t)
{
    return s->settled == 1 && s->seen_t == t;
}

/* Has an impulse between segments outgrown the momenta?  It is ten times that of the kinetic energy of a segment, and
 * that at a typical speed, the size of the mechanism a second. */
static bool outgrown(const clv_sim *s, const double *each)
{
    const clv_system *k = &s->system;
    if (!s->options.regauge || s->formulation->state != CLV_STATE_MOMENTA)
        return false;
    for (int i = 0; i < s->plan->nsegment; i++) {
        const double m = k->segment_mass[i], typical = fmax(2 * m * each[3 * i], m * m * s->size * s->size);
        const double *F = k->ends[i].F, *W = k->ends[i].W;
        const bool held = s->plan->segment[i].root >= 0 && !s->plan->segment[i].free;
        if (clv_dot3(F, F) > 100 * typical || (held && clv_dot3(W, W) > 100 * typical))
            return true;
    }
    return false;
}

/* norm: the error norm of this part, then of the whole */
static void judge(clv_sim *s, double *norm)
{
    const clv_across *a = &s->divided->across;
    const int n = s->plan->nsegment;
    double *each = s->system.segment_sum, most[CLV_ACROSS_MOST] = {*norm, 0, 0, 0};
    clv_walk_segment_energies(&s->system, each);
    if (s->plan->ported)
        clv_walk_ports_open(&s->system, &most[OPEN], &most[SPEED]);
    if (s->system.late.code != CLV_OK || !clv_vector_finite(NULL, s->seen_y, s->n))
        most[WORST] = FAILED;
    else if (outgrown(s, each))
        most[WORST] = GAUGE;
    for (int i = n - 1; i >= 0; i--) {
        double *of = each + SUMS * i;
        memmove(of, each + 3 * i, 3 * sizeof *each);
        of[WORK] = i == 0 ? s->seen_y[s->n - 1] : 0;
    }
    if (s->system.close) {
        most[OPEN] = clv_segment_close_violation(&s->close);
        most[SPEED] = clv_segment_close_speed(&s->close, &s->system.kin);
    }
    if (s->plan->ported)
        a->look(a->owner, SUMS, each, s->judgement.sum, most, s->system.part);
    else
        a->add(a->owner, SUMS, each, s->judgement.sum, most);
    *norm = most[NORM], s->judgement.worst = most[WORST];
    s->judgement.open = most[OPEN], s->judgement.speed = most[SPEED];
    s->judgement.known = true;
}

double clv_divided_largest(void *owner, double x)
{
    clv_sim *s = owner;
    const clv_across *a = &s->divided->across;
    if (s->settled != 1 || s->judgement.known)
        return a->largest(a->owner, x);
    judge(s, &x);
    return x;
}

static clv_status failed(clv_sim *s)
{
    clv_error *late = &s->system.late;
    if (late->code != CLV_OK) {
        s->error = *late;
        late->code = CLV_OK;
        return s->error.code;
    }
    if (!clv_vector_finite(NULL, s->seen_y, s->n))
        return clv_fail(&s->error, CLV_ERR_NOT_FINITE, "a coordinate or a rate is not finite");
    return clv_fail(&s->error, CLV_ERR_SINGULAR, CLV_DIVIDED_ELSEWHERE);
}

/* nobody looks at bodies, and those of no segment here are fast enough to end the run, see blind.h */
static bool slow_enough(const clv_sim *s)
{
    bool slow = clv_sim_blind(s);
    for (int i = 0; i < s->plan->nsegment; i++)
        slow = slow && s->system.segment_sum[SUMS * i + SQUARES] < CLV_BLIND_SPEED * CLV_BLIND_SPEED;
    return slow;
}

/* the bodies one by one */
static clv_status look_at_speeds(clv_sim *s, const double *y)
{
    if (s->system.walked)
        clv_walk_view(&s->system, y);
    s->system.walked = false;
    return clv_check_speed(s);
}

/* where something moves fast, here or elsewhere */
static clv_status check_speed(clv_sim *s, const double *y)
{
    const clv_status st = slow_enough(s) ? CLV_OK : look_at_speeds(s, y);
    if (clv_across_all(&s->divided->across, st == CLV_OK))
        return CLV_OK;
    return st != CLV_OK ? st : clv_fail(&s->error, CLV_ERR_SINGULAR, CLV_DIVIDED_ELSEWHERE);
}

/* momenta of the rates at hand, with what those of y have beyond them by rounding; no impulses pass between segments */
static void remove_impulses(clv_sim *s, double t, double *y)
{
    clv_system *k = &s->system;
    memcpy(s->u, k->u, (size_t)s->plan->nu * sizeof(double));
    k->border_only = true;
    clv_walk_remember_momenta(k, y);
    clv_walk_momenta(k, t, y, s->u, y + s->plan->nq);
    k->border_only = false;
    s->seen_t = NAN;
}

/* m or rad that a step may leave open, as in one simulation */
static double open_most(const clv_sim *s)
{
    const double part = s->options.step > 0 || s->system.truncated > s->base_nullity
                            ? CLV_TOL_OPEN_FIXED
                            : fmax(CLV_TOL_OPEN, CLV_TOL_OPEN_SHARE * s->options.rtol);
    return part * fmax(1, s->size);
}

clv_status clv_divided_accepted(clv_sim *s, double t, double *y, int *changed)
{
    double none = 0;
    *changed = 0;
    if (!clv_divided_seen(s, t)) {
        const clv_status st = s->integrator.ode.rates(s, t, y, s->ydot);
        if (st != CLV_OK)
            return st;
        s->report.rate_evaluations++;
    }
    if (!s->judgement.known)
        judge(s, &none);
    const double *sum = s->judgement.sum;
    clv_status st = s->judgement.worst < FAILED ? CLV_OK : failed(s);
    if (st == CLV_OK && !(sum[SQUARES] < CLV_SLOW * CLV_SLOW))
        st = check_speed(s, y);
    if (st != CLV_OK)
        return st;
    if (s->options.project && !(s->judgement.open <= open_most(s)))
        return clv_fail(&s->error, CLV_ERR_INCONSISTENT, "%s at t = %.9g s",
                        s->plan->ported ? "loops do not close" : "the loop from ground to ground does not close", t);
    s->report.max_position_violation = fmax(s->report.max_position_violation, s->judgement.open);
    s->report.max_velocity_violation = fmax(s->report.max_velocity_violation, s->judgement.speed);
    s->report.max_velocity_violation_full = s->report.max_velocity_violation;
    clv_sim_account(s, t, sum[WORK], &(clv_energies){sum[KINETIC], sum[POTENTIAL], sum[SQUARES]});
    if (s->judgement.worst == GAUGE)
        remove_impulses(s, t, y), *changed = 2;
    clv_count_limit(s);
    return CLV_OK;
}
