/* SPDX-License-Identifier: Apache-2.0
 * Start coordinates that follow by couplings (T7).  Where the start gives one joint of a coupling with an offset, or a
 * motion prescribes it, the other starts at q2 = ratio q1 + offset, or at q1 = (q2 - offset) / ratio.  So it continues
 * along chains.  A coordinate that is given, prescribed or determined by two given poses stays.  Called by
 * clv_model_resolve. */
#include "model/follow.h"
#include "model/profile.h"
#include <math.h>
#include "base/memory.h"

typedef struct following {
    clv_model *m;
    char *known;       /* (njoint) its start coordinate is settled                                     */
    char *second;      /* (njoint) the second joint of a coupling with an offset                       */
    double *q;         /* (njoint) that coordinate: m, rad                                             */
    int *head, *next;  /* (njoint) (2 ncoupling) couplings of a joint: 2 k + side, -1 at the end       */
    int *queue, nqueue;
    bool any;          /* a joint has been made to follow                                              */
} following;

static bool open_following(following *f, clv_model *m)
{
    size_t n = (size_t)m->njoint, nc = (size_t)m->ncoupling;
    *f = (following){.m = m};
    f->known = clv_alloc(n + 1, 1), f->second = clv_alloc(n + 1, 1), f->q = clv_alloc(n + 1, sizeof(double));
    f->head = clv_alloc(n + 1, sizeof(int)), f->next = clv_alloc(2 * nc + 1, sizeof(int));
    f->queue = clv_alloc(n + 1, sizeof(int));
    if (!f->known || !f->second || !f->q || !f->head || !f->next || !f->queue)
        return false;
    for (int j = 0; j < m->njoint; j++)
        f->head[j] = -1;
    for (int k = 2 * m->ncoupling - 1; k >= 0; k--) {
        const clv_coupling *c = &m->coupling[k / 2];
        int j = k % 2 ? c->second : c->first;
        f->next[k] = f->head[j], f->head[j] = k;
        if (k % 2 && !isnan(c->offset))
            f->second[j] = 1;
    }
    return true;
}

static void close_following(following *f)
{
    clv_free(f->known), clv_free(f->second), clv_free(f->q), clv_free(f->head), clv_free(f->next), clv_free(f->queue);
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

/* the joint at the other side of coupling k / 2 takes its coordinate from the one at side k % 2 */
static void follow(following *f, int k)
{
    const clv_coupling *c = &f->m->coupling[k / 2];
    int from = k % 2 ? c->second : c->first, to = k % 2 ? c->first : c->second;
    clv_joint *j = &f->m->joint[to];
    if (isnan(c->offset) || c->ratio == 0 || f->known[to] || told_by_poses(f->m, j))
        return;
    j->follows = true;
    j->follow = k % 2 ? (f->q[from] - c->offset) / c->ratio : c->ratio * f->q[from] + c->offset;
    f->any = true;
    settle(f, to, j->follow);
}

static void spread(following *f)
{
    for (int i = 0; i < f->nqueue; i++)
        for (int k = f->head[f->queue[i]]; k >= 0; k = f->next[k])
            follow(f, k);
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

/* then those of the poses: of joints that lead only, and of what is left */
static void settle_posed(following *f)
{
    clv_model *m = f->m;
    for (int round = 0; round < 2; round++)
        for (int k = 0; k < 2 * m->ncoupling; k++) {
            int j = k % 2 ? m->coupling[k / 2].second : m->coupling[k / 2].first;
            double q[7] = {0};
            if (f->known[j] || (round == 0 && f->second[j] && !told_by_poses(m, &m->joint[j])))
                continue;
            if (!m->joint[j].global) /* a short form starts at zero */
                clv_joint_start(m, &m->joint[j], q);
            settle(f, j, q[0]);
            spread(f);
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
