/* SPDX-License-Identifier: Apache-2.0
 * MJCF: bodies and what stands inside them.  A <frame> is a frame for the elements inside, and no body.  The world is
 * link 0; bodies without joints are fixed to their parents. */
#include "base/error.h"
#include "io/mjcf.h"
#include "math/rotation.h"
#include <string.h>

/* Where an element stands. */
typedef struct spot {
    int link;        /* of the body around it        */
    clv_frame frame; /* of the <frame>s, in the link */
    int class;       /* childclass                   */
    bool moves;      /* the link is not fixed        */
} spot;

typedef enum pass { JOINTS, THINGS, BODIES } pass;

/* ---------------------------------------------------------------- names */

const char *clv_mjcf_unique(clv_mjcf *M, unsigned node, clv_map *map, const char *name, size_t value)
{
    size_t other;
    if (!name)
        return NULL;
    name = clv_import_name(M->I, node, name);
    const char *base = name;
    for (size_t k = 2; name && clv_map_find(map, name, &other); k++)
        name = clv_import_text(M->I, "%s_%zu", base, k);
    if (name && !clv_map_add(map, name, value))
        clv_read_out_of_memory(M->I->r);
    return name;
}

bool clv_mjcf_link(clv_mjcf *M, unsigned node, const char *name, int *link)
{
    size_t index = 0;
    *link = -1;
    if (strcmp(name, "world") == 0)
        return true;
    if (clv_map_find(&M->bodies, name, &index))
        return *link = (int)index, true;
    clv_import_fail(M->I, node, "is the name spelt as in <body name=...>?", "there is no body '%.100s'", name);
    return false;
}

/* The name of a body; one is made where there is none. */
static const char *body_name(clv_mjcf *M, unsigned node)
{
    const char *name = clv_xml_get(&M->I->xml, node, "name");
    size_t same;
    if (!name || !*name)
        return clv_import_text(M->I, "body%zu", M->I->nlink);
    if (clv_map_find(&M->bodies, name, &same))
        clv_import_fail(M->I, node, "every body needs a name of its own", "the name '%.100s' is given to two bodies",
                        name);
    return name;
}

/* ---------------------------------------------------------------- sites */

static void read_site(clv_mjcf *M, unsigned node, const spot *at)
{
    const clv_item e = clv_mjcf_item(M, node, at->class, "site");
    const char *name = clv_xml_get(&M->I->xml, node, "name");
    double ends[6];
    clv_site s = {.name = name, .link = at->link};
    clv_mjcf_frame(M, e, &s.at);
    if (clv_mjcf_numbers(M, e, "fromto", ends, 6)) {
        const double z[3] = {ends[0] - ends[3], ends[1] - ends[4], ends[2] - ends[5]};
        for (int i = 0; i < 3; i++)
            s.at.p[i] = (ends[i] + ends[3 + i]) / 2;
        if (!clv_mjcf_from_z(s.at.R, z))
            clv_import_fail(M->I, node, "", "the points of fromto coincide");
    }
    clv_frame_product(&s.at, &at->frame, &s.at);
    clv_site *site = name ? CLV_MJCF_MORE(M, site) : NULL;
    if (!site)
        return;
    *site = s;
    s.name = clv_mjcf_unique(M, node, &M->sites, name, M->nsite - 1);
    clv_spot *marker = s.name ? CLV_IMPORT_MORE(M->I, spot) : NULL;
    if (!marker)
        return;
    *marker = (clv_spot){.name = s.name, .node = node, .link = at->link};
    clv_copy3(marker->p, s.at.p);
}

/* ---------------------------------------------------------------- bodies */

static void visit(clv_mjcf *M, unsigned container, const spot *at, pass what, clv_inertia_part *sum);

static void note_joint(clv_mjcf *M, unsigned node, const spot *at)
{
    const clv_item e = clv_mjcf_item(M, node, at->class, "joint");
    clv_item *joint = CLV_MJCF_MORE(M, joint);
    clv_frame *about = joint ? CLV_MJCF_MORE(M, about) : NULL;
    if (!about)
        return;
    *joint = e;
    *about = at->frame;
}

static unsigned inertial_of(clv_mjcf *M, unsigned body)
{
    unsigned n = clv_mjcf_first(M, body);
    while (n && !clv_xml_is(&M->I->xml, n, "inertial"))
        n = clv_mjcf_next(M, n);
    if (n)
        M->I->xml.node[n].seen = true;
    return n;
}

/* Inertia, shapes and sites of a body. */
static void read_things(clv_mjcf *M, unsigned node, const spot *in)
{
    const unsigned inertial = inertial_of(M, node);
    const bool wanted = in->moves || M->c.total_mass > 0;
    const bool from_geoms = M->c.from_geom == 1 || (M->c.from_geom == 2 && !inertial);
    clv_inertia_part own = {0}, sum = {0};
    if (inertial)
        clv_mjcf_inertia(M, inertial, &own);
    visit(M, node, in, THINGS, wanted && from_geoms ? &sum : NULL);
    if (!wanted)
        return;
    own = from_geoms && sum.mass > 0 ? sum : own;
    if (!inertial && !(own.mass > 0) && M->c.bound_mass > 0) /* MuJoCo has it there, in the axes of the body itself */
        clv_import_numbers(M->I, node, "pos", own.com, 3);
    clv_mjcf_bound(M, &own);
    M->I->link[in->link].own = own;
}

static void read_body(clv_mjcf *M, unsigned node, const spot *at)
{
    clv_xml *x = &M->I->xml;
    const clv_item e = {.node = node, .class = -1};
    clv_frame f;
    x->node[node].seen = true;
    if (++M->depth > 4 * CLV_XML_DEPTH) {
        clv_import_fail(M->I, node, "", "bodies are nested too deeply");
        return;
    }
    const char *name = body_name(M, node);
    clv_mjcf_frame(M, e, &f);
    clv_frame_product(&f, &at->frame, &f);
    spot in = {.class = clv_mjcf_class(M, node, "childclass", at->class)};
    clv_frame_identity(&in.frame);
    M->njoint = M->nabout = 0;
    visit(M, node, &in, JOINTS, NULL);
    in.moves = at->moves || M->njoint > 0;
    in.link = name && M->I->r->nerror == 0 && !M->I->r->memory ? clv_mjcf_joints(M, node, at->link, &f, name) : -1;
    if (clv_mjcf_true(M, e, "mocap", false))
        clv_import_drop(M->I, node, false, "mocap", "mocap body '%s': it does not move", name ? name : "");
    if (in.link >= 0) {
        read_things(M, node, &in);
        visit(M, node, &in, BODIES, NULL);
    }
    M->depth--;
}

/* Elements inside a <frame> stand in its frame and have its class. */
static void read_frame(clv_mjcf *M, unsigned node, const spot *at, pass what, clv_inertia_part *sum)
{
    const clv_item e = {.node = node, .class = -1};
    spot in = *at;
    clv_frame f;
    M->I->xml.node[node].seen = true;
    clv_xml_get(&M->I->xml, node, "name");
    if (++M->depth > 4 * CLV_XML_DEPTH) {
        clv_import_fail(M->I, node, "", "frames are nested too deeply");
        return;
    }
    clv_mjcf_frame(M, e, &f);
    clv_frame_product(&in.frame, &at->frame, &f);
    in.class = clv_mjcf_class(M, node, "childclass", at->class);
    visit(M, node, &in, what, sum);
    M->depth--;
}

static void visit(clv_mjcf *M, unsigned container, const spot *at, pass what, clv_inertia_part *sum)
{
    const clv_xml *x = &M->I->xml;
    for (unsigned n = clv_mjcf_first(M, container); n; n = clv_mjcf_next(M, n)) {
        if (M->I->r->memory || M->I->r->nerror > 0)
            return;
        if (clv_xml_is(x, n, "frame"))
            read_frame(M, n, at, what, sum);
        else if (what == JOINTS && (clv_xml_is(x, n, "joint") || clv_xml_is(x, n, "freejoint")))
            note_joint(M, n, at);
        else if (what == THINGS && clv_xml_is(x, n, "geom"))
            clv_mjcf_geom(M, clv_mjcf_item(M, n, at->class, "geom"), &at->frame, at->link, sum);
        else if (what == THINGS && clv_xml_is(x, n, "site"))
            read_site(M, n, at);
        else if (what == BODIES && clv_xml_is(x, n, "body"))
            read_body(M, n, at);
    }
}

void clv_mjcf_world(clv_mjcf *M)
{
    const unsigned root = M->I->xml.node[0].first;
    spot at = {.link = 0, .class = M->main_class};
    clv_frame_identity(&at.frame);
    clv_frame *home = CLV_MJCF_MORE(M, home);
    if (!home || !clv_robot_link(M->I, root, "world") || !clv_map_add(&M->bodies, "world", 0)) {
        clv_read_out_of_memory(M->I->r);
        return;
    }
    clv_frame_identity(home);
    for (unsigned n = clv_mjcf_section(M, 0, "worldbody"); n; n = clv_mjcf_section(M, n, "worldbody")) {
        spot in = at;
        in.class = clv_mjcf_class(M, n, "childclass", at.class);
        visit(M, n, &in, THINGS, NULL);
        visit(M, n, &in, BODIES, NULL);
    }
}
