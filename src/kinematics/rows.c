/* SPDX-License-Identifier: Apache-2.0
 * Rows (T43): memory, and lists of bodies that other things look at or are attached to. */
#include <string.h>
#include "base/tolerance.h"
#include "engine/extra.h"
#include "kinematics/row_kernels.h"
#include "kinematics/row_joints.h"
#include "kinematics/row_runs.h"
#include "kinematics/row_segments.h"
#include "math/semi.h"
#include "model/group.h"
#include "model/light.h"

enum { G8 = CLV_GROUP };

/* is there a function that may look at and act on any body? */
static bool looks_at_all(const clv_model *m)
{
    for (int i = 0; i < m->nforce; i++)
        if (m->force[i].kind == CLV_FORCE_CALLBACK)
            return true;
    return false;
}

int clv_row_strand_rows(const clv_plan *p, int strand)
{
    const clv_strand *st = &p->strand[strand];
    int n = 0;
    for (int i = 0; i < st->length; i++)
        n += clv_row_count(p, p->bodies[st->first + i]);
    return n;
}

/* rows of a group: of its longest strand */
static int group_rows(const clv_plan *p, int group)
{
    int most = 0;
    for (int l = 0; l < p->group[group].nstrand; l++) {
        const int n = clv_row_strand_rows(p, p->group[group].strand[l]);
        most = n > most ? n : most;
    }
    return most;
}

/* Rows in which strands of this group end, and in which they start: lanes share them. */
static bool ends_beside(const clv_plan *p, int strand)
{
    const clv_strand *s = &p->strand[strand];
    for (int l = 0; l < s->lane; l++)
        if (clv_row_strand_rows(p, p->group[s->group].strand[l]) == clv_row_strand_rows(p, strand))
            return true;
    return false;
}
static bool starts_beside(const clv_plan *p, int strand)
{
    const clv_strand *s = &p->strand[strand];
    for (int l = 0; l < s->lane; l++) {
        const int other = p->group[s->group].strand[l];
        if (clv_row_count(p, p->bodies[p->strand[other].first]) == clv_row_count(p, p->bodies[s->first]))
            return true;
    }
    return false;
}

/* Rows of an open tree from which strands start: those of tips, and of bases; limbs start from any body. */
static size_t open_ends(const clv_plan *p)
{
    size_t n = 0;
    for (int k = 0; k < p->nstrand; k++)
        n += (size_t)!ends_beside(p, k) + (size_t)!starts_beside(p, k) + (size_t)(p->strand[k].base == CLV_BASE_FOLD);
    return n;
}

/* Bodies that can get extra inertia (T5), at most.  In open trees strands have the joints of their bases, and only
 * bases float whose joints are no rows. */
static int most_extra(const clv_plan *p)
{
    int n = p->nstar;
    if (clv_plan_joins(p))
        return clv_extra_most(p);
    for (int k = 0; k < p->nstrand; k++)
        n += p->strand[k].base == CLV_BASE_FREE && !clv_row_inside(p, p->bodies[p->strand[k].first]);
    return n + clv_light_bodies(p->model);
}

/* rows from which strands start, that edges or loads hold, that a formulation looks at: at most */
static size_t most_attached(const clv_plan *p, size_t nrow, int extra)
{
    if (looks_at_all(p->model))
        return nrow;
    size_t n = clv_plan_joins(p) ? 2 * (size_t)p->nstrand + 4 * (size_t)p->nedge : open_ends(p);
    n += (size_t)p->nstar + 2 * (size_t)p->model->nforce + (size_t)p->model->ninput;
    for (int i = 0; i < p->model->nforce; i++)
        n += (size_t)p->model->force[i].npoint;
    for (int i = 0; i < p->model->nforce; i++)
        n += p->model->force[i].group ? (size_t)p->model->force[i].group->n : 0;
    for (int b = 0; b < p->nbody; b++) { /* at which hdca may look (T9.4) */
        const clv_body *m = &p->model->body[b];
        n += p->tree[b].kind == CLV_JOINT_SPHERICAL || m->mass == 0 ? 3 : 0;
    }
    n += (size_t)extra + (size_t)p->nport;
    return n < nrow ? n : nrow;
}

/* may the mechanisms of this plan be evaluated in rows? */
static bool takes(const clv_plan *p) { return !p->absolute; }

static int count_balls(const clv_plan *p)
{
    int n = 0;
    for (int b = 0; b < p->nbody; b++)
        n += p->tree[b].kind == CLV_JOINT_SPHERICAL;
    return n;
}

/* Runs of consecutive slots with consecutive places in a state vector, at most: joints of one row one after the other
 * along a strand make one.  Short ones are listed number by number. */
static int most_places(const clv_plan *p)
{
    int n = 0;
    for (int k = 0; k < p->nstrand; k++)
        for (int i = 0; i < p->strand[k].length; i++) {
            const int *body = p->bodies + p->strand[k].first + i, rows = clv_row_count(p, *body);
            const clv_tree_joint *t = &p->tree[*body], *before = i == 0 ? NULL : &p->tree[body[-1]];
            const bool follows = before && rows == 1 && t->f == 1 && before->f == 1 && before->nq == 1 &&
                                 t->iq == before->iq + 1 && t->iu == before->iu + 1;
            n += follows ? 0 : rows;
        }
    const int numbers = n + (p->nq > p->nu ? p->nq : p->nu);
    return CLV_ROW_SHORT * n < numbers ? CLV_ROW_SHORT * n : numbers;
}

static void attached_layout(clv_rows *w, const clv_plan *p, size_t rows, clv_arena *a)
{
    const size_t n = G8 * rows;
    CLV_TAKE(a, w->frame, CLV_FRAME * n), CLV_TAKE(a, w->run, 6 * n);
    CLV_TAKE(a, w->I, 21 * n), CLV_TAKE(a, w->P, 6 * n), CLV_TAKE(a, w->Q, 6 * n);
    CLV_TAKE(a, w->fix, 6 * n), CLV_TAKE(a, w->carry.Q, p->carry ? 6 * n : 0);
    CLV_TAKE(a, w->shown, n), CLV_TAKE(a, w->loaded, n), CLV_TAKE(a, w->own, CLV_FRAME * n);
}

void clv_rows_layout(clv_rows *w, const clv_plan *p, clv_engine *e, clv_arena *a)
{
    w->plan = p, w->engine = e;
    w->nrow = 0;
    for (int g = 0; takes(p) && g < p->ngroup; g++)
        w->nrow += group_rows(p, g);
    const size_t n = (size_t)w->nrow * G8;
    CLV_TAKE(a, w->first, p->ngroup + 1), CLV_TAKE(a, w->slot, p->nbody), CLV_TAKE(a, w->flags, w->nrow);
    CLV_TAKE(a, w->E, 9 * n), CLV_TAKE(a, w->p, 3 * n), CLV_TAKE(a, w->body, 10 * n);
    CLV_TAKE(a, w->alpha, n), CLV_TAKE(a, w->beta, n);
    CLV_TAKE(a, w->pad, n), CLV_TAKE(a, w->coordinate, n), CLV_TAKE(a, w->rate, n);
    const int places = takes(p) ? most_places(p) : 0;
    CLV_TAKE(a, w->q_at, places), CLV_TAKE(a, w->u_at, places);
    CLV_TAKE(a, w->q_first, p->ngroup + 1), CLV_TAKE(a, w->u_first, p->ngroup + 1);
    clv_rows_share_layout(w, p, a);
    CLV_TAKE(a, w->same, n + G8), CLV_TAKE(a, w->follows, n + G8); /* a row beyond the last is looked at */
    CLV_TAKE(a, w->ball, takes(p) ? count_balls(p) : 0), CLV_TAKE(a, w->drive, p->model->nmotion);
    const bool lags = takes(p) && clv_rows_lags(p->model);
    CLV_TAKE(a, w->known, n), CLV_TAKE(a, w->stiff, p->narmed > 0 || lags ? n : 0);
    CLV_TAKE(a, w->lag, lags ? p->nu : 0);
    w->lag = lags ? w->lag : NULL;
    CLV_TAKE(a, w->attached, w->nrow), CLV_TAKE(a, w->border, p->nbody), CLV_TAKE(a, w->mark, p->nbody);
    CLV_TAKE(a, w->apart, p->nbody), CLV_TAKE(a, w->root, p->ngroup);
    w->npiece = p->nstrand + p->nstar;
    CLV_TAKE(a, w->piece, w->npiece), CLV_TAKE(a, w->origin, w->npiece), CLV_TAKE(a, w->coupled, p->nbody);
    CLV_TAKE(a, w->floating, w->npiece + 1), CLV_TAKE(a, w->strand_of, p->nbody), CLV_TAKE(a, w->join, w->npiece);
    clv_rows_star_layout(w, p, a);
    const int strands = p->nsegment > 0 ? p->nstrand : 0;
    CLV_TAKE(a, w->segment, p->nsegment), CLV_TAKE(a, w->path, strands), CLV_TAKE(a, w->reach, strands);
    CLV_TAKE(a, w->port_first, p->nsegment);
    CLV_TAKE(a, w->reach_of, strands), CLV_TAKE(a, w->root_of, strands);
    clv_rows_runs_layout(w, p, a);
    CLV_TAKE(a, w->held, p->nbody), CLV_TAKE(a, w->held_first, p->nstrand + 1);
    CLV_TAKE(a, w->posed_q, p->nq), CLV_TAKE(a, w->q, n), CLV_TAKE(a, w->u, n),
    CLV_TAKE(a, w->h, 3 * n), CLV_TAKE(a, w->c, 3 * n), CLV_TAKE(a, w->J, 6 * n), CLV_TAKE(a, w->pdot, n);
    CLV_TAKE(a, w->r, 3 * n), CLV_TAKE(a, w->b, 6 * n), CLV_TAKE(a, w->bias, 6 * n), CLV_TAKE(a, w->tau, n);
    CLV_TAKE(a, w->N, 6 * n), CLV_TAKE(a, w->Kh, 6 * n), CLV_TAKE(a, w->inverse, n), CLV_TAKE(a, w->u0, n);
    CLV_TAKE(a, w->x, 6 * n), CLV_TAKE(a, w->rates, n);
    const int most = takes(p) ? most_extra(p) : 0;
    const size_t extra = most > 0 ? n : 0;
    CLV_TAKE(a, w->sound, extra), CLV_TAKE(a, w->fix_tau, extra);
    CLV_TAKE(a, w->fix_x, 6 * extra), CLV_TAKE(a, w->fix_rates, extra);
    CLV_TAKE(a, w->end, p->ngroup);
    for (int g = 0; g < p->ngroup; g++) {
        clv_row_ends counting, *o = a->base ? &w->end[g] : &counting;
        CLV_TAKE(a, o->start, CLV_FRAME * G8), CLV_TAKE(a, o->turn, 9 * G8), CLV_TAKE(a, o->motion, 6 * G8);
        CLV_TAKE(a, o->gravity, 3 * G8), CLV_TAKE(a, o->mass, 4 * G8);
        CLV_TAKE(a, o->P, 6 * G8), CLV_TAKE(a, o->Q, 6 * G8), CLV_TAKE(a, o->energy, 2 * G8), CLV_TAKE(a, o->weak, G8);
    }
    clv_rows_carry_layout(w, p, a);
    w->room = (int)most_attached(p, (size_t)w->nrow, most);
    attached_layout(w, p, (size_t)w->room, a);
}

/* ------------------------------------------------------------------ lists */

/* rows of the groups, and where a body lies in them */
static void list_slots(clv_rows *w)
{
    const clv_plan *p = w->plan;
    for (int g = 0, row = 0; g < p->ngroup; g++) {
        w->first[g] = row;
        for (int l = 0; l < p->group[g].nstrand; l++) {
            const clv_strand *st = &p->strand[p->group[g].strand[l]];
            for (int i = 0, at = row; i < st->length; i++) {
                const int body = p->bodies[st->first + i];
                at += clv_row_count(p, body);
                w->slot[body] = G8 * (at - 1) + l;
            }
        }
        w->first[g + 1] = row += group_rows(p, g);
    }
}

static void attach(clv_rows *w, int body)
{
    if (body >= 0 && !clv_row_hold_of(w, body) && w->attached[w->slot[body] / G8] < 0)
        w->attached[w->slot[body] / G8] = w->nattached++;
}

static void touch(clv_rows *w, int body)
{
    if (body < 0)
        return;
    attach(w, body);
    w->mark[body] |= CLV_ROWS_BORDER | CLV_ROWS_LOADED;
}

static void touch_group(clv_rows *w, const clv_touch_group *g)
{
    for (int k = 0; g && k < g->n; k++)
        touch(w, g->member[k].body);
}

static void touch_loads(clv_rows *w)
{
    const clv_model *m = w->plan->model;
    for (int i = 0; i < m->nforce; i++) {
        if (m->force[i].kind != CLV_FORCE_JOINT && m->force[i].kind != CLV_FORCE_CALLBACK)
            touch(w, m->force[i].b), touch(w, m->force[i].a), touch_group(w, m->force[i].group);
        for (int k = 0; k < m->force[i].npoint; k++)
            touch(w, m->force[i].path[k].body);
    }
    for (int b = 0; b < m->nbody; b++)
        if ((w->mark[b] & CLV_ROWS_HELD) || looks_at_all(m))
            touch(w, b);
    for (int i = 0; i < m->ninput; i++)
        if (m->input[i].kind == CLV_INPUT_FORCE || m->input[i].kind == CLV_INPUT_TORQUE)
            touch(w, m->input[i].body);
}

/* bodies held by edges, those that a formulation looks at, bases that have no joint of their strand, and what those
 * are attached to */
static void list_border(clv_rows *w)
{
    const clv_plan *p = w->plan;
    for (int b = 0; b < p->nbody; b++)
        if (w->mark[b] & CLV_ROWS_SEEN)
            attach(w, b), w->mark[b] |= CLV_ROWS_BORDER;
    for (int k = 0; k < p->nstrand; k++) /* bodies that may get extra inertia */
        for (int i = 0; clv_rows_tip(p, k) && i < p->strand[k].length; i++)
            if (w->engine->light[p->bodies[p->strand[k].first + i]])
                attach(w, p->bodies[p->strand[k].first + i]);
    for (int e = p->nedge; e < p->nedge + p->nport; e++)
        attach(w, p->edge[e].body[0]), w->mark[p->edge[e].body[0]] |= CLV_ROWS_BORDER;
    for (int e = 0; e < p->nedge; e++)
        for (int h = 0; (w->looped || (w->carried && clv_plan_carries(p, e))) && h < p->edge[e].nhandle; h++) {
            w->mark[p->edge[e].body[h]] |= CLV_ROWS_BORDER;
            if (clv_edge_closes(&p->edge[e]))
                touch(w, p->edge[e].body[h]);
        }
    for (int i = 0; i < p->model->ncoupling; i++)
        for (int t = p->model->coupling[i].nterm - 1; t >= 0; t--) {
            const int body = p->child_of_joint[p->model->coupling[i].term[t].joint];
            if (body >= 0)
                touch(w, body), touch(w, p->tree[body].parent), w->mark[body] |= CLV_ROWS_COUPLED;
        }
    for (int i = 0; i < p->nbody; i++)
        if (w->mark[p->order[i]] & CLV_ROWS_COUPLED)
            w->coupled[w->ncoupled++] = p->order[i];
    for (int s = 0; s < p->nstar; s++) { /* weight, velocity terms, links */
        touch(w, p->star[s].frame);
        for (int i = 0; i < p->model->flex[s].nnode; i++)
            touch(w, p->model->flex[s].node[i].body);
    }
    for (int k = 0; k < p->nsegment; k++)
        if (p->segment[k].handle >= 0)
            attach(w, p->segment[k].handle), w->mark[p->segment[k].handle] |= CLV_ROWS_BORDER;
    for (int k = 0; k < w->npiece; k++) {
        const int base = clv_rows_base(w, k);
        attach(w, w->origin[k]);
        if (!clv_rows_floats(w, k))
            continue;
        attach(w, base);
        w->mark[base] |= CLV_ROWS_BORDER;
        if (w->origin[k] >= 0)
            w->mark[w->origin[k]] |= CLV_ROWS_BORDER;
    }
    for (int i = 0; i < p->nbody; i++)
        if (w->mark[p->order[i]] & CLV_ROWS_BORDER)
            w->border[w->nborder++] = p->order[i];
}

/* strands and flexible bodies, parents first; the piece of a body */
static void list_pieces(clv_rows *w)
{
    const clv_plan *p = w->plan;
    for (int k = 0; k < p->nstrand; k++)
        for (int i = 0; i < p->strand[k].length; i++)
            w->strand_of[p->bodies[p->strand[k].first + i]] = k;
    for (int s = 0; s < p->nstar; s++) {
        w->strand_of[p->star[s].frame] = p->nstrand + s;
        for (int i = 0; i < p->model->flex[s].nnode; i++)
            w->strand_of[p->model->flex[s].node[i].body] = p->nstrand + s;
    }
    for (int i = 0, n = 0; i < p->nbody; i++)
        if (clv_rows_base(w, w->strand_of[p->order[i]]) == p->order[i])
            w->piece[n++] = w->strand_of[p->order[i]];
    for (int k = 0; k < w->npiece; k++)
        w->origin[k] = p->tree[clv_rows_base(w, k)].parent;
    w->floating[w->npiece] = w->npiece;
    for (int k = w->npiece - 1; k >= 0; k--)
        w->floating[k] = clv_rows_floats(w, k) ? k : w->floating[k + 1];
}

/* by strand, from the base: places in the strand whose rows are attached */
static void list_held(clv_rows *w)
{
    const clv_plan *p = w->plan;
    int n = 0;
    for (int k = 0; k < p->nstrand; k++) {
        w->held_first[k] = n;
        for (int i = 0; i < p->strand[k].length; i++) {
            const int body = p->bodies[p->strand[k].first + i];
            if (w->attached[w->slot[body] / G8] >= 0)
                w->held[n++] = i;
        }
    }
    w->held_first[p->nstrand] = n;
}

/* all lists of rows and bodies that something looks at or is attached to */
static void list_touched(clv_rows *w)
{
    for (int r = 0; r < w->nrow; r++)
        w->attached[r] = -1;
    for (int b = 0; b < w->plan->nbody; b++)
        w->mark[b] &= CLV_ROWS_HELD | CLV_ROWS_SEEN;
    w->nattached = w->nborder = w->ncoupled = 0;
    w->posed = -1; /* poses of attached rows lie elsewhere */
    touch_loads(w);
    list_border(w);
    list_held(w);
    clv_rows_runs_touched(w);
}

/* room for what attached rows have, beyond that of the layout */
static bool grow(clv_rows *w)
{
    clv_arena a = {0};
    clv_rows counting;
    if (w->nattached <= w->room)
        return true;
    attached_layout(&counting, w->plan, (size_t)w->nattached, &a);
    if (!clv_arena_open(&a))
        return false;
    attached_layout(w, w->plan, (size_t)w->nattached, &a);
    clv_arena_close(&w->more);
    w->more = a, w->room = w->nattached;
    return true;
}

/* Lanes that are of use: no more than the largest group has strands, for a strand costs less in a narrow kernel.  But
 * four cost no more than one or two where the CPU has them: their instructions name three registers, and copy less.  No
 * bit depends on it. */
static int width_of(const clv_plan *p, int lanes)
{
    int most = 1, width = lanes < 4 ? 1 : 4;
    for (int g = 0; g < p->ngroup; g++)
        most = p->group[g].nstrand > most ? p->group[g].nstrand : most;
    while (width < most && width < lanes)
        width *= 2;
    return width;
}

/* numbers of all rows, where rows begin anew */
static void clear_rows(clv_rows *w)
{
    const size_t n = (size_t)w->nrow * G8 * sizeof(double);
    double *const one[] = {w->alpha, w->beta, w->known, w->q, w->u, w->pdot, w->tau, w->inverse, w->u0, w->rates},
                  *const three[] = {w->p, w->h, w->c, w->r}, *const six[] = {w->J, w->b, w->bias, w->N, w->Kh, w->x};
    for (size_t i = 0; i < sizeof one / sizeof *one; i++)
        memset(one[i], 0, n);
    for (size_t i = 0; i < sizeof three / sizeof *three; i++)
        memset(three[i], 0, 3 * n);
    for (size_t i = 0; i < sizeof six / sizeof *six; i++)
        memset(six[i], 0, 6 * n);
    if (w->plan->narmed > 0 || w->lag)
        memset(w->stiff, 0, n);
    memset(w->E, 0, 9 * n), memset(w->body, 0, 10 * n);
    memset(w->same, 0, n), memset(w->follows, 0, n);
    memset(w->flags, 0, (size_t)w->nrow * sizeof *w->flags);
}

bool clv_rows_begin(clv_rows *w, int most)
{
    const clv_plan *p = w->plan;
    const int lanes = width_of(p, most);
    w->kernels = lanes == 1 ? &clv_row_kernels_1 : lanes == 2 ? &clv_row_kernels_2 : lanes == 4 ? &clv_row_kernels_4
                                                                                       : &clv_row_kernels_8;
    w->carry.kernels = clv_row_kernels_of(most), w->carry.semi = clv_semi_kernels_of(most);
    w->fit = takes(p), w->carried = p->carried, w->looped = clv_plan_joins(p) && !w->carried;
    w->posed = -1;
    if (!w->fit)
        return true;
    if (p->carry) {
        clear_rows(w);
        w->nrow = 0;
        for (int g = 0; g < p->ngroup; g++)
            w->nrow += group_rows(p, g);
    }
    list_slots(w);
    for (int k = 0; k < p->nstrand; k++) /* where a wrench at the tip can hold it, a joint may lack more (extra.c) */
        w->end[p->strand[k].group].weak[p->strand[k].lane] = clv_rows_tip(p, k) ? CLV_TOL_LIMB_PIVOT : CLV_TOL_PIVOT;
    list_pieces(w);
    clv_rows_runs_begin(w);
    clv_rows_list_segments(w);
    for (int i = 0; i < w->nrow * G8; i++)
        w->coordinate[i] = w->rate[i] = -1, w->pad[i] = 1.0;
    for (int i = 0; i < w->nrow * G8; i++)
        for (int k = 0; k < 9; k += 4)
            w->E[(size_t)(i / G8) * 9 * G8 + (size_t)k * G8 + (size_t)(i % G8)] = 1.0;
    w->nball = w->ndrive = 0;
    for (int b = 0; b < p->nbody; b++)
        if (!clv_row_hold_of(w, b))
            clv_row_constants(w, b);
    w->nq_at = clv_rows_places(w, w->coordinate, w->q_at, w->q_first);
    w->nu_at = clv_rows_places(w, w->rate, w->u_at, w->u_first);
    clv_rows_list_shares(w, 0);
    clv_rows_list_joined(w);
    for (int b = 0; b < p->nbody; b++)
        w->lacking |= w->engine->light[b];
    for (int i = 0; w->lacking && i < w->nrow * G8; i++)
        w->sound[i] = 1.0;
    list_touched(w);
    assert(w->nq_at <= most_places(p) && w->nu_at <= most_places(p));
    if (!grow(w)) /* nothing to do: the layout has room */
        return false;
    clv_rows_list_shown(w);
    return true;
}

bool clv_rows_hold(clv_rows *w, int body, bool held)
{
    if (!w->fit)
        return true;
    if (held)
        w->mark[body] |= CLV_ROWS_HELD;
    else
        w->mark[body] &= (unsigned char)~CLV_ROWS_HELD;
    list_touched(w);
    const bool room = grow(w);
    if (!room) {
        w->mark[body] &= (unsigned char)~CLV_ROWS_HELD;
        list_touched(w);
    }
    clv_rows_list_shown(w);
    return room;
}

void clv_rows_end(clv_rows *w) { clv_arena_close(&w->more); }
