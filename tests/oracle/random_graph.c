/* SPDX-License-Identifier: Apache-2.0
 * Who hangs on whom and who closes on whom, for every kind of random mechanism. */
#include "oracle/random_builder.h"

static void close_on(builder *b, int x, int y)
{
    if (x == y || b->nclosing == MAX_CLOSING)
        return;
    bool swap = random_chance(&b->s, 0.5);
    b->closing[b->nclosing][0] = swap ? y : x;
    b->closing[b->nclosing][1] = swap ? x : y;
    b->nclosing++;
}

static int near_parent(builder *b, int i)
{
    if (i == 0)
        return -1;
    if (random_chance(&b->s, 0.5))
        return i - 1;
    return random_index(&b->s, i + 1) - 1;
}

static void connect_chain(builder *b, int branches)
{
    int main = b->n - branches; /* bodies 0 .. main - 1 form the chain */
    for (int i = 0; i < b->n; i++)
        b->parent[i] = i < main ? i - 1 : random_index(&b->s, i);
}

void builder_connect(builder *b)
{
    random_stream *s = &b->s;
    int n = b->n;
    switch (b->kind) {
    case RANDOM_LOOP: {
        int side = n > 4 ? random_index(s, n / 3) : 0, main = n - side;
        connect_chain(b, side);
        close_on(b, main - 1, random_chance(s, 0.6) || main < 4 ? -1 : random_index(s, main - 3));
        break;
    }
    case RANDOM_COUPLED: {
        int step = 2 + random_index(s, 3), span = step + 2 + random_index(s, 3);
        connect_chain(b, n > 9 ? random_index(s, 3) : 0);
        for (int at = -1; at + span < n; at += step)
            close_on(b, at + span, at);
        if (b->nclosing == 0)
            close_on(b, n - 1, -1);
        break;
    }
    case RANDOM_NESTED:
        connect_chain(b, 0);
        for (int low = -1, high = n - 1; high - low >= 3; low += 1 + random_index(s, 2), high -= 1 + random_index(s, 3))
            close_on(b, high, low);
        break;
    case RANDOM_LADDER:
        for (int i = 0; i < n; i++)
            b->parent[i] = i < 2 ? -1 : i - 2;
        for (int i = 1; i < n; i += 2)
            if (i == 1 || random_chance(s, 0.8))
                close_on(b, i, random_chance(s, 0.25) && i > 2 ? i - 3 : i - 1);
        break;
    case RANDOM_HUB: {
        int arm = 1 + random_index(s, 4);
        b->parent[0] = random_chance(s, 0.3) ? -2 : -1;
        for (int i = 1; i < n; i++)
            b->parent[i] = (i - 1) % arm == 0 ? 0 : i - 1;
        for (int tip = arm; tip < n; tip += arm)
            if (random_chance(s, 0.6))
                close_on(b, tip, tip + arm < n && random_chance(s, 0.7) ? tip + arm : b->parent[0] == -2 ? arm : -1);
        break;
    }
    case RANDOM_RING:
        connect_chain(b, 0);
        b->parent[0] = -2;
        close_on(b, n - 1, 0);
        if (n > 6 && random_chance(s, 0.4))
            close_on(b, n / 2, 0);
        break;
    default:
        for (int i = 0; i < n; i++)
            b->parent[i] = near_parent(b, i);
        for (int k = 0; b->kind == RANDOM_MIXED && k < 1 + n / 6; k++) {
            int from = random_index(s, n + 1) - 1, to = random_index(s, n); /* drawn in one order everywhere */
            close_on(b, to, from);
        }
    }
}

