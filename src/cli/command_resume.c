/* SPDX-License-Identifier: Apache-2.0
 * cleave resume: continues a run from the last checkpoint of its run file, to its end or to a later one. */
#include "cli/running.h"
#include "model/model.h"
#include <math.h>

#define AT(field) offsetof(clv_run_settings, field)
static const clv_option options[] = {
    {"time", CLV_OPTION_NUMBER, AT(time), "T", "a later end, simulated seconds; default: the end of the run", 0,
     INFINITY, false},
    CLV_SIM_OPTION(threads, AT(sim.threads)),
    {"max-steps", CLV_OPTION_NUMBER, AT(max_steps), "N",
     "refuse a run with more steps, also one at such a pace on the way, and more outputs; default 1e10", 1, INFINITY,
     false},
    {"max-output", CLV_OPTION_NUMBER, AT(max_output), "GB",
     "refuse outputs that need more disk space; default 20, and the free space", 0, INFINITY, true},
    {"verbose", CLV_OPTION_FLAG, AT(verbose), NULL, "also print what the program did: evaluations, iterations, rank", 0,
     0, false},
    {"json", CLV_OPTION_FLAG, AT(json), NULL, "print one JSON object instead of text", 0, 0, false},
    {0},
};

static clv_exit tell(const clv_running *r, clv_status status)
{
    return clv_tell(r->subject.command, r->set.json, clv_recording_exit(status), "%s",
                    r->file ? clv_runfile_error(r->file)->message : "out of memory");
}

/* Model and simulation of the file, as they were at its last checkpoint. */
static clv_exit open_subject(clv_running *r)
{
    clv_subject *s = &r->subject;
    const clv_runfile_settings *set = clv_runfile_get_settings(r->file);
    const int threads = r->set.sim.threads; /* of this part of the run */
    r->set.sim = set->sim, r->set.sim.threads = threads;
    r->set.every = set->every, r->set.checkpoint = set->checkpoint, r->set.reactions = set->reactions;
    s->source = clv_runfile_source(r->file);
    clv_status status = clv_runfile_model(r->file, &s->model);
    if (status != CLV_OK)
        return clv_tell(s->command, s->json, clv_exit_of(status, false), "%s: its model cannot be read: %s", r->set.out,
                        s->model ? clv_model_error(s->model)->message : "out of memory");
    if (s->model->nside > 0)
        return clv_tell(s->command, s->json, CLV_EXIT_MODEL, "%s is damaged: its model has parts in other files",
                        r->set.out);
    status = clv_sim_create(&s->sim, s->model, &r->set.sim);
    if (status != CLV_OK)
        return s->sim ? clv_subject_fail(s, status)
                      : clv_tell(s->command, s->json, CLV_EXIT_RESOURCES, "out of memory");
    status = clv_runfile_restore(r->file, s->sim, &r->truncated);
    return status == CLV_OK ? CLV_EXIT_DONE : tell(r, status);
}

clv_exit clv_resume_check_end(clv_runfile *file, const char *path, bool json, double time)
{
    const double end = clv_runfile_get_settings(file)->end;
    double number;
    char word[40];
    if (isnan(time) || time >= end)
        return CLV_EXIT_DONE;
    const double reached = clv_runfile_reached(file);
    if (!clv_runfile_summary(file, "status", &number, word, sizeof word))
        return clv_tell("resume", json, CLV_EXIT_USAGE,
                        "%s holds an unfinished run to %.6g of %.9g s; --time %.9g is before its end. `cleave resume "
                        "%s` continues it to %.9g s, a later --time beyond that",
                        path, reached, end, time, path, end);
    if (reached < end)
        return clv_tell("resume", json, CLV_EXIT_USAGE,
                        "the run has ended at %.6g of %.9g s (%s); --time must be later than %.9g s", reached, end,
                        word, end);
    return clv_tell("resume", json, CLV_EXIT_USAGE, "the run already goes to %.9g s; --time must be later", end);
}

static clv_exit choose_end(clv_running *r)
{
    double end = clv_runfile_get_settings(r->file)->end;
    if (isnan(r->set.time) || r->set.time == end) {
        r->set.time = end;
        return CLV_EXIT_DONE;
    }
    clv_exit code = clv_running_check_amount(r, clv_sim_time(r->subject.sim), clv_runfile_width(r->file));
    if (code != CLV_EXIT_DONE)
        return code;
    clv_status status = clv_runfile_set_end(r->file, r->set.time);
    return status == CLV_OK ? CLV_EXIT_DONE : tell(r, status);
}

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    char machine[2][192];
    clv_running r = {.subject = {.command = "resume"}, .set = {.time = NAN, .max_steps = 1e10, .max_output = NAN}};
    clv_exit code = clv_command_read(self, &r.set, &words, 1, 1, argc, argv);
    if (code != CLV_EXIT_DONE)
        return code;
    r.subject.json = r.set.json;
    r.set.out = words.word[0];
    clv_interrupt_watch(&r.interrupt, "resume");
    const clv_runfile_machine m = clv_running_machine(machine);
    clv_status status = clv_runfile_continue(&r.file, r.set.out, &m);
    code = status == CLV_OK ? clv_resume_check_end(r.file, r.set.out, r.set.json, r.set.time) : tell(&r, status);
    if (code == CLV_EXIT_DONE)
        code = open_subject(&r);
    if (code == CLV_EXIT_DONE)
        code = choose_end(&r);
    if (code == CLV_EXIT_DONE)
        code = clv_running_go(&r);
    clv_runfile_close(r.file, NULL);
    clv_subject_close(&r.subject);
    clv_interrupt_release(&r.interrupt);
    return code;
}

const clv_command clv_command_resume = {
    "resume", "RUN.cleave", "continue a run that was stopped, or extend it",
    "  cleave resume mine.cleave\n"
    "  cleave resume mine.cleave --time 60\n"
    "\n"
    "RUN.cleave is a run file of `cleave run --out RUN.cleave`.  The result has the same bits as a run that was not\n"
    "stopped.  Runs by bdf, which cannot be saved, begin anew.",
    options, command,
};
