/* SPDX-License-Identifier: Apache-2.0
 * How accurate a run is, in words: energy, constraints, singular positions; see summary.h. */
#include "cli/peaks.h"
#include "cli/summary.h"
#include "model/model.h"
#include <math.h>
#include <string.h>

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

/* A share of the energy that moves, in words. */
static const char *drift_word(double share)
{
    return share <= 1e-10               ? "rounding"
           : share <= 1e-6              ? "very small"
           : share <= 1e-3              ? "small"
           : share <= CLV_DRIFT_WARNING ? "noticeable"
                                        : "large";
}

static void print_energy(const clv_sim_report *r)
{
    char text[40];
    clv_label("energy drift");
    if (isfinite(r->max_energy_drift_relative))
        printf("%.2g J, %s: %.1g of the %s that move\n", r->max_energy_drift, drift_word(r->max_energy_drift_relative),
               r->max_energy_drift_relative, clv_amount(text, r->energy_moved, "J"));
    else if (isfinite(r->max_energy_drift))
        printf("%.2g J%s\n", r->max_energy_drift,
               !(r->energy_moved > 0)              ? ": nothing moves"
               : r->energy_moved <= r->energy_still ? ", rounding: nothing moves"
                                                    : ": nothing moves by more than the tolerance");
    else
        printf("unknown (callbacks)\n");
    if (r->max_energy_drift_relative > CLV_DRIFT_WARNING) {
        clv_summary_warn();
        printf("the energy drift is %.1g of the energy that moves: the motion is not accurate; use a smaller %s%s\n",
               r->max_energy_drift_relative, r->step > 0 ? "--step" : "--rtol",
               r->mobility_beside < r->mobility_found
                   ? ", or give rates under `start` that a motion from its singular position has"
                   : "");
    }
    const double least = fmax(1e-6 * r->energy_moved, r->energy_still);
    if (r->dropped_energy > 0.1 * r->max_energy_drift && r->dropped_energy > least) {
        clv_summary_warn();
        printf("up to %.2g J were lost near a position that was treated as singular: try adaptive steps, or "
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
