/* SPDX-License-Identifier: Apache-2.0
 * Joints inside strands as rows of one degree of freedom each, with massless bodies between them (T43.5), and the
 * constants of these rows.  A row rotates the frame by E, so that its z is the axis of the degree of freedom, then
 * rotates about or translates along it.  The elimination of one row after the other is that of the joint.
 *
 * A joint that is passed from b to a has its rows in reverse order and with the opposite sign.  Not so a spherical one:
 * it has rates in axes of the child here, see row_state.c. */
#include "kinematics/place.h"
#include "kinematics/row_joints.h"
#include "model/contact.h"

enum { G8 = CLV_GROUP, X = 0, Y = 1, Z = 2 };
enum { HOLD, TURN, SHIFT, SCREW };

typedef struct step {
    unsigned char axis, does, coordinate; /* of the joint's frame; of the joint's q and u */
} step;
typedef struct steps {
    int n;
    step row[3]; /* from a to b */
} steps;

static const steps table[CLV_JOINT_KINDS] = {
    [CLV_JOINT_FIXED] = {1, {{Z, HOLD, 0}}},
    [CLV_JOINT_REVOLUTE] = {1, {{Z, TURN, 0}}},
    [CLV_JOINT_PRISMATIC] = {1, {{Z, SHIFT, 0}}},
    [CLV_JOINT_HELICAL] = {1, {{Z, SCREW, 0}}},
    [CLV_JOINT_CYLINDRICAL] = {2, {{Z, SHIFT, 0}, {Z, TURN, 1}}},
    [CLV_JOINT_UNIVERSAL] = {2, {{X, TURN, 0}, {Y, TURN, 1}}},
    [CLV_JOINT_PLANAR] = {3, {{X, SHIFT, 0}, {Y, SHIFT, 1}, {Z, TURN, 2}}},
    [CLV_JOINT_SPHERICAL] = {3, {{X, TURN, 0}, {Y, TURN, 1}, {Z, TURN, 2}}},
};

static bool ball(const clv_tree_joint *t) { return t->kind == CLV_JOINT_SPHERICAL; }

/* i-th row of a joint on the way from the parent to the child */
static step step_at(const clv_tree_joint *t, int i)
{
    const steps *s = &table[t->kind];
    return s->row[t->reversed && !ball(t) ? s->n - 1 - i : i];
}

int clv_row_count(const clv_plan *p, int body)
{
    return clv_row_inside(p, body) ? table[p->tree[body].kind].n : 1;
}

/* E := E P, P: turn of the frame that makes `axis` the new z; columns y z x or z x y */
static void point_along(double E[9], int axis)
{
    for (int i = 0; i < 3; i++) {
        const double row[3] = {E[3 * i], E[3 * i + 1], E[3 * i + 2]};
        for (int k = 0; k < 3; k++)
            E[3 * i + k] = row[(axis + 1 + k) % 3];
    }
}

void clv_row_own_frame(const clv_plan *p, int body, double E[9], const double **point)
{
    const clv_tree_joint *t = &p->tree[body];
    const clv_joint *j = clv_tree_joint_of(p, body);
    memcpy(E, t->reversed ? j->Ea : j->Eb, 9 * sizeof(double));
    if (clv_row_inside(p, body))
        point_along(E, step_at(t, table[t->kind].n - 1).axis);
    *point = t->joint < 0 ? p->model->body[body].com : t->reversed ? j->pa : j->pb;
}

static void put(double *array, int n, int slot, const double *v)
{
    for (int i = 0; i < n; i++)
        array[(size_t)(slot / G8) * (size_t)n * G8 + (size_t)i * G8 + (size_t)(slot % G8)] = v[i];
}

/* mass, first moment, inertia about the joint point, in the own frame */
static void body_constants(clv_rows *w, int body)
{
    const clv_body *b = &w->plan->model->body[body];
    const double *at;
    const double J[9] = {b->J[0], b->J[3], b->J[4], b->J[3], b->J[1], b->J[5], b->J[4], b->J[5], b->J[2]};
    double B[9], x[3], l[3], JB[9], r[9], v[10];
    clv_row_own_frame(w->plan, body, B, &at);
    clv_sub3(x, b->com, at);
    clv_mat3_transpose_times(l, B, x);
    clv_mat3_product(JB, J, B);
    clv_mat3_transpose_product(r, B, JB);
    const double s = b->mass * clv_dot3(l, l);
    v[0] = b->mass;
    for (int i = 0; i < 3; i++)
        v[1 + i] = b->mass * l[i];
    v[4] = r[0] + s - v[1] * l[0], v[5] = r[1] - v[1] * l[1], v[6] = r[2] - v[1] * l[2];
    v[7] = r[4] + s - v[2] * l[1], v[8] = r[5] - v[2] * l[2], v[9] = r[8] + s - v[3] * l[2];
    put(w->body, 10, w->slot[body], v);
    for (int i = 0; i < 10; i++)
        if (v[i] != 0)
            w->flags[w->slot[body] / G8] |= CLV_ROW_MASS;
}

/* the joint frame on the parent and its origin, in the parent's own frame */
static void inboard_frame(const clv_plan *p, int body, double E[9], double origin[3])
{
    const clv_tree_joint *t = &p->tree[body];
    const clv_joint *j = clv_tree_joint_of(p, body);
    const double *frame = t->reversed ? j->Eb : j->Ea, *point = t->reversed ? j->pb : j->pa, *at;
    double B[9], x[3];
    memcpy(E, frame, 9 * sizeof(double)), clv_copy3(origin, point);
    if (t->parent < 0)
        return;
    clv_row_own_frame(p, t->parent, B, &at);
    clv_mat3_transpose_product(E, B, frame);
    clv_sub3(x, point, at);
    clv_mat3_transpose_times(origin, B, x);
}

/* what the degree of freedom of a row does: alpha, beta; its places in the state vectors */
static void one_degree(clv_rows *w, int body, double pitch, step s, int slot)
{
    const clv_tree_joint *t = &w->plan->tree[body];
    const double sign = t->reversed && !ball(t) ? -1.0 : 1.0;
    unsigned short *flags = &w->flags[slot / G8];
    w->alpha[slot] = s.does == TURN || s.does == SCREW ? sign : 0.0;
    w->beta[slot] = s.does == SHIFT ? sign : s.does == SCREW ? sign * pitch : 0.0;
    if (w->beta[slot] != 0)
        *flags |= CLV_ROW_SHIFTS | CLV_ROW_ARM;
    if (w->alpha[slot] != 0 && !ball(t))
        *flags |= CLV_ROW_TURNS;
    if (s.does == HOLD)
        return;
    if (t->motion >= 0) {
        *flags |= CLV_ROW_DRIVEN;
        w->drive[w->ndrive++] = (clv_row_drive){.body = body, .slot = slot, .motion = t->motion};
        return;
    }
    *flags |= CLV_ROW_FREE, w->pad[slot] = 0.0;
    const double rotor = clv_armature_of(w->plan, body, s.coordinate);
    if (rotor > 0 || w->lag)
        *flags |= CLV_ROW_STIFF, w->stiff[slot] = rotor;
    w->coordinate[slot] = ball(t) ? -1 : t->iq + s.coordinate;
    w->rate[slot] = ball(t) && t->reversed ? -1 : t->iu + s.coordinate;
}

bool clv_rows_lags(const clv_model *m)
{
    bool rigid = false, damped = false;
    for (int i = 0; i < m->nforce; i++) {
        rigid |= clv_force_rigid(&m->force[i]);
        damped |= m->force[i].kind == CLV_FORCE_JOINT && m->force[i].damping > 0;
    }
    return rigid && damped;
}

void clv_rows_ease(clv_rows *w, bool on)
{
    const clv_plan *p = w->plan;
    for (int b = 0; b < p->nbody; b++) {
        const clv_tree_joint *t = &p->tree[b];
        if (!clv_row_inside(p, b) || ball(t) || t->motion >= 0)
            continue;
        for (int k = 0; k < table[t->kind].n; k++) {
            const int slot = w->slot[b] - k * G8, i = w->rate[slot];
            if (i >= t->iu && i < t->iu + t->f)
                w->stiff[slot] = clv_armature_of(p, b, i - t->iu) + (on ? w->lag[i] : 0);
        }
    }
}

static void joint_constants(clv_rows *w, int body)
{
    const clv_tree_joint *t = &w->plan->tree[body];
    const int n = table[t->kind].n, first = w->slot[body] - (n - 1) * G8;
    double E[9], p[3];
    inboard_frame(w->plan, body, E, p);
    if (ball(t)) {
        clv_row_ball *b = &w->ball[w->nball++];
        b->body = body, b->slot = first;
        memcpy(b->E, E, sizeof E);
    }
    for (int i = 0, axis = Z; i < n; i++) {
        const int slot = first + i * G8;
        const step s = step_at(t, i);
        if (i > 0) { /* the frame of the row before, turned */
            clv_mat3_identity(E), p[0] = p[1] = p[2] = 0;
            point_along(E, (5 + s.axis - axis) % 3);
            w->same[slot] = 1.0, w->follows[slot] = ball(t);
        } else
            point_along(E, s.axis);
        put(w->E, 9, slot, E), put(w->p, 3, slot, p);
        if (p[0] != 0 || p[1] != 0 || p[2] != 0)
            w->flags[slot / G8] |= CLV_ROW_ARM;
        if (n > 1)
            w->flags[slot / G8] |= ball(t) ? CLV_ROW_SEVERAL | CLV_ROW_BALL : CLV_ROW_SEVERAL;
        one_degree(w, body, clv_tree_joint_of(w->plan, body)->more->pitch, s, slot);
        axis = s.axis;
    }
}

void clv_row_constants(clv_rows *w, int body)
{
    body_constants(w, body);
    if (clv_row_inside(w->plan, body))
        joint_constants(w, body);
}
