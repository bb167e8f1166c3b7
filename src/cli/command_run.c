/* SPDX-License-Identifier: Apache-2.0
 * cleave run: reads what is asked for, opens the mechanism and lets it run (running.c). */
#include "cli/running.h"
#include "model/model.h"
#include <math.h>

#define AT(field) offsetof(clv_run_settings, field)
static const clv_option options[] = {
    {"time", CLV_OPTION_NUMBER, AT(time), "T", "simulated seconds; default: the model's, else 10", 0, INFINITY, false},
    {"formulation", CLV_OPTION_FORMULATION, AT(sim.formulation), "NAME", "", 0, 0, false},
    {"method", CLV_OPTION_WHOLE, AT(sim.method), "N",
     "connection: 1 (default) all connections at once, 2 branches two at a time", 1, 2, false},
    {"bracketing", CLV_OPTION_TEXT, AT(sim.bracketing), "TEXT",
     "connection, method 2: what is joined first, as '((a,b),c),(d,e)'", 0, 0, false},
    {"integrator", CLV_OPTION_INTEGRATOR, AT(sim.integrator), "NAME", " (stiff)", 0, 0, false},
    {"rtol", CLV_OPTION_NUMBER, AT(sim.rtol), "R", "relative tolerance of a step; default 1e-6", 1e-15, 0.5, false},
    {"atol", CLV_OPTION_NUMBER, AT(sim.atol), "A", "absolute tolerance; default: as --rtol", 0, INFINITY, true},
    {"step", CLV_OPTION_NUMBER, AT(sim.step), "H",
     "fixed step in s (rk4 and the symplectic ones need it); default: adaptive, index3: 0.001", 0, INFINITY, true},
    {"max-step", CLV_OPTION_NUMBER, AT(sim.max_step), "H", "longest step in s; default: no bound", 0, INFINITY, true},
    {"every", CLV_OPTION_NUMBER, AT(every), "DT", "output interval in s; default: a hundredth of the time", 0, INFINITY,
     true},
    {"threads", CLV_OPTION_WHOLE, AT(sim.threads), "N", "threads; default 1, and more are refused so far", 0, 4096,
     false},
    {"rank", CLV_OPTION_NUMBER, AT(sim.rank), "X", "threshold of rank decisions; default 1e-8", 0, 1e-2, true},
    {"no-project", CLV_OPTION_FLAG, AT(no_project), NULL, "do not pull loops back together after a step", 0, 0, false},
    {"no-regauge", CLV_OPTION_FLAG, AT(no_regauge), NULL, "hdca: let the closing impulses grow", 0, 0, false},
    {"plain-tolerance", CLV_OPTION_FLAG, AT(sim.plain_tolerance), NULL, "one tolerance for all states, unscaled", 0, 0,
     false},
    {"baumgarte", CLV_OPTION_PAIR, AT(sim.baumgarte), "A,B",
     "dca, connection, massmatrix: gains on gap (1/s^2) and gap speed (1/s)", 0, INFINITY, false},
    {"alpha", CLV_OPTION_NUMBER, AT(sim.alpha), "A", "penalty forms: weight of a row in inertias; index3: N/m", 0,
     INFINITY, true},
    {"omega", CLV_OPTION_NUMBER, AT(sim.omega), "W", "penalty forms: frequency by which gaps fade (1/s)", 0, INFINITY,
     false},
    {"mu", CLV_OPTION_NUMBER, AT(sim.mu), "M", "penalty forms: damping ratio by which gaps fade", 0, INFINITY, false},
    {"eps-p", CLV_OPTION_NUMBER, AT(sim.eps_p), "E", "penalty forms, index3: last change of positions", 0, 1, false},
    {"eps-v", CLV_OPTION_NUMBER, AT(sim.eps_v), "E", "penalty forms: last change of velocities", 0, 1, false},
    {"eps-a", CLV_OPTION_NUMBER, AT(sim.eps_a), "E", "penalty forms: last change of accelerations", 0, 1, false},
    {"iterations", CLV_OPTION_WHOLE, AT(sim.iterations), "N",
     "penalty forms, index3: most iterations of a stage or step", 1, 1e6, false},
    {"rho", CLV_OPTION_NUMBER, AT(sim.rho), "R", "generalized-alpha: damping at infinite frequency; default 0.8", 0, 1,
     false},
    {"warm", CLV_OPTION_FLAG, AT(sim.warm), NULL, "index3 with --alpha: multipliers of the last step are kept", 0, 0,
     false},
    {"projections", CLV_OPTION_WHOLE, AT(sim.projections), "N", "index3: passes of each projection; default 1", 1, 1000,
     false},
    {"out", CLV_OPTION_TEXT, AT(out), "FILE", "write the motion: RUN.cleave (a run file) or FILE.csv", 0, 0, false},
    {"force", CLV_OPTION_FLAG, AT(force), NULL, "--out may replace an existing file", 0, 0, false},
    {"checkpoint", CLV_OPTION_NUMBER, AT(checkpoint), "DT",
     "run file: simulated seconds between checkpoints; default: a twentieth", 0, INFINITY, true},
    {"reactions", CLV_OPTION_FLAG, AT(reactions), NULL, "run file: joint forces in every frame", 0, 0, false},
    {"input", CLV_OPTION_TEXTS, AT(inputs), "NAME=X",
     "value of an input of the model for the whole run; may be repeated", 0, 0, false},
    {"table", CLV_OPTION_TEXT, AT(table), "MARKER", "print the motion of one marker", 0, 0, false},
    {"json", CLV_OPTION_FLAG, AT(json), NULL, "print one JSON object instead of text", 0, 0, false},
    {0},
};

/* Fills in what depends on the model. */
static void complete(clv_running *r)
{
    double suggested = r->subject.model->time_end;
    clv_sim_report report;
    clv_sim_summary(r->subject.sim, &report);
    r->set.sim.integrator = report.integrator; /* for the run file: the name, not "the default" */
    if (isnan(r->set.time))
        r->set.time = suggested > 0 ? suggested : 10;
    r->asked_checkpoint = !isnan(r->set.checkpoint);
    if (isnan(r->set.checkpoint))
        r->set.checkpoint = r->set.time / 20;
    if (isnan(r->set.every))
        r->set.every = r->set.out || r->set.table ? r->set.time / 100 : r->set.time;
}

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    clv_running r = {.subject = {.command = "run"},
                     .set = {.sim = clv_sim_options_default(), .time = NAN, .every = NAN, .checkpoint = NAN}};
    clv_exit code = clv_command_read(self, &r.set, &words, 1, CLV_WORDS_MAX, argc, argv);
    if (code != CLV_EXIT_DONE)
        return code;
    if (r.set.json && r.set.table)
        return clv_tell("run", true, CLV_EXIT_USAGE, "--table prints text; use --out FILE.csv beside --json");
    r.subject.json = r.set.json;
    r.subject.inputs = &r.set.inputs;
    r.set.sim.threads = clv_threads(r.set.sim.threads);
    r.set.sim.project = !r.set.no_project;
    r.set.sim.regauge = !r.set.no_regauge;
    code = clv_subject_open(&r.subject, &words, &r.set.sim);
    if (code == CLV_EXIT_DONE) {
        complete(&r);
        code = clv_running_go(&r);
    }
    clv_subject_close(&r.subject);
    return code;
}

const clv_command clv_command_run = {
    "run", "MODEL [key=value ...]", "simulate a mechanism",
    "  cleave run hdca-case1\n"
    "  cleave run mine.yaml --time 5 --out mine.csv --every 0.01\n"
    "  cleave run mine.yaml --out mine.cleave              a run file: cleave export, cleave resume\n"
    "  cleave run chain links=100 spatial=1 --rtol 1e-9\n"
    "  cleave run governor --integrator bdf                stiff springs and dampers\n"
    "  cleave run hdca-case1 --integrator gauss6 --step 0.04 --time 1000      symplectic: energy without trend\n"
    "\n"
    "MODEL is a YAML file or the name of an example, which may take parameters (cleave examples).  At the end you are\n"
    "told the freedoms, the work done, how well energy was kept and how far loops opened.  Outputs do not change the\n"
    "run.  Smaller --rtol: more accurate and slower.  On a terminal a line each second tells how far it is.",
    options, command,
};
