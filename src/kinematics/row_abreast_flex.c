/* SPDX-License-Identifier: Apache-2.0
 * Strands that join, and flexible bodies, of mechanisms abreast (T85, T132): what fits, memory, and constants of a
 * lane.  Pieces are strands and flexible bodies, parents first.  The walks are row_abreast_join.c.  Called by
 * row_abreast.c. */
#include "kinematics/row_abreast.h"
#include "kinematics/place.h"
#include "kinematics/row_joints.h"
#include <string.h>

enum { G8 = CLV_GROUP };

static const clv_tree_joint *base_joint(const clv_rows *w, int piece)
{
    return &w->plan->tree[clv_rows_base(w, piece)];
}

/* its base has a joint that is no row, on or of a flexible body */
static bool is_joint(const clv_rows *w, int piece)
{
    return clv_rows_floats(w, piece) && !base_joint(w, piece)->detached;
}

/* ------------------------------------------------------------------ what fits */

static const char *joint_refuses(const clv_rows *w, int piece)
{
    const clv_tree_joint *t = base_joint(w, piece);
    if (t->detached)
        return piece >= w->plan->nstrand ? "a flexible body that floats" : t->parent >= 0 ? "a free joint" : NULL;
    if (t->reversed || (t->kind != CLV_JOINT_FIXED && t->kind != CLV_JOINT_REVOLUTE && t->kind != CLV_JOINT_PRISMATIC))
        return "a joint on a flexible body that is not fixed, revolute or prismatic, or is held by its body b";
    return NULL;
}

/* bodies whose poses are needed one by one are flexible ones, bases, and those that hold these */
static bool borders(const clv_rows *w)
{
    for (int i = 0; i < w->nborder; i++) {
        const int b = w->border[i];
        bool known = clv_row_hold_of(w, b) != NULL;
        for (int k = 0; k < w->npiece && !known; k++)
            known = clv_rows_floats(w, k) && (clv_rows_base(w, k) == b || w->origin[k] == b);
        if (!known)
            return false;
    }
    return true;
}

const char *clv_row_abreast_flex_refuses(const clv_rows *w)
{
    if (w->plan->nstrand == 0)
        return "flexible bodies alone";
    for (int k = 0; k < w->npiece; k++) {
        const char *why = clv_rows_floats(w, k) ? joint_refuses(w, k) : NULL;
        if (why)
            return why;
    }
    return borders(w) ? NULL : "bodies whose poses are needed one by one";
}

/* ------------------------------------------------------------------ memory */

/* places of what is cleared together: counted before they are taken */
typedef struct block {
    double *at;
    size_t n;
} block;
static double *take(block *b, size_t n)
{
    double *p = b->at ? b->at + b->n * G8 : NULL;
    b->n += n;
    return p;
}

static void tip_layout(clv_row_tip *t, clv_arena *m)
{
    CLV_TAKE(m, t->H, 36 * G8), CLV_TAKE(m, t->h, 6 * G8);
    CLV_TAKE(m, t->X, 36 * G8), CLV_TAKE(m, t->y, 6 * G8), CLV_TAKE(m, t->I, 36 * G8), CLV_TAKE(m, t->p, 6 * G8);
    CLV_TAKE(m, t->x, 6 * G8);
}

static void body_layout(clv_flex_body *b, size_t n, block *arrive, clv_arena *m)
{
    b->P = take(arrive, 6), b->Q = take(arrive, 6);
    CLV_TAKE(m, b->H, 36 * G8), CLV_TAKE(m, b->h, 6 * G8);
    CLV_TAKE(m, b->shape, 6 * n * G8), CLV_TAKE(m, b->at, 3 * G8), CLV_TAKE(m, b->R0, 9 * G8);
    CLV_TAKE(m, b->R, 9 * G8), CLV_TAKE(m, b->com, 3 * G8), CLV_TAKE(m, b->ref, 3 * G8), CLV_TAKE(m, b->arm, 3 * G8);
    CLV_TAKE(m, b->V, 6 * G8), CLV_TAKE(m, b->turn, 8 * G8), CLV_TAKE(m, b->M, 6 * n * G8);
    CLV_TAKE(m, b->rates, 18 * G8), CLV_TAKE(m, b->c, 6 * G8), CLV_TAKE(m, b->x, 6 * G8);
}

static void flex_layout(clv_row_flex *f, const clv_flex *of, block *arrive, clv_arena *m)
{
    const size_t n = (size_t)of->nmode, wide = (n + n % 2) * G8, two = n * n * G8;
    CLV_TAKE(m, f->body, of->nnode + 1);
    for (int i = 0; i <= of->nnode; i++) {
        clv_flex_body counting;
        body_layout(m->base ? &f->body[i] : &counting, n, arrive, m);
    }
    CLV_TAKE(m, f->mass, G8), CLV_TAKE(m, f->com, 3 * G8), CLV_TAKE(m, f->rest, 3 * G8), CLV_TAKE(m, f->J0, 9 * G8);
    CLV_TAKE(m, f->phi, 3 * wide), CLV_TAKE(m, f->h0, 3 * wide), CLV_TAKE(m, f->E0, 9 * wide);
    CLV_TAKE(m, f->B, 9 * n * wide), CLV_TAKE(m, f->of, 9 * n);
    CLV_TAKE(m, f->Mff, two), CLV_TAKE(m, f->K, two), CLV_TAKE(m, f->C, two);
    CLV_TAKE(m, f->limit, G8), CLV_TAKE(m, f->S, 3 * G8), CLV_TAKE(m, f->J, 9 * G8), CLV_TAKE(m, f->Hm, 3 * wide);
    CLV_TAKE(m, f->E, 9 * wide), CLV_TAKE(m, f->I, 21 * G8), CLV_TAKE(m, f->Mrf, 6 * n * G8);
    CLV_TAKE(m, f->odd, G8), CLV_TAKE(m, f->A, two), CLV_TAKE(m, f->G, 6 * n * G8), CLV_TAKE(m, f->y, n * G8);
    CLV_TAKE(m, f->left, 36 * G8), CLV_TAKE(m, f->p, 6 * G8), CLV_TAKE(m, f->ok, G8);
}

static void joint_layout(clv_flex_joint *j, clv_arena *m)
{
    clv_flex_port *p = &j->port;
    CLV_TAKE(m, p->E, 9 * G8), CLV_TAKE(m, p->l, 3 * G8), CLV_TAKE(m, p->R, 9 * G8), CLV_TAKE(m, p->com, 3 * G8);
    CLV_TAKE(m, p->ref, 3 * G8), CLV_TAKE(m, p->V, 6 * G8);
    CLV_TAKE(m, j->A, 9 * G8), CLV_TAKE(m, j->a, 3 * G8), CLV_TAKE(m, j->B, 9 * G8), CLV_TAKE(m, j->b, 3 * G8);
    CLV_TAKE(m, j->armature, G8), CLV_TAKE(m, j->arm, 3 * G8), CLV_TAKE(m, j->axis, 3 * G8);
    CLV_TAKE(m, j->H, 6 * G8), CLV_TAKE(m, j->Hd, 6 * G8), CLV_TAKE(m, j->c, 6 * G8), CLV_TAKE(m, j->turn, 9 * G8);
    CLV_TAKE(m, j->r, 3 * G8), CLV_TAKE(m, j->G, 6 * G8), CLV_TAKE(m, j->bias, 6 * G8), CLV_TAKE(m, j->N, 6 * G8);
    CLV_TAKE(m, j->root, G8), CLV_TAKE(m, j->u0, G8), CLV_TAKE(m, j->I, 36 * G8), CLV_TAKE(m, j->p, 6 * G8);
    CLV_TAKE(m, j->ok, G8);
}

/* how much is cleared together */
static void count_cleared(clv_row_abreast *a, const clv_plan *p)
{
    a->narrive = 0;
    for (int s = 0; s < p->nstar; s++)
        a->narrive += 12 * ((size_t)p->model->flex[s].nnode + 1);
}

void clv_row_abreast_flex_layout(clv_row_abreast *a, const clv_rows *of, clv_arena *m)
{
    const clv_plan *p = of->plan;
    block arrive = {0};
    count_cleared(a, p);
    CLV_TAKE(m, a->arrive, a->narrive * G8);
    arrive.at = a->arrive;
    CLV_TAKE(m, a->tip, p->nstrand), CLV_TAKE(m, a->flex, p->nstar), CLV_TAKE(m, a->joint, of->npiece);
    for (int k = 0; k < p->nstrand; k++) {
        clv_row_tip counting;
        if (clv_strand_tip(p, k))
            tip_layout(m->base ? &a->tip[k] : &counting, m);
    }
    for (int s = 0; s < p->nstar; s++) {
        clv_row_flex counting;
        flex_layout(m->base ? &a->flex[s] : &counting, &p->model->flex[s], &arrive, m);
    }
    for (int k = 0; k < of->npiece; k++) {
        clv_flex_joint counting;
        if (is_joint(of, k))
            joint_layout(m->base ? &a->joint[k] : &counting, m);
    }
}

/* ------------------------------------------------------------------ structure */

/* the row of a body in lanes, and the attached one */
static int row_of_body(const clv_row_abreast *a, const clv_rows *of, int body)
{
    const int k = of->strand_of[body], own = of->first[of->plan->strand[k].group];
    return a->rows.first[k] + of->slot[body] / G8 - own;
}

/* a place behind the rows for a degree of freedom */
static int add_place(clv_row_abreast *a, int q, int u)
{
    a->q_of[a->nplace] = q, a->u_of[a->nplace] = u;
    return a->nplace++;
}

static void take_flex(clv_row_abreast *a, const clv_rows *of, const clv_kinematics *k, int s)
{
    const clv_star *star = &of->plan->star[s];
    const clv_deformed *d = &k->deformed[s];
    clv_row_flex *f = &a->flex[s];
    f->n = star->nmode, f->wide = d->wide, f->nbody = of->plan->model->flex[s].nnode + 1;
    f->entry = star->entry - star->frame;
    f->npair = d->npair, f->nmoment = d->nmoment, f->natural = d->natural;
    memcpy(f->pair, d->pair, sizeof f->pair), memcpy(f->moment, d->moment, sizeof f->moment);
    memcpy(f->begin, d->begin, sizeof f->begin);
    memcpy(f->of, d->of, (size_t)d->begin[d->npair] * sizeof *f->of);
    f->row = a->nplace;
    for (int m = 0; m < f->n; m++)
        add_place(a, star->iq + m, star->iu + m);
}

/* what holds a joint: a body of a flexible body, or of a strand; something is attached to it from now on */
static void take_port(clv_row_abreast *a, const clv_rows *of, clv_flex_joint *j, int parent, bool momenta)
{
    clv_flex_port *p = &j->port;
    p->ground = parent < 0;
    if (parent < 0)
        return;
    const int k = of->strand_of[parent], star = k - of->plan->nstrand;
    if (star >= 0) {
        p->body = &a->flex[star].body[parent - of->plan->star[star].frame];
        p->body->hangs = true;
        p->R = p->body->R, p->com = p->body->com, p->ref = p->body->ref;
        p->V = momenta ? p->body->x : p->body->V;
        return;
    }
    p->strand = k, p->row = row_of_body(a, of, parent), p->at = a->rows.attached[p->row];
    j->tip = &a->tip[k];
    p->base = clv_rows_base(of, k) == parent && clv_rows_floats(of, k);
    if (p->base) {
        const clv_row_limb *l = &a->limb[k];
        p->R = l->R_base, p->com = l->com_base, p->ref = l->ref_base, p->V = l->V_base;
    }
}

static void take_joint(clv_row_abreast *a, const clv_rows *of, int piece, bool momenta)
{
    const clv_tree_joint *t = base_joint(of, piece);
    clv_flex_joint *j = &a->joint[piece];
    j->kind = t->kind, j->f = t->f;
    j->row = t->f > 0 ? add_place(a, t->iq, t->iu) : -1;
    take_port(a, of, j, t->parent, momenta);
    if (piece < of->plan->nstrand) {
        clv_row_limb *l = &a->limb[piece];
        l->joint = j;
        j->R = l->R_base, j->com = l->com_base, j->ref = l->ref_base, j->V = l->V_base;
        return;
    }
    clv_row_flex *f = &a->flex[piece - of->plan->nstrand];
    clv_flex_body *b = &f->body[f->entry];
    j->R = b->R, j->com = b->com, j->ref = b->ref, j->V = b->V, j->arm = b->arm;
    j->I = f->left, j->p = f->p;
}

void clv_row_abreast_flex_take(clv_row_abreast *a, const clv_rows *of, const clv_kinematics *k, bool momenta)
{
    const clv_plan *p = of->plan;
    a->nflex = p->nstar, a->npiece = of->npiece;
    a->limbs = a->limbs || p->nstar > 0;
    memcpy(a->piece, of->piece, (size_t)of->npiece * sizeof *a->piece);
    for (int i = 0; i < p->nstrand; i++) {
        a->tip[i].any = clv_strand_tip(p, i);
        const int tip = p->bodies[p->strand[i].first + p->strand[i].length - 1];
        a->limb[i].tip_at = a->tip[i].any ? a->rows.attached[row_of_body(a, of, tip)] : -1;
    }
    for (int s = 0; s < p->nstar; s++)
        take_flex(a, of, k, s);
    for (int i = 0; i < of->npiece; i++) /* parents first */
        if (is_joint(of, of->piece[i]))
            take_joint(a, of, of->piece[i], momenta);
}

static bool same_flex(const clv_row_flex *f, const clv_star *star, const clv_flex *of, const clv_deformed *d)
{
    return f->n == star->nmode && f->nbody == of->nnode + 1 && f->entry == star->entry - star->frame &&
           f->natural == d->natural && f->npair == d->npair && f->nmoment == d->nmoment &&
           memcmp(f->pair, d->pair, (size_t)d->npair * sizeof *d->pair) == 0 &&
           memcmp(f->begin, d->begin, (size_t)(d->npair + 1) * sizeof *d->begin) == 0 &&
           memcmp(f->of, d->of, (size_t)d->begin[d->npair] * sizeof *d->of) == 0 &&
           memcmp(f->moment, d->moment, (size_t)d->nmoment * sizeof *d->moment) == 0;
}

static bool same_places(const clv_row_abreast *a, int row, int n, int q, int u)
{
    bool same = true;
    for (int i = 0; i < n; i++)
        same = same && a->q_of[row + i] == q + i && a->u_of[row + i] == u + i;
    return same;
}

static bool same_joint(const clv_row_abreast *a, const clv_rows *w, int piece)
{
    const clv_tree_joint *t = base_joint(w, piece);
    const clv_flex_joint *j = &a->joint[piece];
    const clv_flex_port *p = &j->port;
    if (j->kind != t->kind || j->f != t->f || p->ground != (t->parent < 0) ||
        (j->f > 0 && !same_places(a, j->row, 1, t->iq, t->iu)))
        return false;
    if (p->ground)
        return true;
    const int k = w->strand_of[t->parent], star = k - w->plan->nstrand;
    return star >= 0 ? p->body == &a->flex[star].body[t->parent - w->plan->star[star].frame]
                     : !p->body && p->strand == k && p->row == row_of_body(a, w, t->parent);
}

bool clv_row_abreast_flex_same(const clv_row_abreast *a, const clv_rows *w, const clv_kinematics *k)
{
    const clv_plan *p = w->plan;
    if (p->nstar != a->nflex || w->npiece != a->npiece ||
        memcmp(a->piece, w->piece, (size_t)w->npiece * sizeof *w->piece) != 0)
        return false;
    for (int s = 0; s < p->nstar; s++)
        if (!same_flex(&a->flex[s], &p->star[s], &p->model->flex[s], &k->deformed[s]) ||
            !same_places(a, a->flex[s].row, a->flex[s].n, p->star[s].iq, p->star[s].iu))
            return false;
    for (int i = 0; i < p->nstrand; i++)
        if (a->tip[i].any != clv_strand_tip(p, i) || (a->limb[i].joint != NULL) != is_joint(w, i))
            return false;
    for (int i = 0; i < w->npiece; i++)
        if (is_joint(w, i) && !same_joint(a, w, i))
            return false;
    return true;
}

/* ------------------------------------------------------------------ constants of a lane */

static void put(double *to, int lane, size_t n, const double *v) { clv_row_put(to + lane, (int)n, v); }

static void put_node(clv_flex_body *b, int lane, const clv_flex_node *node, size_t n)
{
    double R0[9];
    clv_quat_rotation(R0, node->orientation);
    put(b->shape, lane, 6 * n, node->shape), put(b->at, lane, 3, node->position), put(b->R0, lane, 9, R0);
}

static void put_flex(clv_row_flex *f, int lane, const clv_flex *of, const clv_body *frame, const clv_deformed *d)
{
    const size_t n = (size_t)f->n, wide = (size_t)f->wide;
    put(f->mass, lane, 1, &frame->mass), put(f->com, lane, 3, frame->com);
    put(f->rest, lane, 3, d->rest), put(f->J0, lane, 9, d->J0), put(f->phi, lane, 3 * wide, d->phi);
    put(f->h0, lane, 3 * wide, d->h0), put(f->E0, lane, 9 * wide, d->E0), put(f->E, lane, 9 * wide, d->E0);
    put(f->B, lane, (size_t)f->begin[f->npair] * wide, d->B);
    put(f->Mff, lane, n * n, of->Mff), put(f->K, lane, n * n, of->K), put(f->C, lane, n * n, of->C);
    put(f->limit, lane, 1, &of->limit);
    for (int i = 1; i < f->nbody; i++)
        put_node(&f->body[i], lane, &of->node[i - 1], n);
}

static void put_joint(clv_flex_joint *j, int lane, const clv_plan *p, int body)
{
    const clv_tree_joint *t = &p->tree[body];
    const clv_joint *joint = clv_tree_joint_of(p, body);
    const clv_body *b = p->model->body;
    const double armature = clv_armature_of(p, body, 0);
    double x[3], E[9];
    clv_copy3(x, joint->pa);
    if (t->parent >= 0)
        clv_sub3(x, joint->pa, b[t->parent].com);
    put(j->A, lane, 9, joint->Ea), put(j->a, lane, 3, x), put(j->B, lane, 9, joint->Eb);
    clv_sub3(x, b[body].com, joint->pb);
    put(j->b, lane, 3, x), put(j->armature, lane, 1, &armature);
    if (t->parent < 0 || j->port.body)
        return;
    const double *at;
    clv_row_own_frame(p, t->parent, E, &at);
    clv_sub3(x, b[t->parent].com, at);
    put(j->port.E, lane, 9, E), put(j->port.l, lane, 3, x);
}

void clv_row_abreast_flex_put(clv_row_abreast *a, int lane, const clv_rows *of, const clv_kinematics *k)
{
    const clv_model *m = of->plan->model;
    for (int s = 0; s < a->nflex; s++)
        put_flex(&a->flex[s], lane, &m->flex[s], &m->body[m->flex[s].body], &k->deformed[s]);
    for (int i = 0; i < a->npiece; i++)
        if (is_joint(of, i))
            put_joint(&a->joint[i], lane, of->plan, clv_rows_base(of, i));
}
