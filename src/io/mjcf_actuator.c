/* SPDX-License-Identifier: Apache-2.0
 * MJCF: actuators at joints and tendons.  The force is gain ctrl + b0 + b1 gear q + b2 gear u, and acts at the joint,
 * or along the length q of the tendon, times gear.
 * So the input is the effort gear gain ctrl at the joint; what remains is a constant, a spring and a damper. A value
 * of ctrl times that factor is the value of the input. */
#include "io/mjcf.h"
#include <math.h>
#include <string.h>

#define LAYERS 64 /* defaults that one actuator may be made of */

typedef struct servo {
    unsigned layer[LAYERS];
    int n;
    clv_law law;
} servo;

/* ---------------------------------------------------------------- attributes of all layers */

/* The innermost layer that has the attribute; all are looked at. */
static unsigned at_layer(clv_mjcf *M, const servo *s, const char *attribute)
{
    unsigned found = 0;
    for (int i = 0; i < s->n; i++)
        if (clv_xml_get(&M->I->xml, s->layer[i], attribute))
            found = s->layer[i];
    return found;
}

static const char *word(clv_mjcf *M, const servo *s, const char *attribute)
{
    const unsigned at = at_layer(M, s, attribute);
    return at ? clv_xml_get(&M->I->xml, at, attribute) : NULL;
}

/* The limits that an attribute gives; none: infinite ones. */
static bool limits(clv_mjcf *M, const servo *s, const char *limited, const char *range, double x[2])
{
    const unsigned at = at_layer(M, s, range);
    const char *is = word(M, s, limited);
    double given[2] = {0, 0};
    x[0] = -INFINITY, x[1] = INFINITY;
    if (!at || !clv_import_numbers(M->I, at, range, given, 2) || (is && strcmp(is, "false") == 0))
        return false;
    if ((!is || strcmp(is, "auto") == 0) && (!M->c.autolimits || (given[0] == 0 && given[1] == 0)))
        return false;
    x[0] = fmin(given[0], given[1]), x[1] = fmax(given[0], given[1]);
    return true;
}

/* ---------------------------------------------------------------- the joint */

/* The coordinate on which it acts and its gear; false: it acts on several, or on none. */
static bool read_gear(clv_mjcf *M, const servo *s, clv_joint_kind kind, int *coordinate, double *gear)
{
    const int n = kind == CLV_JOINT_FREE ? 6 : kind == CLV_JOINT_SPHERICAL ? 3 : 1;
    double x[6] = {1, 0, 0, 0, 0, 0};
    int count = 0;
    for (int i = 0; i < s->n; i++) /* fewer numbers leave the others as they are */
        clv_import_some(M->I, s->layer[i], "gear", x, 6);
    for (int i = 0; i < n; i++)
        if (x[i] != 0)
            count++, *coordinate = i, *gear = x[i];
    return count == 1;
}

static bool find_joint(clv_mjcf *M, const servo *s, size_t *rod)
{
    const char *name = word(M, s, "joint");
    const bool parent = !name;
    name = name ? name : word(M, s, "jointinparent");
    if (!name)
        return false;
    if (!clv_map_find(&M->I->rods, name, rod)) {
        clv_import_fail(M->I, s->layer[s->n - 1], "is the name spelt as in <joint name=...>?",
                        "there is no joint '%.100s'", name);
        return false;
    }
    const clv_joint_kind kind = M->I->rod[*rod].kind;
    return !parent || kind == CLV_JOINT_REVOLUTE || kind == CLV_JOINT_PRISMATIC;
}

/* ---------------------------------------------------------------- the model's parts */

/* What it acts on: a joint, or a tendon. */
typedef struct target {
    bool tendon;
    size_t index; /* clv_rod, clv_cord */
    int coordinate;
    double gear;
} target;

static void make_servo(clv_mjcf *M, unsigned node, const servo *s, const char *name, const target *on)
{
    const double gear = on->gear;
    const char *own = clv_import_text(M->I, "%s.servo", name);
    clv_servo *v = own ? CLV_IMPORT_MORE(M->I, servo) : NULL;
    if (!v)
        return;
    *v = (clv_servo){.name = own, .node = node, .joint = on->tendon ? -1 : (int)on->index,
                     .cord = on->tendon ? (int)on->index : -1};
    v->stiffness = gear * gear * -s->law.bias[1];
    v->damping = s->law.ratio ? 0 : gear * gear * -s->law.bias[2];
    v->drive = gear * s->law.bias[0];
}

static void make_drive(clv_mjcf *M, unsigned node, const servo *s, const char *name, const target *on)
{
    double range[2], force[2];
    const double gear = on->gear, factor = gear * s->law.gain;
    const bool limited = limits(M, s, "ctrllimited", "ctrlrange", range),
               strong = limits(M, s, "forcelimited", "forcerange", force);
    clv_drive *d = CLV_IMPORT_MORE(M->I, drive);
    if (!d)
        return;
    *d = (clv_drive){.name = name, .node = node, .on_cord = on->tendon, .joint = (int)on->index,
                     .coordinate = on->coordinate};
    d->limit[0] = -INFINITY, d->limit[1] = INFINITY;
    if (limited && !M->off.clampctrl) {
        d->limit[0] = fmin(factor * range[0], factor * range[1]);
        d->limit[1] = fmax(factor * range[0], factor * range[1]);
    }
    if (strong && s->law.affine)
        clv_import_drop(M->I, node, true, "effort limit", "force limits of actuator '%s': %g to %g", name, force[0],
                        force[1]);
    else if (strong) {
        d->limit[0] = fmax(d->limit[0], fmin(gear * force[0], gear * force[1]));
        d->limit[1] = fmin(d->limit[1], fmax(gear * force[0], gear * force[1]));
    }
    if (!(d->limit[0] <= d->limit[1]))
        clv_import_fail(M->I, node, "", "ctrlrange and forcerange of actuator '%s' exclude each other", name);
    if (M->aligned && !on->tendon && M->I->rod[on->index].kind == CLV_JOINT_FREE)
        clv_import_drop(M->I, node, true, "align", "align: actuator '%s' acts at the body frame as it is written",
                        name);
    if (factor != 1)
        clv_import_drop(M->I, node, false, "gear", "actuator '%s': its input is the effort at the %s, %g times ctrl",
                        name, on->tendon ? "tendon" : "joint", factor);
}

/* Does it act on a tendon that the model has? */
static bool find_tendon(clv_mjcf *M, const servo *s, target *on)
{
    const char *name = word(M, s, "tendon");
    if (!name)
        return false;
    if (!clv_map_find(&M->tendons, name, &on->index)) {
        clv_import_fail(M->I, s->layer[s->n - 1], "is the name spelt as in <fixed name=...>?",
                        "there is no tendon '%.100s'", name);
        return false;
    }
    on->tendon = true;
    return M->I->cord[on->index].n > 0;
}

/* Target, gear and law are such that the model can have it; else the reason. */
static const char *reason(clv_mjcf *M, const servo *s, target *on)
{
    const char *beyond = clv_mjcf_beyond(&s->law);
    if (beyond)
        return beyond;
    if (!find_tendon(M, s, on) && (on->tendon || !find_joint(M, s, &on->index)))
        return on->tendon ? "its tendon is not carried over" : "it acts on no joint or tendon";
    const clv_joint_kind kind = on->tendon ? CLV_JOINT_PRISMATIC : M->I->rod[on->index].kind;
    const bool single = kind == CLV_JOINT_REVOLUTE || kind == CLV_JOINT_PRISMATIC;
    if (!read_gear(M, s, kind, &on->coordinate, &on->gear))
        return "its gear acts on no coordinate, or on several";
    if (s->law.affine && !single)
        return "it has a bias at a joint of several coordinates";
    if (s->law.affine && (s->law.bias[1] > 0 || (s->law.bias[2] > 0 && !s->law.ratio)))
        return "its stiffness or damping is negative";
    return NULL;
}

static void read_one(clv_mjcf *M, unsigned node)
{
    servo s;
    target on = {.gear = 1};
    const clv_item e = clv_mjcf_item(M, node, M->main_class, NULL);
    clv_act *act = CLV_MJCF_MORE(M, act);
    s.n = clv_mjcf_actuator_layers(M, e, s.layer, LAYERS);
    clv_mjcf_law(M, e, &s.law);
    const char *given = clv_xml_get(&M->I->xml, node, "name"), *why = reason(M, &s, &on);
    if (!act || M->I->r->nerror > 0)
        return;
    *act = (clv_act){.drive = -1};
    if (why) {
        clv_import_drop(M->I, node, true, "actuator", "actuator <%.60s> '%.60s': %s", clv_xml_name(&M->I->xml, node),
                        given ? given : "", why);
        for (int i = 0; i < s.n; i++) /* what it says is lost with it */
            clv_xml_see(&M->I->xml, s.layer[i]);
        return;
    }
    const char *name = clv_mjcf_unique(M, node, &M->inputs, given && *given ? given
                                       : on.tendon          ? M->I->cord[on.index].name
                                                            : M->I->rod[on.index].name, 0);
    if (!name)
        return;
    *act = (clv_act){(int)M->I->ndrive, on.gear * s.law.gain};
    if (on.tendon)
        M->I->cord[on.index].acted = true;
    make_drive(M, node, &s, name, &on);
    if (s.law.affine)
        make_servo(M, node, &s, name, &on);
    if (s.law.ratio)
        clv_import_drop(M->I, node, true, "dampratio", "damping of actuator '%s': by MuJoCo's inertia (dampratio)",
                        name);
}

void clv_mjcf_actuators(clv_mjcf *M, unsigned section)
{
    for (unsigned n = clv_mjcf_first(M, section); n && M->I->r->nerror == 0; n = clv_mjcf_next(M, n))
        if (M->off.actuation)
            clv_xml_see(&M->I->xml, n);
        else
            read_one(M, n);
}
