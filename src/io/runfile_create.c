/* SPDX-License-Identifier: Apache-2.0
 * A new run file: tables, model, settings, columns, written under another name and moved into place complete, so that
 * the name never stands for half a file; see runfile.h. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/error.h"
#include "base/memory.h"
#include "io/runfile_handle.h"
#include "model/model.h"

/* docs/run-file.md describes these */
static const char schema[] =
    "CREATE TABLE model (name TEXT, source TEXT, text TEXT NOT NULL);"
    "CREATE TABLE settings (name TEXT PRIMARY KEY, value) WITHOUT ROWID;"
    "CREATE TABLE sessions (number INTEGER PRIMARY KEY, started TEXT, version TEXT, compiler TEXT, lanes INTEGER, "
    "    system TEXT, cpu TEXT, frames INTEGER, wall_seconds REAL);"
    "CREATE TABLE columns (offset INTEGER PRIMARY KEY, count INTEGER NOT NULL, kind TEXT NOT NULL, owner TEXT, "
    "    name TEXT NOT NULL, unit TEXT NOT NULL, axes TEXT NOT NULL);"
    "CREATE TABLE frames (first INTEGER PRIMARY KEY, count INTEGER NOT NULL, data BLOB NOT NULL);"
    "CREATE TABLE checkpoints (frames INTEGER NOT NULL, time REAL PRIMARY KEY NOT NULL, events INTEGER NOT NULL, "
    "    truncated INTEGER NOT NULL, data BLOB NOT NULL);"
    "CREATE TABLE events (number INTEGER PRIMARY KEY, time REAL, kind TEXT NOT NULL, text TEXT);"
    "CREATE TABLE summary (name TEXT PRIMARY KEY, value) WITHOUT ROWID;";

/* ------------------------------------------------------------------ columns */

typedef struct quantity {
    const char *name, *unit, *axes;
    int count;
} quantity;

static const quantity of_body[] = {{"position", "m", "x y z", 3},
                                   {"quaternion", "-", "w x y z", 4},
                                   {"velocity", "m/s", "x y z", 3},
                                   {"angular_velocity", "rad/s", "x y z", 3},
                                   {0}},
                      of_marker[] = {{"position", "m", "x y z", 3}, {"velocity", "m/s", "x y z", 3}, {0}},
                      of_system[] = {{"system.centre", "m", "x y z", 3},
                                     {"system.momentum", "kg m/s", "x y z", 3},
                                     {"system.angular_momentum", "kg m^2/s", "x y z", 3},
                                     {0}},
                      of_run[] = {{"energy.kinetic", "J", "", 1},
                                  {"energy.potential", "J", "", 1},
                                  {"energy.work", "J", "", 1},
                                  {"violation.position", "m or rad", "", 1},
                                  {"violation.velocity", "m/s or rad/s", "", 1},
                                  {0}},
                      of_joint[] = {{"force", "N", "x y z", 3},
                                    {"torque", "N m", "x y z", 3},
                                    {"drive_force", "N", "x y z", 3},
                                    {"drive_torque", "N m", "x y z", 3},
                                    {0}},
                      of_time[] = {{"time", "s", "", 1}, {0}};

static clv_status put_columns(clv_runfile *f, sqlite3_stmt *s, const char *kind, const char *owner,
                              const quantity *list)
{
    for (const quantity *q = list; q->name; q++) {
        sqlite3_reset(s);
        sqlite3_bind_int64(s, 1, 8 * (sqlite3_int64)f->width);
        sqlite3_bind_int(s, 2, q->count);
        sqlite3_bind_text(s, 3, kind, -1, SQLITE_STATIC);
        sqlite3_bind_text(s, 4, owner, -1, SQLITE_STATIC);
        char *name = sqlite3_mprintf("%s%s%s", owner ? owner : "", owner ? "." : "", q->name);
        sqlite3_bind_text(s, 5, name, -1, sqlite3_free);
        sqlite3_bind_text(s, 6, q->unit, -1, SQLITE_STATIC);
        sqlite3_bind_text(s, 7, q->axes, -1, SQLITE_STATIC);
        int result = sqlite3_step(s);
        if (result != SQLITE_DONE)
            return clv_runfile_fail(f, result, "writing");
        f->width += q->count;
    }
    return CLV_OK;
}

/* coordinate and rate of every mode, in their own unit */
static clv_status put_modes(clv_runfile *f, sqlite3_stmt *s, const clv_model *m, const clv_flex *flex)
{
    clv_status status = CLV_OK;
    for (int k = 0; k < flex->nmode && status == CLV_OK; k++) {
        char q[32], u[32];
        snprintf(q, sizeof q, "mode.%d", k + 1), snprintf(u, sizeof u, "mode.%d.rate", k + 1);
        status =
            put_columns(f, s, "mode", m->body[flex->body].name, (quantity[]){{q, "1", "", 1}, {u, "1/s", "", 1}, {0}});
    }
    return status;
}

static clv_status all_columns(clv_runfile *f, const clv_runfile_start *start)
{
    const clv_model *m = start->model;
    sqlite3_stmt *s = clv_runfile_prepare(f, "INSERT INTO columns VALUES (?, ?, ?, ?, ?, ?, ?)");
    if (!s)
        return f->error.code;
    f->width = 0;
    clv_status status = put_columns(f, s, "run", NULL, of_time);
    for (int i = 0; i < clv_model_body_count(m) && status == CLV_OK; i++)
        status = put_columns(f, s, "body", clv_model_body_name(m, i), of_body);
    if (status == CLV_OK)
        status = put_columns(f, s, "run", NULL, of_system);
    for (int i = 0; i < clv_model_marker_count(m) && status == CLV_OK; i++)
        status = put_columns(f, s, "marker", clv_model_marker_name(m, i), of_marker);
    for (int i = 0; i < m->nflex && status == CLV_OK; i++)
        status = put_modes(f, s, m, &m->flex[i]);
    if (status == CLV_OK)
        status = put_columns(f, s, "run", NULL, of_run);
    for (int i = 0; start->settings.reactions && i < clv_model_joint_count(m) && status == CLV_OK; i++)
        status = put_columns(f, s, "joint", clv_model_joint_name(m, i), of_joint);
    sqlite3_finalize(s);
    return status;
}

/* ------------------------------------------------------------------ model and settings */

static clv_status put_model(clv_runfile *f, const clv_runfile_start *start)
{
    sqlite3_stmt *s = clv_runfile_prepare(f, "INSERT INTO model VALUES (?, ?, ?)");
    if (!s)
        return f->error.code;
    sqlite3_bind_text(s, 1, clv_model_name(start->model), -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 2, start->source, -1, SQLITE_STATIC);
    sqlite3_bind_text64(s, 3, start->text, start->size, SQLITE_STATIC, SQLITE_UTF8);
    return clv_runfile_run(f, s);
}

static clv_status put_setting(clv_runfile *f, const char *name, const char *text, double number)
{
    sqlite3_stmt *s = clv_runfile_prepare(f, "INSERT INTO settings VALUES (?, ?)");
    if (!s)
        return f->error.code;
    sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC);
    if (text)
        sqlite3_bind_text(s, 2, text, -1, SQLITE_STATIC);
    else
        sqlite3_bind_double(s, 2, number);
    return clv_runfile_run(f, s);
}

static clv_status put_settings(clv_runfile *f, const clv_runfile_settings *set)
{
    const clv_sim_options *o = &set->sim;
    const struct {
        const char *name, *text;
        double number;
    } row[] = {
        {"formulation", o->formulation, 0},
        {"integrator", o->integrator, 0},
        {"rtol", NULL, o->rtol},
        {"atol", NULL, isnan(o->atol) ? o->rtol : o->atol},
        {"step", NULL, o->step},
        {"max_step", NULL, o->max_step},
        {"rank", NULL, o->rank},
        {"project", NULL, o->project},
        {"regauge", NULL, o->regauge},
        {"plain_tolerance", NULL, o->plain_tolerance},
        {"method", NULL, o->method},
        {"bracketing", o->bracketing, 0},
        {"baumgarte_position", NULL, o->baumgarte[0]},
        {"baumgarte_velocity", NULL, o->baumgarte[1]},
        {"start_tolerance", NULL, o->start_tolerance},
        {"alpha", NULL, o->alpha},
        {"omega", NULL, o->omega},
        {"mu", NULL, o->mu},
        {"eps_p", NULL, o->eps_p},
        {"eps_v", NULL, o->eps_v},
        {"eps_a", NULL, o->eps_a},
        {"iterations", NULL, o->iterations > 0 ? o->iterations : NAN},
        {"rho", NULL, o->rho},
        {"warm", NULL, o->warm ? 1 : NAN},
        {"projections", NULL, o->projections > 1 ? o->projections : NAN},
        {"threads", NULL, o->threads},
        {"end", NULL, set->end},
        {"every", NULL, set->every},
        {"checkpoint", NULL, set->checkpoint},
        {"reactions", NULL, set->reactions},
        {"chunk_frames", NULL, (double)f->chunk_frames},
    };
    clv_status status = CLV_OK;
    for (size_t i = 0; i < sizeof row / sizeof row[0] && status == CLV_OK; i++)
        if ((row[i].text || strcmp(row[i].name, "bracketing") != 0) && !isnan(row[i].number)) /* else not given */
            status = put_setting(f, row[i].name, row[i].text, row[i].number);
    return status;
}

/* ------------------------------------------------------------------ the file */

/* Frames of about a megabyte together, 1 .. 256. */
static long frames_in_chunk(const clv_runfile_start *start)
{
    double numbers = 13.0 * clv_model_body_count(start->model) + 6.0 * clv_model_marker_count(start->model) + 6 +
                     (start->settings.reactions ? 12.0 * clv_model_joint_count(start->model) : 0);
    return (long)fmin(256, fmax(1, floor(1048576 / (8 * numbers))));
}

static clv_status fill(clv_runfile *f, const clv_runfile_start *start)
{
    char sql[160];
    f->chunk_frames = frames_in_chunk(start);
    snprintf(sql, sizeof sql, "PRAGMA page_size = %d; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; "
             "PRAGMA application_id = %d; PRAGMA user_version = %d; BEGIN",
             f->chunk_frames < 256 ? 65536 : 4096, CLV_RUNFILE_APPLICATION, CLV_RUNFILE_FORMAT);
    clv_status status = clv_runfile_sql(f, sql);
    if (status == CLV_OK)
        status = clv_runfile_sql(f, schema);
    if (status == CLV_OK)
        status = put_model(f, start);
    if (status == CLV_OK)
        status = put_settings(f, &start->settings);
    if (status == CLV_OK)
        status = all_columns(f, start);
    if (status == CLV_OK)
        status = clv_runfile_put_session(f, &start->machine);
    if (status == CLV_OK)
        status = clv_runfile_sql(f, "COMMIT");
    return status;
}

/* An earlier run file is folded, so that no log of it is left to be taken for one of the new file; anything else is
 * refused. */
static clv_status clear_place(clv_runfile *f)
{
    struct stat about;
    if (stat(f->path, &about) != 0 || (S_ISREG(about.st_mode) && about.st_size == 0))
        return CLV_OK;
    clv_runfile *old = clv_runfile_new(f->path);
    if (!old)
        return clv_fail(&f->error, CLV_ERR_MEMORY, "out of memory");
    clv_status status = clv_runfile_lock(old, f->path, O_RDWR);
    if (status == CLV_OK)
        status = clv_runfile_connect(old, f->path, SQLITE_OPEN_READWRITE);
    if (status == CLV_OK)
        status = clv_runfile_check(old);
    if (status == CLV_OK)
        status = clv_runfile_sql(old, "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE");
    if (status != CLV_OK) {
        f->error = old->error;
        if (status == CLV_ERR_SYNTAX)
            clv_error_hint(&f->error, "it is kept as it is; choose another name");
    }
    clv_runfile_close(old, NULL);
    return status;
}

static clv_status build(clv_runfile *f, const char *fresh, const clv_runfile_start *start)
{
    clv_status status = clv_runfile_lock(f, fresh, O_RDWR | O_CREAT);
    if (status == CLV_OK && ftruncate(f->lock, 0) != 0)
        status = clv_fail(&f->error, CLV_ERR_IO, "%s cannot be written: %s", f->path, strerror(errno));
    if (status == CLV_OK)
        status = clv_runfile_connect(f, fresh, SQLITE_OPEN_READWRITE);
    if (status != CLV_OK)
        return status;
    status = fill(f, start);
    sqlite3_close(f->db);
    f->db = NULL;
    if (status == CLV_OK && (fsync(f->lock) != 0 || rename(fresh, f->path) != 0))
        status = clv_fail(&f->error, CLV_ERR_IO, "%s cannot be written: %s", f->path, strerror(errno));
    if (status != CLV_OK)
        unlink(fresh);
    return status;
}

clv_status clv_runfile_create(clv_runfile **file, const char *path, const clv_runfile_start *start)
{
    clv_runfile *f = *file = clv_runfile_new(path);
    char *fresh = sqlite3_mprintf("%s-new", path);
    clv_status status = f && fresh ? clear_place(f) : CLV_ERR_MEMORY;
    if (status == CLV_OK)
        status = build(f, fresh, start);
    sqlite3_free(fresh);
    if (status == CLV_OK)
        status = clv_runfile_connect(f, path, SQLITE_OPEN_READWRITE);
    if (status == CLV_OK)
        status = clv_runfile_begin(f);
    if (status == CLV_OK)
        status = clv_runfile_load(f);
    if (status == CLV_OK && !(f->chunk = clv_alloc((size_t)f->chunk_frames * (size_t)f->width, sizeof(double))))
        status = clv_fail(&f->error, CLV_ERR_MEMORY, "out of memory");
    return status;
}
