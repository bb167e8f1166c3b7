/* SPDX-License-Identifier: Apache-2.0
 * A run on ranks; see ranks_run.h.  All ranks read the model and keep their segments of it.  Rank 0 writes frames,
 * checkpoints and results; where there are any of bodies, it keeps the whole model, too.
 *
 * Steps end at checkpoints, which are outputs, so a saved state is that of one time alone (T81).  An error in the
 * numbers ends the run on all ranks in the same step; rank 0 reports the first one with its rank. */
#include "base/error.h"
#include "base/memory.h"
#include "base/pages.h"
#include "cli/ranks_running.h"
#include "model/model.h"
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- options */

static clv_exit refuse(const clv_ranks_running *x, const char *what)
{
    return clv_tell(x->subject.command, x->set.json, CLV_EXIT_USAGE,
                    "%s is for one process; docs/ranks.md lists what "
                    "a run on several takes",
                    what);
}

static clv_exit check_options(const clv_ranks_running *x)
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
    if (s->columns && !s->out)
        return clv_ranks_tell(x, CLV_EXIT_USAGE, "--columns needs --out FILE.csv or --out FILE.cleave");
    if (!isnan(s->checkpoint) && !s->out)
        return clv_ranks_tell(x, CLV_EXIT_USAGE, "--checkpoint needs a run file: --out FILE.cleave");
    return CLV_EXIT_DONE;
}

clv_exit clv_ranks_complete(clv_ranks_running *x)
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
        return clv_ranks_tell(x, CLV_EXIT_USAGE, "more steps or outputs than --max-steps allows");
    return CLV_EXIT_DONE;
}

/* ---------------------------------------------------------------- opening */

/* What another rank than the first has printed, for people, each line with its rank. */
static void speak(const clv_ranks_running *x)
{
    const clv_ranks_voice *v = x->voice;
    bool fresh = true;
    if (clv_ranks_first(x))
        return;
    fflush(v->said), rewind(v->said);
    for (int c; (c = getc(v->said)) != EOF; fresh = c == '\n') {
        if (fresh)
            fprintf(v->errors, "rank %d: ", x->ranks->rank);
        putc(c, v->errors);
    }
    fflush(v->errors);
}

clv_exit clv_ranks_agree(const clv_ranks_running *x, clv_exit code)
{
    const clv_ranks *k = x->ranks;
    int both[2] = {code, 0}, other; /* the first that is not done, and its rank */
    bool good = true;
    if (!clv_ranks_first(x))
        good = k->send(k->owner, 0, both, sizeof both[0]) && k->receive(k->owner, 0, both, sizeof both);
    for (int from = 1; clv_ranks_first(x) && from < k->size; from++) {
        good = k->receive(k->owner, from, &other, sizeof other) && good;
        if (both[0] == CLV_EXIT_DONE)
            both[0] = other, both[1] = from;
    }
    for (int to = 1; clv_ranks_first(x) && to < k->size; to++)
        good = k->send(k->owner, to, both, sizeof both) && good;
    if (code != CLV_EXIT_DONE && both[1] == k->rank)
        speak(x);
    return good ? (clv_exit)both[0] : CLV_EXIT_RESOURCES;
}

clv_exit clv_ranks_end_together(const clv_ranks_running *x, clv_status st)
{
    clv_error e = *clv_ranked_error_of(x->r);
    const int rank = clv_ranked_error(x->r, !clv_ranked_elsewhere(&e), &e);
    if (rank > 0)
        clv_ranks_number(&e, rank);
    if (clv_ranks_first(x))
        clv_error_show(x->subject.command, &e);
    return clv_ranks_agree(x, clv_exit_of(clv_ranks_first(x) ? e.code : st, false));
}

/* An error at the start of the simulations: who has found it ends all, for others may wait for its messages. */
static clv_exit end_all(const clv_ranks_running *x, clv_status st, const clv_error *e)
{
    const clv_exit code = clv_exit_of(st, false);
    if (clv_ranked_parted(x->r))
        return clv_ranks_end_together(x, st);
    if (clv_ranked_elsewhere(e))
        return code;
    clv_error_show(x->subject.command, e);
    speak(x);
    x->ranks->end_all(x->ranks->owner, code);
    return code;
}

/* The ranks of a machine have the whole model one after the other.  The first one has it last, for it keeps it. */
static bool wait_turn(const clv_ranks *k)
{
    char turn;
    return k->after < 0 || k->receive(k->owner, k->after, &turn, sizeof turn);
}
static bool end_turn(const clv_ranks *k)
{
    const char turn = 1;
    return k->before < 0 || k->send(k->owner, k->before, &turn, sizeof turn);
}

/* the share of this rank; the whole model is needed no longer, but by rank 0 where it gives out states of bodies */
static clv_exit divide(clv_ranks_running *x)
{
    const clv_model *m = x->subject.model;
    x->bodies = m->nbody, x->joints = m->njoint, x->name = clv_copy_text(m->name);
    if (!x->name)
        return clv_ranks_tell(x, CLV_EXIT_RESOURCES, "out of memory");
    const clv_status st = clv_ranked_divide(&x->r, m, x->ranks, 0);
    if (st != CLV_OK)
        clv_error_show(x->subject.command, clv_ranked_error_of(x->r));
    if (st == CLV_OK && !(clv_ranks_first(x) && clv_ranks_shows(x))) {
        clv_model_destroy(x->subject.model);
        x->subject.model = NULL;
        clv_pages_trim();
    }
    if (st == CLV_OK && !clv_ranks_shows(x))
        clv_ranked_blind(x->r);
    return clv_exit_of(st, false);
}

clv_exit clv_ranks_share_out(clv_ranks_running *x, clv_ranks_read *read, const void *from)
{
    clv_exit code = wait_turn(x->ranks) ? read(x, from) : CLV_EXIT_RESOURCES;
    if (code == CLV_EXIT_DONE)
        code = divide(x);
    if (!end_turn(x->ranks) && code == CLV_EXIT_DONE)
        code = CLV_EXIT_RESOURCES;
    code = clv_ranks_agree(x, code);
    if (code != CLV_EXIT_DONE)
        return code;
    const clv_status st = clv_ranked_begin(x->r, &x->set.sim);
    if (st != CLV_OK)
        return end_all(x, st, clv_ranked_error_of(x->r));
    clv_pages_trim();
    clv_sim_report report;
    clv_sim_summary(clv_ranked_sim(x->r), &report);
    x->set.sim.formulation = report.formulation, x->set.sim.integrator = report.integrator;
    return CLV_EXIT_DONE;
}

/* ---------------------------------------------------------------- time */

/* All ranks: what became of a step; the first error that a rank has found itself. */
static void find_failure(clv_ranks_running *x)
{
    x->failure = *clv_sim_error(clv_ranked_sim(x->r));
    const bool own = !clv_ranked_elsewhere(&x->failure);
    x->failed_rank = clv_ranked_error(x->r, own, &x->failure);
}

/* rank 0 says what the others need to know: is there a run file? */
static bool recorded(clv_ranks_running *x)
{
    return clv_ranked_sum(x->r, clv_ranks_first(x) && x->file ? 1 : 0) > 0;
}

static clv_status simulate(clv_ranks_running *x, bool *broken)
{
    const double end = x->set.time, every = x->set.every;
    const bool saves = recorded(x) && x->saved_every > 0;
    clv_status st = CLV_OK;
    if (x->first == 0)
        *broken = !clv_ranked_all(x->r, clv_ranks_write_frame(x));
    double from = x->first > 0 ? (x->first - 1) * every : 0;
    for (double i = fmax(1, x->first); from < end && st == CLV_OK && !*broken; i++) {
        const double to = i * every > end - 1e-9 * every ? end : i * every;
        const double due = ceil(i / x->saved_every) * x->saved_every * every;
        clv_ranked_stop_at(x->r, saves ? due : INFINITY);
        st = clv_ranked_advance(x->r, to);
        if (st == CLV_STOPPED && !(clv_ranks_now(x) > from))
            break; /* an event at the last output */
        if (st != CLV_OK && st != CLV_STOPPED)
            find_failure(x);
        *broken = !clv_ranked_all(x->r, clv_ranks_write_frame(x)) ||
                  (st == CLV_OK && saves && to == due && !clv_ranked_all(x->r, clv_ranks_write_state(x)));
        from = to;
    }
    return st == CLV_STOPPED ? CLV_OK : st; /* by an event */
}

clv_exit clv_ranks_go(clv_ranks_running *x, clv_exit code)
{
    bool broken = false;
    if (!clv_ranked_all(x->r, code == CLV_EXIT_DONE))
        return code == CLV_EXIT_DONE ? CLV_EXIT_USAGE : code;
    x->began = clv_wall();
    clv_status st = clv_sim_set_max_steps(clv_ranked_sim(x->r), x->set.max_steps, x->set.time);
    st = st == CLV_OK ? simulate(x, &broken) : st;
    return clv_ranks_first(x) ? clv_ranks_finish(x, st, broken) : clv_exit_of(st, true);
}

static clv_exit read_model(clv_ranks_running *x, const void *words)
{
    clv_exit code = check_options(x);
    if (code == CLV_EXIT_DONE)
        code = clv_subject_model(&x->subject, words);
    if (code == CLV_EXIT_DONE)
        code = clv_subject_set_inputs(&x->subject);
    if (code == CLV_EXIT_DONE)
        code = clv_ranks_complete(x);
    return code == CLV_EXIT_DONE ? clv_running_check_step(x->subject.command, &x->set) : code;
}

static clv_exit start(clv_ranks_running *x, const clv_words *words)
{
    const clv_exit code = clv_ranks_share_out(x, read_model, words);
    return code != CLV_EXIT_DONE ? code
                                 : clv_ranks_go(x, clv_ranks_first(x) ? clv_ranks_open_output(x) : CLV_EXIT_DONE);
}

/* ---------------------------------------------------------------- the program */

static void release(clv_ranks_running *x)
{
    if (x->file)
        clv_runfile_close(x->file, NULL);
    clv_ranks_frame_close(&x->frame);
    clv_columns_release(&x->columns);
    clv_ranked_close(x->r);
    clv_subject_close(&x->subject);
    clv_free(x->usual), clv_free(x->name);
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
    clv_ranks_running x = {.ranks = ranks, .voice = voice, .set = clv_run_usual(), .failed_rank = -1};
    const int most = c == &clv_command_run ? CLV_WORDS_MAX : 1;
    clv_exit code = clv_command_read(c, &x.set, &words, 1, most, argc - 2, argv + 2);
    if (code == CLV_EXIT_DONE) {
        if (x.set.sim.threads == 0)
            x.set.sim.threads = 1;
        x.subject = (clv_subject){.command = c->name, .json = x.set.json, .lenient = x.set.lenient,
                                   .inputs = &x.set.inputs};
        code = c == &clv_command_run ? start(&x, &words) : clv_ranks_resume(&x, words.word[0]);
        release(&x);
    }
    return clv_finish_output(c->name, code == CLV_EXIT_HELP ? CLV_EXIT_DONE : code);
}
