/* SPDX-License-Identifier: Apache-2.0
 * A control loop at 1 kHz with an input of the model: the torque is computed from what was measured at a tick and held
 * until the next one, as a real controller does.  The model is read from text here, as it would be from a file. */
#include <cleave/cleave.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text[] = "cleave: 1\n"
                           "gravity: [0, -9.81, 0]\n"
                           "bodies:\n"
                           "  arm: {mass: 1, com: [0.5, 0, 0], inertia: [0.001, 0.0833, 0.0833]}\n"
                           "joints:\n"
                           "  elbow: {kind: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                           "inputs:\n"
                           "  torque: {joint: elbow, limit: 20}\n";

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
    double integral = 0, energy[3];
    clv_joint_result r = {0};
    check(clv_model_read_text(&model, text, strlen(text), "arm"), clv_model_error(model));
    check(clv_sim_create(&sim, model, NULL), clv_sim_error(sim));
    const int torque = clv_model_find_input(model, "torque"), elbow = clv_model_find_joint(model, "elbow");

    printf("time [s]   angle [rad]   torque [N m]\n");
    for (int tick = 0; tick <= 3000; tick++) {
        check(clv_sim_advance(sim, 0.001 * tick), clv_sim_error(sim)); /* a step ends here: no interpolation */
        check(clv_sim_joint(sim, elbow, &r), clv_sim_error(sim));
        if (tick % 500 == 0)
            printf("%8.2f   %11.6f   %12.6f\n", clv_sim_time(sim), r.q[0], clv_sim_input(sim, torque));
        const double error = 1.0 - r.q[0]; /* the arm shall stand at 1 rad */
        integral += 0.001 * error;
        check(clv_sim_set_input(sim, torque, 60 * error - 10 * r.u[0] + 60 * integral), clv_sim_error(sim));
    }
    clv_sim_energy(sim, &energy[0], &energy[1], &energy[2]);
    printf("energy %.6f J, work of the motor %.6f J\n", energy[0] + energy[1], energy[2]);

    clv_sim_destroy(sim);
    clv_model_destroy(model);
    return 0;
}
