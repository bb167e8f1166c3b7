/* SPDX-License-Identifier: Apache-2.0
 * Building random flexible mechanisms; see random_flexible.h. */
#include "oracle/random_flexible.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *oracle_allocate(size_t count, size_t size);

static void must(clv_status st, const clv_model *m)
{
    if (st == CLV_OK)
        return;
    fprintf(stderr, "random_flexible: %s\n", clv_model_error(m)->message);
    abort();
}

static void direction(random_stream *s, double *e, int n)
{
    double size = 0;
    for (int i = 0; i < n; i++)
        e[i] = random_normal(s), size += e[i] * e[i];
    for (int i = 0; i < n; i++)
        e[i] /= sqrt(size);
}

static int add_rigid(clv_model *m, random_stream *s, const char *name)
{
    int body;
    clv_body_desc d = clv_body_desc_default();
    double heavy = exp(random_uniform(s, -2, 2)), size = exp(random_uniform(s, -1, 1));
    d.name = name, d.mass = heavy;
    for (int i = 0; i < 3; i++) {
        d.com[i] = 0.5 * random_normal(s);
        d.inertia[i] = heavy * size * size * random_uniform(s, 0.7, 1);
        d.inertia[3 + i] = 0.05 * heavy * size * size * random_uniform(s, -1, 1);
    }
    must(clv_model_add_body(m, &body, &d), m);
    return body;
}

/* the body itself, or any body of the same star */
static int any_of_star(const clv_model *m, random_stream *s, int body)
{
    int k = m->body[body].flex;
    if (k < 0)
        return body;
    int pick = random_index(s, m->flex[k].nnode + 1);
    return pick == 0 ? m->flex[k].body : m->flex[k].node[pick - 1].body;
}

static void add_tree_joint(clv_model *m, random_stream *s, int parent, int child, int number)
{
    static const clv_joint_kind kinds[] = {
        CLV_JOINT_REVOLUTE, CLV_JOINT_REVOLUTE,    CLV_JOINT_SPHERICAL, CLV_JOINT_PRISMATIC, CLV_JOINT_UNIVERSAL,
        CLV_JOINT_FIXED,    CLV_JOINT_CYLINDRICAL, CLV_JOINT_PLANAR,    CLV_JOINT_HELICAL,   CLV_JOINT_FREE};
    clv_joint_desc j = clv_joint_desc_default(kinds[random_index(s, 10)]);
    char name[16];
    bool swap = random_chance(s, 0.4);
    snprintf(name, sizeof name, "j%d", number);
    j.name = name, j.a = swap ? child : parent, j.b = swap ? parent : child;
    if (j.kind == CLV_JOINT_HELICAL)
        j.pitch = 0.3;
    direction(s, j.orientation_a, 4), direction(s, j.orientation_b, 4);
    for (int i = 0; i < 3; i++)
        j.position_a[i] = 0.7 * random_normal(s), j.position_b[i] = 0.7 * random_normal(s);
    j.has_q = j.has_u = true;
    for (int i = 0; i < 3; i++)
        j.q[i] = 0.6 * random_normal(s);
    if (j.kind == CLV_JOINT_SPHERICAL || j.kind == CLV_JOINT_FREE)
        direction(s, j.q + (j.kind == CLV_JOINT_FREE ? 3 : 0), 4);
    if (j.kind == CLV_JOINT_FIXED)
        j.has_q = j.has_u = false;
    for (int i = 0; i < 6; i++)
        j.u[i] = random_normal(s);
    must(clv_model_add_joint(m, NULL, &j), m);
}

static void add_spring(clv_model *m, random_stream *s, int a, int b, int number)
{
    clv_force_desc f = clv_force_desc_default(CLV_FORCE_SPRING);
    char name[16];
    snprintf(name, sizeof name, "s%d", number);
    f.name = name, f.a = a, f.b = b, f.stiffness = 5, f.damping = 0.3, f.rest = 0.4;
    for (int i = 0; i < 3; i++)
        f.point_a[i] = random_normal(s), f.point_b[i] = random_normal(s);
    must(clv_model_add_force(m, NULL, &f), m);
}

static int random_body(const clv_model *m, random_stream *s) { return random_index(s, m->nbody + 1) - 1; }

static bool same_star(const clv_model *m, int a, int b)
{
    return a == b || (a >= 0 && b >= 0 && m->body[a].flex >= 0 && m->body[a].flex == m->body[b].flex);
}

/* in the reference pose, so that it closes */
static void add_closing(random_flexible *r, random_stream *s, int number)
{
    static const clv_joint_kind kinds[] = {CLV_JOINT_SPHERICAL,   CLV_JOINT_POINT,     CLV_JOINT_UNIVERSAL,
                                           CLV_JOINT_CYLINDRICAL, CLV_JOINT_SPHERICAL, CLV_JOINT_DISTANCE};
    clv_model *m = r->model;
    clv_joint_desc j = clv_joint_desc_default(kinds[random_index(s, 6)]);
    char name[16];
    snprintf(name, sizeof name, "c%d", number);
    j.name = name, j.cut = 1, j.global = true;
    j.a = random_body(m, s), j.b = random_body(m, s);
    if (m->nflex > 0 && random_chance(s, 0.7))
        j.a = any_of_star(m, s, m->flex[random_index(s, m->nflex)].body);
    if (j.b < 0 || j.a == j.b || (same_star(m, j.a, j.b) && random_chance(s, 0.7)))
        return;
    direction(s, j.axis, 3);
    direction(s, j.x_axis, 3);
    for (int i = 0; i < 3; i++)
        j.at[i] = random_normal(s), j.at_b[i] = j.at[i] + random_normal(s);
    must(clv_model_add_joint(m, NULL, &j), m);
    r->nclosing++;
}

random_flexible *random_flexible_create(uint64_t seed, bool closing)
{
    random_flexible *r = oracle_allocate(1, sizeof *r);
    random_stream s = {.state = seed * 7919 + 13};
    int nitem = 2 + random_index(&s, 6), base[16], root[16];
    clv_status st = clv_model_create(&r->model, "flexible");
    if (st != CLV_OK)
        abort();
    clv_model *m = r->model;
    for (int i = 0; i < nitem; i++) { /* which body a joint takes is drawn before bodies are counted */
        char name[16];
        bool flexible = random_chance(&s, 0.5) || (i == nitem - 1 && m->nflex == 0);
        snprintf(name, sizeof name, "b%d", i);
        if (flexible) {
            int modes = 1 + random_index(&s, 4), points = 8 + random_index(&s, 8); /* drawn in one order everywhere */
            flex_cloud *c = flex_cloud_create(&s, points, modes);
            base[i] = flex_cloud_add(m, c, &s, name, 1 + random_index(&s, 3));
            if (base[i] < 0)
                must(CLV_ERR_MODEL, m);
            r->cloud[m->nflex - 1] = c;
        } else
            base[i] = add_rigid(m, &s, name);
        root[i] = i == 0 ? random_index(&s, 3) : 1;
        if (root[i] == 0)
            continue; /* floats */
        int parent = i == 0 || random_chance(&s, 0.1) ? CLV_GROUND : any_of_star(m, &s, base[random_index(&s, i)]);
        add_tree_joint(m, &s, parent, any_of_star(m, &s, base[i]), i);
    }
    for (int i = 0; i < 2; i++) {
        int a = random_body(m, &s), b = random_body(m, &s);
        if (a != b && random_chance(&s, 0.6))
            add_spring(m, &s, a, b, i);
    }
    int n = closing ? 1 + random_index(&s, 3) : 0;
    for (int i = 0; i < n; i++)
        add_closing(r, &s, i);
    must(clv_model_finish(m), m);
    return r;
}

void random_flexible_destroy(random_flexible *r)
{
    for (int k = 0; k < r->model->nflex; k++)
        flex_cloud_destroy(r->cloud[k]);
    clv_model_destroy(r->model);
    free(r);
}
