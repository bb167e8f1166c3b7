/* SPDX-License-Identifier: Apache-2.0
 * Bodies with coordinates of their own between vectors in the model's order and a few rows (T44).  For the lane kernels
 * that predict and give: block by block of rows, whose numbers so stay in the first cache. */
#ifndef CLV_KINEMATICS_ROW_TRIAL_BORDER_H
#define CLV_KINEMATICS_ROW_TRIAL_BORDER_H
#include <stdint.h>
#include <string.h>
#include "kinematics/row_trial_lane.h"

/* of one body, whose numbers are those at `at` */
typedef void body_pass(const clv_row_border *c, int body, double *at);

/* Bodies of a strand mostly follow one another in the model: n numbers of the one a block further on are brought into
 * the cache, to be read or written.  A hint that changes nothing else. */
static inline const void *ahead(const double *x, int n)
{
    const uintptr_t at = (uintptr_t)x + sizeof *x * (size_t)(CLV_TRIAL_BLOCK * n); /* may lie beyond the array */
    return (const void *)at; /* NOLINT(performance-no-int-to-ptr) */
}
static inline void expect(const double *x, int n) { __builtin_prefetch(ahead(x, n)); }
static inline void expect_to(const double *x, int n) { __builtin_prefetch(ahead(x, n), 1); }

static inline void take_body(const clv_row_border *c, int b, double *to)
{
    static const double none[7] = {0};
    const clv_tree_joint *t = &c->absolute->tree[b];
    const int nq = c->absolute->nq;
    expect(c->y + t->iq, 7), expect(c->y + nq + t->iu, 6);
    if (c->aux)
        expect(c->ydot + nq + t->iu, 6), expect(c->aux + 7 * (size_t)b, 7);
    clv_row_put(to, 7, c->y + t->iq), clv_row_put(to + CLV_TRIAL_U * G8, 6, c->y + nq + t->iu);
    clv_row_put(to + CLV_TRIAL_UD * G8, 6, c->ydot ? c->ydot + nq + t->iu : none);
    clv_row_put(to + CLV_TRIAL_AUX * G8, 7, c->aux ? c->aux + 7 * (size_t)b : none);
}

static inline void take_auxiliary(const clv_row_border *c, int b, double *to)
{
    const clv_tree_joint *t = &c->absolute->tree[b];
    const int nq = c->absolute->nq;
    expect_to(c->to_y + t->iq, 7), expect_to(c->to_y + nq + t->iu, 6), expect_to(c->to_aux + 7 * (size_t)b, 7);
    expect_to(c->to_ydot + t->iq, 7), expect_to(c->to_ydot + nq + t->iu, 6);
    clv_row_put(to + CLV_TRIAL_AUX * G8, 7, c->aux + 7 * (size_t)b);
}

static inline void put_out_body(const clv_row_border *c, int b, double *from)
{
    const clv_tree_joint *t = &c->absolute->tree[b];
    const int nq = c->absolute->nq;
    if (c->to_y)
        clv_row_get(from, 7, c->to_y + t->iq), clv_row_get(from + CLV_TRIAL_U * G8, 6, c->to_y + nq + t->iu);
    clv_row_get(from + CLV_TRIAL_QDOT * G8, 7, c->to_ydot + t->iq);
    clv_row_get(from + CLV_TRIAL_UD * G8, 6, c->to_ydot + nq + t->iu);
    if (c->to_aux)
        clv_row_get(from + CLV_TRIAL_AUX * G8, 7, c->to_aux + 7 * (size_t)b);
}

/* lane by lane, so that the numbers of a strand come in stretches; returns how many bodies there are */
static inline int cross_border(const clv_row_trials *r, const clv_row_border *c, const clv_row_block_place *at,
                               double *block, body_pass *body)
{
    const clv_plan *p = r->rows.plan;
    const clv_group *g = &p->group[at->group];
    int n = 0;
    for (int l = 0; l < g->nstrand; l++) {
        const clv_strand *k = &p->strand[g->strand[l]];
        const int *bodies = p->bodies + k->first;
        for (int i = at->next[l]; i < k->length; i++, n++) {
            const int slot = r->rows.slot[bodies[i]], row = slot / G8 - at->row;
            if (row >= CLV_TRIAL_BLOCK)
                break;
            body(c, bodies[i], block + (size_t)row * CLV_TRIAL_GIVEN * G8 + slot % G8);
        }
    }
    return n;
}

/* slots that are no bodies: at rest, in a place */
static inline void clear_block(double *block)
{
    memset(block, 0, sizeof(double) * CLV_TRIAL_BLOCK * CLV_TRIAL_GIVEN * G8);
    for (int i = 0; i < CLV_TRIAL_BLOCK * G8; i++)
        block[(size_t)(i / G8 * CLV_TRIAL_GIVEN + 3) * G8 + (size_t)(i % G8)] = 1.0;
}

/* the first block of a group (row -1 before), or the next one */
static inline void next_block(const clv_row_trials *r, int group, clv_row_block_place *at)
{
    const clv_plan *p = r->rows.plan;
    const clv_group *g = &p->group[group];
    const bool again = at->group == group && at->row >= 0;
    at->group = group, at->row = again ? at->row + CLV_TRIAL_BLOCK : r->rows.first[group];
    for (int l = 0; l < g->nstrand; l++) {
        const clv_strand *k = &p->strand[g->strand[l]];
        int i = again ? at->next[l] : 0;
        while (i < k->length && r->rows.slot[p->bodies[k->first + i]] / G8 < at->row)
            i++;
        at->next[l] = i;
    }
}

/* numbers of the bodies of a block (CLV_TRIAL_BLOCK x CLV_TRIAL_GIVEN x 8) */
static inline void take_block(const clv_row_trials *r, const clv_row_border *from, const clv_row_block_place *at,
                              double *block)
{
    if (cross_border(r, from, at, block, take_body) == CLV_TRIAL_BLOCK * G8)
        return;
    clear_block(block);
    cross_border(r, from, at, block, take_body);
}

/* the auxiliary accelerations alone */
static inline void take_auxiliaries(const clv_row_trials *r, const clv_row_border *from, const clv_row_block_place *at,
                                    double *block)
{
    if (from->aux)
        cross_border(r, from, at, block, take_auxiliary);
}

static inline void put_out_block(const clv_row_trials *r, const clv_row_border *to, const clv_row_block_place *at,
                                 double *block)
{
    cross_border(r, to, at, block, put_out_body);
}

#endif
