/* SPDX-License-Identifier: Apache-2.0
 * A pendulum held upright by a controller of the caller's, bound to a joint of the simulation: the library calls `hold`
 * in every right-hand-side evaluation with the joint's coordinate and rate, and it answers with the motor torque.  The
 * model could as well be read from a file. */
#include <cleave/cleave.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct controller {
    double stiffness, damping; /* N m/rad, N m s/rad        */
    double limit;              /* N m, of the motor          */
    double largest;            /* N m, ever asked for        */
} controller;

/* Called by the library; must depend on time, q and u alone.  Nonzero would stop the run. */
static int hold(void *user, double time, const double *q, const double *u, double *effort)
{
    controller *c = user;
    double torque = -c->stiffness * (q[0] - 1.57079632679489661923) - c->damping * u[0];
    (void)time;
    effort[0] = fmax(-c->limit, fmin(c->limit, torque)); /* N m; positive along u */
    c->largest = fmax(c->largest, fabs(effort[0]));
    return 0;
}

static void check(clv_status status, const clv_error *error)
{
    if (status == CLV_OK)
        return;
    fprintf(stderr, "%s\n", error ? error->message : clv_status_text(status));
    exit(1);
}

int main(void)
{
    clv_model *model = NULL;
    clv_sim *sim = NULL;
    controller c = {.stiffness = 40, .damping = 8, .limit = 20};

    check(clv_model_create(&model, "upright"), NULL);
    check(clv_model_set_gravity(model, (const double[]){0, -9.81, 0}), clv_model_error(model));

    clv_body_desc rod = clv_body_desc_default();
    rod.name = "rod";
    rod.mass = 1;
    rod.com[0] = 0.5;
    rod.inertia[0] = 1e-3, rod.inertia[1] = rod.inertia[2] = 1.0 / 12;
    int body, joint;
    check(clv_model_add_body(model, &body, &rod), clv_model_error(model));

    clv_joint_desc hinge =
        clv_joint_desc_default(CLV_JOINT_REVOLUTE); /* frames coincide at q = 0: the rod lies along x */
    hinge.name = "hinge";
    hinge.a = CLV_GROUND;
    hinge.b = body;
    hinge.has_q = true;
    hinge.q[0] = 1.2; /* rad, 21 degrees from upright */
    check(clv_model_add_joint(model, &joint, &hinge), clv_model_error(model));

    check(clv_model_finish(model), clv_model_error(model));

    clv_status status = clv_sim_create(&sim, model, NULL); /* NULL: the default options */
    check(status, sim ? clv_sim_error(sim) : NULL);
    check(clv_sim_set_joint_control(sim, joint, hold, &c), clv_sim_error(sim));
    printf("time [s]   angle [rad]   speed [rad/s]\n");
    for (int i = 0; i <= 5; ++i) {
        clv_joint_result r;
        check(clv_sim_advance(sim, 0.5 * i), clv_sim_error(sim));
        check(clv_sim_evaluate(sim), clv_sim_error(sim));
        check(clv_sim_joint(sim, joint, &r), clv_sim_error(sim));
        printf("%8.2f   %11.6f   %13.6f\n", clv_sim_time(sim), r.q[0], r.u[0]);
    }
    printf("largest torque %.3f N m\n", c.largest);

    clv_sim_destroy(sim);
    clv_model_destroy(model);
    return 0;
}
