/* SPDX-License-Identifier: Apache-2.0
 * A motion of joints out of a CSV file; see inverse.h. */
#include "base/error.h"
#include "base/memory.h"
#include "cli/inverse.h"
#include "io/columns.h"
#include "io/unit.h"
#include "model/joint.h"
#include "model/profile.h"
#include <math.h>
#include <string.h>

static int find_column(const clv_csv_table *t, const char *name)
{
    for (int i = 0; i < t->ncolumn; ++i)
        if (strcmp(t->name[i], name) == 0)
            return i;
    return -1;
}

static clv_status find_one(const clv_csv_table *t, const char *name, int *column, clv_error *e)
{
    *column = find_column(t, name);
    for (int i = *column + 1; *column >= 0 && i < t->ncolumn; ++i)
        if (strcmp(t->name[i], name) == 0)
            return clv_fail(e, CLV_ERR_SYNTAX, "%s, line 1: column '%s' is there twice", t->path, name);
    return CLV_OK;
}

/* The numbers of a column become SI.  `wanted`: its unit, as "rad/s". */
static clv_status settle_unit(clv_csv_table *t, int column, const char *wanted, clv_error *e)
{
    clv_unit unit, expected;
    const char *text = t->unit[column];
    if (!*text || strcmp(text, "1") == 0 || strcmp(text, wanted) == 0)
        return CLV_OK;
    if (!clv_unit_whole(text, &unit) || !clv_unit_whole(wanted, &expected) ||
        !clv_dimension_fits(&unit.dimension, &expected.dimension))
        return clv_fail(e, CLV_ERR_SYNTAX, "%s, line 1: column '%s' is in '%s'; it must be in %s or the like", t->path,
                        t->name[column], text, wanted);
    for (long i = 0; i < t->nrow; ++i) {
        double *x = &t->value[(size_t)i * (size_t)t->ncolumn + (size_t)column];
        *x = clv_unit_times(*x, &unit);
    }
    snprintf(t->unit[column], sizeof t->unit[column], "%s", wanted);
    return CLV_OK;
}

/* The columns of one quantity of a joint: all of its components, or none. */
static clv_status find_tracks(clv_measured *m, const clv_model *model, int joint, const char *what, int n, bool rate,
                              clv_track *to, clv_error *e)
{
    const clv_joint *j = &model->joint[joint];
    static const char *const unit[2][3] = {{"rad", "rad/s", "rad/s^2"}, {"m", "m/s", "m/s^2"}};
    const int order = !rate ? 0 : strcmp(what, "u") == 0 ? 1 : 2;
    int found = 0;
    for (int i = 0; i < n; ++i) {
        char name[128];
        snprintf(name, sizeof name, "%s.%s%s", j->name, what, clv_coordinate_suffix(j->kind, rate, i));
        clv_status status = find_one(&m->table, name, &to[i].column, e);
        if (status != CLV_OK)
            return status;
        if (to[i].column < 0)
            continue;
        found++;
        const bool length = i < clv_joint_table[j->kind].nu && clv_joint_shift(j->kind, i);
        status = settle_unit(&m->table, to[i].column, unit[length][order], e);
        if (status != CLV_OK)
            return status;
    }
    if (found != 0 && found != n)
        return clv_fail(e, CLV_ERR_SYNTAX, "%s, line 1 has %d of the %d columns '%s.%s...'; it must have all or none",
                        m->table.path, found, n, j->name, what);
    return CLV_OK;
}

static double number(const clv_measured *m, long row, int column)
{
    return m->table.value[(size_t)row * (size_t)m->table.ncolumn + (size_t)column];
}

/* Rate at row `first` of the polynomial through it and the n - 1 rows beside it. */
static double end_rate(const clv_series *s, int first, int n)
{
    const int way = first == 0 ? 1 : -1;
    double rate = 0;
    for (int j = 0; j < n; ++j) {
        double part = j == 0 ? 0 : 1;
        const double xj = s->time[first + way * j], x0 = s->time[first];
        for (int k = 0; k < n; ++k) {
            const double xk = s->time[first + way * k];
            if (j == 0 && k > 0)
                part += 1 / (x0 - xk);
            else if (j > 0 && k != j)
                part *= (k == 0 ? 1 : x0 - xk) / (xj - xk);
        }
        rate += part * s->value[first + way * j];
    }
    return rate;
}

/* A cubic spline through a column; its rates at both ends are those of the cubic through four rows. */
static clv_status make_spline(clv_measured *m, clv_track *track, clv_error *e)
{
    const size_t n = (size_t)m->table.nrow;
    if (n < 3)
        return clv_fail(e, CLV_ERR_SYNTAX, "%s: rates from a spline need 3 rows at least; '%s' has %zu", m->table.path,
                        m->table.name[track->column], n);
    clv_series *s = &track->spline;
    *s = (clv_series){.n = (int)n, .profile = CLV_PROFILE_CLAMPED, .time = clv_alloc(4 * n, sizeof *s->time)};
    if (!s->time)
        return clv_fail(e, CLV_ERR_MEMORY, "out of memory");
    s->value = s->time + n, s->curve = s->value + n; /* curve: n, and n of work */
    for (long i = 0; i < m->table.nrow; ++i)
        s->time[i] = number(m, i, m->time), s->value[i] = number(m, i, track->column);
    const int rows = n < 4 ? (int)n : 4;
    clv_series_prepare(s, (const double[2]){end_rate(s, 0, rows), end_rate(s, (int)n - 1, rows)});
    return CLV_OK;
}

static clv_status make_joint(clv_measured *m, clv_joint_track *t, const char *name, clv_error *e)
{
    const bool rates = t->u[0].column >= 0, accelerations = t->udot[0].column >= 0;
    if (!rates && t->nq != t->nu)
        return clv_fail(e, CLV_ERR_SYNTAX,
                        "%s: '%s' has a quaternion: its rates do not follow from a spline; give '%s.u...' too",
                        m->table.path, name, name);
    clv_status status = CLV_OK;
    for (int i = 0; i < t->nu && status == CLV_OK; ++i) {
        if (!rates)
            status = make_spline(m, &t->q[i], e);
        else if (!accelerations)
            status = make_spline(m, &t->u[i], e);
    }
    return status;
}

static bool prescribed(const clv_model *m, int joint)
{
    for (int i = 0; i < m->nmotion; ++i)
        if (m->motion[i].joint == joint)
            return true;
    return false;
}

static clv_status add_joint(clv_measured *m, const clv_model *model, int joint, clv_error *e)
{
    const clv_joint *j = &model->joint[joint];
    clv_joint_track t = {.joint = joint, .nq = clv_joint_table[j->kind].nq, .nu = clv_joint_table[j->kind].nu};
    clv_status status = find_tracks(m, model, joint, "q", t.nq, false, t.q, e);
    if (status == CLV_OK)
        status = find_tracks(m, model, joint, "u", t.nu, true, t.u, e);
    if (status == CLV_OK)
        status = find_tracks(m, model, joint, "udot", t.nu, true, t.udot, e);
    if (status != CLV_OK || t.q[0].column < 0)
        return status;
    m->joint[m->n] = t;
    return make_joint(m, &m->joint[m->n++], j->name, e);
}

/* Times rise, and nothing that is used is absent. */
static clv_status check_numbers(const clv_measured *m, clv_error *e)
{
    for (long row = 0; row < m->table.nrow; ++row) {
        const double t = clv_measured_time(m, row);
        if (!isfinite(t) || t < 0 || (row > 0 && !(t > clv_measured_time(m, row - 1))))
            return clv_fail(e, CLV_ERR_SYNTAX, "%s, line %ld: times must rise from 0 or later: %g s", m->table.path,
                            clv_csv_table_line(row), t);
        for (int i = 0; i < m->n; ++i)
            for (int k = 0; k < 19; ++k) {
                const clv_joint_track *j = &m->joint[i];
                const clv_track *track = k < 7 ? &j->q[k] : k < 13 ? &j->u[k - 7] : &j->udot[k - 13];
                const int at = k < 7 ? k : (k - 7) % 6;
                if (at < (k < 7 ? j->nq : j->nu) && track->column >= 0 && !isfinite(number(m, row, track->column)))
                    return clv_fail(e, CLV_ERR_SYNTAX, "%s, line %ld has no number in column '%s'", m->table.path,
                                    clv_csv_table_line(row), m->table.name[track->column]);
            }
    }
    return m->table.nrow > 0 ? CLV_OK : clv_fail(e, CLV_ERR_SYNTAX, "%s has no rows", m->table.path);
}

clv_status clv_measured_read(clv_measured *m, const char *path, const clv_model *model, clv_error *e)
{
    memset(m, 0, sizeof *m);
    clv_status status = clv_csv_table_read(&m->table, path, e);
    if (status != CLV_OK)
        return status;
    status = find_one(&m->table, "time", &m->time, e);
    if (status == CLV_OK && m->time < 0)
        status = clv_fail(e, CLV_ERR_SYNTAX, "%s has no column 'time'", path);
    if (status == CLV_OK)
        status = settle_unit(&m->table, m->time, "s", e);
    m->joint = clv_alloc((size_t)model->njoint + 1, sizeof *m->joint);
    if (status == CLV_OK && !m->joint)
        status = clv_fail(e, CLV_ERR_MEMORY, "out of memory");
    for (int j = 0; j < model->njoint && status == CLV_OK; ++j)
        if (clv_joint_table[model->joint[j].kind].nu > 0 && !prescribed(model, j))
            status = add_joint(m, model, j, e);
    if (status == CLV_OK && m->n == 0) {
        clv_fail(e, CLV_ERR_SYNTAX, "%s has no coordinate of a free joint of the model", path);
        clv_error_hint(e, "columns are named as those of `run`: 'time', 'JOINT.q', 'JOINT.u', 'JOINT.udot'");
        return e->code;
    }
    return status == CLV_OK ? check_numbers(m, e) : status;
}

void clv_measured_release(clv_measured *m)
{
    for (int i = 0; i < m->n; ++i)
        for (int k = 0; k < 6; ++k)
            clv_free(m->joint[i].q[k].spline.time), clv_free(m->joint[i].u[k].spline.time);
    clv_free(m->joint);
    clv_csv_table_release(&m->table);
}

double clv_measured_time(const clv_measured *m, long row) { return number(m, row, m->time); }

void clv_measured_at(const clv_measured *m, long row, int i, clv_joint_setting *set, clv_joint_acceleration *wanted)
{
    const clv_joint_track *t = &m->joint[i];
    const double time = clv_measured_time(m, row);
    const int piece = row + 1 < m->table.nrow ? (int)row : (int)row - 1;
    *set = (clv_joint_setting){.joint = t->joint, .has_q = true, .has_u = true};
    *wanted = (clv_joint_acceleration){.joint = t->joint};
    for (int k = 0; k < t->nq; ++k)
        set->q[k] = number(m, row, t->q[k].column);
    for (int k = 0; k < t->nu; ++k) {
        double value, rate, second;
        if (t->u[k].column < 0) {
            clv_series_piece(&t->q[k].spline, piece, time, &value, &set->u[k], &wanted->udot[k]);
        } else {
            set->u[k] = number(m, row, t->u[k].column);
            if (t->udot[k].column < 0)
                clv_series_piece(&t->u[k].spline, piece, time, &value, &rate, &second), wanted->udot[k] = rate;
        }
        if (t->udot[k].column >= 0)
            wanted->udot[k] = number(m, row, t->udot[k].column);
    }
}
