/* SPDX-License-Identifier: Apache-2.0
 * Summaries of a run; see summary.h. */
#include "cli/summary.h"
#include "cli/peaks.h"
#include "cli/tone.h"
#include "math/rotation.h"
#include "math/sincos.h"
#include "model/joint.h"
#include "model/model.h"
#include "simulation/report_rows.h"
#include <math.h>

/* ---------------------------------------------------------------- JSON */

/* the rows of the report that belong to a part */
static void json_rows(clv_json *j, const clv_sim_report *r, clv_report_part part)
{
    const clv_report_row *row;
    for (int i = 0; (row = clv_report_row_at(i)) != NULL; i++) {
        if (row->part != part)
            continue;
        if (row->type == CLV_REPORT_NUMBER)
            clv_json_number(j, row->name, clv_report_number(r, row));
        else
            clv_json_integer(j, row->name, (long)clv_report_number(r, row));
    }
}

void clv_summary_json_size(clv_json *j, const clv_subject *s, const clv_sim_report *r)
{
    clv_json_text(j, "model", clv_model_name(s->model));
    clv_json_text(j, "formulation", r->formulation);
    json_rows(j, r, CLV_REPORT_SIZE);
    clv_json_array(j, "redundant_joints");
    for (int i = 0; i < clv_model_joint_count(s->model); ++i)
        if (clv_sim_joint_redundant(s->sim, i))
            clv_json_text(j, NULL, clv_model_joint_name(s->model, i));
    clv_json_end(j);
}

/* m/s: a last change of velocities by impulses that is more than rounding (T89) */
static const double CONTACT_RESIDUAL = 1e-6;
static const char *const stage_name[3] = {"position", "velocity", "acceleration"};

/* only of formulations that iterate */
static void json_iterations(clv_json *j, const clv_sim_report *r)
{
    if (r->stage[0].runs + r->stage[1].runs + r->stage[2].runs == 0)
        return;
    clv_json_object(j, "iterations");
    for (int i = 0; i < 3; ++i) {
        const clv_stage_report *g = &r->stage[i];
        clv_json_object(j, stage_name[i]);
        clv_json_integer(j, "runs", g->runs);
        clv_json_number(j, "mean", g->runs > 0 ? (double)g->iterations / (double)g->runs : NAN);
        clv_json_integer(j, "most", g->most);
        clv_json_integer(j, "limited", g->limited);
        clv_json_integer(j, "stalled", g->stalled);
        clv_json_end(j);
    }
    clv_json_end(j);
}

/* only of formulations with their time step built in */
static void json_step_iterations(clv_json *j, const clv_sim_report *r)
{
    if (r->iterations == 0)
        return;
    clv_json_object(j, "step_iterations");
    clv_json_number(j, "mean", (double)r->iterations / (double)r->steps);
    clv_json_integer(j, "most", r->max_iterations);
    clv_json_integer(j, "missed_steps", r->missed_steps);
    clv_json_end(j);
    clv_json_number(j, "max_acceleration_violation", r->max_acceleration_violation);
}

void clv_summary_json_run(clv_json *j, const clv_sim_report *r, double wall)
{
    json_rows(j, r, CLV_REPORT_WORK);
    clv_json_number(j, "wall_seconds", wall);
    clv_json_number(j, "seconds_per_evaluation", r->rate_evaluations > 0 ? wall / (double)r->rate_evaluations : NAN);
    json_rows(j, r, CLV_REPORT_RUN);
    json_iterations(j, r);
    if (r->step > 0)
        clv_json_number(j, "step", r->step);
    json_step_iterations(j, r);
}

void clv_summary_json_modes(clv_json *j, const clv_sim *sim, int body, bool accelerations)
{
    const double *q, *u, *udot;
    int n = clv_sim_modes(sim, body, &q, &u, &udot);
    if (n == 0)
        return;
    clv_json_object(j, "modes");
    clv_json_numbers(j, "q", q, n);
    clv_json_numbers(j, "u", u, n);
    if (udot && accelerations)
        clv_json_numbers(j, "udot", udot, n);
    clv_json_end(j);
}

void clv_summary_json_momentum(clv_json *j, const clv_sim *sim)
{
    clv_momentum m;
    clv_sim_momentum(sim, &m);
    clv_json_object(j, "momentum");
    clv_json_number(j, "mass", m.mass);
    clv_json_numbers(j, "centre", m.centre, 3);
    clv_json_numbers(j, "linear", m.linear, 3);
    clv_json_numbers(j, "angular", m.angular, 3);
    clv_json_end(j);
}

void clv_summary_json_bodies(clv_json *j, const clv_subject *s)
{
    const double *r = clv_sim_position(s->sim), *e = clv_sim_quaternion(s->sim), *V = clv_sim_velocity(s->sim);
    clv_json_object(j, "final");
    for (int i = 0; i < clv_model_body_count(s->model); ++i) {
        clv_json_object(j, clv_model_body_name(s->model, i));
        clv_json_numbers(j, "position", r + 3 * i, 3);
        clv_json_numbers(j, "velocity", V + 6 * i, 3);
        clv_json_numbers(j, "quaternion", e + 4 * i, 4);
        clv_json_numbers(j, "angular_velocity", V + 6 * i + 3, 3);
        clv_summary_json_modes(j, s->sim, i, false);
        clv_json_end(j);
    }
    clv_json_end(j);
}

/* ---------------------------------------------------------------- text */

static const char *plural(long n)
{
    return n == 1 ? "" : "s";
}

const char *clv_duration(char text[24], double seconds)
{
    static const struct {
        double least;
        const char *unit;
    } scale[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {0, "ns"}};
    int i = 0;
    while (i < 3 && seconds < scale[i].least)
        ++i;
    snprintf(text, 24, "%.3g %s", seconds / (i == 3 ? 1e-9 : scale[i].least), scale[i].unit);
    return text;
}

void clv_label(const char *text)
{
    printf("%-22s", text);
}

/* Does a motion prescribe something that nothing else prescribes?  Its drive is unique then along the joint's axis. */
static bool independent(const clv_model *m, clv_sim *sim, const clv_motion *x)
{
    const clv_joint *j = &m->joint[x->joint];
    clv_joint_result r;
    double R[9], z[3];
    if (clv_sim_joint(sim, x->joint, &r) != CLV_OK)
        return true;
    clv_mat3_column(z, j->Eb, 2);
    if (j->b >= 0) {
        double local[3];
        clv_copy3(local, z);
        clv_quat_rotation(R, clv_sim_quaternion(sim) + 4 * j->b);
        clv_mat3_times(z, R, local);
    }
    for (int i = 0; i < 3; ++i)
        if (fabs(z[i]) > 0.5 && !r.unique[(clv_joint_shift(j->kind, 0) ? 0 : 3) + i])
            return false;
    return true;
}

void clv_summary_freedoms(char text[CLV_FREEDOMS_TEXT], const clv_model *m, clv_sim *sim, const clv_sim_report *r)
{
    const int motions = m->nmotion, redundant = r->redundant_constraints, most = CLV_FREEDOMS_TEXT;
    int driven = 0, n;
    for (int i = 0; i < motions; ++i)
        driven += independent(m, sim, &m->motion[i]);
    if (driven < motions)
        n = snprintf(text, (size_t)most, "%d free beside %d motions, some of which repeat others", r->mobility_found,
                     motions);
    else if (motions == 0)
        n = snprintf(text, (size_t)most, "%d", r->mobility_found);
    else if (r->mobility_found > 0)
        n = snprintf(text, (size_t)most, "%d: %d free, %d driven by motion%s", r->mobility_found + driven,
                     r->mobility_found, driven, plural(driven));
    else if (motions == 1)
        n = snprintf(text, (size_t)most, "1, driven by motion '%.200s'", m->motion[0].name);
    else
        n = snprintf(text, (size_t)most, "%d, %s driven by motions", driven, driven == 2 ? "both" : "all");
    if (redundant > 0 || r->mobility_counted != r->mobility_found)
        snprintf(text + n, (size_t)(most - n), " (Gruebler count %d; %d redundant constraint%s)",
                 r->mobility_counted + driven, redundant, plural(redundant));
}

void clv_summary_print_freedoms(const clv_subject *s, const clv_sim_report *r)
{
    char text[CLV_FREEDOMS_TEXT];
    clv_summary_freedoms(text, s->model, s->sim, r);
    clv_label("degrees of freedom");
    printf("%s\n", text);
}

void clv_summary_print_size(const clv_subject *s, const clv_sim_report *r)
{
    printf("%s%s%s: %d bod%s, %d joint%s, %d loop%s\n", clv_tone_begin(CLV_TONE_BOLD), clv_model_name(s->model),
           clv_tone_begin(CLV_TONE_PLAIN), r->bodies, r->bodies == 1 ? "y" : "ies", r->joints, plural(r->joints),
           r->loops, plural(r->loops));
    clv_summary_print_freedoms(s, r);
}

void clv_summary_print_assembly(const clv_subject *s, const clv_sim_report *r)
{
    if (r->start_moved > 1e-9) {
        clv_label("start");
        printf("moved by %.2g m or rad to close the loops\n", r->start_moved);
    }
    clv_summary_print_moved(s);
}

double clv_summary_overridden(const clv_model *m, int motion)
{
    const clv_motion *x = &m->motion[motion];
    const clv_joint *j = &m->joint[x->joint];
    const bool placed = (j->a >= 0 && m->body[j->a].placed) || (j->b >= 0 && m->body[j->b].placed);
    double given[7], at[3];
    if (!placed || j->has_q)
        return 0;
    clv_joint_start(m, j, given);
    clv_motion_at(x, 0, &at[0], &at[1], &at[2]);
    const double off = at[0] - given[0], turn = 2 * CLV_PI;
    return clv_joint_angle(j->kind, 0) ? off - turn * round(off / turn) : off;
}

static void print_overridden(const clv_model *m)
{
    enum { MOST = 4 };
    int n = 0;
    for (int i = 0; i < m->nmotion; ++i) {
        const double off = clv_summary_overridden(m, i);
        if (fabs(off) > 1e-9 && n++ < MOST)
            printf("note                  motion '%s' starts %.3g %s away from the poses given for the bodies of joint "
                   "'%s'; the motion counts\n",
                   m->motion[i].name, off, clv_joint_angle(m->joint[m->motion[i].joint].kind, 0) ? "rad" : "m",
                   m->joint[m->motion[i].joint].name);
    }
    if (n > MOST)
        printf("                      and %d more motions\n", n - MOST);
}

/* "what: joint by size, ..." of the joints of which `moved` is more than 1e-9 */
static void print_changes(const clv_subject *s, const char *what, double (*moved)(const clv_subject *s, int joint))
{
    enum { MOST = 8 };
    int n = 0;
    for (int i = 0; i < s->model->njoint; ++i)
        if (moved(s, i) > 1e-9 && n++ < MOST)
            printf("%s%s%s by %.2g", n == 1 ? "                      " : ", ", n == 1 ? what : "",
                   s->model->joint[i].name, moved(s, i));
    if (n > MOST)
        printf(" and %d more", n - MOST);
    if (n > 0)
        printf("\n");
}

static double coordinate_moved(const clv_subject *s, int joint)
{
    return s->model->joint[joint].has_q ? clv_sim_joint_start_moved(s->sim, joint) : 0;
}

static double rate_moved(const clv_subject *s, int joint) { return clv_sim_joint_start_rate_moved(s->sim, joint); }

void clv_summary_print_moved(const clv_subject *s)
{
    print_changes(s, "given coordinates moved (m or rad): ", coordinate_moved);
    for (int i = 0; i < s->model->njoint; ++i)
        if (rate_moved(s, i) > 1e-9) {
            clv_summary_warn();
            printf("the joints and loops have no motion with all given rates; it starts with the nearest one\n");
            break;
        }
    print_changes(s, "given rates changed (m/s or rad/s): ", rate_moved);
    print_overridden(s->model);
}

void clv_summary_warn(void)
{
    printf("%swarning%s               ", clv_tone_begin(CLV_TONE_WARN), clv_tone_begin(CLV_TONE_PLAIN));
}

void clv_summary_print_rounding(const clv_sim_report *r, double rtol)
{
    if (!(r->momentum_error > rtol))
        return;
    if (strcmp(r->formulation, "hdca") != 0) {
        clv_label("formulation");
        printf("%s, as hdca would lose %.1g of the rates (rounding of momenta)\n", r->formulation, r->momentum_error);
        return;
    }
    clv_summary_warn();
    printf("rates lose %.1g as momenta (rounding), more than the tolerance, %.1g: use --formulation dca\n",
           r->momentum_error, rtol);
}

void clv_summary_print_time(const clv_sim_report *r, double time, double wall)
{
    char text[24];
    clv_label("simulated");
    printf("%.6g s in %s", time, clv_duration(text, wall));
    if (wall > 0 && time > 0)
        printf(" (%.3gx real time)", time / wall);
    printf(" by %s with %s\n", r->formulation, r->integrator);
}

/* A share of the energy that moves, in words. */
static const char *drift_word(double share)
{
    return share <= 1e-10 ? "rounding" : share <= 1e-6 ? "very small" : share <= 1e-3 ? "small"
           : share <= CLV_DRIFT_WARNING ? "noticeable" : "large";
}

/* Is the drift beside the energy itself no more than its last digits?  So it is where almost nothing moves. */
static bool is_rounding(const clv_sim_report *r)
{
    return r->max_energy_drift <= 1e-13 * fmax(fabs(r->energy_initial), fabs(r->energy));
}

static void print_energy(const clv_sim_report *r)
{
    char text[40];
    clv_label("energy drift");
    if (r->max_energy_drift_relative > 1e-10 && is_rounding(r))
        printf("%.2g J, rounding of the energy\n", r->max_energy_drift);
    else if (isfinite(r->max_energy_drift_relative))
        printf("%.2g J, %s: %.1g of the %s that move\n", r->max_energy_drift, drift_word(r->max_energy_drift_relative),
               r->max_energy_drift_relative, clv_amount(text, r->energy_moved, "J"));
    else if (isfinite(r->max_energy_drift))
        printf("%.2g J\n", r->max_energy_drift);
    else
        printf("unknown (callbacks)\n");
    if (r->max_energy_drift_relative > CLV_DRIFT_WARNING && !is_rounding(r)) {
        clv_summary_warn();
        printf("the energy drift is %.1g of the energy that moves: the motion is not accurate; use a smaller %s\n",
               r->max_energy_drift_relative, r->step > 0 ? "--step" : "--rtol");
    }
    if (r->dropped_energy > 0.1 * r->max_energy_drift && r->dropped_energy > 1e-6 * fabs(r->energy_initial)) {
        clv_summary_warn();
        printf("up to %.2g J were lost near a position that was taken for singular: try adaptive steps, or "
               "--rank 1e-10\n",
               r->dropped_energy);
    }
}

void clv_summary_print_accuracy(const clv_sim_report *r, double singular)
{
    print_energy(r);
    if (r->loops > 0 || r->max_position_violation > 0) {
        clv_label("constraint violation");
        printf("position %.2g, velocity %.2g (m or rad; per s)\n", r->max_position_violation,
               r->max_velocity_violation);
    }
    if (r->contradiction > 1e-12 || r->max_contradiction > 1e-10) {
        clv_label("contradiction");
        printf("%.2g at the start, at most %.2g along the motion (rad, or parts of the size)\n", r->contradiction,
               r->max_contradiction);
    }
    if (r->truncated_evaluations > 0) {
        clv_label("singular positions");
        if (isfinite(singular))
            printf("first near t = %.4g s; ", singular);
        printf("the rank fell below that of the start in %ld of %ld right-hand-side evaluations\n",
               r->truncated_evaluations, r->rate_evaluations);
    }
    if (r->velocity_jumps > 0) {
        clv_label("velocity jumps");
        printf("%ld of the motions, by up to %.3g m/s or rad/s\n", r->velocity_jumps, r->max_velocity_jump);
    }
}

static bool has_springs(const clv_model *m)
{
    bool any = false;
    for (int i = 0; i < m->nforce; ++i)
        any |= m->force[i].stiffness > 0 || m->force[i].damping > 0;
    return any;
}

/* Steps that are short against the motion they show: a stiff part is followed that nobody looks at. */
static bool is_stiff(const clv_subject *s, const clv_step_limit *x, const clv_sim_report *r, double step)
{
    if (isfinite(x->frequency))
        return x->share > 0.3 && 2 * CLV_PI * x->frequency * step > 0.1;
    return x->share > 0.5 && r->steps > 2000 && has_springs(s->model);
}

/* What set the steps, and what to try if that is stiff. */
static void print_limit(const clv_subject *s, const clv_sim_report *r, double step)
{
    clv_step_limit x;
    if (!clv_sim_step_limit(s->sim, &x))
        return;
    clv_label("step set by");
    if (x.mode >= 0)
        printf("mode %d of %s", x.mode + 1, clv_model_body_name(s->model, x.body));
    else if (x.joint >= 0)
        printf("joint %s", clv_model_joint_name(s->model, x.joint));
    else
        printf("body %s", clv_model_body_name(s->model, x.body));
    if (isfinite(x.frequency))
        printf(" (%.4g Hz)", x.frequency);
    printf(", in %.0f %% of the steps\n", 100 * x.share);
    if (is_stiff(s, &x, r, step)) {
        clv_label("");
        printf("if its vibration does not matter, try --formulation index3 --integrator generalized-alpha "
               "--step %.1g\n",
               isfinite(x.frequency) ? 1 / x.frequency : 10 * step);
    }
}

void clv_summary_json_limit(clv_json *j, const clv_subject *s)
{
    clv_step_limit x = {-1, -1, -1, NAN, NAN};
    const bool known = clv_sim_step_limit(s->sim, &x);
    clv_json_object(j, "step_limit");
    clv_json_text(j, "body", known ? clv_model_body_name(s->model, x.body) : "");
    clv_json_text(j, "joint", known && x.joint >= 0 ? clv_model_joint_name(s->model, x.joint) : "");
    clv_json_integer(j, "mode", known && x.mode >= 0 ? x.mode + 1 : 0);
    clv_json_number(j, "frequency", x.frequency);
    clv_json_number(j, "share", x.share);
    clv_json_end(j);
}

void clv_summary_print_steps(const clv_subject *s, const clv_sim_report *r, double time)
{
    char text[24];
    clv_label("steps");
    if (r->steps == 0) {
        printf("none: there is no result beyond the start\n");
        return;
    }
    printf("%ld", r->steps);
    if (r->rejected_steps > 0)
        printf(" and %ld rejected", r->rejected_steps);
    printf(", of %s %s\n", clv_duration(text, r->step > 0 ? r->step : time / (double)r->steps),
           r->step > 0 ? "each" : "on average");
    if (!(r->step > 0))
        print_limit(s, r, time / (double)r->steps);
    if (r->missed_steps > 0) {
        clv_summary_warn();
        printf("%ld step%s taken at the limit of iterations\n", r->missed_steps, plural(r->missed_steps));
    }
    if (r->contact_limited > 0 && r->contact_residual > CONTACT_RESIDUAL) {
        clv_summary_warn();
        printf("in %ld of %ld steps with contacts the impulses did not converge, velocities by up to %.2g m/s; use a\n"
               "                      smaller --step, less friction, or a stiffness in place of the restitution\n",
               r->contact_limited, r->contact_steps, r->contact_residual);
    }
    if (r->contact_jams > 0) {
        clv_summary_warn();
        printf(
            "in %ld step%s friction presses a sliding point of contact '%s' into the surface, first at %.6g s: rigid\n"
            "                      bodies have no solution there, or several (Painleve), and the impulses are one of "
            "them;\n"
            "                      use less friction, or a stiffness in place of the restitution\n",
            r->contact_jams, plural(r->contact_jams), s->model->force[r->contact_jam - 1].name, r->contact_jam_time);
    }
}

void clv_summary_print_internals(const clv_sim_report *r, double wall, int threads)
{
    char text[24];
    printf("right-hand side       %ld evaluations", r->rate_evaluations);
    if (r->rate_evaluations > 0)
        printf(", %s each", clv_duration(text, wall / (double)r->rate_evaluations));
    printf(", %d thread%s\n", threads, plural(threads));
    clv_label("energy");
    printf("%.10g J at the start, %.10g J at the end\n", r->energy_initial, r->energy);
    for (int i = 0; i < 3; ++i)
        if (r->stage[i].runs > 0) {
            clv_label("iterations");
            printf("%s: %.2f in the mean, %d at most; %ld limited, %ld stalled\n", stage_name[i],
                   (double)r->stage[i].iterations / (double)r->stage[i].runs, r->stage[i].most, r->stage[i].limited,
                   r->stage[i].stalled);
        }
    if (r->iterations > 0) {
        clv_label("iterations");
        printf("%.2f a step in the mean, %d at most; %ld step%s taken at the limit\n",
               (double)r->iterations / (double)r->steps, r->max_iterations, r->missed_steps, plural(r->missed_steps));
    }
    if (r->contact_steps > 0) {
        clv_label("contact impulses");
        printf("in %ld steps, %.1f iterations in the mean; %ld at the limit, residual %.2g m/s\n", r->contact_steps,
               (double)r->contact_iterations / (double)r->contact_steps, r->contact_limited, r->contact_residual);
    }
    if (r->loops > 0) {
        clv_label("rank");
        printf("%ld evaluation%s below the rank of the start; smallest pivot %.2g; largest loop impulse %.2g\n",
               r->truncated_evaluations, plural(r->truncated_evaluations), r->min_pivot, r->max_sigma);
    }
}
