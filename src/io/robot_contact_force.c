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
#include <math.h>
#include <stdlib.h>

#define DISSIPATION 1.0 /* s/m, of compliant contacts */

/* Shapes that agree in what they touch and how are a kind. */
typedef struct kinds {
    const clv_hard **of; /* shapes and planes that take part, kind by kind: shapes first           */
    int *first;          /* (n + 1) of a kind in `of`                                              */
    double *friction;    /* (n) with a shape at hand; NaN: they do not touch, or it has been taken */
    int n;               /* kinds of shapes; those of planes come behind                           */
} kinds;

static int order_of(double a, double b) { return (a > b) - (a < b); }

/* Shapes before planes, then whoever decides a friction before those that follow: the higher rank, the larger friction.
 * So a kind has few frictions with all that come behind it. */
static int compare(const void *to, const void *with)
{
    const clv_hard *a = *(const clv_hard *const *)to, *b = *(const clv_hard *const *)with;
    const int by[] = {order_of(clv_hard_is_plane(a), clv_hard_is_plane(b)),
                      order_of(b->rank, a->rank),
                      order_of(b->friction, a->friction),
                      order_of(a->slick, b->slick),
                      order_of(a->type, b->type),
                      order_of(a->with, b->with)};
    for (int i = 0; i < 6; i++)
        if (by[i] != 0)
            return by[i];
    return 0;
}

static int by_place(const void *a, const void *b)
{
    const clv_hard *x = *(const clv_hard *const *)a, *y = *(const clv_hard *const *)b;
    const int by = compare(a, b);
    return by != 0 ? by : (x > y) - (x < y);
}

/* fills kinds; false: out of memory */
static bool find_kinds(const clv_import *I, kinds *k)
{
    size_t n = 0;
    k->of = clv_alloc(I->nhard + 1, sizeof(void *)), k->first = clv_alloc(I->nhard + 1, sizeof *k->first);
    k->friction = clv_alloc(I->nhard + 1, sizeof *k->friction);
    if (!k->of || !k->first || !k->friction)
        return false;
    for (size_t i = 0; i < I->nhard; i++)
        if (!I->hard[i].off)
            k->of[n++] = &I->hard[i];
    qsort(k->of, n, sizeof(void *), by_place);
    k->n = 0;
    for (size_t i = 0; i < n && !clv_hard_is_plane(k->of[i]); i++) {
        if (i == 0 || compare(&k->of[i - 1], &k->of[i]) != 0)
            k->first[k->n++] = (int)i;
        k->first[k->n] = (int)i + 1;
    }
    return true;
}

static void free_kinds(kinds *k) { clv_free(k->of), clv_free(k->first), clv_free(k->friction); }

/* the first shape of a kind */
static const clv_hard *of_kind(const kinds *k, int kind) { return k->of[k->first[kind]]; }

/* friction of all kinds from `from` on with a shape or plane */
static void find_frictions(kinds *k, int from, const clv_hard *with)
{
    for (int d = from; d < k->n; d++)
        if (!clv_robot_meet(of_kind(k, d), with, &k->friction[d]))
            k->friction[d] = NAN;
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
    int named;    /* names up to this number are taken               */
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

/* Bodies come before shapes, both in the order of the model, as a file is read. */
static int compare_entries(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    if ((x < 0) != (y < 0))
        return x < 0 ? 1 : -1;
    const int order = x < y ? -1 : x > y;
    return x < 0 ? -order : order;
}

static void sort_entries(int *entry, int n)
{
    if (n > 1)
        qsort(entry, (size_t)n, sizeof *entry, compare_entries);
}

/* A force between the lists, and with a plane (NULL: none). */
static void make_force(clv_import *I, lists *l, unsigned node, const clv_hard *plane, bool plane_only, double friction)
{
    clv_force_desc d = clv_force_desc_default(CLV_FORCE_CONTACTS);
    int index;
    const char *name = l->named > 0 ? clv_import_text(I, "contact.%d", ++l->named) : "contact";
    while (name && clv_names_find(I->m->names, CLV_NAME_FORCE, name) >= 0)
        l->named = l->named > 0 ? l->named + 1 : 2, name = clv_import_text(I, "contact.%d", l->named);
    l->named = l->named > 0 ? l->named : 1;
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
    sort_entries(l->first, l->nfirst);
    sort_entries(l->second, l->nsecond);
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

static void list_kind(const kinds *k, int kind, int *list, int *n)
{
    for (int i = k->first[kind]; i < k->first[kind + 1]; i++)
        list[(*n)++] = k->of[i]->entry;
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

/* shapes of kinds from `from` on with this friction, which are taken; returns how many kinds */
static int take_kinds(kinds *k, int from, double friction, int *list, int *n)
{
    int taken = 0;
    for (int d = from; d < k->n; d++)
        if (k->friction[d] == friction)
            list_kind(k, d, list, n), k->friction[d] = NAN, taken++;
    return taken;
}

/* each friction once */
static void make_floor(clv_import *I, lists *l, const clv_hard *plane, kinds *k)
{
    find_frictions(k, 0, plane);
    for (int c = 0; c < k->n; c++) {
        const double friction = k->friction[c];
        if (isnan(friction))
            continue;
        l->nfirst = l->nsecond = 0;
        const bool all = take_kinds(k, 0, friction, l->first, &l->nfirst) == k->n;
        l->nfirst = all ? 0 : l->nfirst;
        make_force(I, l, plane->node, plane, true, friction);
    }
}

/* do all kinds of shapes touch each other, with one friction? */
static bool agree(const kinds *k, double *friction)
{
    for (int c = 0; c < k->n; c++)
        for (int d = c; d < k->n; d++) {
            double mu;
            if (!clv_robot_meet(of_kind(k, c), of_kind(k, d), &mu) || (c + d > 0 && mu != *friction))
                return false;
            *friction = mu;
        }
    return k->n > 0;
}

/* does the plane touch all shapes with this friction? */
static bool agrees(const kinds *k, const clv_hard *plane, double friction)
{
    for (int c = 0; c < k->n; c++) {
        double mu;
        if (!clv_robot_meet(of_kind(k, c), plane, &mu) || mu != friction)
            return false;
    }
    return true;
}

/* kind c with those from c on that it touches, a force for each friction */
static void make_mutual(clv_import *I, lists *l, int c, kinds *k)
{
    find_frictions(k, c, of_kind(k, c));
    for (int from = c; from < k->n; from++) {
        const double friction = k->friction[from];
        if (isnan(friction))
            continue;
        l->nfirst = l->nsecond = 0;
        list_kind(k, c, l->first, &l->nfirst);
        const bool own = k->friction[c] == friction;
        if (take_kinds(k, from, friction, l->second, &l->nsecond) == 1 && own)
            l->nsecond = 0;
        if (l->nfirst + l->nsecond > 1)
            make_force(I, l, of_kind(k, c)->node, NULL, false, friction);
    }
}

static void make_forces(clv_import *I, lists *l, kinds *k)
{
    const clv_hard *plane = NULL;
    double friction = 0;
    int planes = 0;
    for (size_t i = 0; i < I->nhard; i++)
        if (!I->hard[i].off && clv_hard_is_plane(&I->hard[i]))
            plane = &I->hard[i], planes++;
    const bool one = agree(k, &friction), joined = one && planes == 1 && agrees(k, plane, friction);
    make_pairs(I, l);
    for (size_t i = 0; i < I->nhard && !joined; i++)
        if (!I->hard[i].off && clv_hard_is_plane(&I->hard[i]))
            make_floor(I, l, &I->hard[i], k);
    l->nfirst = l->nsecond = 0;
    if (one && (joined || k->first[k->n] > 1))
        make_force(I, l, of_kind(k, 0)->node, joined ? plane : NULL, false, friction);
    for (int c = 0; c < k->n && !one; c++)
        make_mutual(I, l, c, k);
}

void clv_robot_contact_forces(clv_import *I)
{
    const size_t most = I->nlink + I->napart + 1;
    lists l = {.first = clv_alloc(I->nhard + 1, sizeof *l.first), .second = clv_alloc(I->nhard + 1, sizeof *l.second),
               .except = clv_alloc(most, 2 * sizeof *l.except), .next = clv_alloc(most, sizeof *l.next),
               .body = clv_alloc((size_t)I->m->nbody + 1, sizeof *l.body)};
    kinds k = {0};
    if (!l.first || !l.second || !l.except || !l.next || !l.body || !find_kinds(I, &k))
        clv_read_out_of_memory(I->r);
    else
        find_shaped(I, &l), make_forces(I, &l, &k);
    free_kinds(&k);
    clv_free(l.first), clv_free(l.second), clv_free(l.except), clv_free(l.next), clv_free(l.body);
}
