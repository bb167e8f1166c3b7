/* SPDX-License-Identifier: Apache-2.0
 * cleave run: reads the options, opens the mechanism, lets it run (running.c) and writes its page (report_page.c). */
#include "cli/file.h"
#include "cli/report.h"
#include "cli/running.h"
#include "model/model.h"
#include <math.h>
#include <string.h>

#define AT(field) offsetof(clv_run_settings, field)
static const clv_option options[] = {
    {"time", CLV_OPTION_NUMBER, AT(time), "T", "simulated seconds; default: the model's, else 10", 0, INFINITY, false},
    CLV_STEP_OPTIONS,
    CLV_SIM_OPTION(max_step, AT(sim.max_step)),
    {"every", CLV_OPTION_NUMBER, AT(every), "DT", "output interval in s; default: a hundredth of the time", 0, INFINITY,
     true},
    CLV_SIM_OPTION(threads, AT(sim.threads)),
    CLV_CONSTRAINT_OPTIONS,
    {"max-steps", CLV_OPTION_NUMBER, AT(max_steps), "N",
     "refuse a run with more steps, also one at such a pace on the way, and more outputs; default 1e10", 1, INFINITY,
     false},
    {"max-output", CLV_OPTION_NUMBER, AT(max_output), "GB",
     "refuse outputs that need more disk space; default 20, and the free space", 0, INFINITY, true},
    {"out", CLV_OPTION_TEXT, AT(out), "FILE", "write the motion: RUN.cleave (a run file) or FILE.csv", 0, 0, false},
    {"report", CLV_OPTION_TEXT, AT(report), "FILE.html",
     "write a page that shows the run in motion (docs/report.md), and FILE.cleave unless --out names the run file", 0,
     0, false},
    {"force", CLV_OPTION_FLAG, AT(force), NULL, "--out and --report may replace existing files", 0, 0, false},
    {"checkpoint", CLV_OPTION_NUMBER, AT(checkpoint), "DT",
     "run file: simulated seconds between checkpoints; default: a twentieth", 0, INFINITY, true},
    {"columns", CLV_OPTION_TEXT, AT(columns), "LIST",
     "of --out: names and patterns with commas, as 'L.effort,tip.*'; default: the usual ones", 0, 0, false},
    {"reactions", CLV_OPTION_FLAG, AT(reactions), NULL, "--out: the forces of all joints, too", 0, 0, false},
    {"input", CLV_OPTION_TEXTS, AT(inputs), "NAME=X",
     "value of an input of the model for the whole run; may be repeated", 0, 0, false},
    {"real-time", CLV_OPTION_FLAG, AT(real_time), NULL,
     "one step every --step seconds of wall-clock time (rk4, index3); reports deadlines and jitter", 0, 0, false},
    {"table", CLV_OPTION_TEXT, AT(table), "MARKER", "print the motion of one marker", 0, 0, false},
    {"lenient", CLV_OPTION_FLAG, AT(lenient), NULL, "clip physically impossible inertias, and list them", 0, 0, false},
    {"verbose", CLV_OPTION_FLAG, AT(verbose), NULL, "also print what the program did: evaluations, iterations, rank", 0,
     0, false},
    {"json", CLV_OPTION_FLAG, AT(json), NULL, "print one JSON object instead of text", 0, 0, false},
    {0},
};

/* Fills in what depends on the model. */
static void complete(clv_running *r)
{
    const double suggested = r->subject.model ? r->subject.model->time_end : 0;
    clv_sim_report report;
    clv_sim_summary(r->subject.sim, &report);
    r->set.sim.formulation = report.formulation; /* for the run file: names, not "the default" */
    r->set.sim.integrator = report.integrator;
    if (isnan(r->set.time))
        r->set.time = suggested > 0 ? suggested : 10;
    r->asked_checkpoint = !isnan(r->set.checkpoint);
    if (isnan(r->set.checkpoint))
        r->set.checkpoint = r->set.time / 20;
    if (isnan(r->set.every) && r->set.real_time && !r->set.out)
        r->set.every = fmax(report.step, r->set.time / 1000);
    if (isnan(r->set.every))
        r->set.every = r->set.time / (r->set.report ? 500 : r->set.out || r->set.table ? 100 : 1);
    if (!(r->set.every > 0)) /* of a run of no time, which has one output */
        r->set.every = 1;
}

/* Options of --out say nothing without it. */
static clv_exit check_no_output(const clv_running *r)
{
    const char *option = r->set.columns ? "--columns" : r->set.reactions ? "--reactions" : NULL;
    if (option)
        return clv_tell(r->subject.command, r->set.json, CLV_EXIT_USAGE,
                        "%s needs --out FILE.csv or --out FILE.cleave", option);
    if (r->asked_checkpoint)
        return clv_tell(r->subject.command, r->set.json, CLV_EXIT_USAGE,
                        "--checkpoint needs a run file: --out FILE.cleave");
    return CLV_EXIT_DONE;
}

/* What --out will hold. */
static clv_exit choose_columns(clv_running *r)
{
    clv_error e;
    if (!r->set.out)
        return check_no_output(r);
    clv_status status = clv_columns_create(&r->columns, r->subject.model, r->set.columns, r->set.reactions, &e);
    if (status == CLV_OK)
        return CLV_EXIT_DONE;
    const clv_exit code = clv_tell(r->subject.command, r->set.json, clv_exit_of(status, false), "%s", e.message);
    if (*e.hint)
        fprintf(stderr, "  %s\n", e.hint);
    return code;
}

/* The page needs a run file with all bodies; without --out it is named after the page. */
static clv_exit choose_report(clv_run_settings *set, char name[1024])
{
    if (!set->report)
        return CLV_EXIT_DONE;
    const size_t n = set->out ? strlen(set->out) : 0;
    if (set->columns)
        return clv_tell(set->command, set->json, CLV_EXIT_USAGE,
                        "--report shows the usual columns; leave out --columns");
    if (set->out && (n < 7 || strcmp(set->out + n - 7, ".cleave") != 0))
        return clv_tell(set->command, set->json, CLV_EXIT_USAGE, "--report needs a run file: --out FILE.cleave");
    const clv_exit code = clv_report_check(set->command, set->json, set->report);
    if (code != CLV_EXIT_DONE || set->out)
        return code;
    if (!clv_report_name(name, 1024, set->report, ".cleave"))
        return clv_tell(set->command, set->json, CLV_EXIT_USAGE, "the name of the page is too long");
    set->out = name;
    return CLV_EXIT_DONE;
}

/* Refuses a page that could not be written, before the run. */
static clv_exit check_page(clv_running *r)
{
    clv_error e;
    if (!r->set.report)
        return CLV_EXIT_DONE;
    const clv_output_rule rule = {.force = r->set.force, .input = clv_subject_inputs(&r->subject)};
    if (r->subject.file && !rule.input)
        return clv_tell(r->subject.command, r->set.json, CLV_EXIT_RESOURCES, "out of memory");
    if (clv_output_check(r->set.report, &rule, &e) == CLV_OK)
        return CLV_EXIT_DONE;
    return clv_file_tell(r->subject.command, r->set.json, &e);
}

static clv_exit write_page(const clv_run_settings *set, clv_exit code)
{
    const bool there = code == CLV_EXIT_DONE || code == CLV_EXIT_NUMERICAL;
    if (!set->report || !there)
        return code;
    const clv_report_job job = {.command = set->command, .path = set->report, .run = {set->out}, .n = 1,
                                .force = set->force, .json = set->json, .quiet = set->json || set->quiet};
    const clv_exit written = clv_report_page(&job);
    return written == CLV_EXIT_DONE ? code : written;
}

clv_run_settings clv_run_usual(void)
{
    clv_run_settings set = {.command = "run", .sim = clv_sim_options_default(), .time = NAN, .every = NAN,
                            .checkpoint = NAN, .max_steps = 1e10, .max_output = NAN};
    set.sim.threads = 0; /* auto */
    return set;
}

clv_exit clv_run_words(const clv_run_settings *given, const clv_words *words)
{
    char run[1024];
    clv_run_settings set = *given;
    clv_exit code = choose_report(&set, run);
    if (code != CLV_EXIT_DONE)
        return code;
    set.sim.project = !set.no_project;
    set.sim.regauge = !set.no_regauge;
    clv_running r = {.subject = {.command = set.command, .json = set.json, .lenient = set.lenient,
                                 .inputs = &set.inputs},
                     .set = set};
    clv_interrupt_watch(&r.interrupt, set.command);
    if (set.real_time && set.sim.threads == 0)
        r.set.sim.threads = 1; /* a team sleeps and wakes by locks */
    code = clv_subject_open(&r.subject, words, &r.set.sim);
    if (code == CLV_EXIT_DONE) {
        complete(&r);
        code = clv_running_check_step(set.command, &r.set);
    }
    if (code == CLV_EXIT_DONE && set.real_time)
        code = clv_running_check_real(&r);
    if (code == CLV_EXIT_DONE)
        code = choose_columns(&r);
    if (code == CLV_EXIT_DONE)
        code = clv_running_check_amount(&r, 0, r.columns.width);
    if (code == CLV_EXIT_DONE)
        code = check_page(&r);
    if (code == CLV_EXIT_DONE)
        code = write_page(&set, clv_running_go(&r));
    clv_columns_release(&r.columns);
    clv_subject_close(&r.subject);
    clv_interrupt_release(&r.interrupt);
    return code;
}

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    clv_run_settings set = clv_run_usual();
    const clv_exit code = clv_command_read(self, &set, &words, 1, CLV_WORDS_MAX, argc, argv);
    if (code != CLV_EXIT_DONE)
        return code;
    if (set.json && set.table)
        return clv_tell("run", true, CLV_EXIT_USAGE, "--table prints text; use --out FILE.csv beside --json");
    return clv_run_words(&set, &words);
}

const clv_command clv_command_run = {
    "run",
    "MODEL [key=value ...]",
    "simulate a mechanism",
    "  cleave run hdca-case1\n"
    "  cleave run mine.yaml --time 5 --out mine.csv --every 0.01\n"
    "  cleave run mine.yaml --out lift.csv --columns L.q,L.effort     stroke and force of joint L over time\n"
    "  cleave run mine.yaml --out mine.cleave              a run file: cleave export, cleave resume\n"
    "  cleave run mine.yaml --report mine.html             a page for the browser that shows the motion\n"
    "  cleave run chain links=100 spatial=1 --rtol 1e-9\n"
    "  cleave run governor --integrator bdf                stiff springs and dampers\n"
    "  cleave run mine.yaml --real-time --integrator rk4 --step 0.001          by the clock (docs/real-time.md)\n"
    "  cleave run hdca-case1 --integrator gauss6 --step 0.04 --time 1000      symplectic: energy without trend\n"
    "\n"
    "MODEL is a YAML file or the name of an example, which may take parameters (cleave examples).  The summary gives\n"
    "the range of every actuator effort, the largest joint force and speed, then energy drift and constraint\n"
    "violation.  Outputs do not change the run.  A smaller --rtol is more accurate and slower.  On a terminal a\n"
    "progress line is printed every second.\n"
    "\n"
    "Columns of --out: BODY.position .velocity .acceleration, JOINT.q .u .udot .effort .force .torque,\n"
    "MARKER.position .velocity .acceleration, system.momentum, energy.kinetic and others (docs/commands.md).\n"
    "\n"
    "hdca integrates momenta.  Where rounding of momenta costs more than the tolerance (long chains, thin bodies\n"
    "beside heavy ones) dca is the default; a line of the summary gives the reason (docs/hdca.md).",
    options,
    command,
};
