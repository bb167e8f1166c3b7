/* SPDX-License-Identifier: Apache-2.0
 * Which momenta are turned into axes of their body; see momentum_axes.h (T9.4). */
#include "formulation/momentum_axes.h"
#include "math/rotation.h"

static int children(const clv_plan *p, int body)
{
    int n = 0;
    for (int b = 0; b < p->nbody; b++)
        n += p->tree[b].parent == body;
    return n;
}

/* Momenta of rotors (T113) are no part of an angular momentum. */
static bool armed(const clv_plan *p, const clv_tree_joint *t)
{
    return t->joint >= 0 && clv_joint_armed(&p->model->joint[t->joint]);
}

static bool hinged(const clv_plan *p, const clv_tree_joint *t)
{
    return t->link < 0 && t->f > 0 && !armed(p, t) && (t->kind == CLV_JOINT_REVOLUTE || t->kind == CLV_JOINT_UNIVERSAL);
}

static bool massless(const clv_body *b)
{
    bool any = b->mass != 0 || b->flex >= 0;
    for (int i = 0; i < 6; i++)
        any = any || b->J[i] != 0;
    return !any;
}

/* nothing but a ring of a gimbal: massless, and its two joints lie in one point of it */
static bool ring(const clv_system *s, int body, int child)
{
    const clv_tree_joint *in = &s->plan->tree[body], *out = &s->plan->tree[child];
    if (!massless(&s->model->body[body]) || !hinged(s->plan, in) || children(s->plan, body) != 1)
        return false;
    const clv_joint *ji = &s->model->joint[in->joint], *jo = &s->model->joint[out->joint];
    const double *x = in->reversed ? ji->pa : ji->pb, *y = out->reversed ? jo->pb : jo->pa;
    double d[3];
    clv_sub3(d, x, y);
    return clv_norm3(d) <= 1e-12 * (clv_norm3(x) + clv_norm3(y));
}

/* Adds direction c of the joint of `body` to a triple that has n. */
static void add(const clv_plan *p, clv_momentum_triple *t, int n, int body, int c)
{
    t->momentum[n] = p->tree[body].iu + c, t->joint[n] = body;
    t->h[n] = clv_columns(p, (size_t)body) + 6 * (size_t)c + 3;
}

/* the root of a segment that others hold: its momenta are no states (T80) */
static bool held_root(const clv_plan *p, int body)
{
    if (p->nsegment == 0)
        return false;
    const clv_plan_segment *g = &p->segment[p->segment_of[body]];
    return g->root == body && !g->free;
}

/* The triple of a body, with its holder; false: it has none. */
static bool find(const clv_system *s, int body, clv_momentum_triple *t)
{
    const clv_plan *p = s->plan;
    const clv_tree_joint *own = &p->tree[body];
    int n = 0;
    *t = (clv_momentum_triple){.body = body, .apart = true, .holder = own->parent};
    if (own->link >= 0 || own->f == 0 || held_root(p, body) || armed(p, own))
        return false;
    if (own->kind == CLV_JOINT_SPHERICAL || own->kind == CLV_JOINT_FREE) {
        t->apart = own->reversed;
        for (int c = own->f - 3; c < own->f; c++)
            add(p, t, n++, body, c);
        return true;
    }
    if (!hinged(p, own) || massless(&s->model->body[body]))
        return false;
    for (int at = body; n < 3; at = t->holder) {
        if (n + p->tree[at].f > 3)
            return false;
        for (int c = 0; c < p->tree[at].f; c++)
            add(p, t, n++, at, c);
        t->holder = p->tree[at].parent;
        if (n < 3 && (t->holder < 0 || !ring(s, t->holder, at)))
            return false;
    }
    return true;
}

/* the triple of every triple's holder */
static void find_parents(clv_momentum_axes *m, int nbody)
{
    for (int b = 0; b < nbody; b++)
        m->of[b] = -1;
    for (int k = 0; k < m->count; k++)
        m->of[m->triple[k].body] = k;
    for (int k = 0; k < m->count; k++)
        m->triple[k].parent = m->triple[k].holder < 0 ? -1 : m->of[m->triple[k].holder];
}

/* how many bodies have a triple */
static int count(const clv_system *s)
{
    clv_momentum_triple t;
    int n = 0;
    for (int b = 0; b < s->plan->nbody; b++)
        n += find(s, b, &t);
    return n;
}

/* without those that turning would leave as they are */
static void drop_idle(clv_momentum_axes *m)
{
    int count = 0;
    for (int k = 0; k < m->count; k++)
        if (m->triple[k].parent >= 0)
            m->triple[k].apart = m->triple[m->triple[k].parent].apart = true;
    for (int k = 0; k < m->count; k++)
        if (m->triple[k].apart)
            m->triple[count++] = m->triple[k];
    m->count = count;
}

/* bodies whose poses and velocities turning looks at */
static void show(clv_system *s, const clv_momentum_axes *m)
{
    for (int k = 0; k < m->count; k++)
        for (int i = 0; i < 3; i++) {
            const int b = m->triple[k].joint[i], parent = s->plan->tree[b].parent;
            s->rows.mark[b] |= CLV_ROWS_SEEN;
            if (parent >= 0)
                s->rows.mark[parent] |= CLV_ROWS_SEEN;
        }
}

void clv_momentum_axes_layout(clv_system *s, clv_arena *a)
{
    clv_momentum_axes counting, *m;
    const clv_plan *p = s->plan;
    const int most = count(s);
    CLV_TAKE(a, m, 1);
    s->private_state = m;
    if (!m)
        m = &counting;
    CLV_TAKE(a, m->triple, most), CLV_TAKE(a, m->of, most > 0 ? p->nbody : 0);
    CLV_TAKE(a, m->p, most > 0 ? p->nu : 0), CLV_TAKE(a, m->sum, p->nu);
    m->count = 0;
    if (!a->base || most == 0)
        return;
    clv_momentum_triple t;
    for (int i = 0; i < p->nbody; i++)
        if (find(s, p->order[i], &t))
            m->triple[m->count++] = t;
    find_parents(m, p->nbody);
    drop_idle(m);
    find_parents(m, p->nbody); /* dropping has moved them */
    show(s, m);
}
