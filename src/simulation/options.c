/* SPDX-License-Identifier: Apache-2.0
 * Options of a simulation: defaults, ranges, and what goes with what. */
#include "base/error.h"
#include "simulation/ranges.h"
#include "simulation/sim.h"
#include <math.h>
#include <string.h>

enum { COOKIE = 0x51a0c1e5 };

clv_sim_options clv_sim_options_default(void)
{
    return (clv_sim_options){.cookie = COOKIE,
                             .formulation = "hdca",
                             .rtol = 1e-6,
                             .atol = NAN,
                             .rank = 1e-8,
                             .project = 1,
                             .regauge = 1,
                             .start_tolerance = -1,
                             .contradiction = 1e-6,
                             .threads = 1,
                             .alpha = NAN,
                             .omega = NAN,
                             .mu = NAN,
                             .eps_p = NAN,
                             .eps_v = NAN,
                             .eps_a = NAN,
                             .rho = NAN,
                             .projections = 1};
}

/* Options of single formulations: their ranges, and whether the formulation has them.  PENALTY: augmented Lagrangian
 * forms (T22), RULE: forms with a time step built in (T25). */
static clv_status check_special(clv_sim *s)
{
    enum { PENALTY = 1, RULE = 2 };
    const clv_sim_options *o = &s->options;
    const int has = (s->formulation->penalty ? PENALTY : 0) | (s->formulation->rule ? RULE : 0);
    const struct {
        const char *name;
        double value, least, most;
        int of;
    } row[] = {{"alpha", o->alpha, CLV_ALPHA_LEAST, CLV_ALPHA_MOST, PENALTY | RULE},
               {"omega", o->omega, 0, CLV_FADE_MOST, PENALTY},
               {"mu", o->mu, 0, CLV_FADE_MOST, PENALTY},
               {"eps_p", o->eps_p, 0, CLV_EPS_MOST, PENALTY | RULE},
               {"eps_v", o->eps_v, 0, CLV_EPS_MOST, PENALTY},
               {"eps_a", o->eps_a, 0, CLV_EPS_MOST, PENALTY},
               {"iterations", o->iterations == 0 ? NAN : (double)o->iterations, 1, CLV_ITERATIONS_MOST, PENALTY | RULE},
               {"rho", o->rho, 0, 1, RULE},
               {"warm", o->warm ? 1 : NAN, 1, 1, RULE},
               {"projections", o->projections == 1 ? NAN : (double)o->projections, 1, CLV_PROJECTIONS_MOST, RULE}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        if (isnan(row[i].value))
            continue;
        if (!(row[i].of & has)) {
            clv_fail(&s->error, CLV_ERR_USAGE, "formulation '%s' has no option %s", s->formulation->name, row[i].name);
            clv_error_hint(&s->error, row[i].of & PENALTY
                                          ? "it belongs to augmented Lagrangian formulations"
                                          : "it belongs to formulations with a time step built in: index3");
            return s->error.code;
        }
        if (!(row[i].value >= row[i].least && row[i].value <= row[i].most))
            return clv_fail(&s->error, CLV_ERR_USAGE, "%s is %g; it must lie between %g and %g", row[i].name,
                            row[i].value, row[i].least, row[i].most);
    }
    return CLV_OK;
}

/* how connections are closed: options of one formulation, refused with the others */
static clv_status check_method(clv_sim *s)
{
    const clv_sim_options *o = &s->options;
    if (o->method < 0 || o->method > 2)
        return clv_fail(&s->error, CLV_ERR_USAGE,
                        "method is %d; it must be 1 (all connections at once) or 2 (two branches at a time)",
                        o->method);
    if ((o->method > 0 || o->bracketing || s->apart) && !s->formulation->sections) {
        clv_fail(&s->error, CLV_ERR_USAGE, "formulation '%s' has no method, bracketing or branches to choose",
                 s->formulation->name);
        clv_error_hint(&s->error, "they belong to formulation connection");
        return s->error.code;
    }
    if (o->bracketing && o->method != 2) {
        clv_fail(&s->error, CLV_ERR_USAGE, "a bracketing is given, but method 1 closes all connections at once");
        clv_error_hint(&s->error, "choose method 2, or leave the bracketing out");
        return s->error.code;
    }
    return CLV_OK;
}

bool clv_sim_takes(const clv_formulation *f, const clv_method *m)
{
    return m->asks == CLV_ASK_STEP ? f->rule != NULL
                                   : !f->rule && (m->asks == CLV_ASK_RATES || f->state == CLV_STATE_MOMENTA);
}

static clv_status refuse(clv_sim *s, const clv_method *m)
{
    const char *f = s->formulation->name;
    const clv_status st = CLV_ERR_UNSUPPORTED;
    if (s->formulation->rule) {
        clv_fail(&s->error, st, "formulation '%s' has its time step built in; integrator '%s' does not go with it", f,
                 m->name);
        clv_error_hint(&s->error, "leave the integrator out, or use trapezoidal or generalized-alpha");
    } else if (m->asks == CLV_ASK_STEP) {
        clv_fail(&s->error, st, "formulation '%s' needs an integrator; '%s' is the rule inside index3", f, m->name);
        clv_error_hint(&s->error, "use dopri5 or adams, or formulation index3");
    } else {
        clv_fail(&s->error, st, "integrator '%s' works on momenta; formulation '%s' has none", m->name, f);
        clv_error_hint(&s->error, "use hdca with it, or dopri5, dop853, adams with '%s'", f);
    }
    return st;
}

/* the method, and whether formulation and step size go with it */
static clv_status check_integrator(clv_sim *s)
{
    const clv_sim_options *o = &s->options;
    const bool rule = s->formulation->rule != NULL;
    const char *name = o->integrator ? o->integrator : rule ? "trapezoidal" : "dopri5";
    const clv_method *method = clv_method_find(name);
    if (!method)
        return clv_fail(&s->error, CLV_ERR_USAGE, "unknown integrator '%s'", name);
    if (method->absent) {
        clv_fail(&s->error, CLV_ERR_UNSUPPORTED, "integrator '%s' is not part of this build", method->name);
        clv_error_hint(&s->error, "%s", method->absent);
        return s->error.code;
    }
    if (!clv_sim_takes(s->formulation, method))
        return refuse(s, method);
    if (method->multistep && o->step > 0)
        return clv_fail(&s->error, CLV_ERR_USAGE, "integrator '%s' chooses its steps itself: leave out the step size",
                        method->name);
    if (rule && !(o->step > 0))
        s->options.step = 1e-3;
    if (method->fixed_only && !(s->options.step > 0))
        return clv_fail(&s->error, CLV_ERR_USAGE, "integrator '%s' has no error estimate: give a step size",
                        method->name);
    s->integrator.method = method;
    s->options.integrator = method->name;
    return CLV_OK;
}

/* the rule inside a formulation */
static clv_status check_rule(clv_sim *s)
{
    const clv_sim_options *o = &s->options;
    const bool damped = strcmp(s->integrator.method->name, "generalized-alpha") == 0;
    if (!isnan(o->rho) && !damped) {
        clv_fail(&s->error, CLV_ERR_USAGE, "rho belongs to integrator 'generalized-alpha', not to '%s'",
                 s->integrator.method->name);
        return s->error.code;
    }
    if (o->warm && isnan(o->alpha))
        return clv_fail(&s->error, CLV_ERR_USAGE,
                        "warm multipliers need a penalty alpha: without one they are found anew");
    s->system.step = (clv_step_options){.alpha = isnan(o->alpha) ? 0 : o->alpha,
                                        .rho = damped ? isnan(o->rho) ? 0.8 : o->rho : 1,
                                        .tolerance = o->eps_p,
                                        .iterations = o->iterations > 0 ? o->iterations : 30,
                                        .accept = o->iterations > 0,
                                        .warm = o->warm,
                                        .projections = o->projections};
    return CLV_OK;
}

static bool is_step(double h) { return h == 0 || (h >= CLV_STEP_LEAST && isfinite(h)); }
static bool is_gain(double x) { return x >= 0 && x <= CLV_GAIN_MOST; }

/* the ranges of the numbers that every formulation has */
static clv_status check_numbers(clv_sim *s)
{
    const clv_sim_options *o = &s->options;
    clv_error *e = &s->error;
    if (!(o->rtol >= CLV_RTOL_LEAST && o->rtol <= CLV_RTOL_MOST))
        return clv_fail(e, CLV_ERR_USAGE, "rtol is %g; it must lie between %g (rounding) and %g", o->rtol,
                        CLV_RTOL_LEAST, CLV_RTOL_MOST);
    if (!isnan(o->atol) && !(o->atol >= CLV_ATOL_LEAST && isfinite(o->atol)))
        return clv_fail(e, CLV_ERR_USAGE, "atol is %g; it must be a number of at least %g", o->atol, CLV_ATOL_LEAST);
    if (!(o->rank > 0 && o->rank <= CLV_RANK_MOST))
        return clv_fail(e, CLV_ERR_USAGE, "rank is %g; it must be above 0 and at most %g", o->rank, CLV_RANK_MOST);
    if (!is_step(o->step) || !is_step(o->max_step))
        return clv_fail(e, CLV_ERR_USAGE, "a step size is %g s; it must be 0 (automatic) or at least %g s",
                        is_step(o->step) ? o->max_step : o->step, CLV_STEP_LEAST);
    if (!is_gain(o->baumgarte[0]) || !is_gain(o->baumgarte[1]))
        return clv_fail(e, CLV_ERR_USAGE, "baumgarte is %g, %g; gains must lie between 0 and %g", o->baumgarte[0],
                        o->baumgarte[1], CLV_GAIN_MOST);
    if (isnan(o->start_tolerance))
        return clv_fail(e, CLV_ERR_USAGE, "start_tolerance is no number");
    return CLV_OK;
}

clv_status clv_sim_check_options(clv_sim *s)
{
    const clv_sim_options *o = &s->options;
    if (o->cookie != COOKIE)
        return clv_fail(&s->error, CLV_ERR_USAGE, "options must start from clv_sim_options_default()");
    if (check_numbers(s) != CLV_OK)
        return s->error.code;
    if (!(o->contradiction >= 0 && o->contradiction <= 1e-2))
        return clv_fail(&s->error, CLV_ERR_USAGE, "contradiction is %g; it must lie in [0, 0.01]", o->contradiction);
    if (o->threads < 1)
        return clv_fail(&s->error, CLV_ERR_USAGE, "threads is %d; it must be at least 1", o->threads);
    if (o->threads > 1)
        return clv_fail(&s->error, CLV_ERR_UNSUPPORTED,
                        "%d threads are asked for; one mechanism runs on one thread so far", o->threads);
    s->formulation = clv_formulation_find(o->formulation ? o->formulation : "");
    if (!s->formulation) {
        clv_fail(&s->error, CLV_ERR_USAGE, "unknown formulation '%s'", o->formulation ? o->formulation : "");
        char names[200] = "";
        for (int i = 0; clv_formulation_at(i); i++) {
            strncat(names, i ? ", " : "", sizeof names - strlen(names) - 1);
            strncat(names, clv_formulation_at(i)->name, sizeof names - strlen(names) - 1);
        }
        clv_error_hint(&s->error, "known: %s", names);
        return s->error.code;
    }
    clv_status st = check_special(s);
    if (st == CLV_OK && s->formulation->rule && (!o->project || o->baumgarte[0] != 0 || o->baumgarte[1] != 0)) {
        st = clv_fail(&s->error, CLV_ERR_USAGE,
                      "formulation '%s' always projects velocities and accelerations: %s has no use there",
                      s->formulation->name, o->project ? "baumgarte" : "no projection");
        clv_error_hint(&s->error, "projections (1, 2, ...) tells how often");
    }
    if (st == CLV_OK && s->formulation->penalty && (o->baumgarte[0] != 0 || o->baumgarte[1] != 0))
        st = clv_fail(&s->error, CLV_ERR_USAGE, "formulation '%s' has omega and mu in the place of baumgarte",
                      s->formulation->name);
    if (st == CLV_OK && s->formulation->state == CLV_STATE_MOMENTA &&
        (o->baumgarte[0] != 0 || o->baumgarte[1] != 0)) {
        st = clv_fail(&s->error, CLV_ERR_USAGE,
                      "formulation '%s' holds loops by momenta, at velocity level: baumgarte has no use there",
                      s->formulation->name);
        clv_error_hint(&s->error, "it belongs to formulations of accelerations: dca, connection, massmatrix");
    }
    if (st == CLV_OK)
        st = check_integrator(s);
    if (st == CLV_OK)
        st = check_method(s);
    return st == CLV_OK && s->formulation->rule ? check_rule(s) : st;
}
