/* SPDX-License-Identifier: Apache-2.0
 * Memory for rigid contacts, and the components of the mechanism, see touching.h: bodies that joints or couplings
 * connect, the ground left out (T89.1).  Impulses on one component leave the rates of the others as they are. */
#include "base/error.h"
#include "model/group.h"
#include "simulation/sim.h"
#include "simulation/touching.h"
#include <string.h>

int clv_touching_most(const clv_model *m)
{
    int sum = 0;
    for (int i = 0; i < m->nforce; i++)
        if (clv_force_rigid(&m->force[i]))
            sum += m->force[i].kind == CLV_FORCE_JOINT ? 1 : clv_contact_points(m, &m->force[i]);
    return sum;
}

/* the first rigid contact or stop; NULL: there is none */
static const clv_force *first_rigid(const clv_model *m)
{
    for (int i = 0; i < m->nforce; i++)
        if (clv_force_rigid(&m->force[i]))
            return &m->force[i];
    return NULL;
}

clv_status clv_touching_exclude(clv_sim *s, const char *what)
{
    const clv_force *f = first_rigid(s->model);
    if (!f)
        return CLV_OK;
    const bool stops = f->kind == CLV_FORCE_JOINT;
    clv_fail(&s->error, CLV_ERR_UNSUPPORTED,
             stops ? "the stops of '%s' are rigid; %s takes soft ones only"
                   : "contact '%s' is rigid; %s takes compliant ones only",
             f->name, what);
    clv_error_hint(&s->error, "give the %s a stiffness in place of the restitution", stops ? "stops" : "contact");
    return s->error.code;
}

clv_status clv_touching_refuse(clv_sim *s, bool impulses)
{
    const clv_model *m = s->model;
    const char *what = NULL;
    const clv_force *f = first_rigid(m);
    if (!f)
        return CLV_OK;
    const bool stops = f->kind == CLV_FORCE_JOINT;
    const char *name = f->name;
    if (!impulses) {
        if (stops)
            clv_fail(&s->error, CLV_ERR_UNSUPPORTED,
                     "the stops of '%s' are rigid; integrator moreau alone finds their impulses", name);
        else
            clv_fail(&s->error, CLV_ERR_UNSUPPORTED,
                     "contact '%s' is rigid; integrator moreau alone finds its impulses", name);
        clv_error_hint(&s->error, "leave formulation and integrator out (dca with moreau), or give the %s a stiffness",
                       stops ? "stops" : "contact");
        return s->error.code;
    }
    what = m->nflex > 0 ? "flexible bodies" : m->nevent > 0 ? "events" : NULL;
    if (!what)
        return CLV_OK;
    if (stops)
        clv_fail(&s->error, CLV_ERR_UNSUPPORTED, "the stops of '%s' are rigid; rigid stops with %s are not supported",
                 name, what);
    else
        clv_fail(&s->error, CLV_ERR_UNSUPPORTED, "contact '%s' is rigid; rigid contacts with %s are not supported",
                 name, what);
    clv_error_hint(&s->error, "give the %s a stiffness in place of the restitution", stops ? "stops" : "contact");
    return s->error.code;
}

/* ------------------------------------------------------------------ components */

static int root(int *of, int b)
{
    while (of[b] != b)
        b = of[b] = of[of[b]];
    return b;
}

static void join(int *of, int a, int b)
{
    if (a == CLV_GROUND || b == CLV_GROUND)
        return;
    const int x = root(of, a), y = root(of, b);
    of[x > y ? x : y] = x > y ? y : x;
}

/* of (nbody) := component of each body, in the order of their first bodies; returns how many */
static int find_components(const clv_model *m, int *of)
{
    int count = 0;
    for (int b = 0; b < m->nbody; b++)
        of[b] = b;
    for (int j = 0; j < m->njoint; j++)
        join(of, m->joint[j].a, m->joint[j].b);
    for (int c = 0; c < m->ncoupling; c++)
        for (int i = 1; i < m->coupling[c].nterm; i++) {
            const clv_joint *x = &m->joint[m->coupling[c].term[0].joint], *y = &m->joint[m->coupling[c].term[i].joint];
            join(of, x->b != CLV_GROUND ? x->b : x->a, y->b != CLV_GROUND ? y->b : y->a);
        }
    for (int b = 0; b < m->nbody; b++)
        (void)root(of, b), of[b] = root(of, b);
    for (int b = 0; b < m->nbody; b++) /* a root comes before the bodies that it stands for */
        of[b] = of[b] == b ? count++ : of[of[b]];
    return count;
}

/* rates in order of components: counting sort of those of the bodies */
static void order_rates(clv_touching *x, const clv_plan *p)
{
    for (int b = 0; b < p->nbody; b++)
        x->first[x->of[b] + 1] += p->tree[b].f;
    for (int c = 0; c < x->components; c++)
        x->first[c + 1] += x->first[c];
    for (int b = 0; b < p->nbody; b++)
        for (int i = 0; i < p->tree[b].f; i++) {
            const int at = x->first[x->of[b]]++;
            x->rate[at] = p->tree[b].iu + i;
            x->place[p->tree[b].iu + i] = at;
        }
    for (int c = x->components; c > 0; c--)
        x->first[c] = x->first[c - 1];
    x->first[0] = 0;
}

/* ------------------------------------------------------------------ memory */

/* Is the friction of a joint one that impulses replace (T158)?  Its size must not depend on reactions, nor its joint be
 * prescribed. */
static bool is_dry(const clv_model *m, const clv_force *f)
{
    if (f->kind != CLV_FORCE_JOINT || !(f->friction.breakaway > 0) || f->bearing.static_coefficient > 0 ||
        m->joint[f->joint].kind == CLV_JOINT_SPHERICAL || m->joint[f->joint].kind == CLV_JOINT_FREE ||
        m->joint[f->joint].absent || m->nflex > 0 || m->nevent > 0)
        return false;
    for (int k = 0; k < m->nmotion; k++)
        if (m->motion[k].joint == f->joint)
            return false;
    return true;
}

/* rates of the two largest components of the members */
static size_t largest_two(const clv_touch_group *g, const int *of, const int *rates)
{
    int first = -1, second = -1;
    for (int k = 0; k < g->n; k++) {
        const int c = g->member[k].body >= 0 ? of[g->member[k].body] : -1;
        if (c < 0 || c == first || c == second)
            continue;
        if (first < 0 || rates[c] > rates[first])
            second = first, first = c;
        else if (second < 0 || rates[c] > rates[second])
            second = c;
    }
    return (first < 0 ? 0 : (size_t)rates[first]) + (second < 0 ? 0 : (size_t)rates[second]);
}

/* most numbers of the directions of all points; of: rates of the component of each body */
static size_t most_numbers(const clv_model *m, const int *of, const int *rates)
{
    size_t sum = 0;
    for (int i = 0; i < m->nforce; i++) {
        const clv_force *f = &m->force[i];
        if (f->kind == CLV_FORCE_JOINT) { /* both bodies of a joint are of one component */
            const clv_joint *j = &m->joint[f->joint];
            const int points = clv_force_rigid(f) + is_dry(m, f);
            sum += 3 * (size_t)rates[of[j->b != CLV_GROUND ? j->b : j->a]] * (size_t)points;
            continue;
        }
        if (!clv_force_rigid(f))
            continue;
        if (f->group) {
            sum += 3 * largest_two(f->group, of, rates) * (size_t)f->group->points;
            continue;
        }
        size_t n = (size_t)rates[of[f->b]];
        if (f->a != CLV_GROUND && of[f->a] != of[f->b])
            n += (size_t)rates[of[f->a]];
        sum += 3 * n * (size_t)clv_contact_points(m, f);
    }
    return sum;
}

static void layout(clv_touching *x, const clv_plan *p, size_t numbers)
{
    clv_arena *a = &x->block;
    CLV_TAKE(a, x->of, p->nbody), CLV_TAKE(a, x->first, x->components + 1);
    CLV_TAKE(a, x->rate, p->nu), CLV_TAKE(a, x->place, p->nu);
    CLV_TAKE(a, x->dry, p->model->nforce), CLV_TAKE(a, x->point, x->most);
    CLV_TAKE(a, x->J, numbers), CLV_TAKE(a, x->Y, numbers);
    CLV_TAKE(a, x->tau, p->nu), CLV_TAKE(a, x->du, p->nu);
    CLV_TAKE(a, x->drive, 3 * p->model->nmotion), CLV_TAKE(a, x->press, x->most);
    CLV_TAKE(a, x->start, x->components + 1), CLV_TAKE(a, x->list, 6 * x->most);
}

static clv_status out_of_memory(clv_sim *s)
{
    return clv_fail(&s->error, CLV_ERR_MEMORY, "out of memory: the contacts need %.3g MB",
                    (double)s->touching.block.used / 1e6);
}

clv_status clv_touching_open(clv_sim *s)
{
    clv_touching *x = &s->touching;
    const clv_plan *p = s->plan;
    x->most = clv_touching_most(s->model);
    for (int i = 0; i < s->model->nforce; i++)
        x->most += is_dry(s->model, &s->model->force[i]);
    int *of = clv_alloc((size_t)p->nbody, 2 * sizeof *of), *rates = of ? of + p->nbody : NULL;
    if (!of)
        return out_of_memory(s);
    x->components = find_components(s->model, of);
    for (int b = 0; b < p->nbody; b++)
        rates[of[b]] += p->tree[b].f;
    const size_t numbers = most_numbers(s->model, of, rates);
    layout(x, p, numbers);
    if (clv_arena_open(&x->block)) {
        layout(x, p, numbers);
        memcpy(x->of, of, (size_t)p->nbody * sizeof *of);
        order_rates(x, p);
        for (int i = 0; i < s->model->nforce; i++)
            x->dry[i] = is_dry(s->model, &s->model->force[i]);
    }
    clv_free(of);
    return x->block.base ? CLV_OK : out_of_memory(s);
}

void clv_touching_close(clv_sim *s) { clv_arena_close(&s->touching.block); }
