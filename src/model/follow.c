/* SPDX-License-Identifier: Apache-2.0
 * Start coordinates that follow by couplings (T7, T98).  The start gives all joints of a coupling with an offset but
 * one, or motions do: that one starts where the coupling holds.  For two joints this is q2 = ratio q1 + offset, or
 * q1 = (q2 - offset) / ratio.  The joint under a polynomial or table leads and never follows.  So it continues along
 * chains.  A coordinate that is given, prescribed or determined by two given poses stays.  Called by
 * clv_model_resolve. */
#include "model/follow.h"
#include "model/coupling.h"
#include "model/profile.h"
#include <math.h>
#include "base/memory.h"

typedef struct following {
    clv_model *m;
    char *known;       /* (njoint) its start coordinate is settled                                     */
    char *second;      /* (njoint) follows by a coupling with an offset                                */
    double *q;         /* (njoint) that coordinate: m, rad                                             */
    int *head, *next;  /* (njoint) (nterm) terms of a joint, -1 at the end                             */
    int nterm, *of;    /* terms of all couplings, and the coupling of each                             */
    int *queue, nqueue;
    bool any;          /* a joint has been made to follow                                              */
} following;

/* The joint that follows in the first place: `second`, and the last one of a sum. */
static int follower(const clv_coupling *c) { return c->sum ? c->nterm - 1 : 0; }

/* The terms of every joint, `first` of a coupling before its `second`. */
static void list_terms(following *f)
{
    const clv_model *m = f->m;
    for (int j = 0; j < m->njoint; j++)
        f->head[j] = -1;
    for (int k = m->ncoupling - 1, t = f->nterm; k >= 0; k--) {
        const clv_coupling *c = &m->coupling[k];
        for (int i = 0; i < c->nterm; i++) {
            const int j = c->term[i].joint;
            f->of[--t] = k, f->next[t] = f->head[j], f->head[j] = t;
        }
        if (!isnan(c->offset))
            f->second[c->term[follower(c)].joint] = 1;
    }
}

static bool open_following(following *f, clv_model *m)
{
    size_t n = (size_t)m->njoint;
    *f = (following){.m = m};
    for (int k = 0; k < m->ncoupling; k++)
        f->nterm += m->coupling[k].nterm;
    f->known = clv_alloc(n + 1, 1), f->second = clv_alloc(n + 1, 1), f->q = clv_alloc(n + 1, sizeof(double));
    f->head = clv_alloc(n + 1, sizeof(int)), f->next = clv_alloc((size_t)f->nterm + 1, sizeof(int));
    f->queue = clv_alloc(n + 1, sizeof(int)), f->of = clv_alloc((size_t)f->nterm + 1, sizeof(int));
    if (!f->known || !f->second || !f->q || !f->head || !f->next || !f->queue || !f->of)
        return false;
    list_terms(f);
    return true;
}

static void close_following(following *f)
{
    clv_free(f->known), clv_free(f->second), clv_free(f->q), clv_free(f->head), clv_free(f->next), clv_free(f->queue);
    clv_free(f->of);
}

static void settle(following *f, int joint, double q)
{
    if (f->known[joint])
        return;
    f->known[joint] = 1, f->q[joint] = q;
    f->queue[f->nqueue++] = joint;
}

/* Do given poses determine the coordinate? */
static bool told_by_poses(const clv_model *m, const clv_joint *j)
{
    return (j->a == CLV_GROUND || m->body[j->a].placed) && (j->b == CLV_GROUND || m->body[j->b].placed);
}

/* The term of a coupling whose joint alone is not known, if it can follow; -1: there is none. */
static int unknown_term(const following *f, const clv_coupling *c)
{
    int found = -1;
    for (int i = 0; i < c->nterm; i++) {
        if (f->known[c->term[i].joint])
            continue;
        if (found >= 0)
            return -1;
        found = i;
    }
    return found >= 0 && !clv_coupling_curved(c, found) && c->term[found].factor != 0 ? found : -1;
}

/* the joint of coupling k that alone is not known takes its coordinate from the others */
static void follow(following *f, int k)
{
    const clv_coupling *c = &f->m->coupling[k];
    const int i = isnan(c->offset) ? -1 : unknown_term(f, c);
    if (i < 0 || told_by_poses(f->m, &f->m->joint[c->term[i].joint]))
        return;
    clv_joint *j = &f->m->joint[c->term[i].joint];
    double left = c->offset, x[3];
    for (int t = 0; t < c->nterm; t++) {
        if (t == i)
            continue;
        clv_coupling_term_at(c, t, f->q[c->term[t].joint], x);
        left -= x[0];
    }
    j->follows = true;
    j->follow = left / c->term[i].factor;
    f->any = true;
    settle(f, c->term[i].joint, j->follow);
}

static void spread(following *f)
{
    for (int i = 0; i < f->nqueue; i++)
        for (int t = f->head[f->queue[i]]; t >= 0; t = f->next[t])
            follow(f, f->of[t]);
    f->nqueue = 0;
}

/* coordinates that the start gives or motions prescribe */
static void settle_given(following *f)
{
    clv_model *m = f->m;
    for (int i = 0; i < m->nmotion; i++) {
        clv_motion x = m->motion[i];
        double q, u, a;
        if (x.table.n > 0)
            clv_series_prepare(&x.table, x.end_rate);
        else if (isnan(x.offset)) /* starts where the joint is */
            continue;
        clv_motion_at(&x, 0, &q, &u, &a);
        settle(f, x.joint, q);
    }
    for (int j = 0; j < m->njoint; j++)
        if (m->joint[j].has_q && clv_joint_table[m->joint[j].kind].nq == 1)
            settle(f, j, m->joint[j].q[0]);
    spread(f);
}

/* the pose of a joint settles its coordinate; round 0: not of those that may still follow */
static void settle_pose(following *f, int j, int round)
{
    const clv_model *m = f->m;
    double q[7] = {0};
    if (f->known[j] || (round == 0 && f->second[j] && !told_by_poses(m, &m->joint[j])))
        return;
    if (!m->joint[j].given) /* a short form starts at zero */
        clv_joint_start(m, &m->joint[j], q);
    settle(f, j, q[0]);
    spread(f);
}

/* then those of the poses: of joints that lead only, and of what is left */
static void settle_posed(following *f)
{
    const clv_model *m = f->m;
    for (int round = 0; round < 2; round++)
        for (int k = 0; k < m->ncoupling; k++) {
            const clv_coupling *c = &m->coupling[k];
            for (int i = 0; i < c->nterm; i++) /* `first` before `second` */
                settle_pose(f, c->term[c->sum ? i : c->nterm - 1 - i].joint, round);
        }
}

clv_status clv_model_follow(clv_model *m, bool poses, bool *any)
{
    following f;
    bool ok = open_following(&f, m);
    *any = false;
    if (ok) {
        for (int j = 0; j < m->njoint && !poses; j++)
            m->joint[j].follows = false;
        settle_given(&f);
        for (int j = 0; j < m->njoint && poses; j++)
            if (m->joint[j].follows)
                f.known[j] = 1;
        f.any = false;
        if (poses)
            settle_posed(&f);
        *any = f.any;
    }
    close_following(&f);
    return ok ? CLV_OK : CLV_ERR_MEMORY;
}
