/* SPDX-License-Identifier: Apache-2.0
 * Random mechanisms: first who hangs on whom and who closes on whom, then bodies and tree joints from the inside out with their
 * poses (extended precision), then closing joints where they fit, then loads; see random_system.h. */
#include "oracle/random_system.h"
#include "oracle/oracle.h"
#include "oracle/oracle_vector.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BODY = 512, MAX_CLOSING = 512 };

/* ---- numbers */

uint64_t random_next(random_stream *s)
{
    uint64_t z = s->state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

double random_uniform(random_stream *s, double low, double high)
{
    return low + (high - low) * ((double)(random_next(s) >> 11) * 0x1p-53);
}

double random_normal(random_stream *s)
{
    double x = -6;
    for (int i = 0; i < 12; i++)
        x += random_uniform(s, 0, 1);
    return x;
}

int random_index(random_stream *s, int n) { return (int)(random_next(s) % (uint64_t)n); }

bool random_chance(random_stream *s, double probability) { return random_uniform(s, 0, 1) < probability; }

/* ---- the system being built */

typedef struct builder {
    random_stream s;
    random_kind kind;
    clv_model *m;
    clv_status status;
    int n, nclosing;
    int parent[MAX_BODY];            /* -1 ground; -2: none, floats                              */
    int closing[MAX_CLOSING][2];     /* bodies or -1                                             */
    real r[MAX_BODY][3], R[MAX_BODY][9];
    clv_joint_kind joint[MAX_BODY];  /* kind of the tree joint of a body                         */
    int joint_index[MAX_BODY];       /* its index in the model; -1 none                          */
    double joint_q[MAX_BODY];        /* its first coordinate                                     */
    double frame_p[MAX_BODY][3], frame_e[MAX_BODY][4]; /* its frame in the body                  */
    int left[MAX_BODY];              /* freedoms of the tree joint not yet taken by closing rows */
    real normal[3];                  /* planar systems: normal of the plane                      */
    bool planar, placed, forced_tree, forced_cut, driven;
    double decades, size;            /* mass range, length scale                                 */
    random_info info;
} builder;

static void note(builder *b, clv_status st)
{
    if (b->status == CLV_OK)
        b->status = st;
}

static const int freedoms[CLV_JOINT_KINDS] = {
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
        return b->planar ? 2 : 6 - freedoms[kind];
    }
}

/* ---- who hangs on whom */

static void close_on(builder *b, int x, int y)
{
    if (x == y || b->nclosing == MAX_CLOSING)
        return;
    bool swap = random_chance(&b->s, 0.5);
    b->closing[b->nclosing][0] = swap ? y : x;
    b->closing[b->nclosing][1] = swap ? x : y;
    b->nclosing++;
}

static int near_parent(builder *b, int i)
{
    if (i == 0)
        return -1;
    if (random_chance(&b->s, 0.5))
        return i - 1;
    return random_index(&b->s, i + 1) - 1;
}

static void connect_chain(builder *b, int branches)
{
    int main = b->n - branches; /* bodies 0 .. main - 1 form the chain */
    for (int i = 0; i < b->n; i++)
        b->parent[i] = i < main ? i - 1 : random_index(&b->s, i);
}

static void connect(builder *b)
{
    random_stream *s = &b->s;
    int n = b->n;
    switch (b->kind) {
    case RANDOM_LOOP: {
        int side = n > 4 ? random_index(s, n / 3) : 0, main = n - side;
        connect_chain(b, side);
        close_on(b, main - 1, random_chance(s, 0.6) || main < 4 ? -1 : random_index(s, main - 3));
        break;
    }
    case RANDOM_COUPLED: {
        int step = 2 + random_index(s, 3), span = step + 2 + random_index(s, 3);
        connect_chain(b, n > 9 ? random_index(s, 3) : 0);
        for (int at = -1; at + span < n; at += step)
            close_on(b, at + span, at);
        if (b->nclosing == 0)
            close_on(b, n - 1, -1);
        break;
    }
    case RANDOM_NESTED:
        connect_chain(b, 0);
        for (int low = -1, high = n - 1; high - low >= 3; low += 1 + random_index(s, 2), high -= 1 + random_index(s, 3))
            close_on(b, high, low);
        break;
    case RANDOM_LADDER:
        for (int i = 0; i < n; i++)
            b->parent[i] = i < 2 ? -1 : i - 2;
        for (int i = 1; i < n; i += 2)
            if (i == 1 || random_chance(s, 0.8))
                close_on(b, i, random_chance(s, 0.25) && i > 2 ? i - 3 : i - 1);
        break;
    case RANDOM_HUB: {
        int arm = 1 + random_index(s, 4);
        b->parent[0] = random_chance(s, 0.3) ? -2 : -1;
        for (int i = 1; i < n; i++)
            b->parent[i] = (i - 1) % arm == 0 ? 0 : i - 1;
        for (int tip = arm; tip < n; tip += arm)
            if (random_chance(s, 0.6))
                close_on(b, tip, tip + arm < n && random_chance(s, 0.7) ? tip + arm : b->parent[0] == -2 ? arm : -1);
        break;
    }
    case RANDOM_RING:
        connect_chain(b, 0);
        b->parent[0] = -2;
        close_on(b, n - 1, 0);
        if (n > 6 && random_chance(s, 0.4))
            close_on(b, n / 2, 0);
        break;
    default:
        for (int i = 0; i < n; i++)
            b->parent[i] = near_parent(b, i);
        for (int k = 0; b->kind == RANDOM_MIXED && k < 1 + n / 6; k++)
            close_on(b, random_index(s, n), random_index(s, n + 1) - 1);
    }
}

/* ---- geometry */

static void random_vector(builder *b, double size, double x[3])
{
    for (int i = 0; i < 3; i++)
        x[i] = size * random_normal(&b->s);
}

static void random_quaternion(builder *b, double e[4])
{
    double s = 0;
    do {
        s = 0;
        for (int i = 0; i < 4; i++) {
            e[i] = random_normal(&b->s);
            s += e[i] * e[i];
        }
    } while (s < 0.1);
    for (int i = 0; i < 4; i++)
        e[i] /= sqrt(s);
}

static void rotation_of(const double e[4], real R[9])
{
    real x[4] = {e[0], e[1], e[2], e[3]};
    m3_quaternion(R, x);
}

/* A frame (columns) with the given z and a random x. */
static void frame_about(builder *b, const real z[3], real F[9])
{
    real x[3], y[3];
    do {
        double t[3];
        random_vector(b, 1, t);
        for (int i = 0; i < 3; i++)
            x[i] = t[i];
        v3_add_scaled(x, -v3_dot(x, z), z);
    } while (v3_norm(x) < 0.3L);
    real l = v3_norm(x);
    for (int i = 0; i < 3; i++)
        x[i] /= l;
    v3_cross(y, z, x);
    for (int i = 0; i < 3; i++) {
        F[3 * i] = x[i];
        F[3 * i + 1] = y[i];
        F[3 * i + 2] = z[i];
    }
}

/* Global joint frame for a kind: any, or in planar systems one whose freedom stays in the plane. */
static void joint_frame(builder *b, clv_joint_kind kind, real F[9])
{
    if (!b->planar) {
        double e[4];
        random_quaternion(b, e);
        rotation_of(e, F);
        return;
    }
    frame_about(b, b->normal, F);
    if (kind != CLV_JOINT_PRISMATIC)
        return;
    real z[3] = {F[0], F[3], F[6]}; /* slide within the plane */
    frame_about(b, z, F);
}

static void about(real R[9], int axis, real angle)
{
    real t[3] = {0, 0, 0};
    t[axis] = angle;
    m3_exponential(R, t);
}

/* relative pose of the joint frames */
static void relative(clv_joint_kind kind, double pitch, const double *q, real R[9], real d[3])
{
    real X[9];
    about(R, 2, 0);
    d[0] = d[1] = d[2] = 0;
    switch (kind) {
    case CLV_JOINT_REVOLUTE:
        about(R, 2, q[0]);
        break;
    case CLV_JOINT_PRISMATIC:
        d[2] = q[0];
        break;
    case CLV_JOINT_HELICAL:
        about(R, 2, q[0]);
        d[2] = (real)pitch * (real)q[0];
        break;
    case CLV_JOINT_CYLINDRICAL:
        d[2] = q[0];
        about(R, 2, q[1]);
        break;
    case CLV_JOINT_UNIVERSAL:
        about(R, 0, q[0]);
        about(X, 1, q[1]);
        m3_multiply(R, R, X);
        break;
    case CLV_JOINT_PLANAR:
        d[0] = q[0];
        d[1] = q[1];
        about(R, 2, q[2]);
        break;
    case CLV_JOINT_SPHERICAL:
        rotation_of(q, R);
        break;
    case CLV_JOINT_FREE:
        for (int i = 0; i < 3; i++)
            d[i] = q[i];
        rotation_of(q + 3, R);
        break;
    default:
        break;
    }
}

static void random_coordinates(builder *b, clv_joint_kind kind, double *q)
{
    random_stream *s = &b->s;
    int slides = kind == CLV_JOINT_PRISMATIC || kind == CLV_JOINT_CYLINDRICAL ? 1 : kind == CLV_JOINT_PLANAR ? 2 : kind == CLV_JOINT_FREE ? 3 : 0;
    for (int i = 0; i < freedoms[kind] && i < 3; i++)
        q[i] = i < slides ? b->size * random_uniform(s, -0.7, 0.7) : random_uniform(s, -1.5, 1.5);
    if (kind == CLV_JOINT_SPHERICAL || kind == CLV_JOINT_FREE)
        random_quaternion(b, q + slides);
}

/* pose (r, R) of a body or the ground */
static void pose_of(const builder *b, int body, real r[3], real R[9])
{
    memset(r, 0, 3 * sizeof *r);
    about(R, 2, 0);
    if (body < 0)
        return;
    v3_copy(r, b->r[body]);
    memcpy(R, b->R[body], sizeof b->R[body]);
}

/* the global frame (x, F) in body axes, rounded as the model gets it */
static void attach(const builder *b, int body, const real x[3], const real F[9], double p[3], double e[4])
{
    real r[3], R[9], local[3], E[9], t[4];
    pose_of(b, body, r, R);
    for (int i = 0; i < 3; i++)
        local[i] = x[i] - r[i];
    m3_transposed_times(local, R, local);
    m3_transpose(R, R);
    m3_multiply(E, R, F);
    m3_to_quaternion(t, E);
    for (int i = 0; i < 3; i++)
        p[i] = (double)local[i];
    for (int i = 0; i < 4; i++)
        e[i] = (double)t[i];
}

/* ---- bodies and the tree */

static clv_joint_kind tree_kind(builder *b)
{
    static const clv_joint_kind any[] = {CLV_JOINT_REVOLUTE, CLV_JOINT_REVOLUTE, CLV_JOINT_REVOLUTE, CLV_JOINT_PRISMATIC,
                                         CLV_JOINT_HELICAL, CLV_JOINT_CYLINDRICAL, CLV_JOINT_UNIVERSAL, CLV_JOINT_UNIVERSAL,
                                         CLV_JOINT_PLANAR, CLV_JOINT_SPHERICAL, CLV_JOINT_SPHERICAL, CLV_JOINT_FREE, CLV_JOINT_FIXED};
    static const clv_joint_kind flat[] = {CLV_JOINT_REVOLUTE, CLV_JOINT_REVOLUTE, CLV_JOINT_REVOLUTE, CLV_JOINT_REVOLUTE,
                                          CLV_JOINT_PRISMATIC, CLV_JOINT_PLANAR};
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
    random_quaternion(b, e);
    rotation_of(e, R);
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
    random_vector(b, 0.4 * b->size, d.com);
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
        random_vector(b, b->planar ? 0 : 1, d.velocity);
        for (int k = 0; k < 3; k++)
            d.angular_velocity[k] = b->planar ? (double)b->normal[k] : random_normal(&b->s);
    }
    note(b, clv_model_add_body(b->m, NULL, &d));
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
    random_coordinates(b, kind, d->q);
    pose_of(b, b->parent[i], r, R);
    random_vector(b, b->size, reach);
    for (int k = 0; k < 3; k++)
        x[k] = r[k] + (real)reach[k];
    joint_frame(b, kind, F);
    attach(b, b->parent[i], x, F, p, e);
    random_vector(b, 0.6 * b->size, own);
    random_quaternion(b, own_e);
    /* pose of the joint frame on the parent as rounded, then the child's frame, then the child */
    rotation_of(e, E);
    m3_multiply(F, R, E);
    for (int k = 0; k < 3; k++)
        x[k] = p[k];
    m3_times(x, R, x);
    v3_add_scaled(x, 1, r);
    relative(kind, d->pitch, d->q, X, off);
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
    rotation_of(own_e, E);
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
    d->has_q = !b->placed && freedoms[kind] > 0;
    b->joint[i] = kind;
    b->joint_q[i] = d->q[0];
    memcpy(b->frame_p[i], own, sizeof own);
    memcpy(b->frame_e[i], own_e, sizeof own_e);
    b->left[i] = freedoms[kind];
}

static void build_tree(builder *b)
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
            random_quaternion(b, e);
            random_vector(b, 1, r);
            rotation_of(e, b->R[i]);
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
        t[i].d.has_u = freedoms[t[i].d.kind] > 0;
        for (int k = 0; k < freedoms[t[i].d.kind]; k++)
            t[i].d.u[k] = random_normal(&b->s);
        note(b, clv_model_add_joint(b->m, &b->joint_index[i], &t[i].d));
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
    static const clv_joint_kind any[] = {CLV_JOINT_SPHERICAL, CLV_JOINT_REVOLUTE, CLV_JOINT_PLANAR, CLV_JOINT_CYLINDRICAL,
                                         CLV_JOINT_UNIVERSAL, CLV_JOINT_PRISMATIC, CLV_JOINT_HELICAL, CLV_JOINT_FIXED,
                                         CLV_JOINT_POINT, CLV_JOINT_DISTANCE};
    static const clv_joint_kind flat[] = {CLV_JOINT_REVOLUTE, CLV_JOINT_REVOLUTE, CLV_JOINT_REVOLUTE, CLV_JOINT_SPHERICAL,
                                          CLV_JOINT_CYLINDRICAL, CLV_JOINT_FIXED, CLV_JOINT_POINT, CLV_JOINT_DISTANCE};
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

static void add_closing(builder *b, int k)
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
    pose_of(b, y, r, R);
    random_vector(b, b->size, reach);
    for (int i = 0; i < 3; i++)
        at[i] = r[i] + (real)reach[i];
    joint_frame(b, kind, F);
    attach(b, x, at, F, d.position_a, d.orientation_a);
    if (b->forced_cut && freedoms[kind] > 0 && random_chance(&b->s, 0.5)) { /* stands away from its zero */
        random_coordinates(b, kind, q);
        relative(kind, d.pitch, q, X, off);
        m3_times(off, F, off);
        v3_add_scaled(at, 1, off);
        m3_multiply(F, F, X);
    }
    if (kind == CLV_JOINT_DISTANCE) {
        random_vector(b, b->size, reach);
        reach[0] += b->size; /* far from zero length */
        for (int i = 0; i < 3; i++)
            at[i] += (real)reach[i];
    }
    attach(b, y, at, F, d.position_b, d.orientation_b);
    note(b, clv_model_add_joint(b->m, NULL, &d));
    b->info.closing++;
    b->info.redundant = b->info.redundant || (b->planar && kind != CLV_JOINT_DISTANCE);
}

/* A second hinge on the axis of a revolute tree joint: five rows without effect. */
static void add_second_hinge(builder *b)
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
    rotation_of(b->frame_e[i], F);
    m3_times(along, F, along);
    for (int k = 0; k < 3; k++)
        x[k] = (real)b->frame_p[i][k] + along[k];
    m3_times(x, b->R[i], x);
    v3_add_scaled(x, 1, b->r[i]);
    m3_multiply(F, b->R[i], F);
    attach(b, d.a, x, F, d.position_a, d.orientation_a);
    attach(b, d.b, x, F, d.position_b, d.orientation_b);
    note(b, clv_model_add_joint(b->m, NULL, &d));
    b->info.closing++;
    b->info.redundant = true;
}

/* ---- motions, couplings, loads */

static bool one_freedom(const builder *b, int i)
{
    return b->joint_index[i] >= 0 && freedoms[b->joint[i]] == 1 && b->left[i] == 1;
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
    note(b, clv_model_add_motion(b->m, NULL, &d));
    b->left[i]--;
    b->info.mobility--;
}

/* Gears between two free revolute joints, or mixed kinds */
static void add_coupling(builder *b, int i, int k)
{
    clv_coupling_desc d = clv_coupling_desc_default();
    char name[24];
    snprintf(name, sizeof name, "g%d_%d", i, k);
    d.name = name;
    d.first = b->joint_index[i];
    d.second = b->joint_index[k];
    d.ratio = random_uniform(&b->s, 0.3, 3) * (random_chance(&b->s, 0.5) ? 1 : -1);
    note(b, clv_model_add_coupling(b->m, NULL, &d));
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
    int nu = freedoms[b->joint[i]], turning = b->joint[i] == CLV_JOINT_SPHERICAL || b->joint[i] == CLV_JOINT_FREE ? nu - 3 : nu;
    d->joint = b->joint_index[i];
    d->coordinate = random_index(&b->s, nu);
    d->stiffness = d->coordinate < turning ? random_uniform(&b->s, 0, 20) : 0;
    d->damping = random_uniform(&b->s, 0, 2);
    d->rest = random_uniform(&b->s, -0.5, 0.5);
    d->drive = random_normal(&b->s);
}

static void add_force(builder *b, int k)
{
    static const clv_force_kind kinds[] = {CLV_FORCE_JOINT, CLV_FORCE_JOINT, CLV_FORCE_SPRING, CLV_FORCE_ANGULAR, CLV_FORCE_POINT,
                                           CLV_FORCE_TORQUE};
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
        if (b->joint_index[i] < 0 || freedoms[b->joint[i]] == 0)
            return;
        add_joint_force(b, i, &d);
    } else {
        d.b = i;
        d.a = kind == CLV_FORCE_SPRING || kind == CLV_FORCE_ANGULAR ? random_index(&b->s, b->n + 1) - 1 : -1;
        if (d.a == d.b)
            return;
        random_vector(b, 3, d.vector);
        random_vector(b, b->size, point);
        memcpy(d.point_a, point, sizeof point);
        random_vector(b, b->size, point);
        memcpy(d.point_b, point, sizeof point);
        d.in_body = random_chance(&b->s, 0.5);
        d.stiffness = random_uniform(&b->s, 0, 30);
        d.damping = random_uniform(&b->s, 0, 3);
        d.rest = random_uniform(&b->s, 0, 2);
    }
    note(b, clv_model_add_force(b->m, NULL, &d));
}

/* ---- all of it */

const char *random_kind_name(random_kind kind)
{
    static const char *const names[RANDOM_KINDS] = {"tree", "loop", "coupled", "nested", "ladder", "hub", "ring", "mixed"};
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
        random_vector(b, 5, gravity);
        note(b, clv_model_set_gravity(b->m, gravity));
        connect(b);
        build_tree(b);
        for (int i = 0; i < b->n; i++)
            b->info.mobility += b->left[i];
        add_drivers(b);
        for (int k = 0; k < b->nclosing; k++)
            add_closing(b, k);
        if (kind != RANDOM_TREE && random_chance(&b->s, 0.2))
            add_second_hinge(b);
        for (int k = 0; k < b->n / 3 + 1; k++)
            add_force(b, k);
        note(b, clv_model_finish(b->m));
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
