/* SPDX-License-Identifier: Apache-2.0
 * What inverse dynamics found, for people and as JSON; see inverse.h. */
#include "cli/inverse.h"
#include "cli/peaks.h"
#include "cli/summary.h"
#include <math.h>

/* differences of accelerations below this part of the largest are rounding and the error of splines */
#define MET 1e-6

bool clv_inverse_met(const clv_inverse_account *c) { return c->missed <= MET * fmax(1, c->wanted); }

static double root_mean_square(const clv_effort_range *r, long n) { return n > 0 ? sqrt(r->squares / (double)n) : NAN; }

void clv_inverse_print(const clv_inverse_account *c, const clv_actuation *a, const clv_model *m)
{
    char most[40], rms[40], power[40];
    clv_label("inverse dynamics");
    printf("%s, %ld time%s from %.6g to %.6g s\n", clv_model_name(m), c->times, c->times == 1 ? "" : "s", c->from,
           c->to);
    clv_label("degrees of freedom");
    printf("%d, %d actuator%s", c->freedoms, a->n, a->n == 1 ? "" : "s");
    if (a->n > c->rank)
        printf("; %d more than the motion needs: efforts of least weighted squares", a->n - c->rank);
    printf("\n");
    for (int i = 0; i < a->n; ++i) {
        const clv_effort_range *r = &c->range[i];
        clv_label(i == 0 ? "largest efforts" : "");
        printf("%-16s %s at %.4g s, rms %s", a->name[i], clv_amount(most, r->most, a->unit[i]), r->at,
               clv_amount(rms, root_mean_square(r, c->times), a->unit[i]));
        if (!isnan(r->power))
            printf(", largest power %s", clv_amount(power, r->power, "W"));
        printf("%s\n", r->beyond ? " (beyond its limits)" : "");
    }
    clv_label("accelerations");
    if (clv_inverse_met(c))
        printf("as requested, within %.2g rad/s^2 or m/s^2: computed again with these efforts\n", c->missed);
    else
        printf("NOT met: joint '%s' misses %.4g rad/s^2 or m/s^2 at %.6g s%s\n", c->joint, c->missed, c->missed_at,
               c->rank < c->freedoms ? "; the actuators are too few for this motion" : "");
}

void clv_inverse_json(const clv_inverse_account *c, const clv_actuation *a, const clv_model *m)
{
    clv_json j = clv_json_begin(stdout);
    clv_json_object(&j, NULL);
    clv_json_text(&j, "status", clv_exit_word(clv_inverse_met(c) ? CLV_EXIT_DONE : CLV_EXIT_NUMERICAL));
    clv_json_text(&j, "model", clv_model_name(m));
    clv_json_integer(&j, "times", c->times);
    clv_json_number(&j, "from", c->from), clv_json_number(&j, "to", c->to);
    clv_json_integer(&j, "degrees_of_freedom", c->freedoms);
    clv_json_integer(&j, "independent_actuators", c->rank);
    clv_json_bool(&j, "met", clv_inverse_met(c));
    clv_json_number(&j, "missed", c->missed);
    clv_json_text(&j, "missed_joint", c->joint);
    clv_json_object(&j, "actuators");
    for (int i = 0; i < a->n; ++i) {
        const clv_effort_range *r = &c->range[i];
        clv_json_object(&j, a->name[i]);
        clv_json_text(&j, "unit", a->unit[i]);
        clv_json_number(&j, "weight", a->of[i].weight);
        clv_json_number(&j, "largest", r->most), clv_json_number(&j, "largest_time", r->at);
        clv_json_number(&j, "rms", root_mean_square(r, c->times));
        clv_json_number(&j, "largest_power", r->power);
        clv_json_bool(&j, "beyond_limits", r->beyond);
        clv_json_end(&j);
    }
    clv_json_end(&j);
    clv_json_end(&j);
}
