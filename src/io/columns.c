/* SPDX-License-Identifier: Apache-2.0
 * The table of output columns; see columns.h.  Choosing by name is in columns_select.c. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/memory.h"
#include "io/columns_offer.h"
#include "model/group.h"
#include "model/joint.h"
#include "simulation/crowd.h"
#include "simulation/react.h"

/* ---------------------------------------------------------------- what is seen of the output state */

struct clv_seen {
    clv_sim *sim;
    bool evaluated, good;    /* was clv_sim_react called here, and did it succeed?    */
    int joint;               /* whose result is kept, or -1                           */
    clv_joint_result result;
    int contact;             /* the same of a contact */
    clv_contact_result touch;
    int crowd;               /* of a contact of many bodies */
    const clv_crowd_share *all, *each;
};

static bool evaluated(clv_seen *s)
{
    if (!s->evaluated)
        s->good = clv_sim_react(s->sim) == CLV_OK;
    s->evaluated = true;
    return s->good;
}

static const clv_joint_result *joint(clv_seen *s, int item)
{
    if (s->joint != item && evaluated(s))
        clv_sim_reaction(s->sim, item, &s->result), s->joint = item;
    return s->joint == item ? &s->result : NULL;
}

static void put(double *to, const double *from, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = from ? from[i] : NAN;
}

/* ---------------------------------------------------------------- numbers */

#define GET(name) static void get_##name(clv_seen *s, int item, int index, double *to)
#define UNUSED (void)s, (void)item, (void)index

GET(time) { UNUSED; *to = clv_sim_time(s->sim); }
GET(position) { UNUSED; put(to, clv_sim_position(s->sim) + 3 * item, 3); }
GET(quaternion) { UNUSED; put(to, clv_sim_quaternion(s->sim) + 4 * item, 4); }
GET(velocity) { UNUSED; put(to, clv_sim_velocity(s->sim) + 6 * item, 3); }
GET(angular_velocity) { UNUSED; put(to, clv_sim_velocity(s->sim) + 6 * item + 3, 3); }
GET(acceleration) { UNUSED; put(to, evaluated(s) ? clv_sim_acceleration(s->sim) + 6 * item + 3 * index : NULL, 3); }
GET(marker) { UNUSED; put(to, clv_sim_marker(s->sim) + 6 * item + 3 * index, 3); }
GET(marker_rate) { UNUSED; put(to, evaluated(s) ? clv_sim_marker_acceleration(s->sim) + 3 * item : NULL, 3); }

GET(system)
{
    clv_momentum m;
    (void)item;
    clv_sim_momentum(s->sim, &m);
    put(to, index == 0 ? m.centre : index == 1 ? m.linear : m.angular, 3);
}

GET(mode)
{
    const double *q = NULL, *u = NULL;
    clv_sim_modes(s->sim, item, &q, &u, NULL);
    *to = index % 2 ? u[index / 2] : q[index / 2];
}

GET(energy)
{
    double part[3];
    (void)item;
    clv_sim_energy(s->sim, part, part + 1, part + 2);
    *to = part[index];
}

GET(progress)
{
    double both[2];
    (void)item;
    clv_sim_progress(s->sim, both, both + 1);
    *to = both[index];
}

GET(violation)
{
    double both[2];
    (void)item;
    clv_sim_violation(s->sim, both, both + 1);
    *to = both[index];
}

GET(q) { const clv_joint_result *r = joint(s, item); put(to, r ? r->q + index : NULL, 1); }
GET(u) { const clv_joint_result *r = joint(s, item); put(to, r ? r->u + index : NULL, 1); }
GET(udot) { const clv_joint_result *r = joint(s, item); put(to, r ? r->udot + index : NULL, 1); }
GET(effort) { const clv_joint_result *r = joint(s, item); put(to, r ? r->effort + index : NULL, 1); }

GET(reaction)
{
    const clv_joint_result *r = joint(s, item);
    const double *all[] = {r ? r->force : NULL, r ? r->torque : NULL, r ? r->drive_force : NULL,
                           r ? r->drive_torque : NULL};
    put(to, all[index], 3);
}

GET(contact)
{
    if (s->contact != item && evaluated(s))
        clv_sim_contact_forces(s->sim, item, &s->touch), s->contact = item;
    const bool known = s->contact == item;
    const clv_contact_result *r = &s->touch;
    const double *all[] = {r->force, &r->normal_force, &r->depth, r->point, &r->slip};
    put(to, known ? all[index] : NULL, index == 0 || index == 3 ? 3 : 1);
}

static bool crowd(clv_seen *s, int force)
{
    if (s->crowd != force && evaluated(s) && clv_sim_contact_shares(s->sim, force, &s->all, &s->each) == CLV_OK)
        s->crowd = force;
    return s->crowd == force;
}

/* Shares are one number wide but for the force: 0 force, 1 normal force, 2 depth, 3 slip, 4 points, 5 pairs. */
static void put_share(const clv_crowd_share *x, int index, double *to)
{
    const double number[] = {0, x ? x->normal_force : NAN, x ? x->depth : NAN, x ? x->slip : NAN,
                             x ? (double)x->points : (double)NAN, x ? (double)x->pairs : (double)NAN};
    put(to, index == 0 ? (x ? x->force : NULL) : &number[index], index == 0 ? 3 : 1);
}

GET(crowd) { put_share(crowd(s, item) ? s->all : NULL, index, to); }

/* item: a member, counted through all groups of the model */
GET(member)
{
    const clv_model *m = clv_sim_model(s->sim);
    for (int i = 0; i < m->nforce; i++) {
        const clv_touch_group *g = m->force[i].group;
        if (g && item < g->n) {
            put_share(crowd(s, i) ? &s->each[item] : NULL, index, to);
            return;
        }
        item -= g ? g->n : 0;
    }
}

/* ---------------------------------------------------------------- the table */

#define XYZ "x y z"
static const clv_quantity
    of_time[] = {{"time", "s", "", 1, CLV_SET_USUAL, 0, get_time}, {0}},
    of_body[] = {{"position", "m", XYZ, 3, CLV_SET_USUAL, 0, get_position},
                 {"quaternion", "-", "w x y z", 4, CLV_SET_USUAL, 0, get_quaternion},
                 {"velocity", "m/s", XYZ, 3, CLV_SET_USUAL, 0, get_velocity},
                 {"angular_velocity", "rad/s", XYZ, 3, CLV_SET_USUAL, 0, get_angular_velocity},
                 {"acceleration", "m/s^2", XYZ, 3, CLV_SET_NAMED, 0, get_acceleration},
                 {"angular_acceleration", "rad/s^2", XYZ, 3, CLV_SET_NAMED, 1, get_acceleration},
                 {0}},
    of_system[] = {{"system.centre", "m", XYZ, 3, CLV_SET_USUAL, 0, get_system},
                   {"system.momentum", "kg m/s", XYZ, 3, CLV_SET_USUAL, 1, get_system},
                   {"system.angular_momentum", "kg m^2/s", XYZ, 3, CLV_SET_USUAL, 2, get_system},
                   {0}},
    of_marker[] = {{"position", "m", XYZ, 3, CLV_SET_USUAL, 0, get_marker},
                   {"velocity", "m/s", XYZ, 3, CLV_SET_USUAL, 1, get_marker},
                   {"acceleration", "m/s^2", XYZ, 3, CLV_SET_USUAL, 0, get_marker_rate},
                   {0}},
    of_run[] = {{"energy.kinetic", "J", "", 1, CLV_SET_USUAL, 0, get_energy},
                {"energy.potential", "J", "", 1, CLV_SET_USUAL, 1, get_energy},
                {"energy.work", "J", "", 1, CLV_SET_USUAL, 2, get_energy},
                {"violation.position", "m or rad", "", 1, CLV_SET_USUAL, 0, get_violation},
                {"violation.velocity", "m/s or rad/s", "", 1, CLV_SET_USUAL, 1, get_violation},
                {"integrator.step", "s", "", 1, CLV_SET_NAMED, 0, get_progress},
                {"integrator.evaluations", "-", "", 1, CLV_SET_NAMED, 1, get_progress},
                {0}},
    of_joint[] = {{"force", "N", XYZ, 3, CLV_SET_REACTIONS, 0, get_reaction},
                  {"torque", "N m", XYZ, 3, CLV_SET_REACTIONS, 1, get_reaction},
                  {"drive_force", "N", XYZ, 3, CLV_SET_REACTIONS, 2, get_reaction},
                  {"drive_torque", "N m", XYZ, 3, CLV_SET_REACTIONS, 3, get_reaction},
                  {0}},
    of_contact[] = {{"force", "N", XYZ, 3, CLV_SET_REACTIONS, 0, get_contact},
                    {"normal_force", "N", "", 1, CLV_SET_REACTIONS, 1, get_contact},
                    {"depth", "m", "", 1, CLV_SET_REACTIONS, 2, get_contact},
                    {"point", "m", XYZ, 3, CLV_SET_REACTIONS, 3, get_contact},
                    {"slip", "m/s", "", 1, CLV_SET_REACTIONS, 4, get_contact},
                    {0}},
    of_crowd[] = {{"pairs", "-", "", 1, CLV_SET_REACTIONS, 5, get_crowd},
                  {"points", "-", "", 1, CLV_SET_REACTIONS, 4, get_crowd},
                  {"normal_force", "N", "", 1, CLV_SET_REACTIONS, 1, get_crowd},
                  {"depth", "m", "", 1, CLV_SET_REACTIONS, 2, get_crowd},
                  {"slip", "m/s", "", 1, CLV_SET_REACTIONS, 3, get_crowd},
                  {0}},
    of_member[] = {{"force", "N", XYZ, 3, CLV_SET_NAMED, 0, get_member},
                   {"normal_force", "N", "", 1, CLV_SET_NAMED, 1, get_member},
                   {"depth", "m", "", 1, CLV_SET_NAMED, 2, get_member},
                   {"slip", "m/s", "", 1, CLV_SET_NAMED, 3, get_member},
                   {0}};

/* Names of coordinates and of rates; x y z are lengths, rx ry rz angles about these axes, qw .. qz a quaternion. */
static const struct {
    const char *q[7], *u[6];
} coordinate[CLV_JOINT_KINDS] = {
    [CLV_JOINT_REVOLUTE] = {{""}, {""}},
    [CLV_JOINT_PRISMATIC] = {{""}, {""}},
    [CLV_JOINT_HELICAL] = {{""}, {""}},
    [CLV_JOINT_CYLINDRICAL] = {{".z", ".rz"}, {".z", ".rz"}},
    [CLV_JOINT_UNIVERSAL] = {{".rx", ".ry"}, {".rx", ".ry"}},
    [CLV_JOINT_PLANAR] = {{".x", ".y", ".rz"}, {".x", ".y", ".rz"}},
    [CLV_JOINT_SPHERICAL] = {{".qw", ".qx", ".qy", ".qz"}, {".rx", ".ry", ".rz"}},
    [CLV_JOINT_FREE] = {{".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"}, {".x", ".y", ".z", ".rx", ".ry", ".rz"}},
};

const char *clv_coordinate_suffix(clv_joint_kind kind, bool rate, int i)
{
    return rate ? coordinate[kind].u[i] : coordinate[kind].q[i];
}

const char *clv_effort_unit(clv_joint_kind kind, int i) { return clv_joint_shift(kind, i) ? "N" : "N m"; }

/* Of a tendon: N of a path, and of a sum of coordinates the unit of their efforts, where that is one. */
static const char *tendon_unit(const clv_model *m, const clv_force *f)
{
    int shifts = f->npoint > 0, turns = 0;
    for (int i = 0; i < f->nterm; i++)
        *(clv_joint_shift(m->joint[f->term[i].joint].kind, 0) ? &shifts : &turns) += 1;
    return shifts > 0 && turns > 0 ? "" : shifts > 0 ? "N" : "N m";
}

const char *clv_input_unit(const clv_model *m, const clv_input *x)
{
    switch (x->kind) {
    case CLV_INPUT_JOINT:
        return clv_effort_unit(m->joint[x->joint].kind, x->coordinate);
    case CLV_INPUT_MOTION:
        return clv_joint_shift(m->joint[m->motion[x->motion].joint].kind, 0) ? "m/s^2" : "rad/s^2";
    case CLV_INPUT_TENDON:
        return tendon_unit(m, &m->force[x->force]);
    default:
        return "";
    }
}

bool clv_joint_acted(const clv_model *m, int item)
{
    bool acted = false;
    for (int i = 0; i < m->nmotion; i++)
        acted |= m->motion[i].joint == item;
    for (int i = 0; i < m->nforce; i++)
        acted |= clv_force_acts_in(&m->force[i], item);
    for (int i = 0; i < m->ninput; i++)
        acted |= m->input[i].kind == CLV_INPUT_JOINT && m->input[i].joint == item;
    for (int i = 0; i < m->nevent; i++)
        acted |= m->event[i].lock == item; /* -1: it locks nothing */
    return acted;
}

/* ---------------------------------------------------------------- all columns of a model, in order */

static bool offer_list(clv_offer *o, const char *kind, const char *owner, int item, const clv_quantity *list)
{
    for (; list->name; list++)
        if (!o->take(o, kind, owner, item, list))
            return false;
    return true;
}

static bool offer_one(clv_offer *o, int item, clv_quantity q, const char *suffix)
{
    char name[32];
    snprintf(name, sizeof name, "%s%s", q.name, suffix);
    q.name = name, q.axes = "", q.count = 1;
    return o->take(o, "joint", o->model->joint[item].name, item, &q);
}

/* Coordinates, rates and their rates, efforts where something acts: one number a column. */
static bool offer_coordinates(clv_offer *o, int item, bool acted)
{
    const clv_joint_kind kind = o->model->joint[item].kind;
    bool go = true;
    for (int i = 0; i < clv_joint_table[kind].nq && go; i++) {
        const char *suffix = coordinate[kind].q[i];
        const char *unit = suffix[0] == '.' && suffix[1] == 'q'        ? "-"
                           : suffix[0] == '.' ? (suffix[1] == 'r' ? "rad" : "m")
                           : kind == CLV_JOINT_PRISMATIC ? "m"
                                                         : "rad";
        go = offer_one(o, item, (clv_quantity){"q", unit, "", 1, CLV_SET_USUAL, i, get_q}, suffix);
    }
    for (int what = 0; what < 3; what++)
        for (int i = 0; i < clv_joint_table[kind].nu && go; i++) {
            const bool shift = clv_joint_shift(kind, i);
            const clv_quantity q[3] = {
                {"u", shift ? "m/s" : "rad/s", "", 1, CLV_SET_USUAL, i, get_u},
                {"udot", shift ? "m/s^2" : "rad/s^2", "", 1, CLV_SET_NAMED, i, get_udot},
                {"effort", clv_effort_unit(kind, i), "", 1, acted ? CLV_SET_USUAL : CLV_SET_IDLE, i, get_effort}};
            go = offer_one(o, item, q[what], coordinate[kind].u[i]);
        }
    return go;
}

/* coordinate and rate of every mode, in their own unit */
static bool offer_modes(clv_offer *o, const clv_flex *flex)
{
    bool go = true;
    for (int k = 0; k < flex->nmode && go; k++) {
        char q[32], u[32];
        snprintf(q, sizeof q, "mode.%d", k + 1), snprintf(u, sizeof u, "mode.%d.rate", k + 1);
        const clv_quantity list[] = {{q, "1", "", 1, CLV_SET_USUAL, 2 * k, get_mode},
                                     {u, "1/s", "", 1, CLV_SET_USUAL, 2 * k + 1, get_mode},
                                     {0}};
        go = offer_list(o, "mode", o->model->body[flex->body].name, flex->body, list);
    }
    return go;
}

/* (njoint) does something act on it?  NULL: out of memory. */
static bool *find_acted(const clv_model *m)
{
    bool *acted = clv_alloc((size_t)m->njoint + 1, sizeof *acted);
    for (int i = 0; acted && i < m->nmotion; i++)
        acted[m->motion[i].joint] = true;
    for (int i = 0; acted && i < m->nforce; i++)
        if (m->force[i].kind == CLV_FORCE_JOINT)
            acted[m->force[i].joint] = true;
    for (int i = 0; acted && i < m->nforce; i++)
        for (int k = 0; k < m->force[i].nterm; k++)
            acted[m->force[i].term[k].joint] = true;
    for (int i = 0; acted && i < m->ninput; i++)
        if (m->input[i].kind == CLV_INPUT_JOINT)
            acted[m->input[i].joint] = true;
    for (int i = 0; acted && i < m->nevent; i++)
        if (m->event[i].lock >= 0)
            acted[m->event[i].lock] = true;
    return acted;
}

/* Names behind the word of their kind: "contacts.floor.force", "contacts.pile.box3.force", "markers.tool.position". */
static bool offer_prefixed(clv_offer *o, const char *kind, const char *name, const char *member, int item,
                           const clv_quantity *list)
{
    const size_t n = strlen(kind) + strlen(name) + strlen(member) + sizeof "s..";
    char *owner = clv_alloc(n, 1);
    if (!owner)
        return false;
    snprintf(owner, n, "%ss.%s%s%s", kind, name, *member ? "." : "", member);
    const bool go = offer_list(o, kind, owner, item, list);
    clv_free(owner);
    return go;
}

/* A marker with the name of a body: no two columns have one name. */
static bool offer_marker(clv_offer *o, int item)
{
    const char *name = o->model->marker[item].name;
    return clv_model_find_body(o->model, name) < 0 ? offer_list(o, "marker", name, item, of_marker)
                                                   : offer_prefixed(o, "marker", name, "", item, of_marker);
}

/* `member`: how many members the groups before it have */
static bool offer_contacts(clv_offer *o, int item, int *member)
{
    const clv_force *f = &o->model->force[item];
    if (f->kind == CLV_FORCE_CONTACT)
        return offer_prefixed(o, "contact", f->name, "", item, of_contact);
    bool go = !f->group || offer_prefixed(o, "contact", f->name, "", item, of_crowd);
    for (int k = 0; f->group && k < f->group->n && go; k++)
        go = offer_prefixed(o, "contact", f->name, clv_touch_member_name(o->model, &f->group->member[k]), (*member)++,
                            of_member);
    return go;
}

bool clv_columns_offer(clv_offer *o)
{
    const clv_model *m = o->model;
    bool *acted = find_acted(m);
    bool go = acted && offer_list(o, "run", NULL, 0, of_time);
    for (int i = 0; i < m->nbody && go; i++)
        go = offer_list(o, "body", m->body[i].name, i, of_body);
    go = go && offer_list(o, "run", NULL, 0, of_system);
    for (int i = 0; i < m->nmarker && go; i++)
        go = offer_marker(o, i);
    for (int i = 0; i < m->nflex && go; i++)
        go = offer_modes(o, &m->flex[i]);
    go = go && offer_list(o, "run", NULL, 0, of_run);
    for (int i = 0; i < m->njoint && go; i++)
        go = offer_coordinates(o, i, acted[i]) && offer_list(o, "joint", m->joint[i].name, i, of_joint);
    for (int i = 0, member = 0; i < m->nforce && go; i++)
        go = offer_contacts(o, i, &member);
    clv_free(acted);
    return go;
}

/* ---------------------------------------------------------------- a frame */

void clv_columns_fill(const clv_column *column, int n, clv_sim *sim, double *to)
{
    clv_seen seen = {.sim = sim, .joint = -1, .contact = -1, .crowd = -1};
    for (int i = 0; i < n; i++) {
        const clv_column *c = &column[i];
        double part[4];
        if (c->part < 0)
            c->get(&seen, c->item, c->index, to + c->first);
        else
            c->get(&seen, c->item, c->index, part), to[c->first] = part[c->part];
    }
}

void clv_columns_release(clv_columns *c)
{
    for (int i = 0; i < c->n; i++)
        clv_free(c->column[i].owner), clv_free(c->column[i].name);
    clv_free(c->column);
    *c = (clv_columns){0};
}
