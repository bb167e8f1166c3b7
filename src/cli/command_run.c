/* SPDX-License-Identifier: Apache-2.0
 * cleave run: advances a mechanism in time, tells what happened, writes the motion.  The output times are 0, DT, 2 DT, ... and
 * the end; between them nothing depends on whether a terminal watches. */
#include "cli/csv.h"
#include "cli/summary.h"
#include "model/model.h"
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

typedef struct run_settings {
    clv_sim_options sim;
    double time, every; /* s; NaN: not given */
    const char *out, *table;
    bool no_project, no_regauge, json;
} run_settings;

#define AT(field) offsetof(run_settings, field)
static const clv_option options[] = {
    {"time", CLV_OPTION_NUMBER, AT(time), "T", "simulated seconds; default: the model's, else 10", 0, INFINITY, false},
    {"formulation", CLV_OPTION_TEXT, AT(sim.formulation), "NAME", "hdca (default), dca, massmatrix", 0, 0, false},
    {"integrator", CLV_OPTION_TEXT, AT(sim.integrator), "NAME", "dopri5 (default), bs23, dop853, rk4, adams", 0, 0, false},
    {"rtol", CLV_OPTION_NUMBER, AT(sim.rtol), "R", "relative tolerance of a step; default 1e-6", 1e-15, 0.5, false},
    {"atol", CLV_OPTION_NUMBER, AT(sim.atol), "A", "absolute tolerance; default: as --rtol", 0, INFINITY, true},
    {"step", CLV_OPTION_NUMBER, AT(sim.step), "H", "fixed step in s (rk4 needs it); default: adaptive", 0, INFINITY, true},
    {"max-step", CLV_OPTION_NUMBER, AT(sim.max_step), "H", "longest step in s; default: no bound", 0, INFINITY, true},
    {"every", CLV_OPTION_NUMBER, AT(every), "DT", "output interval in s; default: a hundredth of the time", 0, INFINITY, true},
    {"threads", CLV_OPTION_WHOLE, AT(sim.threads), "N", "threads; default 1; 0: all cores; the result is the same", 0, 4096, false},
    {"rank", CLV_OPTION_NUMBER, AT(sim.rank), "X", "threshold of rank decisions; default 1e-8", 0, 1e-2, true},
    {"no-project", CLV_OPTION_FLAG, AT(no_project), NULL, "do not pull loops back together after a step", 0, 0, false},
    {"no-regauge", CLV_OPTION_FLAG, AT(no_regauge), NULL, "hdca: let the closing impulses grow", 0, 0, false},
    {"plain-tolerance", CLV_OPTION_FLAG, AT(sim.plain_tolerance), NULL, "one tolerance for all states, unscaled", 0, 0, false},
    {"baumgarte", CLV_OPTION_PAIR, AT(sim.baumgarte), "A,B", "dca: gains on gap (1/s^2) and gap speed (1/s)", 0, INFINITY, false},
    {"out", CLV_OPTION_TEXT, AT(out), "FILE.csv", "write the motion of bodies and markers", 0, 0, false},
    {"table", CLV_OPTION_TEXT, AT(table), "MARKER", "print the motion of one marker", 0, 0, false},
    {"json", CLV_OPTION_FLAG, AT(json), NULL, "print one JSON object instead of text", 0, 0, false},
    {0},
};

/* What goes on while the time passes. */
typedef struct run {
    clv_subject subject;
    run_settings set;
    FILE *csv;
    int marker;              /* of --table, -1 none                     */
    double written;          /* s, time of the last line written        */
    double began, told;      /* wall seconds: start, last progress line */
    bool watched;            /* a terminal sees standard error          */
    clv_status status;
} run;

/* ---------------------------------------------------------------- output */

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

/* Opens --out; results in any other form are refused by name. */
static clv_exit open_output(run *r)
{
    const char *file = r->set.out;
    const char *later[] = {".cleave", ".h5", ".npz"};
    if (!file)
        return CLV_EXIT_DONE;
    for (int i = 0; i < 3; ++i)
        if (ends_with(file, later[i]))
            return clv_tell("run", r->set.json, CLV_EXIT_USAGE, "%s: files ending in %s are not supported yet; use .csv", file,
                            later[i]);
    if (!ends_with(file, ".csv"))
        return clv_tell("run", r->set.json, CLV_EXIT_USAGE, "%s: the name of the output must end in .csv", file);
    r->csv = fopen(file, "w");
    return r->csv ? CLV_EXIT_DONE
                  : clv_tell("run", r->set.json, CLV_EXIT_RESOURCES, "%s cannot be written: %s", file, strerror(errno));
}

static clv_exit find_marker(run *r)
{
    r->marker = -1;
    if (!r->set.table)
        return CLV_EXIT_DONE;
    for (int i = 0; i < clv_model_marker_count(r->subject.model); ++i)
        if (strcmp(clv_model_marker_name(r->subject.model, i), r->set.table) == 0)
            r->marker = i;
    return r->marker >= 0 ? CLV_EXIT_DONE
                          : clv_tell("run", r->set.json, CLV_EXIT_USAGE, "the model has no marker '%s' for --table", r->set.table);
}

static void write_names(const run *r)
{
    if (r->csv)
        clv_csv_names(r->csv, r->subject.model);
    if (r->marker >= 0)
        printf("%12s %14s %14s %14s %14s %14s %14s\n", "time [s]", "x [m]", "y [m]", "z [m]", "vx [m/s]", "vy [m/s]", "vz [m/s]");
}

static void write_row(run *r)
{
    r->written = clv_sim_time(r->subject.sim);
    if (r->csv)
        clv_csv_row(r->csv, r->subject.model, r->subject.sim);
    if (r->marker < 0)
        return;
    const double *x = clv_sim_marker(r->subject.sim) + 6 * r->marker;
    printf("%12.6g", r->written);
    for (int i = 0; i < 6; ++i)
        printf(" %14.8g", x[i]);
    printf("\n");
}

static clv_exit close_output(run *r, clv_exit code)
{
    if (!r->csv)
        return code;
    bool bad = ferror(r->csv) != 0;
    bad = fclose(r->csv) != 0 || bad;
    r->csv = NULL;
    if (!bad)
        return code;
    return clv_tell("run", false, CLV_EXIT_RESOURCES, "%s could not be written to its end", r->set.out);
}

/* ---------------------------------------------------------------- time */

static void progress(run *r)
{
    double now = clv_wall(), wall = now - r->began;
    if (!r->watched || now - r->told < 1)
        return;
    clv_sim_report report;
    clv_sim_summary(r->subject.sim, &report);
    double t = clv_sim_time(r->subject.sim);
    r->told = now;
    fprintf(stderr, "\r%.4g of %.4g s  %.3g x real time  drift %.1g J  gap %.1g  %.0f s left \033[K", t, r->set.time, t / wall,
            report.max_energy_drift, report.max_position_violation, t > 0 ? wall * (r->set.time - t) / t : NAN);
}

/* To one output time; where a terminal watches, in small parts so that progress can be told. */
static clv_status advance(run *r, double from, double to)
{
    long parts = r->watched ? 1 + (long)fmin(1000, 1000 * (to - from) / r->set.time) : 1;
    clv_status status = CLV_OK;
    for (long i = 1; i <= parts && status == CLV_OK; ++i) {
        status = clv_sim_advance(r->subject.sim, i == parts ? to : from + (to - from) * (double)i / (double)parts);
        progress(r);
    }
    return status;
}

static clv_status simulate(run *r)
{
    double from = 0, end = r->set.time, every = r->set.every;
    clv_status status = CLV_OK;
    write_names(r);
    write_row(r);
    for (double i = 1; from < end && status == CLV_OK; ++i) {
        double to = i * every > end - 1e-9 * every ? end : i * every;
        status = advance(r, from, to);
        if (status == CLV_OK || clv_sim_time(r->subject.sim) > r->written)
            write_row(r);
        from = to;
    }
    if (r->told > r->began)
        fprintf(stderr, "\r\033[K");
    return status;
}

/* ---------------------------------------------------------------- result */

static void print_json(const run *r, const clv_sim_report *report, double wall, clv_exit code)
{
    clv_json j = clv_json_begin(stdout);
    clv_json_object(&j, NULL);
    clv_json_text(&j, "status", clv_exit_word(code));
    clv_json_text(&j, "integrator", report->integrator);
    clv_json_integer(&j, "threads", r->set.sim.threads);
    clv_summary_json_size(&j, &r->subject, report);
    clv_json_number(&j, "time", clv_sim_time(r->subject.sim));
    clv_summary_json_run(&j, report, wall);
    if (r->status != CLV_OK)
        clv_json_error(&j, "error", clv_sim_error(r->subject.sim));
    clv_summary_json_bodies(&j, &r->subject);
    clv_json_end(&j);
}

static void print_last_state(const run *r)
{
    const double *x = clv_sim_position(r->subject.sim), *V = clv_sim_velocity(r->subject.sim);
    int n = clv_model_body_count(r->subject.model);
    printf("last good state at %.9g s (position in m, velocity in m/s, rad/s)\n", clv_sim_time(r->subject.sim));
    for (int i = 0; i < n && i < 20; ++i)
        printf("  %-14s %12.6g %12.6g %12.6g   %11.4g %11.4g %11.4g   %11.4g %11.4g %11.4g\n",
               clv_model_body_name(r->subject.model, i), x[3 * i], x[3 * i + 1], x[3 * i + 2], V[6 * i], V[6 * i + 1],
               V[6 * i + 2], V[6 * i + 3], V[6 * i + 4], V[6 * i + 5]);
    if (n > 20)
        printf("  and %d more bodies (--json has all)\n", n - 20);
}

static clv_exit tell_result(run *r, double wall)
{
    clv_exit code = close_output(r, clv_exit_of(r->status, true));
    clv_sim_report report;
    clv_sim_summary(r->subject.sim, &report);
    if (r->status != CLV_OK)
        clv_error_show("run", clv_sim_error(r->subject.sim));
    if (r->set.json) {
        print_json(r, &report, wall, code);
        return code;
    }
    clv_summary_print_size(&r->subject, &report);
    clv_summary_print_run(&report, clv_sim_time(r->subject.sim), wall, r->set.sim.threads);
    if (r->status != CLV_OK)
        print_last_state(r);
    if (r->set.out)
        printf("motion              %s\n", r->set.out);
    return code;
}

/* Fills in what depends on the model. */
static void complete(run *r)
{
    double suggested = r->subject.model->time_end;
    if (isnan(r->set.time))
        r->set.time = suggested > 0 ? suggested : 10;
    if (isnan(r->set.every))
        r->set.every = r->set.out || r->set.table ? r->set.time / 100 : r->set.time;
}

static clv_exit run_subject(run *r)
{
    clv_exit code = find_marker(r);
    if (code == CLV_EXIT_DONE)
        code = open_output(r);
    if (code != CLV_EXIT_DONE)
        return code;
    complete(r);
    r->watched = isatty(STDERR_FILENO);
    r->began = r->told = clv_wall();
    r->status = simulate(r);
    return tell_result(r, clv_wall() - r->began);
}

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    run r = {.subject = {.command = "run"}, .set = {.sim = clv_sim_options_default(), .time = NAN, .every = NAN}};
    clv_exit code = clv_command_read(self, &r.set, &words, 1, CLV_WORDS_MAX, argc, argv);
    if (code != CLV_EXIT_DONE)
        return code;
    if (r.set.json && r.set.table)
        return clv_tell("run", true, CLV_EXIT_USAGE, "--table prints text; use --out FILE.csv beside --json");
    r.subject.json = r.set.json;
    r.set.sim.threads = clv_threads(r.set.sim.threads);
    r.set.sim.project = !r.set.no_project;
    r.set.sim.regauge = !r.set.no_regauge;
    code = clv_subject_open(&r.subject, &words, &r.set.sim);
    if (code == CLV_EXIT_DONE)
        code = run_subject(&r);
    clv_subject_close(&r.subject);
    return code;
}

const clv_command clv_command_run = {
    "run", "MODEL [key=value ...]", "simulate a mechanism",
    "MODEL is a YAML file or the name of an example; examples take parameters.\n"
    "  cleave run hdca-case1\n"
    "  cleave run chain links=100 spatial=1 --time 2 --rtol 1e-9\n"
    "  cleave run mine.yaml --out mine.csv --every 0.01",
    options, command,
};
