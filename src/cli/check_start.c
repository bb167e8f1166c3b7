/* SPDX-License-Identifier: Apache-2.0
 * How far the start had to be moved until the loops closed, and which joint had the largest violation; see check.h. */
#include "cli/check.h"
#include "cli/summary.h"
#include "math/rotation.h"
#include "model/force.h"
#include "model/joint.h"
#include "model/model.h"
#include <math.h>
#include <string.h>

/* m: distance of the two points of a joint in the poses of the model; NaN where they may lie apart. */
static double gap(const clv_model *m, const clv_joint *j)
{
    const int body[2] = {j->a, j->b};
    const double *point[2] = {j->pa, j->pb};
    double p[2][3], R[9], d[3];
    if (j->kind == CLV_JOINT_PRISMATIC || j->kind == CLV_JOINT_HELICAL || j->kind == CLV_JOINT_CYLINDRICAL ||
        j->kind == CLV_JOINT_PLANAR || j->kind == CLV_JOINT_FREE || j->kind == CLV_JOINT_DISTANCE ||
        j->kind == CLV_JOINT_POINT_ON_CURVE || clv_joint_velocity_rows(j->kind) > 0 || j->absent)
        return NAN;
    for (int k = 0; k < 2; ++k) {
        memcpy(p[k], point[k], sizeof p[k]);
        if (body[k] == CLV_GROUND)
            continue;
        clv_quat_rotation(R, m->body[body[k]].e);
        clv_mat3_times(p[k], R, point[k]);
        clv_axpy3(p[k], 1, m->body[body[k]].r);
    }
    clv_sub3(d, p[0], p[1]);
    return clv_norm3(d);
}

/* The joint with the largest violation in the poses of the model, or -1. */
static int widest(const clv_model *m, double *most)
{
    int joint = -1;
    *most = 1e-9; /* less is rounding of the file */
    for (int j = 0; j < m->njoint; ++j)
        if (gap(m, &m->joint[j]) > *most)
            *most = gap(m, &m->joint[j]), joint = j;
    return joint;
}

/* Closed as given but for velocities; the motion that starts fastest is named. */
static void print_adjusted(const clv_model *m, const clv_sim_report *r)
{
    int fastest = -1;
    double q, rate, qdd, most = 0;
    printf("start                 all joints close as given; initial velocities adjusted by up to %.2g m/s or rad/s",
           r->start_velocity_moved);
    for (int i = 0; i < m->nmotion; ++i) {
        clv_motion_at(&m->motion[i], 0, &q, &rate, &qdd);
        if (fabs(rate) > fabs(most))
            most = rate, fastest = i;
    }
    if (fastest >= 0)
        printf(" (motion '%s' starts at %.2g %s)", m->motion[fastest].name, most,
               clv_joint_angle(m->joint[m->motion[fastest].joint].kind, 0) ? "rad/s" : "m/s");
    printf("\n");
}

/* rad/s^2: more, and the joint gains 100 rad/s in a millisecond */
static const double VIOLENT = 1e5;

/* The tree joint of the model that turns fastest from the start, or -1; *most: rad/s^2. */
static int most_accelerated(const clv_check *c, double *most)
{
    const clv_model *m = c->subject.model;
    int joint = -1;
    *most = 0;
    for (int j = 0; j < m->njoint; ++j) {
        clv_joint_result r;
        if (clv_sim_joint(c->subject.sim, j, &r) != CLV_OK || !r.tree)
            continue;
        for (int i = 0; i < r.nu; ++i)
            if (clv_joint_angle(m->joint[j].kind, i) && fabs(r.udot[i]) > *most)
                *most = fabs(r.udot[i]), joint = j;
    }
    return joint;
}

static void print_violent(const clv_check *c)
{
    double most;
    const int joint = most_accelerated(c, &most);
    if (joint < 0 || most <= VIOLENT)
        return;
    clv_summary_warn();
    printf("joint %s starts with %.2g rad/s^2: what it rotates has almost no inertia\n"
           "                      about its axis for the loads there (point masses on axes that meet in a point?);\n"
           "                      runs may end soon\n",
           clv_model_joint_name(c->subject.model, joint), most);
}

/* m or rad by which a joint starts beyond its rigid stops; 0: it does not */
static double beyond(const clv_check *c, const clv_force *f)
{
    clv_joint_result r;
    if (f->kind != CLV_FORCE_JOINT || !clv_stop_rigid(&f->stop) ||
        clv_sim_joint(c->subject.sim, f->joint, &r) != CLV_OK)
        return 0;
    const double by = fmax(f->stop.lower - r.q[f->coordinate], r.q[f->coordinate] - f->stop.upper);
    return by > 1e-9 ? by : 0;
}

/* Rigid stops push nobody back: a joint that starts beyond them stays there until it moves inside (T157). */
static void print_beyond(const clv_check *c)
{
    const clv_model *m = c->subject.model;
    double most = 0;
    int n = 0, joint = -1;
    for (int i = 0; i < m->nforce; ++i) {
        const double by = beyond(c, &m->force[i]);
        n += by > 0;
        if (by > most)
            most = by, joint = m->force[i].joint;
    }
    if (n == 0)
        return;
    clv_summary_warn();
    printf("%d joint%s beyond rigid stops, most of all '%s' by %.3g m or rad; such a\n"
           "                      joint can move back only\n", n, n == 1 ? " starts" : "s start",
           clv_model_joint_name(m, joint), most);
}

void clv_check_print_start(const clv_check *c)
{
    const clv_sim_report *r = &c->report;
    double open;
    const int joint = widest(c->subject.model, &open);
    if (r->start_moved <= 1e-12 && r->start_velocity_moved <= 1e-12 && joint < 0)
        printf("start                 all joints close as given\n");
    else if (r->start_moved <= 1e-12 && joint < 0)
        print_adjusted(c->subject.model, r);
    else
        printf("start                 moved by %.2g m or rad, %.2g m/s or rad/s to close every joint\n", r->start_moved,
               r->start_velocity_moved);
    clv_summary_print_moved(&c->subject);
    if (r->start_strain_energy > 0)
        printf("                      strain energy of flexible bodies: %.3g J\n", r->start_strain_energy);
    if (joint >= 0)
        printf("                      as given, joint %s had the largest constraint violation: %.2g m\n",
               clv_model_joint_name(c->subject.model, joint), open);
    print_violent(c);
    print_beyond(c);
}

void clv_check_json_start(clv_json *j, const clv_check *c)
{
    double open;
    const int joint = widest(c->subject.model, &open);
    clv_json_number(j, "start_moved", c->report.start_moved);
    clv_json_number(j, "start_velocity_moved", c->report.start_velocity_moved);
    clv_json_number(j, "start_strain_energy", c->report.start_strain_energy);
    clv_json_object(j, "given_moved");
    for (int i = 0; i < clv_model_joint_count(c->subject.model); ++i)
        if (c->subject.model->joint[i].has_q && clv_sim_joint_start_moved(c->subject.sim, i) > 1e-9)
            clv_json_number(j, clv_model_joint_name(c->subject.model, i), clv_sim_joint_start_moved(c->subject.sim, i));
    clv_json_end(j);
    clv_json_object(j, "given_rates_moved");
    for (int i = 0; i < clv_model_joint_count(c->subject.model); ++i)
        if (clv_sim_joint_start_rate_moved(c->subject.sim, i) > 1e-9)
            clv_json_number(j, clv_model_joint_name(c->subject.model, i),
                            clv_sim_joint_start_rate_moved(c->subject.sim, i));
    clv_json_end(j);
    clv_json_object(j, "given_velocities_moved");
    for (int i = 0; i < clv_model_body_count(c->subject.model); ++i)
        if (clv_summary_body_changed(&c->subject, i))
            clv_json_number(j, clv_model_body_name(c->subject.model, i),
                            clv_sim_body_start_velocity_moved(c->subject.sim, i));
    clv_json_end(j);
    clv_json_text(j, "widest_joint", joint >= 0 ? clv_model_joint_name(c->subject.model, joint) : "");
    clv_json_number(j, "widest_violation", joint >= 0 ? open : 0);
    double most;
    const int fastest = most_accelerated(c, &most);
    clv_json_text(j, "fastest_joint", fastest >= 0 ? clv_model_joint_name(c->subject.model, fastest) : "");
    clv_json_number(j, "fastest_acceleration", fastest >= 0 ? most : NAN);
}
