/* SPDX-License-Identifier: Apache-2.0
 * MJCF: tendons (T114).  A fixed one is a sum of joint coordinates, a spatial one a path over sites.  Those that wrap
 * around geoms or run over pulleys are not carried over.  A spring with a range of lengths without force is two
 * one-sided ones. */
#include "io/mjcf.h"
#include "math/rotation.h"
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- where it runs */

static bool add_joint(clv_mjcf *M, unsigned node, clv_cord *c)
{
    const char *name = clv_import_need(M->I, node, "joint");
    size_t rod;
    if (!name || c->n >= CLV_COUPLING_MOST)
        return false;
    if (!clv_map_find(&M->I->rods, name, &rod)) {
        clv_import_fail(M->I, node, "is the name spelt as in <joint name=...>?", "there is no joint '%.100s'", name);
        return false;
    }
    const clv_joint_kind kind = M->I->rod[rod].kind;
    const double factor = clv_import_number(M->I, node, "coef", 1);
    if (factor != 0)
        c->of[c->n] = (int)rod, c->factor[c->n++] = factor;
    return kind == CLV_JOINT_REVOLUTE || kind == CLV_JOINT_PRISMATIC;
}

static bool add_site(clv_mjcf *M, unsigned node, clv_cord *c)
{
    const char *name = clv_import_need(M->I, node, "site");
    size_t site;
    if (!name || c->n >= CLV_COUPLING_MOST)
        return false;
    if (!clv_map_find(&M->sites, name, &site)) {
        clv_import_fail(M->I, node, "", "there is no site '%.100s'", name);
        return false;
    }
    c->of[c->n] = M->site[site].link;
    clv_copy3(c->point[c->n++], M->site[site].at.p);
    return true;
}

/* NULL: it runs where the model can have it; else why not */
static const char *read_course(clv_mjcf *M, unsigned node, clv_cord *c)
{
    clv_xml *x = &M->I->xml;
    c->path = clv_xml_is(x, node, "spatial");
    for (unsigned n = clv_mjcf_first(M, node); n; n = clv_mjcf_next(M, n)) {
        x->node[n].seen = clv_xml_is(x, n, "joint") || clv_xml_is(x, n, "site");
        if (clv_xml_is(x, n, "geom"))
            return "it wraps around geoms";
        if (clv_xml_is(x, n, "pulley"))
            return "it runs over pulleys";
        if (clv_xml_is(x, n, "joint") && !add_joint(M, n, c))
            return "one of its joints is not a hinge or slide, or it has more than 32";
        if (clv_xml_is(x, n, "site") && !add_site(M, n, c))
            return "it has more than 32 sites";
    }
    return c->n < (c->path ? 2 : 1) ? "it is too short" : NULL;
}

/* Length where springs of joints are at rest; false: that position is not the reference position. */
static bool rest_length(const clv_mjcf *M, const clv_cord *c, double *length)
{
    double last[3] = {0}, at[3], d[3];
    *length = 0;
    for (int i = 0; i < c->n && !c->path; i++)
        *length += c->factor[i] * M->I->rod[c->of[i]].rest;
    for (int i = 0; i < c->n && c->path; i++) {
        const clv_frame *f = &M->home[c->of[i] < 0 ? 0 : c->of[i]];
        clv_mat3_times(at, f->R, c->point[i]);
        clv_axpy3(at, 1, f->p);
        clv_sub3(d, at, last);
        *length += i > 0 ? clv_norm3(d) : 0;
        clv_copy3(last, at);
    }
    return !c->path || !M->sprung;
}

/* ---------------------------------------------------------------- what acts along it */

/* The first of its numbers; more of them make a polynomial. */
static double linear(clv_mjcf *M, clv_item e, const char *attribute, const clv_cord *c)
{
    double x[8] = {0};
    const int n = clv_mjcf_some(M, e, attribute, x, 8);
    for (int i = 1; i < n; i++)
        if (x[i] != 0) {
            clv_import_drop(M->I, e.node, true, "polynomial", "%s of tendon '%s': terms of higher order", attribute,
                            c->name);
            break;
        }
    if (x[0] < 0)
        clv_import_fail(M->I, e.node, "", "the %s of tendon '%s' is %g: it cannot be negative", attribute, c->name,
                        x[0]);
    return x[0];
}

static void read_spring(clv_mjcf *M, clv_item e, clv_cord *c)
{
    double range[2] = {-1, -1};
    const double stiffness = linear(M, e, "stiffness", c), damping = linear(M, e, "damping", c);
    const int n = clv_mjcf_some(M, e, "springlength", range, 2);
    if (n == 1)
        range[1] = range[0];
    if (!M->off.damper)
        c->damping = damping;
    if (M->off.spring || stiffness == 0)
        return;
    c->stiffness = stiffness;
    if (range[0] > range[1])
        clv_import_fail(M->I, e.node, "give the least and the largest length, or one",
                        "springlength of tendon '%s': %g is above %g", c->name, range[0], range[1]);
    if (range[0] != -1 || range[1] != -1) /* -1: none is given; other negative ones are lengths */
        c->slack[0] = range[0], c->slack[1] = range[1];
    else if (rest_length(M, c, &c->slack[0]))
        c->slack[1] = c->slack[0];
    else {
        clv_import_drop(M->I, e.node, true, "springlength",
                        "spring of tendon '%s': its free length depends on springref of joints", c->name);
        c->stiffness = 0;
    }
}

static void read_losses(clv_mjcf *M, clv_item e, clv_cord *c)
{
    double x[2];
    const double friction = clv_mjcf_number(M, e, "frictionloss", 0), armature = clv_mjcf_number(M, e, "armature", 0);
    if (clv_mjcf_limited(M, e, "limited", "range", x) && !M->off.limit) {
        if (clv_robot_stops_soft(M->I) && x[0] < x[1])
            c->stops = true, c->bound[0] = x[0], c->bound[1] = x[1];
        else
            clv_import_drop(M->I, e.node, true, "position limit", "limits of tendon '%s': %g to %g", c->name, x[0],
                            x[1]);
    }
    if (clv_mjcf_limited(M, e, "actuatorfrclimited", "actuatorfrcrange", x) && !M->off.actuation)
        clv_import_drop(M->I, e.node, true, "effort limit", "limits of all actuators of tendon '%s': %g to %g",
                        c->name, x[0], x[1]);
    if (friction > 0 && !M->off.frictionloss)
        clv_import_drop(M->I, e.node, true, "friction", "dry friction of tendon '%s': %g", c->name, friction);
    if (armature > 0)
        clv_import_drop(M->I, e.node, true, "armature", "armature of tendon '%s': %g", c->name, armature);
}

static void read_tendon(clv_mjcf *M, unsigned node)
{
    static const char *const looks[] = {"width", "material", "rgba", "group", "user", "margin", "solreflimit",
                                        "solimplimit", "solreffriction", "solimpfriction"};
    const clv_item e = clv_mjcf_item(M, node, M->main_class, "tendon");
    const char *given = clv_xml_get(&M->I->xml, node, "name"), *why;
    clv_cord c = {.node = node};
    c.name = clv_mjcf_unique(M, node, &M->tendons, given && *given ? given : "tendon", M->I->ncord);
    if (!c.name)
        return;
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
        clv_mjcf_word(M, e, looks[i]);
    why = read_course(M, node, &c);
    if (M->I->r->nerror > 0)
        return;
    if (!why)
        read_spring(M, e, &c), read_losses(M, e, &c);
    else {
        clv_import_drop(M->I, node, true, "tendon", "tendon '%.60s': %s", c.name, why);
        clv_xml_see(&M->I->xml, node);
        c.n = 0;
    }
    clv_cord *to = CLV_IMPORT_MORE(M->I, cord);
    if (to)
        *to = c;
}

void clv_mjcf_tendons(clv_mjcf *M, unsigned section)
{
    for (size_t k = 0; k < M->I->nrod && !M->sprung; k++)
        M->sprung = M->I->rod[k].rest != M->I->rod[k].reference;
    for (unsigned n = clv_mjcf_first(M, section); n && M->I->r->nerror == 0; n = clv_mjcf_next(M, n))
        read_tendon(M, n);
}
