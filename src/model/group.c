/* SPDX-License-Identifier: Apache-2.0
 * Contacts of many bodies, see group.h and T105.1.  A pair belongs to the first contact of the model that has it; a
 * contact of two named bodies comes before all of many. */
#include "model/group.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "math/rotation.h"
#include "model/touch.h"

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
    g->neighbours = x->neighbours, g->given = x->most;
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

double clv_shape_radius(const clv_shape *s)
{
    if (s->kind == CLV_SHAPE_BOX)
        return 0.5 * clv_norm3(s->size);
    if (s->kind == CLV_SHAPE_CYLINDER)
        return sqrt(s->size[0] * s->size[0] + 0.25 * s->size[1] * s->size[1]);
    return s->kind == CLV_SHAPE_CAPSULE ? s->size[0] + 0.5 * s->size[1] : s->size[0];
}

/* ------------------------------------------------------------------ who takes part */

int clv_touch_group_find(const clv_touch_group *g, int body)
{
    int from = 0, to = g->n;
    while (from < to) {
        const int k = from + (to - from) / 2;
        if (g->member[k].body < body)
            from = k + 1;
        else
            to = k;
    }
    return from < g->n && g->member[from].body == body ? from : -1;
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

bool clv_touch_group_takes(const clv_touch_group *g, int i, int j)
{
    const clv_touch_member *x = &g->member[i], *y = &g->member[j];
    if (!((x->sides & CLV_FIRST && y->sides & CLV_SECOND) || (x->sides & CLV_SECOND && y->sides & CLV_FIRST)))
        return false;
    if (x->weld == y->weld || has(g->key, g->nkey, key_of(x->body, y->body)))
        return false;
    if (has(g->joined, g->njoined, key_of(x->part, y->part)))
        return false;
    for (int k = 0; k < g->nbefore; k++) {
        const int a = clv_touch_group_find(g->before[k], x->body), b = clv_touch_group_find(g->before[k], y->body);
        if (a >= 0 && b >= 0 && clv_touch_group_takes(g->before[k], a, b))
            return false;
    }
    return true;
}

/* sides (nbody) of the bodies */
static void find_sides(const clv_model *m, const clv_force *f, unsigned char *sides)
{
    const clv_touch_group *g = f->group;
    const unsigned char plane = clv_dot3(f->contact.normal, f->contact.normal) > 0 ? CLV_ON_PLANE : 0;
    const unsigned char first = (unsigned char)(g->nsecond > 0 ? CLV_FIRST | plane : CLV_FIRST | CLV_SECOND | plane);
    for (int b = 0; g->nfirst == 0 && b < m->nbody; b++)
        sides[b] = m->body[b].shape.kind != CLV_SHAPE_NONE ? first : 0;
    for (int k = 0; k < g->nfirst; k++)
        sides[g->first[k]] = first;
    for (int k = 0; k < g->nsecond; k++)
        sides[g->second[k]] = (unsigned char)(sides[g->second[k]] | CLV_SECOND | plane);
}

static bool same_plane(const clv_contact *a, const clv_contact *b)
{
    double line[3];
    clv_sub3(line, a->point, b->point);
    const double size = fmax(1, fmax(clv_norm3(a->point), clv_norm3(b->point)));
    return clv_dot3(a->normal, b->normal) > 1 - SAME_PLANE && fabs(clv_dot3(line, a->normal)) <= SAME_PLANE * size;
}

/* bodies whose contact with the plane another contact has */
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
            sides[f->b] = (unsigned char)(sides[f->b] & ~CLV_ON_PLANE);
        for (int k = 0; many && k < f->group->n; k++)
            if (f->group->member[k].sides & CLV_ON_PLANE)
                sides[f->group->member[k].body] = (unsigned char)(sides[f->group->member[k].body] & ~CLV_ON_PLANE);
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
        g->key[g->nkey++] = key_of(g->except[2 * k], g->except[2 * k + 1]);
    for (int i = 0; i < m->nforce; i++)
        if (m->force[i].kind == CLV_FORCE_CONTACT && m->force[i].a >= 0 && m->force[i].b >= 0)
            g->key[g->nkey++] = key_of(m->force[i].a, m->force[i].b);
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

static void list_members(const clv_model *m, clv_touch_group *g, const unsigned char *sides, const int *weld)
{
    for (int b = 0; b < m->nbody; b++)
        if (sides[b])
            g->member[g->n++] = (clv_touch_member){.body = b, .sides = sides[b],
                                                   .weld = weld[b] == m->nbody ? -1 : weld[b],
                                                   .part = part_of(m, weld, b),
                                                   .radius = clv_shape_radius(&m->body[b].shape)};
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
    const size_t nbody = (size_t)m->nbody;
    int *weld = clv_alloc(nbody + 1, sizeof *weld);
    unsigned char *sides = clv_alloc(nbody + 1, sizeof *sides);
    clv_touch_group_unsettle(g);
    g->member = clv_alloc(nbody + 1, sizeof *g->member);
    g->key = clv_alloc((size_t)g->nexcept + (size_t)m->nforce + 1, sizeof *g->key);
    g->joined = clv_alloc((size_t)m->njoint + 1, sizeof *g->joined);
    g->before = clv_alloc((size_t)index + 1, sizeof *g->before); /* NOLINT(bugprone-sizeof-expression): pointers */
    const bool room = weld && sides && g->member && g->key && g->joined && g->before;
    if (room) {
        find_welds(m, weld);
        find_sides(m, f, sides);
        clear_planes(m, index, sides);
        for (int b = 0; b < m->nbody; b++) /* what stands fast on the ground touches no plane */
            sides[b] = (unsigned char)(weld[b] == m->nbody ? sides[b] & ~CLV_ON_PLANE : sides[b]);
        list_members(m, g, sides, weld);
        list_groups_before(m, index, g);
        find_keys(m, g, weld);
        find_room(g);
    }
    clv_free(weld), clv_free(sides);
    return room;
}
