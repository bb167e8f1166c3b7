/* SPDX-License-Identifier: Apache-2.0
 * The options of a simulation, each with its default, range and texts, in one list.  The defaults and checks of the
 * library (options.c), the command line (cli/options.h), run files (io/) and the fingerprint of a saved state
 * (checkpoint.c) are made from it.  A new option is a row here and a field of clv_sim_options. */
#ifndef CLV_SIMULATION_OPTION_ROWS_H
#define CLV_SIMULATION_OPTION_ROWS_H
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include "cleave/cleave.h"

/* Formulations that have an option: all; augmented Lagrangian forms (T22); forms with a time step built in (T25). */
enum { CLV_OF_ALL = 0, CLV_OF_PENALTY = 1, CLV_OF_RULE = 2, CLV_OF_BOTH = 3 };

/* Rows: X(at, kind, field, name in run files and errors, word of the command line, default, least, most, open, of,
 *         saved, value, help)
 *   at       where the value goes in the settings of a command; not used elsewhere
 *   kind     NUMBER (double), WHOLE (int), THREADS (int; 0: auto), FLAG (bool), SWITCH (int, 0 or 1), TEXT,
 *            FORMULATION, INTEGRATOR (names)
 *   open     `least` itself is not allowed; the default always is
 *   saved    a saved state continues only with the same value */
#define CLV_OPTION_formulation(X, at)                                                                                \
    X(at, FORMULATION, formulation, "formulation", "formulation", NULL, 0, 0, false, CLV_OF_ALL, false, "NAME", "")
#define CLV_OPTION_method(X, at)                                                                                     \
    X(at, WHOLE, method, "method", "method", 0, 1, 2, false, CLV_OF_ALL, false, "N",                                 \
      "connection: 1 (default) all connections at once, 2 branches two at a time")
#define CLV_OPTION_bracketing(X, at)                                                                                 \
    X(at, TEXT, bracketing, "bracketing", "bracketing", NULL, 0, 0, false, CLV_OF_ALL, false, "TEXT",                \
      "connection, method 2: order in which branches are joined, as '((a,b),c),(d,e)'")
#define CLV_OPTION_integrator(X, at)                                                                                 \
    X(at, INTEGRATOR, integrator, "integrator", "integrator", NULL, 0, 0, false, CLV_OF_ALL, false, "NAME", " (stiff)")
/* below 1e-14 rounding decides */
#define CLV_OPTION_rtol(X, at)                                                                                       \
    X(at, NUMBER, rtol, "rtol", "rtol", 1e-6, 1e-14, 0.5, false, CLV_OF_ALL, true, "R",                              \
      "relative tolerance of a step; default 1e-6")
/* below 1e-30 a state that passes zero needs steps without end */
#define CLV_OPTION_atol(X, at)                                                                                       \
    X(at, NUMBER, atol, "atol", "atol", NAN, 1e-30, INFINITY, false, CLV_OF_ALL, true, "A",                          \
      "absolute tolerance, relative to 1 rad or to the size of the model; default: as --rtol")
#define CLV_OPTION_step(X, at)                                                                                       \
    X(at, NUMBER, step, "step", "step", 0, 1e-12, INFINITY, false, CLV_OF_ALL, true, "H",                            \
      "fixed step in s (required by rk4 and the symplectic integrators); default: adaptive, index3 and moreau: 0.001")
#define CLV_OPTION_max_step(X, at)                                                                                   \
    X(at, NUMBER, max_step, "max_step", "max-step", 0, 1e-12, INFINITY, false, CLV_OF_ALL, true, "H",                \
      "longest step in s; default: no bound")
#define CLV_OPTION_rank(X, at)                                                                                       \
    X(at, NUMBER, rank, "rank", "rank", 1e-8, 0, 1e-2, true, CLV_OF_ALL, true, "X",                                  \
      "threshold of rank decisions; default 1e-8")
#define CLV_OPTION_project(X, at)                                                                                    \
    X(at, SWITCH, project, "project", NULL, 1, 0, 1, false, CLV_OF_ALL, true, NULL, NULL)
#define CLV_OPTION_regauge(X, at)                                                                                    \
    X(at, SWITCH, regauge, "regauge", NULL, 1, 0, 1, false, CLV_OF_ALL, true, NULL, NULL)
#define CLV_OPTION_plain_tolerance(X, at)                                                                            \
    X(at, FLAG, plain_tolerance, "plain_tolerance", "plain-tolerance", 0, 0, 0, false, CLV_OF_ALL, true, NULL,       \
      "one tolerance for all states, unscaled")
#define CLV_OPTION_baumgarte_position(X, at)                                                                         \
    X(at, NUMBER, baumgarte[0], "baumgarte_position", NULL, 0, 0, 1e12, false, CLV_OF_ALL, true, NULL, NULL)
#define CLV_OPTION_baumgarte_velocity(X, at)                                                                         \
    X(at, NUMBER, baumgarte[1], "baumgarte_velocity", NULL, 0, 0, 1e12, false, CLV_OF_ALL, true, NULL, NULL)
/* negative: any */
#define CLV_OPTION_start_tolerance(X, at)                                                                            \
    X(at, NUMBER, start_tolerance, "start_tolerance", NULL, -1, -INFINITY, INFINITY, false, CLV_OF_ALL, false, NULL, \
      NULL)
#define CLV_OPTION_contradiction(X, at)                                                                              \
    X(at, NUMBER, contradiction, "contradiction", "contradiction", 1e-6, 0, 1e-2, false, CLV_OF_ALL, false, "X",     \
      "largest inconsistency of redundant constraints; default 1e-6")
#define CLV_OPTION_threads(X, at)                                                                                    \
    X(at, THREADS, threads, "threads", "threads", 1, 0, 4096, false, CLV_OF_ALL, false, "N|auto",                    \
      "threads for one mechanism; default auto: all cores where that is faster")
#define CLV_OPTION_alpha(X, at)                                                                                      \
    X(at, NUMBER, alpha, "alpha", "alpha", NAN, 1e-6, 1e15, false, CLV_OF_BOTH, true, "A",                           \
      "aldca: penalty relative to inertia; index3: N/m")
#define CLV_OPTION_absolute_alpha(X, at)                                                                             \
    X(at, FLAG, absolute_alpha, "absolute_alpha", "absolute-alpha", 0, 0, 0, false, CLV_OF_PENALTY, true, NULL,      \
      "aldca: alpha in kg and kg m^2, as in the paper")
#define CLV_OPTION_omega(X, at)                                                                                      \
    X(at, NUMBER, omega, "omega", "omega", NAN, 0, 1e6, false, CLV_OF_PENALTY, true, "W",                            \
      "aldca: frequency of the decay of violations (1/s)")
#define CLV_OPTION_mu(X, at)                                                                                         \
    X(at, NUMBER, mu, "mu", "mu", NAN, 0, 1e6, false, CLV_OF_PENALTY, true, "M",                                     \
      "aldca: damping ratio of the decay of violations")
#define CLV_OPTION_eps_p(X, at)                                                                                      \
    X(at, NUMBER, eps_p, "eps_p", "eps-p", NAN, 0, 1, false, CLV_OF_BOTH, true, "E",                                 \
      "aldca, index3: iterations end below this change of positions")
#define CLV_OPTION_eps_v(X, at)                                                                                      \
    X(at, NUMBER, eps_v, "eps_v", "eps-v", NAN, 0, 1, false, CLV_OF_PENALTY, true, "E",                              \
      "aldca: iterations end below this change of velocities")
#define CLV_OPTION_eps_a(X, at)                                                                                      \
    X(at, NUMBER, eps_a, "eps_a", "eps-a", NAN, 0, 1, false, CLV_OF_PENALTY, true, "E",                              \
      "aldca: iterations end below this change of accelerations")
#define CLV_OPTION_iterations(X, at)                                                                                 \
    X(at, WHOLE, iterations, "iterations", "iterations", 0, 1, 1e6, false, CLV_OF_BOTH, true, "N",                   \
      "aldca, index3: maximum iterations of a stage or step")
#define CLV_OPTION_rho(X, at)                                                                                        \
    X(at, NUMBER, rho, "rho", "rho", NAN, 0, 1, false, CLV_OF_RULE, true, "R",                                       \
      "generalized-alpha: damping at infinite frequency; default 0.8")
#define CLV_OPTION_warm(X, at)                                                                                       \
    X(at, FLAG, warm, "warm", "warm", 0, 0, 0, false, CLV_OF_RULE, true, NULL,                                       \
      "index3 with --alpha: multipliers of the last step are kept")
#define CLV_OPTION_projections(X, at)                                                                                \
    X(at, WHOLE, projections, "projections", "projections", 1, 1, 1000, false, CLV_OF_RULE, true, "N",               \
      "index3: passes of each projection; default 1")

#define CLV_OPTION_no_predictor(X, at)                                                                               \
    X(at, FLAG, no_predictor, "no_predictor", "no-predictor", 0, 0, 0, false, CLV_OF_RULE, true, NULL,               \
      "index3: iterations of a step start where the last one ended")

/* those with a name as their value, and the others, in the order of the fingerprint */
#define CLV_NAME_OPTIONS(X)                                                                                          \
    CLV_OPTION_formulation(X, 0) CLV_OPTION_integrator(X, 0) CLV_OPTION_bracketing(X, 0)
#define CLV_NUMBER_OPTIONS(X)                                                                                        \
    CLV_OPTION_rtol(X, 0) CLV_OPTION_atol(X, 0) CLV_OPTION_step(X, 0) CLV_OPTION_max_step(X, 0)                      \
    CLV_OPTION_rank(X, 0) CLV_OPTION_project(X, 0) CLV_OPTION_regauge(X, 0) CLV_OPTION_plain_tolerance(X, 0)         \
    CLV_OPTION_baumgarte_position(X, 0) CLV_OPTION_baumgarte_velocity(X, 0) CLV_OPTION_alpha(X, 0)                   \
    CLV_OPTION_omega(X, 0) CLV_OPTION_mu(X, 0) CLV_OPTION_eps_p(X, 0) CLV_OPTION_eps_v(X, 0)                         \
    CLV_OPTION_eps_a(X, 0) CLV_OPTION_iterations(X, 0) CLV_OPTION_rho(X, 0) CLV_OPTION_warm(X, 0)                    \
    CLV_OPTION_projections(X, 0) CLV_OPTION_method(X, 0) CLV_OPTION_start_tolerance(X, 0)                            \
    CLV_OPTION_contradiction(X, 0) CLV_OPTION_threads(X, 0) CLV_OPTION_absolute_alpha(X, 0)                       \
    CLV_OPTION_no_predictor(X, 0)

/* A row of CLV_NUMBER_OPTIONS at run time. */
typedef enum clv_option_type {
    CLV_TYPE_NUMBER, CLV_TYPE_WHOLE, CLV_TYPE_THREADS, CLV_TYPE_FLAG, CLV_TYPE_SWITCH
} clv_option_type;
typedef struct clv_option_row {
    const char *name;
    clv_option_type type;
    size_t offset;             /* of the field in clv_sim_options */
    double usual, least, most; /* default, range                  */
    bool open, saved;
    int of;
} clv_option_row;

/* Row i, or NULL beyond the last; the row of that name, or NULL. */
const clv_option_row *clv_option_row_at(int i);
const clv_option_row *clv_option_row_named(const char *name);
/* The value as a number, and back.  Whole numbers and flags must be in range. */
double clv_option_number(const clv_sim_options *o, const clv_option_row *row);
void clv_option_set_number(clv_sim_options *o, const clv_option_row *row, double x);
/* Is x the default, or in the range? */
bool clv_option_is_default(const clv_option_row *row, double x);
bool clv_option_in_range(const clv_option_row *row, double x);

#endif
