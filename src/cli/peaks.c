/* SPDX-License-Identifier: Apache-2.0
 * Ranges and peaks over the frames of a run; see peaks.h. */
#include "cli/peaks.h"
#include "base/memory.h"
#include "cli/summary.h"
#include "model/joint.h"
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- what is looked at */

/* Does the name of a column end in this, behind its owner? */
static bool is(const clv_column *c, const char *kind, const char *what)
{
    const size_t n = strlen(c->owner);
    return strcmp(c->kind, kind) == 0 && strncmp(c->name + n, what, strlen(what)) == 0;
}

static bool is_effort(const clv_model *m, const clv_column *c)
{
    return is(c, "joint", ".effort") && clv_joint_acted(m, c->item);
}

/* Who acts along that direction of a joint: the first by name, and how many others. */
static void find_acting(const clv_model *m, int joint, int direction, clv_actuator *a)
{
    int n = 0;
    for (int i = 0; i < m->nmotion; ++i)
        if (m->motion[i].joint == joint && n++ == 0)
            a->by = m->motion[i].name;
    for (int i = 0; i < m->ninput; ++i)
        if (m->input[i].kind == CLV_INPUT_JOINT && m->input[i].joint == joint && m->input[i].coordinate == direction &&
            n++ == 0)
            a->by = m->input[i].name;
    for (int i = 0; i < m->nforce; ++i)
        if (m->force[i].kind == CLV_FORCE_JOINT && m->force[i].joint == joint && m->force[i].coordinate == direction &&
            n++ == 0)
            a->by = m->force[i].name;
    a->others = n - 1;
}

/* Nothing holds it to the ground and nothing pulls at it. */
static bool is_free(const clv_model *m)
{
    bool alone = m->gravity[0] == 0 && m->gravity[1] == 0 && m->gravity[2] == 0;
    for (int i = 0; i < m->njoint; ++i)
        alone &= (m->joint[i].a >= 0 && m->joint[i].b >= 0) ||
                 (m->joint[i].kind == CLV_JOINT_FREE && !clv_joint_acted(m, i));
    for (int i = 0; i < m->nforce; ++i) {
        const clv_force *f = &m->force[i];
        alone &= f->kind == CLV_FORCE_JOINT || ((f->kind == CLV_FORCE_SPRING || f->kind == CLV_FORCE_ANGULAR) &&
                                                f->a >= 0 && f->b >= 0);
    }
    for (int i = 0; i < m->ninput; ++i)
        alone &= m->input[i].kind == CLV_INPUT_JOINT || m->input[i].kind == CLV_INPUT_MOTION;
    return alone;
}

bool clv_peaks_open(clv_peaks *p, const clv_model *model, const clv_column *column, int n)
{
    const clv_largest none = {.size = -1};
    *p = (clv_peaks){.model = model, .column = column, .n = n, .force = none, .torque = none, .speed = none,
                     .spin = none, .free = is_free(model)};
    for (int i = 0; i < n; ++i)
        p->nactuator += is_effort(model, &column[i]);
    p->actuator = clv_alloc((size_t)p->nactuator + 1, sizeof *p->actuator);
    p->nactuator = 0;
    for (int i = 0; p->actuator && i < n; ++i)
        if (is_effort(model, &column[i])) {
            clv_actuator *a = &p->actuator[p->nactuator];
            *a = (clv_actuator){.column = i, .low = INFINITY, .high = -INFINITY};
            find_acting(model, column[i].item, column[i].index, a);
            p->nactuator += a->by != NULL;
        }
    return p->actuator != NULL;
}

void clv_peaks_close(clv_peaks *p)
{
    clv_free(p->actuator);
    p->actuator = NULL, p->nactuator = 0;
}

/* ---------------------------------------------------------------- frame by frame */

static void see_size(clv_largest *x, const clv_column *c, const double *v, double time)
{
    const double size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (!(size > x->size))
        return;
    x->size = size, x->at = time, x->item = c->item;
    memcpy(x->vector, v, sizeof x->vector);
}

/* How far a momentum is from that of the first frame. */
static void see_momentum(clv_peaks *p, int from, const double *v, double *drift)
{
    double d = 0;
    for (int i = 0; i < 3; ++i) {
        if (p->frames == 0)
            p->momentum[from + i] = v[i];
        d += (v[i] - p->momentum[from + i]) * (v[i] - p->momentum[from + i]);
    }
    *drift = fmax(*drift, sqrt(d));
}

static void see_column(clv_peaks *p, const clv_column *c, const double *v, double time)
{
    if (c->count != 3)
        return;
    if (is(c, "joint", ".force"))
        see_size(&p->force, c, v, time);
    else if (is(c, "joint", ".torque"))
        see_size(&p->torque, c, v, time);
    else if (is(c, "body", ".velocity"))
        see_size(&p->speed, c, v, time);
    else if (is(c, "body", ".angular_velocity"))
        see_size(&p->spin, c, v, time);
    else if (is(c, "run", "system.momentum"))
        see_momentum(p, 0, v, &p->drift);
    else if (is(c, "run", "system.angular_momentum"))
        see_momentum(p, 3, v, &p->spin_drift);
}

void clv_peaks_see(clv_peaks *p, const double *frame)
{
    const double time = frame[0];
    for (int i = 1; i < p->n; ++i)
        see_column(p, &p->column[i], frame + p->column[i].first, time);
    for (int i = 0; i < p->nactuator; ++i) {
        clv_actuator *a = &p->actuator[i];
        const double x = frame[p->column[a->column].first];
        if (x < a->low)
            a->low = x, a->low_at = time;
        if (x > a->high)
            a->high = x, a->high_at = time;
    }
    p->frames++;
}

/* ---------------------------------------------------------------- text */

const char *clv_amount(char text[40], double value, const char *unit)
{
    static const struct {
        double least, one;
        const char *prefix;
    } scale[] = {{1e9, 1e9, "G"}, {1e6, 1e6, "M"}, {1e3, 1e3, "k"}, {1, 1, ""}, {1e-3, 1e-3, "m"}, {0, 1, ""}};
    int i = 0;
    while (fabs(value) < scale[i].least)
        ++i;
    snprintf(text, 40, "%.4g %s%s", value / scale[i].one, value == 0 ? "" : scale[i].prefix, unit);
    return text;
}

static const char *label(const clv_peaks *p, const clv_actuator *a, char text[80])
{
    const clv_column *c = &p->column[a->column];
    snprintf(text, 80, "%.28s (%.30s%s)", a->by, c->name, a->others > 0 ? ", with others" : "");
    return text;
}

static void print_efforts(const clv_peaks *p)
{
    enum { MOST = 12 };
    char name[80], low[40], high[40];
    int width = 0;
    for (int i = 0; i < p->nactuator && i < MOST; ++i)
        width = (int)fmax(width, (double)strlen(label(p, &p->actuator[i], name)));
    for (int i = 0; i < p->nactuator && i < MOST; ++i) {
        const clv_actuator *a = &p->actuator[i];
        const char *unit = p->column[a->column].unit;
        if (!(a->low <= a->high))
            continue;
        clv_label(i == 0 ? "actuator effort" : "");
        printf("%-*s  ", width, label(p, a, name));
        if (a->low == a->high)
            printf("%s, constant\n", clv_amount(low, a->low, unit));
        else
            printf("%s at %.4g s to %s at %.4g s\n", clv_amount(low, a->low, unit), a->low_at,
                   clv_amount(high, a->high, unit), a->high_at);
    }
    if (p->nactuator > MOST)
        clv_label(""), printf("and %d more (--json has all)\n", p->nactuator - MOST);
}

/* Is every component of it determined by the motion, as far as the state shows? */
static bool unique(const clv_sim *sim, const clv_largest *x, int from)
{
    clv_joint_result r;
    bool all = true;
    if (clv_sim_joint((clv_sim *)sim, x->item, &r) != CLV_OK)
        return true;
    for (int i = 0; i < 3; ++i)
        all &= r.unique[from + i] || fabs(x->vector[i]) <= 1e-6 * x->size;
    return all;
}

static void print_reaction(const clv_peaks *p, const clv_sim *sim, const clv_largest *x, int from)
{
    char text[40];
    if (x->size <= 0)
        return;
    clv_label(from ? "largest joint moment" : "largest joint force");
    printf("%s in joint %s at %.4g s%s\n", clv_amount(text, x->size, from ? "N m" : "N"), p->model->joint[x->item].name,
           x->at, unique(sim, x, from) ? "" : " (not unique: redundant constraints)");
}

static void print_fastest(const clv_peaks *p, const clv_largest *x, const char *what, const char *unit)
{
    char text[40];
    if (x->size <= 0)
        return;
    clv_label(what);
    printf("%s, body %s at %.4g s\n", clv_amount(text, x->size, unit), p->model->body[x->item].name, x->at);
}

void clv_peaks_print(const clv_peaks *p, const clv_sim *sim)
{
    if (!p->model)
        return;
    print_efforts(p);
    print_reaction(p, sim, &p->force, 0);
    if (p->torque.size > 1e-9 * p->force.size)
        print_reaction(p, sim, &p->torque, 3);
    print_fastest(p, &p->speed, "largest speed", "m/s");
    print_fastest(p, &p->spin, "largest angular rate", "rad/s");
    if (p->free && p->frames > 1) {
        clv_label("momentum drift");
        printf("%.2g kg m/s, angular %.2g kg m^2/s (without outer loads both are constant)\n", p->drift, p->spin_drift);
    }
}

/* ---------------------------------------------------------------- JSON */

static void json_largest(clv_json *j, const char *key, const clv_largest *x, const char *of, const char *name)
{
    clv_json_object(j, key);
    clv_json_text(j, of, x->size >= 0 ? name : "");
    clv_json_number(j, "value", x->size >= 0 ? x->size : NAN);
    clv_json_number(j, "time", x->size >= 0 ? x->at : NAN);
    clv_json_end(j);
}

void clv_peaks_json(clv_json *j, const clv_peaks *p)
{
    const clv_model *m = p->model;
    if (!m)
        return;
    clv_json_object(j, "efforts");
    for (int i = 0; i < p->nactuator; ++i) {
        const clv_actuator *a = &p->actuator[i];
        const bool seen = a->low <= a->high;
        clv_json_object(j, p->column[a->column].name);
        clv_json_text(j, "by", a->by);
        clv_json_text(j, "unit", p->column[a->column].unit);
        clv_json_number(j, "lowest", seen ? a->low : NAN);
        clv_json_number(j, "lowest_time", seen ? a->low_at : NAN);
        clv_json_number(j, "highest", seen ? a->high : NAN);
        clv_json_number(j, "highest_time", seen ? a->high_at : NAN);
        clv_json_end(j);
    }
    clv_json_end(j);
    json_largest(j, "largest_force", &p->force, "joint", p->force.size >= 0 ? m->joint[p->force.item].name : "");
    json_largest(j, "largest_torque", &p->torque, "joint", p->torque.size >= 0 ? m->joint[p->torque.item].name : "");
    json_largest(j, "largest_speed", &p->speed, "body", p->speed.size >= 0 ? m->body[p->speed.item].name : "");
    clv_json_number(j, "momentum_drift", p->free ? p->drift : NAN);
    clv_json_number(j, "angular_momentum_drift", p->free ? p->spin_drift : NAN);
    clv_json_integer(j, "samples", p->frames);
}
