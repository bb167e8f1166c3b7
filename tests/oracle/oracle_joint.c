/* SPDX-License-Identifier: Apache-2.0
 * What the oracle says about single joints (theory T13, T19): reactions and whether they are unique,
 * coordinates, momenta. */
#include "oracle/oracle.h"
#include "oracle/oracle_vector.h"
#include <stdlib.h>
#include <string.h>

/* Relative part of a functional of the multipliers, w . mu, in their null space;
 * `size` is the norm that counts as one. */
static real null_part(oracle *o, real *w, real size)
{
    if (size == 0)
        return 0;
    for (int r = 0; r < o->rows; r++)
        w[r] *= o->scale[r];
    return linear_cod_null_part(&o->cod, w) / size;
}

/* norm of w after scaling */
static real scaled_norm(const oracle *o, const real *w)
{
    real s = 0;
    for (int r = 0; r < o->rows; r++)
        s += w[r] * o->scale[r] * w[r] * o->scale[r];
    return sqrtl(s);
}

void oracle_joint_reaction(oracle *o, const real *mu, int joint, oracle_reaction *x)
{
    int first = o->joint_row[joint], end = o->joint_row[joint + 1];
    size_t m = (size_t)o->rows;
    real *w = oracle_allocate(6 * m, sizeof *w), size[6], tau[6];
    memset(x, 0, sizeof *x);
    x->unique_drive = true;
    oracle_factor(o);
    for (int c = 0; c < 6; c++) {
        for (int r = first; r < end; r++) {
            w[(size_t)c * m + (size_t)r] = o->T[6 * r + c];
            x->constraint[c] += o->T[6 * r + c] * mu[r];
        }
        size[c] = scaled_norm(o, w + (size_t)c * m);
    }
    for (int c = 0; c < 6; c++) { /* forces are measured by the largest force component, couples alike */
        const real *s = size + (c < 3 ? 0 : 3);
        x->part[c] = null_part(o, w + (size_t)c * m, fmaxl(fmaxl(s[0], s[1]), s[2]));
        x->unique[c] = x->part[c] < ORACLE_UNIQUE;
    }
    for (int k = 0; k < o->model->nmotion; k++) {
        int r = o->motion_row[k];
        if (o->model->motion[k].joint != joint)
            continue;
        memset(w, 0, m * sizeof *w);
        w[r] = 1;
        x->unique_drive = x->unique_drive && null_part(o, w, o->scale[r]) < ORACLE_UNIQUE;
        for (int c = 0; c < 6; c++)
            x->drive[c] += o->T[6 * r + c] * mu[r];
    }
    oracle_joint_loads(o, joint, tau);
    for (int k = 0; k < oracle_joint_freedoms(o->model->joint[joint].kind); k++) {
        oracle_row row;
        if (tau[k] == 0)
            continue;
        oracle_coordinate(o, joint, k, &row);
        for (int c = 0; c < 6; c++)
            x->drive[c] += row.T[c] * tau[k];
    }
    free(w);
}

bool oracle_coupling_unique(oracle *o, int coupling)
{
    int r = o->coupling_row[coupling];
    real *w = oracle_allocate((size_t)o->rows, sizeof *w);
    oracle_factor(o);
    w[r] = 1;
    bool unique = null_part(o, w, o->scale[r]) < ORACLE_UNIQUE;
    free(w);
    return unique;
}

/* quaternion of frame B in frame A */
static void relative_quaternion(const oracle_end *A, const oracle_end *B, real *e)
{
    real R[9];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            R[3 * i + k] = v3_dot(A->E[i], B->E[k]);
    m3_to_quaternion(e, R);
}

void oracle_joint_state(const oracle *o, int joint, const real *a, real *q, real *u, real *udot)
{
    clv_joint_kind kind = o->model->joint[joint].kind;
    oracle_end A, B;
    oracle_ends(o, joint, &A, &B);
    for (int c = 0; c < oracle_joint_freedoms(kind); c++) {
        oracle_row row;
        real Ja[6], Jb[6];
        oracle_coordinate(o, joint, c, &row);
        q[c] = row.violation;
        u[c] = row.rate;
        if (!a)
            continue;
        oracle_row_blocks(&A, &B, row.T, Ja, Jb);
        udot[c] = -row.gamma;
        for (int i = 0; i < 6; i++) {
            udot[c] += A.body >= 0 ? Ja[i] * a[6 * A.body + i] : 0;
            udot[c] += B.body >= 0 ? Jb[i] * a[6 * B.body + i] : 0;
        }
    }
    if (kind == CLV_JOINT_SPHERICAL || kind == CLV_JOINT_FREE)
        relative_quaternion(&A, &B, q + (kind == CLV_JOINT_FREE ? 3 : 0));
}

/* A free direction as a velocity field through b's joint point: directions, and which body carries them. */
typedef struct field {
    real linear[3], angular[3];
    real linear_dot[3], angular_dot[3];
} field;

static void carry(const oracle_end *end, int axis, real factor, real x[3], real xdot[3])
{
    real turned[3];
    v3_cross(turned, end->w, end->E[axis]);
    v3_add_scaled(x, factor, end->E[axis]);
    v3_add_scaled(xdot, factor, turned);
}

static void free_field(const clv_joint *j, int c, const oracle_end *A, const oracle_end *B, field *f)
{
    memset(f, 0, sizeof *f);
    switch (j->kind) {
    case CLV_JOINT_PRISMATIC:
        carry(A, 2, 1, f->linear, f->linear_dot);
        break;
    case CLV_JOINT_HELICAL:
        carry(B, 2, (real)j->more->pitch, f->linear, f->linear_dot);
        carry(B, 2, 1, f->angular, f->angular_dot);
        break;
    case CLV_JOINT_CYLINDRICAL:
        carry(B, 2, 1, c == 0 ? f->linear : f->angular, c == 0 ? f->linear_dot : f->angular_dot);
        break;
    case CLV_JOINT_UNIVERSAL:
        carry(c == 0 ? A : B, c, 1, f->angular, f->angular_dot);
        break;
    case CLV_JOINT_PLANAR:
        if (c < 2)
            carry(A, c, 1, f->linear, f->linear_dot);
        else
            carry(B, 2, 1, f->angular, f->angular_dot);
        break;
    case CLV_JOINT_FREE:
        if (c < 3)
            carry(A, c, 1, f->linear, f->linear_dot);
        else
            carry(B, c - 3, 1, f->angular, f->angular_dot);
        break;
    case CLV_JOINT_SPHERICAL:
        carry(B, c, 1, f->angular, f->angular_dot);
        break;
    default: /* revolute */
        carry(B, 2, 1, f->angular, f->angular_dot);
        break;
    }
}

/* p = sum over the outboard bodies of h . P, h = the field at the body's centre of mass, P = its momentum; its rate
 * with the applied loads alone, because the reactions of the joint do no work on h and closing impulses start from
 * zero. */
void oracle_joint_momentum(const oracle *o, int joint, const bool *outboard, real *p, real *pdot)
{
    const clv_joint *j = &o->model->joint[joint];
    real *P = oracle_allocate(2 * (size_t)o->n, sizeof *P), *Q = P + o->n;
    oracle_end A, B;
    oracle_ends(o, joint, &A, &B);
    real vO[3], sign = j->b >= 0 && outboard[j->b] ? 1 : -1;
    v3_cross(vO, B.w, B.arm);
    v3_add_scaled(vO, 1, B.v);
    oracle_mass_times(o, o->V, P);
    oracle_loads(o, Q);
    for (int c = 0; c < oracle_joint_freedoms(j->kind); c++) {
        field f;
        free_field(j, c, &A, &B, &f);
        p[c] = pdot[c] = 0;
        for (int i = 0; i < o->model->nbody; i++) {
            real arm[3], rate[3], h[3], hd[3], x[3];
            if (!outboard[i])
                continue;
            for (int k = 0; k < 3; k++) {
                arm[k] = o->r[3 * i + k] - B.r[k] - B.arm[k];
                rate[k] = o->V[6 * i + k] - vO[k];
            }
            v3_cross(h, f.angular, arm);
            v3_add_scaled(h, 1, f.linear);
            v3_cross(hd, f.angular_dot, arm);
            v3_cross(x, f.angular, rate);
            v3_add_scaled(hd, 1, x);
            v3_add_scaled(hd, 1, f.linear_dot);
            const real *Pi = P + 6 * i, *Qi = Q + 6 * i;
            p[c] += sign * (v3_dot(h, Pi) + v3_dot(f.angular, Pi + 3));
            pdot[c] +=
                sign * (v3_dot(hd, Pi) + v3_dot(f.angular_dot, Pi + 3) + v3_dot(h, Qi) + v3_dot(f.angular, Qi + 3));
        }
    }
    free(P);
}
