/* SPDX-License-Identifier: Apache-2.0
 * The tables of `cleave eval`; see eval.h.  A number that is rounding beside the largest of its kind is shown as 0. */
#include "cli/contacts.h"
#include "cli/eval.h"
#include "cli/peaks.h"
#include "cli/summary.h"
#include "cli/tone.h"
#include "model/joint.h"
#include "model/model.h"
#include <math.h>

/* Rounding of sums over many bodies, relative to the largest. */
static const double ROUNDING = 1e-11;

typedef struct sizes { /* the largest of each kind */
    double acceleration, spin, force, torque, length;
} sizes;

static double largest(double most, const double *v, int n)
{
    for (int i = 0; i < n; ++i)
        most = fmax(most, fabs(v[i]));
    return most;
}

/* Length of the model: of the box that holds its centres of mass and the origin, 1 m if it has none. */
static double length(const clv_subject *s)
{
    const double most = largest(0, clv_sim_position(s->sim), 3 * clv_model_body_count(s->model));
    return most > 0 ? most : 1;
}

static clv_status measure(const clv_subject *s, sizes *z)
{
    const double *A = clv_sim_acceleration(s->sim);
    *z = (sizes){.length = length(s), .acceleration = largest(0, s->model->gravity, 3)};
    for (int i = 0; i < clv_model_body_count(s->model); ++i) {
        z->acceleration = largest(z->acceleration, A + 6 * i, 3);
        z->spin = largest(z->spin, A + 6 * i + 3, 3);
    }
    for (int i = 0; i < clv_model_joint_count(s->model); ++i) {
        clv_joint_result x;
        clv_status status = clv_sim_joint(s->sim, i, &x);
        if (status != CLV_OK)
            return status;
        z->force = largest(largest(z->force, x.force, 3), x.drive_force, 3);
        z->torque = largest(largest(z->torque, x.torque, 3), x.drive_torque, 3);
    }
    z->spin = fmax(z->spin, z->acceleration / z->length);
    z->torque = fmax(z->torque, z->force * z->length);
    return CLV_OK;
}

static double shown(double value, double size) { return fabs(value) <= ROUNDING * size ? 0 : value; }

static void heading(const char *title)
{
    printf("\n%s%s%s\n", clv_tone_begin(CLV_TONE_BOLD), title, clv_tone_begin(CLV_TONE_PLAIN));
}

static void print_three(const double *v, double size)
{
    for (int i = 0; i < 3; ++i)
        printf(" %12.6g", shown(v[i], size));
}

static void print_bodies(const clv_subject *s, const sizes *z)
{
    const double *A = clv_sim_acceleration(s->sim);
    heading("bodies: acceleration of the centre of mass, angular acceleration (global axes)");
    printf("  %-16s %12s %12s %12s   %12s %12s %12s\n", "", "x [m/s^2]", "y [m/s^2]", "z [m/s^2]", "x [rad/s^2]",
           "y [rad/s^2]", "z [rad/s^2]");
    for (int i = 0; i < clv_model_body_count(s->model); ++i) {
        printf("  %-16s", clv_model_body_name(s->model, i));
        print_three(A + 6 * i, z->acceleration);
        printf("  ");
        print_three(A + 6 * i + 3, z->spin);
        printf("\n");
    }
}

static void print_markers(const clv_subject *s, const sizes *z)
{
    const double *x = clv_sim_marker(s->sim), *A = clv_sim_marker_acceleration(s->sim);
    const int n = clv_model_marker_count(s->model);
    if (n == 0)
        return;
    heading("markers: position, acceleration (global axes)");
    printf("  %-16s %12s %12s %12s   %12s %12s %12s\n", "", "x [m]", "y [m]", "z [m]", "x [m/s^2]", "y [m/s^2]",
           "z [m/s^2]");
    for (int i = 0; i < n; ++i) {
        printf("  %-16s", clv_model_marker_name(s->model, i));
        print_three(x + 6 * i, z->length);
        printf("  ");
        print_three(A + 3 * i, z->acceleration);
        printf("\n");
    }
}

/* "(12.5)" where it is not unique, under the number without brackets */
static void print_component(double value, bool unique, int width)
{
    char text[32];
    snprintf(text, sizeof text, unique ? "%.6g " : "(%.6g)", value);
    printf(" %*s", width, text);
}

/* Coordinates, rates and efforts of joints that something acts on. */
static void print_actuators(const clv_subject *s, const sizes *z)
{
    const clv_model *m = s->model;
    bool any = false;
    for (int i = 0; i < m->njoint; ++i) {
        const clv_joint_kind kind = m->joint[i].kind;
        clv_joint_result x;
        if (!clv_joint_acted(m, i) || clv_sim_joint(s->sim, i, &x) != CLV_OK)
            continue;
        if (!any) {
            heading("actuators: effort along the joint, positive with its rate");
            printf("  %-16s %16s %16s %18s\n", "", "q", "u", "effort");
        }
        any = true;
        const bool shared = clv_summary_drive_repeated(m, s->sim, i);
        for (int c = 0; c < x.nu; ++c) {
            const bool shift = clv_joint_shift(kind, c);
            const double size = shift ? z->force : z->torque;
            char name[64];
            snprintf(name, sizeof name, "%.40s%s", m->joint[i].name, clv_coordinate_suffix(kind, true, c));
            printf("  %-16s", name);
            if (x.nq == x.nu)
                printf(" %12.6g %-3s", x.q[c], shift ? "m" : "rad");
            else
                printf(" %16s", "");
            printf(" %10.6g %-5s", x.u[c], shift ? "m/s" : "rad/s");
            print_component(shown(x.effort[c], size), !shared, shared ? 14 : 15);
            printf("%s%s\n", shared ? " " : "", clv_effort_unit(kind, c));
        }
    }
}

static clv_status print_joints(const clv_subject *s, const sizes *z)
{
    bool doubtful = false;
    if (s->model->njoint > 0) {
        heading("joints: constraint force and moment on the second body (global axes)");
        printf("  %-16s %12s  %12s  %12s    %12s  %12s  %12s\n", "", "Fx [N]", "Fy [N]", "Fz [N]", "Mx [N m]",
               "My [N m]", "Mz [N m]");
    }
    for (int i = 0; i < s->model->njoint; ++i) {
        clv_joint_result x;
        clv_status status = clv_sim_joint(s->sim, i, &x);
        if (status != CLV_OK)
            return status;
        printf("  %-16s", s->model->joint[i].name);
        for (int k = 0; k < 6; ++k) {
            const double value = k < 3 ? shown(x.force[k], z->force) : shown(x.torque[k - 3], z->torque);
            printf("%s", k == 3 ? "  " : "");
            print_component(value, x.unique[k], 13);
            doubtful = doubtful || !x.unique[k];
        }
        printf("\n");
    }
    if (doubtful)
        printf("  (in brackets: not unique, redundant constraints share the load; one possible set is shown)\n");
    return CLV_OK;
}

static void print_system(const clv_subject *s)
{
    double kinetic, potential, work;
    clv_momentum m;
    clv_sim_energy(s->sim, &kinetic, &potential, &work);
    clv_sim_momentum(s->sim, &m);
    const double linear = largest(0, m.linear, 3), angular = largest(0, m.angular, 3);
    clv_label("time");
    printf("%.9g s\n", clv_sim_time(s->sim));
    clv_label("energy");
    printf("%.10g J (kinetic %.6g J, potential %.6g J)\n", kinetic + potential, kinetic, potential);
    clv_label("momentum");
    printf("%.6g %.6g %.6g kg m/s; about the centre of mass %.6g %.6g %.6g kg m^2/s\n", shown(m.linear[0], linear),
           shown(m.linear[1], linear), shown(m.linear[2], linear), shown(m.angular[0], angular),
           shown(m.angular[1], angular), shown(m.angular[2], angular));
}

clv_status clv_eval_print(const clv_subject *s, const clv_sim_report *r)
{
    sizes z;
    clv_status status = measure(s, &z);
    clv_summary_print_size(s, r);
    clv_summary_print_assembly(s, r);
    if (status != CLV_OK)
        return status;
    print_system(s);
    print_actuators(s, &z);
    print_markers(s, &z);
    print_bodies(s, &z);
    status = print_joints(s, &z);
    return status == CLV_OK ? clv_contacts_print(s) : status;
}
