/* SPDX-License-Identifier: Apache-2.0
 * A run under way and its run file: what is written when.  Everything here depends on simulated time alone, so that a
 * resumed run writes the same.  A checkpoint follows the first step that reaches a multiple of its interval, an event
 * the step that begins or ends to lose rank.  Called by running.c; without a run file nothing happens.
 *
 * Frames are computed and written by the recorder, on a thread of its own;
 * whatever else goes into the file waits for it. */
#include "base/error.h"
#include "base/memory.h"
#include "cli/running.h"
#include "cli/summary.h"
#include "io/yaml_write.h"
#include "model/contact.h"
#include "model/group.h"
#include "model/fingerprint.h"
#include "model/model.h"
#include <math.h>
#include <string.h>
#include <sys/utsname.h>

clv_exit clv_recording_exit(clv_status status)
{
    return status == CLV_OK                                     ? CLV_EXIT_DONE
           : status == CLV_ERR_IO || status == CLV_ERR_MEMORY ? CLV_EXIT_RESOURCES
                                                                : clv_exit_of(status, false);
}

/* ---------------------------------------------------------------- what is known at the start */

static void read_cpu(char *text, size_t size)
{
    char line[256];
    FILE *in = fopen("/proc/cpuinfo", "r");
    while (in && fgets(line, sizeof line, in)) {
        char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !value)
            continue;
        value += 1 + strspn(value + 1, " \t");
        snprintf(text, size, "%.*s", (int)strcspn(value, "\n"), value);
        break;
    }
    if (in)
        fclose(in);
}

clv_runfile_machine clv_running_machine(char text[2][192])
{
    struct utsname name;
    text[0][0] = text[1][0] = 0;
    if (uname(&name) == 0)
        snprintf(text[0], sizeof text[0], "%.60s %.60s %.60s", name.sysname, name.release, name.machine);
    read_cpu(text[1], sizeof text[1]);
    return (clv_runfile_machine){
        .version = clv_version(), .compiler = CLV_COMPILER, .lanes = clv_lanes(), .system = text[0], .cpu = text[1]};
}

/* Is this text the model, without any other file? */
static bool is_whole(const clv_model *model, const char *text, size_t size)
{
    clv_model *again = NULL;
    bool whole = clv_model_read_text(&again, text, size, "") == CLV_OK && again->nside == 0 &&
                 clv_model_fingerprint(again) == clv_model_fingerprint(model);
    clv_model_destroy(again);
    return whole;
}

const char *clv_subject_text(const clv_subject *s, char **written, size_t *size)
{
    *written = NULL, *size = s->size;
    if (s->text && s->model->nside == 0 && !s->changed)
        return s->text;
    if (clv_model_write_text(s->model, written, size) == CLV_OK && is_whole(s->model, *written, *size))
        return *written;
    clv_free(*written);
    return *written = NULL;
}

/* The values given to the text's parameters, by lines; NULL: none, or out of memory.  The caller frees it. */
static char *given_lines(const clv_subject *s)
{
    size_t size = 1, n = 0;
    for (int i = 0; i < s->ngiven; ++i)
        size += strlen(s->given[i]) + 1;
    char *lines = s->ngiven > 0 ? clv_alloc(size, 1) : NULL;
    for (int i = 0; lines && i < s->ngiven; ++i)
        n += (size_t)snprintf(lines + n, size - n, "%s%s", i ? "\n" : "", s->given[i]);
    return lines;
}

/* What a page shows beside the usual columns; of models with many contacts only on demand. */
static const char *page_columns(const clv_model *m)
{
    enum { CONTACTS_MOST = 64 };
    int n = 0;
    for (int i = 0; i < m->nforce; ++i)
        n += m->force[i].group ? m->force[i].group->n : m->force[i].kind == CLV_FORCE_CONTACT;
    return n > 0 && n <= CONTACTS_MOST ? "+integrator.*,contacts.*" : "+integrator.*";
}

clv_exit clv_recording_open(clv_running *r)
{
    clv_subject *s = &r->subject;
    char machine[2][192], *written;
    size_t size;
    const char *text = clv_subject_text(s, &written, &size);
    char *lines = text && text == s->text ? given_lines(s) : NULL;
    if (text && text == s->text && s->ngiven > 0 && !lines)
        return clv_tell(s->command, r->set.json, CLV_EXIT_RESOURCES, "out of memory");
    const char *const *input = clv_subject_inputs(s);
    if (s->file && !input) {
        clv_free(lines);
        clv_free(written);
        return clv_tell(s->command, r->set.json, CLV_EXIT_RESOURCES, "out of memory");
    }
    if (!text)
        return clv_tell(s->command, r->set.json, CLV_EXIT_RESOURCES, "the text of model %s cannot be kept in %s",
                        s->source, r->set.out);
    clv_runfile_start start = {.model = s->model,
                               .text = text,
                               .size = size,
                               .source = s->source,
                               .parameters = lines,
                               .columns = r->set.columns || !r->set.report ? r->set.columns : page_columns(s->model),
                               .settings = {.sim = r->set.sim,
                                            .end = r->set.time,
                                            .every = r->set.every,
                                            .checkpoint = r->set.checkpoint,
                                            .reactions = r->set.reactions},
                               .machine = clv_running_machine(machine),
                               .over = r->set.force ? CLV_OVER_ANY : CLV_OVER_NOTHING,
                               .input = input};
    clv_status status = clv_runfile_create(&r->file, r->set.out, &start);
    clv_free(lines);
    clv_free(written);
    if (status == CLV_OK)
        return CLV_EXIT_DONE;
    clv_exit code = clv_recording_exit(status) == CLV_EXIT_RESOURCES ? CLV_EXIT_RESOURCES : CLV_EXIT_USAGE;
    clv_tell(s->command, r->set.json, code, "%s", r->file ? clv_runfile_error(r->file)->message : "out of memory");
    clv_runfile_close(r->file, NULL);
    r->file = NULL;
    return code;
}

clv_exit clv_recording_start(clv_running *r)
{
    const size_t n = (size_t)clv_model_event_count(r->subject.model);
    r->recorder = r->file ? clv_recorder_create(r->file, r->subject.model, &r->set.sim) : NULL;
    r->happened = clv_alloc(n + 1, sizeof *r->happened);
    if (r->happened && (!r->file || r->recorder))
        return CLV_EXIT_DONE;
    clv_recorder_destroy(r->recorder);
    r->recorder = NULL;
    clv_runfile_close(r->file, NULL);
    r->file = NULL;
    return clv_tell(r->subject.command, r->set.json, CLV_EXIT_RESOURCES, "out of memory");
}

/* ---------------------------------------------------------------- while time passes */

static void took(clv_running *r, clv_status status)
{
    r->broken = r->broken || status != CLV_OK;
}

static double wall(const clv_running *r) { return clv_wall() - r->began; }

/* The first multiple of the checkpoint interval behind `time`. */
static double next_due(const clv_running *r, double time)
{
    double dt = r->set.checkpoint;
    return dt > 0 ? (floor(time / dt) + 1) * dt : INFINITY;
}

void clv_recording_begin(clv_running *r)
{
    clv_sim_report report;
    clv_sim_summary(r->subject.sim, &report);
    r->truncations = report.truncated_evaluations;
    r->due = next_due(r, report.time);
    clv_event_result e;
    for (int i = 0; i < clv_model_event_count(r->subject.model) && clv_sim_event(r->subject.sim, i, &e); ++i)
        r->happened[i] = e.count;
}

/* What the recorder says; the file may be used after a wait only. */
static clv_status heard(clv_running *r)
{
    bool of_file;
    clv_status status = clv_recorder_failed(r->recorder, &of_file, &r->unseen);
    r->broken = r->broken || of_file;
    return of_file ? CLV_OK : status;
}

/* Is the file there to be used? */
static bool ready(clv_running *r)
{
    if (!r->file || r->broken)
        return false;
    clv_recorder_wait(r->recorder);
    return heard(r) == CLV_OK && !r->broken;
}

/* Is a frame a function of the state?  The recorder knows the mechanism before its events alone, and impulses of rigid
 * contacts are those of the last step. */
static bool shown_by_state(const clv_model *m)
{
    for (int i = 0; i < m->nforce; ++i)
        if (clv_force_rigid(&m->force[i]))
            return false;
    return m->nevent == 0;
}

clv_status clv_recording_advance(clv_running *r, double to)
{
    clv_status status = heard(r);
    if (status != CLV_OK || r->broken)
        return status;
    if (!shown_by_state(r->subject.model)) {
        status = clv_sim_advance(r->subject.sim, to);
        if (status == CLV_OK)
            clv_recording_frame(r);
        return status;
    }
    status = clv_sim_advance_state(r->subject.sim, to, clv_recorder_state(r->recorder));
    if (status == CLV_OK)
        clv_recorder_post(r->recorder);
    return status;
}

clv_status clv_recording_state(clv_running *r, const double *state)
{
    const clv_status status = heard(r);
    if (status != CLV_OK || r->broken)
        return status;
    memcpy(clv_recorder_state(r->recorder), state, clv_sim_state_size(r->subject.sim) * sizeof *state);
    clv_recorder_post(r->recorder);
    return CLV_OK;
}

clv_status clv_recording_settle(clv_running *r, clv_status status, double end)
{
    if (!r->file)
        return status;
    clv_recorder_wait(r->recorder);
    clv_status seen = heard(r);
    if (status != CLV_OK) /* the last good state is shown */
        return status;
    if (seen != CLV_OK || r->broken) {
        clv_sim_report report;
        clv_sim_summary(r->subject.sim, &report);
        end = report.time;
    }
    status = clv_sim_advance(r->subject.sim, end);
    return seen != CLV_OK ? seen : status;
}

void clv_recording_frame(clv_running *r)
{
    if (!ready(r))
        return;
    bool first = clv_runfile_frames(r->file) == 0;
    took(r, clv_runfile_frame(r->file, r->subject.sim));
    clv_sim_report report;
    clv_sim_summary(r->subject.sim, &report);
    if (!first || r->broken || !(report.start_moved > 1e-9)) /* below: rounding, as in the summary */
        return;
    char text[128];
    snprintf(text, sizeof text, "the start was moved by %.3g m or rad to close the loops", report.start_moved);
    took(r, clv_runfile_put_event(r->file, 0, "assembly_moved", text));
}

static void save(clv_running *r, double time)
{
    took(r, clv_runfile_checkpoint(r->file, r->subject.sim, r->truncated, wall(r)));
    r->due = next_due(r, time);
}

void clv_recording_events(clv_running *r)
{
    static const char *const kind[] = {"lock", "release", "attach", "stop"};
    const clv_model *m = r->subject.model;
    clv_event_result e;
    for (int i = 0; i < m->nevent && clv_sim_event(r->subject.sim, i, &e); ++i) {
        char text[400];
        if (e.count == r->happened[i])
            continue;
        r->happened[i] = e.count;
        clv_event_text(m, i, &e, text, sizeof text);
        if (r->file && ready(r))
            took(r, clv_runfile_put_event(r->file, e.time, kind[m->event[i].action], text));
    }
}

void clv_recording_step(clv_running *r, bool regular)
{
    clv_sim_report report;
    if (!r->file || r->broken)
        return;
    clv_recording_events(r);
    clv_sim_summary(r->subject.sim, &report);
    bool truncated = report.truncated_evaluations > r->truncations;
    r->truncations = report.truncated_evaluations;
    if (truncated != r->truncated && ready(r))
        took(r, clv_runfile_put_event(r->file, report.time, truncated ? "truncation_begins" : "truncation_ends",
                                      truncated ? "the rank of the constraints is lower than at the start"
                                                : "the rank of the constraints is that of the start again"));
    r->truncated = truncated;
    if (regular && report.time >= r->due && ready(r))
        save(r, report.time);
}

void clv_recording_end(clv_running *r, bool regular)
{
    if (regular && ready(r))
        save(r, INFINITY);
}

/* ---------------------------------------------------------------- the end */

/* Peaks of all frames of the file, so that a resumed run has those of the whole run.  False: out of memory; frames that
 * cannot be read are reported when the file is closed. */
static bool read_peaks(clv_running *r)
{
    int n;
    clv_error e;
    clv_columns all = {0};
    const clv_column *column = clv_runfile_columns(r->file, &n);
    double *frame = clv_alloc((size_t)clv_runfile_width(r->file), sizeof(double));
    bool good = frame && clv_columns_select(&all, column, n, "*", &e) == CLV_OK &&
                clv_columns_bind(all.column, all.n, r->subject.model, &e) == CLV_OK &&
                clv_peaks_open(&r->peaks, r->subject.model) && clv_peaks_bind(&r->peaks, all.column, all.n);
    for (long i = 0; good && i < clv_runfile_frames(r->file); ++i) {
        const clv_status status = clv_runfile_read(r->file, i, 1, frame);
        if (status == CLV_OK)
            clv_peaks_see(&r->peaks, frame);
        good = status != CLV_ERR_MEMORY;
    }
    clv_columns_release(&all);
    clv_free(frame);
    return good;
}

clv_exit clv_recording_close(clv_running *r, clv_exit code, clv_error *error, double seconds)
{
    clv_recorder_destroy(r->recorder);
    r->recorder = NULL;
    if (!r->file)
        return code;
    if (!r->broken && error->code != CLV_OK) {
        clv_sim_report report;
        clv_sim_summary(r->subject.sim, &report);
        took(r, clv_runfile_put_event(r->file, report.time, "failure", error->message));
    }
    if (!r->broken)
        took(r, clv_runfile_finish(r->file, r->subject.sim, clv_exit_word(code), seconds));
    if (!r->broken && !read_peaks(r)) {
        clv_fail(error, CLV_ERR_MEMORY, "out of memory");
        code = CLV_EXIT_RESOURCES;
    }
    if (r->broken) {
        *error = *clv_runfile_error(r->file);
        code = CLV_EXIT_RESOURCES;
    }
    clv_error late;
    if (clv_runfile_close(r->file, &late) != CLV_OK) {
        *error = late;
        code = CLV_EXIT_RESOURCES;
    }
    r->file = NULL;
    return code;
}
