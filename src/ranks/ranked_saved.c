/* SPDX-License-Identifier: Apache-2.0
 * Saved states of a mechanism on ranks (T81): head, states by body, work, sum.  They do not depend on the number of
 * ranks. */
#include <string.h>
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "model/model.h"
#include "ranks/ranked_record.h"

enum { N = CLV_DIVIDED_STATE };

/* of the bodies, and of the outer halves of those that are cut */
static size_t rows(const clv_ranked *r) { return (size_t)r->nbody + (size_t)r->cut.nsplit + (r->cut.border ? 1 : 0); }

static size_t saved_size(const clv_ranked *r)
{
    return sizeof(clv_divided_head) + (N * rows(r) + 1) * sizeof(double) + sizeof(uint64_t);
}

/* the row of each body of this rank */
static int *list_bodies(const clv_ranked *r)
{
    const clv_share *c = &r->share;
    int *index = clv_alloc((size_t)c->model->nbody + 1, sizeof *index);
    for (int b = 0; index && b < c->model->nbody; b++)
        index[b] = c->half_of[b] >= 0 ? r->nbody + 1 + c->half_of[b] : c->body[b];
    return index;
}

bool clv_ranked_save(clv_ranked *r, void **bytes, size_t *size)
{
    const int n = r->share.model->nbody;
    const bool first = r->relay.ranks->rank == 0;
    int *index = list_bodies(r);
    double *own = clv_alloc((size_t)n + 1, N * sizeof *own), work;
    double *all = first ? clv_alloc(rows(r), N * sizeof *all) : NULL;
    clv_divided_head head;
    *size = saved_size(r);
    *bytes = first ? clv_alloc(*size, 1) : NULL;
    bool good = index && own && (!first || (all && *bytes));
    if (good)
        clv_divided_save(r->sim, r->print, &head, own, &work);
    work = clv_ranked_sum(r, good ? work : 0);
    good = clv_ranked_all(r, good) && clv_ranked_collect(r, index, own, n, N, all);
    if (good && first && all && *bytes) {
        char *to = *bytes;
        memcpy(to, &head, sizeof head), to += sizeof head;
        memcpy(to, all, N * rows(r) * sizeof *all), to += N * rows(r) * sizeof *all;
        memcpy(to, &work, sizeof work), to += sizeof work;
        const uint64_t sum = clv_hash(1, *bytes, *size - sizeof sum);
        memcpy(to, &sum, sizeof sum);
    }
    clv_free(index), clv_free(own), clv_free(all);
    return good;
}

/* rank 0: are these bytes a state of this mechanism? */
static bool sound(const clv_ranked *r, const void *bytes, size_t size)
{
    clv_divided_head head;
    uint64_t sum;
    if (size != saved_size(r))
        return false;
    memcpy(&head, bytes, sizeof head);
    memcpy(&sum, (const char *)bytes + size - sizeof sum, sizeof sum);
    return sum == clv_hash(1, bytes, size - sizeof sum) && clv_divided_fits(r->sim, &head, r->print);
}

/* rows of this rank out of those of rank 0 */
static bool spread(clv_ranked *r, const int *index, int n, double *own, const double *all)
{
    const clv_ranks *k = r->relay.ranks;
    if (k->rank > 0)
        return k->send(k->owner, 0, &n, sizeof n) && k->send(k->owner, 0, index, (size_t)n * sizeof *index) &&
               k->receive(k->owner, 0, own, (size_t)n * N * sizeof *own);
    if (!index || !own || !all)
        return false;
    for (int i = 0; i < n; i++)
        memcpy(own + (size_t)i * N, all + (size_t)index[i] * N, N * sizeof *own);
    bool good = true;
    for (int to = 1, m; to < k->size && good; to++) {
        good = k->receive(k->owner, to, &m, sizeof m);
        int *places = good ? clv_ranked_room(r, m, sizeof *places) : NULL;
        double *rows = good ? clv_ranked_room(r, m, N * sizeof *rows) : NULL;
        good = places && rows && k->receive(k->owner, to, places, (size_t)m * sizeof *places);
        for (int i = 0; i < m && good; i++)
            memcpy(rows + (size_t)i * N, all + (size_t)places[i] * N, N * sizeof *rows);
        good = good && k->send(k->owner, to, rows, (size_t)m * N * sizeof *rows);
        clv_free(places), clv_free(rows);
    }
    return good;
}

clv_status clv_ranked_load(clv_ranked *r, const void *bytes, size_t size)
{
    const clv_ranks *k = r->relay.ranks;
    const bool first = k->rank == 0;
    const int n = r->share.model->nbody;
    clv_divided_head head = {.version = 0};
    double work = 0;
    if (!clv_ranked_all(r, !first || sound(r, bytes, size))) {
        clv_fail(&r->error, CLV_ERR_USAGE, "the saved state is not one of this mechanism on ranks, with these options");
        clv_error_hint(&r->error, "a run that was started on one rank is resumed on one rank");
        return r->error.code;
    }
    if (first)
        memcpy(&head, bytes, sizeof head);
    for (int to = 1; first && to < k->size; to++)
        r->relay.broken |= !k->send(k->owner, to, &head, sizeof head);
    if (!first)
        r->relay.broken |= !k->receive(k->owner, 0, &head, sizeof head);
    int *index = list_bodies(r);
    double *own = clv_alloc((size_t)n + 1, N * sizeof *own);
    double *all = first ? clv_alloc(rows(r), N * sizeof *all) : NULL;
    bool good = clv_ranked_all(r, index && own && (!first || all));
    if (good && first) {
        const char *from = (const char *)bytes + sizeof head;
        memcpy(all, from, N * rows(r) * sizeof *all);
        memcpy(&work, from + N * rows(r) * sizeof *all, sizeof work);
    }
    good = good && spread(r, index, n, own, all);
    clv_status st = good ? clv_divided_load(r->sim, &head, own, work)
                         : clv_fail(&r->error, CLV_ERR_MEMORY, "out of memory for the saved state");
    if (good && st != CLV_OK)
        r->error = *clv_sim_error(r->sim);
    clv_free(index), clv_free(own), clv_free(all);
    return st;
}
