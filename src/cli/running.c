/* SPDX-License-Identifier: Apache-2.0
 * A run under way; see running.h.  The output times are 0, DT, 2 DT, ... and the end; between them nothing depends on
 * whether a terminal watches. */
#include "cli/running.h"
#include "base/memory.h"
#include "cli/csv.h"
#include "cli/file.h"
#include "cli/summary.h"
#include "cli/tone.h"
#include <math.h>
#include <string.h>
#include <unistd.h>

/* ---------------------------------------------------------------- output */

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

/* Opens --out.  Every other form of results is a usage error that names it. */
static clv_exit open_output(clv_running *r)
{
    const char *file = r->set.out, *name = r->subject.command;
    if (!file || r->file)
        return CLV_EXIT_DONE;
    if (ends_with(file, ".cleave"))
        return clv_recording_open(r);
    if (ends_with(file, ".h5") || ends_with(file, ".npz"))
        return clv_tell(name, r->set.json, CLV_EXIT_USAGE,
                        "%s: %s files cannot be written by a run; use .csv, or .cleave%s", file, strrchr(file, '.'),
                        ends_with(file, ".npz") ? " and `cleave export`" : "");
    if (!ends_with(file, ".csv"))
        return clv_tell(name, r->set.json, CLV_EXIT_USAGE, "%s: the name of the output must end in .cleave or .csv",
                        file);
    if (r->asked_checkpoint)
        return clv_tell(name, r->set.json, CLV_EXIT_USAGE, "--checkpoint needs a run file: --out FILE.cleave");
    const clv_output_rule rule = {r->set.force, true, clv_subject_inputs(&r->subject)};
    clv_error error;
    if (!(r->frame = clv_alloc((size_t)r->columns.width, sizeof(double))) || (r->subject.file && !rule.input))
        return clv_tell(name, r->set.json, CLV_EXIT_RESOURCES, "out of memory");
    return clv_output_open(&r->csv, file, &rule, &error) == CLV_OK ? CLV_EXIT_DONE
                                                                   : clv_file_tell(name, r->set.json, &error);
}

static clv_exit find_marker(clv_running *r)
{
    r->marker = -1;
    if (!r->set.table)
        return CLV_EXIT_DONE;
    for (int i = 0; i < clv_model_marker_count(r->subject.model); ++i)
        if (strcmp(clv_model_marker_name(r->subject.model, i), r->set.table) == 0)
            r->marker = i;
    if (r->marker >= 0)
        return CLV_EXIT_DONE;
    return clv_tell(r->subject.command, r->set.json, CLV_EXIT_USAGE,
                    "the model has no marker '%s' for --table; markers are points of bodies: "
                    "markers: {%s: {body: ..., position: [x, y, z]}}",
                    r->set.table, r->set.table);
}

static void write_names(const clv_running *r)
{
    if (r->csv.stream)
        clv_csv_names(r->csv.stream, r->columns.column, r->columns.n);
    if (r->marker >= 0)
        printf("%12s %14s %14s %14s %14s %14s %14s\n", "time [s]", "x [m]", "y [m]", "z [m]", "vx [m/s]", "vy [m/s]",
               "vz [m/s]");
}

/* Peaks of the output state; a run file has them in its frames. */
static void sample(clv_running *r)
{
    const double time = clv_sim_time(r->subject.sim);
    if (r->file || time == r->sampled)
        return;
    clv_peaks_sample(&r->peaks, r->subject.sim);
    r->sampled = time;
}

void clv_running_write_row(clv_running *r)
{
    sample(r);
    if (r->csv.stream) {
        clv_columns_fill(r->columns.column, r->columns.n, r->subject.sim, r->frame);
        clv_csv_numbers(r->csv.stream, r->frame, r->columns.width);
    }
    if (r->marker < 0)
        return;
    const double *x = clv_sim_marker(r->subject.sim) + 6 * r->marker;
    printf("%12.6g", clv_sim_time(r->subject.sim));
    for (int i = 0; i < 6; ++i)
        printf(" %14.8g", x[i]);
    printf("\n");
}

static clv_exit close_output(clv_running *r, clv_exit code)
{
    clv_error error;
    if (clv_output_close(&r->csv, true, &error) == CLV_OK)
        return code;
    return clv_tell(r->subject.command, false, CLV_EXIT_RESOURCES, "%s", error.message);
}

/* ---------------------------------------------------------------- time */

static void progress(clv_running *r)
{
    double now = clv_wall(), wall = now - r->began;
    if (!r->watched || now - r->told < 1)
        return;
    clv_sim_report report;
    clv_sim_summary(r->subject.sim, &report);
    double t = fmin(report.time, r->set.time);
    r->told = now;
    fprintf(stderr, "\r%.4g of %.4g s  %.3g x real time  energy drift %.1g J  violation %.1g  %.0f s left \033[K", t,
            r->set.time, t / wall, report.max_energy_drift, report.max_position_violation,
            t > 0 ? wall * (r->set.time - t) / t : NAN);
}

/* Peaks are found at the ends of steps, too: ten times an output, or a thousand times a run, at most.  Views at the end
 * of a step do not change the run. */
static clv_status sample_step(clv_running *r, double end, double to)
{
    const double grid = r->set.out || r->set.table ? r->set.every / 10 : r->set.time / 1000;
    if (r->file || !(end < to) || !(floor(end / grid) > floor(r->sampled / grid)))
        return CLV_OK;
    const double began = clv_wall(); /* no part of the time of the simulation */
    clv_status status = clv_sim_advance(r->subject.sim, end);
    if (status == CLV_OK)
        sample(r);
    r->sampling += clv_wall() - began;
    return status;
}

/* To one output time, step by step: with the same bits as in one go, whether somebody watches or not. */
static clv_status advance(clv_running *r, double to, bool regular)
{
    clv_sim_report report;
    clv_status status = CLV_OK;
    for (clv_sim_summary(r->subject.sim, &report); status == CLV_OK && !r->broken && report.time < to;
         clv_sim_summary(r->subject.sim, &report)) {
        status = clv_sim_step(r->subject.sim, to);
        if (status == CLV_OK)
            clv_recording_step(r, regular);
        const long before = report.truncated_evaluations;
        clv_sim_summary(r->subject.sim, &report);
        clv_interrupt_reached(&r->interrupt, report.time);
        if (report.truncated_evaluations > before && isnan(r->singular))
            r->singular = report.time;
        clv_sparkline_put(&r->drift, report.time / r->set.time, report.max_energy_drift);
        if (status == CLV_OK)
            status = sample_step(r, report.time, to);
        progress(r);
    }
    if (status == CLV_OK && !r->broken && r->file)
        status = clv_recording_advance(r, to);
    if (status == CLV_OK && !r->broken && (!r->file || r->marker >= 0))
        status = clv_sim_advance(r->subject.sim, to);
    if (status != CLV_OK || r->broken)
        return status;
    clv_running_write_row(r);
    r->written = to;
    return CLV_OK;
}

/* An event of the model has ended the run: its last output is at that time. */
static clv_status end_early(clv_running *r)
{
    const double time = clv_sim_time(r->subject.sim);
    clv_recording_events(r);
    if (!(time > r->written) || r->broken)
        return CLV_OK;
    clv_running_write_row(r);
    clv_recording_frame(r);
    r->written = time;
    return CLV_OK;
}

/* From where the simulation is; a resumed run has written its first frames already. */
static clv_status simulate(clv_running *r)
{
    double from = 0, end = r->set.time, every = r->set.every, i = 1;
    bool regular = false;
    clv_status status = CLV_OK;
    clv_recording_begin(r);
    if (r->file && clv_runfile_frames(r->file) > 0)
        from = clv_sim_time(r->subject.sim), i = (double)clv_runfile_frames(r->file), r->written = (i - 1) * every;
    else {
        write_names(r);
        clv_running_write_row(r);
        clv_recording_frame(r);
    }
    if (r->set.real_time)
        status = clv_running_real(r), regular = round(end / every) * every == end, from = end;
    for (; from < end && status == CLV_OK && !r->broken; ++i) {
        double to = i * every > end - 1e-9 * every ? end : i * every;
        regular = to == i * every;
        status = advance(r, to, regular);
        from = to;
    }
    if (status == CLV_STOPPED) {
        status = end_early(r);
        end = clv_sim_time(r->subject.sim), regular = false;
    }
    if (status != CLV_OK && r->failure.code == CLV_OK) /* outputs clear it */
        r->failure = *clv_sim_error(r->subject.sim);
    if (status != CLV_OK && r->unseen.code == CLV_OK &&
        clv_sim_time(r->subject.sim) > r->written) { /* the last good state */
        clv_running_write_row(r);
        clv_recording_frame(r);
    }
    status = clv_recording_settle(r, status, end);
    if (status != CLV_OK && r->failure.code == CLV_OK)
        r->failure = *clv_sim_error(r->subject.sim);
    if (status == CLV_OK)
        clv_recording_end(r, regular);
    if (r->told > r->began)
        fprintf(stderr, "\r\033[K");
    return status;
}

/* ---------------------------------------------------------------- result */

static void print_json(const clv_running *r, const clv_sim_report *report, double wall, clv_exit code,
                       const clv_error *error)
{
    clv_json j = clv_json_begin(stdout);
    clv_json_object(&j, NULL);
    clv_json_text(&j, "status", clv_exit_word(code));
    clv_json_text(&j, "integrator", report->integrator);
    clv_json_integer(&j, "threads", clv_sim_threads(r->subject.sim));
    clv_json_text(&j, "threads_why", clv_sim_threads_why(r->subject.sim));
    clv_summary_json_size(&j, &r->subject, report, false);
    clv_json_number(&j, "time", clv_sim_time(r->subject.sim));
    clv_summary_json_run(&j, report, wall);
    if (error->code != CLV_OK)
        clv_json_error(&j, "error", error);
    if (r->real)
        clv_running_json_real(r->real, &j);
    clv_summary_json_limit(&j, &r->subject);
    clv_summary_json_events(&j, &r->subject);
    clv_peaks_json(&j, &r->peaks);
    clv_summary_json_momentum(&j, r->subject.sim);
    clv_summary_json_bodies(&j, &r->subject);
    clv_json_end(&j);
}

static void print_last_state(const clv_running *r)
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

/* How the largest drift grew, on a terminal. */
static void print_drift(const clv_running *r, const clv_sim_report *report)
{
    if (!isatty(STDOUT_FILENO) || !(report->max_energy_drift > 0))
        return;
    clv_label("drift over time");
    if (clv_sparkline_print(&r->drift))
        printf(" %.2g J, largest so far", report->max_energy_drift);
    printf("\n");
}

static void print_text(clv_running *r, const clv_sim_report *report, double wall)
{
    const double time = clv_sim_time(r->subject.sim);
    clv_summary_print_size(&r->subject, report);
    clv_summary_print_assembly(&r->subject, report);
    clv_summary_print_time(report, time, wall);
    if (r->status != CLV_OK) {
        clv_label("");
        printf("%sFAILED%s at %.6g of %.6g s; results up to there\n", clv_tone_begin(CLV_TONE_BAD),
               clv_tone_begin(CLV_TONE_PLAIN), report->time, r->set.time);
    }
    if (report->steps > 0) {
        printf("\n");
        clv_peaks_print(&r->peaks, r->subject.sim);
        printf("\n");
        clv_summary_print_accuracy(report, r->singular);
        print_drift(r, report);
    }
    if (!(report->step > 0))
        clv_summary_print_rounding(report, r->set.sim.rtol);
    clv_summary_print_events(&r->subject);
    clv_summary_print_steps(&r->subject, report, report->time);
    if (r->set.sim.threads > 1 || clv_sim_threads(r->subject.sim) > 1) {
        clv_label("threads");
        printf("%d: %s\n", clv_sim_threads(r->subject.sim), clv_sim_threads_why(r->subject.sim));
    }
    if (r->real)
        clv_running_print_real(r->real);
    if (r->set.verbose)
        clv_summary_print_internals(report, wall, clv_sim_threads(r->subject.sim));
    if (r->status != CLV_OK)
        print_last_state(r);
    if (r->set.out) {
        clv_label("written");
        printf("%s\n", r->set.out);
    }
}

static clv_exit tell_result(clv_running *r, double wall)
{
    clv_exit code = close_output(r, clv_exit_of(r->status, true));
    double earlier = r->file ? clv_runfile_wall(r->file) : 0;
    clv_error error = {.code = CLV_OK};
    clv_sim_report report;
    clv_sim_summary(r->subject.sim, &report);
    if (r->status != CLV_OK)
        error = r->unseen.code != CLV_OK ? r->unseen : r->failure;
    code = clv_recording_close(r, code, &error, wall);
    wall += earlier;
    if (error.code != CLV_OK)
        clv_error_show(r->subject.command, &error);
    if (r->set.json)
        print_json(r, &report, wall, code, &error);
    else if (!r->set.quiet)
        print_text(r, &report, wall);
    return code;
}

static clv_exit open_peaks(clv_running *r)
{
    r->sampled = -INFINITY, r->singular = NAN;
    if (r->file || clv_peaks_open(&r->peaks, r->subject.model))
        return CLV_EXIT_DONE;
    return clv_tell(r->subject.command, r->set.json, CLV_EXIT_RESOURCES, "out of memory");
}

static void release(clv_running *r)
{
    clv_error e;
    clv_output_close(&r->csv, false, &e); /* where it is still open: nothing ran */
    clv_peaks_close(&r->peaks);
    clv_realtime_destroy(r->real);
    clv_free(r->frame), clv_free(r->happened);
}

clv_exit clv_running_go(clv_running *r)
{
    clv_exit code = find_marker(r);
    if (code == CLV_EXIT_DONE)
        code = open_output(r);
    if (code == CLV_EXIT_DONE)
        code = clv_recording_start(r);
    if (code == CLV_EXIT_DONE)
        code = open_peaks(r);
    if (code == CLV_EXIT_DONE) {
        r->watched = isatty(STDERR_FILENO);
        r->began = r->told = clv_wall();
        clv_interrupt_begin(&r->interrupt, clv_sim_time(r->subject.sim), r->set.time, r->file ? r->set.out : NULL);
        r->status = clv_sim_set_max_steps(r->subject.sim, r->set.max_steps, r->set.time);
        if (r->status == CLV_OK)
            r->status = simulate(r);
        clv_interrupt_end(&r->interrupt);
        code = tell_result(r, clv_wall() - r->began - r->sampling);
    }
    release(r);
    return code;
}
