/* SPDX-License-Identifier: Apache-2.0
 * The constraints of the oracle (theory T19), from classical primitives between the frames of a joint:
 *
 *     point      r_B + b - r_A - a = 0            three force rows in global axes
 *     d1         e_A . e_B = 0                    two directions stay perpendicular
 *     d2         e_A . d = 0                      a direction stays perpendicular to d = joint point B - joint point A
 *     screw      z_A . d - pitch * angle = 0
 *     distance   |d| - L = 0
 *
 * and the free directions of the joints as rows of the same form, for motions, couplings, joint loads and momenta. */
#include "oracle/oracle.h"
#include "oracle/oracle_vector.h"
#include "model/curve.h"
#include "model/joint.h"
#include <assert.h>
#include <string.h>

#define PI 3.14159265358979323846264338327950288L

static void frame(const oracle *o, int body, const double p[3], const double E[9], oracle_end *e)
{
    memset(e, 0, sizeof *e);
    e->body = body;
    e->R[0] = e->R[4] = e->R[8] = 1;
    real local[3] = {p[0], p[1], p[2]};
    if (body >= 0) {
        v3_copy(e->r, o->r + 3 * body);
        v3_copy(e->v, o->V + 6 * body);
        v3_copy(e->w, o->V + 6 * body + 3);
        memcpy(e->R, o->R + 9 * body, sizeof e->R);
        for (int i = 0; i < 3; i++)
            local[i] -= (real)o->model->body[body].com[i];
    }
    m3_times(e->arm, e->R, local);
    for (int c = 0; c < 3; c++) {
        real axis[3] = {E[c], E[3 + c], E[6 + c]};
        m3_times(e->E[c], e->R, axis);
    }
}

void oracle_ends(const oracle *o, int joint, oracle_end *A, oracle_end *B)
{
    const clv_joint *j = &o->model->joint[joint];
    frame(o, j->a, j->pa, j->Ea, A);
    frame(o, j->b, j->pb, j->Eb, B);
}

void oracle_row_blocks(const oracle_end *A, const oracle_end *B, const real T[6], real Ja[6], real Jb[6])
{
    real m[3], arm[3];
    v3_cross(m, B->arm, T);
    for (int i = 0; i < 3; i++) {
        Jb[i] = T[i];
        Jb[3 + i] = T[3 + i] + m[i];
        arm[i] = B->r[i] + B->arm[i] - A->r[i]; /* b's joint point seen from a's centre of mass */
    }
    v3_cross(m, arm, T);
    for (int i = 0; i < 3; i++) {
        Ja[i] = -T[i];
        Ja[3 + i] = -T[3 + i] - m[i];
    }
}

/* ---- primitives */

typedef struct between { /* the two ends and what all primitives need of them */
    oracle_end A, B;
    real d[3], dd[3], dg[3]; /* connecting vector, its rate, its second derivative for zero accelerations */
    real w[3];               /* angular velocity of B relative to A                                      */
} between;

static void look(const oracle *o, int joint, between *t)
{
    oracle_ends(o, joint, &t->A, &t->B);
    const oracle_end *A = &t->A, *B = &t->B;
    real a[3], b[3], aa[3], bb[3];
    v3_cross(a, A->w, A->arm);
    v3_cross(b, B->w, B->arm);
    v3_cross(aa, A->w, a);
    v3_cross(bb, B->w, b);
    for (int i = 0; i < 3; i++) {
        t->d[i] = B->r[i] + B->arm[i] - A->r[i] - A->arm[i];
        t->dd[i] = B->v[i] + b[i] - A->v[i] - a[i];
        t->dg[i] = bb[i] - aa[i];
        t->w[i] = B->w[i] - A->w[i];
    }
}

static void point(const between *t, int i, oracle_row *row)
{
    memset(row, 0, sizeof *row);
    row->T[i] = 1;
    row->violation = t->d[i];
    row->gamma = -t->dg[i];
}

static void d1(const between *t, int ia, int ib, oracle_row *row)
{
    const real *ea = t->A.E[ia], *eb = t->B.E[ib];
    real x[3], da[3], db[3], y[3], z[3];
    memset(row, 0, sizeof *row);
    v3_cross(x, ea, eb);
    v3_cross(da, t->A.w, ea);
    v3_cross(db, t->B.w, eb);
    v3_cross(y, da, eb);
    v3_cross(z, ea, db);
    for (int i = 0; i < 3; i++)
        row->T[3 + i] = -x[i];
    row->violation = v3_dot(ea, eb);
    row->gamma = v3_dot(t->w, y) + v3_dot(t->w, z);
}

/* e . d for a direction e carried by a; also the sliding coordinate along e */
static void d2(const between *t, int ia, oracle_row *row)
{
    const real *e = t->A.E[ia];
    real ed[3], edd[3];
    memset(row, 0, sizeof *row);
    v3_cross(ed, t->A.w, e);
    v3_cross(edd, t->A.w, ed);
    v3_copy(row->T, e);
    row->violation = v3_dot(e, t->d);
    row->gamma = -(v3_dot(e, t->dg) + 2 * v3_dot(ed, t->dd) + v3_dot(edd, t->d));
}

/* e . (w_B - w_A) for a direction e carried by the body of `end`; violation = angle, given by the caller */
static void turning(const between *t, const oracle_end *end, int axis, real angle, oracle_row *row)
{
    real ed[3];
    memset(row, 0, sizeof *row);
    v3_cross(ed, end->w, end->E[axis]);
    v3_copy(row->T + 3, end->E[axis]);
    row->violation = angle;
    row->gamma = -v3_dot(ed, t->w);
}

/* angle of frame B about z of frame A, the branch nearest to `near` */
static real angle_z(const between *t, real near)
{
    real s = v3_dot(t->A.E[1], t->B.E[0]) - v3_dot(t->A.E[0], t->B.E[1]);
    real c = v3_dot(t->A.E[0], t->B.E[0]) + v3_dot(t->A.E[1], t->B.E[1]), q = atan2l(s, c);
    return q + 2 * PI * roundl((near - q) / (2 * PI));
}

/* angle of a helical joint: the shift tells the turn */
static real screw_angle(const between *t, real pitch) { return angle_z(t, v3_dot(t->A.E[2], t->d) / pitch); }

static void screw(const between *t, real pitch, oracle_row *row)
{
    oracle_row angle;
    d2(t, 2, row);
    turning(t, &t->A, 2, screw_angle(t, pitch), &angle);
    for (int i = 0; i < 3; i++)
        row->T[3 + i] = -pitch * angle.T[3 + i];
    row->violation -= pitch * angle.violation;
    row->gamma -= pitch * angle.gamma;
}

static void distance(const between *t, real length, oracle_row *row)
{
    real l = v3_norm(t->d), n[3] = {t->d[0] / l, t->d[1] / l, t->d[2] / l}, along = v3_dot(n, t->dd);
    memset(row, 0, sizeof *row);
    v3_copy(row->T, n);
    row->violation = l - length;
    row->gamma = -(v3_dot(n, t->dg) + (v3_dot(t->dd, t->dd) - along * along) / l);
}

/* Slip along a direction e of `carrier`: its rate for zero accelerations; c is the point of b next to the plane seen
 * from b's joint point, cd its rate. */
static void slip(const between *t, const oracle_end *carrier, int axis, const real c[3], const real cd[3],
                 oracle_row *row)
{
    const real *e = carrier->E[axis];
    real ed[3], x[3], v[3], g[3];
    memset(row, 0, sizeof *row);
    v3_cross(ed, carrier->w, e);
    v3_copy(row->T, e);
    v3_cross(row->T + 3, c, e);
    v3_cross(x, t->A.w, t->d);
    v3_cross(v, t->w, c);
    for (int i = 0; i < 3; i++)
        v[i] += t->dd[i] - x[i];
    v3_cross(x, t->A.w, t->dd);
    v3_cross(g, t->w, cd);
    for (int i = 0; i < 3; i++)
        g[i] += t->dg[i] - x[i];
    row->gamma = -(v3_dot(ed, v) + v3_dot(e, g));
}

/* The point of a disc next to the plane lies along zB x k, k the direction of zA x zB. */
static void disc_arm(const between *t, real r, real c[3], real cd[3])
{
    const real *a = t->A.E[2], *b = t->B.E[2];
    real u[3], ad[3], bd[3], ud[3], x[3];
    v3_cross(u, a, b);
    v3_cross(ad, t->A.w, a), v3_cross(bd, t->B.w, b);
    v3_cross(ud, ad, b), v3_cross(x, a, bd);
    const real l = v3_norm(u);
    for (int i = 0; i < 3; i++)
        ud[i] = (ud[i] + x[i]) / l, u[i] /= l;
    const real along = v3_dot(u, ud);
    for (int i = 0; i < 3; i++)
        ud[i] -= along * u[i];
    v3_cross(c, b, u), v3_cross(cd, bd, u), v3_cross(x, b, ud);
    for (int i = 0; i < 3; i++)
        c[i] *= -r, cd[i] = -r * (cd[i] + x[i]);
}

static int rolling(const between *t, bool disc, real r, oracle_row *row)
{
    static const int axis[3] = {2, 0, 1};
    real c[3], cd[3];
    v3_cross(cd, t->A.w, t->A.E[2]);
    for (int i = 0; i < 3; i++)
        c[i] = -r * t->A.E[2][i], cd[i] *= -r;
    if (disc)
        disc_arm(t, r, c, cd);
    for (int i = 0; i < 3; i++)
        slip(t, &t->A, axis[i], c, cd, &row[i]);
    row[0].violation = v3_dot(t->A.E[2], t->d) + v3_dot(t->A.E[2], c);
    return 3;
}

/* A normal e of the curve stays perpendicular to d less the place of the curve: as d2 with e at rest in a, and
 * e.c'' s'^2 for the way along it.  Place and derivatives of the curve are data. */
static int curve(const between *t, const clv_curve *k, oracle_row *row)
{
    double x[3];
    clv_curve_place at;
    real ed[3], edd[3], v[3], swept[3], speed = 0, size = 0;
    for (int i = 0; i < 3; i++)
        x[i] = (double)v3_dot(t->A.E[i], t->d);
    clv_curve_nearest(k, x, &at);
    v3_cross(swept, t->A.w, t->d);
    for (int i = 0; i < 3; i++)
        v[i] = t->dd[i] - swept[i];
    for (int i = 0; i < 3; i++)
        speed += v3_dot(t->A.E[i], v) * (real)at.c1[i], size += (real)at.c1[i] * (real)at.c1[i];
    speed /= size;
    for (int n = 0; n < 2; n++) {
        real *e = row[n].T, bend = 0, off = 0;
        memset(&row[n], 0, sizeof row[n]);
        for (int c = 0; c < 3; c++) {
            for (int i = 0; i < 3; i++)
                e[i] += (real)at.n[n][c] * t->A.E[c][i];
            bend += (real)at.n[n][c] * (real)at.c2[c], off += (real)at.n[n][c] * (real)at.c[c];
        }
        v3_cross(ed, t->A.w, e), v3_cross(edd, t->A.w, ed);
        row[n].violation = v3_dot(e, t->d) - off;
        row[n].gamma = bend * speed * speed - (v3_dot(e, t->dg) + 2 * v3_dot(ed, t->dd) + v3_dot(edd, t->d));
    }
    return 2;
}

/* ---- joints: which primitives each kind is made of */

typedef struct primitives {
    bool point;
    int nd1, nd2;
    int d1[3][2], d2[3];
    int freedoms;
} primitives;

static const primitives table[CLV_JOINT_KINDS] = {
    [CLV_JOINT_FIXED] = {true, 3, 0, {{0, 1}, {1, 2}, {2, 0}}, {0}, 0},
    [CLV_JOINT_REVOLUTE] = {true, 2, 0, {{0, 2}, {1, 2}}, {0}, 1},
    [CLV_JOINT_PRISMATIC] = {false, 3, 2, {{0, 1}, {1, 2}, {2, 0}}, {0, 1}, 1},
    [CLV_JOINT_HELICAL] = {false, 2, 2, {{0, 2}, {1, 2}}, {0, 1}, 1}, /* and the screw row */
    [CLV_JOINT_CYLINDRICAL] = {false, 2, 2, {{0, 2}, {1, 2}}, {0, 1}, 2},
    [CLV_JOINT_UNIVERSAL] = {true, 1, 0, {{0, 1}}, {0}, 2},
    [CLV_JOINT_PLANAR] = {false, 2, 1, {{0, 2}, {1, 2}}, {2}, 3},
    [CLV_JOINT_SPHERICAL] = {true, 0, 0, {{0}}, {0}, 3},
    [CLV_JOINT_FREE] = {false, 0, 0, {{0}}, {0}, 6},
    [CLV_JOINT_POINT] = {true, 0, 0, {{0}}, {0}, 0},
    [CLV_JOINT_DISTANCE] = {false, 0, 0, {{0}}, {0}, 0},
    [CLV_JOINT_ROLLING_DISC] = {false, 0, 0, {{0}}, {0}, 0}, /* rows at the contact */
    [CLV_JOINT_ROLLING_SPHERE] = {false, 0, 0, {{0}}, {0}, 0},
    [CLV_JOINT_KNIFE_EDGE] = {false, 0, 0, {{0}}, {0}, 0},
    [CLV_JOINT_POINT_ON_CURVE] = {false, 0, 0, {{0}}, {0}, 0},
};

int oracle_joint_freedoms(clv_joint_kind kind) { return table[kind].freedoms; }

int oracle_joint_row_count(clv_joint_kind kind)
{
    const primitives *p = &table[kind];
    if (clv_joint_rolls(kind))
        return 3;
    if (kind == CLV_JOINT_POINT_ON_CURVE)
        return 2;
    return (p->point ? 3 : 0) + p->nd1 + p->nd2 +
           (kind == CLV_JOINT_HELICAL || kind == CLV_JOINT_DISTANCE || kind == CLV_JOINT_KNIFE_EDGE);
}

int oracle_joint_rows(const oracle *o, int joint, oracle_row *row)
{
    const clv_joint *j = &o->model->joint[joint];
    const primitives *p = &table[j->kind];
    between t;
    int n = 0;
    look(o, joint, &t);
    for (int i = 0; p->point && i < 3; i++)
        point(&t, i, &row[n++]);
    for (int i = 0; i < p->nd1; i++)
        d1(&t, p->d1[i][0], p->d1[i][1], &row[n++]);
    for (int i = 0; i < p->nd2; i++)
        d2(&t, p->d2[i], &row[n++]);
    if (j->kind == CLV_JOINT_HELICAL)
        screw(&t, (real)j->more->pitch, &row[n++]);
    if (j->kind == CLV_JOINT_DISTANCE)
        distance(&t, (real)j->more->distance, &row[n++]);
    if (j->kind == CLV_JOINT_POINT_ON_CURVE)
        n += curve(&t, j->more->curve, &row[n]);
    if (clv_joint_rolls(j->kind))
        n += rolling(&t, j->kind == CLV_JOINT_ROLLING_DISC, (real)j->more->radius, &row[n]);
    if (j->kind == CLV_JOINT_KNIFE_EDGE) {
        const real none[3] = {0, 0, 0};
        slip(&t, &t.B, 2, none, none, &row[n++]);
    }
    return n;
}

/* row->rate of a free direction: the row times the velocities of the two ends */
static void measure_rate(const between *t, oracle_row *row)
{
    real Ja[6], Jb[6];
    oracle_row_blocks(&t->A, &t->B, row->T, Ja, Jb);
    row->rate = v3_dot(Ja, t->A.v) + v3_dot(Ja + 3, t->A.w) + v3_dot(Jb, t->B.v) + v3_dot(Jb + 3, t->B.w);
}

static real near_turn(real q, real near) { return q + 2 * PI * roundl((near - q) / (2 * PI)); }

static void universal_angles(const between *t, const real *near, real q[2])
{
    const real(*a)[3] = t->A.E, (*b)[3] = t->B.E; /* Rx(q1) Ry(q2) */
    q[0] = near_turn(atan2l(v3_dot(a[2], b[1]), v3_dot(a[1], b[1])), near[0]);
    q[1] = near_turn(atan2l(v3_dot(a[0], b[2]), v3_dot(a[0], b[0])), near[1]);
}

void oracle_coordinate(const oracle *o, int joint, int coordinate, oracle_row *row)
{
    const clv_joint *j = &o->model->joint[joint];
    const real *near = o->turn + 7 * joint;
    between t;
    int c = coordinate;
    look(o, joint, &t);
    switch (j->kind) {
    case CLV_JOINT_REVOLUTE:
        turning(&t, &t.A, 2, angle_z(&t, near[0]), row);
        break;
    case CLV_JOINT_PRISMATIC:
        d2(&t, 2, row);
        break;
    case CLV_JOINT_HELICAL: { /* u = G^T V, G = [h z; z] / (1 + h^2) */
        oracle_row slide;
        real h = (real)j->more->pitch, s = 1 / (1 + h * h);
        d2(&t, 2, &slide);
        turning(&t, &t.A, 2, screw_angle(&t, h), row);
        for (int i = 0; i < 6; i++)
            row->T[i] = s * (row->T[i] + h * slide.T[i]);
        row->gamma = s * (row->gamma + h * slide.gamma);
        break;
    }
    case CLV_JOINT_CYLINDRICAL:
        if (c == 0)
            d2(&t, 2, row);
        else
            turning(&t, &t.A, 2, angle_z(&t, near[1]), row);
        break;
    case CLV_JOINT_UNIVERSAL: {
        real q[2];
        universal_angles(&t, near, q);
        turning(&t, c == 0 ? &t.A : &t.B, c, q[c], row);
        break;
    }
    case CLV_JOINT_PLANAR:
        if (c < 2)
            d2(&t, c, row);
        else
            turning(&t, &t.A, 2, angle_z(&t, near[2]), row);
        break;
    case CLV_JOINT_SPHERICAL:
        turning(&t, &t.B, c, NAN, row);
        break;
    case CLV_JOINT_FREE:
        if (c < 3)
            d2(&t, c, row);
        else
            turning(&t, &t.B, c - 3, NAN, row);
        break;
    default:
        assert(!"joint without coordinates");
    }
    measure_rate(&t, row);
}
