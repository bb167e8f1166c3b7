/* SPDX-License-Identifier: Apache-2.0
 * Rows (T43): memory, constants of bodies and joints in the frames of their inboard joints, and the way of state
 * vectors into rows and back. */
#include "kinematics/row_kernels.h"
#include "engine/base_block.h"
#include "engine/place.h"

enum { G8 = CLV_GROUP };

/* rows from which strands start, that edges or loads hold: at most */
static size_t most_attached(const clv_plan *p, size_t nrow)
{
    size_t n = 2 * (size_t)p->nstrand + 4 * (size_t)p->nedge + 2 * (size_t)p->model->nforce + (size_t)p->model->ninput;
    return n < nrow ? n : nrow;
}

/* rows for springs and dampers (T26)? */
static bool tangents(const clv_plan *p)
{
    for (int e = 0; e < p->nedge; e++)
        if (p->edge[e].force >= 0)
            return true;
    return false;
}

/* may the mechanisms of this plan be evaluated in rows? */
static bool takes(const clv_plan *p)
{
    return p->nstar == 0 && p->model->nmotion == 0 && !p->absolute && !p->connect && p->nsection == 0 && !tangents(p);
}

void clv_rows_layout(clv_rows *w, const clv_plan *p, clv_engine *e, clv_arena *a)
{
    w->plan = p, w->engine = e;
    w->nrow = takes(p) ? p->nrow : 0;
    const size_t n = (size_t)w->nrow * G8;
    CLV_TAKE(a, w->first, p->ngroup + 1), CLV_TAKE(a, w->slot, p->nbody), CLV_TAKE(a, w->free, w->nrow);
    CLV_TAKE(a, w->E, 9 * n), CLV_TAKE(a, w->p, 3 * n), CLV_TAKE(a, w->body, 10 * n);
    CLV_TAKE(a, w->alpha, n), CLV_TAKE(a, w->beta, n);
    CLV_TAKE(a, w->pad, n), CLV_TAKE(a, w->shifts, w->nrow), CLV_TAKE(a, w->coordinate, n), CLV_TAKE(a, w->rate, n);
    CLV_TAKE(a, w->attached, w->nrow), CLV_TAKE(a, w->border, p->nbody), CLV_TAKE(a, w->mark, p->nbody);
    CLV_TAKE(a, w->origin, p->nstrand), CLV_TAKE(a, w->coupled, p->nbody);
    CLV_TAKE(a, w->strand_of, p->nbody), CLV_TAKE(a, w->join, p->nstrand);
    CLV_TAKE(a, w->held, p->nbody), CLV_TAKE(a, w->held_first, p->nstrand + 1);
    CLV_TAKE(a, w->q, n), CLV_TAKE(a, w->u, n),
    CLV_TAKE(a, w->h, 3 * n), CLV_TAKE(a, w->c, 3 * n), CLV_TAKE(a, w->J, 6 * n), CLV_TAKE(a, w->pdot, n);
    CLV_TAKE(a, w->r, 3 * n), CLV_TAKE(a, w->b, 6 * n), CLV_TAKE(a, w->bias, 6 * n), CLV_TAKE(a, w->tau, n);
    CLV_TAKE(a, w->N, 6 * n), CLV_TAKE(a, w->Kh, 6 * n), CLV_TAKE(a, w->inverse, n), CLV_TAKE(a, w->u0, n);
    CLV_TAKE(a, w->x, 6 * n), CLV_TAKE(a, w->rates, n);
    CLV_TAKE(a, w->end, p->ngroup);
    for (int g = 0; g < p->ngroup; g++) {
        clv_row_ends counting, *o = a->base ? &w->end[g] : &counting;
        CLV_TAKE(a, o->start, CLV_FRAME * G8), CLV_TAKE(a, o->motion, 6 * G8);
        CLV_TAKE(a, o->gravity, 3 * G8), CLV_TAKE(a, o->mass, 4 * G8);
        CLV_TAKE(a, o->P, 6 * G8), CLV_TAKE(a, o->Q, 6 * G8), CLV_TAKE(a, o->energy, 2 * G8);
    }
    const size_t held = G8 * most_attached(p, (size_t)w->nrow);
    CLV_TAKE(a, w->frame, CLV_FRAME * held), CLV_TAKE(a, w->run, 6 * held);
    CLV_TAKE(a, w->I, 21 * held), CLV_TAKE(a, w->P, 6 * held), CLV_TAKE(a, w->Q, 6 * held);
}

/* ------------------------------------------------------------------ constants */

/* frame of the inboard joint on a body, and its point; body axes */
static void own_frame(const clv_plan *p, int body, const double **E, const double **point)
{
    const clv_tree_joint *t = &p->tree[body];
    const clv_joint *j = clv_tree_joint_of(p, body);
    *E = t->reversed ? j->Ea : j->Eb;
    *point = t->joint < 0 ? p->model->body[body].com : t->reversed ? j->pa : j->pb;
}

static void put(double *array, int n, int slot, const double *v)
{
    for (int i = 0; i < n; i++)
        array[(size_t)(slot / G8) * (size_t)n * G8 + (size_t)i * G8 + (size_t)(slot % G8)] = v[i];
}

/* rows of the groups, and where a body lies in them */
static void list_slots(clv_rows *w)
{
    const clv_plan *p = w->plan;
    for (int g = 0, row = 0; g < p->ngroup; g++) {
        w->first[g] = row;
        for (int l = 0; l < p->group[g].nstrand; l++) {
            const clv_strand *st = &p->strand[p->group[g].strand[l]];
            for (int i = 0; i < st->length; i++)
                w->slot[p->bodies[st->first + i]] = G8 * (row + i) + l;
        }
        w->first[g + 1] = row += p->group[g].nrow;
    }
}

/* mass, first moment, inertia about the joint point, in the joint's frame */
static void body_constants(clv_rows *w, int body)
{
    const clv_body *b = &w->plan->model->body[body];
    const double *B, *at;
    double J[9] = {b->J[0], b->J[3], b->J[4], b->J[3], b->J[1], b->J[5], b->J[4], b->J[5], b->J[2]};
    double x[3], l[3], JB[9], R[9], v[10];
    own_frame(w->plan, body, &B, &at);
    clv_sub3(x, b->com, at);
    clv_mat3_transpose_times(l, B, x);
    clv_mat3_product(JB, J, B);
    clv_mat3_transpose_product(R, B, JB);
    const double *r = R, s = b->mass * clv_dot3(l, l);
    v[0] = b->mass;
    for (int i = 0; i < 3; i++)
        v[1 + i] = b->mass * l[i];
    v[4] = r[0] + s - v[1] * l[0], v[5] = r[1] - v[1] * l[1], v[6] = r[2] - v[1] * l[2];
    v[7] = r[4] + s - v[2] * l[1], v[8] = r[5] - v[2] * l[2], v[9] = r[8] + s - v[3] * l[2];
    put(w->body, 10, w->slot[body], v);
}

static bool joint_constants(clv_rows *w, int body)
{
    const clv_plan *p = w->plan;
    const clv_tree_joint *t = &p->tree[body];
    const clv_joint *j = clv_tree_joint_of(p, body);
    const double sign = t->reversed ? -1.0 : 1.0, *B, *at;
    const double turn = t->kind == CLV_JOINT_REVOLUTE || t->kind == CLV_JOINT_HELICAL ? sign : 0.0;
    const double shift = t->kind == CLV_JOINT_PRISMATIC ? sign : t->kind == CLV_JOINT_HELICAL ? sign * j->pitch : 0.0;
    const int slot = w->slot[body];
    double E[9], x[3], origin[3];
    const double *frame = t->reversed ? j->Eb : j->Ea, *point = t->reversed ? j->pb : j->pa;
    memcpy(E, frame, sizeof E), clv_copy3(origin, point);
    if (t->parent >= 0) {
        own_frame(p, t->parent, &B, &at);
        clv_mat3_transpose_product(E, B, frame);
        clv_sub3(x, point, at);
        clv_mat3_transpose_times(origin, B, x);
    }
    put(w->E, 9, slot, E), put(w->p, 3, slot, origin);
    put(w->alpha, 1, slot, &turn), put(w->beta, 1, slot, &shift);
    w->shifts[slot / G8] |= shift != 0;
    if (t->f == 1)
        w->coordinate[slot] = t->iq, w->rate[slot] = t->iu, w->pad[slot] = 0.0, w->free[slot / G8] = 1;
    return turn != 0 || shift != 0 || (t->kind == CLV_JOINT_FIXED && t->f == 0);
}

/* ------------------------------------------------------------------ lists */

static void attach(clv_rows *w, int body)
{
    if (body >= 0 && w->attached[w->slot[body] / G8] < 0)
        w->attached[w->slot[body] / G8] = w->nattached++;
}

static void touch(clv_rows *w, int body)
{
    if (body < 0)
        return;
    attach(w, body);
    w->mark[body] |= CLV_ROWS_BORDER | CLV_ROWS_LOADED;
}

static void touch_loads(clv_rows *w)
{
    const clv_model *m = w->plan->model;
    for (int i = 0; i < m->nforce; i++)
        if (m->force[i].kind == CLV_FORCE_CALLBACK)
            w->fit = false; /* it may look at any body */
        else if (m->force[i].kind != CLV_FORCE_JOINT)
            touch(w, m->force[i].b), touch(w, m->force[i].a);
    for (int i = 0; i < m->ninput; i++)
        if (m->input[i].kind == CLV_INPUT_FORCE || m->input[i].kind == CLV_INPUT_TORQUE)
            touch(w, m->input[i].body);
}

/* bodies held by edges, bases that hang on no joint of their strand, and what those hang on */
static void list_border(clv_rows *w)
{
    const clv_plan *p = w->plan;
    for (int e = 0; e < p->nedge; e++)
        for (int h = 0; h < p->edge[e].nhandle; h++) {
            w->mark[p->edge[e].body[h]] |= CLV_ROWS_BORDER;
            if (clv_edge_closes(&p->edge[e]))
                touch(w, p->edge[e].body[h]);
        }
    for (int i = 0; i < p->model->ncoupling; i++)
        for (int side = 0; side < 2; side++) {
            const clv_coupling *c = &p->model->coupling[i];
            const int body = p->child_of_joint[side ? c->second : c->first];
            if (body >= 0)
                touch(w, body), touch(w, p->tree[body].parent), w->mark[body] |= CLV_ROWS_COUPLED;
        }
    for (int i = 0; i < p->nbody; i++)
        if (w->mark[p->order[i]] & CLV_ROWS_COUPLED)
            w->coupled[w->ncoupled++] = p->order[i];
    for (int k = 0; k < p->nstrand; k++) {
        const int base = p->bodies[p->strand[k].first];
        w->origin[k] = p->tree[base].parent;
        attach(w, w->origin[k]);
        if (p->strand[k].base != CLV_BASE_FREE)
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

/* by strand, from the base: places in the strand whose rows are attached */
static void list_held(clv_rows *w)
{
    const clv_plan *p = w->plan;
    int n = 0;
    for (int k = 0; k < p->nstrand; k++) {
        w->held_first[k] = n;
        for (int i = 0; i < p->strand[k].length; i++) {
            const int body = p->bodies[p->strand[k].first + i];
            w->strand_of[body] = k;
            if (w->attached[w->slot[body] / G8] >= 0)
                w->held[n++] = i;
        }
    }
    w->held_first[p->nstrand] = n;
}

void clv_rows_begin(clv_rows *w, int lanes)
{
    const clv_plan *p = w->plan;
    w->kernels = lanes == 1 ? &clv_row_kernels_1 : lanes == 2 ? &clv_row_kernels_2 : lanes == 4 ? &clv_row_kernels_4
                                                                                       : &clv_row_kernels_8;
    static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    w->fit = takes(p), w->looped = p->nclosing_row > 0;
    for (int r = 0; w->fit && r < w->nrow; r++)
        w->attached[r] = -1;
    for (int i = 0; w->fit && i < w->nrow * G8; i++)
        w->coordinate[i] = w->rate[i] = -1, w->pad[i] = 1.0, put(w->E, 9, i, unit);
    list_slots(w);
    for (int b = 0; w->fit && b < p->nbody; b++) {
        body_constants(w, b);
        if (clv_inside_strand(&p->tree[b]) && !joint_constants(w, b))
            w->fit = false;
    }
    if (!w->fit)
        return;
    touch_loads(w);
    list_border(w);
    list_held(w);
}

/* ------------------------------------------------------------------ state vectors */

void clv_rows_take(const clv_rows *w, const int *index, const double *v, double *x)
{
    for (int i = 0; i < w->nrow * G8; i++)
        x[i] = index[i] >= 0 ? v[index[i]] : 0.0;
}

void clv_rows_give(const clv_rows *w, const int *index, const double *x, double *v)
{
    for (int i = 0; i < w->nrow * G8; i++)
        if (index[i] >= 0)
            v[index[i]] = x[i];
}
