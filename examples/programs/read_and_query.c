/* SPDX-License-Identifier: Apache-2.0
 * Reads a model file, tells every error in it, and prints the joint forces at the start:  read_and_query MODEL.yaml
 * Components that the motion does not determine (redundant constraints) are marked. */
#include <cleave/cleave.h>
#include <stdio.h>

static void print_errors(const clv_model *model)
{
    for (int i = 0; i < clv_model_error_count(model); ++i) {
        const clv_error *e = clv_model_error_at(model, i);
        fprintf(stderr, "%s:%d:%d: %s: %s\n", e->file, e->line, e->column, e->path, e->message);
        if (*e->hint)
            fprintf(stderr, "  hint: %s\n", e->hint);
    }
}

static clv_status print_reactions(clv_sim *sim, const clv_model *model)
{
    clv_status status = clv_sim_evaluate(sim); /* accelerations and reactions at the output state */
    if (status == CLV_OK)
        printf("%-10s %33s   %33s\n", "joint", "force on the second body [N]", "torque at its joint point [N m]");
    for (int j = 0; j < clv_model_joint_count(model) && status == CLV_OK; ++j) {
        clv_joint_result r;
        bool unique = true;
        if ((status = clv_sim_joint(sim, j, &r)) != CLV_OK)
            break;
        for (int k = 0; k < 6; ++k)
            unique = unique && r.unique[k];
        printf("%-10s %10.4f %10.4f %10.4f    %10.4f %10.4f %10.4f%s\n", clv_model_joint_name(model, j), r.force[0],
               r.force[1], r.force[2], r.torque[0], r.torque[1], r.torque[2], unique ? "" : "  not unique");
    }
    return status;
}

int main(int argc, char **argv)
{
    clv_model *model = NULL;
    clv_sim *sim = NULL;
    if (argc != 2) {
        fprintf(stderr, "use: %s MODEL.yaml\n", argv[0]);
        return 1;
    }
    clv_status status = clv_model_read(&model, argv[1]); /* a model also on failure: it carries the errors */
    if (status != CLV_OK && model)
        print_errors(model);
    if (status == CLV_OK) {
        status = clv_sim_create(&sim, model, NULL);
        if (status == CLV_OK)
            status = print_reactions(sim, model);
        if (status != CLV_OK && sim)
            fprintf(stderr, "%s\n", clv_sim_error(sim)->message);
    }
    if (status != CLV_OK)
        fprintf(stderr, "%s\n", clv_status_text(status));
    clv_sim_destroy(sim); /* NULL is allowed */
    clv_model_destroy(model);
    return status == CLV_OK ? 0 : 1;
}
