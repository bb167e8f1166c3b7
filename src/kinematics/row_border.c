/* SPDX-License-Identifier: Apache-2.0
 * The border (T43) in lanes: bodies in model order that joints between strands and loads look at, eight strands at a
 * time; row_border_lane.c has the kernels.
 *
 *   show     what the last solve has found, to model order
 *   attach   wrenches in model order, to the rows of their bodies
 *   scan     where strands start and their border is, where all of them fold; outermost levels last
 *
 * Bodies of flexible bodies, and of groups that do not fill lanes, come one by one. */
#include "kinematics/place.h"
#include "kinematics/row_axes.h"
#include "kinematics/row_joints.h"
#include "kinematics/row_kernels.h"

/* own frame, row major, and centre of mass in it, body axes */
static void own_constants(clv_rows *w, int body)
{
    const double *at;
    double E[9], x[3], *own = clv_row_attached(w, w->own, CLV_FRAME, body);
    clv_row_own_frame(w->plan, body, E, &at);
    clv_sub3(x, w->plan->model->body[body].com, at);
    clv_row_put(own, 9, E), clv_row_put(own + 9 * G8, 3, x);
}

static void show_body(clv_rows *w, int body)
{
    const int slot = w->slot[body], row = clv_row_hold_of(w, body) ? -1 : w->attached[slot / G8];
    if (row < 0)
        return;
    w->shown[row * G8 + slot % G8] = body;
    if (w->mark[body] & CLV_ROWS_LOADED)
        w->loaded[row * G8 + slot % G8] = body;
    own_constants(w, body);
}

enum { FEW = 3 }; /* strands that pay in lanes */

/* a strand on ground starts there at rest */
static const double ground[CLV_FRAME * G8] = {[0] = 1, [4 * G8] = 1, [8 * G8] = 1}, still[6 * G8];

/* Does every strand start from a body of a higher level, or from ground?  Pieces of a run start from each other. */
static bool by_levels(const clv_rows *w)
{
    const clv_plan *p = w->plan;
    bool good = p->nstar == 0 && p->nsegment == 0;
    for (int k = 0; k < p->nstrand; k++)
        good = good && (w->origin[k] < 0 || clv_strand_folds(p, k));
    return (w->carried && p->nstar == 0) || good;
}

/* the bodies into which the strands of a group fold */
static void list_limbs(clv_rows *w, int group)
{
    const clv_group *g = &w->plan->group[group];
    clv_row_root *r = &w->root[group];
    r->limbs = false, r->all = true;
    for (int l = 0; l < G8; l++) {
        const int k = g->strand[l < g->nstrand ? l : 0], slot = w->origin[k] < 0 ? -1 : w->slot[w->origin[k]];
        const bool folds = slot >= 0 && clv_strand_folds(w->plan, k);
        r->limbs = r->limbs || folds, r->all = r->all && folds && !(w->carried && g->nseries > 0);
        r->base[l] = slot < 0 ? still : w->x + (size_t)(slot / G8) * 6 * G8 + slot % G8;
    }
}

/* where the strands of a group start; those that float come one by one */
static void list_root(clv_rows *w, int group, bool levels)
{
    const clv_plan *p = w->plan;
    clv_row_root *r = &w->root[group];
    r->alike = levels && p->group[group].nstrand >= FEW;
    for (int l = 0; l < G8; l++) {
        const int n = p->group[group].nstrand, k = p->group[group].strand[l < n ? l : 0], origin = w->origin[k];
        r->alike = r->alike && !clv_rows_floats(w, k) && !(w->carried && p->strand[k].after >= 0);
        r->frame[l] = r->axes[l] = ground, r->run[l] = still, r->R[l] = r->spare;
        if (!r->alike || origin < 0 || l >= n)
            continue;
        r->frame[l] = clv_row_attached(w, w->frame, CLV_FRAME, origin);
        r->run[l] = clv_row_attached(w, w->run, 6, origin);
        r->axes[l] = clv_row_ends_of(w, w->strand_of[origin])->start + p->strand[w->strand_of[origin]].lane;
        r->R[l] = w->join[k].R;
    }
}

/* Do the bodies shown of a group fill lanes, two in each of their rows? */
static bool fills_lanes(const clv_rows *w, int group)
{
    int rows = 0, bodies = 0;
    for (int i = w->first[group]; i < w->first[group + 1]; i++) {
        bool some = false;
        for (int l = 0; w->attached[i] >= 0 && l < G8; l++)
            if (w->shown[w->attached[i] * G8 + l] >= 0)
                bodies++, some = true;
        rows += some;
    }
    return bodies > 0 && bodies >= 2 * rows;
}

/* those that come one by one */
static void list_apart(clv_rows *w)
{
    w->napart = 0;
    for (int i = 0; i < w->nborder; i++) {
        const int body = w->border[i], strand = w->strand_of[body];
        const bool lane = strand < w->plan->nstrand && w->attached[w->slot[body] / G8] >= 0;
        if (!lane || !w->root[w->plan->strand[strand].group].together)
            w->apart[w->napart++] = body;
    }
}

void clv_rows_list_shown(clv_rows *w)
{
    for (int i = 0; i < w->nattached * G8; i++)
        w->shown[i] = w->loaded[i] = -1;
    for (int i = 0; i < w->nborder; i++)
        show_body(w, w->border[i]);
    const bool levels = by_levels(w);
    w->together = w->nalike = 0;
    for (int g = 0; g < w->plan->ngroup; g++) {
        list_root(w, g, levels), list_limbs(w, g);
        w->nalike += w->root[g].alike;
        w->together += w->root[g].together = fills_lanes(w, g);
    }
    for (int k = w->floating[0]; k < w->npiece; k = w->floating[k + 1])
        if (w->origin[k] >= 0) /* it starts from a body of any level: pieces come parents first */
            w->nalike = 0;
    list_apart(w);
}

/* ------------------------------------------------------------------ motions, wrenches */

typedef struct moving {
    clv_rows *w;
    double *array, *x;
    const double *W;
} moving;

static void show_group(void *of, int group)
{
    const moving *m = of;
    if (m->w->root[group].together)
        m->w->kernels->show(m->w, group, m->x);
}

void clv_rows_show_motions(const clv_rows *w, double *x)
{
    if (w->together > 0)
        clv_rows_all(w, show_group, &(moving){.w = (clv_rows *)w, .x = x});
    for (int i = 0; i < w->napart; i++)
        clv_rows_motion(w, w->apart[i], x + 6 * (size_t)w->apart[i]);
}

static void attach_group(void *of, int group)
{
    const moving *m = of;
    if (m->w->root[group].together)
        m->w->kernels->attach(m->w, group, m->array, m->W);
}

void clv_rows_attach_loads(clv_rows *w, double *array, const double *W)
{
    if (w->together > 0)
        clv_rows_all(w, attach_group, &(moving){.w = w, .array = array, .W = W});
    for (int i = 0; i < w->napart; i++)
        if (w->mark[w->apart[i]] & CLV_ROWS_LOADED)
            clv_rows_attach(w, array, w->apart[i], W + 6 * (size_t)w->apart[i]);
}

/* ------------------------------------------------------------------ starts */

typedef struct scanning {
    clv_rows *w;
    clv_kinematics *k;
    const double *q, *u, *gravity;
} scanning;

/* the strand of a group with the next number, outboard ones later */
static int next_strand(const clv_group *g, int last)
{
    int next = -1;
    for (int l = 0; l < g->nstrand; l++)
        if (g->strand[l] > last && (next < 0 || g->strand[l] < next))
            next = g->strand[l];
    return next;
}

static void scan_group(void *of, int group)
{
    const scanning *s = of;
    const clv_group *g = &s->w->plan->group[group];
    const clv_row_view to = {s->k->R, s->k->com, s->k->ref, s->k->V};
    if (s->w->root[group].alike) {
        s->w->kernels->scan(s->w, group, &to, s->gravity, s->u != NULL);
        return;
    }
    /* in the order of strands: those of a series start from each other */
    for (int l = 0, last = -1; l < g->nstrand; l++) {
        last = next_strand(g, last);
        clv_rows_scan_strand(s->w, s->k, last, s->q, s->u, s->gravity);
    }
}

void clv_rows_scan_levels(clv_rows *w, clv_kinematics *k, const double *q, const double *u, const double gravity[3])
{
    scanning s = {w, k, q, u, gravity};
    for (int level = w->nlevel - 1; level >= 0; level--)
        clv_rows_of_level(w, level, scan_group, &s);
}
