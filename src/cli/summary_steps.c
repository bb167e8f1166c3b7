/* SPDX-License-Identifier: Apache-2.0
 * The steps of a run in words: how many, what set them, which iterations did not converge; see summary.h. */
#include "cli/check.h"
#include "cli/summary.h"
#include "math/sincos.h"
#include "model/model.h"
#include <math.h>
#include <stdio.h>

/* m/s: a last change of velocities by impulses that is more than rounding (T89) */
static const double CONTACT_RESIDUAL = 1e-6;

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

const char *clv_summary_limit_name(const clv_subject *s, const clv_step_limit *x, const char *quote, char *text,
                                   size_t size)
{
    const bool joint = x->mode < 0 && x->joint >= 0;
    const char *name =
        joint ? clv_model_joint_name(s->model, x->joint) : clv_model_body_name(s->model, x->body);
    if (x->mode >= 0)
        snprintf(text, size, "mode %d of %s%s%s", x->mode + 1, quote, name, quote);
    else
        snprintf(text, size, "%s %s%s%s", joint ? "joint" : "body", quote, name, quote);
    return text;
}

/* What set the steps, and what to try if that is stiff. */
static void print_limit(const clv_subject *s, const clv_sim_report *r, double step)
{
    clv_step_limit x;
    if (!clv_sim_step_limit(s->sim, &x))
        return;
    char name[160];
    clv_label("step set by");
    printf("%s", clv_summary_limit_name(s, &x, "", name, sizeof name));
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
        printf("%ld step%s taken at the limit of iterations\n", r->missed_steps, clv_plural(r->missed_steps));
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
            r->contact_jams, clv_plural(r->contact_jams), s->model->force[r->contact_jam - 1].name,
            r->contact_jam_time);
    }
}

void clv_summary_print_internals(const clv_sim_report *r, double wall, int threads)
{
    char text[24];
    printf("right-hand side       %ld evaluations", r->rate_evaluations);
    if (r->rate_evaluations > 0)
        printf(", %s each", clv_duration(text, wall / (double)r->rate_evaluations));
    printf(", %d thread%s\n", threads, clv_plural(threads));
    clv_label("energy");
    printf("%.10g J at the start, %.10g J at the end\n", r->energy_initial, r->energy);
    for (int i = 0; i < 3; ++i)
        if (r->stage[i].runs > 0) {
            clv_label("iterations");
            printf("%s: %.2f in the mean, %d at most; %ld limited, %ld stalled\n", clv_stage_name[i],
                   (double)r->stage[i].iterations / (double)r->stage[i].runs, r->stage[i].most, r->stage[i].limited,
                   r->stage[i].stalled);
        }
    if (r->iterations > 0) {
        clv_label("iterations");
        printf("%.2f a step in the mean, %d at most; %ld step%s taken at the limit\n",
               (double)r->iterations / (double)r->steps, r->max_iterations, r->missed_steps,
               clv_plural(r->missed_steps));
    }
    if (r->contact_steps > 0) {
        clv_label("contact impulses");
        printf("in %ld steps, %.1f iterations in the mean; %ld at the limit, residual %.2g m/s\n", r->contact_steps,
               (double)r->contact_iterations / (double)r->contact_steps, r->contact_limited, r->contact_residual);
    }
    if (r->loops > 0) {
        clv_label("rank");
        printf("%ld evaluation%s below the rank of the start; smallest pivot %.2g; largest loop impulse %.2g\n",
               r->truncated_evaluations, clv_plural(r->truncated_evaluations), r->min_pivot, r->max_sigma);
    }
}
