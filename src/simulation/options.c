/* SPDX-License-Identifier: Apache-2.0
 * Options of a simulation: defaults, ranges, and what goes with what. */
#include "base/error.h"
#include "simulation/option_rows.h"
#include "simulation/sim.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COOKIE = 0x51a0c1e5 };

clv_sim_options clv_sim_options_default(void)
{
#define DEFAULT(at, kind, field, name, word, usual, least, most, open, of, saved, value, help) \
    .field = usual, /* NOLINT(bugprone-macro-parentheses) */
    return (clv_sim_options){.cookie = COOKIE, CLV_NAME_OPTIONS(DEFAULT) CLV_NUMBER_OPTIONS(DEFAULT)};
#undef DEFAULT
}

/* a value out of its range */
static clv_status refuse_value(clv_sim *s, const clv_option_row *row, double x)
{
    char range[80] = "a number";
    if (row->most < INFINITY)
        snprintf(range, sizeof range, row->open ? "above %g and at most %g" : "between %g and %g", row->least,
                 row->most);
    else if (row->least > -INFINITY)
        snprintf(range, sizeof range, "%s %g", row->open ? "above" : "at least", row->least);
    return clv_fail(&s->error, CLV_ERR_USAGE, "%s is %g; it must be %s", row->name, x, range);
}

/* Ranges of the numbers, and whether the formulation, if there is one yet, has these options. */
static clv_status check_numbers(clv_sim *s, int of)
{
    const clv_formulation *f = s->formulation;
    const int has = f ? (f->penalty ? CLV_OF_PENALTY : 0) | (f->rule ? CLV_OF_RULE : 0) : 0;
    const clv_option_row *row;
    for (int i = 0; (row = clv_option_row_at(i)) != NULL; i++) {
        const double x = clv_option_number(&s->options, row);
        if ((row->of != CLV_OF_ALL) != (of != CLV_OF_ALL) || clv_option_is_default(row, x))
            continue;
        if (row->of != CLV_OF_ALL && !(row->of & has)) {
            clv_fail(&s->error, CLV_ERR_USAGE, "formulation '%s' has no option %s", f->name, row->name);
            clv_error_hint(&s->error, row->of & CLV_OF_PENALTY
                                          ? "it belongs to augmented Lagrangian formulations"
                                          : "it belongs to formulations with a built-in time step: index3");
            return s->error.code;
        }
        if (!clv_option_in_range(row, x))
            return refuse_value(s, row, x);
    }
    return CLV_OK;
}

/* how connections are closed: options of one formulation, refused with the others */
static clv_status check_method(clv_sim *s)
{
    const clv_sim_options *o = &s->options;
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
    if (m->asks == CLV_ASK_RESPONSE) /* rates of rows, whose factor answers impulses */
        return strcmp(f->name, "dca") == 0;
    return m->asks == CLV_ASK_STEP ? f->rule != NULL
                                   : !f->rule && (m->asks == CLV_ASK_RATES || f->state == CLV_STATE_MOMENTA);
}

static clv_status refuse(clv_sim *s, const clv_method *m)
{
    const char *f = s->formulation->name;
    const clv_status st = CLV_ERR_USAGE; /* of options alone, whatever the model is */
    if (s->formulation->rule) {
        clv_fail(&s->error, st, "formulation '%s' has a built-in time step; integrator '%s' cannot be used with it", f,
                 m->name);
        clv_error_hint(&s->error, "leave the integrator out, or use trapezoidal or generalized-alpha");
    } else if (m->asks == CLV_ASK_RESPONSE) {
        clv_fail(&s->error, st, "integrator '%s' works with formulation dca, not with '%s'", m->name, f);
        clv_error_hint(&s->error, "use formulation dca");
    } else if (m->asks == CLV_ASK_STEP) {
        clv_fail(&s->error, st, "formulation '%s' needs an integrator; '%s' is the rule inside index3", f, m->name);
        clv_error_hint(&s->error, "use dopri5 or adams, or formulation index3");
    } else {
        clv_fail(&s->error, st, "integrator '%s' works on momenta; formulation '%s' has none", m->name, f);
        clv_error_hint(&s->error, "use hdca with it, or dopri5, dop853, adams with '%s'", f);
    }
    return st;
}

/* Steps that solve for positions would take rows on velocities for rows on positions (T68). */
static clv_status check_velocity_rows(clv_sim *s, const clv_method *m)
{
    for (int k = 0; k < s->model->njoint && m->asks != CLV_ASK_RATES; k++) {
        const clv_joint *j = &s->model->joint[k];
        if (clv_joint_velocity_rows(j->kind) == 0)
            continue;
        clv_fail(&s->error, CLV_ERR_UNSUPPORTED,
                 "joint '%s': %s '%s' cannot take a %s joint, which restricts velocities", j->name,
                 s->formulation->rule ? "formulation" : "integrator",
                 s->formulation->rule ? s->formulation->name : m->name, clv_joint_table[j->kind].name);
        clv_error_hint(&s->error, "use hdca, dca, connection or massmatrix with dopri5, dop853 or adams");
        return s->error.code;
    }
    return CLV_OK;
}

/* Friction by reactions (T99) is part of rates and of the steps of index3; steps of another kind would need it in
 * their equations. */
static clv_status check_bearings(clv_sim *s, const clv_method *m)
{
    for (int i = 0; i < s->model->nforce && m->asks != CLV_ASK_RATES && !s->formulation->rule; i++) {
        const clv_force *f = &s->model->force[i];
        if (f->kind != CLV_FORCE_JOINT || !(f->bearing.static_coefficient > 0))
            continue;
        clv_fail(&s->error, CLV_ERR_UNSUPPORTED,
                 "force '%s' has friction by the reaction of its joint, which integrator '%s' does not support",
                 f->name, m->name);
        clv_error_hint(&s->error, "use dopri5, adams or bdf, or formulation index3");
        return s->error.code;
    }
    return CLV_OK;
}

/* Rotors of joints (T113) are part of tree joints, which formulations of absolute coordinates do not have. */
static clv_status check_rotors(clv_sim *s)
{
    const bool absolute = s->formulation->state == CLV_STATE_ABSOLUTE;
    for (int j = 0; j < s->model->njoint && absolute; j++) {
        if (!clv_joint_armed(&s->model->joint[j]))
            continue;
        clv_fail(&s->error, CLV_ERR_UNSUPPORTED, "joint '%s' has an armature, which formulation '%s' does not support",
                 s->model->joint[j].name, s->formulation->name);
        clv_error_hint(&s->error, "use hdca, dca, connection or massmatrix, or make the rotor a body");
        return s->error.code;
    }
    return CLV_OK;
}

/* Implicit steps would take tangents of pairs that no plan knows (T105.4). */
static clv_status check_crowds(clv_sim *s)
{
    for (int i = 0; i < s->model->nforce && s->formulation->tangents; i++) {
        const clv_force *f = &s->model->force[i];
        if (f->kind != CLV_FORCE_CONTACTS)
            continue;
        clv_fail(&s->error, CLV_ERR_UNSUPPORTED, "contact '%s' is of many bodies, which formulation '%s' does not "
                                                 "support",
                 f->name, s->formulation->name);
        clv_error_hint(&s->error, "use hdca, dca, connection, massmatrix or aldca, or contacts of two bodies");
        return s->error.code;
    }
    return CLV_OK;
}

/* the method, and whether formulation and step size go with it */
static clv_status check_integrator(clv_sim *s)
{
    const clv_sim_options *o = &s->options;
    const bool rule = s->formulation->rule != NULL;
    const bool impulses = clv_touching_most(s->model) > 0 && strcmp(s->formulation->name, "dca") == 0;
    const char *usual = impulses ? "moreau" : "dopri5"; /* others are refused below, with the name of the contact */
    const char *name = o->integrator ? o->integrator : rule ? "trapezoidal" : usual;
    const clv_method *method = clv_method_find(name);
    if (!method)
        return clv_fail(&s->error, CLV_ERR_USAGE, "unknown integrator '%s'", name);
    if (method->absent) {
        clv_fail(&s->error, CLV_ERR_USAGE, "integrator '%s' is not part of this build", method->name);
        clv_error_hint(&s->error, "%s", method->absent);
        return s->error.code;
    }
    if (!clv_sim_takes(s->formulation, method))
        return refuse(s, method);
    if (check_velocity_rows(s, method) != CLV_OK)
        return s->error.code;
    if (check_bearings(s, method) != CLV_OK || check_rotors(s) != CLV_OK || check_crowds(s) != CLV_OK)
        return s->error.code;
    if (method->multistep && o->step > 0)
        return clv_fail(&s->error, CLV_ERR_USAGE, "integrator '%s' chooses its steps itself: leave out the step size",
                        method->name);
    if ((rule || method->asks == CLV_ASK_RESPONSE) && !(o->step > 0))
        s->options.step = 1e-3;
    if (method->fixed_only && !(s->options.step > 0))
        return clv_fail(&s->error, CLV_ERR_USAGE,
                        "integrator '%s' has no error estimate: give a step size, as a `step` of 0.001", method->name);
    s->integrator.method = method;
    s->options.integrator = method->name;
    return clv_touching_refuse(s, method->asks == CLV_ASK_RESPONSE);
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
                        "warm multipliers need a penalty alpha: without one they are recomputed");
    s->system.step = (clv_step_options){.alpha = isnan(o->alpha) ? 0 : o->alpha,
                                        .rho = damped ? isnan(o->rho) ? 0.8 : o->rho : 1,
                                        .tolerance = o->eps_p,
                                        .iterations = o->iterations > 0 ? o->iterations : 30,
                                        .accept = o->iterations > 0,
                                        .warm = o->warm,
                                        .still = o->no_predictor,
                                        .projections = o->projections};
    return CLV_OK;
}

/* Where none is given.  Rigid contacts need the factor of dca for their impulses (T62).  Segments are parts of long
 * chains, in which dca loses nothing and sends fewer messages. */
static const char *usual_formulation(const clv_sim *s)
{
    const char *integrator = s->options.integrator;
    const bool impulses = integrator ? strcmp(integrator, "moreau") == 0 : clv_touching_most(s->model) > 0;
    return impulses || s->divided ? "dca" : "hdca";
}

clv_status clv_sim_check_options(clv_sim *s)
{
    const clv_sim_options *o = &s->options;
    if (o->cookie != COOKIE)
        return clv_fail(&s->error, CLV_ERR_USAGE, "options must start from clv_sim_options_default()");
    if (check_numbers(s, CLV_OF_ALL) != CLV_OK)
        return s->error.code;
    s->usual = !o->formulation;
    if (s->usual)
        s->options.formulation = usual_formulation(s);
    s->formulation = clv_formulation_find(o->formulation);
    if (!s->formulation) {
        clv_fail(&s->error, CLV_ERR_USAGE, "unknown formulation '%s'", o->formulation);
        char names[200] = "";
        for (int i = 0; clv_formulation_at(i); i++) {
            strncat(names, i ? ", " : "", sizeof names - strlen(names) - 1);
            strncat(names, clv_formulation_at(i)->name, sizeof names - strlen(names) - 1);
        }
        clv_error_hint(&s->error, "known: %s", names);
        return s->error.code;
    }
    clv_status st = check_numbers(s, CLV_OF_BOTH);
    if (st == CLV_OK && s->formulation->rule && (!o->project || o->baumgarte[0] != 0 || o->baumgarte[1] != 0)) {
        st = clv_fail(&s->error, CLV_ERR_USAGE,
                      "formulation '%s' always projects velocities and accelerations: %s has no effect",
                      s->formulation->name, o->project ? "baumgarte" : "no projection");
        clv_error_hint(&s->error, "projections (1, 2, ...) sets how often");
    }
    if (st == CLV_OK && s->formulation->penalty && (o->baumgarte[0] != 0 || o->baumgarte[1] != 0))
        st = clv_fail(&s->error, CLV_ERR_USAGE, "formulation '%s' has omega and mu instead of baumgarte",
                      s->formulation->name);
    if (st == CLV_OK && s->formulation->state == CLV_STATE_MOMENTA &&
        (o->baumgarte[0] != 0 || o->baumgarte[1] != 0)) {
        st = clv_fail(&s->error, CLV_ERR_USAGE,
                      "formulation '%s' satisfies velocity constraints by its momenta: baumgarte has no effect",
                      s->formulation->name);
        clv_error_hint(&s->error, "it belongs to formulations of accelerations: dca, connection, massmatrix");
    }
    if (st == CLV_OK)
        st = check_integrator(s);
    if (st == CLV_OK)
        st = check_method(s);
    return st == CLV_OK && s->formulation->rule ? check_rule(s) : st;
}
