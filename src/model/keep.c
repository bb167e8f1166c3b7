/* SPDX-License-Identifier: Apache-2.0
 * Blocks of memory of a model, see keep.h.  A block is twice as large as the one before, up to a limit. */
#include "model/keep.h"
#include <math.h>
#include <string.h>
#include "base/memory.h"
#include "model/joint.h"

enum { FIRST_BLOCK = 256, LAST_BLOCK = 1 << 16, ALIGN = 8 }; /* bytes */

typedef struct block {
    struct block *before;
    size_t size, used;
    double text[]; /* aligned as numbers */
} block;

struct clv_keep {
    block *last;
    const clv_shape *shape; /* the last one that was kept */
};

const clv_joint_more clv_joint_plain = {.baumgarte = {NAN, NAN}, .alpha = NAN, .omega = NAN, .mu = NAN};
const clv_shape clv_shape_none = {.orientation = {1, 0, 0, 0}};

clv_keep *clv_keep_create(void) { return clv_alloc(1, sizeof(clv_keep)); }

void clv_keep_destroy(clv_keep *k)
{
    if (!k)
        return;
    for (block *b = k->last, *before; b; b = before)
        before = b->before, clv_free(b);
    clv_free(k);
}

void *clv_keep_take(clv_keep *k, size_t bytes, bool numbers)
{
    block *b = k->last;
    size_t at = b ? numbers ? (b->used + ALIGN - 1) / ALIGN * ALIGN : b->used : 0;
    if (!b || at > b->size || b->size - at < bytes) {
        const size_t twice = b ? 2 * b->size : FIRST_BLOCK;
        const size_t usual = twice < LAST_BLOCK ? twice : LAST_BLOCK, size = bytes > usual ? bytes : usual;
        b = clv_alloc(sizeof *b + size, 1);
        if (!b)
            return NULL;
        *b = (block){.before = k->last, .size = size};
        k->last = b, at = 0;
    }
    b->used = at + bytes;
    return (char *)b->text + at;
}

void *clv_keep_copy(clv_model *m, const void *x, size_t bytes)
{
    void *to = clv_keep_take(m->keep, bytes, true);
    return to ? memcpy(to, x, bytes) : NULL;
}

double *clv_keep_numbers(clv_model *m, const double *x, int n)
{
    return clv_keep_copy(m, x, (size_t)n * sizeof *x);
}

bool clv_keep_start(clv_model *m, clv_joint *j, const double *q, const double *u)
{
    const int nq = clv_joint_table[j->kind].nq, nu = clv_joint_table[j->kind].nu;
    double *to = clv_keep_take(m->keep, (size_t)(nq + nu) * sizeof *to, true);
    if (!to)
        return false;
    memcpy(to, q, (size_t)nq * sizeof *q), memcpy(to + nq, u, (size_t)nu * sizeof *u);
    j->q = to, j->u = to + nq;
    return true;
}

bool clv_keep_more(clv_model *m, clv_joint *j, const clv_joint_more *x)
{
    const double *R = x->armature, *g = x->baumgarte;
    const bool held = !isnan(g[0]) || !isnan(g[1]) || !isnan(x->alpha) || !isnan(x->omega) || !isnan(x->mu);
    const bool plain = x->pitch == 0 && x->distance == 0 && x->radius == 0 && !x->curve && R[0] == 0 && R[1] == 0 &&
                       R[2] == 0 && !held;
    const clv_joint_more *to = plain ? &clv_joint_plain : clv_keep_copy(m, x, sizeof *x);
    if (!to)
        return false;
    j->more = to;
    return true;
}

static bool equal(const clv_shape *a, const clv_shape *b)
{
    return a->kind == b->kind && memcmp(a->size, b->size, sizeof a->size) == 0 &&
           memcmp(a->at, b->at, sizeof a->at) == 0 &&
           memcmp(a->orientation, b->orientation, sizeof a->orientation) == 0 && a->npoint == b->npoint &&
           a->point == b->point && a->closed == b->closed && a->coloured == b->coloured &&
           memcmp(a->colour, b->colour, sizeof a->colour) == 0;
}

bool clv_keep_shape(clv_model *m, clv_body *b, const clv_shape *shape)
{
    const clv_shape *last = m->keep->shape;
    const clv_shape *to = equal(shape, &clv_shape_none) ? &clv_shape_none
                          : last && equal(shape, last)  ? last
                                                        : clv_keep_copy(m, shape, sizeof *shape);
    if (!to)
        return false;
    b->shape = m->keep->shape = to;
    return true;
}
