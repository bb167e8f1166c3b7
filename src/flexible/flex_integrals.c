/* SPDX-License-Identifier: Apache-2.0
 * Integrals from the mass matrix (T33.3): mass, com, J, S and h by the products of M with rigid motions.  E and B are
 * those of flex_moments.h. */
#include "flexible/flex_integrals.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/rotation.h"
#include "flexible/flex_moments.h"

#include <math.h>
#include <string.h>

#define RIGID 1e-6 /* relative: what rigid motions may cost, and how unlike the mass may be along x, y, z */

void clv_fe_times(double *y, const double *Q, const double *x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = clv_fe_dot(Q + (size_t)i * (size_t)n, x, n);
}

double clv_fe_dot(const double *x, const double *y, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += x[i] * y[i];
    return s;
}

void clv_fe_rigid(double u[6], const double at[3], const double about[3], int d)
{
    double arm[3], axis[3] = {0};
    axis[d % 3] = 1;
    memset(u, 0, 6 * sizeof *u);
    clv_sub3(arm, at, about);
    if (d < 3)
        u[d] = 1;
    else {
        clv_cross(u, axis, arm);
        u[d] = 1;
    }
}

/* The six rigid motions by body axes (F: 6 vectors of 6 nnode): about the frame, along the columns of R. */
static void rigid_fields(double *F, const clv_fe *fe, const double R[9])
{
    const double *about = fe->interface[fe->frame].position;
    size_t N = 6 * (size_t)fe->nnode;
    for (int k = 0; k < fe->nnode; k++)
        for (int d = 0; d < 6; d++) {
            double u[6];
            clv_fe_rigid(u, fe->position + 3 * k, about, d);
            for (int j = 0; j < 3; j++) /* body axis j = sum over d of R_dj */
                for (int i = 0; i < 6; i++)
                    F[(size_t)(d < 3 ? j : 3 + j) * N + 6 * (size_t)k + (size_t)i] += R[3 * (d % 3) + j] * u[i];
        }
}

/* ---------------------------------------------------------------- is it a body? */

/* Largest force of a rigid motion, relative to the sum of the sizes it is the difference of; *worst: its row. */
static double rigid_force(const clv_fe *fe, const double *u, int *worst)
{
    int n = 6 * fe->nnode;
    double most = 0;
    for (int i = 0; i < n; i++) {
        double s = 0, size = 0;
        for (int k = 0; k < n; k++) {
            double f = fe->K[(size_t)i * (size_t)n + (size_t)k] * u[k];
            s += f;
            size += fabs(f);
        }
        if (size > 0 && fabs(s) > most * size)
            most = fabs(s) / size, *worst = i;
    }
    return most;
}

clv_status clv_fe_check(const clv_fe *fe, clv_error *e)
{
    double R[9], *F = clv_alloc(36 * (size_t)fe->nnode, sizeof *F);
    clv_status status = CLV_OK;
    if (!F)
        return clv_fail(e, CLV_ERR_MEMORY, "out of memory");
    clv_mat3_identity(R);
    rigid_fields(F, fe, R);
    for (int d = 0; d < 6 && status == CLV_OK; d++) {
        int row = 0;
        double most = rigid_force(fe, F + 6 * (size_t)fe->nnode * (size_t)d, &row);
        if (most > RIGID) {
            status =
                clv_fail(e, CLV_ERR_MODEL, "the stiffness resists a %s of the whole body, at node %s (relative %.2g)",
                         d < 3 ? "translation" : "rotation", fe->name[row / 6], most);
            clv_error_hint(
                e, "remove supports from the matrix, joints hold the body; each node has 6 rows (3 translations, 3 "
                   "rotations), in the order of `nodes`");
        }
    }
    clv_free(F);
    return status;
}

/* ---------------------------------------------------------------- integrals */

static clv_status fill_rigid(clv_flex_body *b, const double *F, const double *MF, int N, clv_error *e)
{
    double G[36];
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++)
            G[6 * i + k] = clv_fe_dot(F + (size_t)i * (size_t)N, MF + (size_t)k * (size_t)N, N);
    double m = b->mass = (G[0] + G[7] + G[14]) / 3;
    bool good = m > 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            good = good && fabs(G[6 * i + k] - (i == k ? m : 0)) <= RIGID * m;
    if (!good) {
        clv_fail(e, CLV_ERR_MODEL, "the mass along x, y, z is %.6g, %.6g, %.6g: not one positive number", G[0], G[7],
                 G[14]);
        clv_error_hint(e, "the mass matrix must hold all mass of the body, also at supports");
        return CLV_ERR_MODEL;
    }
    b->com[0] = 0.5 * (G[6 * 4 + 2] * -1 + G[6 * 5 + 1]) / m; /* (e_y x c).z = -c_x, (e_z x c).y = c_x */
    b->com[1] = 0.5 * (G[6 * 3 + 2] - G[6 * 5 + 0]) / m;
    b->com[2] = 0.5 * (G[6 * 4 + 0] - G[6 * 3 + 1]) / m;
    const double *c = b->com;
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int i = 0; i < 6; i++)
        b->J[i] = G[6 * (3 + row[i]) + 3 + column[i]] - m * ((i < 3 ? clv_dot3(c, c) : 0) - c[row[i]] * c[column[i]]);
    return CLV_OK;
}

static bool fill_nodes(clv_flex *f, const clv_fe *fe, const double R[9], const double q[4], const double *V)
{
    const clv_fe_interface *frame = &fe->interface[fe->frame];
    clv_flex_node *node = f->node;
    double back[4], arm[3], moved[3];
    clv_quat_conjugate(back, q);
    for (int i = 0; i < fe->ninterface; i++) {
        const clv_fe_interface *at = &fe->interface[i];
        if (i == fe->frame)
            continue;
        if (!(node->name = clv_copy_text(at->name)))
            return false;
        clv_sub3(arm, at->position, frame->position);
        clv_mat3_transpose_times(node->position, R, arm);
        clv_quat_product(node->orientation, back, at->orientation);
        for (int k = 0; k < f->nmode; k++) { /* the rigid motion of its first node, at its position */
            const double *u = V + 6 * ((size_t)k * (size_t)fe->nnode + (size_t)at->node[0]);
            clv_sub3(arm, at->position, fe->position + 3 * at->node[0]);
            clv_cross(moved, u + 3, arm);
            clv_axpy3(moved, 1, u);
            clv_mat3_transpose_times(node->shape + 6 * k, R, moved);
            clv_mat3_transpose_times(node->shape + 6 * k + 3, R, u + 3);
        }
        node++;
    }
    return true;
}

clv_status clv_fe_integrals(clv_flex_body *b, const clv_fe *fe, const double *V, clv_error *e)
{
    clv_flex *f = &b->flex;
    const double *q = fe->interface[fe->frame].orientation;
    size_t N = 6 * (size_t)fe->nnode;
    double R[9], *F = clv_alloc(12 * N, sizeof *F);
    if (!F)
        return clv_fail(e, CLV_ERR_MEMORY, "out of memory");
    double *MF = F + 6 * N;
    clv_quat_rotation(R, q);
    rigid_fields(F, fe, R);
    for (int d = 0; d < 6; d++)
        clv_fe_times(MF + (size_t)d * N, fe->M, F + (size_t)d * N, (int)N);
    clv_status status = fill_rigid(b, F, MF, (int)N, e);
    for (int k = 0; k < f->nmode && status == CLV_OK; k++) {
        f->Mff[k * f->nmode + k] = 1;
        for (int d = 0; d < 3; d++) {
            f->S[3 * k + d] = clv_fe_dot(MF + (size_t)d * N, V + (size_t)k * N, (int)N);
            f->h[3 * k + d] = clv_fe_dot(MF + (size_t)(3 + d) * N, V + (size_t)k * N, (int)N);
        }
    }
    if (status == CLV_OK)
        status = clv_fe_moments(f, fe, R, V, e);
    if (status == CLV_OK && !fill_nodes(f, fe, R, q, V))
        status = clv_fail(e, CLV_ERR_MEMORY, "out of memory");
    clv_free(F);
    return status;
}
