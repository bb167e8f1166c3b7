/* SPDX-License-Identifier: Apache-2.0
 * Ranges and peaks over the frames of a run; see peaks.h. */
#include "cli/peaks.h"
#include "base/memory.h"
#include "cli/summary.h"
#include "math/rotation.h"
#include "model/joint.h"
#include "simulation/react.h"
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- what is looked at */

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
        if (clv_force_acts_in(&m->force[i], joint) && (m->force[i].nterm > 0 || m->force[i].coordinate == direction) &&
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
        const bool pair = f->kind == CLV_FORCE_SPRING || f->kind == CLV_FORCE_ANGULAR || f->kind == CLV_FORCE_BUSHING ||
                          f->kind == CLV_FORCE_CONTACT;
        const bool many = f->kind == CLV_FORCE_CONTACTS && clv_dot3(f->contact.normal, f->contact.normal) == 0;
        alone &= f->kind == CLV_FORCE_JOINT || many || (pair && f->a >= 0 && f->b >= 0);
    }
    for (int i = 0; i < m->ninput; ++i)
        alone &= m->input[i].kind == CLV_INPUT_JOINT || m->input[i].kind == CLV_INPUT_MOTION;
    return alone;
}

/* How many directions may be acted upon; `on` (njoint): joints on which something acts. */
static int find_acted(const clv_model *m, bool *on)
{
    int n = 0;
    for (int i = 0; i < m->nmotion; ++i)
        on[m->motion[i].joint] = true;
    for (int i = 0; i < m->ninput; ++i)
        if (m->input[i].kind == CLV_INPUT_JOINT)
            on[m->input[i].joint] = true;
    for (int i = 0; i < m->nforce; ++i)
        if (m->force[i].kind == CLV_FORCE_JOINT)
            on[m->force[i].joint] = true;
    for (int i = 0; i < m->nforce; ++i)
        for (int k = 0; k < m->force[i].nterm; ++k)
            on[m->force[i].term[k].joint] = true;
    for (int i = 0; i < m->njoint; ++i)
        n += on[i] ? clv_joint_table[m->joint[i].kind].nu : 0;
    return n;
}

/* "L.effort", as its column */
static char *effort_name(const clv_joint *j, int direction)
{
    const char *suffix = clv_coordinate_suffix(j->kind, true, direction);
    const size_t size = strlen(j->name) + strlen(suffix) + sizeof ".effort";
    char *name = clv_alloc(size, 1);
    if (name)
        snprintf(name, size, "%s.effort%s", j->name, suffix);
    return name;
}

static bool list_actuators(clv_peaks *p)
{
    const clv_model *m = p->model;
    bool *on = p->acted = clv_alloc((size_t)m->njoint + 1, sizeof *on), good = on != NULL;
    p->actuator = good ? clv_alloc((size_t)find_acted(m, on) + 1, sizeof *p->actuator) : NULL;
    good = p->actuator != NULL;
    for (int i = 0; good && i < m->njoint; ++i)
        for (int c = 0; good && on[i] && c < clv_joint_table[m->joint[i].kind].nu; ++c) {
            clv_actuator *a = &p->actuator[p->nactuator];
            *a = (clv_actuator){.joint = i, .direction = c, .low = INFINITY, .high = -INFINITY};
            find_acting(m, i, c, a);
            if (!a->by)
                continue;
            a->name = effort_name(&m->joint[i], c), good = a->name != NULL;
            p->nactuator++;
        }
    return good;
}

bool clv_peaks_open(clv_peaks *p, const clv_model *model)
{
    const clv_largest none = {.size = -1};
    *p = (clv_peaks){.model = model, .force = none, .torque = none, .speed = none, .spin = none,
                     .free = is_free(model)};
    return list_actuators(p);
}

void clv_peaks_close(clv_peaks *p)
{
    for (int i = 0; i < p->nactuator; ++i)
        clv_free(p->actuator[i].name);
    clv_free(p->actuator), clv_free(p->column), clv_free(p->acted);
    p->acted = NULL, p->actuator = NULL, p->nactuator = 0, p->column = NULL, p->ncolumn = 0;
}

/* ---------------------------------------------------------------- frame by frame */

/* A power of two that keeps the squares of v from overflow and from zero; usually 1. */
static double scale_of(const double v[3])
{
    const double most = fmax(fmax(fabs(v[0]), fabs(v[1])), fabs(v[2]));
    return most > 1e150 ? 0x1p-600 : most < 1e-150 ? 0x1p600 : 1;
}

/* The square of v by this scale. */
static double square_of(const double v[3], double scale)
{
    const double w[3] = {scale * v[0], scale * v[1], scale * v[2]};
    return clv_dot3(w, w);
}

static void see_size(clv_largest *x, int item, const double *v, double time)
{
    const double scale = scale_of(v), square = square_of(v, scale), before = scale * x->size;
    if (!(square > before * fabs(before)))
        return;
    x->size = sqrt(square) / scale, x->at = time, x->item = item;
    memcpy(x->vector, v, sizeof x->vector);
}

/* How far a momentum is from that of the first frame. */
static void see_momentum(clv_peaks *p, int from, const double *v, double *drift)
{
    double d[3];
    for (int i = 0; i < 3; ++i) {
        if (p->frames == 0)
            p->momentum[from + i] = v[i];
        d[i] = v[i] - p->momentum[from + i];
    }
    const double scale = scale_of(d);
    *drift = fmax(*drift, sqrt(square_of(d, scale)) / scale);
}

static void see_effort(clv_actuator *a, double effort, double time)
{
    if (effort < a->low)
        a->low = effort, a->low_at = time;
    if (effort > a->high)
        a->high = effort, a->high_at = time;
}

/* A free joint on which nothing acts transmits nothing but rounding. */
static bool transmits(const clv_peaks *p, int joint)
{
    return p->model->joint[joint].kind != CLV_JOINT_FREE || p->acted[joint];
}

static void see_joints(clv_peaks *p, clv_sim *sim, double time)
{
    clv_joint_result r;
    int next = 0;
    for (int i = 0; i < p->model->njoint; ++i) {
        clv_sim_reaction(sim, i, &r);
        if (transmits(p, i))
            see_size(&p->force, i, r.force, time), see_size(&p->torque, i, r.torque, time);
        for (; next < p->nactuator && p->actuator[next].joint == i; ++next)
            see_effort(&p->actuator[next], r.effort[p->actuator[next].direction], time);
    }
}

void clv_peaks_sample(clv_peaks *p, clv_sim *sim)
{
    const double time = clv_sim_time(sim), *V = clv_sim_velocity(sim);
    if (clv_sim_react(sim) == CLV_OK)
        see_joints(p, sim, time);
    for (int i = 0; i < p->model->nbody; ++i)
        see_size(&p->speed, i, V + 6 * i, time), see_size(&p->spin, i, V + 6 * i + 3, time);
    if (p->free) {
        clv_momentum m;
        clv_sim_momentum(sim, &m);
        see_momentum(p, 0, m.linear, &p->drift), see_momentum(p, 3, m.angular, &p->spin_drift);
    }
    p->frames++;
}

/* ---------------------------------------------------------------- frames of a file */

/* Does the name of a column end in this, behind its owner? */
static bool is(const clv_column *c, const char *kind, const char *what)
{
    const size_t n = strlen(c->owner);
    return strcmp(c->kind, kind) == 0 && strncmp(c->name + n, what, strlen(what)) == 0;
}

static clv_peak_kind kind_of(const clv_column *c)
{
    static const struct {
        const char *kind, *name;
    } row[] = {[CLV_PEAK_FORCE] = {"joint", ".force"},      [CLV_PEAK_TORQUE] = {"joint", ".torque"},
               [CLV_PEAK_SPEED] = {"body", ".velocity"},    [CLV_PEAK_SPIN] = {"body", ".angular_velocity"},
               [CLV_PEAK_LINEAR] = {"run", "system.momentum"}, [CLV_PEAK_ANGULAR] = {"run", "system.angular_momentum"},
               [CLV_PEAK_EFFORT] = {"joint", ".effort"}};
    for (int k = CLV_PEAK_NONE + 1; k < CLV_PEAK_KINDS; ++k)
        if (c->count == (k == CLV_PEAK_EFFORT ? 1 : 3) && is(c, row[k].kind, row[k].name))
            return (clv_peak_kind)k;
    return CLV_PEAK_NONE;
}

static int actuator_of(const clv_peaks *p, const clv_column *c)
{
    for (int i = 0; i < p->nactuator; ++i)
        if (p->actuator[i].joint == c->item && p->actuator[i].direction == c->index)
            return i;
    return -1;
}

/* Without the actuators whose efforts are in no column. */
static void drop_unseen(clv_peaks *p)
{
    int n = 0;
    for (int i = 0; i < p->nactuator; ++i) {
        bool seen = false;
        for (int k = 0; p->column && k < p->ncolumn; ++k) {
            clv_peak_column *c = &p->column[k];
            if (c->kind == CLV_PEAK_EFFORT && c->item == i)
                seen = true, c->item = n;
        }
        if (seen)
            p->actuator[n++] = p->actuator[i];
        else
            clv_free(p->actuator[i].name);
    }
    p->nactuator = n;
}

bool clv_peaks_bind(clv_peaks *p, const clv_column *column, int n)
{
    p->column = clv_alloc((size_t)n + 1, sizeof *p->column);
    for (int i = 0; p->column && i < n; ++i) {
        const clv_peak_kind kind = kind_of(&column[i]);
        const int item = kind == CLV_PEAK_EFFORT ? actuator_of(p, &column[i]) : column[i].item;
        const bool reaction = kind == CLV_PEAK_FORCE || kind == CLV_PEAK_TORQUE;
        if (kind != CLV_PEAK_NONE && item >= 0 && !(reaction && !transmits(p, item)))
            p->column[p->ncolumn++] = (clv_peak_column){kind, column[i].first, item};
    }
    drop_unseen(p);
    return p->column != NULL;
}

static void see_column(clv_peaks *p, const clv_peak_column *c, const double *v, double time)
{
    switch (c->kind) {
    case CLV_PEAK_FORCE: see_size(&p->force, c->item, v, time); break;
    case CLV_PEAK_TORQUE: see_size(&p->torque, c->item, v, time); break;
    case CLV_PEAK_SPEED: see_size(&p->speed, c->item, v, time); break;
    case CLV_PEAK_SPIN: see_size(&p->spin, c->item, v, time); break;
    case CLV_PEAK_LINEAR: see_momentum(p, 0, v, &p->drift); break;
    case CLV_PEAK_ANGULAR: see_momentum(p, 3, v, &p->spin_drift); break;
    case CLV_PEAK_EFFORT: see_effort(&p->actuator[c->item], *v, time); break;
    default: break;
    }
}

void clv_peaks_see(clv_peaks *p, const double *frame)
{
    for (int i = 0; i < p->ncolumn; ++i)
        see_column(p, &p->column[i], frame + p->column[i].first, frame[0]);
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

static const char *effort_unit(const clv_peaks *p, const clv_actuator *a)
{
    return clv_effort_unit(p->model->joint[a->joint].kind, a->direction);
}

/* Efforts are what reactions do along the joint; beside the largest of them, 1e-12 of it is rounding. */
static double without_rounding(const clv_peaks *p, const clv_actuator *a, double effort)
{
    const bool shift = clv_joint_shift(p->model->joint[a->joint].kind, a->direction);
    return fabs(effort) <= 1e-12 * (shift ? p->force.size : p->torque.size) ? 0 : effort;
}

static const char *label(const clv_actuator *a, char text[80])
{
    snprintf(text, 80, "%.28s (%.30s%s)", a->by, a->name, a->others > 0 ? ", with others" : "");
    return text;
}

static void print_efforts(const clv_peaks *p, const clv_sim *sim)
{
    enum { MOST = 12 };
    char name[80], low[40], high[40];
    int width = 0;
    for (int i = 0; i < p->nactuator && i < MOST; ++i)
        width = (int)fmax(width, (double)strlen(label(&p->actuator[i], name)));
    for (int i = 0; i < p->nactuator && i < MOST; ++i) {
        const clv_actuator *a = &p->actuator[i];
        const char *unit = effort_unit(p, a);
        if (!(a->low <= a->high))
            continue;
        const double least = without_rounding(p, a, a->low), most = without_rounding(p, a, a->high);
        clv_label(i == 0 ? "actuator effort" : "");
        printf("%-*s  ", width, label(a, name));
        if (most - least <= 1e-9 * fmax(fabs(least), fabs(most))) /* differs by rounding */
            printf("%s, constant", clv_amount(low, least, unit));
        else
            printf("%s at %.4g s to %s at %.4g s", clv_amount(low, least, unit), a->low_at,
                   clv_amount(high, most, unit), a->high_at);
        const bool shared = clv_summary_drive_repeated(p->model, (clv_sim *)sim, a->joint);
        printf("%s\n", shared ? " (not unique: motions repeat each other)" : "");
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
    print_efforts(p, sim);
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
        clv_json_object(j, a->name);
        clv_json_text(j, "by", a->by);
        clv_json_text(j, "unit", effort_unit(p, a));
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
