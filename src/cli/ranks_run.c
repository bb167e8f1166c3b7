/* SPDX-License-Identifier: Apache-2.0
 * A run on ranks; see ranks_run.h.  All ranks read the model and keep their segments of it.  Rank 0 keeps the whole
 * model, too, and writes frames, checkpoints and results.
 *
 * Steps end at checkpoints, which are outputs, so a saved state is that of one time alone (T81).  An error in the
 * numbers ends the run on all ranks in the same step; rank 0 reports the first one with its rank. */
#include "cli/ranks_run.h"
#include "base/error.h"
#include "base/memory.h"
#include "cli/csv.h"
#include "cli/file.h"
#include "cli/ranks_frame.h"
#include "cli/running.h"
#include "cli/summary.h"
#include "model/model.h"
#include <math.h>
#include <string.h>

typedef struct run {
    const clv_ranks *ranks;
    const clv_ranks_voice *voice;
    char *usual;          /* columns, if none are given                   */
    clv_subject subject;
    clv_run_settings set;
    clv_ranked *r;
    clv_columns columns;  /* of CSV                                       */
    clv_runfile *file;    /* rank 0                                       */
    clv_output csv;
    clv_ranks_frame frame;
    double first;         /* number of the first output                   */
    double saved_every;   /* outputs between checkpoints; 0: none         */
    clv_error failure;
    int failed_rank;      /* -1: none                                     */
    double began;
} run;

static double now(const run *x) { return clv_sim_time(clv_ranked_sim(x->r)); }
static bool first(const run *x) { return x->ranks->rank == 0; }

static clv_exit tell(const run *x, clv_exit code, const char *text)
{
    return clv_tell(x->subject.command, x->set.json, code, "%s", text);
}

/* ---------------------------------------------------------------- options */

static clv_exit refuse(const run *x, const char *what)
{
    return clv_tell(x->subject.command, x->set.json, CLV_EXIT_USAGE, "%s is for one process; docs/ranks.md lists what "
                                                                     "a run on several takes", what);
}

static clv_exit check_options(const run *x)
{
    const clv_run_settings *s = &x->set;
    if (s->report)
        return refuse(x, "--report");
    if (s->table)
        return refuse(x, "--table");
    if (s->real_time)
        return refuse(x, "--real-time");
    if (s->reactions)
        return refuse(x, "--reactions");
    if (s->inputs.n > 0)
        return refuse(x, "--input");
    if (!isnan(s->checkpoint) && !s->out)
        return tell(x, CLV_EXIT_USAGE, "--checkpoint needs a run file: --out FILE.cleave");
    return CLV_EXIT_DONE;
}

static clv_exit complete(run *x)
{
    clv_run_settings *s = &x->set;
    const double suggested = x->subject.model->time_end;
    if (isnan(s->time))
        s->time = suggested > 0 ? suggested : 10;
    if (isnan(s->every))
        s->every = s->time / (s->out ? 100 : 1);
    if (!(s->every > 0))
        s->every = 1;
    if (isnan(s->checkpoint))
        s->checkpoint = s->time / 20;
    x->saved_every = s->checkpoint > 0 ? fmax(1, ceil(s->checkpoint / s->every - 1e-9)) : 0;
    if (s->time / s->every > s->max_steps || (s->sim.step > 0 && s->time / s->sim.step > s->max_steps))
        return tell(x, CLV_EXIT_USAGE, "more steps or outputs than --max-steps allows");
    return CLV_EXIT_DONE;
}

/* ---------------------------------------------------------------- opening */

/* What another rank than the first has printed, for people, each line with its rank. */
static void speak(const run *x)
{
    const clv_ranks_voice *v = x->voice;
    bool fresh = true;
    if (first(x))
        return;
    fflush(v->said), rewind(v->said);
    for (int c; (c = getc(v->said)) != EOF; fresh = c == '\n') {
        if (fresh)
            fprintf(v->errors, "rank %d: ", x->ranks->rank);
        putc(c, v->errors);
    }
    fflush(v->errors);
}

/* Has the same gone well on all ranks?  A rank that alone has failed says why. */
static clv_exit agree(const run *x, clv_exit code)
{
    const clv_ranks *k = x->ranks;
    int both[2] = {code, code}, other; /* of the worst, of rank 0 */
    bool good = true;
    if (!first(x))
        good = k->send(k->owner, 0, both, sizeof both[0]) && k->receive(k->owner, 0, both, sizeof both);
    for (int from = 1; first(x) && from < k->size; from++) {
        good = k->receive(k->owner, from, &other, sizeof other) && good;
        both[0] = both[0] == CLV_EXIT_DONE ? other : both[0];
    }
    for (int to = 1; first(x) && to < k->size; to++)
        good = k->send(k->owner, to, both, sizeof both) && good;
    if (code != CLV_EXIT_DONE && both[1] == CLV_EXIT_DONE)
        speak(x);
    return good ? (clv_exit)both[0] : CLV_EXIT_RESOURCES;
}

/* An error at the start of the simulations: who has found it ends all, for others may wait for its messages. */
static clv_exit end_all(const run *x, clv_status st, const clv_error *e)
{
    const clv_exit code = clv_exit_of(st, false);
    if (clv_ranked_elsewhere(e))
        return code;
    clv_error_show(x->subject.command, e);
    speak(x);
    x->ranks->end_all(x->ranks->owner, code);
    return code;
}

static clv_exit share_out(run *x)
{
    clv_status st = clv_ranked_divide(&x->r, x->subject.model, x->ranks, 0);
    if (st != CLV_OK)
        clv_error_show(x->subject.command, clv_ranked_error_of(x->r));
    const clv_exit code = agree(x, clv_exit_of(st, false));
    if (code != CLV_EXIT_DONE)
        return code;
    st = clv_ranked_begin(x->r, x->subject.model, &x->set.sim);
    if (st != CLV_OK)
        return end_all(x, st, clv_ranked_error_of(x->r));
    clv_sim_report report;
    clv_sim_summary(clv_ranked_sim(x->r), &report);
    x->set.sim.formulation = report.formulation, x->set.sim.integrator = report.integrator;
    return CLV_EXIT_DONE;
}

/* The whole model is needed no longer, but by rank 0. */
static void forget_model(run *x)
{
    if (first(x))
        return;
    clv_model_destroy(x->subject.model);
    x->subject.model = NULL;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

static clv_exit show(const run *x, const clv_error *e)
{
    clv_tell(x->subject.command, x->set.json, CLV_EXIT_USAGE, "%s", e->message);
    if (*e->hint)
        fprintf(stderr, "  %s\n", e->hint);
    return CLV_EXIT_USAGE;
}

static clv_exit open_csv(run *x)
{
    const clv_output_rule rule = {x->set.force, true, clv_subject_inputs(&x->subject)};
    clv_error e;
    clv_exit code = CLV_EXIT_DONE;
    if (clv_columns_create(&x->columns, x->subject.model, x->set.columns, false, &e) != CLV_OK ||
        clv_ranks_frame_bind(&x->frame, x->subject.model, x->columns.column, x->columns.n, &e) != CLV_OK)
        code = show(x, &e);
    else if (clv_output_open(&x->csv, x->set.out, &rule, &e) != CLV_OK)
        return clv_file_tell(x->subject.command, x->set.json, &e);
    if (code == CLV_EXIT_DONE)
        clv_csv_names(x->csv.stream, x->columns.column, x->columns.n);
    return code;
}

/* the columns of the run file that is open */
static clv_exit bind_file(run *x)
{
    int n;
    clv_error e;
    clv_column *column = (clv_column *)clv_runfile_columns(x->file, &n);
    clv_status st = clv_columns_bind(column, n, x->subject.model, &e);
    if (st == CLV_OK)
        st = clv_ranks_frame_bind(&x->frame, x->subject.model, column, n, &e);
    return st == CLV_OK ? CLV_EXIT_DONE : show(x, &e);
}

static clv_exit open_file(run *x)
{
    clv_columns c;
    clv_error e;
    clv_running own = {.subject = x->subject, .set = x->set};
    clv_status st = clv_columns_create(&c, x->subject.model, x->set.columns, false, &e);
    if (st == CLV_OK) { /* before a file is there */
        st = clv_ranks_frame_bind(&x->frame, x->subject.model, c.column, c.n, &e);
        clv_columns_release(&c);
        clv_free(x->frame.from), clv_free(x->frame.frame);
        x->frame.from = NULL, x->frame.frame = NULL;
    }
    if (st != CLV_OK)
        return show(x, &e);
    const clv_exit code = clv_recording_open(&own);
    x->file = own.file, x->subject.input = own.subject.input;
    return code == CLV_EXIT_DONE ? bind_file(x) : code;
}

/* rank 0 */
static clv_exit open_output(run *x)
{
    if (!clv_ranks_frame_open(&x->frame, x->subject.model))
        return tell(x, CLV_EXIT_RESOURCES, "out of memory");
    if (x->file)
        return bind_file(x);
    if (!x->set.out)
        return CLV_EXIT_DONE;
    if (!x->set.columns && !(x->set.columns = x->usual = clv_ranks_frame_usual(x->subject.model)))
        return tell(x, CLV_EXIT_RESOURCES, "out of memory");
    if (ends_with(x->set.out, ".cleave"))
        return open_file(x);
    if (ends_with(x->set.out, ".csv"))
        return open_csv(x);
    return clv_tell(x->subject.command, x->set.json, CLV_EXIT_USAGE,
                    "%s: the name of the output must end in .cleave or .csv", x->set.out);
}

/* ---------------------------------------------------------------- time */

/* The output state as a frame; false: on rank 0 it could not be written. */
static bool write_frame(run *x)
{
    int n = x->columns.n;
    const clv_column *column = x->file ? clv_runfile_columns(x->file, &n) : x->columns.column;
    if (!clv_ranks_frame_take(&x->frame, x->r, x->subject.model, column, n))
        return false;
    if (x->csv.stream)
        clv_csv_numbers(x->csv.stream, x->frame.frame, x->columns.width);
    return !x->file || clv_runfile_put(x->file, x->frame.frame) == CLV_OK;
}

static bool write_state(run *x)
{
    void *bytes;
    size_t size;
    bool good = clv_ranked_save(x->r, &bytes, &size);
    if (good && x->file)
        good = clv_runfile_put_state(x->file, now(x), bytes, size, clv_wall() - x->began) == CLV_OK;
    clv_free(bytes);
    return good;
}

/* All ranks: what became of a step; the first error that a rank has found itself. */
static void find_failure(run *x)
{
    x->failure = *clv_sim_error(clv_ranked_sim(x->r));
    const bool own = !clv_ranked_elsewhere(&x->failure);
    x->failed_rank = clv_ranked_error(x->r, own, &x->failure);
}

/* rank 0 says what the others need to know: is there a run file? */
static bool recorded(run *x) { return clv_ranked_sum(x->r, first(x) && x->file ? 1 : 0) > 0; }

static clv_status simulate(run *x, bool *broken)
{
    const double end = x->set.time, every = x->set.every;
    const bool saves = recorded(x) && x->saved_every > 0;
    clv_status st = CLV_OK;
    if (x->first == 0)
        *broken = !clv_ranked_all(x->r, write_frame(x));
    double from = x->first > 0 ? (x->first - 1) * every : 0;
    for (double i = fmax(1, x->first); from < end && st == CLV_OK && !*broken; i++) {
        const double to = i * every > end - 1e-9 * every ? end : i * every;
        const double due = ceil(i / x->saved_every) * x->saved_every * every;
        clv_ranked_stop_at(x->r, saves ? due : INFINITY);
        st = clv_sim_advance(clv_ranked_sim(x->r), to);
        if (st != CLV_OK)
            find_failure(x);
        *broken = !clv_ranked_all(x->r, write_frame(x)) ||
                  (st == CLV_OK && saves && to == due && !clv_ranked_all(x->r, write_state(x)));
        from = to;
    }
    return st;
}

/* ---------------------------------------------------------------- results */

static void json_bodies(clv_json *j, const run *x)
{
    const clv_ranked_state *s = &x->frame.state;
    clv_json_object(j, "final");
    for (size_t i = 0; i < (size_t)x->subject.model->nbody; ++i) {
        clv_json_object(j, x->subject.model->body[i].name);
        clv_json_numbers(j, "position", s->position + 3 * i, 3);
        clv_json_numbers(j, "velocity", s->velocity + 6 * i, 3);
        clv_json_numbers(j, "quaternion", s->orientation + 4 * i, 4);
        clv_json_numbers(j, "angular_velocity", s->velocity + 6 * i + 3, 3);
        clv_json_end(j);
    }
    clv_json_end(j);
}

static void print_json(const run *x, const clv_sim_report *report, double wall, clv_exit code, const clv_error *error)
{
    clv_json j = clv_json_begin(stdout);
    long messages, bytes;
    clv_ranked_sent(x->r, &messages, &bytes);
    clv_json_object(&j, NULL);
    clv_json_text(&j, "status", clv_exit_word(code));
    clv_json_text(&j, "model", x->subject.model->name);
    clv_json_text(&j, "formulation", report->formulation);
    clv_json_text(&j, "integrator", report->integrator);
    clv_json_integer(&j, "ranks", x->ranks->size);
    clv_json_integer(&j, "segments", clv_ranked_segments(x->r));
    clv_json_integer(&j, "threads", clv_sim_threads(clv_ranked_sim(x->r)));
    clv_json_integer(&j, "messages", messages);
    clv_json_integer(&j, "message_bytes", bytes);
    clv_json_integer(&j, "bodies", report->bodies);
    clv_json_integer(&j, "joints", report->joints);
    clv_json_number(&j, "time", now(x));
    clv_summary_json_run(&j, report, wall);
    if (error->code != CLV_OK)
        clv_json_error(&j, "error", error);
    json_bodies(&j, x);
    clv_json_end(&j);
}

static void print_text(const run *x, const clv_sim_report *report, double wall)
{
    char text[24];
    printf("%s: %d bodies, %d joints\n", x->subject.model->name, report->bodies, report->joints);
    clv_label("ranks");
    printf("%d of %s, %d segments\n", x->ranks->size, x->ranks->how, clv_ranked_segments(x->r));
    clv_summary_print_time(report, now(x), wall);
    clv_label("steps");
    printf("%ld, %ld rejected, %ld evaluations of %s each\n", report->steps, report->rejected_steps,
           report->rate_evaluations, clv_duration(text, wall / (double)report->rate_evaluations));
    clv_label("energy drift");
    printf("%.2g J at most\n", report->max_energy_drift);
    if (x->set.out) {
        clv_label("written");
        printf("%s\n", x->set.out);
    }
}

/* rank 0: closes what was written, and reports */
static clv_exit finish(run *x, clv_status st, bool broken)
{
    const double wall = clv_wall() - x->began;
    clv_exit code = broken ? CLV_EXIT_RESOURCES : clv_exit_of(st, true);
    clv_error error = {.code = CLV_OK}, late;
    clv_sim_report report;
    clv_sim_summary(clv_ranked_sim(x->r), &report);
    report.bodies = x->subject.model->nbody, report.joints = x->subject.model->njoint;
    report.loops = 0, report.mobility_counted = report.mobility_found = -1;
    if (st != CLV_OK) {
        error = x->failure;
        char text[sizeof error.message];
        snprintf(text, sizeof text, "rank %d: %.*s", x->failed_rank, (int)sizeof text - 24, x->failure.message);
        clv_error_text(error.message, sizeof error.message, text);
        if (x->file && clv_runfile_put_event(x->file, report.time, "failure", error.message) != CLV_OK)
            broken = true;
    }
    if (x->file && !broken)
        broken = clv_runfile_finish_with(x->file, &report, now(x), clv_exit_word(code), wall) != CLV_OK;
    if (x->file && broken)
        error = *clv_runfile_error(x->file), code = CLV_EXIT_RESOURCES;
    if (x->file && clv_runfile_close(x->file, &late) != CLV_OK)
        error = late, code = CLV_EXIT_RESOURCES;
    x->file = NULL;
    if (clv_output_close(&x->csv, true, &late) != CLV_OK)
        error = late, code = CLV_EXIT_RESOURCES;
    if (error.code != CLV_OK)
        clv_error_show(x->subject.command, &error);
    if (x->set.json)
        print_json(x, &report, wall, code, &error);
    else
        print_text(x, &report, wall);
    return code;
}

/* from here on all ranks do the same; code: of what rank 0 alone has opened */
static clv_exit go(run *x, clv_exit code)
{
    bool broken = false;
    if (!clv_ranked_all(x->r, code == CLV_EXIT_DONE))
        return code == CLV_EXIT_DONE ? CLV_EXIT_USAGE : code;
    forget_model(x);
    x->began = clv_wall();
    const clv_status st = simulate(x, &broken);
    return first(x) ? finish(x, st, broken) : clv_exit_of(st, true);
}

static clv_exit start(run *x, const clv_words *words)
{
    clv_exit code = check_options(x);
    if (code == CLV_EXIT_DONE)
        code = clv_subject_model(&x->subject, words);
    if (code == CLV_EXIT_DONE)
        code = complete(x);
    code = agree(x, code);
    if (code == CLV_EXIT_DONE)
        code = share_out(x);
    return code != CLV_EXIT_DONE ? code : go(x, first(x) ? open_output(x) : CLV_EXIT_DONE);
}

/* ---------------------------------------------------------------- resume */

static clv_exit opened(const run *x, clv_status st)
{
    if (st == CLV_OK)
        return CLV_EXIT_DONE;
    return clv_tell("resume", x->set.json, clv_recording_exit(st), "%s",
                    x->file ? clv_runfile_error(x->file)->message : "out of memory");
}

/* rank 0 writes; then the others read */
static clv_exit open_run(run *x, const char *path)
{
    char machine[2][192];
    const clv_runfile_machine m = clv_running_machine(machine);
    clv_exit code = first(x) ? opened(x, clv_runfile_continue(&x->file, path, &m)) : CLV_EXIT_DONE;
    code = agree(x, code);
    return code == CLV_EXIT_DONE && !first(x) ? opened(x, clv_runfile_open(&x->file, path)) : code;
}

/* model and settings of the run */
static clv_exit read_run(run *x, const char *path)
{
    const clv_runfile_settings *set = clv_runfile_get_settings(x->file);
    const double time = x->set.time;
    x->set.sim = set->sim, x->set.every = set->every, x->set.checkpoint = set->checkpoint, x->set.time = set->end;
    x->subject.source = clv_runfile_source(x->file);
    const clv_status st = clv_runfile_model(x->file, &x->subject.model);
    if (st != CLV_OK)
        return clv_tell("resume", x->set.json, clv_exit_of(st, false), "%s: its model cannot be read", path);
    clv_exit code = complete(x);
    if (code != CLV_EXIT_DONE || isnan(time) || time == set->end)
        return code;
    if (time < set->end)
        return clv_tell("resume", x->set.json, CLV_EXIT_USAGE, "the run already goes to %.9g s; --time must be later",
                        set->end);
    x->set.time = time;
    return CLV_EXIT_DONE;
}

static clv_exit load(run *x, double end)
{
    void *bytes = NULL;
    size_t size = 0;
    clv_status st = CLV_OK;
    if (first(x)) {
        st = clv_runfile_take_state(x->file, &bytes, &size);
        if (st == CLV_OK && end != clv_runfile_get_settings(x->file)->end)
            st = clv_runfile_set_end(x->file, end);
        if (st != CLV_OK)
            clv_tell("resume", x->set.json, clv_recording_exit(st), "%s", clv_runfile_error(x->file)->message);
    }
    if (!clv_ranked_all(x->r, st == CLV_OK)) {
        clv_free(bytes);
        return clv_recording_exit(st);
    }
    const bool any = clv_ranked_sum(x->r, bytes ? 1 : 0) > 0;
    st = any ? clv_ranked_load(x->r, bytes, size) : CLV_OK;
    clv_free(bytes);
    if (st != CLV_OK) {
        clv_error_show("resume", clv_ranked_error_of(x->r));
        return clv_exit_of(st, false);
    }
    x->first = clv_ranked_sum(x->r, first(x) ? (double)clv_runfile_frames(x->file) : 0);
    return CLV_EXIT_DONE;
}

static clv_exit resume(run *x, const char *path)
{
    clv_exit code = agree(x, open_run(x, path));
    if (code == CLV_EXIT_DONE)
        code = agree(x, read_run(x, path));
    x->set.out = path;
    if (code == CLV_EXIT_DONE)
        code = share_out(x);
    if (code == CLV_EXIT_DONE && !first(x)) {
        clv_runfile_close(x->file, NULL);
        x->file = NULL;
    }
    if (code == CLV_EXIT_DONE)
        code = load(x, x->set.time);
    return code != CLV_EXIT_DONE ? code : go(x, first(x) ? open_output(x) : CLV_EXIT_DONE);
}

/* ---------------------------------------------------------------- the program */

static void release(run *x)
{
    if (x->file)
        clv_runfile_close(x->file, NULL);
    clv_ranks_frame_close(&x->frame);
    clv_columns_release(&x->columns);
    clv_ranked_close(x->r);
    clv_subject_close(&x->subject);
    clv_free(x->usual);
}

int clv_ranks_main(const clv_ranks *ranks, const clv_ranks_voice *voice, int argc, char **argv)
{
    const clv_command *c = argc > 1 && strcmp(argv[1], "run") == 0      ? &clv_command_run
                           : argc > 1 && strcmp(argv[1], "resume") == 0 ? &clv_command_resume
                                                                        : NULL;
    if (!c)
        return clv_tell(argc > 1 ? argv[1] : "", false, CLV_EXIT_USAGE,
                        "processes of MPI are for `run` and `resume` alone");
    clv_words words;
    run x = {.ranks = ranks, .voice = voice, .set = clv_run_usual(), .failed_rank = -1};
    const int most = c == &clv_command_run ? CLV_WORDS_MAX : 1;
    clv_exit code = clv_command_read(c, &x.set, &words, 1, most, argc - 2, argv + 2);
    if (code == CLV_EXIT_DONE) {
        if (x.set.sim.threads == 0)
            x.set.sim.threads = 1;
        x.subject = (clv_subject){.command = c->name, .json = x.set.json, .lenient = x.set.lenient};
        code = c == &clv_command_run ? start(&x, &words) : resume(&x, words.word[0]);
        release(&x);
    }
    return clv_finish_output(c->name, code == CLV_EXIT_HELP ? CLV_EXIT_DONE : code);
}
