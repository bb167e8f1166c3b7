/* SPDX-License-Identifier: Apache-2.0
 * Bodies and tree joints from the inside out, at random coordinates; then closing joints, attached where they fit.
 * Every closing joint takes freedoms from the tree joints of its loop, so that most systems can move. */
#include "oracle/random_builder.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const int builder_freedoms[CLV_JOINT_KINDS] = {
    [CLV_JOINT_REVOLUTE] = 1, [CLV_JOINT_PRISMATIC] = 1, [CLV_JOINT_HELICAL] = 1, [CLV_JOINT_CYLINDRICAL] = 2,
    [CLV_JOINT_UNIVERSAL] = 2, [CLV_JOINT_PLANAR] = 3, [CLV_JOINT_SPHERICAL] = 3, [CLV_JOINT_FREE] = 6,
};

/* Directions a closing joint takes away: all its rows, or in planar systems those within the plane. */
static int rows_of(const builder *b, clv_joint_kind kind)
{
    switch (kind) {
    case CLV_JOINT_DISTANCE:
        return 1;
    case CLV_JOINT_POINT:
        return b->planar ? 2 : 3;
    case CLV_JOINT_FIXED:
        return b->planar ? 3 : 6;
    default:
        return b->planar ? 2 : 6 - builder_freedoms[kind];
    }
}

/* ---- bodies and the tree */

static clv_joint_kind tree_kind(builder *b)
{
    static const clv_joint_kind any[] = {
        CLV_JOINT_REVOLUTE,    CLV_JOINT_REVOLUTE,  CLV_JOINT_REVOLUTE,  CLV_JOINT_PRISMATIC, CLV_JOINT_HELICAL,
        CLV_JOINT_CYLINDRICAL, CLV_JOINT_UNIVERSAL, CLV_JOINT_UNIVERSAL, CLV_JOINT_PLANAR,    CLV_JOINT_SPHERICAL,
        CLV_JOINT_SPHERICAL,   CLV_JOINT_FREE,      CLV_JOINT_FIXED};
    static const clv_joint_kind flat[] = {CLV_JOINT_REVOLUTE, CLV_JOINT_REVOLUTE,  CLV_JOINT_REVOLUTE,
                                          CLV_JOINT_REVOLUTE, CLV_JOINT_PRISMATIC, CLV_JOINT_PLANAR};
    if (b->planar)
        return flat[random_index(&b->s, (int)(sizeof flat / sizeof *flat))];
    return any[random_index(&b->s, (int)(sizeof any / sizeof *any))];
}

/* Inertia of an ellipsoid in random axes: the triangle inequality holds strictly. */
static void random_inertia(builder *b, double mass, double J[6])
{
    double a[3], e[4];
    real R[9], X[9] = {0}, Rt[9];
    for (int i = 0; i < 3; i++)
        a[i] = b->size * random_uniform(&b->s, 0.15, 1);
    for (int i = 0; i < 3; i++) {
        double p = a[(i + 1) % 3], q = a[(i + 2) % 3];
        X[4 * i] = mass * (p * p + q * q) / 5;
    }
    builder_quaternion(b, e);
    builder_rotation(e, R);
    m3_transpose(Rt, R);
    m3_multiply(X, R, X);
    m3_multiply(X, X, Rt);
    double all[6] = {(double)X[0], (double)X[4], (double)X[8], (double)X[1], (double)X[2], (double)X[5]};
    memcpy(J, all, sizeof all);
}

static void add_body(builder *b, int i)
{
    clv_body_desc d = clv_body_desc_default();
    char name[16];
    snprintf(name, sizeof name, "b%d", i);
    d.name = name;
    d.mass = pow(10, random_uniform(&b->s, -b->decades, b->decades));
    builder_vector(b, 0.4 * b->size, d.com);
    random_inertia(b, d.mass, d.inertia);
    if (b->placed || b->parent[i] == -2) {
        real e[4];
        m3_to_quaternion(e, b->R[i]);
        d.placed = true;
        for (int k = 0; k < 3; k++)
            d.position[k] = (double)b->r[i][k];
        for (int k = 0; k < 4; k++)
            d.orientation[k] = (double)e[k];
    }
    if (b->parent[i] == -2) { /* planar systems start within their plane */
        d.moving = true;
        builder_vector(b, b->planar ? 0 : 1, d.velocity);
        for (int k = 0; k < 3; k++)
            d.angular_velocity[k] = b->planar ? (double)b->normal[k] : random_normal(&b->s);
    }
    builder_note(b, clv_model_add_body(b->m, NULL, &d));
}

/* A tree joint of body i: frame on the parent, coordinates, frame on i; gives the pose of i. */
typedef struct tree_joint {
    clv_joint_desc d;
    bool flipped; /* i is `a` */
} tree_joint;

static void hang(builder *b, int i, tree_joint *t)
{
    clv_joint_desc *d = &t->d;
    clv_joint_kind kind = tree_kind(b);
    real r[3], R[9], F[9], x[3], E[9], X[9], off[3], at[3];
    double p[3], e[4], reach[3], own[3], own_e[4];
    *d = clv_joint_desc_default(kind);
    t->flipped = random_chance(&b->s, 0.12);
    d->pitch = kind == CLV_JOINT_HELICAL ? random_uniform(&b->s, 0.05, 0.5) * (random_chance(&b->s, 0.5) ? 1 : -1) : 0;
    builder_coordinates(b, kind, d->q);
    builder_pose(b, b->parent[i], r, R);
    builder_vector(b, b->size, reach);
    for (int k = 0; k < 3; k++)
        x[k] = r[k] + (real)reach[k];
    builder_frame(b, kind, F);
    builder_attach(b, b->parent[i], x, F, p, e);
    builder_vector(b, 0.6 * b->size, own);
    builder_quaternion(b, own_e);
    /* pose of the joint frame on the parent as rounded, then the child's frame, then the child */
    builder_rotation(e, E);
    m3_multiply(F, R, E);
    for (int k = 0; k < 3; k++)
        x[k] = p[k];
    m3_times(x, R, x);
    v3_add_scaled(x, 1, r);
    builder_relative(kind, d->pitch, d->q, X, off);
    if (t->flipped) { /* parent carries frame B: frame A = frame B rel^-1 */
        m3_transpose(X, X);
        m3_multiply(F, F, X);
        m3_times(at, F, off);
        v3_add_scaled(x, -1, at);
    } else {
        m3_times(at, F, off);
        v3_add_scaled(x, 1, at);
        m3_multiply(F, F, X);
    }
    builder_rotation(own_e, E);
    m3_transpose(E, E);
    m3_multiply(b->R[i], F, E);
    for (int k = 0; k < 3; k++)
        at[k] = own[k];
    m3_times(at, b->R[i], at);
    for (int k = 0; k < 3; k++)
        b->r[i][k] = x[k] - at[k];
    memcpy(t->flipped ? d->position_b : d->position_a, p, sizeof p);
    memcpy(t->flipped ? d->orientation_b : d->orientation_a, e, sizeof e);
    memcpy(t->flipped ? d->position_a : d->position_b, own, sizeof own);
    memcpy(t->flipped ? d->orientation_a : d->orientation_b, own_e, sizeof own_e);
    d->a = t->flipped ? i : b->parent[i];
    d->b = t->flipped ? b->parent[i] : i;
    d->cut = b->forced_tree ? 0 : -1;
    d->has_q = !b->placed && builder_freedoms[kind] > 0;
    b->joint[i] = kind;
    b->joint_q[i] = d->q[0];
    memcpy(b->frame_p[i], own, sizeof own);
    memcpy(b->frame_e[i], own_e, sizeof own_e);
    b->left[i] = builder_freedoms[kind];
}

void builder_tree(builder *b)
{
    tree_joint *t = calloc(MAX_BODY, sizeof *t);
    if (!t) {
        b->status = CLV_ERR_MEMORY;
        return;
    }
    for (int i = 0; i < b->n; i++) {
        b->joint_index[i] = -1;
        if (b->parent[i] != -2) {
            hang(b, i, &t[i]);
        } else {
            double e[4], r[3];
            builder_quaternion(b, e);
            builder_vector(b, 1, r);
            builder_rotation(e, b->R[i]);
            for (int k = 0; k < 3; k++)
                b->r[i][k] = r[k];
            b->joint[i] = CLV_JOINT_FREE;
            b->left[i] = 6;
        }
        add_body(b, i);
    }
    for (int i = 0; i < b->n; i++) {
        char name[16];
        if (b->parent[i] == -2)
            continue;
        snprintf(name, sizeof name, "j%d", i);
        t[i].d.name = name;
        t[i].d.has_u = builder_freedoms[t[i].d.kind] > 0;
        for (int k = 0; k < builder_freedoms[t[i].d.kind]; k++)
            t[i].d.u[k] = random_normal(&b->s);
        builder_note(b, clv_model_add_joint(b->m, &b->joint_index[i], &t[i].d));
    }
    free(t);
}

/* ---- closing joints */

/* Marks the bodies whose tree joints lie between x and y. */
static void path(const builder *b, int x, int y, bool *on)
{
    memset(on, 0, (size_t)b->n * sizeof *on);
    for (int i = x; i >= 0; i = b->parent[i])
        on[i] = !on[i];
    for (int i = y; i >= 0; i = b->parent[i])
        on[i] = !on[i];
}

/* Takes `rows` freedoms from the joints marked; false if there are not `rows` + spare. */
static bool take_freedoms(builder *b, const bool *on, int rows, int spare)
{
    int have = 0;
    for (int i = 0; i < b->n; i++)
        have += on[i] ? b->left[i] : 0;
    if (have < rows + spare)
        return false;
    while (rows > 0) {
        int most = -1;
        for (int i = 0; i < b->n; i++)
            if (on[i] && (most < 0 || b->left[i] > b->left[most]))
                most = i;
        b->left[most]--;
        rows--;
    }
    return true;
}

static clv_joint_kind closing_kind(builder *b, const bool *on)
{
    static const clv_joint_kind any[] = {
        CLV_JOINT_SPHERICAL, CLV_JOINT_REVOLUTE, CLV_JOINT_PLANAR, CLV_JOINT_CYLINDRICAL, CLV_JOINT_UNIVERSAL,
        CLV_JOINT_PRISMATIC, CLV_JOINT_HELICAL,  CLV_JOINT_FIXED,  CLV_JOINT_POINT,       CLV_JOINT_DISTANCE};
    static const clv_joint_kind flat[] = {CLV_JOINT_REVOLUTE,  CLV_JOINT_REVOLUTE,    CLV_JOINT_REVOLUTE,
                                          CLV_JOINT_SPHERICAL, CLV_JOINT_CYLINDRICAL, CLV_JOINT_FIXED,
                                          CLV_JOINT_POINT,     CLV_JOINT_DISTANCE};
    bool lock = random_chance(&b->s, 0.03);
    for (int tries = 0; tries < 30; tries++) {
        clv_joint_kind kind = b->planar ? flat[random_index(&b->s, 8)] : any[random_index(&b->s, 10)];
        if (take_freedoms(b, on, rows_of(b, kind), 1)) {
            b->info.mobility -= rows_of(b, kind);
            return kind;
        }
        if (lock && tries == 10) {
            b->info.locked = true;
            return kind;
        }
    }
    return CLV_JOINT_KINDS; /* nothing fits */
}

void builder_close(builder *b, int k)
{
    int x = b->closing[k][0], y = b->closing[k][1];
    bool on[MAX_BODY];
    real r[3], R[9], F[9], X[9], at[3], off[3];
    double q[7] = {0}, reach[3];
    char name[16];
    path(b, x, y, on);
    clv_joint_kind kind = closing_kind(b, on);
    if (kind == CLV_JOINT_KINDS)
        return;
    clv_joint_desc d = clv_joint_desc_default(kind);
    snprintf(name, sizeof name, "c%d", k);
    d.name = name;
    d.a = x;
    d.b = y;
    d.pitch = kind == CLV_JOINT_HELICAL ? 0.2 : 0;
    d.cut = b->forced_cut ? 1 : -1;
    builder_pose(b, y, r, R);
    builder_vector(b, b->size, reach);
    for (int i = 0; i < 3; i++)
        at[i] = r[i] + (real)reach[i];
    builder_frame(b, kind, F);
    builder_attach(b, x, at, F, d.position_a, d.orientation_a);
    if (b->forced_cut && builder_freedoms[kind] > 0 && random_chance(&b->s, 0.5)) { /* stands away from its zero */
        builder_coordinates(b, kind, q);
        builder_relative(kind, d.pitch, q, X, off);
        m3_times(off, F, off);
        v3_add_scaled(at, 1, off);
        m3_multiply(F, F, X);
    }
    if (kind == CLV_JOINT_DISTANCE) {
        builder_vector(b, b->size, reach);
        reach[0] += b->size; /* far from zero length */
        for (int i = 0; i < 3; i++)
            at[i] += (real)reach[i];
    }
    builder_attach(b, y, at, F, d.position_b, d.orientation_b);
    builder_note(b, clv_model_add_joint(b->m, NULL, &d));
    b->info.closing++;
    b->info.redundant = b->info.redundant || (b->planar && kind != CLV_JOINT_DISTANCE);
}

/* A second hinge on the axis of a revolute tree joint: five rows without effect. */
void builder_second_hinge(builder *b)
{
    int i = random_index(&b->s, b->n);
    real F[9], along[3] = {0, 0, 0.7L * (real)b->size}, x[3];
    if (b->joint[i] != CLV_JOINT_REVOLUTE || b->joint_index[i] < 0)
        return;
    clv_joint_desc d = clv_joint_desc_default(CLV_JOINT_REVOLUTE);
    d.name = "hinge";
    d.a = b->parent[i];
    d.b = i;
    d.cut = 1;
    builder_rotation(b->frame_e[i], F);
    m3_times(along, F, along);
    for (int k = 0; k < 3; k++)
        x[k] = (real)b->frame_p[i][k] + along[k];
    m3_times(x, b->R[i], x);
    v3_add_scaled(x, 1, b->r[i]);
    m3_multiply(F, b->R[i], F);
    builder_attach(b, d.a, x, F, d.position_a, d.orientation_a);
    builder_attach(b, d.b, x, F, d.position_b, d.orientation_b);
    builder_note(b, clv_model_add_joint(b->m, NULL, &d));
    b->info.closing++;
    b->info.redundant = true;
}

