/* SPDX-License-Identifier: Apache-2.0
 * A four-bar linkage built in code and stepped for two seconds.
 * One closed loop, nothing to set for it: the library finds the loop, keeps it closed, and tells how well. */
#include <cleave/cleave.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Every call that can fail returns a status; its owner keeps what went wrong and what to try. */
static void check(clv_status status, const clv_error *error)
{
    if (status == CLV_OK)
        return;
    fprintf(stderr, "%s\n%s\n", error ? error->message : clv_status_text(status), error ? error->hint : "");
    exit(1);
}

/* A slender bar of `length` m along its own x axis; its frame, at its first end, starts at (x,
 * y) turned by `turn` rad. */
static int add_bar(clv_model *model, const char *name, double length, double x, double y, double turn)
{
    int index;
    clv_body_desc bar = clv_body_desc_default();
    bar.name = name;
    bar.mass = length; /* 1 kg per metre */
    bar.com[0] = length / 2;
    bar.inertia[0] = 1e-3 * bar.mass;
    bar.inertia[1] = bar.inertia[2] = bar.mass * length * length / 12;
    bar.placed = true;
    bar.position[0] = x;
    bar.position[1] = y;
    bar.orientation[0] = cos(turn / 2);
    bar.orientation[3] = sin(turn / 2);
    check(clv_model_add_body(model, &index, &bar), clv_model_error(model));
    return index;
}

/* A hinge between bodies a and b at (x, y) of the start pose, about the global z axis. */
static void add_hinge(clv_model *model, const char *name, int a, int b, double x, double y)
{
    clv_joint_desc hinge = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
    hinge.name = name;
    hinge.a = a;
    hinge.b = b;
    hinge.global = true;
    hinge.at[0] = x;
    hinge.at[1] = y;
    hinge.axis[2] = 1;
    check(clv_model_add_joint(model, NULL, &hinge), clv_model_error(model));
}

int main(void)
{
    const double right_angle = 1.57079632679489661923;
    clv_model *model = NULL;
    clv_sim *sim = NULL;

    check(clv_model_create(&model, "four-bar"), NULL);
    check(clv_model_set_gravity(model, (const double[]){0, -9.81, 0}), clv_model_error(model));
    const double xb = 0.6, yb = 0.8; /* end of the crank at the start */
    int crank = add_bar(model, "crank", 1, 0, 0, atan2(yb, xb));
    int coupler = add_bar(model, "coupler", 2, xb, yb, 0);
    int rocker = add_bar(model, "rocker", 1.5, xb + 2, yb, -right_angle);
    add_hinge(model, "a", CLV_GROUND, crank, 0, 0);
    add_hinge(model, "b", crank, coupler, xb, yb);
    add_hinge(model, "c", coupler, rocker, xb + 2, yb);
    add_hinge(model, "d", CLV_GROUND, rocker, xb + 2, yb - 1.5);
    check(clv_model_finish(model), clv_model_error(model));

    clv_sim_options options = clv_sim_options_default();
    options.rtol = 1e-9;
    clv_status status = clv_sim_create(&sim, model, &options);
    check(status, sim ? clv_sim_error(sim) : NULL);

    printf("time [s]   coupler x, y [m]\n");
    for (int i = 0; i <= 4; ++i) {
        check(clv_sim_advance(sim, 0.5 * i), clv_sim_error(sim));
        const double *at = clv_sim_position(sim) + 3 * (size_t)coupler; /* centre of mass */
        printf("%8.2f   %9.6f %9.6f\n", clv_sim_time(sim), at[0], at[1]);
    }
    clv_sim_report report;
    clv_sim_summary(sim, &report);
    printf("loops %d, freedoms %d, redundant constraints %d\n", report.loops, report.mobility_found,
           report.redundant_constraints);
    printf("energy drift %.1e J, largest gap %.1e m, %ld steps\n", report.max_energy_drift,
           report.max_position_violation, report.steps);

    clv_sim_destroy(sim);
    clv_model_destroy(model);
    return 0;
}
