/* SPDX-License-Identifier: Apache-2.0
 * Random mechanisms, all of it: motions, couplings and loads on what random_joints.c has joined; see
 * random_system.h. */
#include "oracle/oracle.h"
#include "model/keep.h"
#include "model/model.h"
#include "oracle/random_builder.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void builder_note(builder *b, clv_status st)
{
    if (b->status == CLV_OK)
        b->status = st;
}

/* ---- motions, couplings, loads */

typedef struct curve { /* what the description of a coupling points to */
    double a[4], x[7], y[7];
    clv_coupling_term term[3];
} curve;

static bool one_freedom(const builder *b, int i)
{
    return b->joint_index[i] >= 0 && builder_freedoms[b->joint[i]] == 1 && b->left[i] == 1;
}

static void add_motion(builder *b, int i)
{
    static const double time[5] = {0, 0.4, 1.1, 1.5, 2.5};
    clv_motion_desc d = clv_motion_desc_default();
    double value[5];
    char name[16];
    snprintf(name, sizeof name, "m%d", i);
    d.name = name;
    d.joint = b->joint_index[i];
    if (random_chance(&b->s, 0.3)) {
        for (int k = 0; k < 5; k++)
            value[k] = b->joint_q[i] + (k > 0 ? 0.3 * random_normal(&b->s) : 0);
        d.table = (clv_table){5, time, value};
    } else {
        d.rate = random_normal(&b->s);
        d.amplitude = random_uniform(&b->s, 0, 0.5);
        d.frequency = random_uniform(&b->s, 0.5, 4);
        d.phase = random_uniform(&b->s, -3, 3);
        if (random_chance(&b->s, 0.5))
            d.offset = b->joint_q[i] - d.amplitude * sin(d.phase);
    }
    builder_note(b, clv_model_add_motion(b->m, NULL, &d));
    b->m->joint[d.joint].has_u = false; /* the motion gives the rate */
    b->left[i]--;
    b->info.mobility--;
}

/* A third joint for a sum, or -1 */
static int third_joint(const builder *b, int i, int k)
{
    for (int j = 0; j < b->n; j++)
        if (j != i && j != k && b->joint_index[j] >= 0 && builder_freedoms[b->joint[j]] == 1)
            return j;
    return -1;
}

/* A gear that becomes a polynomial, a cam or a sum, without numbers of the stream. */
static void bend_coupling(const builder *b, int i, int k, clv_coupling_desc *d, curve *c)
{
    const double ratio = d->ratio, q = b->joint_q[i];
    const int third = third_joint(b, i, k);
    if (fabs(ratio) > 2.2) {
        const double a[4] = {0.1, 0.8 * ratio, -0.1, 0.05 * ratio};
        memcpy(c->a, a, sizeof a);
        d->npolynomial = 4, d->polynomial = c->a, d->ratio = 1;
        d->offset = b->joint_q[k] - (a[0] + q * (a[1] + q * (a[2] + q * a[3])));
    } else if (fabs(ratio) > 1.3) {
        for (int n = 0; n < 7; n++) {
            c->x[n] = q + 0.4 * (n - 3), c->y[n] = b->joint_q[k];
            c->y[n] += n == 3 ? 0 : 0.4 * (n - 3) * ratio + 0.05 * ((n * n) % 5);
        }
        d->table = (clv_table){7, c->x, c->y}, d->ratio = 1, d->periodic = ratio > 0;
    } else if (fabs(ratio) < 0.8 && third >= 0) {
        const clv_coupling_term sum[3] = {
            {d->second, 1}, {d->first, -ratio}, {b->joint_index[third], 0.9}};
        memcpy(c->term, sum, sizeof sum);
        d->nterm = 3, d->term = c->term, d->first = d->second = -1, d->ratio = 1;
    }
}

/* Gears between two free revolute joints, or mixed kinds */
static void add_coupling(builder *b, int i, int k)
{
    clv_coupling_desc d = clv_coupling_desc_default();
    curve c;
    char name[32];
    snprintf(name, sizeof name, "g%d_%d", i, k);
    d.name = name;
    d.first = b->joint_index[i];
    d.second = b->joint_index[k];
    d.ratio = random_uniform(&b->s, 0.3, 3) * (random_chance(&b->s, 0.5) ? 1 : -1);
    bend_coupling(b, i, k, &d, &c);
    builder_note(b, clv_model_add_coupling(b->m, NULL, &d));
    b->left[i]--; /* both are spoken for: each carries at most one row */
    b->left[k]--;
    b->info.mobility--;
}

static void add_drivers(builder *b)
{
    for (int i = 0; i < b->n; i++) {
        if (!one_freedom(b, i) || !random_chance(&b->s, 0.12))
            continue;
        if (random_chance(&b->s, 0.5)) {
            if (b->driven)
                add_motion(b, i);
            continue;
        }
        for (int k = b->n - 1; k > i; k--)
            if (one_freedom(b, k)) {
                add_coupling(b, i, k);
                break;
            }
    }
}

static void add_joint_force(builder *b, int i, clv_force_desc *d)
{
    int nu = builder_freedoms[b->joint[i]],
        turning = b->joint[i] == CLV_JOINT_SPHERICAL || b->joint[i] == CLV_JOINT_FREE ? nu - 3 : nu;
    d->joint = b->joint_index[i];
    d->coordinate = random_index(&b->s, nu);
    d->stiffness = d->coordinate < turning ? random_uniform(&b->s, 0, 20) : 0;
    d->damping = random_uniform(&b->s, 0, 2);
    d->rest = random_uniform(&b->s, -0.5, 0.5);
    d->drive = random_normal(&b->s);
    if (d->drive > 0.8) /* dry friction, without numbers of the stream */
        d->friction = (clv_friction){d->damping / 2, d->damping, 0.5, 0.3};
    else if (d->drive < -0.8 && d->coordinate < turning) /* stops, one of which may be met at the start */
        d->stop = (clv_stop){d->rest - 0.2, d->rest + 0.2, 5 * d->damping + 1, 0.3, 1.5, NAN};
}

/* Numbers of a spring that become those of a bushing, without numbers of the stream. */
static void make_bushing(clv_force_desc *d)
{
    static const double turn_a[4] = {0.5, 0.5, -0.5, 0.5}, turn_b[4] = {0.8, 0, 0.6, 0};
    clv_force_desc x = clv_force_desc_default(CLV_FORCE_BUSHING);
    x.name = d->name, x.a = d->a, x.b = d->b;
    memcpy(x.point_a, d->point_a, sizeof x.point_a);
    memcpy(x.point_b, d->point_b, sizeof x.point_b);
    memcpy(x.bushing.orientation_a, turn_a, sizeof turn_a);
    memcpy(x.bushing.orientation_b, turn_b, sizeof turn_b);
    for (int i = 0; i < 6; i++) {
        x.bushing.stiffness[i] = d->stiffness * (1 + 0.3 * i), x.bushing.damping[i] = d->damping * (1.5 - 0.2 * i);
        x.bushing.preload[i] = d->vector[i % 3] * (i < 3 ? 1 : -0.5);
    }
    *d = x;
}

/* A ball of that radius at a point of a body. */
static void make_round(clv_model *m, int body, const double at[3], double radius)
{
    clv_shape ball = clv_shape_none;
    ball.kind = CLV_SHAPE_SPHERE, ball.size[0] = radius;
    memcpy(ball.at, at, sizeof ball.at);
    clv_keep_shape(m, &m->body[body], &ball);
}

/* Numbers of a spring that become those of a contact of two balls, or of one with a plane. */
static void make_contact(builder *b, clv_force_desc *d)
{
    clv_force_desc x = clv_force_desc_default(CLV_FORCE_CONTACT);
    x.name = d->name, x.a = d->a, x.b = d->b;
    make_round(b->m, d->b, d->point_b, d->rest + 1);
    if (d->a >= 0)
        make_round(b->m, d->a, d->point_a, 0.8 * d->rest + 1);
    else {
        memcpy(x.contact.point, d->point_a, sizeof x.contact.point);
        memcpy(x.contact.normal, d->vector, sizeof x.contact.normal);
    }
    x.contact.stiffness = d->stiffness / 3 + 1, x.contact.exponent = 1.2, x.contact.dissipation = 0.2;
    x.contact.static_friction = 0.5, x.contact.dynamic_friction = 0.3, x.contact.viscous_friction = 0.1;
    x.contact.transition_speed = 0.5;
    *d = x;
}

static void add_force(builder *b, int k)
{
    static const clv_force_kind kinds[] = {CLV_FORCE_JOINT,   CLV_FORCE_JOINT, CLV_FORCE_SPRING,
                                           CLV_FORCE_ANGULAR, CLV_FORCE_POINT, CLV_FORCE_TORQUE};
    static const double time[3] = {-1, 0.5, 2};
    double value[3], point[3];
    char name[16];
    clv_force_kind kind = kinds[random_index(&b->s, 6)];
    clv_force_desc d = clv_force_desc_default(kind);
    int i = random_index(&b->s, b->n);
    snprintf(name, sizeof name, "f%d", k);
    d.name = name;
    for (int t = 0; t < 3; t++)
        value[t] = random_normal(&b->s);
    if (random_chance(&b->s, 0.3))
        d.table = (clv_table){3, time, value};
    if (kind == CLV_FORCE_JOINT) {
        if (b->joint_index[i] < 0 || builder_freedoms[b->joint[i]] == 0)
            return;
        add_joint_force(b, i, &d);
    } else {
        d.b = i;
        d.a = kind == CLV_FORCE_SPRING || kind == CLV_FORCE_ANGULAR ? random_index(&b->s, b->n + 1) - 1 : -1;
        if (d.a == d.b)
            return;
        builder_vector(b, 3, d.vector);
        builder_vector(b, b->size, point);
        memcpy(d.point_a, point, sizeof point);
        builder_vector(b, b->size, point);
        memcpy(d.point_b, point, sizeof point);
        d.in_body = random_chance(&b->s, 0.5);
        d.stiffness = random_uniform(&b->s, 0, 30);
        d.damping = random_uniform(&b->s, 0, 3);
        d.rest = random_uniform(&b->s, 0, 2);
        if (kind == CLV_FORCE_SPRING && d.rest > 1.2)
            make_bushing(&d);
        else if (kind == CLV_FORCE_SPRING && d.rest < 0.5) /* a rope, without numbers of the stream */
            d.stop = (clv_stop){-INFINITY, d.rest + 0.3, 4 * d.damping + 1, 0.2, 1.5, NAN};
        else if (kind == CLV_FORCE_SPRING && d.rest < 0.7)
            make_contact(b, &d);
        else if (kind == CLV_FORCE_SPRING && d.rest > 0.9 && d.rest < 1.2) /* a bumper */
            d.stop = (clv_stop){d.rest, INFINITY, 4 * d.damping + 1, 0.2, 1, NAN};
    }
    builder_note(b, clv_model_add_force(b->m, NULL, &d));
}

/* ---- all of it */

const char *random_kind_name(random_kind kind)
{
    static const char *const names[RANDOM_KINDS] = {"tree",   "loop", "coupled", "nested",
                                                    "ladder", "hub",  "ring",    "mixed"};
    return names[kind];
}

static void choose(builder *b, int nbody)
{
    static const double spread[] = {0, 1, 3};
    random_stream *s = &b->s;
    int least = b->kind == RANDOM_TREE ? 2 : 3;
    b->n = nbody > 0 ? nbody : least + random_index(s, 41 - least);
    if (b->n > MAX_BODY)
        b->n = MAX_BODY;
    b->planar = b->kind != RANDOM_TREE && random_chance(s, 0.2);
    b->placed = random_chance(s, 0.15);
    b->forced_tree = random_chance(s, 0.6);
    b->forced_cut = random_chance(s, 0.75);
    b->decades = spread[random_index(s, 3)];
    b->size = pow(10, random_uniform(s, -0.5, 0.3));
    b->normal[0] = random_normal(s) + 2;
    b->normal[1] = random_normal(s);
    b->normal[2] = random_normal(s);
    real l = v3_norm(b->normal);
    for (int i = 0; i < 3; i++)
        b->normal[i] /= l;
}

static clv_status build(uint64_t seed, random_kind kind, int nbody, bool driven, clv_model **model, random_info *info)
{
    builder *b = calloc(1, sizeof *b);
    char name[64];
    double gravity[3];
    *model = NULL;
    if (!b)
        return CLV_ERR_MEMORY;
    b->kind = b->info.kind = kind;
    b->driven = driven;
    b->s.state = seed * 0x2545F4914F6CDD1Du + (uint64_t)kind;
    snprintf(name, sizeof name, "%s-%llu", random_kind_name(kind), (unsigned long long)seed);
    b->status = clv_model_create(&b->m, name);
    if (b->status == CLV_OK) {
        choose(b, nbody);
        builder_vector(b, 5, gravity);
        builder_note(b, clv_model_set_gravity(b->m, gravity));
        builder_connect(b);
        builder_tree(b);
        for (int i = 0; i < b->n; i++)
            b->info.mobility += b->left[i];
        add_drivers(b);
        for (int k = 0; k < b->nclosing; k++)
            builder_close(b, k);
        if (kind != RANDOM_TREE && random_chance(&b->s, 0.2))
            builder_second_hinge(b);
        for (int k = 0; k < b->n / 3 + 1; k++)
            add_force(b, k);
        builder_note(b, clv_model_finish(b->m));
    }
    *model = b->m;
    *info = b->info;
    clv_status st = b->status;
    free(b);
    return st;
}

/* Do the prescribed motions contradict the loops?  (a driven joint may sit in a loop that cannot move) */
static bool contradictory(const clv_model *m)
{
    oracle *o = oracle_create(m);
    real *P = oracle_allocate((size_t)o->n, sizeof *P);
    bool bad = oracle_velocities(o, P, P) > 1e-9L;
    free(P);
    oracle_destroy(o);
    return bad;
}

clv_status random_system_create(uint64_t seed, random_kind kind, int nbody, clv_model **model, random_info *info)
{
    random_info unused;
    info = info ? info : &unused;
    clv_status st = build(seed, kind, nbody, true, model, info);
    if (st != CLV_OK || (*model)->nmotion == 0 || info->closing == 0 || !contradictory(*model))
        return st;
    clv_model_destroy(*model);
    return build(seed, kind, nbody, false, model, info);
}
