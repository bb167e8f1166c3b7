/* SPDX-License-Identifier: Apache-2.0
 * Start velocities of bodies (T160.5).  In a segment a body may float that others hold.  So they are found in the whole
 * model, along a tree of joints from the ground, those first whose rates are given.  As in one process a joint has the
 * given rate, or the part of the given velocity of its body that it can do, or none.  Rates that do not fit loops are
 * found by the start of the simulation. */
#include <math.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "math/rotation.h"
#include "math/spatial.h"
#include "model/joint.h"
#include "model/joint_lists.h"
#include "ranks/cutting.h"

typedef struct walk {
    const clv_model *m;
    clv_joint_lists at;
    char *reached, *given;  /* (nbody), (njoint)                                                   */
    const clv_motion **drive; /* (njoint) or NULL                                                  */
    int *later, head, end;  /* joints without given rates, in the order in which they were met       */
    int *now, n;            /* others                                                               */
    double *V;              /* (nbody x 6) of the origins of bodies, global                          */
} walk;

static bool open_walk(walk *w, const clv_model *m)
{
    const size_t n = (size_t)m->nbody + 2, j = (size_t)m->njoint + 1;
    *w = (walk){.m = m,
                .reached = clv_alloc(n, 1), .given = clv_alloc(j, 1),
                .drive = clv_alloc(j, sizeof *w->drive), /* NOLINT(bugprone-sizeof-expression): pointers */
                .later = clv_alloc(2 * j, sizeof(int)), .now = clv_alloc(2 * j, sizeof(int)),
                .V = clv_alloc(n, 6 * sizeof *w->V)};
    return clv_joint_lists_open(&w->at, m, NULL) && w->reached && w->given && w->drive && w->later && w->now && w->V;
}

static void close_walk(walk *w)
{
    clv_joint_lists_close(&w->at), clv_free(w->reached), clv_free(w->given), clv_free(w->drive);
    clv_free(w->later), clv_free(w->now), clv_free(w->V);
}

static void list_given(walk *w)
{
    const clv_model *m = w->m;
    for (int i = 0; i < m->nmotion; i++)
        w->drive[m->motion[i].joint] = &m->motion[i];
    for (int j = 0; j < m->njoint; j++)
        w->given[j] = m->joint[j].has_u || w->drive[j];
}

/* frame of a joint on a body: axes, row major; its point, from the origin of the body and global */
static void frame_on(const clv_model *m, int body, const double E[9], const double p[3], double axes[9], double arm[3],
                     double point[3])
{
    double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (body >= 0)
        clv_quat_rotation(R, m->body[body].e);
    clv_mat3_product(axes, R, E), clv_mat3_times(arm, R, p);
    clv_copy3(point, arm);
    if (body >= 0)
        clv_axpy3(point, 1.0, m->body[body].r);
}

/* The velocity of a body from that of the body on the other side of a joint. */
static void pass(walk *w, int joint, int body)
{
    const clv_joint *j = &w->m->joint[joint];
    const bool outward = j->b == body;
    const int other = outward ? j->a : j->b;
    clv_joint_place at = {.d = {0}};
    double arm_a[3], arm_b[3], A[3], B[3], H[36], D[36], G[36], V[6] = {0}, own[6] = {0}, back[3];
    frame_on(w->m, j->a, j->Ea, j->pa, at.Ea, arm_a, A), frame_on(w->m, j->b, j->Eb, j->pb, at.Eb, arm_b, B);
    clv_sub3(at.d, B, A);
    clv_joint_table[j->kind].basis(j, &at, H, D), clv_joint_dual(j, H, G);
    clv_axpy3(arm_a, 1.0, at.d); /* to the point of b */
    if (other >= 0)
        clv_motion_shift(V, outward ? arm_a : arm_b, w->V + 6 * (size_t)other);
    if (w->m->body[body].moving)
        clv_motion_shift(own, outward ? arm_b : arm_a, w->m->body[body].moving);
    for (int i = 0; i < 6; i++)
        own[i] -= V[i];
    const double sign = outward ? 1 : -1;
    for (int c = 0; c < clv_joint_table[j->kind].nu; c++) {
        double q, rate = 0, qdd;
        if (w->drive[joint])
            clv_motion_at(w->drive[joint], w->m->begin, &q, &rate, &qdd);
        else if (j->has_u)
            rate = j->u[c];
        else if (w->m->body[body].moving)
            rate = sign * clv_dot6(G + 6 * c, own);
        for (int i = 0; i < 6; i++)
            V[i] += sign * rate * H[6 * c + i];
    }
    for (int i = 0; i < 3; i++)
        back[i] = outward ? -arm_b[i] : -arm_a[i];
    clv_motion_shift(w->V + 6 * (size_t)body, back, V);
}

static void offer(walk *w, int body)
{
    for (int i = w->at.first[body + 1]; i < w->at.first[body + 2]; i++) {
        const clv_joint *j = &w->m->joint[w->at.joint[i]];
        if (j->cut == 1 || j->absent || !clv_joint_table[j->kind].tree)
            continue;
        if (w->given[w->at.joint[i]])
            w->now[w->n++] = w->at.joint[i];
        else
            w->later[w->end++] = w->at.joint[i];
    }
}

static void go(walk *w)
{
    const clv_model *m = w->m;
    offer(w, CLV_GROUND);
    for (int base = 0;;) {
        while (w->n > 0 || w->head < w->end) {
            const int joint = w->n > 0 ? w->now[--w->n] : w->later[w->head++];
            const clv_joint *j = &m->joint[joint];
            const bool a = j->a < 0 || w->reached[j->a], b = j->b < 0 || w->reached[j->b];
            if (a == b)
                continue;
            const int body = a ? j->b : j->a;
            w->reached[body] = 1, pass(w, joint, body), offer(w, body);
        }
        while (base < m->nbody && w->reached[base])
            base++;
        if (base == m->nbody)
            return;
        w->reached[base] = 1;
        if (m->body[base].moving)
            memcpy(w->V + 6 * (size_t)base, m->body[base].moving, 6 * sizeof *w->V);
        offer(w, base);
    }
}

/* does anything move at the start? */
static bool moves(const clv_model *m)
{
    bool any = m->nmotion > 0;
    for (int b = 0; b < m->nbody; b++)
        any = any || m->body[b].moving;
    for (int j = 0; j < m->njoint; j++)
        any = any || m->joint[j].has_u;
    return any;
}

/* the first body whose given velocity its joints do not allow, -1: none */
static int missed(const walk *w)
{
    double most = 0;
    for (size_t i = 0; i < 6 * (size_t)w->m->nbody; i++)
        most = fmax(most, fabs(w->V[i]));
    for (int b = 0; b < w->m->nbody; b++)
        for (int i = 0; w->m->body[b].moving && i < 6; i++)
            if (!(fabs(w->V[6 * (size_t)b + (size_t)i] - w->m->body[b].moving[i]) <= 1e-6 * most))
                return b;
    return -1;
}

clv_status clv_cut_rates(clv_cut *cut, const clv_model *m, clv_error *e)
{
    walk w;
    if (!moves(m))
        return CLV_OK;
    int body = -1;
    const bool good = open_walk(&w, m);
    if (good) {
        list_given(&w), go(&w);
        body = missed(&w);
        cut->rate = w.V, w.V = NULL;
    }
    close_walk(&w);
    if (body >= 0)
        return clv_cut_refuse(e, "start.bodies", m->body[body].name, "start velocities that joints do not allow");
    return good ? CLV_OK : clv_fail(e, CLV_ERR_MEMORY, "out of memory");
}
