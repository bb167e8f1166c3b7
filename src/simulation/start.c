/* SPDX-License-Identifier: Apache-2.0
 * The start (T14): coordinates of the tree joints from reference poses or joint data, rates from body velocities or
 * joint data, then assembly.  Loops that do not close are closed with the least mass-weighted displacement, and the
 * report says how far. */
#include <math.h>
#include <string.h>
#include "base/tolerance.h"
#include "base/error.h"
#include "math/rotation.h"
#include "simulation/sim.h"

static const double FAR = 30;      /* a violation v is closed by coordinates that change by up to this times sqrt(v) */
static const double TWO_PI = 6.283185307179586;

static void start_coordinates(clv_sim *s, double *q)
{
    const clv_plan *p = s->plan;
    const clv_model *m = s->model;
    for (int b = 0; b < p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        double *to = q + t->iq;
        if (t->iq < 0 || t->link >= 0)
            continue;
        if (t->joint < 0) { /* implicit free joint: place of the centre of mass, orientation */
            const clv_body *body = &m->body[b];
            double R[9], x[3];
            clv_quat_rotation(R, body->e);
            clv_mat3_times(x, R, body->com);
            for (int i = 0; i < 3; i++)
                to[i] = body->r[i] + x[i];
            memcpy(to + 3, body->e, 4 * sizeof(double));
        } else
            clv_joint_start(m, &m->joint[t->joint], to);
        clv_joint_normalize(t->kind, to);
    }
    for (int k = 0; k < p->nstar; k++)
        memcpy(q + p->star[k].iq, m->flex[k].eta, (size_t)p->star[k].nmode * sizeof(double));
}

/* fails at the closing joint or coupling with the largest number in s->row */
static clv_status fail_at_worst(clv_sim *s, double violation, const char *what, const char *unit)
{
    const clv_edge *e = &s->plan->edge[clv_widest_edge(s)];
    const char *name = e->joint >= 0 ? s->model->joint[e->joint].name : s->model->coupling[e->coupling].name;
    clv_fail(&s->error, CLV_ERR_INCONSISTENT, "%s: %s '%s' %s %.3g (%s)", what, e->joint >= 0 ? "joint" : "coupling",
             name, e->joint >= 0 ? "stays open by" : "is off by", violation, unit);
    clv_error_locate(&s->error, e->joint >= 0 ? "joints" : "couplings", name, NULL);
    s->error.value = violation;
    s->error.time = s->system.kin.time;
    return s->error.code;
}

clv_status clv_not_closed(clv_sim *s, double violation, const char *what)
{
    clv_kinematics_violation(&s->system.kin, s->row);
    fail_at_worst(s, violation, what, "m or rad");
    size_t end = strlen(s->error.message);
    clv_loop_text(s, clv_widest_edge(s), s->error.message + end, sizeof s->error.message - end);
    if (s->system.kin.time <= 0 && s->model->nmotion > 0) {
        const clv_motion *m = s->model->motion;
        clv_error_hint(&s->error,
                       "motion '%s' holds joint '%s'%s at its value at t = 0: check this value, then lengths of the "
                       "loop and positions of its joints",
                       m->name, s->model->joint[m->joint].name,
                       s->model->nmotion > 1 ? ", as others hold theirs," : "");
        return s->error.code;
    }
    if (s->assembly_attempts > 1) {
        clv_error_hint(&s->error,
                       "this is the closest of %d attempts: check the lengths of the loop, the positions of its "
                       "joints on their bodies, which joints may move, and `cut`",
                       s->assembly_attempts);
        return s->error.code;
    }
    const char *start = "check the start positions of its bodies, lengths of the loop, and which joints may move";
    const char *driven = "its motions prescribe more than its lengths allow, or contradict each other";
    const char *passive = "the step was too long for this motion: take shorter steps, or a smaller `rtol`";
    clv_error_hint(&s->error, "%s", s->system.kin.time <= 0 ? start : s->model->nmotion > 0 ? driven : passive);
    return s->error.code;
}

clv_status clv_not_moving(clv_sim *s, double violation, const char *what)
{
    clv_kinematics_velocity_violation(&s->system.kin, s->row);
    return fail_at_worst(s, violation, what, "m/s or rad/s");
}

/* prescribed rates that the loops cannot follow; free ones were projected */
static clv_status not_moving(clv_sim *s, double violation)
{
    char joint[sizeof s->error.joint];
    const clv_model *m = s->model;
    clv_not_moving(s, violation, "the motions contradict the loops");
    if (m->nmotion > 0) { /* the place shown is the last motion's, not the joint's */
        memcpy(joint, s->error.joint, sizeof joint);
        clv_error_locate(&s->error, "motions", m->motion[m->nmotion - 1].name, NULL);
        memcpy(s->error.joint, joint, sizeof joint);
    }
    clv_error_hint(&s->error,
                   "at the start the mechanism cannot move as its motions prescribe: too many motions, or a locked "
                   "position");
    return s->error.code;
}

/* how far the coordinates of a closing joint differ from those given; whole turns do not count */
static double off_by(const clv_sim *s, int e)
{
    const clv_joint *j = &s->model->joint[s->plan->edge[e].joint];
    double q[7], u[6], off = 0;
    int nq = clv_joint_table[j->kind].nq, nu = clv_joint_table[j->kind].nu;
    clv_kinematics_closing_state(&s->system.kin, e, q, u);
    if (nq > nu)
        return clv_joint_moved(j->kind, j->q, q);
    for (int i = 0; i < nq; i++) {
        double d = fabs(q[i] - j->q[i]);
        off = fmax(off, nu > 0 ? fmin(d, fabs(d - TWO_PI)) : d);
    }
    return off;
}

/* edge of the closing joint that differs most from its given coordinates, by *off; -1 if none has any */
static int most_off(const clv_sim *s, double *off)
{
    const clv_plan *p = s->plan;
    int worst = -1;
    *off = 0;
    for (int e = 0; e < p->nedge; e++) {
        int j = p->edge[e].joint;
        if (p->edge[e].tree_body >= 0 || j < 0 || !s->model->joint[j].has_q)
            continue;
        double d = off_by(s, e);
        if (worst < 0 || d > *off)
            *off = d, worst = e;
    }
    return worst;
}

/* a start coordinate given for a joint that closes a loop must come out of the assembly */
static clv_status check_given(clv_sim *s)
{
    double off;
    int e = most_off(s, &off);
    if (e < 0 || off <= CLV_TOL_GIVEN)
        return CLV_OK;
    const char *name = s->model->joint[s->plan->edge[e].joint].name;
    clv_fail(&s->error, CLV_ERR_INCONSISTENT,
             "joint '%s' closes a loop; its start coordinate follows from the others and differs by %.3g from the one "
             "given",
             name, off);
    clv_error_locate(&s->error, "start.joints", name, "q");
    clv_error_hint(&s->error, "leave it out, or make it a tree joint: set 'cut: true' on another joint");
    return s->error.code;
}

/* fills joint_moved: largest change of a coordinate from those in `from` (nq), m or rad, of an orientation by its
 * angle; returns the largest of all, modes included */
static double farthest(const clv_sim *s, const double *from)
{
    const clv_plan *p = s->plan;
    double most = 0;
    for (int b = 0; b < p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        double moved = t->iq < 0 ? 0 : clv_joint_moved(t->kind, from + t->iq, s->q + t->iq);
        most = fmax(most, moved);
        if (t->joint >= 0)
            s->joint_moved[t->joint] = moved;
    }
    for (int k = 0; k < p->nstar; k++)
        for (int m = 0; m < p->star[k].nmode; m++)
            most = fmax(most, fabs(s->q[p->star[k].iq + m] - from[p->star[k].iq + m]));
    return most;
}

/* angles of closing joints are measured near the given start coordinates, or near zero */
static void start_turns(clv_sim *s)
{
    const clv_plan *p = s->plan;
    for (int e = 0; e < p->nedge; e++) {
        const clv_joint *j = p->edge[e].joint >= 0 ? &s->model->joint[p->edge[e].joint] : NULL;
        if (p->edge[e].tree_body < 0 && j && j->has_q)
            memcpy(s->system.kin.turn + 6 * (size_t)e, j->q,
                   (size_t)(clv_joint_table[j->kind].nq < 6 ? clv_joint_table[j->kind].nq : 6) * sizeof(double));
    }
}

/* largest change of a coordinate from those in `from` (nq), rad or parts of the model's size; orientations by angle */
static double way(const clv_sim *s, const double *from)
{
    const clv_plan *p = s->plan;
    double most = 0;
    for (int b = 0; b < p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        if (t->iq >= 0)
            most = fmax(most, clv_joint_moved(t->kind, from + t->iq, s->q + t->iq) / clv_coordinate_size(s, t->iu));
    }
    return most;
}

/* Assembly that leads far away from a small violation has found another position of the loops.  Redundant rows that
 * contradict each other (T40) do not close where they are given: then that place counts, with the limit of the option.
 * False: it is no such case, and q is what it was.  given: (nq). */
static bool stays_at_given(clv_sim *s, const double *given, double before, double *misfit, clv_status *st)
{
    const size_t size = (size_t)s->plan->nq * sizeof(double);
    double *assembled = s->y, moved; /* y: free until the start is there */
    if (before > CLV_TOL_NEARLY_CLOSED || s->options.contradiction == 0 || way(s, given) <= FAR * sqrt(before))
        return false;
    memcpy(assembled, s->q, size);
    memcpy(s->q, given, size);
    *st = clv_decide_rank(s);
    if (*st == CLV_OK && s->system.redundant > 0)
        *st = clv_project_position(s, s->model->begin, s->q, true, 60, &moved);
    if (*st == CLV_OK && s->system.redundant > 0 && clv_is_closed(s, CLV_TOL_CLOSED, CLV_TOL_NEARLY_CLOSED, misfit))
        return true;
    clv_error_clear(&s->error);
    *st = CLV_OK;
    memcpy(s->q, assembled, size);
    return false;
}

/* A start that is closed stays as given (nq) where the projection leaves far more.  It multiplies rounding by
 * directions that are held weakly (T162).  Near a singular position some are kept only by rounding (T163). */
static const double WORSE = 100, OPENED = 1e-12;
static clv_status go_back(clv_sim *s, const double *given, double *misfit)
{
    memcpy(s->q, given, (size_t)s->plan->nq * sizeof(double));
    s->report.start_moved = 0;
    const clv_status st = clv_decide_rank(s);
    *misfit = clv_position_misfit(s);
    return st;
}

/* Loops closed to rounding, or nearly, are closed by the projection of steps (T14); others are assembled first (T36),
 * and so are those that miss the given coordinate of a closing joint. */
static clv_status close_loops(clv_sim *s, double before, double *misfit)
{
    const double near = s->plan->nstar > 0 ? CLV_TOL_CLOSED : 1e-6, rounding = 4e-15;
    const double contradiction = 100 * fmax(s->options.contradiction, 1e-8); /* more is not closed: T40 */
    double *given = s->out_y, off; /* out_y: free until the start is there */
    size_t size = (size_t)s->plan->nq * sizeof(double);
    bool closed = false;
    clv_status st = CLV_OK;
    memcpy(given, s->q, size);
    s->report.start_moved = 0;
    if (before <= near) {
        st = clv_decide_rank(s);
        if (st == CLV_OK)
            st = clv_project_position(s, s->model->begin, s->q, true, 60, &s->report.start_moved);
        if (st != CLV_OK)
            return st;
        closed = clv_is_closed(s, CLV_TOL_CLOSED, contradiction, misfit);
        if (before <= CLV_TOL_CLOSED && (!closed || *misfit > fmax(WORSE * before, OPENED))) {
            st = go_back(s, given, misfit);
            closed = true;
        }
        if (st != CLV_OK)
            return st;
    }
    if (closed && (most_off(s, &off) < 0 || off <= CLV_TOL_GIVEN)) {
        farthest(s, given);
        return CLV_OK;
    }
    memcpy(s->q, given, size);
    st = clv_assemble(s, s->model->begin, s->q, NULL, closed);
    if (st != CLV_OK)
        return st;
    *misfit = clv_position_misfit(s);
    if (stays_at_given(s, given, before, misfit, &st)) {
        s->report.start_moved = farthest(s, given);
        return st;
    }
    s->report.start_moved = farthest(s, given);
    double moved = 0;
    if (*misfit > contradiction)
        return clv_not_closed(s, clv_position_violation(s), "the start cannot be assembled");
    st = clv_decide_rank(s);
    if (st == CLV_OK && *misfit > rounding)
        st = clv_project_position(s, s->model->begin, s->q, true, 60, &moved);
    if (st == CLV_OK && !clv_is_closed(s, CLV_TOL_CLOSED, contradiction, misfit))
        return clv_not_closed(s, clv_position_violation(s), "the start cannot be assembled");
    return st;
}

/* u: given rates moved onto the loops */
static clv_status start_velocities(clv_sim *s)
{
    double rate, moved;
    clv_status st = clv_start_rates(s, s->u, &rate, &moved);
    if (st != CLV_OK)
        return st;
    s->report.start_velocity_moved = moved;
    const double misfit = clv_velocity_misfit(s), all = fmax(1, fmax(rate, clv_motion_part(s, s->system.kin.V)));
    double most = CLV_TOL_RATES;
    if (s->base_nullity > 0) /* redundant rows of prescribed joints show their contradiction here alone (T40) */
        most = fmax(most, fmax(s->options.contradiction, 10 * s->report.contradiction));
    if (!(misfit <= most * all))
        return not_moving(s, clv_velocity_violation(s));
    if (misfit > s->report.contradiction * all)
        s->report.contradiction = misfit / all;
    return CLV_OK;
}

double clv_sim_joint_start_moved(const clv_sim *s, int joint)
{
    return clv_sim_ready(s) && joint >= 0 && joint < s->model->njoint ? s->joint_moved[joint] : NAN;
}

double clv_sim_joint_start_rate_moved(const clv_sim *s, int joint)
{
    return clv_sim_ready(s) && joint >= 0 && joint < s->model->njoint ? s->joint_rate_moved[joint] : NAN;
}

double clv_sim_body_start_velocity_moved(const clv_sim *s, int body)
{
    return clv_sim_ready(s) && body >= 0 && body < s->model->nbody ? s->body_rate_moved[body] : NAN;
}

clv_status clv_start(clv_sim *s)
{
    clv_system *y = &s->system;
    start_coordinates(s, s->q);
    start_turns(s);
    y->kin.apart = clv_starts_in_rows(s);
    clv_status st = clv_system_pose(y, s->model->begin, s->q);
    y->kin.apart = false;
    if (st != CLV_OK)
        return st;
    clv_model_size(s);
    clv_find_slides(s);
    double misfit = 0;
    if (s->plan->ported) /* loops are closed with those of other segments (T160) */
        return clv_start_tree_rates(s, s->u);
    if (s->plan->nclosing_row > 0) {
        double before = clv_position_violation(s);
        st = close_loops(s, clv_position_misfit(s), &misfit);
        if (st != CLV_OK)
            return st;
        if (s->options.start_tolerance >= 0 && s->report.start_moved > s->options.start_tolerance)
            return clv_not_closed(s, before, "the start does not close");
        st = check_given(s);
        if (st != CLV_OK)
            return st;
    }
    if (s->plan->nclosing_row == 0 || s->report.start_moved > 0)
        st = clv_decide_rank(s);
    clv_kinematics_keep_turns(&y->kin);
    if (st != CLV_OK)
        return st;
    s->report.start_strain_energy = clv_strain_energy(s, s->q);
    st = clv_check_contradiction(s, misfit);
    if (st == CLV_OK)
        st = clv_open_consistent(s); /* rows that agree in their directions may disagree in what they measure */
    return st == CLV_OK ? start_velocities(s) : st;
}
