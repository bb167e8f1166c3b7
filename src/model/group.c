/* SPDX-License-Identifier: Apache-2.0
 * Contacts of many bodies, see group.h and T105.1.  A pair belongs to the first contact of the model that has it; a
 * contact of two named bodies comes before all of many. */
#include "model/group.h"
#include "base/memory.h"
#include "math/rotation.h"
#include "model/hull.h"
#include "model/touch.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAME_PLANE 1e-12 /* of normals, and of places in m (relative beyond 1 m) */
enum { POINTS_A_BODY = 16, POINTS_MORE = 64, PAIRS_A_POINT = 4, MOST_POINTS = 1 << 26 };

static uint64_t key_of(int a, int b)
{
    return a < b ? (uint64_t)(unsigned)a << 32 | (unsigned)b : (uint64_t)(unsigned)b << 32 | (unsigned)a;
}

/* ------------------------------------------------------------------ as given */

static bool copy(int **to, const int *from, int n)
{
    if (n == 0)
        return true;
    *to = clv_alloc((size_t)n, sizeof **to);
    if (*to)
        memcpy(*to, from, (size_t)n * sizeof **to);
    return *to != NULL;
}

clv_touch_group *clv_touch_group_create(const clv_contact_group *x)
{
    clv_touch_group *g = clv_alloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->nfirst = x->nfirst, g->nsecond = x->nsecond, g->nexcept = x->nexcept;
    g->neighbours = x->neighbours, g->plane_only = x->plane_only, g->given = x->most;
    if (copy(&g->first, x->first, x->nfirst) && copy(&g->second, x->second, x->nsecond) &&
        copy(&g->except, x->except, 2 * x->nexcept))
        return g;
    clv_touch_group_free(g);
    return NULL;
}

void clv_touch_group_unsettle(clv_touch_group *g)
{
    clv_free(g->member), clv_free(g->key), clv_free(g->joined), clv_free(g->before);
    g->member = NULL, g->key = g->joined = NULL, g->before = NULL;
    g->n = g->nkey = g->njoined = g->nbefore = 0;
}

void clv_touch_group_free(clv_touch_group *g)
{
    if (!g)
        return;
    clv_touch_group_unsettle(g);
    clv_free(g->first), clv_free(g->second), clv_free(g->except), clv_free(g);
}

int clv_touch_group_count(const clv_model *m)
{
    int n = 0;
    for (int i = 0; i < m->nforce; i++)
        n += m->force[i].kind == CLV_FORCE_CONTACTS;
    return n;
}

const char *clv_touch_member_name(const clv_model *m, const clv_touch_member *x)
{
    return x->shape >= 0 ? m->shape[x->shape].name : m->body[x->body].name;
}

bool clv_model_has_shape(const clv_model *m, int body)
{
    bool has = m->body[body].shape->kind != CLV_SHAPE_NONE;
    for (int k = 0; k < m->nshape && !has; k++)
        has = m->shape[k].body == body;
    return has;
}

/* m, of a sphere about the middle of a shape that holds it */
static double radius_of(const clv_shape *s, const clv_hull *hull)
{
    if (hull)
        return hull->radius;
    if (s->kind == CLV_SHAPE_BOX)
        return 0.5 * clv_norm3(s->size);
    if (s->kind == CLV_SHAPE_CYLINDER)
        return sqrt(s->size[0] * s->size[0] + 0.25 * s->size[1] * s->size[1]);
    if (s->kind == CLV_SHAPE_BORE) { /* as if both ends were closed */
        const double half = 0.5 * s->size[2] + s->size[1] - s->size[0];
        return sqrt(s->size[1] * s->size[1] + half * half);
    }
    return s->kind == CLV_SHAPE_CAPSULE ? s->size[0] + 0.5 * s->size[1] : s->size[0];
}

/* ------------------------------------------------------------------ who takes part */

/* Ids: those of shapes added to the ground come first, because the second of a pair is a body. */
static int id_of_body(const clv_model *m, int body)
{
    return m->nshape + body;
}
static int id_of_shape(const clv_model *m, int shape)
{
    return m->shape[shape].body == CLV_GROUND ? shape : m->nshape + m->nbody + shape;
}
static int id_of(const clv_model *m, int entry)
{
    return entry >= 0 ? id_of_body(m, entry) : id_of_shape(m, -2 - entry);
}

/* number of the member with that id, or -1 */
static int find_member(const clv_touch_group *g, int id)
{
    int from = 0, to = g->n;
    while (from < to) {
        const int k = from + (to - from) / 2;
        if (g->member[k].id < id)
            from = k + 1;
        else
            to = k;
    }
    return from < g->n && g->member[from].id == id ? from : -1;
}

static bool has(const uint64_t *key, int n, uint64_t x)
{
    int from = 0, to = n;
    while (from < to) {
        const int k = from + (to - from) / 2;
        if (key[k] < x)
            from = k + 1;
        else
            to = k;
    }
    return from < n && key[from] == x;
}

/* is the pair, or one of their bodies, listed? */
static bool is_kept_apart(const clv_touch_group *g, const clv_touch_member *x, const clv_touch_member *y)
{
    for (int a = 0; a < (x->shape >= 0 ? 2 : 1); a++)
        for (int b = 0; b < (y->shape >= 0 ? 2 : 1); b++)
            if (has(g->key, g->nkey, key_of(a ? x->id : x->body_id, b ? y->id : y->body_id)))
                return true;
    return false;
}

bool clv_touch_group_takes(const clv_touch_group *g, int i, int j)
{
    const clv_touch_member *x = &g->member[i], *y = &g->member[j];
    if (!((x->sides & CLV_SIDE_FIRST && y->sides & CLV_SIDE_SECOND) ||
          (x->sides & CLV_SIDE_SECOND && y->sides & CLV_SIDE_FIRST)))
        return false;
    if (x->weld == y->weld || (g->nkey > 0 && is_kept_apart(g, x, y)))
        return false;
    if (has(g->joined, g->njoined, key_of(x->part, y->part)))
        return false;
    for (int k = 0; k < g->nbefore; k++) {
        const int a = find_member(g->before[k], x->id), b = find_member(g->before[k], y->id);
        if (a >= 0 && b >= 0 && clv_touch_group_takes(g->before[k], a, b))
            return false;
    }
    return true;
}

/* sides of an entry of a list */
static void mark(const clv_model *m, int entry, unsigned char side, unsigned char *sides)
{
    sides[id_of(m, entry)] |= side;
    for (int k = 0; k < m->nshape && entry >= 0; k++)
        if (m->shape[k].body == entry)
            sides[id_of_shape(m, k)] |= side;
}

/* sides by ids */
static void find_sides(const clv_model *m, const clv_force *f, unsigned char *sides)
{
    const clv_touch_group *g = f->group;
    const unsigned char plane = clv_dot3(f->contact.normal, f->contact.normal) > 0 ? CLV_ON_PLANE : 0;
    const unsigned char both = g->plane_only ? 0 : CLV_SIDE_FIRST | CLV_SIDE_SECOND;
    const unsigned char first = (unsigned char)((g->nsecond > 0 ? both & CLV_SIDE_FIRST : both) | plane);
    const unsigned char second = (unsigned char)((both & CLV_SIDE_SECOND) | plane);
    for (int id = 0; g->nfirst == 0 && id < m->nbody + 2 * m->nshape; id++)
        sides[id] = first;
    for (int k = 0; k < g->nfirst; k++)
        mark(m, g->first[k], first, sides);
    for (int k = 0; k < g->nsecond; k++)
        mark(m, g->second[k], second, sides);
}

static bool same_plane(const clv_contact *a, const clv_contact *b)
{
    double line[3];
    clv_sub3(line, a->point, b->point);
    const double size = fmax(1, fmax(clv_norm3(a->point), clv_norm3(b->point)));
    return clv_dot3(a->normal, b->normal) > 1 - SAME_PLANE && fabs(clv_dot3(line, a->normal)) <= SAME_PLANE * size;
}

static void leave_plane(unsigned char *sides, int id)
{
    sides[id] = (unsigned char)(sides[id] & ~CLV_ON_PLANE);
}

/* shapes whose contact with the plane another contact has */
static void clear_planes(const clv_model *m, int index, unsigned char *sides)
{
    const clv_contact *c = &m->force[index].contact;
    for (int i = 0; i < m->nforce; i++) {
        const clv_force *f = &m->force[i];
        const bool two = f->kind == CLV_FORCE_CONTACT && f->a == CLV_GROUND;
        const bool many = f->kind == CLV_FORCE_CONTACTS && i < index;
        if (!(two || many) || !same_plane(c, &f->contact))
            continue;
        if (two)
            leave_plane(sides, id_of_body(m, f->b));
        for (int k = 0; many && k < f->group->n; k++)
            if (f->group->member[k].sides & CLV_ON_PLANE)
                leave_plane(sides, f->group->member[k].id);
    }
}

/* ------------------------------------------------------------------ welds and joints */

static int root(int *of, int b)
{
    while (of[b] != b)
        b = of[b] = of[of[b]];
    return b;
}

/* of (nbody + 1): a body that stands for those that fixed joints hold together; nbody: the ground */
static void find_welds(const clv_model *m, int *of)
{
    for (int b = 0; b <= m->nbody; b++)
        of[b] = b;
    for (int k = 0; k < m->njoint; k++) {
        const clv_joint *j = &m->joint[k];
        if (j->absent || j->kind != CLV_JOINT_FIXED)
            continue;
        const int x = root(of, j->a < 0 ? m->nbody : j->a), y = root(of, j->b < 0 ? m->nbody : j->b);
        of[x > y ? y : x] = x > y ? x : y;
    }
    for (int b = 0; b <= m->nbody; b++)
        of[b] = root(of, b);
}

static int ascending(const void *x, const void *y)
{
    const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return a < b ? -1 : a > b;
}

/* A weld, but bodies that stand fast on the ground are parts of their own: not all of them are neighbours of what a
 * joint holds to one of them. */
static int part_of(const clv_model *m, const int *weld, int body)
{
    return weld[body] == m->nbody ? m->nbody + 1 + body : weld[body];
}

/* Pairs that do not touch: those given, those of contacts of two bodies, and parts that a joint connects. */
static void find_keys(const clv_model *m, clv_touch_group *g, const int *weld)
{
    for (int k = 0; k < g->nexcept; k++)
        g->key[g->nkey++] = key_of(id_of(m, g->except[2 * k]), id_of(m, g->except[2 * k + 1]));
    for (int i = 0; i < m->nforce; i++)
        if (m->force[i].kind == CLV_FORCE_CONTACT && m->force[i].a >= 0 && m->force[i].b >= 0)
            g->key[g->nkey++] = key_of(id_of_body(m, m->force[i].a), id_of_body(m, m->force[i].b));
    for (int k = 0; !g->neighbours && k < m->njoint; k++) {
        const clv_joint *j = &m->joint[k];
        if (j->absent || j->kind == CLV_JOINT_FREE || j->a < 0 || j->b < 0)
            continue;
        g->joined[g->njoined++] = key_of(part_of(m, weld, j->a), part_of(m, weld, j->b));
    }
    qsort(g->key, (size_t)g->nkey, sizeof *g->key, ascending);
    qsort(g->joined, (size_t)g->njoined, sizeof *g->joined, ascending);
}

/* ------------------------------------------------------------------ all of it */

/* what stands fast on the ground touches no plane */
static void add_member(const clv_model *m, clv_touch_group *g, const unsigned char *sides, const int *weld, int body,
                       int shape)
{
    clv_touch_member x = {.body = body, .shape = shape, .weld = body == CLV_GROUND ? m->nbody : weld[body]};
    x.id = shape < 0 ? id_of_body(m, body) : id_of_shape(m, shape);
    x.body_id = body == CLV_GROUND ? -1 : id_of_body(m, body);
    x.form = shape < 0 ? m->body[body].shape : &m->shape[shape].shape;
    x.hull = shape < 0 ? m->body[body].hull : m->shape[shape].hull;
    x.sides = x.weld == m->nbody ? sides[x.id] & ~(unsigned)CLV_ON_PLANE : sides[x.id];
    if (x.sides == 0 || x.form->kind == CLV_SHAPE_NONE)
        return;
    x.part = body == CLV_GROUND ? -1 : part_of(m, weld, body);
    x.weld = x.weld == m->nbody ? -1 : x.weld;
    x.radius = radius_of(x.form, x.hull);
    g->member[g->n++] = x;
}

static void list_members(const clv_model *m, clv_touch_group *g, const unsigned char *sides, const int *weld)
{
    for (int k = 0; k < m->nshape; k++)
        if (m->shape[k].body == CLV_GROUND)
            add_member(m, g, sides, weld, CLV_GROUND, k);
    for (int b = 0; b < m->nbody; b++)
        add_member(m, g, sides, weld, b, -1);
    for (int k = 0; k < m->nshape; k++)
        if (m->shape[k].body != CLV_GROUND)
            add_member(m, g, sides, weld, m->shape[k].body, k);
}

static void list_groups_before(const clv_model *m, int index, clv_touch_group *g)
{
    for (int i = 0; i < index; i++)
        if (m->force[i].kind == CLV_FORCE_CONTACTS)
            g->before[g->nbefore++] = m->force[i].group;
    g->number = g->nbefore;
}

static void find_room(clv_touch_group *g)
{
    const double n = g->n, all = 0.5 * n * (n - 1) + n;
    const double points = g->given > 0 ? g->given : POINTS_A_BODY * n + POINTS_MORE;
    g->points = (int)fmin(fmin(points, CLV_TOUCH_POINTS * all), MOST_POINTS);
    g->pairs = (int)fmin(all, (double)PAIRS_A_POINT * g->points);
}

bool clv_touch_group_settle(clv_model *m, int index)
{
    const clv_force *f = &m->force[index];
    clv_touch_group *g = f->group;
    const size_t nbody = (size_t)m->nbody, ids = nbody + 2 * (size_t)m->nshape;
    int *weld = clv_alloc(nbody + 1, sizeof *weld);
    unsigned char *sides = clv_alloc(ids + 1, sizeof *sides);
    clv_touch_group_unsettle(g);
    g->member = clv_alloc(ids + 1, sizeof *g->member);
    g->key = clv_alloc((size_t)g->nexcept + (size_t)m->nforce + 1, sizeof *g->key);
    g->joined = clv_alloc((size_t)m->njoint + 1, sizeof *g->joined);
    g->before = clv_alloc((size_t)index + 1, sizeof *g->before); /* NOLINT(bugprone-sizeof-expression): pointers */
    const bool room = weld && sides && g->member && g->key && g->joined && g->before;
    if (room) {
        find_welds(m, weld);
        find_sides(m, f, sides);
        clear_planes(m, index, sides);
        list_members(m, g, sides, weld);
        list_groups_before(m, index, g);
        find_keys(m, g, weld);
        find_room(g);
    }
    clv_free(weld), clv_free(sides);
    return room;
}
