/* SPDX-License-Identifier: Apache-2.0
 * What touches of a robot: shapes of links become shapes of bodies, bits and frictions become lists of contacts (T105).
 *
 *   kinds of shapes | explicit pairs | planes, by friction | shapes with each other, by kinds
 *
 * One force takes all where bits and frictions are equal.  Bodies over a joint do not touch; where hidden links are
 * between them, they are listed. */
#include "base/memory.h"
#include "base/text.h"
#include "io/import.h"
#include "math/rotation.h"
#include "model/names.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DISSIPATION 1.0 /* s/m, of compliant contacts */

bool clv_robot_contacts_known(const char *word)
{
    const char *end;
    const double k = clv_text_number(word, &end);
    return strcmp(word, "none") == 0 || strcmp(word, "rigid") == 0 || (*word && !*end && k > 0 && isfinite(k));
}

bool clv_robot_floor_known(const char *number)
{
    const char *end;
    return isfinite(clv_text_number(number, &end)) && *number && !*end;
}

bool clv_robot_contacts_wanted(const clv_import *I)
{
    const char *word = I->r->robot.contacts;
    return word ? strcmp(word, "none") != 0 : I->format && strcmp(I->format, "MJCF") == 0;
}

/* N/m^1.5; 0: rigid */
static double stiffness(const clv_import *I)
{
    const char *word = I->r->robot.contacts, *end;
    return word && strcmp(word, "rigid") != 0 ? clv_text_number(word, &end) : 0;
}

static bool is_plane(const clv_hard *h)
{
    return h->shape.kind == CLV_SHAPE_NONE;
}

static int base_of(const clv_import *I, int link)
{
    return link < 0 ? -1 : I->link[link].base;
}

/* ---------------------------------------------------------------- shapes */

/* how many shapes of link `base` touch; *one: the last of them */
static int count_of(const clv_import *I, int base, size_t *one)
{
    int n = 0;
    for (size_t k = 0; k < I->nhard; k++)
        if (!I->hard[k].off && !is_plane(&I->hard[k]) && base_of(I, I->hard[k].link) == base)
            *one = k, n++;
    return n;
}

/* the shape in the axes of its body, or of the ground */
static clv_shape placed(const clv_import *I, const clv_hard *h)
{
    clv_shape s = h->shape;
    clv_frame f;
    clv_copy3(f.p, s.at);
    clv_quat_rotation(f.R, s.orientation);
    clv_robot_body(I, h->link, &f, s.at, s.orientation);
    s.point = h->points;
    return s;
}

static bool meet(const clv_hard *a, const clv_hard *b, double *friction)
{
    const clv_hard *say = a->rank > b->rank ? a : b;
    *friction = a->rank != b->rank     ? (say->slick ? 0 : say->friction)
                : a->slick && b->slick ? 0
                                       : fmax(a->friction, b->friction);
    return (a->type & b->with) != 0 || (b->type & a->with) != 0;
}

static int parent_of(const clv_import *I, int link)
{
    return I->link[link].up >= 0 ? I->rod[I->link[link].up].parent : -1;
}

/* The link inboard of a link, over hidden ones; -1: the ground. */
static int link_before(const clv_import *I, int link)
{
    int up = parent_of(I, link);
    while (up >= 0 && I->link[up].hidden)
        up = parent_of(I, up);
    return up;
}

/* The link that carries the body inboard of the body of link `base`. */
static int base_before(const clv_import *I, int base) { return base_of(I, link_before(I, base)); }

static bool are_apart(const clv_import *I, int a, int b)
{
    bool apart = false;
    for (size_t k = 0; k < I->napart; k++) {
        const int x = base_of(I, I->apart[k].a), y = base_of(I, I->apart[k].b);
        apart |= (x == a && y == b) || (x == b && y == a);
    }
    return apart;
}

static bool may_touch(const clv_import *I, const clv_hard *a, const clv_hard *b)
{
    const int x = base_of(I, a->link), y = base_of(I, b->link);
    double friction;
    if (a->off || b->off || (is_plane(a) && is_plane(b)) || x == y || !meet(a, b, &friction) || are_apart(I, x, y))
        return false;
    return I->near || x < 0 || y < 0 || (base_before(I, x) != y && base_before(I, y) != x);
}

/* Where bits, joints and exclusions leave no pair, there are no contacts. */
static bool anything_touches(const clv_import *I)
{
    bool any = I->npair > 0;
    for (size_t i = 0; i < I->nhard && !any; i++)
        for (size_t k = 0; k < i && !any; k++)
            any = may_touch(I, &I->hard[i], &I->hard[k]);
    return any;
}

/* planes that move, and whatever motions forbid, take no part */
static void sort_out(clv_import *I)
{
    bool held = false;
    for (size_t k = 0; k < I->ngear; k++)
        held |= I->gear[k].first < 0 && !I->gear[k].of_cords;
    for (size_t k = 0; k < I->nhard; k++) {
        clv_hard *h = &I->hard[k];
        if (!h->off && is_plane(h) && base_of(I, h->link) >= 0) {
            clv_import_drop(I, h->node, true, "contact", "contact of a plane of '%s', which moves",
                            I->link[h->link].name);
            h->off = true;
        }
        if (!h->off && held && !(stiffness(I) > 0)) {
            clv_import_drop(I, h->node, true, "contact",
                            "contacts: rigid ones do not go with an equality that holds a joint; --contacts STIFFNESS");
            for (size_t i = 0; i < I->nhard; i++)
                I->hard[i].off = true;
        }
    }
    const bool any = anything_touches(I);
    for (size_t i = 0; i < I->nhard; i++)
        I->hard[i].off |= !any;
}

static int count_moving(const clv_import *I)
{
    int n = 0;
    for (size_t k = 0; k < I->nhard; k++)
        n += !I->hard[k].off && !is_plane(&I->hard[k]) && base_of(I, I->hard[k].link) >= 0;
    return n;
}

/* the plane of the option `floor` */
static void add_floor(clv_import *I)
{
    const char *end;
    clv_hard *h = I->r->robot.floor ? CLV_IMPORT_MORE(I, hard) : NULL;
    if (!h)
        return;
    *h = (clv_hard){.node = I->xml.node[0].first,
                    .link = -1,
                    .shape = clv_body_desc_default().shape,
                    .type = 1,
                    .with = 1,
                    .friction = 1};
    h->shape.at[2] = clv_text_number(I->r->robot.floor, &end);
}

void clv_robot_contacts_lump(clv_import *I)
{
    add_floor(I);
    sort_out(I);
    for (size_t i = 0; i < I->nlink && count_moving(I) > 0; i++) {
        size_t one = 0;
        if (I->link[i].base != (int)i)
            continue;
        if (count_of(I, (int)i, &one) == 1)
            I->link[i].shape = placed(I, &I->hard[one]), I->hard[one].entry = (int)i;
        else
            I->link[i].shape.kind = CLV_SHAPE_NONE;
    }
}

static const char *free_name(clv_import *I, const char *name)
{
    const char *free = name;
    for (int k = 2; free && (clv_names_find(I->m->names, CLV_NAME_SHAPE, free) >= 0 ||
                             clv_names_find(I->m->names, CLV_NAME_BODY, free) >= 0);
         k++)
        free = clv_import_text(I, "%s.%d", name, k);
    return free;
}

static void make_shape(clv_import *I, clv_hard *h)
{
    clv_shape_desc d = clv_shape_desc_default();
    size_t one = 0;
    int index;
    const int base = base_of(I, h->link);
    d.body = base < 0 ? CLV_GROUND : I->link[base].body;
    if (base >= 0 && count_of(I, base, &one) == 1) {
        h->entry = d.body;
        return;
    }
    d.name = free_name(I, clv_import_name(I, h->node,
                                          h->name       ? h->name
                                          : h->link < 0 ? "world"
                                                        : I->link[h->link].name));
    d.shape = placed(I, h);
    if (!d.name || !clv_robot_made(I, clv_model_add_shape(I->m, &index, &d), h->node))
        return;
    I->m->shape[index].place = clv_robot_place(I, h->node);
    h->entry = CLV_SHAPE_NUMBER(index);
}

/* ---------------------------------------------------------------- who touches whom */

/* numbers of kinds; returns how many kinds of shapes there are: planes come behind */
static int find_kinds(clv_import *I)
{
    int n = 0;
    for (int plane = 0, shapes = 0; plane < 2; plane++) {
        for (size_t k = 0; k < I->nhard; k++) {
            clv_hard *h = &I->hard[k];
            size_t same = 0;
            if (h->off || is_plane(h) != (plane == 1))
                continue;
            while (same < k &&
                   (I->hard[same].off || is_plane(&I->hard[same]) != is_plane(h) || I->hard[same].type != h->type ||
                    I->hard[same].with != h->with || I->hard[same].rank != h->rank || I->hard[same].slick != h->slick ||
                    I->hard[same].friction != h->friction))
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
    return base_of(I, h->link) >= 0;
}

/* ---------------------------------------------------------------- forces */

/* Lists of a force in the making. */
typedef struct lists {
    int *first, *second, *except;
    int nfirst, nsecond, nexcept;
} lists;

/* is a body among the shapes of the lists? */
static bool has_body(const clv_import *I, const lists *l, int body)
{
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < (side ? l->nsecond : l->nfirst); k++) {
            const int entry = side ? l->second[k] : l->first[k];
            if ((entry >= 0 ? entry : I->m->shape[-2 - entry].body) == body)
                return true;
        }
    return l->nfirst == 0;
}

static bool body_has_shape(const clv_import *I, int body)
{
    bool has = I->m->body[body].shape.kind != CLV_SHAPE_NONE;
    for (int k = 0; k < I->m->nshape && !has; k++)
        has = I->m->shape[k].body == body;
    return has;
}

static void add_except(const clv_import *I, lists *l, int a, int b)
{
    if (a < 0 || b < 0 || a == b || !body_has_shape(I, a) || !body_has_shape(I, b) || !has_body(I, l, a) ||
        !has_body(I, l, b))
        return;
    for (int k = 0; k < l->nexcept; k++)
        if ((l->except[2 * k] == a && l->except[2 * k + 1] == b) ||
            (l->except[2 * k] == b && l->except[2 * k + 1] == a))
            return;
    l->except[2 * l->nexcept] = a, l->except[2 * l->nexcept + 1] = b, l->nexcept++;
}

static int body_of(const clv_import *I, int link)
{
    const int base = base_of(I, link);
    return base < 0 ? -1 : I->link[base].body;
}

/* bodies that hidden links join, and those that the file names */
static void list_except(const clv_import *I, lists *l)
{
    l->nexcept = 0;
    for (size_t i = 0; i < I->nlink && !I->near; i++) {
        const int up = link_before(I, (int)i);
        if (!I->link[i].hidden && up != parent_of(I, (int)i))
            add_except(I, l, body_of(I, (int)i), body_of(I, up));
    }
    for (size_t k = 0; k < I->napart; k++)
        add_except(I, l, body_of(I, I->apart[k].a), body_of(I, I->apart[k].b));
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
    if (stiffness(I) > 0)
        d.contact.stiffness = stiffness(I), d.contact.dissipation = DISSIPATION;
    else
        d.contact.restitution = 0;
    if (plane) {
        const clv_shape s = placed(I, plane);
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

static void make_pairs(clv_import *I, lists *l)
{
    const bool near = I->near;
    I->near = true; /* a pair that is named touches whatever joins it */
    for (size_t k = 0; k < I->npair; k++) {
        clv_hard *a = &I->hard[I->pair[k].a], *b = &I->hard[I->pair[k].b];
        const clv_hard *plane = is_plane(a) ? a : is_plane(b) ? b : NULL, *one = is_plane(a) ? b : a;
        if (is_plane(one) || (!is_moving(I, a) && !is_moving(I, b)))
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
        if (meet(of_kind(I, c), plane, &mu) && mu == friction)
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
        bool seen = !meet(of_kind(I, c), plane, &mu), all;
        for (int d = 0; d < c && !seen; d++)
            seen = meet(of_kind(I, d), plane, &other) && other == mu;
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
            if (!meet(of_kind(I, c), of_kind(I, d), &mu) || (c + d > 0 && mu != *friction))
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
        bool own = false, seen = !meet(of_kind(I, c), of_kind(I, from), &mu);
        for (int d = c; d < from && !seen; d++)
            seen = meet(of_kind(I, c), of_kind(I, d), &other) && other == mu;
        if (seen)
            continue;
        l->nfirst = l->nsecond = 0;
        list_kind(I, c, l->first, &l->nfirst);
        int met = 0;
        for (int d = from; d < kinds; d++)
            if (meet(of_kind(I, c), of_kind(I, d), &other) && other == mu)
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
        if (!I->hard[k].off && is_plane(&I->hard[k]))
            plane = &I->hard[k], planes++;
        else
            shapes += !I->hard[k].off;
    const bool one = agree(I, kinds, &friction);
    make_pairs(I, l);
    if (planes == 1)
        list_on_plane(I, plane, kinds, friction, l, &all);
    const bool joined = one && planes == 1 && all;
    for (size_t k = 0; k < I->nhard && !joined; k++)
        if (!I->hard[k].off && is_plane(&I->hard[k]))
            make_floor(I, l, &I->hard[k], kinds);
    l->nfirst = l->nsecond = 0;
    if (one && (joined || shapes > 1))
        make_force(I, l, of_kind(I, 0)->node, joined ? plane : NULL, false, friction);
    for (int c = 0; c < kinds && !one; c++)
        make_mutual(I, l, c, kinds);
}

/* ---------------------------------------------------------------- all */

void clv_robot_contacts(clv_import *I)
{
    if (count_moving(I) == 0)
        return;
    lists l = {.first = clv_alloc(I->nhard + 1, sizeof *l.first), .second = clv_alloc(I->nhard + 1, sizeof *l.second)};
    l.except = clv_alloc(I->nlink + I->napart + 1, 2 * sizeof *l.except);
    if (!l.first || !l.second || !l.except)
        clv_read_out_of_memory(I->r);
    for (size_t k = 0; k < I->nhard && I->r->nerror == 0 && !I->r->memory; k++)
        if (!I->hard[k].off && !is_plane(&I->hard[k]))
            make_shape(I, &I->hard[k]);
    if (I->r->nerror == 0 && !I->r->memory)
        make_forces(I, &l);
    clv_free(l.first), clv_free(l.second), clv_free(l.except);
}
