/* SPDX-License-Identifier: Apache-2.0
 * MJCF: inertia of bodies: <inertial>, bounds and total mass of the compiler, weightless rotors of free joints, and
 * weights that gravcomp balances. */
#include "io/mjcf.h"
#include "math/rotation.h"
#include "math/symmetric.h"
#include <math.h>
#include <string.h>

void clv_mjcf_inertia(clv_mjcf *M, unsigned node, clv_inertia_part *own)
{
    const clv_item e = {.node = node, .class = -1};
    clv_inertia_part part = {0};
    clv_frame f;
    clv_import_need(M->I, node, "pos");
    clv_mjcf_frame(M, e, &f);
    clv_import_need(M->I, node, "mass");
    part.mass = clv_import_number(M->I, node, "mass", 0);
    const bool diagonal = clv_mjcf_at(M, e, "diaginertia") != 0, full = clv_mjcf_at(M, e, "fullinertia") != 0;
    if (diagonal && full)
        clv_import_fail(M->I, node, "diaginertia: 3 numbers; fullinertia: xx yy zz xy xz yz",
                        "<inertial> has both diaginertia and fullinertia");
    if (diagonal || full) /* else a point mass */
        clv_import_numbers(M->I, node, full ? "fullinertia" : "diaginertia", part.J, full ? 6 : 3);
    if (part.mass < 0)
        clv_import_fail(M->I, node, "", "the mass is %g kg: it cannot be negative", part.mass);
    clv_inertia_add(own, &part, &f);
}

/* ---------------------------------------------------------------- the compiler */

void clv_mjcf_bound(const clv_mjcf *M, clv_inertia_part *own)
{
    const double *J = own->J;
    double A[9] = {J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2]}, moment[3], V[9];
    own->mass = fmax(own->mass, M->c.bound_mass);
    if (!(M->c.bound_inertia > 0) && !M->c.balance)
        return;
    clv_symmetric_eigen(moment, V, A, 3);
    const bool unbalanced = M->c.balance && fmax(moment[0], M->c.bound_inertia) + fmax(moment[1], M->c.bound_inertia) <
                                                fmax(moment[2], M->c.bound_inertia);
    if (moment[0] >= M->c.bound_inertia && !unbalanced)
        return;
    for (int i = 0; i < 3; i++)
        moment[i] = fmax(moment[i], M->c.bound_inertia);
    if (unbalanced)
        moment[0] = moment[1] = moment[2] = (moment[0] + moment[1] + moment[2]) / 3;
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++) {
        own->J[k] = 0;
        for (int i = 0; i < 3; i++)
            own->J[k] += moment[i] * V[3 * row[k] + i] * V[3 * column[k] + i];
    }
}

/* Nothing moves the link. */
static bool is_static(const clv_import *I, int link)
{
    int k = I->link[link].up;
    while (k >= 0 && I->rod[k].kind == CLV_JOINT_FIXED)
        k = I->link[I->rod[k].parent].up;
    return k < 0;
}

void clv_mjcf_total(clv_mjcf *M)
{
    clv_import *I = M->I;
    double total = 0, fused = 0;
    if (!(M->c.total_mass > 0))
        return;
    for (size_t i = 0; i < I->nlink; i++) {
        total += I->link[i].own.mass;
        fused += M->c.fuse && is_static(I, (int)i) ? I->link[i].own.mass : 0;
    }
    if (!(total > 0))
        return;
    if (fused > 0)
        clv_import_drop(I, M->c.fuse, true, "fusestatic", "fusestatic: settotalmass counts %g kg that do not move",
                        fused);
    const double scale = M->c.total_mass / total;
    for (size_t i = 0; i < I->nlink; i++) {
        I->link[i].own.mass *= scale;
        for (int k = 0; k < 6; k++)
            I->link[i].own.J[k] *= scale;
    }
}

/* ---------------------------------------------------------------- weights */

/* A constant force at a point of a link. */
static void push(clv_mjcf *M, const char *name, unsigned node, int link, const double p[3], double factor)
{
    clv_push *f = name && factor != 0 ? CLV_IMPORT_MORE(M->I, push) : NULL;
    if (!f)
        return;
    *f = (clv_push){.name = name, .node = node, .link = link};
    clv_copy3(f->p, p);
    for (int i = 0; i < 3; i++)
        f->vector[i] = -factor * M->gravity[i];
}

/* The armature a of a free joint is a point mass a at the origin of the body and an inertia a about every axis, without
 * weight. */
static void free_rotor(clv_mjcf *M, clv_rod *j)
{
    const double a = j->armature, origin[3] = {0, 0, 0};
    const clv_inertia_part part = {.mass = a, .J = {a, a, a}};
    clv_frame unit;
    clv_frame_identity(&unit);
    clv_inertia_add(&M->I->link[j->child].own, &part, &unit);
    j->armature = 0;
    push(M, clv_import_text(M->I, "%s.armature", j->name), j->node, j->child, origin, a);
}

/* It is a passive force: without springs and dampers there is none of them. */
static void carry(clv_mjcf *M)
{
    clv_import *I = M->I;
    bool any = false;
    for (size_t i = 1; i < I->nlink; i++) {
        const clv_link *l = &I->link[i];
        const double part = l->hidden ? 0 : clv_import_number(I, l->node, "gravcomp", 0);
        if (part == 0 || !(l->own.mass > 0) || (M->off.spring && M->off.damper))
            continue;
        any = true;
        push(M, clv_import_text(I, "%s.gravcomp", l->name), l->node, (int)i, l->own.com, part * l->own.mass);
    }
    if (any && M->by_actuators && (M->nact == 0 || M->off.actuation))
        clv_import_drop(I, M->by_actuators, true, "gravcomp",
                        "gravcomp by actuators (actuatorgravcomp), where none is: MuJoCo leaves it out");
}

void clv_mjcf_weights(clv_mjcf *M)
{
    clv_import *I = M->I;
    carry(M);
    for (size_t k = 0; k < I->nrod; k++)
        if (I->rod[k].kind == CLV_JOINT_FREE && I->rod[k].armature > 0)
            free_rotor(M, &I->rod[k]);
}
