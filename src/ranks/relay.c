/* SPDX-License-Identifier: Apache-2.0
 * Sweeps over the tree of segments (T81); see relay.h. */
#include "ranks/relay.h"
#include <string.h>
#include "base/memory.h"

int clv_relay_first(int rank, int ranks, int nsegment) { return (int)((long long)rank * nsegment / ranks); }

/* has this rank segments among first .. end - 1? */
static bool takes_part(const clv_relay *r, int first, int end) { return first < r->end && r->first < end; }

/* A rank sends and receives what nodes hand up and down that have segments of it, and their sisters. */
static size_t place_nodes(clv_relay *r, const clv_relay_room *room, int i, int first, int end, size_t from)
{
    const int middle = first + (end - first) / 2;
    clv_relay_node *n = &r->node[i];
    const size_t up = (size_t)room->up, down = (size_t)room->down;
    if (r->numbers)
        n->up = r->numbers + from, n->down = n->up + up, n->keep = n->down + down;
    from += up + down + (size_t)room->keep;
    if (end - first == 1 || !takes_part(r, first, end))
        return from;
    return place_nodes(r, room, 2 * i + 1, middle, end, place_nodes(r, room, 2 * i, first, middle, from));
}

bool clv_relay_open(clv_relay *r, const clv_ranks *ranks, int nsegment, const clv_relay_room *room)
{
    static const clv_relay_room least = {CLV_RELAY_UP, CLV_RELAY_DOWN, CLV_RELAY_KEEP};
    room = room ? room : &least;
    *r = (clv_relay){.ranks = ranks, .nsegment = nsegment};
    r->first = clv_relay_first(ranks->rank, ranks->size, nsegment);
    r->end = clv_relay_first(ranks->rank + 1, ranks->size, nsegment);
    r->rank_of = clv_alloc((size_t)nsegment, sizeof *r->rank_of);
    r->node = clv_alloc(2 * (size_t)nsegment, sizeof *r->node);
    if (!r->rank_of || !r->node)
        return false;
    r->numbers = clv_alloc(place_nodes(r, room, 1, 0, nsegment, 0), sizeof *r->numbers);
    if (!r->numbers)
        return false;
    place_nodes(r, room, 1, 0, nsegment, 0);
    for (int rank = 0; rank < ranks->size; rank++)
        for (int k = clv_relay_first(rank, ranks->size, nsegment);
             k < clv_relay_first(rank + 1, ranks->size, nsegment); k++)
            r->rank_of[k] = rank;
    return true;
}

void clv_relay_close(clv_relay *r)
{
    clv_free(r->rank_of), clv_free(r->node), clv_free(r->numbers);
    *r = (clv_relay){0};
}

/* A message; what is lost is taken as a failure. */
static void pass(clv_relay *r, int from, int to, double *x, int n)
{
    const size_t bytes = (size_t)n * sizeof *x;
    const clv_ranks *k = r->ranks;
    if (k->rank == from)
        r->broken |= !k->send(k->owner, to, x, bytes), r->messages++, r->bytes += (long)bytes;
    else if (!k->receive(k->owner, from, x, bytes))
        r->broken = true, memset(x, 0, bytes);
}

/* numbers of segments first .. end - 1 up and down */
static int up_of(const clv_relay *r, const clv_relay_kind *kind, int first, int end)
{
    return kind->up_of && r->border ? kind->up_of(r->border[first], r->border[end]) : kind->up;
}
static int down_of(const clv_relay *r, const clv_relay_kind *kind, int first, int end)
{
    return kind->down_of && r->border ? kind->down_of(r->border[first], r->border[end]) : kind->down;
}

static void up(clv_relay *r, const clv_relay_kind *kind, int i, int first, int end)
{
    const int middle = first + (end - first) / 2, me = r->ranks->rank;
    clv_relay_node *n = &r->node[i], *a = &r->node[2 * i], *b = a + 1;
    if (end - first == 1)
        return;
    if (takes_part(r, first, middle))
        up(r, kind, 2 * i, first, middle);
    if (takes_part(r, middle, end))
        up(r, kind, 2 * i + 1, middle, end);
    const int owner = r->rank_of[first], other = r->rank_of[middle];
    if (owner != other && (me == owner || me == other))
        pass(r, other, owner, b->up, up_of(r, kind, middle, end));
    if (me != owner)
        return;
    kind->join(n->keep, a->up, b->up, n->up);
    n->up[0] = a->up[0] == 1.0 && b->up[0] == 1.0 ? 1.0 : 0.0;
}

static void down(clv_relay *r, const clv_relay_kind *kind, int i, int first, int end)
{
    const int middle = first + (end - first) / 2, me = r->ranks->rank;
    clv_relay_node *n = &r->node[i], *a = &r->node[2 * i], *b = a + 1;
    if (end - first == 1)
        return;
    const int owner = r->rank_of[first], other = r->rank_of[middle];
    if (me == owner) {
        kind->split(n->keep, n->down, a->down, b->down);
        a->down[0] = b->down[0] = n->down[0];
    }
    if (owner != other && (me == owner || me == other))
        pass(r, owner, other, b->down, down_of(r, kind, middle, end));
    if (takes_part(r, first, middle))
        down(r, kind, 2 * i, first, middle);
    if (takes_part(r, middle, end))
        down(r, kind, 2 * i + 1, middle, end);
}

bool clv_relay_sweep(clv_relay *r, const clv_relay_kind *kind, bool free)
{
    clv_relay_node *root = &r->node[1];
    up(r, kind, 1, 0, r->nsegment);
    if (r->rank_of[0] == r->ranks->rank) {
        kind->top(root->up, root->down, free);
        root->down[0] = root->up[0];
    }
    down(r, kind, 1, 0, r->nsegment);
    return !r->broken && r->node[r->nsegment + r->first].down[0] == 1.0;
}
