/* SPDX-License-Identifier: Apache-2.0
 * Links that fixed joints hold together become one body, that of the link nearest to the root.  Its inertia is the sum
 * of theirs about the common centre of mass. */
#include "base/memory.h"
#include "io/import.h"
#include "math/rotation.h"
#include <string.h>

void clv_frame_identity(clv_frame *f)
{
    memset(f->p, 0, sizeof f->p);
    clv_mat3_identity(f->R);
}

void clv_frame_turn(clv_frame *f, const double rpy[3])
{
    double Rx[9], Ry[9], Rz[9], A[9];
    clv_rotation_about(Rx, 0, rpy[0]), clv_rotation_about(Ry, 1, rpy[1]), clv_rotation_about(Rz, 2, rpy[2]);
    clv_mat3_product(A, Rz, Ry);
    clv_mat3_product(f->R, A, Rx);
}

void clv_frame_product(clv_frame *c, const clv_frame *a, const clv_frame *b)
{
    clv_frame x;
    clv_mat3_times(x.p, a->R, b->p);
    for (int i = 0; i < 3; i++)
        x.p[i] += a->p[i];
    clv_mat3_product(x.R, a->R, b->R);
    *c = x;
}

void clv_frame_inverse(clv_frame *y, const clv_frame *x)
{
    clv_frame f;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            f.R[3 * i + k] = x->R[3 * k + i];
    clv_mat3_times(f.p, f.R, x->p);
    for (int i = 0; i < 3; i++)
        f.p[i] = -f.p[i];
    *y = f;
}

/* ---------------------------------------------------------------- inertia */

/* J (6) turned by R: R J R^T. */
static void turn(double out[6], const double J[6], const double R[9])
{
    const double M[9] = {J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2]};
    double A[9], B[9];
    clv_mat3_product(A, R, M);
    clv_mat3_product_transpose(B, A, R);
    const double whole[6] = {B[0], B[4], B[8], (B[1] + B[3]) / 2, (B[2] + B[6]) / 2, (B[5] + B[7]) / 2};
    memcpy(out, whole, sizeof whole);
}

/* J += m (d.d 1 - d d^T): from the centre of mass to a point at distance d. */
static void shift(double J[6], double m, const double d[3])
{
    J[0] += m * (d[1] * d[1] + d[2] * d[2]);
    J[1] += m * (d[0] * d[0] + d[2] * d[2]);
    J[2] += m * (d[0] * d[0] + d[1] * d[1]);
    J[3] -= m * d[0] * d[1];
    J[4] -= m * d[0] * d[2];
    J[5] -= m * d[1] * d[2];
}

static bool is_empty(const clv_inertia_part *x)
{
    for (int i = 0; i < 6; i++)
        if (x->J[i] != 0)
            return false;
    return x->mass == 0;
}

static bool is_identity(const double R[9])
{
    double unit[9];
    clv_mat3_identity(unit);
    return memcmp(unit, R, sizeof unit) == 0;
}

void clv_inertia_add(clv_inertia_part *sum, const clv_inertia_part *part, const clv_frame *f)
{
    clv_inertia_part x = *part;
    if (is_empty(part))
        return;
    clv_mat3_times(x.com, f->R, part->com);
    for (int i = 0; i < 3; i++)
        x.com[i] += f->p[i];
    if (!is_identity(f->R))
        turn(x.J, part->J, f->R);
    if (is_empty(sum)) {
        *sum = x;
        return;
    }
    const double mass = sum->mass + x.mass;
    double com[3], d[3];
    for (int i = 0; i < 3; i++)
        com[i] = mass != 0 ? (sum->mass * sum->com[i] + x.mass * x.com[i]) / mass : 0;
    clv_sub3(d, sum->com, com);
    shift(sum->J, sum->mass, d);
    clv_sub3(d, x.com, com);
    shift(sum->J, x.mass, d);
    for (int i = 0; i < 6; i++)
        sum->J[i] += x.J[i];
    sum->mass = mass;
    clv_copy3(sum->com, com);
}

/* ---------------------------------------------------------------- links */

/* Frame and body of a link whose parent has them. */
static void place(clv_import *I, clv_link *l, int self)
{
    const clv_rod *j = l->up >= 0 ? &I->rod[l->up] : NULL;
    const clv_link *parent = j ? &I->link[j->parent] : NULL;
    l->base = self;
    clv_frame_identity(&l->at);
    if (j && j->kind == CLV_JOINT_FIXED) {
        l->base = parent->base;
        clv_frame_product(&l->at, &parent->at, &j->at);
    } else if (!j && !l->floating)
        l->base = -1;
}

/* Links in an order in which parents come first; false: some are in a cycle, or out of memory. */
static bool order(clv_import *I, int *list)
{
    const size_t n = I->nlink;
    int *first = clv_alloc(2 * n + 1, sizeof *first), *next = first ? first + n : NULL;
    size_t done = 0;
    if (!first)
        return clv_read_out_of_memory(I->r), false;
    for (size_t i = n; i-- > 0;) {
        const int up = I->link[i].up;
        next[i] = -1;
        if (up < 0)
            continue;
        const int parent = I->rod[up].parent;
        next[i] = first[parent] - 1; /* first counts from 1: zeroed */
        first[parent] = (int)i + 1;
    }
    for (size_t i = 0; i < n; i++)
        if (I->link[i].up < 0)
            list[done++] = (int)i;
    for (size_t k = 0; k < done; k++)
        for (int child = first[list[k]] - 1; child >= 0; child = next[child])
            list[done++] = child;
    clv_free(first);
    return done == n;
}

/* Names a link that no root leads to. */
static void tell_cycle(clv_import *I)
{
    for (size_t i = 0; i < I->nlink; i++) {
        int at = (int)i;
        for (size_t k = 0; k < I->nlink && I->link[at].up >= 0; k++)
            at = I->rod[I->link[at].up].parent;
        if (I->link[at].up < 0)
            continue;
        clv_import_fail(I, I->rod[I->link[at].up].node,
                        "a robot is a tree of links; loops are given in a side file (docs/robots.md)",
                        "the joints above link '%s' form a cycle", I->link[at].name);
        return;
    }
}

bool clv_robot_lump(clv_import *I)
{
    int *list = clv_alloc(I->nlink + 1, sizeof *list);
    const bool good = list && order(I, list);
    if (!list)
        clv_read_out_of_memory(I->r);
    else if (!good && !I->r->memory)
        tell_cycle(I);
    for (size_t k = 0; good && k < I->nlink; k++) {
        clv_link *l = &I->link[list[k]];
        place(I, l, list[k]);
        if (l->base >= 0)
            clv_inertia_add(&I->link[l->base].whole, &l->own, &l->at);
        else if (!is_empty(&l->own))
            clv_import_drop(I, l->node, false, "inertia of fixed links",
                            "inertia of link '%s', which is fixed to the ground", l->name);
    }
    clv_free(list);
    return good;
}
