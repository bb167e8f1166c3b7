/* SPDX-License-Identifier: Apache-2.0
 * Memory, places of unknowns and columns of the mass matrix in rows; see row_mass.h.
 *
 * From the tips: of a body first its continuation in the strand, then loop joints at it, pieces on it, then its joint.
 * Where things are inside a piece depends on what is on its bodies alone, so sizes are found from the tips, and places
 * from the bases. */
#include "kinematics/row_joints.h"
#include "kinematics/row_mass.h"
#include <string.h>

enum { G8 = CLV_GROUP };

static int round_up(int n) { return (n + CLV_BLOCK - 1) / CLV_BLOCK * CLV_BLOCK; }

static int count_handles(const clv_plan *p)
{
    int n = 0;
    for (int e = 0; e < p->nedge; e++)
        n += clv_edge_closes(&p->edge[e]) ? p->edge[e].nhandle : 0;
    return n;
}

/* columns at most: of unknowns and closings, and what fills eights */
static int most_columns(const clv_plan *p, int npiece)
{
    int n = round_up(p->nu) + G8 * npiece;
    for (int e = 0; e < p->nedge; e++)
        n += clv_edge_closes(&p->edge[e]) ? p->edge[e].nhandle * 2 * G8 : 0;
    for (int s = 0; s < p->nstar; s++)
        n += G8 * (2 + p->model->flex[s].nnode);
    return n;
}

void clv_row_mass_layout(clv_row_mass *d, clv_rows *w, clv_kinematics *k, clv_arena *a)
{
    const clv_plan *p = w->plan;
    const size_t rows = (size_t)w->nrow * G8;
    size_t modal = 0;
    for (int s = 0; s < p->nstar; s++)
        modal += (size_t)p->star[s].nmode * (size_t)(p->star[s].nmode + 6);
    d->w = w, d->kin = k;
    d->n = p->nu, d->ncolumn = most_columns(p, w->npiece), d->nhandle = count_handles(p);
    clv_block_layout(&d->block, p->nu, p->nclosing_row, a);
    CLV_TAKE(a, d->upto, rows), CLV_TAKE(a, d->place_of, d->ncolumn);
    CLV_TAKE(a, d->unknown, p->nu), CLV_TAKE(a, d->owner, p->nu), CLV_TAKE(a, d->handle, 3 * d->nhandle);
    CLV_TAKE(a, d->on, p->nbody), CLV_TAKE(a, d->arrives, p->ngroup), CLV_TAKE(a, d->piece, w->npiece);
    CLV_TAKE(a, d->hold, p->nstar > 0 ? p->nbody : 0), CLV_TAKE(a, d->modal, modal);
    CLV_TAKE(a, d->column, 6 * (size_t)d->ncolumn), CLV_TAKE(a, d->line, d->ncolumn);
    CLV_TAKE(a, d->what, d->ncolumn);
    CLV_TAKE(a, d->U, 6 * rows), CLV_TAKE(a, d->left, rows);
    CLV_TAKE(a, d->ends, CLV_COMPOSITE * G8 * (size_t)p->ngroup);
}

/* ------------------------------------------------------------------ columns */

static void hang_pieces(clv_row_mass *d)
{
    const clv_rows *w = d->w;
    for (int b = 0; b < w->plan->nbody; b++)
        d->on[b] = -1;
    for (int k = 0; k < w->npiece; k++) {
        const int to = w->origin[k];
        d->piece[k].next = to < 0 ? -1 : d->on[to];
        if (to < 0)
            continue;
        d->on[to] = k;
        if (w->strand_of[to] < w->plan->nstrand)
            d->arrives[w->plan->strand[w->strand_of[to]].group] = true;
    }
}

static void list_handles(clv_row_mass *d)
{
    const clv_plan *p = d->w->plan;
    int n = 0;
    for (int e = 0; e < p->nedge; e++)
        for (int h = 0; clv_edge_closes(&p->edge[e]) && h < p->edge[e].nhandle; h++, n += 3)
            d->handle[n] = e, d->handle[n + 1] = h;
}

/* columns of closings and pieces at a body, from one on; the first after them */
static int columns_on(clv_row_mass *d, int body, int at)
{
    const clv_plan *p = d->w->plan;
    for (int i = 0; i < d->nhandle; i++) {
        int *h = d->handle + 3 * i;
        if (p->edge[h[0]].body[h[1]] != body)
            continue;
        h[2] = round_up(at);
        at = h[2] + p->edge[h[0]].m;
    }
    for (int k = d->on[body]; k >= 0; k = d->piece[k].next) {
        const int n = d->piece[k].end - d->piece[k].start, base = clv_rows_base(d->w, k);
        d->piece[k].start = round_up(at);
        d->piece[k].end = d->piece[k].start + n;
        at = d->piece[k].end + (clv_rows_floats(d->w, k) ? p->tree[base].f : 0);
    }
    return at;
}

static int strand_columns(clv_row_mass *d, int strand, int at)
{
    const clv_rows *w = d->w;
    const clv_strand *s = &w->plan->strand[strand];
    for (int i = s->length - 1; i >= 0; i--) {
        const int body = w->plan->bodies[s->first + i], last = w->slot[body];
        at = columns_on(d, body, at);
        for (int slot = last; slot > last - G8 * clv_row_count(w->plan, body); slot -= G8) {
            d->upto[slot] = at;
            at += w->pad[slot] == 0.0;
        }
    }
    return at;
}

/* of a flexible body: what is on its bodies, its modes, what is on its entry */
static int star_columns(clv_row_mass *d, int star, int at)
{
    const clv_star *s = &d->w->plan->star[star];
    for (int b = s->frame; b <= s->frame + d->w->plan->model->flex[star].nnode; b++) {
        if (b == s->entry)
            continue;
        d->hold[b].start = round_up(at);
        d->hold[b].end = at = columns_on(d, b, d->hold[b].start);
    }
    d->hold[s->entry].start = at;
    at += s->nmode;
    return d->hold[s->entry].end = columns_on(d, s->entry, at);
}

static void size_piece(clv_row_mass *d, int k, int start)
{
    const int n = d->w->plan->nstrand;
    d->piece[k].start = start;
    d->piece[k].end = k < n ? strand_columns(d, k, start) : star_columns(d, k - n, start);
}

/* ------------------------------------------------------------------ places */

/* what a column stands for, in `place_of` until places are counted */
static void name_columns(clv_row_mass *d, int *what)
{
    const clv_rows *w = d->w;
    const clv_plan *p = w->plan;
    for (int i = 0; i < d->ncolumn; i++)
        d->place_of[i] = -1, what[i] = 0;
    for (int b = 0; b < p->nbody; b++) {
        if (clv_row_hold_of(w, b))
            continue;
        for (int slot = w->slot[b]; slot > w->slot[b] - G8 * clv_row_count(p, b); slot -= G8)
            if (w->pad[slot] == 0.0)
                d->place_of[d->upto[slot]] = slot, what[d->upto[slot]] = 1 + b;
    }
    for (int k = 0; k < w->npiece; k++) {
        const int b = clv_rows_base(w, k);
        for (int f = 0; clv_rows_floats(w, k) && f < p->tree[b].f; f++)
            d->place_of[d->piece[k].end + f] = -1 - (p->tree[b].iu + f), what[d->piece[k].end + f] = 1 + b;
    }
    for (int s = 0; s < p->nstar; s++)
        for (int m = 0; m < p->star[s].nmode; m++) {
            const int at = d->hold[p->star[s].entry].start + m;
            d->place_of[at] = -1 - (p->star[s].iu + m), what[at] = -1 - s;
        }
}

static void count_places(clv_row_mass *d, const int *what)
{
    int n = 0;
    for (int i = 0; i < d->ncolumn; i++) {
        if (what[i] == 0)
            continue;
        d->unknown[n] = d->place_of[i], d->owner[n] = what[i] > 0 ? what[i] - 1 : what[i];
        d->place_of[i] = n++;
    }
    assert(n == d->n);
    for (int i = 0; i < d->nhandle; i++) {
        const int *h = d->handle + 3 * i;
        const clv_edge *e = &d->w->plan->edge[h[0]];
        for (int r = 0; r < e->m; r++)
            d->place_of[h[2] + r] = -2 - (e->row + r);
    }
}

/* places before a column */
static int places_before(const clv_row_mass *d, int column)
{
    for (int i = column; i < d->ncolumn; i++)
        if (d->place_of[i] >= 0)
            return d->place_of[i];
    return d->n;
}

static void start_panel(clv_block *b, int row, int place)
{
    int *first = &b->tree_first[row / CLV_BLOCK];
    place = place < b->nwide ? place / CLV_BLOCK * CLV_BLOCK : b->nwide;
    *first = place < *first ? place : *first;
}

/* Rows of M begin with the places outboard of their joint, those of J with the first joint that moves a handle.
 * `first` (n) has, for every place, the first one of its piece.  Pieces on others come later and overwrite theirs. */
static void start_panels(clv_row_mass *d, int *first)
{
    const clv_rows *w = d->w;
    const clv_plan *p = w->plan;
    clv_block *b = &d->block;
    for (int k = 0; k < b->npanel + b->nbelow; k++)
        b->tree_first[k] = k < b->npanel ? CLV_BLOCK * k : b->nwide;
    for (int n = 0; n < w->npiece; n++) {
        const clv_row_mass_piece *piece = &d->piece[w->piece[n]];
        const int base = clv_rows_base(w, w->piece[n]), from = places_before(d, piece->start);
        for (int i = piece->start; i < piece->end + (clv_rows_floats(w, w->piece[n]) ? p->tree[base].f : 0); i++)
            if (d->place_of[i] >= 0)
                first[d->place_of[i]] = from;
    }
    for (int i = 0; i < d->n; i++)
        start_panel(b, i, first[i]);
    for (int i = 0; i < d->nhandle; i++)
        for (int r = 0; r < p->edge[d->handle[3 * i]].m; r++)
            start_panel(b, b->nwide + p->edge[d->handle[3 * i]].row + r, places_before(d, d->handle[3 * i + 2]));
}

void clv_row_mass_begin(clv_row_mass *d)
{
    const clv_rows *w = d->w;
    int at = 0;
    if (d->begun)
        return;
    d->begun = true;
    hang_pieces(d), list_handles(d);
    for (int i = w->npiece - 1; i >= 0; i--)
        size_piece(d, w->piece[i], 0);
    for (int i = 0; i < w->npiece; i++) {
        const int k = w->piece[i], base = clv_rows_base(w, k);
        size_piece(d, k, w->origin[k] < 0 ? round_up(at) : d->piece[k].start);
        if (w->origin[k] < 0)
            at = d->piece[k].end + (clv_rows_floats(w, k) ? w->plan->tree[base].f : 0);
    }
    name_columns(d, d->what);
    count_places(d, d->what);
    start_panels(d, d->what);
    memset(d->line, 0, (size_t)d->ncolumn * sizeof(double));
}
