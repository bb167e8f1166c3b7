/* SPDX-License-Identifier: Apache-2.0
 * Contact forces of a robot: bits and frictions become lists of contacts (T105).
 *
 *   kinds of shapes | explicit pairs | planes, by friction | shapes with each other, by kinds
 *
 * One force takes all where bits and frictions are equal.  Bodies between which hidden links are do not touch, and are
 * listed. */
#include "base/memory.h"
#include "io/robot_contact.h"
#include "math/rotation.h"
#include "model/names.h"

#define DISSIPATION 1.0 /* s/m, of compliant contacts */

/* numbers of kinds; returns how many kinds of shapes there are: planes come behind */
static int find_kinds(clv_import *I)
{
    int n = 0;
    for (int plane = 0, shapes = 0; plane < 2; plane++) {
        for (size_t k = 0; k < I->nhard; k++) {
            clv_hard *h = &I->hard[k];
            size_t same = 0;
            if (h->off || clv_hard_is_plane(h) != (plane == 1))
                continue;
            while (same < k &&
                   (I->hard[same].off || clv_hard_is_plane(&I->hard[same]) != clv_hard_is_plane(h) ||
                    I->hard[same].type != h->type || I->hard[same].with != h->with || I->hard[same].rank != h->rank ||
                    I->hard[same].slick != h->slick || I->hard[same].friction != h->friction))
                same++;
            h->kind = same < k ? I->hard[same].kind : n++;
        }
        shapes = plane == 0 ? n : shapes;
        if (plane == 1)
            return shapes;
    }
    return n;
}

/* the first shape of a kind */
static const clv_hard *of_kind(const clv_import *I, int kind)
{
    size_t k = 0;
    while (k < I->nhard && (I->hard[k].off || I->hard[k].kind != kind))
        k++;
    return k < I->nhard ? &I->hard[k] : NULL;
}

static bool is_moving(const clv_import *I, const clv_hard *h)
{
    return clv_robot_base(I, h->link) >= 0;
}

/* ---------------------------------------------------------------- one force */

/* A body beside the lists. */
typedef struct beside {
    bool shaped;      /* it has a shape                                       */
    int listed;       /* the last force among whose shapes it is              */
    int heads, first; /* the last force with exceptions of it; the last of them */
} beside;

/* Lists of a force in the making. */
typedef struct lists {
    int *first, *second, *except;
    int nfirst, nsecond, nexcept;
    beside *body; /* (nbody)                                         */
    int *next;    /* of an exception: another one of its lesser body */
    int force;    /* number of the force, from 1                     */
} lists;

static void find_shaped(const clv_import *I, lists *l)
{
    for (int b = 0; b < I->m->nbody; b++)
        l->body[b].shaped = I->m->body[b].shape->kind != CLV_SHAPE_NONE;
    for (int k = 0; k < I->m->nshape; k++)
        if (I->m->shape[k].body >= 0)
            l->body[I->m->shape[k].body].shaped = true;
}

/* bodies among the shapes of the lists */
static void mark_listed(const clv_import *I, lists *l)
{
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < (side ? l->nsecond : l->nfirst); k++) {
            const int entry = side ? l->second[k] : l->first[k];
            const int body = entry >= 0 ? entry : I->m->shape[-2 - entry].body;
            if (body >= 0)
                l->body[body].listed = l->force;
        }
}

/* may a body of this force have exceptions? */
static bool takes_part(const lists *l, int body)
{
    return body >= 0 && l->body[body].shaped && (l->nfirst == 0 || l->body[body].listed == l->force);
}

static void add_except(lists *l, int a, int b)
{
    beside *lesser = a == b || !takes_part(l, a) || !takes_part(l, b) ? NULL : &l->body[a < b ? a : b];
    if (!lesser)
        return;
    if (lesser->heads != l->force)
        lesser->heads = l->force, lesser->first = -1;
    for (int k = lesser->first; k >= 0; k = l->next[k])
        if (l->except[2 * k] + l->except[2 * k + 1] == a + b)
            return;
    l->except[2 * l->nexcept] = a, l->except[2 * l->nexcept + 1] = b;
    l->next[l->nexcept] = lesser->first, lesser->first = l->nexcept++;
}

static int body_of(const clv_import *I, int link)
{
    const int base = clv_robot_base(I, link);
    return base < 0 ? -1 : I->link[base].body;
}

/* bodies that hidden links join, and those that the file names */
static void list_except(const clv_import *I, lists *l)
{
    l->nexcept = 0, l->force++;
    mark_listed(I, l);
    for (size_t i = 0; i < I->nlink && !I->near; i++) {
        const int up = clv_robot_inboard(I, (int)i);
        if (!I->link[i].hidden && up != clv_robot_parent(I, (int)i))
            add_except(l, body_of(I, (int)i), body_of(I, up));
    }
    for (size_t k = 0; k < I->napart; k++)
        add_except(l, body_of(I, I->apart[k].a), body_of(I, I->apart[k].b));
}

/* A force between the lists, and with a plane (NULL: none). */
static void make_force(clv_import *I, lists *l, unsigned node, const clv_hard *plane, bool plane_only, double friction)
{
    clv_force_desc d = clv_force_desc_default(CLV_FORCE_CONTACTS);
    int index;
    const char *name = "contact";
    for (int k = 2; name && clv_names_find(I->m->names, CLV_NAME_FORCE, name) >= 0; k++)
        name = clv_import_text(I, "contact.%d", k);
    d.name = name;
    d.contact.dynamic_friction = friction;
    if (clv_robot_stiffness(I) > 0)
        d.contact.stiffness = clv_robot_stiffness(I), d.contact.dissipation = DISSIPATION;
    else
        d.contact.restitution = 0;
    if (plane) {
        const clv_shape s = clv_robot_placed(I, plane);
        double R[9];
        clv_quat_rotation(R, s.orientation);
        clv_copy3(d.contact.point, s.at);
        clv_mat3_column(d.contact.normal, R, 2);
    }
    list_except(I, l);
    d.group = (clv_contact_group){.nfirst = l->nfirst,
                                  .nsecond = l->nsecond,
                                  .first = l->first,
                                  .second = l->second,
                                  .nexcept = plane_only ? 0 : l->nexcept,
                                  .except = l->except,
                                  .neighbours = I->near,
                                  .plane_only = plane_only};
    if (name && clv_robot_made(I, clv_model_add_force(I->m, &index, &d), node))
        I->m->force[index].place = clv_robot_place(I, node);
}

static void list_kind(const clv_import *I, int kind, int *list, int *n)
{
    for (size_t k = 0; k < I->nhard; k++)
        if (!I->hard[k].off && I->hard[k].kind == kind)
            list[(*n)++] = I->hard[k].entry;
}

/* ---------------------------------------------------------------- all forces */

static void make_pairs(clv_import *I, lists *l)
{
    const bool near = I->near;
    I->near = true; /* a pair that is named touches whatever joins it */
    for (size_t k = 0; k < I->npair; k++) {
        clv_hard *a = &I->hard[I->pair[k].a], *b = &I->hard[I->pair[k].b];
        const clv_hard *plane = clv_hard_is_plane(a)   ? a
                                : clv_hard_is_plane(b) ? b
                                                       : NULL,
                       *one = clv_hard_is_plane(a) ? b : a;
        if (clv_hard_is_plane(one) || (!is_moving(I, a) && !is_moving(I, b)))
            continue;
        l->first[0] = one->entry, l->second[0] = b->entry;
        l->nfirst = 1, l->nsecond = plane ? 0 : 1;
        make_force(I, l, I->pair[k].node, plane, plane != NULL, I->pair[k].friction);
    }
    I->near = near;
}

/* shapes that touch the plane with this friction; all: are these all there are? */
static void list_on_plane(const clv_import *I, const clv_hard *plane, int kinds, double friction, lists *l, bool *all)
{
    l->nfirst = l->nsecond = 0;
    *all = true;
    for (int c = 0; c < kinds; c++) {
        double mu;
        if (clv_robot_meet(of_kind(I, c), plane, &mu) && mu == friction)
            list_kind(I, c, l->first, &l->nfirst);
        else
            *all = false;
    }
}

/* each friction once */
static void make_floor(clv_import *I, lists *l, const clv_hard *plane, int kinds)
{
    for (int c = 0; c < kinds; c++) {
        double mu, other;
        bool seen = !clv_robot_meet(of_kind(I, c), plane, &mu), all;
        for (int d = 0; d < c && !seen; d++)
            seen = clv_robot_meet(of_kind(I, d), plane, &other) && other == mu;
        if (seen)
            continue;
        list_on_plane(I, plane, kinds, mu, l, &all);
        l->nfirst = all ? 0 : l->nfirst;
        make_force(I, l, plane->node, plane, true, mu);
    }
}

/* do all kinds of shapes touch each other, with one friction? */
static bool agree(const clv_import *I, int kinds, double *friction)
{
    for (int c = 0; c < kinds; c++)
        for (int d = c; d < kinds; d++) {
            double mu;
            if (!clv_robot_meet(of_kind(I, c), of_kind(I, d), &mu) || (c + d > 0 && mu != *friction))
                return false;
            *friction = mu;
        }
    return kinds > 0;
}

/* kind c with those from c on that it touches with this friction */
static void make_mutual(clv_import *I, lists *l, int c, int kinds)
{
    for (int from = c; from < kinds; from++) {
        double mu, other;
        bool own = false, seen = !clv_robot_meet(of_kind(I, c), of_kind(I, from), &mu);
        for (int d = c; d < from && !seen; d++)
            seen = clv_robot_meet(of_kind(I, c), of_kind(I, d), &other) && other == mu;
        if (seen)
            continue;
        l->nfirst = l->nsecond = 0;
        list_kind(I, c, l->first, &l->nfirst);
        int met = 0;
        for (int d = from; d < kinds; d++)
            if (clv_robot_meet(of_kind(I, c), of_kind(I, d), &other) && other == mu)
                list_kind(I, d, l->second, &l->nsecond), own |= d == c, met++;
        l->nsecond = own && met == 1 ? 0 : l->nsecond;
        if (l->nfirst + l->nsecond > 1)
            make_force(I, l, of_kind(I, c)->node, NULL, false, mu);
    }
}

static void make_forces(clv_import *I, lists *l)
{
    const int kinds = find_kinds(I);
    const clv_hard *plane = NULL;
    double friction = 0;
    int planes = 0, shapes = 0;
    bool all = false;
    for (size_t k = 0; k < I->nhard; k++)
        if (!I->hard[k].off && clv_hard_is_plane(&I->hard[k]))
            plane = &I->hard[k], planes++;
        else
            shapes += !I->hard[k].off;
    const bool one = agree(I, kinds, &friction);
    make_pairs(I, l);
    if (planes == 1)
        list_on_plane(I, plane, kinds, friction, l, &all);
    const bool joined = one && planes == 1 && all;
    for (size_t k = 0; k < I->nhard && !joined; k++)
        if (!I->hard[k].off && clv_hard_is_plane(&I->hard[k]))
            make_floor(I, l, &I->hard[k], kinds);
    l->nfirst = l->nsecond = 0;
    if (one && (joined || shapes > 1))
        make_force(I, l, of_kind(I, 0)->node, joined ? plane : NULL, false, friction);
    for (int c = 0; c < kinds && !one; c++)
        make_mutual(I, l, c, kinds);
}

void clv_robot_contact_forces(clv_import *I)
{
    const size_t most = I->nlink + I->napart + 1;
    lists l = {.first = clv_alloc(I->nhard + 1, sizeof *l.first), .second = clv_alloc(I->nhard + 1, sizeof *l.second),
               .except = clv_alloc(most, 2 * sizeof *l.except), .next = clv_alloc(most, sizeof *l.next),
               .body = clv_alloc((size_t)I->m->nbody + 1, sizeof *l.body)};
    if (!l.first || !l.second || !l.except || !l.next || !l.body)
        clv_read_out_of_memory(I->r);
    else
        find_shaped(I, &l), make_forces(I, &l);
    clv_free(l.first), clv_free(l.second), clv_free(l.except), clv_free(l.next), clv_free(l.body);
}
