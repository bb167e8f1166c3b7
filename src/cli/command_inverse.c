/* SPDX-License-Identifier: Apache-2.0
 * cleave inverse: efforts of actuators that make joints follow a motion (T50), time after time.
 *
 *   motion    of a CSV file, or of a run in which motions of the model prescribe joints
 *   efforts   of the mechanism without those motions, at these coordinates and rates
 *   check     the accelerations are computed with the efforts and compared with those requested */
#include "base/error.h"
#include "base/memory.h"
#include "cli/csv.h"
#include "cli/file.h"
#include "cli/inverse.h"
#include "model/joint.h"
#include "simulation/inverse.h"
#include <math.h>
#include <string.h>

typedef struct inverse_settings {
    const char *motion, *actuators, *weights, *columns, *out;
    double at, time, every; /* s; NaN: not given */
    bool force, lenient, json;
} inverse_settings;

#define AT(field) offsetof(inverse_settings, field)
static const clv_option options[] = {
    {"motion", CLV_OPTION_TEXT, AT(motion), "FILE.csv",
     "motion of joints: columns time, JOINT.q, and JOINT.u, JOINT.udot if there are; default: the model's motions",
     0, 0, false},
    {"actuators", CLV_OPTION_TEXT, AT(actuators), "LIST",
     "inputs or joints whose efforts are sought, with commas; default: inputs, else the joints that move", 0, 0, false},
    {"weights", CLV_OPTION_TEXT, AT(weights), "NAME=W,...",
     "of squared efforts, where actuators are redundant; default: 1", 0, 0, false},
    {"at", CLV_OPTION_NUMBER, AT(at), "T", "of the model's motions: this time alone, seconds", 0, INFINITY, false},
    {"time", CLV_OPTION_NUMBER, AT(time), "T", "of the model's motions: the end; default: as of a run", 0, INFINITY,
     true},
    {"every", CLV_OPTION_NUMBER, AT(every), "DT", "of the model's motions: interval; default: a hundredth", 0,
     INFINITY, true},
    {"out", CLV_OPTION_TEXT, AT(out), "FILE.csv", "write the efforts over time", 0, 0, false},
    {"columns", CLV_OPTION_TEXT, AT(columns), "LIST",
     "of --out: also these, as of `run`: joint forces under the efforts, positions", 0, 0, false},
    {"force", CLV_OPTION_FLAG, AT(force), NULL, "replace an existing file", 0, 0, false},
    {"lenient", CLV_OPTION_FLAG, AT(lenient), NULL, "clip physically impossible inertias, and list them", 0, 0, false},
    {"json", CLV_OPTION_FLAG, AT(json), NULL, "print one JSON object instead of text", 0, 0, false},
    {0},
};

typedef struct inverse {
    inverse_settings set;
    clv_subject driven, free; /* the model with its motions, where they are the motion; that of the efforts */
    clv_measured file;
    clv_actuation act;
    int njoint, *joint;       /* those whose motion is known                                                 */
    bool *chosen;             /* (njoint) they determine the others                                          */
    clv_joint_setting *place; /* (njoint)                                                                    */
    int nwanted;
    clv_joint_acceleration *wanted; /* (njoint)                                                              */
    double *effort;           /* (actuators)                                                                 */
    clv_columns columns;
    double *frame;            /* (time, efforts, columns)                                                    */
    int motions;              /* that were taken off the free model                                          */
    clv_output out;
    bool writing;
    clv_inverse_account account;
} inverse;

static clv_exit tell(const inverse *v, clv_exit code, clv_status status, const clv_error *e)
{
    clv_tell("inverse", v->set.json, code, "%s", e->code != CLV_OK ? e->message : clv_status_text(status));
    if (e->code != CLV_OK && *e->hint)
        fprintf(stderr, "  %s\n", e->hint);
    return code;
}

static clv_exit tell_start(const inverse *v, clv_status status, const clv_error *e)
{
    return tell(v, clv_exit_of(status, false), status, e);
}

static clv_exit tell_run(const inverse *v, clv_status status, const clv_error *e)
{
    return tell(v, clv_exit_of_run(status, e), status, e);
}

/* ---------------------------------------------------------------- before the first time */

static clv_exit refuse(const inverse *v)
{
    const clv_model *m = v->free.model;
    if (m->nflex > 0)
        return clv_tell("inverse", v->set.json, CLV_EXIT_MODEL,
                        "body '%s' is flexible: its modes are not part of a prescribed motion; `cleave run --columns "
                        "'*.effort'` gives the efforts of motions", m->body[m->flex[0].body].name);
    if (v->set.motion && !(isnan(v->set.at) && isnan(v->set.time) && isnan(v->set.every)))
        return clv_tell("inverse", v->set.json, CLV_EXIT_USAGE,
                        "--at, --time and --every are for motions of the model; a file has its own times");
    if (!isnan(v->set.at) && !(isnan(v->set.time) && isnan(v->set.every)))
        return clv_tell("inverse", v->set.json, CLV_EXIT_USAGE, "--at is one time; --time and --every are of many");
    if (!v->set.motion && m->nmotion == 0)
        return clv_tell("inverse", v->set.json, CLV_EXIT_USAGE,
                        "the model has no motions; give one by --motion FILE.csv (columns time, JOINT.q)");
    if (v->set.columns && !v->set.out)
        return clv_tell("inverse", v->set.json, CLV_EXIT_USAGE, "--columns is for --out");
    const char *dot = v->set.out ? strrchr(v->set.out, '.') : NULL;
    if (v->set.out && (!dot || strcmp(dot, ".csv") != 0))
        return clv_tell("inverse", v->set.json, CLV_EXIT_USAGE, "%s: the name must end in .csv", v->set.out);
    return CLV_EXIT_DONE;
}

static bool is_driven(const clv_model *m, int joint)
{
    for (int i = 0; i < m->nmotion; ++i)
        if (m->motion[i].joint == joint)
            return true;
    return false;
}

/* The joints whose motion is known: those of the file, or all that can move. */
static clv_status find_joints(inverse *v, clv_error *e)
{
    const clv_model *m = v->free.model;
    const size_t n = (size_t)m->njoint + 1;
    v->joint = clv_alloc(n, sizeof *v->joint);
    v->place = clv_alloc(n, sizeof *v->place);
    v->wanted = clv_alloc(n, sizeof *v->wanted);
    v->chosen = clv_alloc(n, sizeof *v->chosen);
    if (!v->chosen || !v->joint || !v->place || !v->wanted)
        return clv_fail(e, CLV_ERR_MEMORY, "out of memory");
    for (int i = 0; i < v->file.n; ++i)
        v->joint[v->njoint++] = v->file.joint[i].joint;
    for (int i = 0; !v->set.motion && i < m->nmotion; ++i) /* first: what they prescribe */
        v->joint[v->njoint++] = m->motion[i].joint;
    for (int j = 0; !v->set.motion && j < m->njoint; ++j)
        if (clv_joint_table[m->joint[j].kind].nu > 0 && !is_driven(m, j))
            v->joint[v->njoint++] = j;
    return CLV_OK;
}

/* Actuators: of a file the joints that move, else those that motions prescribe, unless inputs or a list say otherwise.
 */
static clv_status find_actuators(inverse *v, clv_error *e)
{
    clv_model *m = v->free.model;
    int *driven = clv_alloc((size_t)m->nmotion + 1, sizeof *driven);
    if (!driven)
        return clv_fail(e, CLV_ERR_MEMORY, "out of memory");
    for (int i = 0; i < m->nmotion; ++i)
        driven[i] = m->motion[i].joint;
    const bool file = v->set.motion != NULL;
    const clv_status status = clv_actuation_open(&v->act, m, v->set.actuators, v->set.weights, file ? v->joint : driven,
                                                 file ? v->njoint : m->nmotion, e);
    clv_free(driven);
    return status;
}

/* Motions are taken off the model of the efforts if they are the motion. */
static void release_motions(inverse *v)
{
    clv_model *m = v->free.model;
    if (v->set.motion)
        return;
    v->motions = m->nmotion, m->nmotion = 0;
    for (int i = 0; i < m->ninput; ++i)
        if (m->input[i].kind == CLV_INPUT_MOTION)
            m->input[i].kind = CLV_INPUT_NUMBER; /* without effect */
}

static clv_status open_rooms(inverse *v, clv_error *e)
{
    v->effort = clv_alloc((size_t)v->act.n, sizeof *v->effort);
    v->account.range = clv_alloc((size_t)v->act.n, sizeof *v->account.range);
    clv_status status = CLV_OK;
    if (v->set.columns)
        status = clv_columns_create(&v->columns, v->free.model, v->set.columns, false, e);
    v->frame = clv_alloc((size_t)v->act.n + (size_t)v->columns.width + 1, sizeof *v->frame);
    if (!v->effort || !v->account.range || !v->frame)
        return clv_fail(e, CLV_ERR_MEMORY, "out of memory");
    return status;
}

static clv_exit open_models(inverse *v, const clv_words *words)
{
    clv_sim_options o = clv_sim_options_default();
    clv_error e;
    clv_error_clear(&e);
    v->free = (clv_subject){.command = "inverse", .json = v->set.json, .lenient = v->set.lenient};
    v->driven = v->free, v->driven.listed = true;
    o.formulation = "dca";
    clv_exit code = clv_subject_model(&v->free, words);
    if (code == CLV_EXIT_DONE)
        code = refuse(v);
    if (code == CLV_EXIT_DONE && !v->set.motion)
        code = clv_subject_open(&v->driven, words, &o);
    if (code != CLV_EXIT_DONE)
        return code;
    clv_status status = v->set.motion ? clv_measured_read(&v->file, v->set.motion, v->free.model, &e) : CLV_OK;
    if (status != CLV_OK)
        return tell_start(v, status, &e);
    status = find_joints(v, &e);
    if (status == CLV_OK)
        status = find_actuators(v, &e);
    if (status != CLV_OK)
        return tell_start(v, status, &e);
    release_motions(v);
    if ((status = open_rooms(v, &e)) != CLV_OK)
        return tell_start(v, status, &e);
    status = clv_sim_create(&v->free.sim, v->free.model, &o);
    if (status != CLV_OK)
        return tell_start(v, status, v->free.sim ? clv_sim_error(v->free.sim) : &e);
    return CLV_EXIT_DONE;
}

/* ---------------------------------------------------------------- times */

/* How many times there are, and number i. */
static long count_times(inverse *v)
{
    inverse_settings *s = &v->set;
    if (s->motion)
        return v->file.table.nrow;
    if (!isnan(s->at))
        return 1;
    const double suggested = v->free.model->time_end;
    s->time = isnan(s->time) ? suggested > 0 ? suggested : 10 : s->time;
    s->every = isnan(s->every) ? s->time / 100 : s->every;
    return (long)fmin(floor(s->time / s->every * (1 + 1e-12)) + 1, 1e9);
}

static double time_of(const inverse *v, long i)
{
    return v->set.motion ? clv_measured_time(&v->file, i) : isnan(v->set.at) ? (double)i * v->set.every : v->set.at;
}

/* State and accelerations of the run at time i: the free mechanism is put there. */
static clv_status follow_run(inverse *v, double time)
{
    clv_sim *sim = v->free.sim;
    clv_status status = CLV_OK;
    for (int k = 0; k < v->njoint && status == CLV_OK; ++k) {
        clv_joint_result r;
        status = clv_sim_joint(v->driven.sim, v->joint[k], &r);
        v->place[k] = (clv_joint_setting){.joint = v->joint[k], .has_q = true};
        v->wanted[k].joint = v->joint[k];
        memcpy(v->place[k].q, r.q, sizeof r.q), memcpy(v->place[k].u, r.u, sizeof r.u);
        memcpy(v->wanted[k].udot, r.udot, sizeof r.udot);
    }
    if (status != CLV_OK)
        return status;
    status = clv_sim_set_at(sim, time, v->place, v->njoint);
    if (status == CLV_OK)
        status = clv_sim_choose_joints(sim, v->joint, v->njoint, v->chosen);
    v->nwanted = 0;
    for (int k = 0; k < v->njoint; ++k) { /* loops give the others their rates and accelerations */
        if (!v->chosen[k])
            continue;
        v->place[v->nwanted] = v->place[k], v->place[v->nwanted].has_u = true;
        v->wanted[v->nwanted++] = v->wanted[k];
    }
    return status == CLV_OK ? clv_sim_set_joints(sim, v->place, v->nwanted) : status;
}

/* State and accelerations of the file at row i. */
static clv_status follow_file(inverse *v, long i)
{
    for (int k = 0; k < v->file.n; ++k)
        clv_measured_at(&v->file, i, k, &v->place[k], &v->wanted[k]);
    v->nwanted = v->file.n;
    return clv_sim_set_at(v->free.sim, time_of(v, i), v->place, v->nwanted);
}

/* what has failed at a time, with the line of the file that it is from */
static clv_exit tell_at(const inverse *v, clv_status status, const clv_error *e, long i)
{
    clv_error at = *e;
    if (v->set.motion)
        clv_fail(&at, status, "%s, line %ld (t = %g s): %s", v->set.motion, clv_csv_table_line(i), time_of(v, i),
                 e->message);
    else
        clv_fail(&at, status, "at t = %g s: %s", time_of(v, i), e->message);
    if (v->set.motion && status == CLV_ERR_INCONSISTENT)
        clv_error_hint(&at,
                       "the line has coordinates or rates that the loops do not allow; of joints that follow from "
                       "each other give as few as there are degrees of freedom");
    else
        clv_error_hint(&at, "%s", e->hint);
    at.time = e->time;
    return tell_run(v, status, &at);
}

/* Are rates and accelerations of the motion finite, and the efforts?  The first joint or actuator that is not. */
static clv_status check_finite(const inverse *v, clv_error *e)
{
    for (int k = 0; k < v->nwanted; ++k)
        for (int c = 0; c < 6; ++c)
            if (!isfinite(v->wanted[k].udot[c]) || !isfinite(v->place[k].u[c]))
                return clv_fail(e, CLV_ERR_NOT_FINITE, "the rates of joint '%s' are not finite",
                                clv_model_joint_name(v->free.model, v->wanted[k].joint));
    for (int i = 0; i < v->act.n; ++i)
        if (!isfinite(v->effort[i]))
            return clv_fail(e, CLV_ERR_NOT_FINITE, "the effort of '%s' is not finite", v->act.name[i]);
    return CLV_OK;
}

/* Sets the efforts, and compares the accelerations they give with those requested. */
static clv_status check_efforts(inverse *v, double time)
{
    clv_sim *sim = v->free.sim;
    clv_status status = CLV_OK;
    for (int i = 0; i < v->act.n && status == CLV_OK; ++i)
        status = clv_sim_set_input(sim, v->act.input[i], v->effort[i]);
    for (int k = 0; k < v->nwanted && status == CLV_OK; ++k) {
        clv_joint_result r;
        status = clv_sim_joint(sim, v->wanted[k].joint, &r);
        for (int c = 0; c < r.nu && status == CLV_OK; ++c) {
            const double off = fabs(r.udot[c] - v->wanted[k].udot[c]);
            v->account.wanted = fmax(v->account.wanted, fabs(v->wanted[k].udot[c]));
            if (!(off <= v->account.missed)) {
                v->account.missed = off, v->account.missed_at = time;
                clv_error_text(v->account.joint, sizeof v->account.joint,
                               clv_model_joint_name(v->free.model, v->wanted[k].joint));
            }
        }
    }
    return status;
}

/* beyond what the actuator gives at that speed */
static bool over_line(const double line[2], double effort, double speed)
{
    const double along = effort < 0 ? -speed : speed;
    return line[0] > 0 && fabs(effort) > line[0] * fmin(1, fmax(0, 1 - along / line[1]));
}

static void keep_ranges(inverse *v, double time)
{
    for (int i = 0; i < v->act.n; ++i) {
        clv_effort_range *r = &v->account.range[i];
        const clv_input *in = &v->free.model->input[v->act.input[i]];
        const double effort = v->effort[i];
        clv_joint_result j;
        if (v->account.times == 0 || fabs(effort) > fabs(r->most))
            r->most = effort, r->at = time;
        r->squares += effort * effort;
        r->beyond |= effort < v->act.limit[i][0] || effort > v->act.limit[i][1];
        if (in->kind != CLV_INPUT_JOINT || clv_sim_joint(v->free.sim, in->joint, &j) != CLV_OK) {
            r->power = NAN;
            continue;
        }
        const double speed = j.u[in->coordinate];
        r->beyond |= over_line(v->act.line[i], effort, speed);
        if (fabs(effort * speed) > fabs(r->power))
            r->power = effort * speed;
    }
}

static void write_names(const inverse *v)
{
    fputs("time [s]", v->out.stream);
    for (int i = 0; i < v->act.n; ++i)
        fprintf(v->out.stream, ",%s.effort [%s]", v->act.name[i], v->act.unit[i]);
    fputs(v->columns.n > 1 ? "," : "\n", v->out.stream);
    if (v->columns.n > 1) /* without its time */
        clv_csv_names(v->out.stream, v->columns.column + 1, v->columns.n - 1);
}

static void write_row(inverse *v, double time)
{
    double *x = v->frame;
    *x++ = time;
    memcpy(x, v->effort, (size_t)v->act.n * sizeof *x);
    x += v->act.n;
    if (v->columns.n > 1) {
        clv_columns_fill(v->columns.column, v->columns.n, v->free.sim, x);
        memmove(x, x + 1, ((size_t)v->columns.width - 1) * sizeof *x);
        x += v->columns.width - 1;
    }
    clv_csv_numbers(v->out.stream, v->frame, (int)(x - v->frame));
}

static clv_exit one_time(inverse *v, long i)
{
    clv_sim *sim = v->free.sim;
    clv_inverse_result found;
    const double time = time_of(v, i);
    clv_status status = CLV_OK;
    if (!v->set.motion && (status = clv_sim_advance(v->driven.sim, time)) != CLV_OK)
        return tell_run(v, status, clv_sim_error(v->driven.sim));
    for (int k = 0; k < v->act.n && status == CLV_OK; ++k)
        status = clv_sim_set_input(sim, v->act.input[k], 0);
    if (status == CLV_OK)
        status = v->set.motion ? follow_file(v, i) : follow_run(v, time);
    if (status == CLV_OK)
        status = clv_sim_inverse(sim, v->wanted, v->nwanted, v->act.of, v->act.n, v->effort, &found);
    clv_error e;
    if (status == CLV_OK && check_finite(v, &e) != CLV_OK)
        return tell_at(v, e.code, &e, i);
    if (status == CLV_OK)
        status = check_efforts(v, time);
    if (status != CLV_OK)
        return tell_at(v, status, clv_sim_error(sim), i);
    keep_ranges(v, time);
    v->account.from = v->account.times == 0 ? time : v->account.from, v->account.to = time;
    v->account.freedoms = found.freedoms, v->account.rank = found.rank;
    v->account.times++;
    if (v->writing)
        write_row(v, time);
    return CLV_EXIT_DONE;
}

static clv_exit all_times(inverse *v)
{
    const char *input[] = {v->free.file ? v->free.source : v->set.motion, v->set.motion, NULL};
    const clv_output_rule rule = {.force = v->set.force, .input = input};
    clv_error e;
    const long n = count_times(v);
    clv_exit code = CLV_EXIT_DONE;
    if (v->set.out) {
        if (clv_output_open(&v->out, v->set.out, &rule, &e) != CLV_OK)
            return clv_file_tell("inverse", v->set.json, &e);
        v->writing = true;
        write_names(v);
    }
    for (long i = 0; i < n && code == CLV_EXIT_DONE; ++i)
        code = one_time(v, i);
    if (v->writing && clv_output_close(&v->out, code == CLV_EXIT_DONE, &e) != CLV_OK && code == CLV_EXIT_DONE)
        code = clv_file_tell("inverse", v->set.json, &e);
    if (code != CLV_EXIT_DONE)
        return code;
    (v->set.json ? clv_inverse_json : clv_inverse_print)(&v->account, &v->act, v->free.model);
    return clv_inverse_met(&v->account) ? CLV_EXIT_DONE : CLV_EXIT_NUMERICAL;
}

static void close_all(inverse *v)
{
    clv_sim_destroy(v->free.sim), v->free.sim = NULL;
    if (v->motions > 0)
        v->free.model->nmotion = v->motions; /* for those who free them */
    clv_subject_close(&v->free), clv_subject_close(&v->driven);
    clv_measured_release(&v->file);
    clv_actuation_release(&v->act);
    clv_columns_release(&v->columns);
    clv_free(v->joint), clv_free(v->chosen), clv_free(v->place), clv_free(v->wanted);
    clv_free(v->effort), clv_free(v->frame), clv_free(v->account.range);
}

static int command(const clv_command *self, int argc, char **argv)
{
    clv_words words;
    inverse v = {.set = {.at = NAN, .time = NAN, .every = NAN}};
    clv_exit code = clv_command_read(self, &v.set, &words, 1, CLV_WORDS_MAX, argc, argv);
    if (code != CLV_EXIT_DONE)
        return code;
    const clv_output_rule rule = {.force = v.set.force, .input = (const char *const[]){v.set.motion, NULL}};
    if (v.set.out)
        code = clv_file_check("inverse", v.set.out, &rule);
    if (code == CLV_EXIT_DONE)
        code = open_models(&v, &words);
    if (code == CLV_EXIT_DONE)
        code = all_times(&v);
    close_all(&v);
    return (int)code;
}

const clv_command clv_command_inverse = {
    "inverse",
    "MODEL [key=value ...]",
    "efforts of actuators for prescribed motions of joints",
    "  cleave inverse loader --time 2 --out efforts.csv            the motions of the model\n"
    "  cleave inverse arm.yaml --motion measured.csv --out tau.csv\n"
    "  cleave inverse arm.yaml --motion measured.csv --actuators m1,m2,m3 --weights m3=10\n"
    "\n"
    "Inverse dynamics, loops closed: at every time the efforts that give the joints their accelerations at their\n"
    "coordinates and rates.  With more actuators than degrees of freedom the weighted sum of squared efforts is\n"
    "least.  Every result is checked: the accelerations are computed with the efforts.  A file needs JOINT.q; rates\n"
    "and accelerations that it lacks are those of a cubic spline.",
    options,
    command,
};
