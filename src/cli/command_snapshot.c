/* SPDX-License-Identifier: Apache-2.0
 * cleave snapshot: a model file whose start is the state of a run at a time.  The run is computed again from its last
 * checkpoint before that time, or from its start: the state is that of the run, not an interpolation of its frames. */
#include "base/error.h"
#include "base/text.h"
#include "cli/file.h"
#include "cli/running.h"
#include "cli/start_file.h"
#include "model/model.h"
#include <math.h>

typedef struct snapshot_settings {
    double time; /* s; NaN: as far as the run has come */
    bool force, json;
} snapshot_settings;

#define AT(field) offsetof(snapshot_settings, field)
static const clv_option options[] = {
    {"time", CLV_OPTION_NUMBER, AT(time), "T", "time of the state, seconds; default: the last frame", 0, INFINITY,
     false},
    {"force", CLV_OPTION_FLAG, AT(force), NULL, "replace an existing file", 0, 0, false},
    {"json", CLV_OPTION_FLAG, AT(json), NULL, "print one JSON object instead of text", 0, 0, false},
    {0},
};

typedef struct snapshot {
    snapshot_settings set;
    clv_runfile *run;
    clv_model *model;
    clv_sim *sim;
    clv_start_file file;
} snapshot;

static clv_exit tell(const snapshot *s, clv_status status, const clv_error *e)
{
    return clv_tell("snapshot", s->set.json, status == CLV_ERR_USAGE ? CLV_EXIT_USAGE : clv_exit_of(status, false),
                    "%s", e && e->code != CLV_OK ? e->message : clv_status_text(status));
}

/* The simulation of the run at the given time. */
static clv_exit go_there(snapshot *s)
{
    const clv_runfile_settings *set = clv_runfile_get_settings(s->run);
    if (isnan(s->set.time))
        s->set.time = clv_runfile_reached(s->run);
    if (s->set.time > set->end)
        return clv_tell("snapshot", s->set.json, CLV_EXIT_USAGE, "the run ends at %.9g s; --time %.9g is later",
                        set->end, s->set.time);
    clv_status status = clv_runfile_model(s->run, &s->model);
    if (status != CLV_OK)
        return tell(s, status, s->model ? clv_model_error(s->model) : NULL);
    status = clv_sim_create(&s->sim, s->model, &set->sim);
    if (status == CLV_OK) {
        clv_runfile_load_before(s->run, s->sim, s->set.time);
        status = clv_sim_advance(s->sim, s->set.time);
    }
    return status == CLV_OK ? CLV_EXIT_DONE : tell(s, status, s->sim ? clv_sim_error(s->sim) : NULL);
}

/* The text of the new file. */
static clv_exit write_text(snapshot *s, const char *path)
{
    char head[400], source[256];
    clv_error e;
    clv_error_text(source, sizeof source, clv_runfile_source(s->run)); /* without control characters */
    snprintf(head, sizeof head, "%s at %.9g s", source, s->set.time);
    const clv_status status =
        clv_start_file_make(&s->file, path, s->sim, s->model, head, &clv_runfile_get_settings(s->run)->sim, &e);
    if (status == CLV_ERR_INCONSISTENT)
        return clv_tell("snapshot", s->set.json, CLV_EXIT_NUMERICAL, "%s", e.message);
    return status == CLV_OK ? CLV_EXIT_DONE : tell(s, status, &e);
}

static void tell_done(const snapshot *s, const char *path)
{
    if (!s->set.json) {
        char word[CLV_TEXT_WORD];
        printf("%s is written: the state at %.9g s.  Next: cleave run %s\n", path, s->set.time,
               clv_text_word(path, word));
        return;
    }
    clv_json j = clv_json_begin(stdout);
    clv_json_object(&j, NULL);
    clv_json_text(&j, "status", "ok");
    clv_json_text(&j, "file", path);
    clv_json_number(&j, "time", s->set.time);
    clv_json_number(&j, "difference", s->file.moved);
    clv_json_end(&j);
}

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    snapshot s = {.set = {.time = NAN}};
    clv_exit code = clv_command_read(self, &s.set, &words, 2, 2, argc, argv);
    if (code != CLV_EXIT_DONE)
        return code;
    const clv_output_rule rule = {.force = s.set.force, .input = (const char *const[]){words.word[0], NULL}};
    code = clv_file_check("snapshot", words.word[1], &rule);
    if (code == CLV_EXIT_DONE) {
        const clv_status status = clv_runfile_open(&s.run, words.word[0]);
        code = status == CLV_OK ? CLV_EXIT_DONE : tell(&s, status, s.run ? clv_runfile_error(s.run) : NULL);
    }
    if (code == CLV_EXIT_DONE)
        code = go_there(&s);
    if (code == CLV_EXIT_DONE)
        code = write_text(&s, words.word[1]);
    if (code == CLV_EXIT_DONE)
        code = clv_file_write("snapshot", words.word[1], s.file.text, s.file.size, &rule);
    if (code == CLV_EXIT_DONE)
        tell_done(&s, words.word[1]);
    clv_sim_destroy(s.sim);
    clv_model_destroy(s.model);
    clv_runfile_close(s.run, NULL);
    clv_start_file_release(&s.file);
    return (int)code;
}

const clv_command clv_command_snapshot = {
    "snapshot",
    "RUN.cleave NEW.yaml",
    "write a model file that starts with the state of a run",
    "  cleave snapshot mine.cleave next.yaml --time 30\n"
    "  cleave run next.yaml\n"
    "\n"
    "NEW.yaml holds the model of the run with the state at that time as its start: coordinates and rates of joints,\n"
    "poses of free bodies, modes.  Without --time it is that of the last frame.  Of a run that ended early\n"
    "a later time is computed first.  Time begins at 0 again: motions and tables are shifted.  Numbers are written\n"
    "out; parameters stand as comments.  Run it with the options of the run.",
    options,
    command,
};
